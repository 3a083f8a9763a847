/* SPDX-License-Identifier: MIT */
/* Names for data: a letter for the rank it comes from, a number for the chunk
 * of that rank's input.  Letters run A to Z without S, which names complete
 * sums, then AA, AB, ... */
#ifndef SCHEDULE_LABEL_H
#define SCHEDULE_LABEL_H

enum { LABEL_LETTERS = 25, LABEL_RANK_MAX = 8 };

/* Writes "A", "B", ..., "R", "T", ..., "Z", "AA", ... Returns `text`. */
const char *label_rank(int rank, char text[LABEL_RANK_MAX]);

#endif
