/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"

#include <ctype.h>
#include <stdint.h>

#include "base/utf8.h"

/* Marks that cannot begin a line, and marks that cannot end one. */
static const char closing[] = "，。、；：？！）」』》】”’…—·,.;:?!)]}";
static const char opening[] = "（「『《【“‘([{";

static bool
is_one_of(uint32_t code, const char *marks)
{
    uint32_t mark;

    while ((mark = utf8_next(&marks)) != 0)
        if (mark == code)
            return true;
    return false;
}

/* The column at which a paragraph's text begins, after its blanks or, as in a
 * table, in a second column.  A row of more columns is not text. */
static int
hang_of(const char *text, int columns)
{
    int at = 0, start = 0, first = 0, blanks = 0, gaps = 0;

    for (const char *p = text; *p != '\0' && *p != '\n';) {
        uint32_t code = utf8_next(&p);
        bool begins = code != ' ' && (blanks >= 2 || at == blanks);
        gaps += begins && at > blanks;
        if (begins && at <= columns / 3)
            *(gaps > 0 ? &start : &first) = at;
        blanks = code == ' ' ? blanks + 1 : 0;
        at += utf8_width(code);
    }
    return gaps == 1 && start > 0 ? start : first;
}

/* A line may end at blanks, and between two characters of which one is wide.  A
 * number stays with the word before it: "GPU 1", "step 3". */
bool
wrap_next(struct wrap *w)
{
    const char *p = w->text, *fits = NULL, *rest = NULL;
    uint32_t before = ' ', code;
    int columns, width;
    bool wide = false; /* the character before is */

    if (w->over || *p == '\0')
        return false;
    if (w->hangs && !w->inside)
        w->hang = hang_of(p, w->columns);
    columns = w->indent = w->inside ? w->hang : 0;
    w->line = p;
    for (;;) {
        const char *here = p;
        code = utf8_next(&p);
        if (code == 0 || code == '\n') {
            w->length = (size_t)(here - w->line);
            w->text = code == 0 ? here : p;
            w->over = code == 0;
            w->inside = false;
            return true;
        }
        width = utf8_width(code);
        wide = wide || width == 2;
        if (code == ' ' && before != ' ' &&
            !(before < 0x80 && isalpha((int)before) &&
              isdigit((unsigned char)*p))) {
            fits = here;
            rest = p;
        } else if (code != ' ' && before != ' ' && wide &&
                   !is_one_of(code, closing) && !is_one_of(before, opening)) {
            fits = rest = here;
        }
        columns += width;
        wide = width == 2;
        if (columns > w->columns && code != ' ') {
            if (fits == NULL)
                fits = rest = here > w->line ? here : p;
            break;
        }
        before = code;
    }
    w->inside = true;
    w->length = (size_t)(fits - w->line);
    while (*rest == ' ')
        rest++;
    w->text = rest;
    return true;
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
