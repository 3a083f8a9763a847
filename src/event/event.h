/* SPDX-License-Identifier: MIT */
/* Events: what ranks report, one record per transfer they carried out.
 *
 * A backend yields items (below) in this order: the run with its schedule,
 * each rank's input; then transfers, each rank's in its own order; the
 * result, the end.  Everything behind it, the world, the recorder, the text,
 * is fed with these and knows nothing else.  event/stream.h writes and reads
 * them as lines of JSON. */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "event/ledger.h"
#include "schedule/schedule.h"

enum event_op {
    EVENT_COPY,
    EVENT_REDUCE,
    EVENT_DIVIDE /* avg: a rank divided its output by the number of ranks */
};

struct event {
    int32_t step;  /* from 1 */
    int32_t slice; /* from 0: which part of each chunk */
    int32_t src, dst;
    int32_t src_slot, dst_slot, nslots;
    uint8_t op;        /* enum event_op */
    uint8_t fault;     /* enum instr_fault: what was done to it on purpose */
    int32_t waited_for; /* the rank that kept it waiting, -1 for none */
    int64_t bytes;     /* that came over the link; 0 within a rank */
    int64_t begin_ns, end_ns; /* from the begin of the run */
    int64_t wait_ns;   /* before begin_ns */
    /* What dst's slots hold now: nslots times content_words(nranks) words.
     * Slice 0 carries it for the whole chunk; NULL in other slices. */
    uint64_t *content;
};

enum { RUN_DEVICES_MAX = 16, RUN_NAME_MAX = 128, RUN_WRONG_MAX = 256 };

/* What ranks share or have to themselves: "3 ranks on 2 cores". */
enum run_place { PLACE_CORE, PLACE_GPU, PLACE_HOST, PLACES };

/* What runs, and where. */
struct run_info {
    char backend[SCHEDULE_NAME_MAX];
    enum run_place place;
    int nplaces; /* that really ran ranks */
    int ndevices;
    char devices[RUN_DEVICES_MAX][RUN_NAME_MAX]; /* "Intel(R) Xeon(R) ..." */
    int first_rank[RUN_DEVICES_MAX]; /* on that device; ranks up to the next
                                      * one's are there */
    enum dtype type;
    enum redop op;
    int64_t count; /* elements of a rank's input */
    bool free;     /* pace: ranks run ahead of each other */
    int64_t clock_ns; /* how far times of different places may be off; 0: all
                       * have one clock */
};

/* The same collective as the library below the backend does it by itself, on
 * the same input. How it does it is its own: no step of it is seen. */
struct run_native {
    char name[RUN_NAME_MAX];   /* "ncclAllReduce"; "": there was none */
    char inside[RUN_NAME_MAX]; /* "RING, SIMPLE, 1 channel"; "": unknown */
    int64_t wall_ns; /* from the last rank's call to the last result */
    int64_t wrong;   /* elements that differ from the reference */
    int64_t differ;  /* elements that differ from ours in some bit */
};

struct run_result {
    bool correct; /* values and ledger */
    int64_t wrong; /* elements that differ from the reference */
    int64_t wall_ns; /* granted and not yet finished, in all */
    int nranks;
    int64_t *bytes_sent; /* by rank, over links, counted as it happened */
    char first_wrong[RUN_WRONG_MAX]; /* the first difference, "" where there is none */
    struct run_native native;
};

enum item_type {
    ITEM_RUN,      /* run and schedule: complete, its steps too */
    ITEM_INPUT,    /* content of a rank's slots before step 1 */
    ITEM_TRANSFER, /* event */
    ITEM_RESULT,
    ITEM_END /* complete: false when it was quit midway */
};

/* What a backend yields. Pointers are the backend's, good until its next. */
struct item {
    enum item_type type;
    const struct run_info *run;
    const struct schedule *schedule;
    int rank;                /* of ITEM_INPUT */
    const uint64_t *content; /* of ITEM_INPUT: nslots contents */
    struct event event;
    const struct run_result *result;
    bool complete;
};

#endif
