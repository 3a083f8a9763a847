/* SPDX-License-Identifier: MIT */
#include "draw/prose.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "draw/wrap.h"

/* The rank that these letters name (see schedule/label.h; S is not used).
 * Returns -1 if they name no rank. */
static int
rank_of_letters(const char *text, int length)
{
    int rank = 0;

    if (length < 1 || length > 2)
        return -1;
    for (int i = 0; i < length; i++) {
        int letter = text[i] - 'A';
        if (text[i] < 'A' || text[i] > 'Z' || text[i] == 'S')
            return -1;
        rank = rank * 25 + letter - (text[i] > 'S') + (i < length - 1);
    }
    return rank;
}

/* If `text` begins with a name like B2 or AC10, sets *rank to its rank and
 * returns the name's length in bytes. Otherwise returns 0. */
static int
label_at(const char *text, const char *end, int *rank)
{
    int letters = 0, digits = 0;

    while (text + letters < end && isupper((unsigned char)text[letters]))
        letters++;
    while (text + letters + digits < end &&
           isdigit((unsigned char)text[letters + digits]))
        digits++;
    *rank = rank_of_letters(text, letters);
    if (*rank < 0 || digits == 0 || digits > 2 ||
        (text + letters + digits < end &&
         isalnum((unsigned char)text[letters + digits])))
        return 0;
    return letters + digits;
}

/* Whether the character ends a quotation (if `quoted`) or begins one. */
static bool
is_quote(uint32_t code, bool quoted)
{
    return code == '"' || code == (quoted ? 0x201d : 0x201c);
}

/* *quoted is true if the line begins inside quotes. It is updated for the next
 * line. */
static void
put_line(struct canvas *c, int x, int y, const char *line, size_t length,
         struct pen pen, bool *quoted)
{
    const char *end = line + length;
    bool word = false; /* inside a word */

    while (line < end) {
        int rank;
        int label = word || *quoted ? 0 : label_at(line, end, &rank);
        const char *next = line;
        uint32_t code;
        if (label > 0) {
            enum role ground = palette_origin(rank);
            struct pen colour = {
                .fg = palette_ink(ground), .bg = ground,
                .attrs = palette_pattern(rank) % 2 ? ATTR_UNDERLINE : 0};
            for (int i = 0; i < label; i++)
                canvas_put(c, x++, y, (unsigned char)line[i], colour);
            line += label;
            word = true;
            continue;
        }
        code = utf8_next(&next);
        canvas_put(c, x, y, code, pen);
        x += utf8_width(code);
        word = code < 0x80 && isalnum((int)code);
        *quoted ^= is_quote(code, *quoted);
        line = next;
    }
}

/* The columns of what fits into so many columns of a line; sets *length to its
 * bytes. */
static int
cut(const char *line, size_t *length, int columns)
{
    const char *at = line, *end = line + *length;
    int used = 0;

    while (at < end) {
        const char *next = at;
        int width = utf8_width(utf8_next(&next));
        if (used + width > columns)
            break;
        used += width;
        at = next;
    }
    *length = (size_t)(at - line);
    return used;
}

int
prose_draw(struct canvas *c, struct rect area, const char *text,
           struct pen first, struct pen pen)
{
    static const char dots[] = "...";
    struct wrap w = {.text = text, .columns = area.width};
    bool quoted = false;
    int rows = 0;

    while (rows < area.height && wrap_next(&w)) {
        int y = area.y + rows;
        bool over = ++rows == area.height && *w.text != '\0';
        size_t length = w.length;
        int columns = cut(w.line, &length,
                          area.width - (over ? (int)strlen(dots) : 0));
        put_line(c, area.x, y, w.line, length, rows == 1 ? first : pen,
                 &quoted);
        if (over)
            canvas_puts(c, area.x + columns, y, dots, rows == 1 ? first : pen);
    }
    return rows;
}

void
prose_line(struct canvas *c, int x, int y, const char *line, size_t length,
           struct pen pen)
{
    bool quoted = false;

    put_line(c, x, y, line, length, pen, &quoted);
}
