/* SPDX-License-Identifier: MIT */
/* Collectives: what each one promises, whatever the algorithm.
 *
 * A rank's input is cut into units (as many as there are ranks if the
 * collective deals them out, else one) and every unit into `pieces` chunks (P
 * below), a number that the algorithm chooses.  A chunk is known by the rank it
 * comes from and its index in that rank's input: B2 is chunk 2 of rank 1.
 *
 * | collective     | input    | output   | output chunk j of rank r          |
 * |----------------|----------|----------|-----------------------------------|
 * | broadcast      | root: 1  | 1        | chunk j of the root               |
 * | reduce         | 1        | root: 1  | the sum of chunk j over all ranks |
 * | scatter        | root: N  | 1        | chunk rP+j of the root            |
 * | gather         | 1        | root: N  | chunk j mod P of rank j/P         |
 * | allgather      | 1        | N        | chunk j mod P of rank j/P         |
 * | reduce-scatter | N        | 1        | the sum of chunk rP+j             |
 * | alltoall       | N        | N        | chunk rP + j mod P of rank j/P    |
 * | sendrecv       | 1        | 1        | chunk j of rank r-1 mod N         |
 * | allreduce      | 1        | 1        | the sum of chunk j over all ranks |
 * | scan           | 1        | 1        | the same over ranks 0 to r        |
 * | exscan         | 1        | r > 0: 1 | the same over ranks 0 to r-1      |
 *
 * In place, input and output are one buffer; if one of them has one unit and
 * the other N, the one is unit r of the other.
 *
 * A collective is one row of the table in collective.c. */
#ifndef SCHEDULE_COLLECTIVE_H
#define SCHEDULE_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/near.h"

enum collective_units { UNITS_ONE, UNITS_RANKS };

/* Which ranks have an input, or an output. */
enum collective_at { AT_ALL, AT_ROOT, AT_ALL_BUT_FIRST };

/* Whose inputs are added up for a rank. */
enum collective_sum { SUM_NONE, SUM_ALL, SUM_UP_TO, SUM_BEFORE };

/* What an output chunk must hold: the sum of a chunk of ranks first to last. */
struct promise {
    int first, last;
    int chunk;
};

enum { COLLECTIVE_ALIASES = 6 };

struct collective {
    const char *name; /* as in ALGORITHM-COLLECTIVE: "allreduce" */
    const char *aliases[COLLECTIVE_ALIASES]; /* the last one is NULL */
    const char *title; /* as people write it: "all-reduce" */
    enum collective_sum reduces; /* uses the reduction operator */
    enum collective_units input, output;
    enum collective_at input_at, output_at;
    const char *least_formula; /* collective_least_sent() */
    const char *what; /* one sentence, to be translated */
    const char *elsewhere; /* what others call it, and why; one sentence, to be
                            * translated, or NULL */
};

/* Finds a collective by its name or an alias. Returns NULL if there is none. */
const struct collective *collective_find(const char *name);

/* The same for a name that was typed: returns false, with an error that says
 * what is near, if there is none. */
bool collective_named(const char *name, const struct collective **c,
                      struct err *err);

/* Considers all names that collective_find() knows. */
void collective_near(struct near *n);

/* The table, by index from 0. Returns NULL after the last one. */
const struct collective *collective_at(int index);

/* A lower bound on what the busiest rank sends, in inputs of a rank. */
double collective_least_sent(const struct collective *c, int nranks);

/* Whether it has a root. */
bool collective_rooted(const struct collective *c);

int collective_units(enum collective_units units, int nranks);

/* A rank's letter in the names of chunks.  Letters run A to Z without S, which
 * names complete sums, then AA, AB, ... */
enum { LABEL_LETTERS = 25, LABEL_RANK_MAX = 8 };

/* Writes "A", "B", ..., "R", "T", ..., "Z", "AA", ... Returns `text`. */
const char *label_rank(int rank, char text[LABEL_RANK_MAX]);

/* nccl-tests' arithmetic: what a size means for each collective, and the
 * bandwidths that follow from a time.
 *
 *     size = bandwidth_size(collective, 4, 4, 1 << 20);   1 MiB of float32
 *     algbw = size.bytes / ns                             GB/s, 1e9 bytes
 *     busbw = algbw * bandwidth_factor(collective, 4)
 *
 * As in nccl-tests 2.19: GetCollByteCount and GetBw of src/all_reduce.cu and
 * the other tests. */
struct bandwidth_size {
    int64_t count; /* elements, as nccl-tests counts them: of a unit where a
                    * collective deals units out to ranks */
    int64_t input; /* elements of a rank's input */
    int64_t bytes; /* of the larger one of input and output */
};

/* What `bytes` are for a collective of elements of `element` bytes.  A unit is
 * cut to a multiple of 16 bytes, so small sizes become 0. */
struct bandwidth_size bandwidth_size(const struct collective *c, int nranks,
                                     size_t element, int64_t bytes);

/* busbw / algbw: what the busiest link must carry, relative to the size, so
 * that busbw can be compared with the speed of a link, whatever the number of
 * ranks. */
double bandwidth_factor(const struct collective *c, int nranks);

#endif
