/* SPDX-License-Identifier: MIT */
/* The keys of the stream's lines (event/STREAM.md), each of which is written
 * and read by one function.  Contents of slots, and steps, are lists that
 * event/stream.c writes and reads.
 *
 * Writing changes nothing; reading checks every value by itself.  A line that
 * is written begins with its type. */
#ifndef EVENT_LINE_H
#define EVENT_LINE_H

#include "base/json.h"
#include "event/event.h"

/* The words for enum event_op. */
extern const char *const line_ops[];

/* The algorithm's name, when read, belongs to the object. */
bool line_run(const struct json_line *l, struct schedule_spec *s, int *nsteps,
              struct run_info *run);

/* *in is where the input of the rank is. */
bool line_input(const struct json_line *l, const struct run_info *run,
                const struct schedule *s, int *rank, struct region *in);

bool line_transfer(const struct json_line *l, const struct schedule *s,
                   struct event *e);
bool line_divide(const struct json_line *l, const struct schedule *s,
                 struct event *e);

/* bytes_sent has room for what is read. */
bool line_result(const struct json_line *l, const struct schedule *s,
                 struct run_result *r);

/* `lines`: how many there are, with this one. */
bool line_end(const struct json_line *l, int64_t lines, bool *complete);

#endif
