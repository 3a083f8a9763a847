/* SPDX-License-Identifier: MIT */
#include "view/panel.h"

#include <string.h>

#include "base/utf8.h"
#include "draw/glyph.h"
#include "draw/prose.h"
#include "view/figure_view.h"

enum {
    MARGIN = 2,
    LETTER_COLUMNS = 3, /* "a) " */
    ITEM_GAP = 4,
    BAR_COLUMNS = 14,
    FULL_COLUMNS = 76,  /* the most for text that covers the screen */
    WIDE_COLUMNS = 100, /* the most for text below a picture */
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD},
                        here = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD},
                        aside = {.fg = ROLE_CURRENT};

static int
columns_of_line(const char *text)
{
    int columns = 0;

    for (uint32_t code; (code = utf8_next(&text)) != 0 && code != '\n';)
        columns += utf8_width(code);
    return columns;
}

/* Draws a table in the middle of the area. The first row is the head, and the
 * longest. */
static void
draw_table(const char *text, struct canvas *c, struct rect area)
{
    int rows = 1;

    for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
        rows++;
    area.x += (area.width - columns_of_line(text)) / 2;
    area.y += (area.height - rows) / 2;
    for (struct pen pen = quiet; *text != '\0'; pen = plain) {
        size_t length = strcspn(text, "\n");
        prose_line(c, area.x, area.y++, text, length, pen);
        text += length + (text[length] == '\n');
    }
}

/* There is no progress above a figure. */
static void
draw_figure(const struct figure *f, enum glyph_set set, struct canvas *c,
            struct rect area)
{
    area.height += area.y - 1;
    area.y = 1;
    figure_draw(f, set, c, area);
}

/* Draws what is in the place of a picture, in the rows above the panel. */
static void
draw_instead(const struct panel *p, enum glyph_set set, struct canvas *c,
             const struct layout *l)
{
    struct rect area = l->picture;

    if (area.y + area.height > l->panel.y)
        area.height = l->panel.y - area.y;
    if (p->figure != NULL)
        draw_figure(p->figure, set, c, area);
    else if (p->table != NULL)
        draw_table(p->table, c, area);
}

/* The columns before an item's text. */
static int
item_margin(const struct panel *p)
{
    return MARGIN + (p->letter != 0 ? LETTER_COLUMNS : 0);
}

static int
item_columns(const struct panel *p, int i)
{
    return item_margin(p) + utf8_columns(p->items[i]) + ITEM_GAP;
}

/* Moves *x and *row to the place of item `i`: after the item before it, or in
 * the next row. */
static void
place_item(const struct panel *p, int width, int i, int *x, int *row)
{
    bool fits = *x + item_columns(p, i) - ITEM_GAP <= width;

    if (i == 0 || (!p->stacked && fits))
        return;
    *x = MARGIN;
    ++*row;
}

static int
item_rows(const struct panel *p, int width)
{
    int x = MARGIN, row = 0;

    for (int i = 0; i < p->nitems; i++) {
        place_item(p, width, i, &x, &row);
        x += item_columns(p, i);
    }
    return p->nitems > 0 ? row + 1 : 0;
}

static void
put_item(const struct panel *p, enum glyph_set set, struct canvas *c, int x,
         int y, int room, int i)
{
    bool chosen = i == p->chosen, right = i == p->right;
    char letter[] = {(char)(p->letter + i), ')', '\0'};
    int margin = item_margin(p);

    if (chosen)
        canvas_put(c, x, y, p->held ? '*' : glyph(set, GLYPH_RIGHT), here);
    else if (i == p->refused)
        canvas_put(c, x, y, glyph(set, GLYPH_NO), plain);
    else if (right)
        canvas_put(c, x, y, glyph(set, GLYPH_YES), here);
    if (p->letter != 0)
        canvas_puts(c, x + MARGIN, y, letter, right ? strong : quiet);
    canvas_puts_within(c, x + margin, y, room - margin, p->items[i],
                       chosen || right ? (struct pen){.attrs = ATTR_BOLD |
                                                               ATTR_REVERSE}
                                       : plain);
}

static void
put_items(const struct panel *p, enum glyph_set set, struct canvas *c,
          struct rect area)
{
    int x = MARGIN, row = 0;

    for (int i = 0; i < p->nitems; i++) {
        place_item(p, area.width, i, &x, &row);
        if (row < area.height)
            put_item(p, set, c, area.x + x, area.y + row, area.width - x, i);
        x += item_columns(p, i);
    }
}

int
panel_rows(const struct panel *p, int columns)
{
    return (p->text[0] != '\0' ? wrap_rows(p->text, columns) : 0) +
           item_rows(p, columns) + (p->typed != NULL) +
           (p->closing != NULL ? wrap_rows(p->closing, columns) : 0);
}

static int
aside_rows(const struct panel *p, int columns)
{
    return p->aside != NULL ? wrap_rows(p->aside, columns) : 0;
}

/* What of the panel there is room for. */
static struct panel
shortened(const struct panel *p, struct rect area)
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

    if (area.width > WIDE_COLUMNS)
        area.width = WIDE_COLUMNS;
    if (!p->full)
        return area;
    if (area.width > FULL_COLUMNS)
        area.width = FULL_COLUMNS;
    area.x = l->margin + (l->width - area.width) / 2;
    rows = panel_rows(p, area.width) + aside_rows(p, area.width);
    area.y = l->title + 2;
    area.height = l->keys - 1 - area.y;
    if (rows < area.height)
        area.y += (area.height - rows) / 3;
    area.height = l->keys - 1 - area.y;
    return area;
}

void
panel_make_room(const struct panel *p, int notice, struct layout *l)
{
    struct rect area = text_area(p, l);
    int more = aside_rows(p, area.width) + notice;
    int most = l->panel.y - l->picture.y;
    int lacking = panel_rows(p, area.width) + more - area.height;

    if (p->full || more == 0)
        return;
    lacking = lacking < most ? lacking : most;
    if (lacking > 0) {
        l->panel.y -= lacking;
        l->panel.height += lacking;
    }
    l->panel.height -= notice;
}

int
panel_room(const struct panel *p, const struct layout *l)
{
    return p->full ? l->keys - 3 - l->title : l->panel.height - 1;
}

static void
draw_rule(const struct panel *p, enum glyph_set set, struct canvas *c,
          const struct layout *l)
{
    uint32_t line = glyph(set, GLYPH_HORIZONTAL);
    int y = p->full ? l->title : l->panel.y;
    int x = l->margin, bar = l->margin + l->width - BAR_COLUMNS - 2;
    int done = (int)(p->progress * BAR_COLUMNS + 0.5);
    int status = p->status != NULL ? utf8_columns(p->status) + 2 : 0;
    struct buf text = {0};

    canvas_clear(c, (struct rect){0, y, c->columns, 1});
    canvas_fill(c, x, y, l->width, line, quiet);
    if (p->number > 0)
        buf_addf(&text, " %d %s ", p->number,
                 set == GLYPHS_FULL ? "·" : "-");
    buf_addf(&text, "%s%s ", p->number > 0 ? "" : " ", p->title);
    canvas_puts_within(c, x + 1, y, bar - x - 3 - status, buf_text(&text),
                       here);
    buf_clear(&text);
    buf_addf(&text, " %s ", p->status != NULL ? p->status : "");
    if (p->status != NULL)
        canvas_puts(c, bar - 2 - status, y, buf_text(&text), here);
    buf_done(&text);
    if (p->progress < 0)
        return;
    canvas_put(c, bar - 1, y, ' ', quiet);
    canvas_fill(c, bar, y, BAR_COLUMNS, glyph(set, GLYPH_AHEAD), quiet);
    canvas_fill(c, bar, y, done < BAR_COLUMNS ? done : BAR_COLUMNS,
                glyph(set, GLYPH_DONE), (struct pen){.fg = ROLE_CURRENT});
    canvas_put(c, bar + BAR_COLUMNS, y, ' ', quiet);
}

/* Draws the hint or notes in the rows that are left.  On a panel that covers
 * the screen, notes that need more rows hide the end of the text. */
static void
draw_aside(const struct panel *p, struct canvas *c, const struct layout *l,
           struct rect left)
{
    int rows = aside_rows(p, left.width), bottom = left.y + left.height;
    int most = p->full ? bottom - l->title - 2 : left.height;

    rows = rows < most ? rows : most;
    left.y += rows < left.height; /* a blank row below the question */
    if (left.y + rows > bottom)
        left.y = bottom - rows;
    left.height = rows;
    canvas_clear(c, (struct rect){0, left.y, c->columns, rows});
    prose_draw(c, left, p->aside, aside, aside);
}

static void
draw_typed(const struct panel *p, enum glyph_set set, struct canvas *c,
           struct rect area)
{
    int x = area.x + MARGIN;

    canvas_put(c, x, area.y, glyph(set, GLYPH_RIGHT), here);
    x += MARGIN;
    x += canvas_puts_within(c, x, area.y, area.width - 2 * MARGIN - 1,
                            p->typed, strong);
    canvas_put(c, x, area.y, '_', strong);
}

/* The part of an area below its first `rows` rows. */
static struct rect
below(struct rect area, int rows)
{
    rows = rows < area.height ? rows : area.height;
    return (struct rect){area.x, area.y + rows, area.width,
                         area.height - rows};
}

void
panel_draw(const struct panel *whole, enum glyph_set set, struct canvas *c,
           const struct layout *l)
{
    struct rect area = text_area(whole, l);
    struct panel shown = shortened(whole, area), *p = &shown;

    if (p->full)
        canvas_clear(c, (struct rect){0, l->title, c->columns,
                                      l->keys - l->title});
    else
        canvas_clear(c, l->panel);
    draw_rule(p, set, c, l);
    draw_instead(p, set, c, l);
    if (p->text[0] != '\0')
        area = below(area, prose_draw(c, area, p->text,
                                      p->headed ? strong : plain, plain));
    put_items(p, set, c, area);
    area = below(area, item_rows(p, area.width));
    if (p->typed != NULL && area.height > 0) {
        draw_typed(p, set, c, area);
        area = below(area, 1);
    }
    if (p->closing != NULL)
        area = below(area, prose_draw(c, area, p->closing,
                                      p->nitems == 0 ? strong : plain, plain));
    if (p->aside != NULL)
        draw_aside(p, c, l, area);
}
