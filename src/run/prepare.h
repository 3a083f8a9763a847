/* SPDX-License-Identifier: MIT */
/* What all who let ranks run with the rank machine work out beforehand, whatever
 * memory ranks have: how long slots are, what slices and blocks there are, where
 * an instruction's data goes, how much there will be to report.
 *
 *     lengths = schedule_chunk_lengths(s, count);
 *     prepare_slots(s, lengths, rank, nslots, slots);    then put them somewhere
 *     prepare_moves(&call, p, lengths, moves);           once all have a place
 *     prepare_range(p, 1, 3, &rank);                     its steps 1 to 3 */
#ifndef RUN_PREPARE_H
#define RUN_PREPARE_H

#include "run/input.h"
#include "run/rank_call.h"

/* Each rank's output; the caller's. */
struct region *prepare_outputs(const struct schedule *s);

/* Lengths of a rank's slots, those of staging included, `nslots` in all. */
void prepare_slots(const struct schedule *s, const int64_t *lengths, int rank,
                   int nslots, struct rank_slot *slots);

/* Where each slot of every instruction goes, from the places that slots have
 * in c->slots; p->ntouched of them. */
void prepare_moves(const struct rank_call *c, const struct program *p,
                   const int64_t *lengths, struct rank_move *moves);

/* Slices of `bytes` each that a chunk of `longest` elements is cut into, into
 * c->slice and c->nslices. */
void prepare_slices(struct rank_call *c, int64_t longest, int64_t bytes);

/* What each of c->nblocks blocks has of a slice: stripes that begin on
 * boundaries of RANK_STRIPE bytes, the first one where the slice begins.  In a
 * run with a ledger block 0 has half as much, and at least one boundary's
 * worth, for it keeps ledger and events as well. */
void prepare_stripes(struct rank_call *c, int64_t longest);

/* Writes a rank's input into its slots.  In a run with a ledger also rows of its
 * own data into that, and dtype_unwritten() into all its other slots, so that
 * nothing that reads them is right by luck. Slots must be memory of this
 * process. */
void prepare_input(const struct rank_call *c, const struct schedule *s,
                   const struct input *in, const int64_t *lengths, int rank);

/* Contents of all slots of the schedule of a rank at the begin, content_words
 * words each (event/ledger.h): its input, and in the others nothing. */
void prepare_contents(const struct rank_call *c, const struct schedule *s,
                      const int64_t *lengths, int rank, uint64_t *contents);

/* The instructions of the steps from .. to, `from` following on the range
 * before. */
void prepare_range(const struct program *p, int from, int to,
                   struct rank *rank);

/* What a rank's range can report at most: events, and slots' contents. */
struct log_room {
    size_t events, contents;
};
struct log_room prepare_room(const struct rank_call *c,
                             const struct program *p,
                             const struct rank *rank);

#endif
