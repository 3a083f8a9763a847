/* SPDX-License-Identifier: MIT */
/* A run as text, for terminals that can do no more, screen readers, pipes and
 * people who like to read:
 *
 *     step 1/4 reduce-scatter
 *       GPU0 =>(A2) GPU1
 *       ...
 *       GPU0 [A0 | A1+C1 | A2]
 *
 * Above TEXT_RANKS ranks a step is one line, unless all states are wanted. */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H

#include "base/buf.h"
#include "model/world.h"

enum { TEXT_RANKS = 16 };

/* What every rank begins with. */
void text_input(struct world *w, bool states, struct buf *out);

/* A complete step. Leaves the world's position at it. */
void text_step(struct world *w, int step, bool states, struct buf *out);

/* The verdict, what was sent, what ran where. */
void text_result(struct world *w, struct buf *out);

/* "ring all-reduce". What a file says is escaped, here and in what follows. */
void text_title(const struct schedule *s, struct buf *out);

/* "step 3/4 all-gather" */
void text_step_title(const struct schedule *s, int step, struct buf *out);

/* "3 ranks on 2 cores (threads)" */
void text_where(const struct world *w, struct buf *out);

/* The device that a rank lives on; NULL where it is nothing of its own (a core
 * that all share). */
const char *text_device(const struct run_info *run, int rank);

/* "32 B", "1.5 KiB", "12 MiB": at most three digits. */
void text_bytes(int64_t bytes, struct buf *out);

/* "840 ns", "21.3 us", "4.99 ms", "1.20 s": three digits; in brief "1.5 us",
 * "2 us", "21 us". */
void text_ns(int64_t ns, bool brief, struct buf *out);

#endif
