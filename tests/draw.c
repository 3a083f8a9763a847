/* SPDX-License-Identifier: MIT */
/* The parts of pictures: the canvas, wrapped text, blocks, the palette. */
#include "canvas_text.h"
#include "colour_vision.h"
#include "draw/block.h"
#include "draw/prose.h"
#include "ring_world.h"
#include "tap.h"

static void
test_canvas(void)
{
    OWN(canvas) c = {0};
    OWN(buf) text = {0};

    canvas_resize(&c, 6, 3);
    canvas_puts(&c, 1, 0, "环形ab", plain);
    canvas_puts(&c, -1, 1, "环x", plain);
    canvas_puts(&c, 0, 2, "环环环", plain);
    canvas_put(&c, 1, 2, 'x', plain); /* on the right half of one */
    canvas_put(&c, 4, 2, 'y', plain); /* on the left half of one */
    canvas_text(&c, &text);
    is_str(buf_text(&text), " 环形a\n x\n x环y\n",
           "wide characters take two cells, and are never halved");
    buf_clear(&text);
    canvas_clear(&c, (struct rect){0, 0, 6, 3});
    is_int(canvas_puts_within(&c, 0, 0, 6, "一二三四", plain), 5,
           "a text is cut at whole characters");
    canvas_put(&c, 99, 0, 'x', plain);
    canvas_put(&c, 0, -1, 'x', plain);
    canvas_put(&c, 1, 1, '\033', plain);
    canvas_text(&c, &text);
    is_str(buf_text(&text), "一...\n \\x1b\n\n",
           "nothing is drawn outside, and control characters are escaped");
    buf_clear(&text);
    canvas_clear(&c, (struct rect){0, 0, 6, 3});
    is_int(canvas_puts(&c, 0, 0, "\xe2\x80\x8f", plain), 6,
           "the escape of a direction mark takes six cells");
    is_int(canvas_puts_within(&c, 0, 1, 5, "\xe2\x80\x8f", plain), 3,
           "an escape is not cut");
    canvas_puts(&c, 0, 2, "a\xff", plain);
    canvas_text(&c, &text);
    is_str(buf_text(&text), "\\u200f\n...\na\\xff\n", "escaped");
}

static bool colourless; /* the screen of blocks */

static const char *
block_text(const struct block *b, struct buf *out)
{
    OWN(canvas) c = {.colourless = colourless};

    buf_clear(out);
    canvas_resize(&c, 40, 1);
    is_int(block_draw(b, &c, 0, 0), block_draw(b, &c, 40, 0),
           "a block is as wide as it was measured");
    canvas_text(&c, out);
    return buf_text(out);
}

static void
check_prose(int columns, int rows, const char *text, const char *expected,
            const char *what)
{
    OWN(canvas) c = {0};
    OWN(buf) drawn = {0};

    canvas_resize(&c, columns, rows);
    prose_draw(&c, (struct rect){0, 0, columns, rows}, text, (struct pen){0},
               (struct pen){0});
    canvas_text(&c, &drawn);
    is_str(buf_text(&drawn), expected, "%s", what);
}

static void
test_prose(void)
{
    check_prose(10, 2, "one two three", "one two\nthree\n", "text is wrapped");
    check_prose(10, 2, "one two three four five", "one two\nthree f...\n",
                "what is left over is an ellipsis");
    check_prose(10, 1, "one\ntwo", "one...\n", "after a short line, too");
    check_prose(8, 1, "\u4e00\u4e8c\u4e09\u56db\u4e94",
                "\u4e00\u4e8c...\n", "and after wide characters");
}

/* The roles of the grounds of a block's cells: "0 2" if the first is that of
 * rank 0's data and the second that of rank 2's; S: a complete sum's, h: heat,
 * | two of them, - none. */
static const char *
block_grounds(const struct block *b, struct buf *out)
{
    OWN(canvas) c = {.colourless = colourless};

    buf_clear(out);
    canvas_resize(&c, 40, 1);
    block_draw(b, &c, 0, 0);
    for (int i = 0; i < b->width; i++) {
        struct pen pen = canvas_at(&c, i, 0)->pen;
        if (canvas_at(&c, i, 0)->code == glyph(c.glyphs, GLYPH_STRIPE))
            buf_addf(out, "%d|%d", pen.fg - ROLE_ORIGIN, pen.bg - ROLE_ORIGIN);
        else if (pen.bg >= ROLE_ORIGIN)
            buf_addf(out, "%d", pen.bg - ROLE_ORIGIN);
        else
            buf_puts(out, pen.bg >= ROLE_HEAT && pen.bg < ROLE_ORIGIN ? "h"
                          : pen.attrs & ATTR_REVERSE                  ? "S"
                                                                      : "-");
    }
    return buf_text(out);
}

static void
test_blocks(void)
{
    OWNS(world) *w = ring_world(3, 4);
    OWN(buf) text = {0};
    struct block b = {.world = w, .width = 9};

    b.row = world_row(w, 0, 1);
    is_str(block_text(&b, &text), "A1\n", "one contribution");
    is_str(block_grounds(&b, &text), "000------", "takes a third of its slot");
    world_seek(w, 1);
    b.row = world_row(w, 0, 1);
    is_str(block_text(&b, &text), "A1+C1\n", "two of them");
    is_str(block_grounds(&b, &text), "00222----", "side by side");
    colourless = true;
    b.form = BLOCK_LETTERS;
    is_str(block_text(&b, &text), "A C  1\n", "their letters and the chunk");
    b.width = 4;
    is_str(block_text(&b, &text), "AC 1\n", "in less room");
    b.form = BLOCK_COUNT;
    b.width = 5;
    is_str(block_text(&b, &text), "AC 1\n", "letters are in each form");
    b.knows_chunk = true;
    is_str(block_text(&b, &text), "AC\n",
           "where the place says which chunk: as near as in a complete sum");
    b.width = 6;
    is_str(block_text(&b, &text), "A C\n", "with a blank beside each in six");
    b.form = BLOCK_BAR;
    b.width = 1;
    is_str(block_text(&b, &text), "2\n", "a tile has a number without colour");
    colourless = false;
    is_str(block_text(&b, &text), "2\n", "and with colour");
    is_str(block_grounds(&b, &text), "h", "on one hue");
    b.width = 3;
    is_str(block_text(&b, &text), "AC\n", "or letters");
    is_str(block_grounds(&b, &text), "022", "of which the last fills it");
    b.row = world_row(w, 0, 0);
    is_str(block_text(&b, &text), "A0\n", "one contribution has its name");
    b.width = 1;
    is_str(block_text(&b, &text), "A\n", "or its letter");
    b.row = world_row(w, 0, 1);
    b = (struct block){.world = w, .row = b.row, .width = 9, .trace = true};
    is_str(block_text(&b, &text), "A1+C1\n", "a name");
    is_str(block_grounds(&b, &text), "---------", "has no ground");
    world_seek(w, 4);
    b = (struct block){.world = w, .row = world_row(w, 0, 1), .width = 10};
    is_str(block_text(&b, &text), "    S1\n", "complete: by its name");
    is_str(block_grounds(&b, &text), "SSSSSSSSSS", "in one colour");
    b.width = 1;
    is_str(block_text(&b, &text), "S\n", "in one column");
}

/* The first slot of rank 0 with a sum of so many contributions. */
static const uint64_t *
row_of_sum(const struct world *w, int count)
{
    int n = w->schedule->nranks;

    for (int slot = 0; slot < n; slot++)
        if (ledger_count(world_row(w, 0, slot), n) == count)
            return world_row(w, 0, slot);
    return NULL;
}

/* A count is shown whole or not at all, and never in the chunk's place. */
static void
test_counts(void)
{
    OWNS(world) *few = ring_world(8, 7), *many = ring_world(16, 15);
    struct block b = {.world = few, .width = 7, .form = BLOCK_COUNT};
    OWN(buf) text = {0};

    world_seek(few, 1);
    b.row = row_of_sum(few, 2);
    is_str(block_text(&b, &text), "AH 6\n", "letters come before a count");
    world_seek(few, 5);
    b.row = row_of_sum(few, 6);
    is_str(block_text(&b, &text), "\u258c\u258c\u258c 2\n",
           "the chunk's number goes before the count");
    b.width = 5;
    b.knows_chunk = true;
    is_str(block_text(&b, &text), "\u258c\u258c\u258c6\n",
           "in less room without the whole");
    is_str(block_grounds(&b, &text), "0|34|56|7--", "half a column for each");
    b.width = 4;
    b.form = BLOCK_BAR;
    colourless = true;
    is_str(block_text(&b, &text), " 6\n", "no stripes without colour");
    colourless = false;
    world_seek(many, 14);
    b = (struct block){.world = many, .row = row_of_sum(many, 15), .width = 9,
                       .form = BLOCK_COUNT, .knows_chunk = true};
    is_str(block_text(&b, &text),
           " \u258c\u258c\u258c\u258c\u258c\u258c\u258c\n",
           "half of a number is none");
    b.width = 14;
    is_str(block_text(&b, &text),
           " \u258c\u258c\u258c\u258c\u258c\u258c\u258c 15/16\n",
           "the count stands behind the colours");
}

/* More contributions than a block has halves of columns are one hue. */
static void
test_heat(void)
{
    OWNS(world) *w = ring_world(40, 20);
    struct block b = {.world = w, .width = 5, .form = BLOCK_COUNT};
    OWN(buf) text = {0};

    world_seek(w, 20);
    for (int slot = 0; slot < 40; slot++)
        if (ledger_count(world_row(w, 0, slot), 40) == 21)
            b.row = world_row(w, 0, slot);
    b.knows_chunk = true;
    is_str(block_text(&b, &text), "21/40\n", "how many there are");
    is_str(block_grounds(&b, &text), "hhhhh", "on one hue");
    ok(palette_heat(1, 40) == ROLE_HEAT, "the first is dark");
    ok(palette_heat(39, 40) == ROLE_HEAT + HEATS - 1, "the last is bright");
}

/* A contribution that arrived twice is marked. */
static void
test_fault(void)
{
    OWNS(world) *w = ring_world(3, 0);
    uint64_t row[2 + 1 + EVENT_VALUES] = {0};
    struct ledger_entry *e = (struct ledger_entry *)row;
    struct block b = {.world = w, .row = row, .width = 20, .snug = true};
    OWN(buf) text = {0};

    e[0] = (struct ledger_entry){1, 1};
    e[2] = (struct ledger_entry){2, 1};
    row[ledger_words(3)] = 4;
    is_str(block_text(&b, &text), "A1 +!2*C1\n", "one contribution twice");
    b.form = BLOCK_LETTERS;
    b.width = 8;
    is_str(block_text(&b, &text), "A1+!2*C1\n", "in all forms, with room");
    b.width = 7;
    is_str(block_text(&b, &text), " !\n", "else it is wrong");
}

/* Hues differ from each other in every colour depth, or by an underline. The
 * ink of each ground is black or white, whichever has the higher contrast; on a
 * hue it is at least 4.5 (WCAG AA). */
static void
test_palette(void)
{
    int same = 0, bad = 0;

    for (int i = 0; i < HUES; i++)
        for (enum role k = ROLE_ORIGIN; k < palette_origin(i); k++) {
            const struct colour *a = palette_colour(palette_origin(i));
            const struct colour *b = palette_colour(k);
            same += a->rgb == b->rgb || a->x256 == b->x256 ||
                    (a->ansi == b->ansi &&
                     a->ansi_underlined == b->ansi_underlined);
        }
    is_int(same, 0,
           "no two hues are the same in any depth");
    for (int i = 0; i < ROLES; i++) {
        /* The contrast is (lighter + 0.05) / (darker + 0.05). */
        double l = luminance(palette_colour(i)->rgb) + 0.05;
        bool white = 1.05 / l > l / 0.05;
        bad += palette_colour(i)->rgb >= 0 &&
               palette_ink(i) != (white ? ROLE_WHITE : ROLE_BLACK);
        bad += i >= ROLE_ORIGIN && fmax(1.05 / l, l / 0.05) < 4.5;
    }
    is_int(bad, 0, "ink can be read on every ground");
}

/* The ends of a block have the block's colour, on every ground. */
static void
test_area(void)
{
    struct pen end = {.fg = ROLE_ORIGIN, .attrs = ATTR_AREA};
    struct pen letter = {.fg = ROLE_ORIGIN};

    ok(pen_colour(end, GROUND_LIGHT) == palette_colour(ROLE_ORIGIN),
       "the end of a block has the block's colour");
    ok(pen_colour(letter, GROUND_LIGHT) != palette_colour(ROLE_ORIGIN),
       "a letter has a darker shade on a light ground");
}

/* The least distance between any two hues, in 24 bits or 256 colours. */
static double
least_difference(enum vision vision, bool of_256)
{
    double least = 1000;

    for (int i = 0; i < HUES; i++)
        for (int k = 0; k < i; k++) {
            const struct colour *a = palette_colour(palette_origin(i));
            const struct colour *b = palette_colour(palette_origin(k));
            least = fmin(least, of_256 ? colour_difference(
                                             colour_of_256(a->x256),
                                             colour_of_256(b->x256), vision)
                                       : colour_difference(a->rgb, b->rgb,
                                                           vision));
        }
    return least;
}

static void
test_colour_vision(void)
{
    for (int vision = 0; vision < VISIONS; vision++)
        for (int of_256 = 0; of_256 < 2; of_256++) {
            double least = least_difference(vision, of_256);
            ok(least >= 15, "hues in %s can be distinguished with %s: %.1f",
               of_256 ? "256 colours" : "24 bits", vision_names[vision],
               least);
        }
    ok(colour_difference(0xff0000, 0x00ff00, VISION_NORMAL) > 150 &&
           colour_difference(0xcc0000, 0x557700, PROTANOPIA) <
               colour_difference(0xcc0000, 0x557700, VISION_NORMAL) / 2,
       "the simulation simulates");
}

/* What is underlined is around a block, not in it. */
static void
test_light(void)
{
    OWN(canvas) c = {0};
    int lit = 0;

    canvas_resize(&c, 6, 2);
    canvas_put(&c, 1, 0, '>', (struct pen){.fg = ROLE_CURRENT});
    canvas_put(&c, 2, 0, '|', (struct pen){.fg = ROLE_ORIGIN});
    canvas_put(&c, 3, 0, 'A', (struct pen){.fg = ROLE_BLACK,
                                           .bg = ROLE_ORIGIN});
    canvas_underline(&c, (struct rect){1, 0, 9, 1});
    for (int x = 0; x < 6; x++)
        lit |= (canvas_at(&c, x, 0)->pen.attrs & ATTR_UNDERLINE) != 0 ? 1 << x
                                                                    : 0;
    is_int(lit, 1 << 1 | 1 << 4 | 1 << 5, "all but the block is underlined");
    is_int(canvas_at(&c, 1, 1)->pen.attrs, 0, "and nothing below");
}

static void
is_broken(const char *text, int columns, bool hangs, const char *want)
{
    struct wrap w = {.text = text, .columns = columns, .hangs = hangs};
    OWN(buf) all = {0};

    while (wrap_next(&w))
        buf_addf(&all, "%*s%.*s|", w.indent, "", (int)w.length, w.line);
    is_str(buf_text(&all), want, "in %d columns: %s", columns, want);
}

static void
is_wrapped(const char *text, int columns, const char *want)
{
    is_broken(text, columns, false, want);
}

static void
test_wrap(void)
{
    is_wrapped("one two three", 20, "one two three|");
    is_wrapped("one two three", 7, "one two|three|");
    is_wrapped("one two three", 6, "one|two|three|");
    is_wrapped("one  two", 4, "one|two|");
    is_wrapped("incomprehensible", 8, "incompre|hensible|");
    is_wrapped("a\n\nb", 8, "a||b|");
    is_wrapped("a\n", 8, "a|");
    is_wrapped("", 8, "");
    is_wrapped("环形归约", 4, "环形|归约|");
    is_wrapped("环形归约", 5, "环形|归约|");
    is_wrapped("环形，归约", 4, "环|形，|归约|"); /* no line begins with a mark */
    is_wrapped("环（形）约", 6, "环|（形）|约|");
    is_wrapped("用 GPU 0 归约", 6, "用|GPU 0|归约|"); /* a number stays */
    is_wrapped("GPU 0 1 2 3", 6, "GPU 0|1 2 3|");
    is_wrapped("第A1+C1块", 6, "第|A1+C1|块|");
    is_broken("  one two three", 7, true, "  one|  two|  three|");
    is_broken("ok a   one two three", 14, true,
              "ok a   one two|three|"); /* too far to the right */
    is_broken("ok a   one two three", 21, true, "ok a   one two three|");
    is_broken("ok a   one two three four", 21, true,
              "ok a   one two three|       four|");
    is_broken("-- 步   环形归约环形归约环形", 24, true,
              "-- 步   环形归约环形归约|        环形|");
    is_broken("one   2   three four five six", 20, true,
              "one   2   three four|five six|"); /* a row of a table */
    is_broken("  ab cd\nef gh", 6, true, "  ab|  cd|ef gh|");
}

int
main(void)
{
    test_light();
    test_canvas();
    test_wrap();
    test_prose();
    test_blocks();
    test_counts();
    test_heat();
    test_fault();
    test_palette();
    test_area();
    test_colour_vision();
    return done_testing();
}
