/* SPDX-License-Identifier: MIT */
#include "view/frame.h"

#include "base/bounds.h"
#include "base/utf8.h"
#include "draw/prose.h"
#include "view/chart.h"

enum {
    MARGIN = 2,
    LETTER_COLUMNS = 3, /* "a) " */
    ITEM_GAP = 4,
    BAR_COLUMNS = 14,
    FULL_COLUMNS = 76,  /* the most for text that covers the screen */
    WIDE_COLUMNS = 100, /* the most for text below a picture */
};

static const struct pen here = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD},
                        aside = {.fg = ROLE_CURRENT};

/* Draws a figure or a table in the place of a picture, in the rows above the
 * panel.  A table is in their middle; its first row is the head, and the
 * longest. */
static void
draw_instead(const struct panel *p, struct canvas *c, const struct layout *l)
{
    struct rect area = l->picture;
    struct wrap w = {.text = p->table, .columns = c->columns};

    area.height = least(area.height, l->panel.y - area.y);
    if (p->figure != NULL) { /* there is no progress above it */
        area.height += area.y - 1;
        area.y = 1;
        figure_draw(p->figure, c, area);
    } else if (p->table != NULL) {
        int rows = wrap_rows(p->table, c->columns);
        if (wrap_next(&w))
            area.x += (area.width - wrap_put(&w, NULL, 0, 0, quiet)) / 2;
        area.y += (area.height - rows) / 2;
        prose_draw(c, (struct rect){area.x, area.y, c->columns, rows},
                   p->table, p->headless ? plain : quiet, plain);
        area.y--;
        if (p->refused_row > 0)
            canvas_glyph(c, area.x - MARGIN, area.y + p->refused_row, GLYPH_NO,
                         plain);
        if (p->row > 0)
            canvas_glyph(c, area.x - MARGIN, area.y + p->row, GLYPH_RIGHT,
                         here);
    }
}

static void
put_item(const struct panel *p, struct canvas *c, struct rect at, int i)
{
    bool chosen = i == p->chosen, right = i == p->right;
    char letter[] = {(char)(p->letter + i), ')', '\0'};
    struct pen pen = {.attrs = ATTR_BOLD | ATTR_REVERSE};

    if (chosen && p->held)
        canvas_put(c, at.x, at.y, '*', here);
    else if (chosen)
        canvas_glyph(c, at.x, at.y, GLYPH_RIGHT, here);
    else if (i == p->refused)
        canvas_glyph(c, at.x, at.y, GLYPH_NO, plain);
    else if (right)
        canvas_glyph(c, at.x, at.y, GLYPH_YES, here);
    at.x += MARGIN;
    at.width -= MARGIN;
    if (p->letter != 0) {
        canvas_puts(c, at.x, at.y, letter, right ? strong : quiet);
        at.x += LETTER_COLUMNS;
        at.width -= LETTER_COLUMNS;
    }
    canvas_puts_within(c, at.x, at.y, at.width, p->items[i],
                       chosen || right ? pen : plain);
}

/* Draws the items, each after the one before it or in the next row; without a
 * canvas counts their rows only.  Returns them. */
static int
put_items(const struct panel *p, struct canvas *c, struct rect area)
{
    int margin = MARGIN + (p->letter != 0 ? LETTER_COLUMNS : 0);
    int x = MARGIN, row = 0;

    for (int i = 0; i < p->nitems; i++) {
        int columns = margin + utf8_columns(p->items[i]);
        if (i > 0 && (p->stacked || x + columns > area.width)) {
            x = MARGIN;
            row++;
        }
        if (c != NULL && row < area.height)
            put_item(p, c, (struct rect){area.x + x, area.y + row,
                                         area.width - x, 1}, i);
        x += columns + ITEM_GAP;
    }
    return p->nitems > 0 ? row + 1 : 0;
}

static int
text_rows(const char *text, int columns)
{
    return text != NULL ? wrap_rows(text, columns) : 0;
}

int
panel_rows(const struct panel *p, int columns)
{
    return text_rows(p->text, columns) +
           put_items(p, NULL, (struct rect){.width = columns}) +
           (p->typed != NULL) + text_rows(p->closing, columns);
}

/* The parts of the panel that there is room for. */
static struct panel
shorten_panel(const struct panel *p, struct rect area)
{
    struct panel s = *p;

    if (s.closing != NULL && panel_rows(&s, area.width) > area.height)
        s.text = "";
    if (s.closing != NULL && s.right >= 0 &&
        panel_rows(&s, area.width) > area.height) {
        s.items[0] = s.items[s.right];
        s.letter = (char)(s.letter != 0 ? s.letter + s.right : 0);
        s.nitems = 1;
        s.right = 0;
    }
    return s;
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
    rows = panel_rows(p, area.width) + text_rows(p->aside, area.width);
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
    int more = text_rows(p->aside, area.width) + (p->above != NULL);
    int lacking = panel_rows(p, area.width) + more - area.height;

    if (p->full || more + notice == 0)
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
    struct panel shown = shorten_panel(whole, area), *p = &shown;
    int x = area.x + MARGIN, rows, bottom;

    if (p->full)
        covered = (struct rect){0, l->title, c->columns, l->keys - l->title};
    canvas_clear(c, covered);
    draw_rule(p, c, l);
    draw_instead(p, c, l);
    if (p->above != NULL) {
        rows = most(area.height - panel_rows(p, area.width) -
                        text_rows(p->aside, area.width), 1);
        take_rows(&area, prose_draw(c, (struct rect){area.x, area.y, area.width,
                                                     least(rows, area.height)},
                                    p->above, quiet, quiet));
    }
    take_rows(&area, prose_draw(c, area, p->text, p->headed ? strong : plain,
                                plain));
    take_rows(&area, put_items(p, c, area));
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
                                    p->nitems == 0 ? strong : plain, plain));
    if (p->aside == NULL)
        return;
    /* A hint or notes in the rows that are left.  On a panel that covers the
     * screen, notes that need more rows hide the end of the text. */
    bottom = area.y + area.height;
    rows = least(text_rows(p->aside, area.width),
                 p->full ? bottom - l->title - 2 : area.height);
    area.y += rows < area.height; /* a blank row below the question */
    area.y = least(area.y, bottom - rows);
    area.height = rows;
    canvas_clear(c, (struct rect){0, area.y, c->columns, rows});
    prose_draw(c, area, p->aside, aside, aside);
}
