/* SPDX-License-Identifier: MIT */
#include "view/menu.h"

#include "base/buf.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "draw/prose.h"

enum {
    TOP = 2,    /* rows above the list */
    BELOW = 4,  /* rows below it */
    WIDE = 150, /* with so many columns a row also shows the lesson's idea */
    MARK_X = 4,
    NUMBER_X = 6,
    TITLE_X = 10,
    GAP = 3
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        accent = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD},
                        picked = {.fg = ROLE_ACCENT,
                                  .attrs = ATTR_BOLD | ATTR_REVERSE};

static int
room(const struct canvas *c)
{
    return c->rows - TOP - BELOW;
}

/* The first row on the screen. The chosen row is always visible. */
static int
first(const struct menu *m, const struct canvas *c)
{
    int last = m->nrows - room(c), at = m->chosen - room(c) / 2;

    at = at < last ? at : last;
    return at > 0 ? at : 0;
}

/* "4/5 passed", "2/5", or "" for a lesson without a score. */
static void
add_score(const struct menu_row *r, struct buf *out)
{
    if (r->asked == 0)
        return;
    buf_addf(out, "%d/%d", r->right, r->asked);
    if (r->passed)
        buf_addf(out, " %s", _("passed"));
}

static void
add_title(const struct menu_row *r, struct buf *out)
{
    buf_puts(out, r->title);
}

static void
add_day(const struct menu_row *r, struct buf *out)
{
    if (r->day > 0)
        buf_addf(out, _("day %d"), r->day);
}

static void
add_minutes(const struct menu_row *r, struct buf *out)
{
    if (r->minutes > 0)
        buf_addf(out, _("%2d min"), r->minutes);
}

/* What stands in a row after its number, from left to right. */
enum column { TITLE, DAY, MINUTES, SCORE, COLUMNS };
static void (*const add_column[COLUMNS])(const struct menu_row *,
                                         struct buf *) = {
    add_title, add_day, add_minutes, add_score};

/* Where each column begins; at[COLUMNS] is where the idea does.  A column that
 * is empty in all rows takes no room. */
static void
place_columns(const struct menu *m, int at[COLUMNS + 1])
{
    struct buf text = {0};

    at[0] = TITLE_X;
    for (int column = 0; column < COLUMNS; column++) {
        int most = 0;
        for (int i = 0; i < m->nrows; i++) {
            buf_clear(&text);
            add_column[column](&m->rows[i], &text);
            if (utf8_columns(buf_text(&text)) > most)
                most = utf8_columns(buf_text(&text));
        }
        at[column + 1] = at[column] + (most > 0 ? most + GAP : 0);
    }
    buf_done(&text);
}

static void
draw_column(const struct menu_row *r, enum column column, struct canvas *c,
            int x, int y, struct pen pen)
{
    struct buf text = {0};

    add_column[column](r, &text);
    canvas_puts_within(c, x, y, c->columns - x - 1, buf_text(&text), pen);
    buf_done(&text);
}

unsigned
menu_state(const struct menu *m)
{
    return KEY_TABLE |
           (m->nrows > 0 && m->rows[m->chosen].program ? KEY_PROGRAM : 0);
}

bool
menu_is_read(enum menu_mark mark)
{
    return mark == MENU_READ || mark == MENU_DONE;
}

uint32_t
menu_glyph(enum menu_mark mark, enum glyph_set set)
{
    switch (mark) {
    case MENU_DONE:
        return glyph(set, GLYPH_YES);
    case MENU_READ:
        return '~';
    case MENU_BEGUN:
        return glyph(set, GLYPH_HERE);
    case MENU_BROKEN:
        return '!';
    default:
        return ' ';
    }
}

/* The mark of a row, and its number. */
static void
draw_marks(const struct menu_row *r, bool chosen, enum glyph_set set,
           struct canvas *c, int y)
{
    struct buf number = {0};

    if (chosen)
        canvas_put(c, MARK_X - 2, y, glyph(set, GLYPH_RIGHT), accent);
    canvas_put(c, MARK_X, y, menu_glyph(r->mark, set),
               r->mark == MENU_BROKEN
                   ? (struct pen){.fg = ROLE_WARNING, .attrs = ATTR_BOLD}
                   : accent);
    if (r->number > 0)
        buf_addf(&number, "%2d", r->number);
    canvas_puts(c, NUMBER_X, y, buf_text(&number), quiet);
    buf_done(&number);
}

/* Of the lessons of a day, only the first that shows says which day it is. */
static void
draw_row(const struct menu *m, int i, bool topmost, enum glyph_set set,
         struct canvas *c, int y, const int at[COLUMNS + 1])
{
    const struct menu_row *r = &m->rows[i];
    bool chosen = i == m->chosen, broken = r->mark == MENU_BROKEN;
    int idea = at[broken ? DAY : COLUMNS];

    draw_marks(r, chosen, set, c, y);
    draw_column(r, TITLE, c, at[TITLE], y,
                chosen ? picked : plain);
    if (topmost || r->day != m->rows[i - 1].day)
        draw_column(r, DAY, c, at[DAY], y, accent);
    draw_column(r, MINUTES, c, at[MINUTES], y, quiet);
    draw_column(r, SCORE, c, at[SCORE], y, r->passed ? plain : quiet);
    if (c->columns >= WIDE || broken)
        canvas_puts_within(c, idea, y, c->columns - idea - 1, r->idea, quiet);
}

static void
draw_head(const struct menu *m, struct canvas *c)
{
    struct buf text = {0};
    int read = 0, passed = 0, x = 1;

    for (int i = 0; i < m->nrows; i++) {
        read += m->rows[i].read;
        passed += m->rows[i].passed;
    }
    x += canvas_puts(c, x, 0, "collviz", quiet) + 2;
    x += canvas_puts(c, x, 0, _("lessons"), accent) + 2;
    buf_addf(&text, _("%d of %d read, %d passed"), read, m->nrows,
             passed);
    if (x + utf8_columns(buf_text(&text)) < c->columns)
        canvas_puts(c, c->columns - 1 - utf8_columns(buf_text(&text)), 0,
                    buf_text(&text), quiet);
    buf_done(&text);
}

/* Says which lessons are in sight, if they are not all. */
static void
draw_range(const struct menu *m, int from, struct canvas *c)
{
    int to = from + room(c) < m->nrows ? from + room(c) : m->nrows;
    struct buf text = {0};

    if (from == 0 && to == m->nrows)
        return;
    buf_addf(&text, _("%d-%d of %d"), from + 1, to, m->nrows);
    canvas_puts(c, TITLE_X, c->rows - BELOW, buf_text(&text), quiet);
    buf_done(&text);
}

/* Draws the notice if there is one, else the idea of the chosen lesson, unless
 * its row already shows it. */
static void
draw_text(const struct menu *m, struct canvas *c)
{
    const struct rect area = {TITLE_X, c->rows - BELOW + 1,
                              c->columns - TITLE_X - 2, 2};

    if (m->notice != NULL)
        prose_draw(c, area, m->notice, plain, plain);
    else if (m->nrows > 0 && c->columns < WIDE)
        prose_draw(c, area, m->rows[m->chosen].idea, plain, plain);
}

static const struct symbol signs[] = {
    {NULL, GLYPH_YES, N_("a lesson that is passed")},
    {"~", 0, N_("a lesson that is read, but not passed")},
    {NULL, GLYPH_HERE, N_("a lesson that was begun")},
    {"!", 0, N_("a lesson that cannot be played")},
    {"3/5", 0, N_("3 of 5 questions right at once, without a hint")},
    {NULL, 0, NULL},
};
const struct help menu_help = {.on = ON_MENU, .signs = signs};

void
menu_draw(const struct menu *m, enum glyph_set set, struct canvas *c)
{
    const struct key_line keys = {.on = ON_MENU, .glyphs = set,
                                  .state = menu_state(m)};
    int from = first(m, c), at[COLUMNS + 1];

    place_columns(m, at);
    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    draw_head(m, c);
    for (int i = from; i < m->nrows && i - from < room(c); i++)
        draw_row(m, i, i == from, set, c, TOP + i - from, at);
    draw_range(m, from, c);
    draw_text(m, c);
    keys_draw(&keys, c, 2, c->rows - 1);
}

int
menu_at(const struct menu *m, const struct canvas *c, struct point at)
{
    int i = first(m, c) + at.y - TOP;

    return at.y >= TOP && at.y < TOP + room(c) && i < m->nrows ? i : -1;
}
