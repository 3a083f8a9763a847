/* SPDX-License-Identifier: MIT */
/* One rank's slots and their ledger rows, in memory of this process. */
#ifndef RUN_RANK_MEMORY_H
#define RUN_RANK_MEMORY_H

#include "run/input.h"
#include "run/slot.h"
#include "schedule/schedule.h"

struct rank_memory {
    int rank, nranks;
    int nslots;
    int element; /* bytes */
    struct rank_slot *slots;
    uint64_t *rows; /* ledger_words(nranks) of each slot; NULL: plain */
};

/* A slot's row. There must be rows. */
uint64_t *rank_memory_row(const struct rank_memory *m, int slot);

/* Writes the rank's input into its slots `region`, lengths[i] elements into the
 * i-th.  With rows, also writes the rows of the input, and dtype_unwritten()
 * into all other slots, so that no result that reads them is right by luck. */
void rank_memory_input(const struct rank_memory *m, struct region region,
                       const int64_t *lengths, const struct input *in);

/* Writes a slot's content, content_words(nranks) words (event/ledger.h): its
 * row, and `length` elements. */
void rank_memory_content(const struct rank_memory *m, int slot, int64_t length,
                         uint64_t *words);

#endif
