/* SPDX-License-Identifier: MIT */
/* A run of collviz on a screen, for tests that drive it by keys. COLLVIZ is the
 * program. */
#ifndef TESTS_SCREEN_RUN_H
#define TESTS_SCREEN_RUN_H

#include "lab.h"
#include "tap.h"
#include "terminal.h"

TAP_UNUSED static char *
program(void)
{
    char *path = getenv("COLLVIZ");

    return path != NULL ? path : (char *)"src/collviz";
}

TAP_UNUSED static void
start(struct terminal *t, int columns, int rows, const char *ranks,
      const char *more, const char *value)
{
    char *argv[] = {program(), (char *)"ring-allreduce", (char *)"--gpus",
                    (char *)ranks, (char *)more, (char *)value, NULL};

    terminal_start(t, columns, rows, argv);
}

/* The position of `text` on the screen. */
TAP_UNUSED static bool
find(const struct terminal *t, const char *text, VTermPos *pos)
{
    size_t length = strlen(text), matched;

    for (pos->row = 0; pos->row < t->rows; pos->row++)
        for (pos->col = 0; pos->col + (int)length <= t->columns; pos->col++) {
            for (matched = 0; matched < length; matched++) {
                VTermScreenCell cell;
                VTermPos at = {pos->row, pos->col + (int)matched};
                vterm_screen_get_cell(t->screen, at, &cell);
                if (cell.chars[0] != (unsigned char)text[matched])
                    break;
            }
            if (matched == length)
                return true;
        }
    return false;
}

/* The background colour, of 256, under `text`; -1: the default of the
 * terminal. */
TAP_UNUSED static int
ground_of(const struct terminal *t, const char *text)
{
    VTermScreenCell cell;
    VTermPos pos;

    if (!find(t, text, &pos))
        return -2;
    vterm_screen_get_cell(t->screen, pos, &cell);
    if (VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) ||
        VTERM_COLOR_IS_DEFAULT_FG(&cell.bg))
        return -1;
    return VTERM_COLOR_IS_INDEXED(&cell.bg) ? cell.bg.indexed.idx : -3;
}

TAP_UNUSED static void
go(struct terminal *t, const char *step)
{
    terminal_type(t, "g");
    terminal_type(t, step);
    terminal_type(t, "\r");
}

TAP_UNUSED static void
screen_begin(void)
{
    lab_make();
    setenv("TERM", "xterm-256color", 1);
    unsetenv("NO_COLOR");
    unsetenv("COLORTERM");
}

#endif
