/* SPDX-License-Identifier: MIT */
#include "draw/prose.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

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

/* If `text` begins with a name like B2 or AC10 (see label_rank(); S is not
 * used), sets *rank to its rank and returns the name's length in bytes.
 * Otherwise returns 0. */
static int
label_at(const char *text, const char *end, int *rank)
{
    int letters = 0, digits = 0;

    *rank = -1;
    for (; letters < 3 && text + letters < end && text[letters] != 'S' &&
         isupper((unsigned char)text[letters]); letters++)
        *rank = (*rank + 1) * 25 + text[letters] - 'A' - (text[letters] > 'S');
    while (text + letters + digits < end &&
           isdigit((unsigned char)text[letters + digits]))
        digits++;
    if (letters < 1 || letters > 2 || digits < 1 || digits > 2 ||
        (text + letters + digits < end &&
         isalnum((unsigned char)text[letters + digits])))
        return 0;
    return letters + digits;
}

/* Draws at most `columns` columns of a line, and returns how many.  *quoted is
 * true if the line begins inside quotes. It is updated for the next line. */
static int
put_prose_line(struct canvas *c, struct point at, int columns,
               const char *line, size_t length, struct pen pen, bool *quoted)
{
    const char *end = line + length, *label_end = line;
    bool word = false; /* inside a word */
    struct pen colour = pen;
    int x = 0;

    while (line < end) {
        const char *here = line;
        uint32_t code = utf8_next(&line);
        int rank;
        if (x + utf8_width(code) > columns)
            break;
        if (!word && !*quoted && here >= label_end &&
            (label_end = here + label_at(here, end, &rank)) > here) {
            enum role ground = palette_origin(rank);
            colour = (struct pen){
                .fg = palette_ink(ground), .bg = ground,
                .attrs = pen.attrs |
                         (palette_pattern(rank) % 2 ? ATTR_UNDERLINE : 0)};
        }
        canvas_put(c, at.x + x, at.y, code, here < label_end ? colour : pen);
        x += utf8_width(code);
        word = code < 0x80 && isalnum((int)code);
        *quoted ^= code == '"' || code == (*quoted ? 0x201d : 0x201c);
    }
    return x;
}

int
prose_draw(struct canvas *c, struct rect area, const char *text,
           struct pen first, struct pen pen)
{
    static const char dots[] = "...";
    struct wrap w = {.text = text, .columns = area.width};
    bool quoted = false;
    int rows = 0;

    for (; rows < area.height && wrap_next(&w); rows++) {
        bool over = rows + 1 == area.height && *w.text != '\0';
        struct point at = {area.x, area.y + rows};
        struct pen own = rows == 0 ? first : pen;
        int columns = area.width - (over ? (int)strlen(dots) : 0);
        columns = put_prose_line(c, at, columns, w.line, w.length, own,
                                 &quoted);
        if (over)
            canvas_puts(c, at.x + columns, at.y, dots, own);
    }
    return rows;
}
