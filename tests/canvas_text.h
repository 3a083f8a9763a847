/* SPDX-License-Identifier: MIT */
/* The characters of a canvas as text: one line for each row, without the
 * blanks at its end. */
#ifndef TESTS_CANVAS_TEXT_H
#define TESTS_CANVAS_TEXT_H

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "draw/canvas.h"

static int
used_columns(const struct canvas *c, int y)
{
    int used = c->columns;

    while (used > 0 && canvas_at(c, used - 1, y)->code == ' ')
        used--;
    return used;
}

static void
canvas_text(const struct canvas *c, struct buf *out)
{
    char bytes[4];

    for (int y = 0; y < c->rows; y++) {
        int used = used_columns(c, y);
        for (int x = 0; x < used; x++) {
            uint32_t code = canvas_at(c, x, y)->code;
            if (code != 0)
                buf_add(out, bytes, (size_t)utf8_put(bytes, code));
        }
        buf_putc(out, '\n');
    }
}

/* A role's name, "quiet", and "hue 0" for the hue of rank 0. */
static const char *
role_text(int role, struct buf *out)
{
    static const char *const names[] = {"text", "quiet", "accent", "current",
                                        "warning", "correct", "black", "white"};

    buf_clear(out);
    if (role < ROLE_TREE)
        buf_puts(out, names[role]);
    else if (role >= ROLE_ORIGIN)
        buf_addf(out, "hue %d", role - ROLE_ORIGIN);
    else if (role >= ROLE_HEAT)
        buf_addf(out, "heat %d", role - ROLE_HEAT);
    else
        buf_addf(out, "%s %d", role < ROLE_LEARN ? "tree" : "list",
                 role - (role < ROLE_LEARN ? ROLE_TREE : ROLE_LEARN));
    return buf_text(out);
}

/* The pens of a canvas: a letter for each cell, '.' if it is plain, without
 * those at the end of a row; then what each letter is, a role, the role below
 * it, and attributes. */
__attribute__((unused)) static void
canvas_pens(const struct canvas *c, struct buf *out)
{
    static const char letters[] = ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO"
                                  "PQRSTUVWXYZ0123456789";
    struct pen pens[sizeof letters] = {{0}};
    OWN(buf) fg = {0}, bg = {0};
    int count = 1, used, i;

    for (int y = 0; y < c->rows; y++) {
        for (used = c->columns; used > 0; used--)
            if (!pen_same(canvas_at(c, used - 1, y)->pen, plain))
                break;
        for (int x = 0; x < used; x++) {
            const struct pen pen = canvas_at(c, x, y)->pen;
            for (i = 0; i < count && !pen_same(pens[i], pen); i++)
                ;
            if (i == count && letters[count] != '\0')
                pens[count++] = pen;
            buf_putc(out, letters[i]);
        }
        buf_putc(out, '\n');
    }
    for (i = 1; i < count; i++)
        buf_addf(out, "%c: %s on %s%s%s%s%s\n", letters[i],
                 role_text(pens[i].fg, &fg), role_text(pens[i].bg, &bg),
                 pens[i].attrs & ATTR_BOLD ? " bold" : "",
                 pens[i].attrs & ATTR_REVERSE ? " reverse" : "",
                 pens[i].attrs & ATTR_UNDERLINE ? " underlined" : "",
                 pens[i].attrs & ATTR_AREA ? " area" : "");
}

/* The key that a click stands for; 0: none. */
__attribute__((unused)) static int
key_at(const struct canvas *c, int x, int y)
{
    struct target target = canvas_target_at(c, (struct point){x, y});

    return target.kind == TARGET_KEY ? target.number : 0;
}

/* The cell at which a text, of ASCII and in one row, begins; NULL: none. */
__attribute__((unused)) static const struct cell *
canvas_find(const struct canvas *c, const char *text)
{
    int length = (int)strlen(text), same;

    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x + length <= c->columns; x++) {
            const struct cell *at = canvas_at(c, x, y);
            for (same = 0; same < length; same++)
                if (at[same].code != (unsigned char)text[same])
                    break;
            if (same == length)
                return at;
        }
    return NULL;
}

#endif
