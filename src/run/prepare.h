/* SPDX-License-Identifier: MIT */
/* Setup shared by every backend that uses the rank machine, whatever memory its
 * ranks have: the lengths of slots, slices and blocks, the addresses of an
 * instruction's data, and the room needed for reports.
 *
 *     lengths = schedule_chunk_lengths(s, count);
 *     prepare_slots(s, lengths, rank, nslots, slots);    then allocate them
 *     prepare_moves(&call, p, lengths, moves);           after that
 *     prepare_range(p, 1, 3, &rank);                     its steps 1 to 3 */
#ifndef RUN_PREPARE_H
#define RUN_PREPARE_H

#include <stdint.h>

#include "run/rank_call.h"
#include "run/rank_memory.h"
#include "schedule/program.h"

/* Each rank's output. The caller frees it. */
struct region *prepare_outputs(const struct schedule *s);

/* Fills in the lengths of a rank's `nslots` slots, staging included. */
void prepare_slots(const struct schedule *s, const int64_t *lengths, int rank,
                   int nslots, struct rank_slot *slots);

/* Fills in the addresses for each slot of every instruction, from those in
 * c->slots; p->ntouched moves. */
void prepare_moves(const struct rank_call *c, const struct program *p,
                   const int64_t *lengths, struct rank_move *moves);

/* Cuts a chunk of `longest` elements into slices of `bytes` each: sets c->slice
 * and c->nslices.  INT64_MAX: it is one slice. */
void prepare_slices(struct rank_call *c, int64_t longest, int64_t bytes);

/* Divides a slice among c->nblocks blocks, in stripes that begin on boundaries
 * of RANK_STRIPE bytes.  In a run with a ledger, block 0 also keeps ledger and
 * events, so its stripe is half as long, but at least RANK_STRIPE bytes. */
void prepare_stripes(struct rank_call *c, int64_t longest);

/* Writes the inputs of a rank, or of all, into the call's memory, which must be
 * that of this process (rank_memory_input()). */
void prepare_input(const struct rank_call *c, const struct schedule *s,
                   const int64_t *lengths, const struct input *in, int rank);
void prepare_inputs(const struct rank_call *c, const struct schedule *s,
                    const int64_t *lengths, const struct input *in);

/* Sets the rank to the instructions of steps from .. to. `from` must be 1, or
 * the step after the rank's last range. */
void prepare_range(const struct program *p, int from, int to,
                   struct rank *rank);

/* The most that a rank's range can report. */
struct log_room prepare_room(const struct rank_call *c,
                             const struct program *p,
                             const struct rank *rank);

/* Empties a log in memory of this process and makes room for as many events as
 * `room` says; log_done() frees that. */
void log_reserve(struct rank_log *log, struct log_room room, int nranks);
void log_done(struct rank_log *log);

/* Takes events out of ranks' logs while ranks append to them.  The events of
 * one rank come in order.  The reader stays with a rank until its log is empty,
 * then goes on to the next one, so that every rank has its turn. */

struct log_reader {
    const struct rank_log *logs; /* rank 0's; borrowed */
    size_t stride; /* bytes from one rank's to the next's */
    int nranks;
    int rank;        /* the rank whose events are taken now */
    uint64_t *taken; /* events, by rank */
};

void log_reader_init(struct log_reader *r, const struct rank_log *logs,
                     size_t stride, int nranks);
void log_reader_done(struct log_reader *r);

/* Starts again with logs that were emptied, after every event was taken. */
void log_reader_restart(struct log_reader *r);

/* Takes an event that has been published, if there is one. */
bool log_reader_next(struct log_reader *r, struct event *event);

/* Splits ranks among workers, so that each has about the same work.  A worker's
 * ranks follow one another: in a ring, most data then stays with one worker. */

/* Fills first[0 .. nworkers]: worker w has the ranks first[w] .. first[w+1]-1,
 * at least one.  work[r] is that of rank r, in any unit.  nworkers is at most
 * nranks. */
void split_work(const int64_t *work, int nranks, int nworkers, int *first);

/* The same for a program: the work of a rank is the elements that it copies and
 * adds.  `lengths` are those of the chunks. */
void split_program(const struct program *p, const int64_t *lengths,
                   int nworkers, int *first);

#endif
