/* SPDX-License-Identifier: MIT */
#include "draw/wrap.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* Marks that cannot begin a line, and marks that cannot end one. */
static const char closing[] = "，。、；：？！）」』》】”’…—·,.;:?!)]}";
static const char opening[] = "（「『《【“‘([{";

static bool
is_among(uint32_t code, const char *marks)
{
    uint32_t mark;

    while ((mark = utf8_next(&marks)) != 0)
        if (mark == code)
            return true;
    return false;
}

/* Whether a line may end between two characters that are not blanks. */
static bool
may_break(uint32_t before, uint32_t after)
{
    return (utf8_width(before) == 2 || utf8_width(after) == 2) &&
           !is_among(after, closing) && !is_among(before, opening);
}

/* A number stays with the word before it: "GPU 1", "step 3". */
static bool
belongs_to(uint32_t before, const char *after)
{
    return before < 0x80 && isalpha((int)before) &&
           isdigit((unsigned char)*after);
}

bool
wrap_next(struct wrap *w)
{
    const char *p = w->text, *fits = NULL, *rest = NULL;
    uint32_t before = ' ', code;
    int columns = 0;

    if (w->over || *p == '\0')
        return false;
    w->line = p;
    for (;;) {
        const char *here = p;
        code = utf8_next(&p);
        if (code == 0 || code == '\n') {
            w->length = (size_t)(here - w->line);
            w->text = code == 0 ? here : p;
            w->over = code == 0;
            return true;
        }
        if (code == ' ' && before != ' ' && !belongs_to(before, p)) {
            fits = here;
            rest = p;
        } else if (code != ' ' && before != ' ' && may_break(before, code)) {
            fits = rest = here;
        }
        columns += utf8_width(code);
        if (columns > w->columns && code != ' ') {
            if (fits == NULL)
                fits = rest = here > w->line ? here : p;
            break;
        }
        before = code;
    }
    w->length = (size_t)(fits - w->line);
    while (*rest == ' ')
        rest++;
    w->text = rest;
    return true;
}

int
wrap_put(const struct wrap *w, struct canvas *c, int x, int y, struct pen pen)
{
    int columns = 0;

    for (const char *p = w->line; p < w->line + w->length;) {
        uint32_t code = utf8_next(&p);
        if (c != NULL)
            canvas_put(c, x + columns, y, code, pen);
        columns += utf8_width(code);
    }
    return columns;
}

int
wrap_rows(const char *text, int columns)
{
    struct wrap w = {.text = text, .columns = columns};
    int rows = 0;

    while (wrap_next(&w))
        rows++;
    return rows;
}
