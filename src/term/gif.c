/* SPDX-License-Identifier: MIT */
#include "term/gif.h"

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/install.h"
#include "base/mem.h"
#include "base/utf8.h"

/* Sizes in pixels.  Lines of DejaVu Sans Mono join in this size. */
enum {
    CELL_WIDTH = 9,
    CELL_HEIGHT = 17,
    BASELINE = 13,
    FONT_SIZE = 15,
    MARGIN = 12
};
enum { COLOURS = 256, BLENDS = 4, KNOWN = 4096 };

/* A character is drawn from the first of these that has it. */
static const char *const families[] = {
    "DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono CJK SC",
    "WenQuanYi Zen Hei Mono", "WenQuanYi Micro Hei Mono", "monospace"};
enum { FAMILIES = sizeof families / sizeof families[0] };

struct gif {
    enum ground ground;
    FILE *out;
    GifFileType *file;
    bool failed;
    int width, height; /* in pixels */
    cairo_surface_t *surface;
    cairo_t *cairo;
    cairo_scaled_font_t *fonts[2][FAMILIES]; /* plain, bold */
    struct canvas shown;
    GifColorType colours[COLOURS];
    int ncolours;
    struct {
        int32_t rgb;
        uint8_t index;
    } known[KNOWN]; /* the colours looked up last, by a hash */
    struct rect waiting; /* pixels of the last frame, not written yet, as its
                          * time is not known; without a width: none */
    int64_t begin_ms;
};

/* The colours: those of all roles, and in between for the edges of letters. */

static int
colour_distance(const GifColorType *c, int32_t rgb)
{
    int r = c->Red - (rgb >> 16), g = c->Green - (rgb >> 8 & 0xff),
        b = c->Blue - (rgb & 0xff);

    return 3 * r * r + 6 * g * g + b * b;
}

static int
nearest_colour(const struct gif *g, int32_t rgb)
{
    int best = 0;

    for (int i = 1; i < g->ncolours; i++)
        if (colour_distance(&g->colours[i], rgb) <
            colour_distance(&g->colours[best], rgb))
            best = i;
    return best;
}

static void
add_map_colour(struct gif *g, int32_t rgb)
{
    bool there = g->ncolours > 0 &&
                 colour_distance(&g->colours[nearest_colour(g, rgb)], rgb) == 0;

    if (!there && g->ncolours < COLOURS)
        g->colours[g->ncolours++] =
            (GifColorType){(GifByteType)(rgb >> 16),
                           (GifByteType)(rgb >> 8), (GifByteType)rgb};
}

/* Adds `part` of BLENDS of one colour in another. */
static void
add_blend(struct gif *g, int32_t one, int32_t other, int part)
{
    int32_t rgb = 0;

    for (int shift = 0; shift < 24; shift += 8) {
        int a = one >> shift & 0xff, b = other >> shift & 0xff;
        rgb |= (a * part + b * (BLENDS - part)) / BLENDS << shift;
    }
    add_map_colour(g, rgb);
}

static void
add_colours(struct gif *g)
{
    int32_t ground = palette_ground[g->ground];
    int32_t text = palette_text[g->ground];

    add_map_colour(g, ground);
    for (int part = BLENDS; part > 0; part--) { /* whole ones come first */
        add_blend(g, text, ground, part);
        for (enum role role = 1; role < ROLES; role++) {
            const struct colour *c = palette_colour(role);
            if (c->rgb < 0)
                continue;
            add_blend(g, c->rgb, palette_colour(palette_ink(role))->rgb, part);
            add_blend(g, palette_fg(role, ROLE_TEXT, g->ground)->rgb, ground,
                      part);
        }
    }
}

/* Drawing. */

static void
set_source(struct gif *g, int32_t rgb)
{
    cairo_set_source_rgb(g->cairo, (rgb >> 16) / 255.0,
                         (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0);
}

static void
open_fonts(struct gif *g)
{
    char folder[PATH_MAX];
    cairo_matrix_t size, unit;
    cairo_font_options_t *options = cairo_font_options_create();

    if (install_folder(INSTALL_FONTS, 1, folder) && access(folder, R_OK) == 0)
        setenv("FONTCONFIG_FILE", folder, 0); /* it has the system's, too */
    cairo_matrix_init_scale(&size, FONT_SIZE, FONT_SIZE);
    cairo_matrix_init_identity(&unit);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    for (int bold = 0; bold < 2; bold++)
        for (int i = 0; i < FAMILIES; i++) {
            cairo_font_face_t *face = cairo_toy_font_face_create(
                families[i], CAIRO_FONT_SLANT_NORMAL,
                bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
            g->fonts[bold][i] =
                cairo_scaled_font_create(face, &size, &unit, options);
            cairo_font_face_destroy(face);
        }
    cairo_font_options_destroy(options);
}

/* Draws a character whose left end on the baseline is at x, y. */
static void
draw_character(struct gif *g, uint32_t code, bool bold, int x, int y)
{
    char text[5] = {0};
    bool drawn = false;

    text[utf8_put(text, code)] = '\0';
    for (int i = 0; i < FAMILIES && !drawn; i++) {
        cairo_scaled_font_t *font = g->fonts[bold][i];
        cairo_glyph_t *glyphs = NULL;
        int count = 0;
        if (cairo_scaled_font_text_to_glyphs(font, x, y, text, -1, &glyphs,
                                             &count, NULL, NULL, NULL) ==
                CAIRO_STATUS_SUCCESS &&
            count > 0 && glyphs[0].index != 0) {
            cairo_set_scaled_font(g->cairo, font);
            cairo_show_glyphs(g->cairo, glyphs, count);
            drawn = true;
        }
        cairo_glyph_free(glyphs);
    }
}

/* Draws a block of U+2581 to U+2590, so that it fills its part of the cell
 * exactly, whatever the font. Returns false for other characters. */
static bool
draw_block(struct gif *g, uint32_t code, int x, int y)
{
    enum { LOWEST = 0x2581, FULL = 0x2588, LEFT = 0x258c, RIGHT = 0x2590 };
    double half = CELL_WIDTH / 2.0;
    double height = (code - LOWEST + 1) * CELL_HEIGHT / 8.0;

    if (code >= LOWEST && code <= FULL)
        cairo_rectangle(g->cairo, x, y + CELL_HEIGHT - height, CELL_WIDTH,
                        height);
    else if (code == LEFT || code == RIGHT)
        cairo_rectangle(g->cairo, code == LEFT ? x : x + half, y, half,
                        CELL_HEIGHT);
    else
        return false;
    cairo_fill(g->cairo);
    return true;
}

static int32_t
rgb_or(const struct colour *c, int32_t own)
{
    return c->rgb >= 0 ? c->rgb : own;
}

static void
draw_cell(struct gif *g, const struct cell *cell, int column, int row)
{
    struct pen pen = cell->pen;
    int columns = utf8_width(cell->code);
    int x = MARGIN + column * CELL_WIDTH, y = MARGIN + row * CELL_HEIGHT;
    int32_t fg = rgb_or(pen_colour(pen, g->ground),
                        palette_text[g->ground]);
    int32_t bg = rgb_or(palette_colour(pen.bg), palette_ground[g->ground]);
    bool reverse = pen.attrs & ATTR_REVERSE;

    cairo_save(g->cairo);
    cairo_rectangle(g->cairo, x, y, columns * CELL_WIDTH, CELL_HEIGHT);
    cairo_clip(g->cairo);
    set_source(g, reverse ? fg : bg);
    cairo_paint(g->cairo);
    set_source(g, reverse ? bg : fg);
    if (cell->code != ' ' && !draw_block(g, cell->code, x, y))
        draw_character(g, cell->code, pen.attrs & ATTR_BOLD, x, y + BASELINE);
    if (pen.attrs & ATTR_UNDERLINE) {
        cairo_rectangle(g->cairo, x, y + BASELINE + 2, columns * CELL_WIDTH,
                        1);
        cairo_fill(g->cairo);
    }
    cairo_restore(g->cairo);
}

/* Writing. */

static int
write_bytes(GifFileType *file, const GifByteType *bytes, int count)
{
    struct gif *g = file->UserData;

    return (int)fwrite(bytes, 1, (size_t)count, g->out);
}

static void
note_failure(struct gif *g, int status)
{
    g->failed |= status == GIF_ERROR;
}

/* A block of Netscape's makes it repeat for ever. */
static void
write_head(struct gif *g)
{
    static const GifByteType for_ever[] = {1, 0, 0};
    ColorMapObject *map = GifMakeMapObject(COLOURS, g->colours);

    EGifSetGifVersion(g->file, true);
    note_failure(g, EGifPutScreenDesc(g->file, g->width, g->height, 8, 0, map));
    note_failure(g, EGifPutExtensionLeader(g->file, APPLICATION_EXT_FUNC_CODE));
    note_failure(g, EGifPutExtensionBlock(g->file, 11, "NETSCAPE2.0"));
    note_failure(g, EGifPutExtensionBlock(g->file, sizeof for_ever, for_ever));
    note_failure(g, EGifPutExtensionTrailer(g->file));
    GifFreeMapObject(map);
}

static void
write_rows(struct gif *g, struct rect r)
{
    const unsigned char *pixels = cairo_image_surface_get_data(g->surface);
    int stride = cairo_image_surface_get_stride(g->surface);
    GifByteType *line = mem_new((size_t)r.width, sizeof *line);

    for (int y = r.y; y < r.y + r.height; y++) {
        for (int x = 0; x < r.width; x++) {
            uint32_t rgb, at;
            memcpy(&rgb, pixels + y * stride + 4 * (r.x + x), sizeof rgb);
            rgb &= 0xffffff;
            at = rgb * 2654435761u >> 20;
            if (g->known[at].rgb != (int32_t)rgb) {
                g->known[at].rgb = (int32_t)rgb;
                g->known[at].index = (uint8_t)nearest_colour(g, (int32_t)rgb);
            }
            line[x] = g->known[at].index;
        }
        note_failure(g, EGifPutLine(g->file, line, r.width));
    }
    free(line);
}

/* Writes the frame that waits, now that its end is known. */
static void
write_frame(struct gif *g, int64_t end_ms)
{
    enum { MS = 10, UNITS_MOST = 0xffff }; /* GIF's unit of time */
    int64_t units = (end_ms - g->begin_ms + MS / 2) / MS;
    GraphicsControlBlock control = {
        .DisposalMode = DISPOSE_DO_NOT,
        .DelayTime = units < UNITS_MOST ? (int)units : UNITS_MOST,
        .TransparentColor = NO_TRANSPARENT_COLOR};
    GifByteType block[4];
    struct rect r = g->waiting;

    if (r.width == 0)
        return;
    EGifGCBToExtension(&control, block);
    note_failure(g, EGifPutExtension(g->file, GRAPHICS_EXT_FUNC_CODE,
                                     sizeof block, block));
    note_failure(g, EGifPutImageDesc(g->file, r.x, r.y, r.width, r.height,
                                     false, NULL));
    cairo_surface_flush(g->surface);
    write_rows(g, r);
}

struct gif *
gif_begin(int columns, int rows, enum ground ground, FILE *out,
          struct err *err)
{
    struct gif *g = mem_new(1, sizeof *g);
    int error;

    *g = (struct gif){.ground = ground, .out = out,
                      .width = columns * CELL_WIDTH + 2 * MARGIN,
                      .height = rows * CELL_HEIGHT + 2 * MARGIN};
    g->file = EGifOpen(g, write_bytes, &error);
    if (g->file == NULL) {
        free(g);
        err_set(err, "giflib: %s", GifErrorString(error));
        return NULL;
    }
    g->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, g->width,
                                            g->height);
    g->cairo = cairo_create(g->surface);
    canvas_resize(&g->shown, columns, rows);
    open_fonts(g);
    add_colours(g);
    for (int i = 0; i < KNOWN; i++)
        g->known[i].rgb = -1;
    set_source(g, palette_ground[ground]);
    cairo_paint(g->cairo);
    write_head(g);
    g->waiting = (struct rect){0, 0, g->width, g->height};
    return g;
}

/* The cells that have changed, as a rectangle. */
static struct rect
changed_cells(const struct gif *g, const struct canvas *c)
{
    struct rect r = {c->columns, c->rows, 0, 0};
    int right = -1, bottom = -1;

    for (int i = 0; i < c->columns * c->rows; i++) {
        int x = i % c->columns, y = i / c->columns;
        if (cell_same(&c->cells[i], &g->shown.cells[i]))
            continue;
        r.x = x < r.x ? x : r.x;
        r.y = y < r.y ? y : r.y;
        right = x > right ? x : right;
        bottom = y;
    }
    r.width = right + 1 - r.x;
    r.height = bottom + 1 - r.y;
    return right < 0 ? (struct rect){0, 0, 0, 0} : r;
}

void
gif_add(struct gif *g, const struct canvas *c, int64_t begin_ms)
{
    struct rect r = changed_cells(g, c);
    bool first = g->begin_ms == 0 && begin_ms == 0;

    if (r.width == 0)
        return;
    if (!first)
        write_frame(g, begin_ms);
    g->begin_ms = begin_ms;
    for (int i = 0; i < c->columns * c->rows; i++) {
        const struct cell *cell = &c->cells[i];
        if (cell->code != 0 && !cell_same(cell, &g->shown.cells[i]))
            draw_cell(g, cell, i % c->columns, i / c->columns);
        g->shown.cells[i] = *cell;
    }
    if (first)
        return; /* the whole picture waits already */
    g->waiting = (struct rect){MARGIN + r.x * CELL_WIDTH,
                               MARGIN + r.y * CELL_HEIGHT,
                               r.width * CELL_WIDTH, r.height * CELL_HEIGHT};
}

bool
gif_end(struct gif *g, int64_t end_ms, struct err *err)
{
    cairo_status_t drawn = cairo_status(g->cairo);
    bool ok;
    int error;

    write_frame(g, end_ms);
    ok = (EGifCloseFile(g->file, &error) != GIF_ERROR && !g->failed) ||
         ferror(g->out); /* the owner of `out` says why */
    if (!ok)
        err_set(err, "giflib cannot write the GIF");
    if (drawn != CAIRO_STATUS_SUCCESS)
        ok = err_set(err, "cairo: %s", cairo_status_to_string(drawn));
    for (int bold = 0; bold < 2; bold++)
        for (int i = 0; i < FAMILIES; i++)
            cairo_scaled_font_destroy(g->fonts[bold][i]);
    cairo_destroy(g->cairo);
    cairo_surface_destroy(g->surface);
    cairo_debug_reset_static_data(); /* nothing of it is in use any more */
    FcFini();
    canvas_done(&g->shown);
    free(g);
    return ok;
}
