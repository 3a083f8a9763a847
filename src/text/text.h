/* SPDX-License-Identifier: MIT */
/* A run as text, for simple terminals, screen readers, pipes and people who
 * prefer to read:
 *
 *     step 1/4 reduce-scatter
 *       GPU0 =>(A2) GPU1
 *       ...
 *       GPU0 [A0 | A1+C1 | A2]
 *
 * Above TEXT_RANKS ranks each step is one line, unless `states` is true. */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H

#include <stdio.h>

#include "base/buf.h"
#include "model/world.h"

enum { TEXT_RANKS = 16 };

/* One complete step: "GPU0 =>(A2) GPU1", and "~>" to another host; or, for step
 * 0, the input of every rank. Moves the world's position to this step. */
void text_step(struct world *w, int step, bool states, struct buf *out);

/* The same in parts: its first line, without the newline, and the lines below
 * it.  text_step_rows() moves the world's position. */
struct step_row {
    bool holds;    /* what a rank holds: "GPU0", "[A0 | A1]" */
    struct buf who, what; /* else all is in `who`: "GPU0 =>(A2) GPU1" */
};
struct step_rows {
    struct step_row *rows;
    size_t count, room;
};
void text_step_head(const struct world *w, int step, bool states,
                    struct buf *out);
void text_step_rows(struct world *w, int step, bool states,
                    struct step_rows *rows);
void step_rows_add(const struct step_rows *rows, struct buf *out);
void step_rows_done(struct step_rows *rows);

/* The verdict, the bytes sent, and where the ranks ran. */
void text_result(struct world *w, struct buf *out);

/* "ring all-reduce". Here and below, names that come from a file are
 * escaped. */
void text_title(const struct schedule *s, struct buf *out);

/* "step 3/4 all-gather" */
void text_step_title(const struct schedule *s, int step, struct buf *out);

/* "3 GPUs (threads on 2 cores)", or "modelled: 8 GPUs on ethernet; run on 2
 * cores (threads)" */
void text_where(const struct world *w, struct buf *out);

/* "6 elements"; of uneven inputs "3,0,5,2 elements", or "up to 5 elements" */
void text_elements(const struct world *w, struct buf *out);

/* "modelled: 8 GPUs on ethernet" */
void text_modelled(const struct schedule *s, const char *network,
                   struct buf *out);

/* The same, and the order of ranks, if the run's times are a network's. */
void text_network(const struct world *w, struct buf *out);

/* The device that a rank runs on. NULL if ranks have no device of their own,
 * but share the cores. */
const char *text_device(const struct run_info *run, int rank);

/* How long it takes to read a text.  People read 228 words of English or 255
 * characters of Chinese a minute (Trauzettel-Klosinski & Dietz 2012), so each
 * takes about 250 ms.  A word is what stands between blanks, or a character two
 * columns wide. */
int64_t text_reading_ns(const char *text);

/* How long it takes to say it to a class: 130 words of English or 240
 * characters of Chinese a minute (lessons/TEACHING.md). */
int64_t text_speaking_ns(const char *text);

/* The promises of each collective, as a table:
 *
 *                       from       to         parts     adds up
 *     all-reduce        all ranks  all ranks  1 -> 1    +
 *         every rank ends with the sum of all ranks' inputs
 *     ... */
void text_promises(struct buf *out);

/* A run as a Chrome trace, which Perfetto (ui.perfetto.dev) opens. Each rank
 * has a track with every transfer that it received and every wait before one.
 * Arrows lead from the event that produced the data to the transfer that moved
 * it.  All times are measured; the run, and with it the input, begins at 0.
 * Source of the format: "Trace Event Format", the Chromium project.
 *
 * Appends one JSON object: the names of the tracks and the input, then each
 * step in order, and the divisions of avg.  After each step flush() may write
 * the text to a file and empty it, unless it is NULL.  Changes the world's
 * position. */
void trace_write(struct world *w, struct buf *out,
                 void (*flush)(struct buf *out, FILE *to), FILE *to);

#endif
