/* SPDX-License-Identifier: MIT */
#include "view/help.h"

#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

struct line {
    const char *what, *meaning; /* meaning NULL: a heading */
};

#define SENDS ">" /* in ASCII; else the glyph */

static const struct line lines[] = {
    {N_("Keys"), NULL},
    {"Right l Space", N_("next step")},
    {"Left h", N_("back")},
    {"p", N_("play, pause")},
    {"Home End g", N_("first, last, go to a step")},
    {"+ -", N_("faster, slower")},
    {"Tab", N_("another GPU's doings in words")},
    {"v", N_("another view")},
    {"a", N_("change the run: GPUs, elements, a slow GPU, ...")},
    {"w", N_("write the run to a file, to replay")},
    {"5l 9g 2Tab", N_("a number first: so many, to there")},
    {N_("mouse"), N_("click: that GPU, that step; wheel: back, next")},
    {N_("Symbols"), NULL},
    {"A1", N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"A1 C1", N_("joined: their sum so far")},
    {"S1", N_("chunk 1 complete: the sum over all GPUs")},
    {"+ =", N_("before a slot: this step added to it, replaced it")},
    {SENDS, N_("behind a slot: sent next (in the matrix: now)")},
    {"!", N_("something is wrong there")},
};

enum { LINES = sizeof lines / sizeof lines[0] };

static int
widest(bool meanings)
{
    int columns = 0;

    for (int i = 0; i < LINES; i++) {
        const char *text =
            meanings ? lines[i].meaning : lines[i].what;
        int own = text != NULL ? utf8_columns(_(text)) : 0;
        if (own > columns)
            columns = own;
    }
    return columns;
}

void
help_draw(const struct scene *s, struct canvas *c, struct rect area)
{
    int left = widest(false), width = left + widest(true) + 8;
    int height = LINES + 2;
    struct rect box = {area.x + (area.width - width) / 2,
                       area.y + (area.height - height) / 2, width, height};

    const struct pen bold = {.attrs = ATTR_BOLD};

    canvas_clear(c, box);
    glyph_frame(c, s->glyphs, box, (struct pen){0});
    for (int i = 0; i < LINES; i++) {
        int y = box.y + 1 + i;
        if (strcmp(lines[i].what, SENDS) == 0)
            canvas_put(c, box.x + 3, y, glyph(s->glyphs, GLYPH_SENDS), bold);
        else
            canvas_puts(c, box.x + 3, y, _(lines[i].what), bold);
        if (lines[i].meaning != NULL)
            canvas_puts(c, box.x + 5 + left, y, _(lines[i].meaning),
                        (struct pen){0});
    }
}
