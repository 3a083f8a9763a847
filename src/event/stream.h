/* SPDX-License-Identifier: MIT */
/* The stream: items (event/event.h) as lines of JSON, one object a line, keys
 * in a fixed order.  Recordings and --json are this one format.
 *
 *     run       what runs, and where: always the first line
 *     step      one step of the schedule, all its transfers
 *     input     the input of a rank
 *     transfer  an event; "ledger", "length" and "values" are what the
 *               destination slots hold afterwards
 *     divide    avg: a rank divided its output by the number of ranks
 *     state     the slots of a rank's output after a step, as sums; written
 *               by --json for the reader's convenience, skipped when read
 *     result    the verdict
 *     end       "complete" is false for a run that was quit; a file without
 *               this line is truncated
 *
 * A ledger row is a list of [rank, chunk, times]; above LEDGER_RANKS ranks it
 * is [count, "0x" and the sum of keys].  STREAM.md lists every key. */
#ifndef EVENT_STREAM_H
#define EVENT_STREAM_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"
#include "schedule/program.h"

enum {
    STREAM_VERSION = 1,
    STREAM_LINE_MAX = 64 << 20, /* bytes */
};

struct stream_writer {
    const struct run_info *run; /* of the last ITEM_RUN; borrowed */
    const struct schedule *schedule;
    int64_t lines;
    bool steps_known; /* by the reader: write no step lines */
};

/* Appends the lines of an item. */
void stream_write(struct stream_writer *w, const struct item *item,
                  struct buf *out);

/* Appends a state line with `nslots` contents of a rank after a step. */
void stream_write_state(struct stream_writer *w, int step, int rank,
                        const uint64_t *contents, int nslots,
                        struct buf *out);

struct stream_reader;

enum stream_got {
    STREAM_ITEM,
    STREAM_MORE, /* no item yet: go on with the next line */
    STREAM_OVER,
    STREAM_FAILED
};

/* A reader of an open file, which the caller closes; `name` is for errors.  It
 * checks everything, and bounds what it allocates by the size of the file and
 * by fixed limits.  If `file` is NULL, the caller passes in lines
 * (stream_take()).  If `known` is not NULL, it is the schedule that must run;
 * step lines are not expected. */
struct stream_reader *stream_reader_new(FILE *file,
                                        const struct schedule *known,
                                        const char *name);
void stream_reader_free(struct stream_reader *r);

/* Reads the next item.  What it points to is valid until the next call; the run
 * and its schedule are valid until the reader is freed.  Errors name the file
 * and the line.  STREAM_OVER follows the end line. */
enum stream_got stream_read(struct stream_reader *r, struct item *item,
                            struct err *err);

/* Takes the next line, without its newline. */
enum stream_got stream_take(struct stream_reader *r, const char *line,
                            size_t length, struct item *item,
                            struct err *err);

/* Puts "FILE:LINE: " of the last item read before an error. Returns false. */
bool stream_blame(const struct stream_reader *r, struct err *err);

/* Its words for enum instr_fault. */
static const char *const stream_faults[] = {
    [FAULT_NONE] = "none",
    [FAULT_DROP] = "drop",
    [FAULT_REPEAT] = "repeat",
    [FAULT_CORRUPT] = "corrupt",
    NULL,
};

#endif
