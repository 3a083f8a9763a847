/* SPDX-License-Identifier: MIT */
/* A schedule: which data every rank moves in every step.
 *
 * It has steps 1..T.  Each is a list of transfers, in the order in which
 * reductions into the same slot are applied.  In a step every transfer reads
 * the state before the step; a slot takes one COPY or any number of REDUCEs
 * with the same add_slot, or a COPY and then REDUCEs that add to it (check.h
 * refuses anything else).  A step of local
 * transfers alone (from a rank to itself) costs no link and is not counted as a
 * step of communication.
 *
 * A slot holds one chunk.  A rank's slots are its input, output and scratch
 * regions, in this order.  In place, input and output overlap as the
 * collective says (collective.h); for an all-reduce they are the same slots.
 * All ranks have the same slots.  A rank without input or output has them too,
 * as room that the algorithm may use.
 *
 * The last ranks may be switches (topology.h), which add and multicast: they
 * run as all others do, but have no input and no output.  The others are
 * members of the collective: N in its formulas.
 *
 * An algorithm fills a schedule; after that it is const:
 *
 *     struct schedule *s = schedule_new(&shape);
 *     schedule_step(s, "reduce-scatter");
 *     schedule_add(s, (struct transfer){...});      rank 0's slot 2 to rank 1
 *     ...
 *     schedule_free(s);
 */
#ifndef SCHEDULE_SCHEDULE_H
#define SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "schedule/collective.h"
#include "schedule/topology.h"

enum {
    SCHEDULE_RANKS_MAX = 1024,
    SCHEDULE_CHUNKS_MAX = 0xffff, /* of a rank's input: event/ledger.h */
    SCHEDULE_SLOTS_MAX = 1 << 20, /* of a rank */
    SCHEDULE_CELLS_MAX = 1 << 24, /* slots of all ranks */
    SCHEDULE_NAME_MAX = 64,
};

/* A transfer: the slots that one rank pulls from another in one step.
 *
 *     COPY     dst[dst_slot] = src[src_slot]
 *     REDUCE   dst[dst_slot] = dst[add_slot] + src[src_slot]
 *
 * for `nslots` consecutive slots.  Every transfer of a step reads the state
 * before the step.  `+` stands for the run's reduction operator. */
enum transfer_op { TRANSFER_COPY, TRANSFER_REDUCE };

struct transfer {
    int32_t src, dst; /* ranks; equal for a local transfer */
    int32_t src_slot; /* of src */
    int32_t dst_slot; /* of dst */
    int32_t add_slot; /* of dst; usually dst_slot */
    int32_t nslots;   /* at least 1 */
    enum transfer_op op;
};

struct region {
    int first; /* slot */
    int count; /* slots */
};

struct schedule_spec {
    const struct collective *collective;
    const char *algorithm; /* copied */
    int nranks; /* switches among them */
    int root; /* 0 where the collective has none */
    int pieces;  /* chunks that a unit is cut into */
    int scratch; /* scratch slots of a rank */
    bool in_place;
    struct topology topology;
    int align; /* chunks of a unit have a multiple of so many elements, but the
                * last ones; 0: they are as even as can be */
};

struct step {
    size_t first; /* index of its first transfer */
    size_t count;
    const char *phase; /* "reduce-scatter"; owned by the schedule */
};

struct schedule {
    const struct collective *collective;
    char algorithm[SCHEDULE_NAME_MAX];
    int nranks; /* switches among them */
    int root;
    int pieces;
    int align;
    bool in_place;
    struct topology topology; /* the links that transfers may use */
    int64_t *counts; /* elements of unit u of maker m's input, [m * units + u];
                      * NULL: those of all ranks are equally long (counts.h) */
    int makers;  /* 1: the lengths of a chunk are the same whoever made it */
    int longest; /* the id of a chunk that none is longer than */
    int nchunks; /* of a rank's input */
    int noutputs; /* chunks of a rank's output */
    int nslots;  /* of a rank */
    int scratch; /* the last ones of these slots */

    int nsteps;
    struct step *steps; /* step k is steps[k - 1] */
    size_t ntransfers;
    struct transfer *transfers;

    char *script;   /* the file that says the transfers; NULL: none */
    int32_t *lines; /* by transfer: that of the script; 0: none; or NULL */

    /* private to schedule.c */
    int sharers; /* owners besides the first */
    size_t steps_capacity, transfers_capacity;
    char **phases;
    size_t nphases, phases_capacity;
};

/* A slot's place in arrays of the slots of all ranks. */
static inline size_t
schedule_cell(const struct schedule *s, int rank, int slot)
{
    return (size_t)rank * (size_t)s->nslots + (size_t)slot;
}

/* Checks that ranks, root and slots are within the limits above, and that the
 * topology has that many ranks. */
bool schedule_spec_check(const struct schedule_spec *shape, struct err *err);

/* An empty schedule. The shape must have passed schedule_spec_check(). */
struct schedule *schedule_new(const struct schedule_spec *shape);

/* A schedule with the first `steps` steps of another one. */
struct schedule *schedule_copy(const struct schedule *s, int steps);

/* The ranks that are no switches. */
int schedule_members(const struct schedule *s);

/* The host of a rank.  A switch stands in the host of its node's first rank,
 * and one that joins nodes stands outside: -1. */
int schedule_host(const struct schedule *s, const struct hosts *hosts,
                  int rank);

/* Adds an owner to a complete schedule, which is freed with its last owner. All
 * owners must be on one thread. */
const struct schedule *schedule_share(const struct schedule *s);

/* Gives up one ownership. Does nothing for NULL. */
void schedule_free(const struct schedule *s);
OWN_FREE(schedule)

/* Adds scratch slots after those there are. Returns false, with the reason, if
 * that exceeds the limits. */
bool schedule_add_scratch(struct schedule *s, int slots, struct err *err);

/* Opens the next step. `phase` names the part of the algorithm that the step
 * belongs to; it is copied. */
void schedule_step(struct schedule *s, const char *phase);

/* Adds a transfer to the open step. */
void schedule_add(struct schedule *s, struct transfer t);

/* Says the script that a complete schedule is from; the name is copied.  The
 * caller fills in s->lines, which are 0. */
void schedule_set_script(struct schedule *s, const char *name);

/* Puts "ring.lua:7: ", where a script says the transfer, before a message about
 * it.  Does nothing for other schedules.  `t` is one of s->transfers; NULL: the
 * message is about all of them.  Always returns false. */
bool schedule_blame(const struct schedule *s, const struct transfer *t,
                    struct err *err);

/* Whether every rank and slot is in range and no writes of a step conflict.
 * program_lower() expects a valid schedule. */
bool schedule_valid(const struct schedule *s, struct err *err);

/* The transfers of step `step` (from 1), *count of them.  Returns NULL if there
 * are none, or if the schedule does not have the step. */
const struct transfer *schedule_transfers(const struct schedule *s, int step,
                                          size_t *count);

bool region_has(struct region region, int slot);

/* Slots of a rank's input and output; none if only the root has one. */
struct region schedule_input(const struct schedule *s, int rank);
struct region schedule_output(const struct schedule *s, int rank);

/* The slots that hold the inputs, and the outputs, of all ranks. In place both
 * are the whole buffer. */
struct region schedule_inputs(const struct schedule *s);
struct region schedule_outputs(const struct schedule *s);

/* The first scratch slot. */
int schedule_scratch(const struct schedule *s);

/* What output chunk `chunk` of `rank` must hold in the end. */
struct promise schedule_promise(const struct schedule *s, int rank, int chunk);

/* A chunk's id says how long it is: its number in the input of the rank that it
 * comes from, its maker, and where makers' inputs differ (s->counts), the maker
 * before that. */
static inline int
schedule_id(const struct schedule *s, int maker, int chunk)
{
    return s->makers > 1 ? maker * s->nchunks + chunk : chunk;
}

/* Elements of a chunk if each rank's input has `count` elements.  These
 * are divided into units, and units into pieces; each time the first (count mod
 * parts) parts are one element longer.  `align` makes pieces otherwise.  Where
 * there are s->counts, these are the elements of units, whatever `count` is. */
int64_t schedule_chunk_length(const struct schedule *s, int64_t count, int id);

/* Whether a chunk is there: without elements, as s->counts say, it is not, and
 * nobody sends it. */
static inline bool
schedule_has_chunk(const struct schedule *s, int id)
{
    return s->counts == NULL || schedule_chunk_length(s, 0, id) > 0;
}

/* The lengths of all chunks, by id. The caller frees them. */
int64_t *schedule_chunk_lengths(const struct schedule *s, int64_t count);

/* Elements of all chunks before it in its maker's input. */
int64_t schedule_chunk_start(const struct schedule *s, int64_t count, int id);

/* Elements of a rank's input; 0 where it has none. */
int64_t schedule_input_length(const struct schedule *s, int64_t count,
                              int rank);

/* The id of the chunk whose length `slot` of `rank` is made for; -1 for scratch
 * and other room, which takes any chunk. */
int schedule_slot_chunk(const struct schedule *s, int rank, int slot);

/* The id of a chunk that is as long as `slot`, which may be a staging slot
 * (program.h).  For a slot that takes any chunk this is s->longest. */
int schedule_slot_room(const struct schedule *s, int rank, int slot);

/* The id of the chunk whose length a slot's data has before step 1. */
int schedule_first_chunk(const struct schedule *s, int rank, int slot);

/* Whether step `step` (from 1) only moves data within ranks. */
bool schedule_step_is_local(const struct schedule *s, int step);

/* Steps of communication: all others. */
int schedule_count_steps(const struct schedule *s);

/* The number of pairs of a sender and a receiver between which a step sends: as
 * many as there are arrows on the screen. */
size_t schedule_step_pairs(const struct schedule *s, int step);

/* Whether no rank ever sends to more than one other in a step, nor receives
 * from more than one. */
bool schedule_is_one_ported(const struct schedule *s);

/* The step from which a complete sum is shown as S0, S1, ...: the first step
 * that only copies, after one that reduced. nsteps + 1 if there is none. */
int schedule_sums_named_from(const struct schedule *s);

/* Called for slot k of transfer t in step `step` (from 1).  The slot holds the
 * chunk `id`; if it was never written, `id` is one of the same length. */
typedef void walk_fn(void *state, int step, const struct transfer *t, int k,
                     int id);

/* Walks through a schedule and keeps track of which chunk is in which slot, and
 * so of how long every transfer is.  Calls `fn` for every moved slot, in the
 * schedule's order.  The schedule must be valid. */
void schedule_walk(const struct schedule *s, walk_fn *fn, void *state);

#endif
