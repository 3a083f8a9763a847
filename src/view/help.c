/* SPDX-License-Identifier: MIT */
#include "view/help.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
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
static const struct symbol no_symbols[] = {{NULL, 0, NULL}};

struct help_symbols
help_symbols(const struct view *view)
{
    if (view == NULL)
        return (struct help_symbols){{inspect_symbols, no_symbols}};
    return (struct help_symbols){
        {view->symbols, view->topologies != 0 ? slot_symbols : no_symbols}};
}

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

/* A glyph takes one column. */
static int
symbol_columns(const struct symbol *symbol)
{
    return symbol->text != NULL ? utf8_columns(symbol->text) : 1;
}

/* The first row from `k` on that has a line in the help, or the table's end.
 * The help is the same whether the run plays or pauses. */
static const struct key *
next_line(const struct scene *s, const struct key *k)
{
    unsigned state =
        keys_state(s) | KEY_PLAYING | KEY_PAUSED | KEY_INSPECTING;

    while (k->request != 0 && (k->help == NULL || !key_applies(k, state)))
        k++;
    return k;
}

static const struct key *
first_line(const struct scene *s)
{
    return next_line(s, s->panel != NULL ? lesson_keys : watch_keys);
}

/* What the help has, in lines and columns. */
struct measure {
    int keys, symbols; /* lines */
    int left, right;   /* columns of names, and of their meanings */
};

static struct measure
measure(const struct scene *s, const struct help_symbols *symbols)
{
    struct measure m = {.left = utf8_columns(_("Symbols"))};

    for (const struct key *k = first_line(s); k->request != 0;
         k = next_line(s, k + 1), m.keys++) {
        m.left = larger(m.left, utf8_columns(_(k->names)));
        m.right = larger(m.right, utf8_columns(_(k->help)));
    }
    for (int i = 0; i < 2; i++)
        for (const struct symbol *p = symbols->lists[i]; p->meaning != NULL;
             p++, m.symbols++) {
            m.left = larger(m.left, symbol_columns(p));
            m.right = larger(m.right, utf8_columns(_(p->meaning)));
        }
    return m;
}

static bool
has_two_pages(const struct measure *m, int rows)
{
    return m->keys + m->symbols + 2 > rows;
}

int
help_pages(const struct scene *s, const struct view *view, int rows)
{
    struct help_symbols symbols = help_symbols(view);
    struct measure m = measure(s, &symbols);

    return has_two_pages(&m, rows) ? 2 : 1;
}

/* Where the next line goes. */
struct place {
    const struct scene *scene;
    struct canvas *canvas;
    int x, y, left; /* left: columns of names */
};

static void
put_heading(struct place *p, const char *text)
{
    canvas_puts(p->canvas, p->x, p->y++, text,
                (struct pen){.attrs = ATTR_BOLD});
}

static void
put_line(struct place *p, const char *name, const char *meaning)
{
    canvas_puts(p->canvas, p->x, p->y, name, (struct pen){.attrs = ATTR_BOLD});
    canvas_puts(p->canvas, p->x + p->left + BETWEEN, p->y++, meaning,
                (struct pen){0});
}

static void
put_keys(struct place *p)
{
    for (const struct key *k = first_line(p->scene); k->request != 0;
         k = next_line(p->scene, k + 1))
        put_line(p, _(k->names), _(k->help));
}

static void
put_symbols(struct place *p, const struct help_symbols *symbols)
{
    for (int i = 0; i < 2; i++)
        for (const struct symbol *l = symbols->lists[i]; l->meaning != NULL;
             l++) {
            if (l->text == NULL)
                canvas_put(p->canvas, p->x, p->y,
                           glyph(p->scene->glyphs, l->glyph),
                           (struct pen){.attrs = ATTR_BOLD});
            put_line(p, l->text != NULL ? l->text : "", _(l->meaning));
        }
}

/* The lines of a page, without headings. */
static int
lines_of(const struct measure *m, int page, bool two)
{
    return !two ? m->keys + m->symbols : page == 1 ? m->keys + 1 : m->symbols;
}

void
help_draw(const struct scene *s, const struct view *view, struct canvas *c,
          struct rect area)
{
    struct help_symbols symbols = help_symbols(view);
    struct measure m = measure(s, &symbols);
    bool two = has_two_pages(&m, area.height);
    int lines = lines_of(&m, s->help, two), parts = two ? 1 : 2;
    bool headings = lines + parts + 2 <= area.height;
    int width = m.left + BETWEEN + m.right + 2 * BORDER;
    int height = lines + parts * headings + 2;
    struct rect box = {area.x + larger(0, area.width - width) / 2,
                       area.y + larger(0, area.height - height) / 2, width,
                       height};
    struct place p = {s, c, box.x + BORDER, box.y + 1, m.left};

    canvas_clear(c, box);
    glyph_frame(c, s->glyphs, box, (struct pen){0});
    if (!two || s->help == 1) {
        if (headings)
            put_heading(&p, _("Keys"));
        put_keys(&p);
    }
    if (two && s->help == 1)
        put_line(&p, "?", _("the symbols of this picture"));
    if (!two || s->help > 1) {
        if (headings)
            put_heading(&p, _("Symbols"));
        put_symbols(&p, &symbols);
    }
}
