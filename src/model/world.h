/* SPDX-License-Identifier: MIT */
/* The world: what every slot of every rank holds, at any step, built from
 * items (event/event.h) alone.
 *
 * A world is fed while a run goes on, and can show any step that has happened
 * so far.  Its position is a step: 0 is the input, k the state after all
 * known transfers of steps 1..k.  Every event carries what its slots hold
 * afterwards.  Applying it swaps that with what they held before; going back
 * swaps again, so that no copies of whole states are kept.
 *
 *     struct world *w = world_new();
 *     while (... more items ...)
 *         if (!world_add(w, &item, &err)) ...
 *     world_seek(w, 3);
 *     world_row(w, rank, slot)                  whose data that slot holds
 *     world_free(w);
 */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "event/event.h"
#include "schedule/outlook.h"

/* The transfers of one step, in the order in which they became known. */
struct world_step {
    struct event *events; /* the world owns their content */
    size_t count, capacity;
    size_t slots_done;     /* slots moved, over all events of slice 0 */
    size_t slots_expected; /* by the schedule; an event may be a part of a
                            * transfer */
    int64_t begin_ns, end_ns; /* of all its events, waiting included */
};

/* The events that a rank sent or received in, in the order in which they became
 * known: steps[step].events[index]. */
struct world_diary {
    struct world_entry {
        int32_t step;
        uint32_t index;
    } *entries;
    size_t count, capacity;
};

/* What one rank sends to another, in bytes. */
struct world_link {
    int64_t sent;  /* up to the position */
    int64_t total; /* in the whole run, as scheduled */
};

enum { WORLD_LINK_RANKS_MOST = 32, WORLD_WRONG_MOST = 1 << 24 };

struct world {
    const struct run_info *run; /* NULL until it is known */
    const struct schedule *schedule; /* shared with the source of the items */
    int position;
    int nsteps;
    struct world_step *steps; /* 1 .. nsteps + 1; the last one holds avg's
                               * divisions, which are seen at nsteps */
    struct world_diary *diaries; /* by rank */
    bool faulty; /* some event has a deliberate fault */
    struct world_entry fault; /* the first such event; step 0: none */
    bool has_result, has_end, complete;
    struct run_result result; /* its bytes_sent is the world's */
    int64_t *sent, *received; /* bytes over links, by rank, up to the
                               * position */
    int64_t *to_send, *to_receive; /* the same for the whole run, as
                                    * scheduled */
    struct world_link *links; /* [src * nranks + dst]; NULL if there are more
                               * than WORLD_LINK_RANKS_MOST ranks */
    int64_t last_ns; /* the latest end of any event */
    struct outlook *outlook; /* NULL: the schedule is too large for it */
    int sums_from; /* the step from which on complete sums are S0, S1, ... */

    /* private to world.c */
    struct run_info own_run;
    uint64_t *contents; /* [(rank * nslots + slot) * words] */
    uint16_t *counts; /* [rank * nslots + slot]: of contributions */
    uint64_t *sums; /* [chunk]: the row of its complete sum; NULL if rows have
                     * entries by origin */
    bool *wrong; /* [(step * nranks + rank) * nslots + slot]: which slots hold
                  * wrong data after each step; NULL: there is neither fault nor
                  * mismatch, or more than WORLD_WRONG_MOST of them */
    int wrong_steps; /* for which this is known */
    int words;
    int inputs;
};

struct world *world_new(void);
void world_free(struct world *w);
OWN_FREE(world)

/* Adds an item, whose ranks, steps and slots are those of the run: a stream's
 * are checked when it is read.  Returns false, with the reason, if it does not
 * fit what came before: an input given twice, more transfers than a step has,
 * something after the end, ... */
bool world_add(struct world *w, const struct item *item, struct err *err);

/* Moves to a step, 0 .. nsteps. */
void world_seek(struct world *w, int step);

/* The last step up to which all transfers are known; 0 if there is none. */
int world_complete_steps(const struct world *w);

/* Whether all transfers of step `step` are known; of step 0, all inputs. */
bool world_step_complete(const struct world *w, int step);

/* What a slot holds at the position: its ledger row (event/ledger.h), its
 * length, and the first values as raw elements of 8 bytes each. */
const uint64_t *world_row(const struct world *w, int rank, int slot);

/* The same at any position, 0 .. nsteps, as far as that is known. */
const uint64_t *world_row_at(const struct world *w, int rank, int slot,
                             int position);

/* The last event before a place in the run that writes a slot or, with `before`
 * false, the first one from there on; sets *at to its place.  NULL: none. */
const struct event *world_writer(const struct world *w, int rank, int slot,
                                 bool before, struct world_entry *at);

/* What an event carries for a slot: what that holds after it or, if the event
 * was applied, before it.  NULL if it carries nothing for it, or is NULL. */
const uint64_t *world_content(const struct world *w, const struct event *e,
                              int rank, int slot);

/* The number of contributions in each of a rank's slots (ledger_count, at most
 * UINT16_MAX), without looking at their rows: the heat map of 1,024 ranks has a
 * million of them. */
const uint16_t *world_counts(const struct world *w, int rank);

int64_t world_length(const struct world *w, int rank, int slot);
const uint64_t *world_values(const struct world *w, int rank, int slot);

/* Appends the values that are known of what is in a row: "120 140 ..." */
void world_add_values(const struct world *w, const uint64_t *row,
                      struct buf *out);

/* Whether a slot holds wrong data after a step, because of a deliberate fault
 * or a mismatch.  This follows from the transfers: data that was received with
 * a fault, or whose sender had more or less of it, is wrong, and so is what was
 * made of it.  A slot is right again once right data replaces its content.
 * Unlike contributions, this also shows data that was corrupted.  False for
 * steps that are not complete. */
bool world_is_wrong(const struct world *w, int step, int rank, int slot);

/* The deliberate fault in a transfer of a step, as far as it is known
 * (enum instr_fault). */
int world_fault(const struct world *w, int step, const struct transfer *t);

/* Whether a row is a complete sum, as the collective promises it for some
 * output chunk. Sets *chunk. */
bool world_is_sum(const struct world *w, const uint64_t *row, int *chunk);

/* Appends the name of what is in a row: "A1+C1", "2*B0", or nothing for an
 * empty slot. With `sums`, a complete sum is "S1". */
void world_label(const struct world *w, const uint64_t *row, bool sums,
                 struct buf *out);

/* The order in which a sum was added up.
 *
 *     B1+(A1+C1)     GPU 0 added C1 to its A1; GPU 1 added that to its B1
 *
 * Floating point addition is commutative but not associative, so the brackets
 * decide the last bits.  The text follows the events that were carried out, on
 * this rank and on those whose data it received, not the schedule.  Dropped
 * data is missing, data added twice appears twice, corrupted data has a `!`,
 * and memory that was never written is a `?`.
 *
 * Appends how the content of a slot at the world's position was added up, cut
 * after about `most` bytes and then ended with "...".  Appends nothing for an
 * empty slot, and above LEDGER_RANKS ranks, where nobody could read it. */
void order_text(const struct world *w, int rank, int slot, size_t most,
                struct buf *out);

#endif
