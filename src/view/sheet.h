/* SPDX-License-Identifier: MIT */
/* A text that fills the screen, and is read by scrolling:
 *
 *     lessons/code/allreduce_mpi_nccl.c                    23-44 of 243
 *
 *      23 #define MPI_TRY(call) \
 *      24     do { \
 *     ...
 *     ↑↓ line  Space page  Esc
 *
 * A line that is too long goes on in the next row.  The text may be anybody's:
 * the canvas escapes it. */
#ifndef VIEW_SHEET_H
#define VIEW_SHEET_H

#include "draw/canvas.h"
#include "view/keys.h"

struct sheet {
    const char *title, *text;
    bool numbered; /* each line has its number */
    int top;       /* the first row that shows, from 0 */
};

/* Scrolls by what a key asks for, on a screen of this size. */
void sheet_scroll(struct sheet *s, int request, int columns, int rows);

/* Draws the sheet, with its keys in the last row. */
void sheet_draw(const struct sheet *s, enum glyph_set set, struct canvas *c);

/* Draws a notice, whole if the area has so many rows, at the bottom of the
 * area, and clears these rows of the canvas.  An alarm has a sign before it.
 * Returns its rows; without a canvas only counts them. */
int sheet_notice(const char *text, bool alarm, struct canvas *c,
                 struct rect area);

/* Whether the canvas of a screen has fewer columns or rows than are needed.  If
 * so, draws a message with both sizes, and nothing else. */
bool too_small(struct canvas *c, int columns, int rows);

#endif
