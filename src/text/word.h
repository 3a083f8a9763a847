/* SPDX-License-Identifier: MIT */
/* Figures and names as values, to be arguments of a format:
 *
 *     buf_addf(&line, _("in %s"), word_ns(ns, false).text);
 */
#ifndef TEXT_WORD_H
#define TEXT_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "schedule/schedule.h"

struct event;

struct word {
    char text[48];
};

/* The text that a format makes, as far as there is room. */
struct word word_of(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* "32 B", "1.50 KiB", "12 MiB", "12.3 MiB" */
struct word word_bytes(int64_t bytes);

/* The bytes of a rank's input: "20 B"; where they are uneven, of the longest
 * one: "up to 20 B". */
struct word word_input_bytes(const struct schedule *s, int64_t count,
                             enum dtype type);

/* "840 ns", "21.3 us", "4.99 ms", "1.20 s": three digits; if `brief`, fewer:
 * "1.5 us", "2 us", "21 us". */
struct word word_ns(int64_t ns, bool brief);

/* A number counts bytes, ranks, microseconds, GB/s (of 1e9 bytes), or nothing.
 * The number in words: "1 KiB", "21.3 us", "840 MB/s", "0.25"; NAN is "-".
 * `brief` leaves out what the ticks of an axis do not need. */
enum unit { UNIT_NUMBER, UNIT_BYTES, UNIT_RANKS, UNIT_TIME, UNIT_RATE };
struct word word_unit(enum unit unit, double value, bool brief);

/* "GPU 3"; "switch", or "switch 1" where there are several; and the columns
 * that the names of all ranks need. */
struct word word_rank_name(const struct schedule *s, int rank);
int word_rank_columns(const struct schedule *s);

/* "GPU 3", "the switch" */
struct word word_rank(const struct schedule *s, int rank);

/* "GPU3", "switch" */
struct word word_rank_id(const struct schedule *s, int rank);

/* "8 GPUs" */
struct word word_gpus(int count);

/* "64 chunks" */
struct word word_chunks(int count);

/* "2.00 us for GPU 0": how long a transfer waited, and for whom; "" if it did
 * not. */
struct word word_wait(const struct schedule *s, const struct event *e);

#endif
