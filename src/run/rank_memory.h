/* SPDX-License-Identifier: MIT */
/* The memory of payloads: the inputs of a run, slots, and one rank's slots with
 * their ledger rows, in memory of this process. */
#ifndef RUN_RANK_MEMORY_H
#define RUN_RANK_MEMORY_H

#include <stdint.h>

#include "base/dtype.h"
#include "schedule/schedule.h"

/* The inputs of all ranks of a run. */
struct input {
    enum dtype type;
    enum redop op;
    int64_t count; /* elements of each rank */
    const unsigned char *given; /* [(rank - first) * count + index], or NULL:
                                 * the default pattern (dtype_default) */
    int first; /* the rank whose elements are given first */
};

/* Writes `count` elements of a rank's input, from `index` on. */
void input_elements(const struct input *in, int rank, int64_t index,
                    int64_t count, void *elements);

/* All elements of a rank's input; the caller frees them. */
unsigned char *input_copy(const struct input *in, int rank);

struct rank_slot {
    unsigned char *data;
    int64_t length; /* elements that fit */
};

/* The payloads of all ranks. */
struct rank_slots {
    const struct rank_slot *slots; /* [rank * nslots + slot] */
    int nslots;
    const uint64_t *ledger; /* rows, in the same order; NULL: plain */
};

/* One slot of an instruction, with addresses. */
struct rank_move {
    unsigned char *dst;
    const unsigned char *add, *src;
    int64_t length; /* elements */
};

struct rank_memory {
    int rank, nranks;
    int nslots;
    int element; /* bytes */
    struct rank_slot *slots;
    uint64_t *rows; /* ledger_words(nranks) of each slot; NULL: plain */
    bool uneven;    /* a chunk without elements is not there (counts.h) */
};

/* A slot's row. There must be rows. */
uint64_t *rank_memory_row(const struct rank_memory *m, int slot);

/* Writes the rank's input into its slots `region`, lengths[i] elements into the
 * i-th.  With rows, also writes the rows of the input, and dtype_unwritten()
 * into all other slots, so that no result that reads them is right by luck. */
void rank_memory_input(const struct rank_memory *m, struct region region,
                       const int64_t *lengths, const struct input *in);

#endif
