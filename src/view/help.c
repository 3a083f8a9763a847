/* SPDX-License-Identifier: MIT */
#include "view/help.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "draw/wrap.h"
#include "view/inspect.h"
#include "view/keys.h"

enum { BORDER = 3, BETWEEN = 2 };

/* The signs of slots and links, in all views that draw ranks as they are
 * connected. */
static const struct symbol slot_symbols[] = {
    {NULL, GLYPH_RIGHT, N_("which way data moves, or may move, along a link")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {NULL, GLYPH_BLOCK_BEGIN_2,
     N_("edges of GPU 8 to 15, 24 to 31, ...: colours repeat")},
    {"3/4", 0, N_("a sum of 3 of 4 contributions")},
    {"*", 0, N_("a contribution that is in a sum several times")},
    {NULL, 0, NULL},
};
/* In all views. */
static const struct symbol trouble_symbols[] = {
    {NULL, GLYPH_LOST, N_("what was dropped, where it should have arrived")},
    {NULL, GLYPH_CLOCK, N_("holds the others up, and for how long")},
    {NULL, GLYPH_LEFT, N_("waits for that GPU")},
    {NULL, 0, NULL},
};
static const struct symbol no_symbols[] = {{NULL, 0, NULL}};

struct help_symbols
help_symbols(const struct view *view)
{
    if (view == NULL)
        return (struct help_symbols){{inspect_symbols, no_symbols, no_symbols}};
    return (struct help_symbols){
        {view->symbols, view->topologies != 0 ? slot_symbols : no_symbols,
         trouble_symbols}};
}

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

/* The row of the table from `k` on that has a line in the help, or the table's
 * end.  The help is the same whether the run plays or pauses. */
static const struct key *
next_line(const struct scene *s, const struct key *k)
{
    unsigned state =
        keys_state(s) | KEY_PLAYING | KEY_PAUSED | KEY_AT_SLOT;

    while (k->request != 0 && (k->help == NULL || !key_applies(k, state)))
        k++;
    return k;
}

enum { LINES_MOST = 64 };

/* The lines of the help: keys, then symbols, all translated. */
struct lines {
    struct symbol all[LINES_MOST];
    int keys, count;
};

static bool
same_line(const struct symbol *a, const struct symbol *b)
{
    bool same = a->text != NULL && b->text != NULL
                    ? strcmp(a->text, b->text) == 0
                    : a->text == b->text && a->glyph == b->glyph;

    return same && strcmp(a->meaning, b->meaning) == 0;
}

/* A line that several views have is there once. */
static void
add(struct lines *l, struct symbol line)
{
    for (int i = 0; i < l->count; i++)
        if (same_line(&l->all[i], &line))
            return;
    assert(l->count < LINES_MOST);
    l->all[l->count++] = line;
}

static void
add_symbols(struct lines *l, const struct view *view)
{
    struct help_symbols symbols = help_symbols(view);

    for (int i = 0; i < HELP_LISTS; i++)
        for (const struct symbol *p = symbols.lists[i]; p->meaning != NULL; p++)
            add(l, (struct symbol){p->text, p->glyph, _(p->meaning)});
}

static struct lines
lines_of(const struct scene *s, const struct panes *shown)
{
    const struct key *k =
        next_line(s, s->panel != NULL ? lesson_keys : watch_keys);
    struct lines l = {.count = 0};

    for (; k->request != 0; k = next_line(s, k + 1))
        add(&l, (struct symbol){_(k->names), 0, _(k->help)});
    l.keys = l.count;
    for (int i = 0; i < shown->count; i++)
        add_symbols(&l, shown->panes[i].view);
    return l;
}

/* A page: its lines, and the columns of names and of meanings, which are
 * wrapped if there are too few. */
struct page {
    int from, to; /* lines */
    bool goes_on;
    int left, right;
    int rows; /* without headings and frame */
};

static void
measure(struct page *p, const struct lines *l, int columns)
{
    int most;

    p->left = p->right = utf8_columns(_("Symbols"));
    for (int i = p->from; i < p->to; i++) {
        const struct symbol *s = &l->all[i];
        int name = s->text != NULL ? utf8_columns(s->text) : 1;
        p->left = larger(p->left, name);
        p->right = larger(p->right, utf8_columns(s->meaning));
    }
    most = larger(1, columns - 2 * BORDER - p->left - BETWEEN);
    p->right = p->right < most ? p->right : most;
    p->rows = p->goes_on;
    for (int i = p->from; i < p->to; i++)
        p->rows += wrap_rows(l->all[i].meaning, p->right);
}

/* Whether the lines of a page fit between the frame's two rows. Measures it. */
static bool
fits(struct page *p, const struct lines *l, int columns, int rows)
{
    measure(p, l, columns);
    return p->rows + 2 <= rows;
}

/* Sets *p to the page after it, from a zeroed one on.  All lines are on a page
 * if they fit; else the keys are on the first ones, the symbols on the last.
 * Returns false after the last. */
static bool
next_page(struct page *p, const struct lines *l, int columns, int rows)
{
    int from = p->to;

    *p = (struct page){.from = from, .to = l->count};
    if (from == l->count)
        return false;
    if (fits(p, l, columns, rows))
        return true;
    p->to = from < l->keys ? l->keys : l->count;
    p->goes_on = p->to < l->count;
    while (!fits(p, l, columns, rows) && p->to > from + 1)
        p->to--;
    return true;
}

/* A page of the help; *pages is their number. */
static struct page
page_of(const struct lines *l, int number, int columns, int rows, int *pages)
{
    struct page p = {0}, found = {0};

    for (*pages = 0; next_page(&p, l, columns, rows);)
        if (++*pages == number)
            found = p;
    return found;
}

int
help_pages(const struct scene *s, const struct panes *shown, int columns,
           int rows)
{
    struct lines l = lines_of(s, shown);
    int pages;

    page_of(&l, 1, columns, rows, &pages);
    return pages;
}

/* Draws a line; returns the number of its rows. */
static int
put_line(struct canvas *c, enum glyph_set set, struct point at,
         const struct page *p, const struct symbol *line)
{
    const struct pen bold = {.attrs = ATTR_BOLD}, plain = {0};
    struct wrap w = {.text = line->meaning, .columns = p->right};
    int rows = 0;

    if (line->text != NULL)
        canvas_puts(c, at.x, at.y, line->text, bold);
    else
        canvas_put(c, at.x, at.y, glyph(set, line->glyph), bold);
    for (; wrap_next(&w); rows++) {
        struct buf text = {0};
        buf_add(&text, w.line, w.length);
        canvas_puts(c, at.x + p->left + BETWEEN, at.y + rows, buf_text(&text),
                    plain);
        buf_done(&text);
    }
    return rows;
}

void
help_draw(const struct scene *s, const struct panes *shown, struct canvas *c,
          struct rect area)
{
    const struct pen bold = {.attrs = ATTR_BOLD}, plain = {0};
    struct lines l = lines_of(s, shown);
    int pages;
    struct page p = page_of(&l, s->help, area.width, area.height, &pages);
    int heads = (p.from == 0) + (p.from <= l.keys && p.to > l.keys);
    bool headings = p.rows + heads + 2 <= area.height;
    int width = p.left + BETWEEN + p.right + 2 * BORDER;
    int height = p.rows + heads * headings + 2;
    struct rect box = {area.x + larger(0, area.width - width) / 2,
                       area.y + larger(0, area.height - height) / 2, width,
                       height};
    struct point at = {box.x + BORDER, box.y + 1};

    canvas_clear(c, box);
    glyph_frame(c, s->glyphs, box, plain);
    for (int i = p.from; i < p.to; i++) {
        if (headings && (i == 0 || i == l.keys))
            canvas_puts(c, at.x, at.y++, i == 0 ? _("Keys") : _("Symbols"),
                        bold);
        at.y += put_line(c, s->glyphs, at, &p, &l.all[i]);
    }
    if (p.goes_on)
        put_line(c, s->glyphs, at, &p,
                 &(struct symbol){"?", 0, _("the symbols of this picture")});
}
