/* SPDX-License-Identifier: MIT */
/* The stream: items (event/event.h) as lines of JSON, one object a line, keys
 * in a fixed order.  Recordings and --json are this one format.
 *
 *     run       what runs, and where: always the first line
 *     step      one step of the schedule, all its transfers
 *     input     what a rank begins with
 *     transfer  an event; "ledger", "length" and "values" tell what the
 *               destination slots hold afterwards
 *     divide    avg: a rank divided its output by the number of ranks
 *     state     the slots of a rank's output after a step, as sums; told by
 *               --json for its readers' convenience, skipped when read
 *     result    the verdict
 *     end       "complete" is false for a run that was quit; a file without
 *               this line was cut
 *
 * A ledger row is a list of [rank, chunk, times]; above LEDGER_RANKS ranks it
 * is [count, "0x" and the sum of keys].  src/HACKING.md lists every key. */
#ifndef EVENT_STREAM_H
#define EVENT_STREAM_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"

enum {
    STREAM_VERSION = 1,
    STREAM_LINE_MAX = 64 << 20, /* bytes */
};

struct stream_writer {
    const struct run_info *run; /* of the last ITEM_RUN; borrowed */
    const struct schedule *schedule;
    int64_t lines;
    bool steps_known; /* by who reads it: no step lines */
};

/* Appends an item's lines. */
void stream_write(struct stream_writer *w, const struct item *item,
                  struct buf *out);

/* Appends a state line: `nslots` contents of a rank after a step. */
void stream_write_state(struct stream_writer *w, int step, int rank,
                        const uint64_t *contents, int nslots,
                        struct buf *out);

struct stream_reader;

enum stream_got {
    STREAM_ITEM,
    STREAM_MORE, /* the line is part of an item, or of none */
    STREAM_OVER,
    STREAM_FAILED
};

/* Reads items from an open file, which stays the caller's; `name` is for
 * errors.  Everything in it is checked, and what it makes the reader allocate
 * is bounded by the file's own size and by fixed limits. Without a file, lines are
 * handed in. */
struct stream_reader *stream_reader_new(FILE *file, const char *name);

/* For lines that come otherwise (file NULL above, stream_take() below), from
 * who was given the schedule `s`, runs nothing else, and says no step lines. */
struct stream_reader *stream_reader_of(const struct schedule *s,
                                       const char *name);
void stream_reader_free(struct stream_reader *r);

/* The next item; what it points to is the reader's, good until the next call
 * (the run and its schedule: until the reader is freed).  Errors name the file
 * and the line. STREAM_OVER follows the end line. */
enum stream_got stream_read(struct stream_reader *r, struct item *item,
                            struct err *err);

/* The same from the next line, without its newline. */
enum stream_got stream_take(struct stream_reader *r, const char *line,
                            size_t length, struct item *item,
                            struct err *err);

/* Puts "FILE:LINE: ", of the last item read, before an error. Returns false. */
bool stream_blame(const struct stream_reader *r, struct err *err);

#endif
