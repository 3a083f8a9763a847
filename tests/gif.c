/* SPDX-License-Identifier: MIT */
/* Frames written as a GIF and read back: sizes, times, colours, characters. */
#include <gif_lib.h>
#include <stdlib.h>

#include "tap.h"
#include "term/gif.h"

enum { COLUMNS = 10, ROWS = 2, CELL_X = 9, CELL_Y = 17, MARGIN = 12 };

/* Three frames, of which two are the same. */
static FILE *
write_gif(enum ground ground)
{
    FILE *file = tmpfile();
    struct canvas c = {0};
    struct gif *g;
    struct err err;

    if (file == NULL ||
        (g = gif_begin(COLUMNS, ROWS, ground, file, &err)) == NULL)
        exit(99);
    canvas_resize(&c, COLUMNS, ROWS);
    canvas_put(&c, 1, 0, ' ', (struct pen){.bg = ROLE_ORIGIN});
    canvas_put(&c, 2, 0, 0x2588, (struct pen){.fg = ROLE_ORIGIN + 3});
    gif_add(g, &c, 0);
    gif_add(g, &c, 500); /* nothing has changed */
    canvas_put(&c, 4, 1, 'A', (struct pen){.attrs = ATTR_BOLD});
    canvas_put(&c, 5, 1, 0x6811, (struct pen){0}); /* two columns wide */
    gif_add(g, &c, 1004);
    ok(gif_end(g, 1260, &err), "a GIF is written");
    canvas_done(&c);
    rewind(file);
    return file;
}

static int
read_bytes(GifFileType *gif, GifByteType *bytes, int count)
{
    return (int)fread(bytes, 1, (size_t)count, gif->UserData);
}

static int32_t
colour_at(const GifFileType *gif, int frame, int x, int y)
{
    const SavedImage *image = &gif->SavedImages[frame];
    const GifImageDesc *d = &image->ImageDesc;
    const GifColorType *c =
        &gif->SColorMap->Colors[image->RasterBits[(y - d->Top) * d->Width +
                                                  x - d->Left]];

    return c->Red << 16 | c->Green << 8 | c->Blue;
}

/* The number of pixels of a frame that are not the background. */
static int
ink(const GifFileType *gif, int frame, int32_t ground)
{
    const GifImageDesc *d = &gif->SavedImages[frame].ImageDesc;
    int count = 0;

    for (int y = d->Top; y < d->Top + d->Height; y++)
        for (int x = d->Left; x < d->Left + d->Width; x++)
            count += colour_at(gif, frame, x, y) != ground;
    return count;
}

static int
delay(GifFileType *gif, int frame)
{
    GraphicsControlBlock block = {0};

    DGifSavedExtensionToGCB(gif, frame, &block);
    return block.DelayTime;
}

static void
test_gif(enum ground ground, const char *name)
{
    FILE *file = write_gif(ground);
    int error, x = MARGIN + CELL_X, y = MARGIN + CELL_Y / 2;
    GifFileType *gif = DGifOpen(file, read_bytes, &error);
    int32_t yellow = palette_fg(ROLE_ORIGIN + 3, ROLE_TEXT, ground)->rgb;

    if (!ok(gif != NULL && DGifSlurp(gif) == GIF_OK, "%s: it can be read",
            name))
        return;
    is_int(gif->SWidth, COLUMNS * CELL_X + 2 * MARGIN, "its width");
    is_int(gif->SHeight, ROWS * CELL_Y + 2 * MARGIN, "its height");
    is_int(gif->ImageCount, 2, "a frame that is the same is left out");
    is_int(delay(gif, 0), 100, "its time counts for the one before");
    is_int(delay(gif, 1), 26, "the last frame lasts until the end");
    is_int(colour_at(gif, 0, 0, 0), palette_ground[ground], "the background");
    is_int(colour_at(gif, 0, x + 4, y),
           palette_colour(ROLE_ORIGIN)->rgb, "a hue as a background");
    is_int(colour_at(gif, 0, x + CELL_X + 4, y), yellow,
           "and as a character, in the shade for this background");
    is_int(colour_at(gif, 0, x + 2 * CELL_X - 1, MARGIN), yellow,
           "a full block fills its cell");
    is_int(gif->SavedImages[1].ImageDesc.Left, MARGIN + 4 * CELL_X,
           "the next frame has only what changed");
    is_int(gif->SavedImages[1].ImageDesc.Width, 3 * CELL_X,
           "up to the right half of a wide character");
    ok(ink(gif, 1, palette_ground[ground]) > 20, "and shows it");
    DGifCloseFile(gif, &error);
    fclose(file);
}

enum { LETTERS = 26 };

/* Letters in every hue, on the rows in turn in their own colour or on it. */
static void
draw_letters(struct canvas *c, int turn)
{
    for (int y = 0; y < HUES; y++)
        for (int x = 0; x < LETTERS; x++) {
            uint8_t hue = (uint8_t)palette_origin(y);
            struct pen pen = {.fg = hue};
            if ((y + turn) % 2 > 0)
                pen = (struct pen){.fg = (uint8_t)palette_ink(hue), .bg = hue};
            canvas_put(c, x, y, (uint32_t)('A' + (x + turn) % LETTERS), pen);
        }
}

/* The last of the frames of letters up to `turn`, beginning with `first`. */
static GifFileType *
letters(int first, int turn)
{
    FILE *file = tmpfile();
    struct canvas c = {0};
    struct gif *g;
    GifFileType *gif;
    struct err err;
    int error;

    if (file == NULL ||
        (g = gif_begin(LETTERS, HUES, GROUND_DARK, file, &err)) == NULL)
        exit(99);
    canvas_resize(&c, LETTERS, HUES);
    gif_add(g, &c, 0);
    for (int i = first; i <= turn; i++) {
        draw_letters(&c, i);
        gif_add(g, &c, 100 * (i + 1));
    }
    if (!gif_end(g, 1000, &err))
        exit(99);
    canvas_done(&c);
    rewind(file);
    gif = DGifOpen(file, read_bytes, &error);
    if (gif == NULL || DGifSlurp(gif) != GIF_OK)
        exit(99);
    fclose(file);
    return gif;
}

/* A frame has the same colours whatever was drawn before it. */
static void
test_history(void)
{
    GifFileType *fresh = letters(1, 1), *later = letters(0, 1);
    const GifImageDesc *a = &fresh->SavedImages[1].ImageDesc;
    const GifImageDesc *b = &later->SavedImages[2].ImageDesc;
    int error, differ = 0;

    is_int(a->Width, LETTERS * CELL_X, "a frame of letters");
    ok(b->Width == a->Width && b->Height == a->Height, "after another");
    for (int i = 0; i < a->Width * a->Height; i++)
        differ += fresh->SavedImages[1].RasterBits[i] !=
                  later->SavedImages[2].RasterBits[i];
    is_int(differ, 0, "it looks the same");
    DGifCloseFile(fresh, &error);
    DGifCloseFile(later, &error);
}

int
main(void)
{
    test_gif(GROUND_DARK, "dark");
    test_gif(GROUND_LIGHT, "light");
    test_history();
    return done_testing();
}
