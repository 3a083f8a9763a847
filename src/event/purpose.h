/* SPDX-License-Identifier: MIT */
/* What is wrong with a run on purpose: one rank that was given something else,
 * data that were spoiled, ranks that are late.
 *
 * It is a text only in recordings and for people: that which the options
 * --mismatch, --fault and --delay take.
 *
 *     purpose_read(&p, "2=root:1", "", "", 3, &err);
 *     purpose_add(&p, PURPOSE_MISMATCH, &out);               "2=root:1" */
#ifndef EVENT_PURPOSE_H
#define EVENT_PURPOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "schedule/mismatch.h"
#include "schedule/program.h"

/* What the rank has that the others have not (schedule/mismatch.h). */
enum mismatch_kind {
    MISMATCH_NONE,
    MISMATCH_ROOT,
    MISMATCH_COUNT,
    MISMATCH_ALGORITHM,
    MISMATCH_ORDER /* of its steps; --mismatch does not take it */
};

struct purpose_mismatch {
    enum mismatch_kind kind;
    int rank;
    int64_t number;                    /* its root, or its count */
    char algorithm[SCHEDULE_NAME_MAX]; /* its algorithm */
    enum mismatch_rules rules;
};

enum { DELAY_FOREVER = -1 };

struct purpose {
    struct purpose_mismatch mismatch;
    struct fault fault;
    int64_t delays[SCHEDULE_RANKS_MAX]; /* ns before each step, by rank;
                                         * DELAY_FOREVER: the rank never takes
                                         * it */
};

enum purpose_part {
    PURPOSE_MISMATCH, /* "2=root:1", "0=algorithm:tree", "1=order" */
    PURPOSE_FAULT,    /* "drop:1:0": kind, step, sender */
    PURPOSE_DELAYS,   /* "1=200 2=inf": ranks, milliseconds */
    PURPOSE_PARTS
};

/* The longest text of a part. */
enum { PURPOSE_TEXT_MAX = 32 * SCHEDULE_RANKS_MAX };

/* Appends a part as text; nothing if that part is not wrong. */
void purpose_add(const struct purpose *p, enum purpose_part part,
                 struct buf *out);

/* The same for people, who also learn by which rules ranks exchange messages:
 * "2=root:1 --rules mpi". */
void purpose_show(const struct purpose *p, enum purpose_part part,
                  struct buf *out);

/* The words for enum mismatch_rules. */
extern const char *const mismatch_rules[];

/* Reads the three texts of a run on so many ranks; "" for nothing.  Returns
 * false, with the reason, for other text than purpose_add() writes. */
bool purpose_read(struct purpose *p, const char *mismatch, const char *fault,
                  const char *delays, int nranks, struct err *err);

#endif
