/* SPDX-License-Identifier: MIT */
#include "view/help.h"

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
        keys_state(s) | KEY_PLAYING | KEY_PAUSED | KEY_AT_SLOT;

    while (k->request != 0 && (k->help == NULL || !key_applies(k, state)))
        k++;
    return k;
}

static const struct key *
first_line(const struct scene *s)
{
    return next_line(s, s->panel != NULL ? lesson_keys : watch_keys);
}

/* Sets *left to the width of the keys and symbols, *right to the width of their
 * meanings. Returns the number of lines. */
static int
measure(const struct scene *s, const struct symbol *symbols, int *left,
        int *right)
{
    const struct key *k = first_line(s);
    int lines = 0;

    *left = utf8_columns(_("Symbols"));
    *right = 0;
    for (; k->request != 0; k = next_line(s, k + 1), lines++) {
        *left = larger(*left, utf8_columns(_(k->names)));
        *right = larger(*right, utf8_columns(_(k->help)));
    }
    for (; symbols->meaning != NULL; symbols++, lines++) {
        *left = larger(*left, symbol_columns(symbols));
        *right = larger(*right, utf8_columns(_(symbols->meaning)));
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
help_draw(const struct scene *s, const struct symbol *symbols, struct canvas *c,
          struct rect area)
{
    const struct pen bold = {.attrs = ATTR_BOLD}, plain = {0};
    int left, right, lines = measure(s, symbols, &left, &right);
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
    for (; symbols->meaning != NULL; symbols++, y++) {
        draw_symbol(s, symbols, c, x, y);
        canvas_puts(c, x + left + BETWEEN, y, _(symbols->meaning), plain);
    }
}
