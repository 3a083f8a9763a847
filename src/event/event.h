/* SPDX-License-Identifier: MIT */
/* Events: what ranks report, one record for each transfer carried out.
 *
 * A backend yields items (below) in this order: the run with its schedule, each
 * rank's input, the transfers, the result, the end.  The transfers of one rank
 * come in the order in which it carried them out.  The world, the recorder and
 * the text are made from these items alone.  event/stream.h writes and reads
 * them as lines of JSON. */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/dtype.h"
#include "event/ledger.h"
#include "event/purpose.h"
#include "event/wrong.h"
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
    uint8_t fault;     /* enum instr_fault: a deliberate fault */
    int32_t waited_for; /* the rank that kept it waiting, -1 for none */
    int64_t bytes;     /* moved over the link; 0 within a rank */
    int64_t begin_ns, end_ns; /* since the run started */
    int64_t wait_ns;   /* before begin_ns */
    /* What dst's slots hold afterwards: nslots times content_words(nranks)
     * words.  Slice 0 has it for the whole chunk; other slices have NULL. */
    uint64_t *content;
};

/* Whether an event carries out a transfer of its step, or a part of it. */
static inline bool
event_is_of(const struct event *e, const struct transfer *t)
{
    return e->src == t->src && e->dst == t->dst &&
           e->dst_slot >= t->dst_slot && e->dst_slot < t->dst_slot + t->nslots;
}

enum { RUN_DEVICES_MAX = 128, RUN_NAME_MAX = 128 };

/* What ranks run on: "threads on 2 cores". */
enum run_place { PLACE_CORE, PLACE_GPU, PLACE_HOST, PLACES };

/* What runs, and where. */
struct run_info {
    char backend[SCHEDULE_NAME_MAX];
    enum run_place place;
    int nplaces; /* of these, how many ran ranks */
    int ndevices;
    char devices[RUN_DEVICES_MAX][RUN_NAME_MAX]; /* "Intel(R) Xeon(R) ..." */
    int device_of[SCHEDULE_RANKS_MAX]; /* by rank, an index */
    int host_of[RUN_DEVICES_MAX]; /* by device, the first device of its host; 0
                                   * if ranks share something else than hosts */
    int core_of[SCHEDULE_RANKS_MAX]; /* of its host, by rank, from 0; below 0:
                                      * unknown */
    bool messages; /* ranks pass messages: all transfers that one receives in a
                    * step become known at once, when its last message is over.
                    * Otherwise it pulls them in the schedule's order, and each
                    * becomes known by itself */
    enum dtype type;
    enum redop op;
    int64_t count; /* elements of a rank's input */
    bool free;     /* pace: ranks run ahead of each other */
    struct purpose purpose; /* what is wrong with it on purpose */
    int64_t clock_ns; /* by how much clocks of different places may differ; 0:
                       * there is only one clock */
    char network[RUN_NAME_MAX]; /* "ethernet": times are those that the run
                                 * would take there (schedule/simulation.h);
                                 * "": they are the backend's */
    struct hosts hosts; /* of this network */
};

/* Whether one rank was given something else than the others. */
static inline bool
run_mismatched(const struct run_info *run)
{
    return run->purpose.mismatch.kind != MISMATCH_NONE;
}

/* Whether all times of a run are those of run->network; else they are
 * measured. */
static inline bool
run_is_modelled(const struct run_info *run)
{
    return run->network[0] != '\0';
}

/* Makes the cores of all ranks unknown. */
static inline void
run_forget_cores(struct run_info *run)
{
    for (int rank = 0; rank < SCHEDULE_RANKS_MAX; rank++)
        run->core_of[rank] = -1;
}

/* Sets run->host_of, once the place and the devices are known. */
void run_know_hosts(struct run_info *run);

/* The name of a rank's host, with which the name of its device begins if ranks
 * share hosts: "cv1, NCCL 2.28.9, NVIDIA H200 0000:1b:00.0". */
void run_host_name(const struct run_info *run, int rank,
                   char name[RUN_NAME_MAX]);

/* Whether data leave a host on the way from one rank to another. */
static inline bool
run_leaves_host(const struct run_info *run, const struct schedule *s, int src,
                int dst)
{
    if (run->hosts.gpus > 0)
        return schedule_host(s, &run->hosts, src) !=
               schedule_host(s, &run->hosts, dst);
    return run->host_of[run->device_of[src]] !=
           run->host_of[run->device_of[dst]];
}

/* The same collective on the same input, done by the backend's own library. Its
 * steps are not visible. */
struct run_native {
    char name[RUN_NAME_MAX];   /* "ncclAllReduce"; "": not run */
    char inside[RUN_NAME_MAX]; /* "RING, SIMPLE, 1 channel"; "": unknown */
    int64_t wall_ns; /* from the last rank's call to the last result */
    int64_t wrong;   /* elements that differ from the reference */
    int64_t differ;  /* elements that differ from ours in some bit */
    int64_t timed_ns; /* in a timed run: of all calls together */
    struct {
        int64_t elements; /* that differ by more than rounding */
        int rank, chunk;  /* the first */
        int64_t element;
        char ours[DTYPE_TEXT_MAX], own[DTYPE_TEXT_MAX];
    } apart;
};

struct run_result {
    bool correct; /* values and ledger, of ours */
    bool hangs; /* a mismatched run that can never end: first_wrong says why */
    int64_t wrong; /* elements that differ from the reference, or from those of
                    * a rank that makes the same additions */
    int64_t unequal; /* right elements that ranks hold with different bits */
    int64_t overflowed; /* right elements that are infinite or NaN, though no
                         * input is */
    int64_t wall_ns; /* the time in which granted steps were unfinished */
    int64_t here_ns; /* the same as measured, if wall_ns is modelled; else 0 */
    int nranks;
    int64_t timed_ns; /* of all calls of a timed run together; 0: other runs */
    int64_t *bytes_sent; /* by rank, over links, as counted from events */
    struct wrong first_wrong; /* ours, or the library's */
    struct run_native native;
};

/* Whether our result is right, and the library's own as well if it ran. */
static inline bool
result_right(const struct run_result *r)
{
    return r->correct && r->native.wrong == 0;
}

enum item_type {
    ITEM_RUN,      /* run and schedule, with all its steps */
    ITEM_INPUT,    /* content of a rank's slots before step 1 */
    ITEM_TRANSFER, /* event */
    ITEM_RESULT,
    ITEM_END /* complete: false when it was quit midway */
};

/* What a backend yields. The backend owns what pointers point to; it is valid
 * until the next item. */
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
