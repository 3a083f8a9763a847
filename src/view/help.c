/* SPDX-License-Identifier: MIT */
#include "view/help.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"

static const struct {
    const char *keys, *meaning;
} keys[] = {
    {"Right l, Left h", N_("next step, back")},
    {"Home End g", N_("first, last, go to a step")},
    {"p, + -", N_("play, pause; faster, slower")},
    {"v", N_("another view")},
    {"Tab", N_("another GPU: what it does, in words")},
    {"Enter Up Down", N_("look into its slots; leave them again")},
    {"a", N_("change the run: GPUs, elements, a slow GPU, ...")},
    {"w", N_("write the run to a file, to replay")},
    {"5l 9g 2Tab", N_("a number first: how often, which step")},
    {N_("mouse"), N_("click: that GPU, that step; wheel: back, next")},
    {"q", N_("quit")},
};

enum { KEYS = sizeof keys / sizeof keys[0], BORDER = 3, BETWEEN = 2 };

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

/* Sets the columns of keys and symbols, and of their meanings. Returns the
 * number of lines. */
static int
measure(const struct symbol *symbols, int *left, int *right)
{
    int lines = KEYS;

    *left = utf8_columns(_("Symbols"));
    *right = 0;
    for (int i = 0; i < KEYS; i++) {
        *left = larger(*left, utf8_columns(_(keys[i].keys)));
        *right = larger(*right, utf8_columns(_(keys[i].meaning)));
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
    int left, right, lines = measure(symbols, &left, &right);
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
    for (int i = 0; i < KEYS; i++, y++) {
        canvas_puts(c, x, y, _(keys[i].keys), bold);
        canvas_puts(c, x + left + BETWEEN, y, _(keys[i].meaning), plain);
    }
    if (headings)
        canvas_puts(c, x, y++, _("Symbols"), bold);
    for (; symbols->meaning != NULL; symbols++, y++) {
        draw_symbol(s, symbols, c, x, y);
        canvas_puts(c, x + left + BETWEEN, y, _(symbols->meaning), plain);
    }
}
