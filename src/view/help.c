/* SPDX-License-Identifier: MIT */
#include "view/help.h"

#include <assert.h>
#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"

enum { BORDER = 3, BETWEEN = 2 };

/* The signs of slots and links, in all views that draw ranks as they are
 * connected. */
static const struct symbol slot_symbols[] = {
    {NULL, GLYPH_RIGHT, N_("which way data moves, or may move, along a link")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {"3/8", 0, N_("a sum with 3 of 8 contributions")},
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

struct help_symbols
help_symbols(const struct view *view)
{
    if (view == NULL)
        return (struct help_symbols){{inspect_symbols}};
    return (struct help_symbols){
        {view->symbols != NULL ? view->symbols : painter_symbols,
         view->topologies != 0 ? slot_symbols : NULL, trouble_symbols}};
}

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

enum { LINES_MOST = 256 };

/* The lines of the help: keys, then symbols, all translated. */
struct lines {
    struct symbol all[LINES_MOST];
    int keys, count;
};

/* A line that several views have is there once. */
static void
add(struct lines *l, const char *text, enum glyph g, const char *meaning)
{
    for (int i = 0; i < l->count; i++) {
        const struct symbol *s = &l->all[i];
        bool same = text != NULL && s->text != NULL
                        ? strcmp(text, s->text) == 0
                        : text == s->text && g == s->glyph;
        if (same && strcmp(meaning, s->meaning) == 0)
            return;
    }
    assert(l->count < LINES_MOST);
    l->all[l->count++] = (struct symbol){text, g, meaning};
}

static void
add_symbols(struct lines *l, const struct symbol *s)
{
    for (; s != NULL && s->meaning != NULL; s++)
        add(l, s->text, s->glyph, _(s->meaning));
}

/* What a screen can be in at other times is explained, too. */
static struct lines
lines_of(const struct help *h)
{
    const unsigned lasting = KEY_VISITING | KEY_IN_LESSON | KEY_MODELLED |
                             KEY_OVER_RANKS | KEY_PRESENTING;
    struct lines l = {.count = 0};

    for (const struct key *k = key_table; k->on != 0; k++)
        if ((k->on & h->on) != 0 && k->help != NULL &&
            (k->when & lasting & ~h->state) == 0 &&
            (k->unless & lasting & h->state) == 0)
            add(&l, _(k->names != NULL ? k->names : k->name), 0, _(k->help));
    l.keys = l.count;
    add_symbols(&l, h->signs);
    for (int i = 0; i < h->nviews; i++)
        for (int j = 0; j < HELP_LISTS; j++)
            add_symbols(&l, help_symbols(h->views[i]).lists[j]);
    return l;
}

/* A page: its lines, and the columns of names and of meanings, which are
 * wrapped if there are too few. */
struct page {
    int from, to; /* lines */
    int left, right;
    int rows; /* without headings and frame */
};

/* Measures a page.  Whether its lines fit between the frame's two rows, above
 * the line of keys. */
static bool
fits(struct page *p, const struct lines *l, int columns, int rows)
{
    int most;

    p->left = p->right = utf8_columns(_("Symbols"));
    for (int i = p->from; i < p->to; i++) {
        const char *name = l->all[i].text;
        p->left = larger(p->left, name != NULL ? utf8_columns(name) : 1);
        p->right = larger(p->right, utf8_columns(l->all[i].meaning));
    }
    most = larger(1, columns - 2 * BORDER - p->left - BETWEEN);
    p->right = p->right < most ? p->right : most;
    p->rows = 0;
    for (int i = p->from; i < p->to; i++)
        p->rows += wrap_rows(l->all[i].meaning, p->right);
    return p->rows + 3 <= rows;
}

/* A page of the help, or its last one; *pages is their number.  All lines are
 * on a page if they fit; else the keys are on the first ones, the symbols on
 * the last. */
static struct page
page_of(const struct lines *l, int number, int columns, int rows, int *pages)
{
    struct page found = {0};

    *pages = 0;
    for (struct page p = {0}; p.to < l->count;) {
        p = (struct page){.from = p.to, .to = l->count};
        if (!fits(&p, l, columns, rows) && p.from < l->keys)
            p.to = l->keys;
        while (!fits(&p, l, columns, rows) && p.to > p.from + 1)
            p.to--;
        if (++*pages <= number)
            found = p;
    }
    return found;
}

int
help_after(const struct help *h, int page, int key, int columns, int rows)
{
    struct lines l = lines_of(h);
    int pages;

    page_of(&l, 1, columns, rows, &pages);
    page = page < pages ? page : pages; /* the screen may have grown */
    switch (keys_request(ON_HELP, 0, key)) {
    case DO_HELP:
        return page < pages ? page + 1 : 0;
    case DO_PAGE_NEXT:
        return page < pages ? page + 1 : page;
    case DO_PAGE_BACK:
        return page > 1 ? page - 1 : 1;
    default:
        return 0;
    }
}

void
help_draw(const struct help *h, int page, enum glyph_set set,
          struct canvas *c)
{
    const struct pen bold = {.attrs = ATTR_BOLD}, plain = {0};
    struct lines l = lines_of(h);
    int pages;
    struct page p = page_of(&l, page, c->columns, c->rows, &pages);
    int heads = (p.from == 0) + (p.from <= l.keys && p.to > l.keys);
    bool headings = p.rows + heads + 3 <= c->rows;
    int width = p.left + BETWEEN + p.right + 2 * BORDER;
    int height = p.rows + heads * headings + 2;
    struct rect box = {larger(0, c->columns - width) / 2,
                       larger(0, c->rows - 1 - height) / 2, width, height};
    int x = box.x + BORDER, y = box.y + 1;
    const struct key_line line = {.on = ON_HELP, .glyphs = set,
                                  .state = p.to < l.count ? KEY_MORE : 0};

    canvas_clear(c, box);
    glyph_frame(c, set, box, plain);
    for (int i = p.from; i < p.to; i++) {
        const struct symbol *s = &l.all[i];
        struct wrap w = {.text = s->meaning, .columns = p.right};
        if (headings && (i == 0 || i == l.keys))
            canvas_puts(c, x, y++, i == 0 ? _("Keys") : _("Symbols"), bold);
        if (s->text != NULL)
            canvas_puts(c, x, y, s->text, bold);
        else
            canvas_put(c, x, y, glyph(set, s->glyph), bold);
        while (wrap_next(&w))
            wrap_put(&w, c, x + p.left + BETWEEN, y++, plain);
    }
    canvas_clear(c, (struct rect){0, c->rows - 1, c->columns, 1});
    keys_draw(&line, c, 1, c->rows - 1);
}
