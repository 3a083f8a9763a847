/* SPDX-License-Identifier: MIT */
/* Proved schedules, broken by one change, for learners to find and to mend.
 *
 *     break_schedule(&b, schedule, other, BREAK_LOST, 7, &err)
 *     ... b.schedule is run ...
 *     break_mends(&b, &edit, &err)     whether this one change makes it right
 *     broken_done(&b)
 *
 * Every break is refuted by the proof, and leaves an output that is not what
 * was promised, or hangs: a run shows it.  The same seed makes the same break.
 *
 * | kind     | what was changed                                              |
 * |----------|---------------------------------------------------------------|
 * | lost     | a transfer is missing                                         |
 * | slot     | it is of another slot                                         |
 * | peer     | it goes to another rank, or comes from one                    |
 * | op       | it copies where it should add, or the other way round         |
 * | order    | two steps have changed places                                 |
 * | root     | a rank receives (or, if the root gets all, sends) as if       |
 * |          | another were the root                                         |
 * | race     | it is in the step that writes what it reads: it comes too     |
 * |          | early                                                         |
 * | deadlock | sends block, so of two ranks that exchange data the lower one |
 * |          | sends first; one of them does not keep to this                |
 *
 * In a broken schedule each transfer has one slot. */
#ifndef RUN_BREAKS_H
#define RUN_BREAKS_H

#include "schedule/schedule.h"

enum break_kind {
    BREAK_LOST,
    BREAK_SLOT,
    BREAK_PEER,
    BREAK_OP,
    BREAK_ORDER,
    BREAK_ROOT,
    BREAK_RACE,
    BREAK_DEADLOCK,
    BREAK_KINDS
};

extern const char *const break_names[BREAK_KINDS + 1]; /* up to NULL */

/* One change.  A transfer is taken away, added, replaced or moved; or two steps
 * change places. */
struct edit {
    int step;
    int index; /* of the transfer in its step, from 0; -1: none is taken away */
    int to;    /* the step to which `put` is added; 0: nothing is added */
    struct transfer put;
    int swap; /* not 0: this step and `step` change places, and nothing else */
};

struct broken {
    enum break_kind kind;
    struct schedule *whole;    /* as it was proved */
    struct schedule *schedule; /* with the change */
    int rank; /* deadlock: who follows `schedule`; all others follow `whole`.
               * Otherwise -1: all follow `schedule` */
    struct edit edit; /* of `whole`: what was changed */
};

/* Breaks a schedule that is right.  `other` is made by the same algorithm for
 * another root; NULL: it has no root.  Both are borrowed.  Returns false, with
 * the reason in *err, if no such break was found; broken_done() is for what it
 * returned true for. */
bool break_schedule(struct broken *b, const struct schedule *s,
                    const struct schedule *other, enum break_kind kind,
                    uint32_t seed, struct err *err);
void broken_done(struct broken *b);

/* The change that takes the break back, and the transfer that it is about. */
struct edit break_undone(const struct broken *b, struct transfer *about);

/* The schedule after a change.  The caller frees it. */
struct schedule *edit_schedule(const struct schedule *s, const struct edit *e);

/* Whether this change of the broken schedule makes it right; if not, *err has
 * what the prover says of it, or why it still hangs. */
bool break_mends(const struct broken *b, const struct edit *e,
                 struct err *err);

/* Whether any change makes it right that is about the transfers from `src` to
 * `dst` in this step: one of them is replaced, moved or taken away, one more is
 * added, or the step changes places with another. */
bool break_mends_at(const struct broken *b, int step, int src, int dst);

#endif
