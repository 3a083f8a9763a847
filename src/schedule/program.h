/* SPDX-License-Identifier: MIT */
/* A program: a schedule lowered to one list of instructions per rank.  Ranks
 * run their lists at their own speed, coordinated by counters alone.
 *
 * Every rank counts the instructions it has finished.  An instruction names
 * the counts of other ranks that it must wait for: that of the last earlier
 * writer of the slot it pulls from, and those of all ranks that have read the
 * slot it writes since that was last written.
 *
 * "Every transfer reads the state before the step" is kept by staging.  A slot
 * that is written and read in one step is built up in a staging slot first:
 *
 *     phase 1   PULL  stage = src           or   stage = add + src
 *     phase 2   APPLY slot = stage
 *
 * All pulls are in phase 1 and wait for earlier steps only.  Applies are in
 * phase 2 and also wait for phase 1.  A rank runs phase 1 of a step before
 * phase 2, so that waits never form a cycle, whatever the schedule.
 *
 * Each rank has its own staging slots, after those of the schedule. */
#ifndef SCHEDULE_PROGRAM_H
#define SCHEDULE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "schedule/schedule.h"

/* | op     | meaning, for k in 0 .. nslots-1                            |
 * |--------|------------------------------------------------------------|
 * | COPY   | dst[k] = peer's src[k]                                     |
 * | REDUCE | dst[k] = add[k] + peer's src[k]                            |
 * | APPLY  | dst[k] = own src[k], a staging slot                        |
 * | END    | nothing: waits until no rank reads this one's slots        | */
enum instr_op { INSTR_COPY, INSTR_REDUCE, INSTR_APPLY, INSTR_END };

enum instr_fault { FAULT_NONE, FAULT_DROP, FAULT_REPEAT, FAULT_CORRUPT };

struct instr {
    int32_t step;     /* from 1; END has the number of steps + 1 */
    int32_t peer;     /* the rank pulled from; the rank itself for APPLY, END */
    int32_t src_slot; /* of peer */
    int32_t dst_slot; /* own; a staging slot if the transfer is staged */
    int32_t add_slot; /* own; dst gets its content if the transfer is lost */
    int32_t nslots;
    int32_t first_chunk;  /* gives the length of the first slot's data; a slot
                           * that was never written counts as full */
    int32_t chunk_stride; /* 1 or 0: the slots hold consecutive chunks, or all
                           * of them the same chunk; instr_chunk() */
    int32_t final_slot; /* the transfer's dst_slot, also if this instruction
                         * writes a staging slot */
    uint32_t first_slot; /* slots of all instructions before it, of all ranks:
                          * an index into data that a backend has per slot */
    uint32_t first_wait;
    uint16_t nwaits;
    uint8_t op;
    uint8_t fault;
};

/* Waits until `rank` has finished `count` of its instructions. */
struct wait {
    int32_t rank;
    uint32_t count;
};

/* A send, for backends that pass messages instead of pulling.  Between any two
 * ranks the sends of one and the pulls of the other are in the same order.  A
 * rank sends when it comes to the step, before it runs any instruction of the
 * step. */
struct send {
    int32_t step;
    int32_t peer;
    int32_t src_slot;
    int32_t nslots;
    int32_t first_chunk, chunk_stride; /* as in struct instr; send_chunk() */
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

/* Lowers a valid schedule (schedule_valid). Never fails. */
struct program *program_lower(const struct schedule *s);
void program_free(struct program *p);

/* The chunk whose length the data of slot k has. */
static inline int
instr_chunk(const struct instr *in, int k)
{
    return in->first_chunk + k * in->chunk_stride;
}

static inline int
send_chunk(const struct send *send, int k)
{
    return send->first_chunk + k * send->chunk_stride;
}

/* Instructions of a rank. */
uint32_t program_length(const struct program *p, int rank);

/* Index, within the rank's list, of its first instruction of step `step` or
 * later; step nsteps + 1 is END. */
uint32_t program_at_step(const struct program *p, int rank, int step);

/* A deliberate fault in the data that `src` sends in `step`. */
struct fault {
    enum instr_fault kind; /* FAULT_NONE: no fault */
    int step, src;
};

/* Marks the instructions that pull the faulty data. Returns how many there
 * are. */
int program_set_fault(struct program *p, const struct fault *fault);

#endif
