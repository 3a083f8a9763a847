/* SPDX-License-Identifier: MIT */
#include "view/frame.h"

#include "base/bounds.h"
#include "base/utf8.h"
#include "draw/prose.h"
#include "view/chart.h"

enum {
    MARGIN = 2,         /* before items; a sign and a blank */
    LETTER_COLUMNS = 3, /* "a) " */
    ITEM_GAP = 2,
    COUNT_COLUMNS = 5,  /* of votes */
    REASON_LEAST = 30,
    BAR_COLUMNS = 14,
    FULL_COLUMNS = 76,  /* the most for text that covers the screen */
    WIDE_COLUMNS = 100, /* the most for text below a picture */
};

static const struct pen here = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD},
                        aside = {.fg = ROLE_CURRENT};

/* Puts what is drawn in a row on a ground, behind a sign: a chosen one on that
 * of ROLE_TEXT, reversed, as a lesson's accent has the colour of a right one.
 * Without colours only a wrong one is not reversed. */
static void
mark_row(struct canvas *c, struct rect at, uint32_t sign, enum role ground)
{
    struct pen pen = {.fg = (uint8_t)palette_ink(ground), .bg = (uint8_t)ground,
                      .attrs = ground != ROLE_WARNING ? ATTR_BOLD : 0};
    struct cell *cell;

    if (ground == ROLE_TEXT)
        pen = (struct pen){.attrs = ATTR_BOLD | ATTR_REVERSE};
    for (int x = at.x; x < at.x + at.width; x++)
        if ((cell = canvas_at(c, x, at.y)) != NULL)
            cell->pen = pen;
    canvas_put(c, at.x, at.y, sign, pen);
}

/* Quietens the lines and troughs of a row of a drawing, as this screen can show
 * them. */
static void
calm_lines(struct canvas *c, struct rect r)
{
    for (int x = r.x; x < r.x + r.width; x++) {
        struct cell *cell = canvas_at(c, x, r.y);
        if (cell == NULL || cell->code < 0x2500 || cell->code > 0x2593)
            continue;
        if (cell->code < 0x2580 || cell->code == U'░')
            cell->pen.fg = ROLE_QUIET;
        cell->code = glyph_alike(c->glyphs, cell->code);
    }
}

/* Draws a table in the middle of an area, its rows apart if they are lines of
 * their own and there is room.  The first row is the longest. */
static void
draw_table(const struct panel *p, struct canvas *c, struct rect area)
{
    struct wrap w = {.text = p->table, .columns = c->columns}, first = w;
    int columns = wrap_next(&first) ? wrap_put(&first, NULL, 0, 0, plain) : 0;
    int rows = wrap_rows(p->table, c->columns);
    int apart = p->headless && 2 * rows <= area.height ? 2 : 1;
    struct rect at = {area.x + (area.width - columns) / 2 - MARGIN,
                      area.y + (area.height - apart * rows) / 2,
                      columns + 2 * MARGIN, 1};
    OWN(buf) line = {0};

    for (int row = 1; wrap_next(&w); row++, at.y += apart) {
        struct pen pen = row == 1 && !p->headless ? quiet : plain;
        buf_clear(&line);
        buf_add(&line, w.line, w.length);
        prose_draw(c, (struct rect){at.x + MARGIN, at.y, c->columns, 1},
                   buf_text(&line), pen, pen);
        calm_lines(c, at);
        if (row == p->right_row)
            mark_row(c, at, glyph(c->glyphs, GLYPH_YES), ROLE_CORRECT);
        else if (row == p->row)
            mark_row(c, at, glyph(c->glyphs, GLYPH_RIGHT), ROLE_TEXT);
        else if (row == p->refused_row)
            mark_row(c, at, glyph(c->glyphs, GLYPH_NO), ROLE_WARNING);
    }
}

/* Draws a figure or a table in the place of a picture, in the rows above the
 * panel. */
static void
draw_instead(const struct panel *p, struct canvas *c, const struct layout *l)
{
    struct rect area = l->picture;

    area.height = least(area.height, l->panel.y - area.y);
    if (p->figure != NULL) { /* there is no progress above it */
        area.height += area.y - 1;
        area.y = 1;
        figure_draw(p->figure, c, area);
    } else if (p->table != NULL) {
        draw_table(p, c, area);
    }
}

static int
text_rows(const char *text, int columns)
{
    return text != NULL ? wrap_rows(text, columns) : 0;
}

/* Items as a list, of more columns where there are too few rows.  Beside the
 * only one, or below the last one of two, there may be room for the reason why
 * an item is wrong:
 *
 *       a) B1            d) I don't know: show me
 *     ✗ b) A1+C1         ✗ What comes from GPU 0 is added
 *       c) A1+B1         to B1. */
struct list {
    int rows, columns;
    int x[PANEL_ITEMS + 1]; /* of each column, and after the last */
    struct rect reason;     /* height 0: it has no room */
};

/* Lays it out in `room` rows, or in as many more as it needs. */
static struct list
lay_list(const struct panel *p, int width, int room)
{
    struct list l = {.rows = least(most(room, 1), p->nitems)};
    int extra = MARGIN + (p->letter != 0 ? LETTER_COLUMNS : 0) + 1;
    struct rect *r = &l.reason;
    int last; /* items of the last column */

    for (;; l.rows++) {
        l.columns = (p->nitems + l.rows - 1) / most(l.rows, 1);
        l.x[0] = MARGIN;
        for (int i = 0; i < l.columns; i++)
            l.x[i + 1] = 0;
        for (int i = 0; i < p->nitems; i++) {
            int *end = &l.x[i / l.rows + 1];
            *end = most(*end, utf8_columns(p->items[i]) + extra +
                        (p->voters > 0 ? COUNT_COLUMNS : 0));
        }
        for (int i = 0; i < l.columns; i++)
            l.x[i + 1] += l.x[i] + ITEM_GAP;
        if (l.columns <= 1 || l.x[l.columns] - ITEM_GAP <= width)
            break;
    }
    *r = (struct rect){l.x[1] + ITEM_GAP, 0, width - l.x[1] - ITEM_GAP, 0};
    if (p->reason == NULL || l.columns > 2 || r->width < REASON_LEAST)
        return l;
    last = l.columns > 1 ? p->nitems - l.rows : 0;
    r->height = wrap_rows(p->reason, r->width);
    r->y = most(least(p->refused, l.rows - r->height), last);
    if (r->y + r->height > l.rows)
        r->height = 0;
    return l;
}

/* A bar that is shorter than that of the most votes, if these are fewer. */
static void
put_votes(const struct panel *p, struct canvas *c, struct rect at, int votes)
{
    int max = 0, full, all;

    for (int i = 0; i < p->nitems; i++)
        max = most(max, p->votes[i]);
    at.width = least(at.width, 2 * BAR_COLUMNS);
    all = max * at.width / p->voters;
    full = most(votes * at.width / p->voters, votes > 0);
    if (at.width > 0)
        glyph_bar(c, at, votes < max && full == all ? full - 1 : full, at.width,
                  plain);
    canvas_putf(c, at.x + most(at.width, 0), at.y, strong, "%*d",
                COUNT_COLUMNS - 1, votes);
}

static void
put_item(const struct panel *p, struct canvas *c, struct rect at, int i)
{
    char letter[] = {(char)(p->letter + i), ')', '\0'};
    int x = at.x + MARGIN;

    if (p->letter != 0) {
        canvas_puts(c, x, at.y, letter, quiet);
        x += LETTER_COLUMNS;
    }
    canvas_puts_within(c, x, at.y, at.x + at.width - x, p->items[i], plain);
    if (i == p->chosen)
        mark_row(c, at, p->held ? '*' : glyph(c->glyphs, GLYPH_RIGHT),
                 ROLE_TEXT);
    else if (i == p->refused)
        mark_row(c, at, glyph(c->glyphs, GLYPH_NO), ROLE_WARNING);
    else if (i == p->right)
        mark_row(c, at, glyph(c->glyphs, GLYPH_YES), ROLE_CORRECT);
}

/* Draws why an answer is wrong: a sign, then text beside it. */
static int
put_reason(const struct panel *p, struct canvas *c, struct rect area)
{
    int rows = prose_draw(c, area, p->reason, aside, aside);

    if (rows > 0)
        canvas_glyph(c, area.x, area.y, GLYPH_NO, warning);
    return rows;
}

static void
put_list(const struct panel *p, struct canvas *c, struct rect area,
         const struct list *l)
{
    for (int i = 0; i < p->nitems; i++) {
        int column = i / l->rows, votes = p->voters > 0 ? COUNT_COLUMNS : 0;
        struct rect at = {
            area.x + l->x[column], area.y + i % l->rows,
            l->x[column + 1] - l->x[column] - ITEM_GAP - votes, 1};
        at.width = least(at.width, area.x + area.width - at.x);
        if (at.y >= area.y + area.height)
            continue;
        put_item(p, c, at, i);
        at.x += at.width + 1;
        at.width = l->columns > 1 ? 0
                                  : area.x + area.width - at.x - COUNT_COLUMNS;
        if (votes > 0 && p->votes[i] >= 0)
            put_votes(p, c, at, p->votes[i]);
    }
    if (l->reason.height > 0)
        put_reason(p, c, (struct rect){area.x + l->reason.x,
                                       area.y + l->reason.y, l->reason.width,
                                       l->reason.height});
}

/* The list, in a panel of so many rows; *rows: what the panel has beside it. */
static struct list
lay_panel(const struct panel *p, int columns, int room, int *rows)
{
    *rows = text_rows(p->text, columns) + (p->typed != NULL) +
            text_rows(p->closing, columns);
    room -= *rows + (p->above != NULL);
    return lay_list(p, columns, p->voters > 0 ? p->nitems : room);
}

static int
count_rows(const struct panel *p, int columns, int room)
{
    int rows;
    struct list l = lay_panel(p, columns, room, &rows);

    return rows + l.rows;
}

/* The parts of the panel that there is room for. */
static struct panel
shorten_panel(const struct panel *p, int columns, int room)
{
    struct panel s = *p;

    if (s.closing != NULL && count_rows(&s, columns, room) > room)
        s.text = "";
    if (s.closing != NULL && s.right >= 0 &&
        count_rows(&s, columns, room) > room) {
        s.items[0] = s.items[s.right];
        s.votes[0] = s.votes[s.right];
        s.letter = (char)(s.letter != 0 ? s.letter + s.right : 0);
        s.right = 0;
        s.refused = -1;
        s.nitems = !s.headed; /* the heading says what is right */
    }
    return s;
}

int
panel_rows(const struct panel *p, int columns, int room)
{
    struct panel s = shorten_panel(p, columns, room);

    return count_rows(&s, columns, room);
}

/* The rows below the panel: the reason, if it is not in the list, and the
 * aside. */
static int
rows_below(const struct panel *p, int columns, int room)
{
    int rows;
    struct list l = lay_panel(p, columns, room, &rows);

    return text_rows(l.reason.height > 0 ? NULL : p->reason, columns) +
           text_rows(p->aside, columns);
}

static struct rect
text_area(const struct panel *p, const struct layout *l)
{
    struct rect area = {l->margin + 1, l->panel.y + 1, l->width - 2,
                        l->panel.height - 1};
    int rows;

    area.width = least(area.width, p->full ? FULL_COLUMNS : WIDE_COLUMNS);
    if (!p->full)
        return area;
    area.x = l->margin + (l->width - area.width) / 2;
    area.y = l->title + 2;
    area.height = l->keys - 1 - area.y;
    rows = panel_rows(p, area.width, area.height) +
           rows_below(p, area.width, area.height);
    if (rows < area.height) {
        area.y += (area.height - rows) / 3;
        area.height -= (area.height - rows) / 3;
    }
    return area;
}

void
panel_make_room(const struct panel *p, int notice, struct layout *l)
{
    struct rect area = text_area(p, l);
    int more = rows_below(p, area.width, area.height) + (p->above != NULL);
    int lacking = panel_rows(p, area.width, area.height) + more - area.height;

    if (p->full || (more + notice == 0 && p->voters == 0))
        return;
    l->picture.height -= within(lacking, 0, l->picture.height);
    lacking = within(lacking + notice, 0, l->panel.y - l->picture.y);
    l->panel.y -= lacking;
    l->panel.height += lacking - notice;
}

int
panel_room(const struct panel *p, const struct layout *l)
{
    return p->full ? l->keys - 3 - l->title : l->panel.height - 1;
}

/* The rule with the title, the status and the progress. */
static void
draw_rule(const struct panel *p, struct canvas *c, const struct layout *l)
{
    int y = p->full ? l->title : l->panel.y;
    int bar = l->margin + l->width - BAR_COLUMNS - 2;
    int end = p->progress < 0 ? l->margin + l->width - 2 : bar - 2;
    int done = (int)(p->progress * BAR_COLUMNS + 0.5);
    OWN(buf) text = {0};

    canvas_clear(c, (struct rect){0, y, c->columns, 1});
    canvas_fill(c, l->margin, y, l->width,
                glyph(c->glyphs, GLYPH_HORIZONTAL), quiet);
    if (p->status != NULL) {
        buf_addf(&text, " %s ", p->status);
        end -= utf8_columns(buf_text(&text));
        canvas_puts(c, end, y, buf_text(&text), here);
        buf_clear(&text);
    }
    if (p->number > 0)
        buf_addf(&text, " %d %s", p->number,
                 c->glyphs == GLYPHS_FULL ? "·" : "-");
    buf_addf(&text, " %s ", p->title);
    canvas_puts_within(c, l->margin + 1, y, end - 1 - l->margin,
                       buf_text(&text), here);
    if (p->progress < 0)
        return;
    done = least(done, BAR_COLUMNS);
    canvas_fill(c, bar - 1, y, BAR_COLUMNS + 2, ' ', quiet);
    for (int i = 0; i < BAR_COLUMNS; i++)
        canvas_glyph(c, bar + i, y, i < done ? GLYPH_DONE : GLYPH_AHEAD,
                     i < done ? (struct pen){.fg = ROLE_ACCENT} : quiet);
}

/* Takes the first `rows` rows from an area. */
static void
take_rows(struct rect *area, int rows)
{
    rows = least(rows, area->height);
    area->y += rows;
    area->height -= rows;
}

void
panel_draw(const struct panel *whole, struct canvas *c, const struct layout *l)
{
    struct rect area = text_area(whole, l), covered = l->panel;
    struct panel shown = shorten_panel(whole, area.width, area.height),
                 *p = &shown;
    int x = area.x + MARGIN, below = text_rows(p->aside, area.width);
    int bottom, rows, fixed;
    struct list list = lay_panel(p, area.width, area.height - below, &fixed);

    if (p->reason != NULL && list.reason.height == 0) {
        below += text_rows(p->reason, area.width);
        list = lay_panel(p, area.width, area.height - below, &fixed);
        list.reason.height = 0;
    }
    if (p->full)
        covered = (struct rect){0, l->title, c->columns, l->keys - l->title};
    canvas_clear(c, covered);
    draw_rule(p, c, l);
    draw_instead(p, c, l);
    if (p->above != NULL) {
        rows = most(area.height - fixed - list.rows - below, 1);
        take_rows(&area, prose_draw(c, (struct rect){area.x, area.y, area.width,
                                                     least(rows, area.height)},
                                    p->above, quiet, quiet));
    }
    take_rows(&area, prose_draw(c, area, p->text, p->headed ? strong : plain,
                                plain));
    put_list(p, c, area, &list);
    take_rows(&area, list.rows);
    if (p->typed != NULL && area.height > 0) {
        canvas_glyph(c, x, area.y, GLYPH_RIGHT, here);
        x += MARGIN;
        x += canvas_puts_within(c, x, area.y, area.width - 2 * MARGIN - 1,
                                p->typed, strong);
        canvas_put(c, x, area.y, '_', strong);
        take_rows(&area, 1);
    }
    if (p->closing != NULL)
        take_rows(&area, prose_draw(c, area, p->closing,
                                    p->headed ? strong : plain, plain));
    if (below == 0)
        return;
    /* Why it is wrong, a hint or notes in the rows that are left.  On a panel
     * that covers the screen, notes that need more rows hide the end of the
     * text. */
    bottom = area.y + area.height;
    rows = least(below, p->full ? bottom - l->title - 2 : area.height);
    area.y += rows < area.height; /* a blank row below the question */
    area.y = least(area.y, bottom - rows);
    area.height = rows;
    canvas_clear(c, (struct rect){0, area.y, c->columns, rows});
    if (p->reason != NULL && list.reason.height == 0)
        take_rows(&area, put_reason(p, c, area));
    if (p->aside != NULL)
        prose_draw(c, area, p->aside, aside, aside);
}
