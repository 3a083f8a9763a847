/* SPDX-License-Identifier: MIT */
/* A canvas: the contents of a screen as a grid of cells.
 *
 * Views draw on a canvas and know nothing about terminals; term/screen.c shows
 * it on a terminal, other files turn it into a picture.  All drawing is clipped
 * to the canvas.  A character that is two columns wide takes two cells, and the
 * second one has code 0; combining marks are dropped.  The text may be
 * untrusted: cells hold only characters that are safe to show (base/utf8.h),
 * all others are drawn as escapes.  It knows what its screen can show, and
 * remembers which parts can be clicked.
 *
 *     struct canvas c = {0};
 *     canvas_resize(&c, 80, 24);
 *     canvas_puts(&c, 2, 0, _("next"), (struct pen){.fg = ROLE_QUIET});
 *     screen_draw(screen, &c);
 *     canvas_done(&c);
 */
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/terminal.h"
#include "draw/palette.h"

enum {
    ATTR_BOLD = 1,
    ATTR_REVERSE = 2,
    ATTR_UNDERLINE = 4,
    ATTR_AREA = 8, /* the character is part of a coloured area: its colour is
                    * that of the role as a background */
};

/* Roles and attributes; all zero is plain text. */
struct pen {
    uint8_t fg, bg; /* enum role */
    uint8_t attrs;
};

static inline bool
pen_same(struct pen a, struct pen b)
{
    return a.fg == b.fg && a.bg == b.bg && a.attrs == b.attrs;
}

/* The pens that draw most of a picture. */
static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD},
                        bright = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD},
                        warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

/* The colour of characters. */
static inline const struct colour *
pen_colour(struct pen pen, enum ground ground)
{
    return pen.attrs & ATTR_AREA ? palette_colour(pen.fg)
                                 : palette_fg(pen.fg, pen.bg, ground);
}

struct cell {
    uint32_t code; /* 0: the right half of a wide character */
    struct pen pen;
};

static inline bool
cell_same(const struct cell *a, const struct cell *b)
{
    return a->code == b->code && pen_same(a->pen, b->pen);
}

struct point {
    int x, y;
};

struct rect {
    int x, y, width, height;
};

/* The meaning of a click somewhere: a key (base/terminal.h), or the thing that
 * is drawn there, by its number. */
struct target {
    enum target_kind {
        TARGET_NONE, TARGET_KEY, TARGET_RANK, TARGET_STEP,
        TARGET_ROW, TARGET_DOOR /* of a list, which is behind a door */
    } kind;
    int number;
    int slot; /* of the rank; -1: none */
    struct rect area;
};

struct canvas {
    int columns, rows;
    enum glyph_set glyphs; /* those of its screen */
    bool colourless;       /* which shows no colours */
    enum role accent; /* what ROLE_ACCENT is on it; by default plain text */
    struct cell *cells; /* [y * columns + x] */
    bool moves; /* a picture on it changes while a step is in flight */
    struct target *targets;
    int ntargets;
    size_t targets_room;
};

static inline bool
rect_contains(struct rect r, struct point p)
{
    return p.x >= r.x && p.x < r.x + r.width && p.y >= r.y &&
           p.y < r.y + r.height;
}

static inline bool
rect_overlaps(struct rect a, struct rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width &&
           a.y < b.y + b.height && b.y < a.y + a.height;
}

/* Sets the size and clears the canvas. A zeroed struct is a canvas of size 0.
 * Free it with canvas_done(). */
void canvas_resize(struct canvas *c, int columns, int rows);
void canvas_done(struct canvas *c);
void canvas_clear(struct canvas *c, struct rect area);

/* The cell at (x, y), or NULL outside the canvas. */
struct cell *canvas_at(const struct canvas *c, int x, int y);

/* Draws one character; it takes utf8_width(code) cells. */
void canvas_put(struct canvas *c, int x, int y, uint32_t code,
                struct pen pen);

/* Draws a character `count` times, to the right. */
void canvas_fill(struct canvas *c, int x, int y, int count, uint32_t code,
                 struct pen pen);

/* Draws one line of text. Returns its width, with the clipped columns. */
int canvas_puts(struct canvas *c, int x, int y, const char *text,
                struct pen pen);

/* The same for a text that a format makes, and for one that ends before column
 * `end`. */
int canvas_putf(struct canvas *c, int x, int y, struct pen pen,
                const char *format, ...)
    __attribute__((format(printf, 5, 6)));
int canvas_puts_before(struct canvas *c, int end, int y, const char *text,
                       struct pen pen);

/* Draws one line of text in at most `width` columns. Text that does not fit is
 * cut and ends with `...`. Returns the number of columns used. */
int canvas_puts_within(struct canvas *c, int x, int y, int width,
                       const char *text, struct pen pen);

/* Makes an area a target, until canvas_clear() clears all of it; the last one
 * at a point is the one that is clicked. */
void canvas_target(struct canvas *c, struct rect area, enum target_kind kind,
                   int number, int slot);
struct target canvas_target_at(const struct canvas *c, struct point at);

/* Underlines the part of an area that is no block of data. */
void canvas_underline(struct canvas *c, struct rect area);

/* The glyphs, the characters used in pictures: the name and the character in
 * each set. */
#define GLYPH_TABLE(X)                                                         \
    X(HORIZONTAL, U'─', U'─', '-') /* a frame's, in this order */              \
    X(VERTICAL, U'│', U'│', '|')                                               \
    X(TOP_LEFT, U'╭', U'┌', '+') /* corners */                                 \
    X(TOP_RIGHT, U'╮', U'┐', '+')                                              \
    X(BOTTOM_LEFT, U'╰', U'└', '+')                                            \
    X(BOTTOM_RIGHT, U'╯', U'┘', '+')                                           \
    X(THICK, U'┃', U'║', '|')                                                  \
    X(TWICE_HORIZONTAL, U'═', U'═', '=') /* a switch's frame, in that order */ \
    X(TWICE_VERTICAL, U'║', U'║', '|')                                         \
    X(TWICE_TOP_LEFT, U'╔', U'╔', '#')                                         \
    X(TWICE_TOP_RIGHT, U'╗', U'╗', '#')                                        \
    X(TWICE_BOTTOM_LEFT, U'╚', U'╚', '#')                                      \
    X(TWICE_BOTTOM_RIGHT, U'╝', U'╝', '#')                                     \
    X(UP, U'▲', U'▲', '^') /* arrowheads */                                    \
    X(DOWN, U'▼', U'▼', 'v')                                                   \
    X(LEFT, U'◀', U'◄', '<')                                                   \
    X(RIGHT, U'▶', U'►', '>')                                                  \
    X(UPPER_HALF, U'▀', U'▀', '"') /* two colours, one above the other */      \
    X(LOWER_HALF, U'▄', U'▄', '=')                                             \
    X(STRIPE, U'▌', U'▌', '|') /* two colours side by side in one cell */      \
    X(SENDS, U'›', U'»', '>') /* beside a slot that is sent */                 \
    X(WAITS, U'▒', U'▒', '~') /* on the timeline, up to the step shown */      \
    X(WILL_WAIT, U'░', U'░', '-') /* on the timeline, after the step shown */  \
    X(CLOCK, U'◷', '@', '@') /* a rank that holds others up */                 \
    X(LOST, U'╳', 'X', 'X') /* data that was dropped */                        \
    X(CUT, U'┊', U'│', '|') /* on the timeline, a pause that is cut out */     \
    X(EMPTY, U'·', U'·', '.')                                                  \
    X(DONE, U'━', U'═', '=') /* progress: done, the current step, the rest */  \
    X(HERE, U'●', U'■', 'o')                                                   \
    X(AHEAD, U'┄', U'─', '-')                                                  \
    X(YES, U'✓', '+', '+') /* right and wrong */                               \
    X(NO, U'✗', 'x', 'x')                                                      \
    X(FOREVER, U'∞', U'8', '8')                                                \
    X(FULL, U'█', U'█', '#') /* a bar: its filled and its empty part */        \
    X(TROUGH, U'░', U'░', '.')                                                 \
    X(TICK_ACROSS, U'┬', U'┬', '+') /* ticks of axes */                        \
    X(TICK_UP, U'┤', U'┤', '+')                                                \
    X(FALLING, U'╲', '\\', '\\') /* slanting lines */                          \
    X(RISING, U'╱', '/', '/')                                                  \
    X(CROSSING, U'✕', 'x', 'x') /* two curves cross */                         \
    X(MARK, U'●', 'A', 'A') /* GLYPH_MARKS, which tell curves apart */         \
    X(MARK_2, U'■', 'B', 'B')                                                  \
    X(MARK_3, U'▲', 'C', 'C')                                                  \
    X(MARK_4, U'◆', 'D', 'D')                                                  \
    X(MARK_5, U'○', 'E', 'E')                                                  \
    X(MARK_6, U'□', 'F', 'F')                                                  \
    X(MARK_7, U'△', 'G', 'G')                                                  \
    X(MARK_LAST, U'◇', 'H', 'H')

enum glyph {
#define X(name, full, console, ascii) GLYPH_##name,
    GLYPH_TABLE(X)
#undef X
    GLYPHS
};

enum { GLYPH_MARKS = 8 };

uint32_t glyph(enum glyph_set set, enum glyph g);

/* A line or block of the full set, in another: a plus where it has no glyph. */
uint32_t glyph_alike(enum glyph_set set, uint32_t full);
void canvas_glyph(struct canvas *c, int x, int y, enum glyph g,
                  struct pen pen);

/* Draws a frame along the inner edge of `r`, of one line, or of two. */
void glyph_frame(struct canvas *c, struct rect r, bool twice, struct pen pen);

/* Draws a bar on one row of `at`: how much is done of all. */
void glyph_bar(struct canvas *c, struct rect at, int64_t done, int64_t all,
               struct pen pen);

#endif
