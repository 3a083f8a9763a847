/* SPDX-License-Identifier: MIT */
/* What collviz and a worker say to each other: a line of JSON each.
 *
 * To the worker, in this order:
 *
 *     run, step...   the schedule, as the stream has it (event/stream.h), with
 *                    type, operator, count and pace; "devices" is empty
 *     input          {"rank","from","values"}: elements of a rank's input, from
 *                    element "from" on; who is given none takes the default
 *                    pattern (base/dtype.h)
 *     delay          {"rank","ns"}: before each of its steps; -1: for ever
 *     fault          {"kind","step","src"}: to what src sends in that step
 *     load           {"in_turn","native"}: that was all; make the ranks.
 *                    in_turn: tell what was granted once it is over, rank by
 *                    rank; native, if it is there and true: in the end let
 *                    the library do it as well
 *     go             {"to"}: let ranks run up to and with that step
 *     abort          end at once, whatever runs
 *
 * From the worker: the stream, without step lines, and between its lines
 *
 *     caught_up      all is reported: after load the inputs, after go the
 *                    events up to that step, at last the result and the end
 *     alive          at least every REQUEST_ALIVE_MS while ranks run
 *     busy           they do not; the next line may take its time
 *
 * A worker that can not go on says why on stderr and ends with status 1
 * (base/child.h).  Whoever reads checks everything, on both sides. */
#ifndef RUN_REQUEST_H
#define RUN_REQUEST_H

#include "base/buf.h"
#include "run/backend.h"

#define REQUEST_CAUGHT_UP "{\"type\":\"caught_up\"}"
#define REQUEST_ALIVE "{\"type\":\"alive\"}"
#define REQUEST_BUSY "{\"type\":\"busy\"}"

enum { REQUEST_ALIVE_MS = 500 };

/* Appends lines, each with its newline. */
void request_write_load(const struct schedule *s, const struct run_options *o,
                        struct buf *out);
void request_write_go(int to, struct buf *out);
void request_write_abort(struct buf *out);

/* The worker's side: lines are taken one by one. */
struct request_reader;

enum request_got {
    REQUEST_MORE, /* more has to come before anything is to be done */
    REQUEST_LOAD, /* schedule and options are complete */
    REQUEST_GO,   /* up to *to, which has not been granted before */
    REQUEST_ABORT,
    REQUEST_FAILED
};

struct request_reader *request_reader_new(void);
void request_reader_free(struct request_reader *r);
enum request_got request_take(struct request_reader *r, const char *line,
                              int *to, struct err *err);

/* The reader's; complete after REQUEST_LOAD. */
const struct schedule *request_schedule(const struct request_reader *r);
const struct run_options *request_options(const struct request_reader *r);

#endif
