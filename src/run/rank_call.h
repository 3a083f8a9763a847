/* SPDX-License-Identifier: MIT */
/* The data that the rank machine (run/rank.h) works on.  A backend fills it in
 * (run/prepare.h), in whatever kind of memory it has. */
#ifndef RUN_RANK_CALL_H
#define RUN_RANK_CALL_H

#include "event/event.h"
#include "run/rank_memory.h"
#include "run/run_options.h"

/* One writer, many readers: on cache lines of its own. */
struct rank_counter {
    uint64_t done;
    uint64_t origin; /* `done` when the call began */
    uint64_t length; /* instructions of this rank */
} __attribute__((aligned(128)));

/* How much a rank can report. */
struct log_room {
    size_t events, contents; /* of slots */
};

/* What a rank reports in a watched run.  It has room for everything that the
 * granted steps can produce, so that nothing is ever dropped. */
struct rank_log {
    struct event *events;
    uint64_t *contents;
    uint64_t nevents;    /* so far; the rank's own */
    uint64_t ncontents;  /* slots' contents so far; the rank's own */
    uint64_t *published; /* events that others may read; release, acquire */
    struct log_room room; /* of a log of log_reserve() */
};

/* Shared by all ranks, const while they run. */
struct rank_call {
    const struct instr *instrs;
    const size_t *first;
    const struct wait *waits;
    struct rank_counter *counters;  /* [rank * nblocks + block] */
    const struct rank_slot *slots;  /* [rank * nslots + slot] */
    const struct rank_move *moves;  /* [instr.first_slot + k] */
    const struct region *outputs;   /* by rank */
    const void *ops;                /* for the includer of rank.h */
    uint64_t *ledger;               /* rows; NULL in a plain run */
    const int64_t *delays;          /* ns before each step, by rank; or NULL */
    int nranks, nslots, nblocks;
    int element;                    /* bytes */
    int64_t slice; /* elements of a chunk that one pass handles */
    int nslices;
    int64_t first_stripe; /* elements of a slice that block 0 has */
    int64_t stripe;       /* elements that each other block has */
    int longer_stripes;   /* this many of those have RANK_STRIPE bytes more */
    bool divide; /* avg */
};

/* One block of one rank, private to the thread that advances it. */
struct rank {
    int index, block;
    uint32_t at;    /* the next instruction */
    uint32_t begin, end; /* of the granted range */
    int slice;
    /* watched only */
    struct rank_log *log;
    int delayed_step;    /* the step that it has reached */
    int waiting_for;     /* -1: not waiting */
    int64_t step_since_ns, waiting_since;
} __attribute__((aligned(128)));

enum rank_state { RANK_WAITS, RANK_DONE };

enum {
    RANK_STRIPE = 128, /* bytes: boundaries of blocks' stripes, a multiple of
                        * what one access moves and of EVENT_VALUES elements */
};

#endif
