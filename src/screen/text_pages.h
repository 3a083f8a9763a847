/* SPDX-License-Identifier: MIT */
/* Texts that fill the screen, and are read by scrolling: the program of a
 * lesson, and what each collective promises.
 *
 *     lessons/code/allreduce_mpi_nccl.c                    23-44 of 243
 *
 *      23 #define MPI_TRY(call) \
 *      24     do { \
 *     ...
 *     ↑↓ line  Space page  Esc
 *
 * A line that is too long goes on in the next row, below its text.  The text
 * may be anybody's: the canvas escapes it. */
#ifndef SCREEN_TEXT_PAGES_H
#define SCREEN_TEXT_PAGES_H

#include "screen/window.h"

/* Shows what each collective promises, until a key leads back. */
void text_pages_promises(const struct window *window);

/* Shows the whole program of a lesson (lesson/shelf.h), or a notice on the
 * window if it cannot be read or there is none (`name` NULL). */
void text_pages_program(struct window *window, const char *lesson,
                        const char *name);

/* Shows the result of an exam, until a key leads back. */
void text_pages_result(struct screen *screen, bool ascii, const char *title,
                       const struct buf *text);

struct text_page {
    const char *title, *text;
    bool numbered; /* each line has its number */
    bool result;   /* its signs and bars have colours */
    int top;       /* the first row that shows, from 0 */
};

/* Draws the page, with its keys in the last row. */
void text_pages_draw(const struct text_page *p, struct canvas *c);

#endif
