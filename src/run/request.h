/* SPDX-License-Identifier: MIT */
/* The protocol between collviz and a worker: lines of JSON.
 *
 * To the worker, in this order:
 *
 *     run, step...   the schedule, as the stream has it (event/stream.h), with
 *                    type, operator, count and pace; "devices" is empty
 *     input          {"rank","from","values"}: elements of a rank's input, from
 *                    element "from" on; a rank without any has the default
 *                    pattern (base/dtype.h)
 *     run, step...   twice, for a mismatch: the schedule that one rank follows,
 *                    then the one that the others follow (schedule/mismatch.h)
 *     load           members of struct run_options, which may be left out
 *                    (pass_load() in request.c): the request is complete; make
 *                    the ranks
 *     go             {"to"}: let ranks run up to and including that step
 *     again          the run has ended: drop it, and read another request
 *     abort          end at once, whatever is running
 *
 * From the worker: the stream, without step lines, and between its lines, at
 * least every REQUEST_ALIVE_MS while ranks run,
 *
 *     alive          {"caught_up","busy","received","note"}: how it is, struct
 *                    request_state; all may be left out
 *
 * A worker that cannot go on writes the reason to stderr and exits with status
 * 1 (base/child.h).  Both sides check everything they read. */
#ifndef RUN_REQUEST_H
#define RUN_REQUEST_H

#include "base/buf.h"
#include "run/backend.h"
#include "run/machine.h"

#define REQUEST_AGAIN_LINE "{\"type\":\"again\"}"
#define REQUEST_ABORT_LINE "{\"type\":\"abort\"}"

enum {
    REQUEST_ALIVE_MS = 500,
    REQUEST_NOTE_MAX = 256, /* bytes */
    /* Bytes that a worker behind a launcher may not have read yet.  MPICH's
     * launcher gives up if they do not fit in a pipe, which holds 64 KiB. */
    REQUEST_AHEAD = 32 << 10,
};

struct request_state {
    bool caught_up; /* everything is reported: after load the inputs, after go
                     * the events up to that step, finally result and end; until
                     * more is asked for */
    bool busy;    /* the next line may take longer than REQUEST_ALIVE_MS */
    int received; /* so many bytes more of what was sent to it have been read;
                   * for child_limit(), see REQUEST_AHEAD */
    char note[REQUEST_NOTE_MAX]; /* what the run waits for (run_note() in
                                  * run/backend.h); "": nothing */
};

/* Reads a line if it is an alive line.  Returns false, and leaves *s, for all
 * others, and for those that are not valid. */
bool request_read_state(const char *line, struct request_state *s);

/* Appends lines, each with its newline. */
void request_write_state(const struct request_state *s, struct buf *out);
void request_write_load(const struct schedule *s, const struct run_options *o,
                        struct buf *out);
void request_write_go(int to, struct buf *out);

/* The worker's side takes lines one by one. */
struct request_reader;

enum request_got {
    REQUEST_MORE, /* the request is not complete yet */
    REQUEST_LOAD, /* schedule and options are complete */
    REQUEST_GO,   /* run up to step *to, which was not granted before */
    REQUEST_AGAIN, /* a new reader takes the next request */
    REQUEST_ABORT,
    REQUEST_FAILED
};

struct request_reader *request_reader_new(void);
void request_reader_free(struct request_reader *r);
enum request_got request_take(struct request_reader *r, const char *line,
                              int *to, struct err *err);

/* Complete after REQUEST_LOAD. The reader owns them. */
const struct schedule *request_schedule(const struct request_reader *r);
const struct run_options *request_options(const struct request_reader *r);

/* The main loop of a worker: requests come in, the stream goes out
 * (run/request.h), and a machine runs the ranks. */

/* Serves one run, from standard input to standard output, until collviz ends
 * it. Returns false, with the reason, on failure; the machine's run is then
 * left as it is, since freeing it could wait for a device that hangs. */
bool serve(const struct machine *machine, struct err *err);

#endif
