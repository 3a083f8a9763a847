/* SPDX-License-Identifier: MIT */
#include "view/help.h"

#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "view/keys.h"

enum { BORDER = 3, BETWEEN = 2 };

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

/* The symbols of all panes. */
struct symbols {
    const struct symbol *const *lists;
    int count;
};

static bool
same_symbol(const struct symbol *a, const struct symbol *b)
{
    bool same = a->text != NULL && b->text != NULL
                    ? strcmp(a->text, b->text) == 0
                    : a->text == b->text && a->glyph == b->glyph;

    return same && strcmp(a->meaning, b->meaning) == 0;
}

/* Whether a list before this one has the symbol. */
static bool
is_known(const struct symbols *all, const struct symbol *symbol, int list)
{
    for (int i = 0; i < list; i++)
        for (const struct symbol *k = all->lists[i]; k->meaning != NULL; k++)
            if (same_symbol(k, symbol))
                return true;
    return false;
}

/* The symbol after `now`, or the first if that is NULL; those of earlier lists
 * are skipped.  Sets *list.  Returns NULL after the last. */
static const struct symbol *
next_symbol(const struct symbols *all, const struct symbol *now, int *list)
{
    if (now == NULL)
        *list = 0;
    now = now == NULL ? all->lists[0] : now + 1;
    while (now->meaning == NULL || is_known(all, now, *list)) {
        if (now->meaning != NULL)
            now++;
        else if (++*list < all->count)
            now = all->lists[*list];
        else
            return NULL;
    }
    return now;
}

/* Sets *left to the width of the keys and symbols, *right to the width of their
 * meanings. Returns the number of lines. */
static int
measure(const struct scene *s, const struct symbols *symbols, int *left,
        int *right)
{
    const struct key *k = first_line(s);
    const struct symbol *y = NULL;
    int lines = 0, list;

    *left = utf8_columns(_("Symbols"));
    *right = 0;
    for (; k->request != 0; k = next_line(s, k + 1), lines++) {
        *left = larger(*left, utf8_columns(_(k->names)));
        *right = larger(*right, utf8_columns(_(k->help)));
    }
    while ((y = next_symbol(symbols, y, &list)) != NULL) {
        *left = larger(*left, symbol_columns(y));
        *right = larger(*right, utf8_columns(_(y->meaning)));
        lines++;
    }
    return lines;
}

static void
draw_symbol(const struct scene *s, const struct symbol *symbol,
            struct canvas *c, int x, int y)
{
    const struct pen bold = {.attrs = ATTR_BOLD};

    if (symbol->text != NULL)
        canvas_puts(c, x, y, symbol->text, bold);
    else
        canvas_put(c, x, y, glyph(s->glyphs, symbol->glyph), bold);
}

void
help_draw(const struct scene *s, const struct symbol *const *lists, int count,
          struct canvas *c, struct rect area)
{
    const struct symbols symbols = {lists, count};
    const struct symbol *symbol = NULL;
    const struct pen bold = {.attrs = ATTR_BOLD}, plain = {0};
    int left, right, list;
    int lines = measure(s, &symbols, &left, &right);
    bool headings = lines + 2 + 2 <= area.height;
    int width = left + BETWEEN + right + 2 * BORDER;
    int height = lines + 2 * headings + 2;
    struct rect box = {area.x + (area.width - width) / 2,
                       area.y + larger(0, area.height - height) / 2, width,
                       height};
    int x = box.x + BORDER, y = box.y + 1;

    canvas_clear(c, box);
    glyph_frame(c, s->glyphs, box, plain);
    if (headings)
        canvas_puts(c, x, y++, _("Keys"), bold);
    for (const struct key *k = first_line(s); k->request != 0;
         k = next_line(s, k + 1), y++) {
        canvas_puts(c, x, y, _(k->names), bold);
        canvas_puts(c, x + left + BETWEEN, y, _(k->help), plain);
    }
    if (headings)
        canvas_puts(c, x, y++, _("Symbols"), bold);
    while ((symbol = next_symbol(&symbols, symbol, &list)) != NULL) {
        draw_symbol(s, symbol, c, x, y);
        canvas_puts(c, x + left + BETWEEN, y++, _(symbol->meaning), plain);
    }
}
