/* SPDX-License-Identifier: MIT */
#include "view/panel.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "view/wrap.h"

enum {
    MARGIN = 2,
    ITEM_GAP = 4,
    BAR_COLUMNS = 14,
    FULL_COLUMNS = 76, /* a page of its own is not read across a wide screen */
    ASIDE_ROWS = 2,
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD},
                        here = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};

/* Text, with labels in colour. */

/* The rank of a letter or letters, as schedule/label.h gives them: there is no
 * S. -1 for what is none. */
static int
rank_of_letters(const char *text, int length)
{
    int rank = 0;

    for (int i = 0; i < length; i++) {
        int letter = text[i] - 'A';
        if (text[i] < 'A' || text[i] > 'Z' || text[i] == 'S')
            return -1;
        rank = rank * 25 + letter - (text[i] > 'S') + (i < length - 1);
    }
    return length == 1 || length == 2 ? rank : -1;
}

/* Bytes of a name like B2 or AC10 at `text`, and its rank; 0 where there is
 * none. */
static int
label_at(const char *text, const char *end, int *rank)
{
    int letters = 0, digits = 0;

    while (text + letters < end && isupper((unsigned char)text[letters]))
        letters++;
    while (text + letters + digits < end &&
           isdigit((unsigned char)text[letters + digits]))
        digits++;
    *rank = rank_of_letters(text, letters);
    if (*rank < 0 || digits == 0 || digits > 2 ||
        (text + letters + digits < end &&
         isalnum((unsigned char)text[letters + digits])))
        return 0;
    return letters + digits;
}

static void
put_line(struct canvas *c, int x, int y, const char *line, size_t length,
         struct pen pen)
{
    const char *end = line + length;
    bool word = false; /* we are inside of one */

    while (line < end) {
        int rank, label = word ? 0 : label_at(line, end, &rank);
        const char *next = line;
        uint32_t code;
        if (label > 0) {
            enum role ground = palette_origin(rank);
            struct pen colour = {
                .fg = palette_ink(ground), .bg = ground,
                .attrs = palette_pattern(rank) % 2 ? ATTR_UNDERLINE : 0};
            for (int i = 0; i < label; i++)
                canvas_put(c, x++, y, (unsigned char)line[i], colour);
            line += label;
            word = true;
            continue;
        }
        code = utf8_next(&next);
        canvas_put(c, x, y, code, pen);
        x += utf8_width(code);
        word = code < 0x80 && isalnum((int)code);
        line = next;
    }
}

/* Returns the rows it took. */
static int
put_text(struct canvas *c, struct rect area, const char *text, bool headed)
{
    struct wrap w = {.text = text, .columns = area.width};
    int rows = 0;

    while (rows < area.height && wrap_next(&w)) {
        put_line(c, area.x, area.y + rows, w.line, w.length,
                 headed && rows == 0 ? strong : plain);
        rows++;
    }
    return rows;
}

static int
put_table(struct canvas *c, struct rect area, const char *text)
{
    int rows = 0;

    for (const char *line = text; rows < area.height && *line != '\0';
         rows++) {
        size_t length = strcspn(line, "\n");
        put_line(c, area.x, area.y + rows, line, length,
                 rows == 0 ? quiet : plain);
        line += length + (line[length] == '\n');
    }
    return rows;
}

/* Items: in one row if they fit, else in as many columns as do. */

static int
item_columns(const struct panel *p, int i)
{
    return MARGIN + utf8_columns(p->items[i]) + ITEM_GAP;
}

struct grid {
    int rows, columns;
    int width; /* of a column; 0: each item its own */
};

static struct grid
arrange(const struct panel *p, int width)
{
    int all = MARGIN - ITEM_GAP, widest = 0, columns;

    for (int i = 0; i < p->nitems; i++) {
        int needs = item_columns(p, i);
        all += needs;
        widest = needs > widest ? needs : widest;
    }
    if (p->nitems == 0)
        return (struct grid){0, 1, 0};
    if (p->stacked)
        return (struct grid){p->nitems, 1, 0};
    if (all <= width)
        return (struct grid){1, p->nitems, 0};
    columns = (width - MARGIN + ITEM_GAP) / widest;
    if (columns < 1)
        columns = 1;
    return (struct grid){(p->nitems + columns - 1) / columns, columns,
                         widest};
}

static void
put_item(const struct panel *p, enum glyph_set set, struct canvas *c, int x,
         int y, int room, int i)
{
    bool chosen = i == p->chosen;

    if (chosen)
        canvas_put(c, x, y, p->held ? '*' : glyph(set, GLYPH_RIGHT), here);
    canvas_puts_within(c, x + MARGIN, y, room - MARGIN, p->items[i],
                       chosen ? (struct pen){.attrs = ATTR_BOLD |
                                                      ATTR_REVERSE}
                              : plain);
}

static void
put_items(const struct panel *p, enum glyph_set set, struct canvas *c,
          struct rect area)
{
    struct grid g = arrange(p, area.width);
    int left = area.x + MARGIN, x = left;

    for (int i = 0; i < p->nitems; i++) {
        int y = area.y + i / g.columns;
        if (i % g.columns == 0)
            x = left;
        if (i / g.columns < area.height)
            put_item(p, set, c, x, y, area.x + area.width - x, i);
        x += g.width > 0 ? g.width : item_columns(p, i);
    }
}

/* The whole. */

int
panel_rows(const struct panel *p, int columns)
{
    return wrap_rows(p->text, columns) + arrange(p, columns).rows +
           (p->typed != NULL);
}

static struct rect
text_area(const struct panel *p, const struct layout *l)
{
    struct rect area = {l->margin + 1, l->panel.y + 1, l->width - 2,
                        l->panel.height - 1};
    int rows;

    if (!p->full)
        return area;
    if (area.width > FULL_COLUMNS) {
        area.x += (area.width - FULL_COLUMNS) / 2;
        area.width = FULL_COLUMNS;
    }
    rows = p->table ? 12 : panel_rows(p, area.width);
    area.y = l->title + 2;
    area.height = l->keys - 1 - area.y;
    if (rows < area.height)
        area.y += (area.height - rows) / 3;
    area.height = l->keys - 1 - area.y;
    return area;
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
    struct buf text = {0};

    canvas_clear(c, (struct rect){0, y, c->columns, 1});
    canvas_fill(c, x, y, l->width, line, quiet);
    if (p->number > 0)
        buf_addf(&text, " %d %s ", p->number,
                 set == GLYPHS_FULL ? "·" : "-");
    buf_addf(&text, "%s%s ", p->number > 0 ? "" : " ", p->title);
    canvas_puts_within(c, x + 1, y, bar - x - 3, buf_text(&text), strong);
    buf_done(&text);
    if (p->progress < 0)
        return;
    canvas_put(c, bar - 1, y, ' ', quiet);
    canvas_fill(c, bar, y, BAR_COLUMNS, glyph(set, GLYPH_AHEAD), quiet);
    canvas_fill(c, bar, y, done < BAR_COLUMNS ? done : BAR_COLUMNS,
                glyph(set, GLYPH_DONE), (struct pen){.fg = ROLE_CURRENT});
    canvas_put(c, bar + BAR_COLUMNS, y, ' ', quiet);
}

static void
draw_keys(const struct panel *p, struct canvas *c, const struct layout *l)
{
    int x = l->margin + 1, end = l->margin + l->width;

    for (int i = 0; i < PANEL_KEYS && p->keys[i].name != NULL; i++) {
        const struct panel_key *k = &p->keys[i];
        int columns = utf8_columns(k->name) + 1 + utf8_columns(k->what);
        if (x + columns > end)
            break;
        canvas_puts(c, x, l->keys, k->name, strong);
        canvas_puts(c, x + utf8_columns(k->name) + 1, l->keys, k->what,
                    quiet);
        x += columns + 2;
    }
}

/* Over the lowest rows of the picture. */
static void
draw_aside(const struct panel *p, struct canvas *c, const struct layout *l)
{
    int width = l->width - 2, rows = wrap_rows(p->aside, width);
    int most = p->full ? l->panel.height : ASIDE_ROWS;
    int y;

    rows = rows < most ? rows : most;
    y = (p->full ? l->keys - 1 : l->panel.y) - rows;
    canvas_clear(c, (struct rect){0, y, c->columns, rows});
    put_text(c, (struct rect){l->margin + 1, y, width, rows}, p->aside,
             false);
}

void
panel_draw(const struct panel *p, enum glyph_set set, struct canvas *c,
           const struct layout *l)
{
    struct rect area = text_area(p, l);
    int rows;

    if (p->full)
        canvas_clear(c, (struct rect){0, l->title, c->columns,
                                      l->keys - l->title});
    else
        canvas_clear(c, l->panel);
    draw_rule(p, set, c, l);
    rows = p->table ? put_table(c, area, p->text)
                    : put_text(c, area, p->text, p->headed);
    area.y += rows;
    area.height -= rows;
    if (area.height > 0)
        put_items(p, set, c, area);
    if (p->typed != NULL && area.height > 0) {
        int x = area.x + MARGIN;
        canvas_put(c, x, area.y, glyph(set, GLYPH_RIGHT), here);
        x += MARGIN;
        x += canvas_puts_within(c, x, area.y, area.width - 2 * MARGIN - 1,
                                p->typed, strong);
        canvas_put(c, x, area.y, '_', strong);
    }
    if (p->aside != NULL)
        draw_aside(p, c, l);
    draw_keys(p, c, l);
}
