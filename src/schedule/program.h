/* SPDX-License-Identifier: MIT */
/* A program: a schedule lowered to one list of instructions per rank, which
 * ranks run at their own speed with no other coordination than counters.
 *
 * Every rank counts the instructions it has finished.  An instruction names
 * the counts of other ranks it must wait for: of the last earlier writer of
 * the slot it pulls from, and of all readers of the slot it writes since that
 * was last written.
 *
 * "Every transfer reads the state before the step" is kept by staging.  A slot
 * that is written and read in one step is built up in a staging slot first:
 *
 *     phase 1   PULL  stage = src           or   stage = add + src
 *     phase 2   APPLY slot = stage
 *
 * All pulls are phase 1 and wait for earlier steps only; applies are phase 2
 * and wait also for phase 1; a rank runs phase 1 of a step before phase 2.  So
 * waits never form a cycle, whatever the schedule.
 *
 * Staging slots are the rank's own, behind those of the schedule. */
#ifndef SCHEDULE_PROGRAM_H
#define SCHEDULE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "schedule/schedule.h"

/* | op     | meaning, for k in 0 .. nslots-1                            |
 * |--------|------------------------------------------------------------|
 * | COPY   | dst[k] = peer's src[k]                                     |
 * | REDUCE | dst[k] = add[k] + peer's src[k]                            |
 * | APPLY  | dst[k] = own src[k], which is a staging slot               |
 * | END    | nothing: waits until no rank reads this one's slots        | */
enum instr_op { INSTR_COPY, INSTR_REDUCE, INSTR_APPLY, INSTR_END };

enum instr_fault { FAULT_NONE, FAULT_DROP, FAULT_REPEAT, FAULT_CORRUPT };

struct instr {
    int32_t step;     /* from 1; of END the number of steps + 1 */
    int32_t peer;     /* the rank pulled from; of APPLY and END itself */
    int32_t src_slot; /* of peer */
    int32_t dst_slot; /* own; a staging slot where the transfer is staged */
    int32_t add_slot; /* own; what the slot keeps when the transfer is lost */
    int32_t nslots;
    int32_t chunk;      /* of the first slot's data, then chunk + 1, ...; its
                         * length is theirs, and of a slot that nobody wrote
                         * all that it has room for */
    int32_t final_slot; /* where the data is meant to end up: the dst_slot of
                         * the transfer, also when this one is staged */
    uint32_t first_slot; /* slots of all instructions before it, of all ranks:
                          * an index into what a backend prepares per slot */
    uint32_t first_wait;
    uint16_t nwaits;
    uint8_t op;
    uint8_t fault;
};

/* Wait until `rank` has finished `count` of its instructions. */
struct wait {
    int32_t rank;
    uint32_t count;
};

/* A send, for backends that pass messages instead of pulling.  Between any two
 * ranks the sends of one and the pulls of the other stand in the same order.
 * It leaves when its rank comes to that step, before it runs any instruction of
 * it. */
struct send {
    int32_t step;
    int32_t peer;
    int32_t src_slot;
    int32_t nslots;
    int32_t chunk;
};

struct program {
    int nranks;
    int nsteps;
    int nslots; /* of a rank, staging slots included */
    int nchunks;
    size_t ninstrs;
    struct instr *instrs; /* of rank r: first[r] .. first[r + 1] - 1 */
    size_t *first;        /* nranks + 1 */
    size_t ntouched; /* slots of all instructions */
    struct wait *waits;
    size_t nwaits;
    struct send *sends; /* of rank r: first_send[r] .. first_send[r + 1] - 1 */
    size_t *first_send; /* nranks + 1 */
};

/* The schedule must be valid (schedule_valid). Never fails. */
struct program *program_lower(const struct schedule *s);
void program_free(struct program *p);

/* Instructions of a rank. */
uint32_t program_length(const struct program *p, int rank);

/* Index, within the rank's list, of its first instruction of step `step` or
 * later; step nsteps + 1 is END. */
uint32_t program_at_step(const struct program *p, int rank, int step);

/* A fault on purpose: what is done to the data that `src` sends in `step`. */
struct fault {
    enum instr_fault kind; /* FAULT_NONE: no fault */
    int step, src;
};

/* Marks the instructions that pull what a fault is about. Returns how many
 * there are. */
int program_set_fault(struct program *p, const struct fault *fault);

#endif
