/* SPDX-License-Identifier: MIT */
/* Who waits for whom, where ranks pass messages that may not fit together
 * (schedule/mismatch.h): which ranks hang, and why.
 *
 * The k-th message from one rank to another meets the k-th receive from it.  A
 * rank posts all messages of a step when it comes to the step, and leaves it
 * when they are over.  A message longer than its receive stops the receiver, as
 * MPI_ERR_TRUNCATE does; a shorter one leaves the rest as it was.
 *
 * Whether a send is over before it is received is the carrier's choice: MPI
 * buffers small messages and not large ones.  So there are two answers;
 * `buffered` chooses.
 *
 *     struct waits *w = waits_new(shares, nranks);
 *     waits_hang(w, true, steps, &text)         "the run hangs: rank 0 ..."
 *     waits_free(w); */
#ifndef RUN_WAITS_H
#define RUN_WAITS_H

#include "base/buf.h"
#include "run/share.h"

enum wait_kind {
    WAIT_NONE,      /* it can leave its step */
    WAIT_THROUGH,   /* it has left its last step */
    WAIT_RECEIVE,   /* for a message that the peer has not sent */
    WAIT_SEND,      /* for the peer to receive */
    WAIT_TRUNCATED, /* the peer's message was too long: it has stopped */
};

struct rank_wait {
    enum wait_kind kind;
    int step, peer;
    int64_t length, room; /* elements; of WAIT_TRUNCATED */
};

struct waits;

/* Copies what it needs. */
struct waits *waits_new(struct share *const *shares, int nranks);
void waits_free(struct waits *w);

/* What a rank waits for when each rank r has posted the messages of its steps
 * 1 .. steps[r].  A rank that is through has a step beyond its last one. */
struct rank_wait waits_of(const struct waits *w, bool buffered,
                          const int *steps, int rank);

/* Appends why ranks that have come to `steps` hang: "the run hangs: rank 0
 * waits for rank 2 (step 3), rank 2 waits for rank 0 (step 2): a cycle".  Names
 * three ranks at most: then ", and so on", and how many more wait.
 * Returns false, and appends nothing, if some rank can go on, or if all are
 * through. */
bool waits_hang(const struct waits *w, bool buffered, const int *steps,
                struct buf *out);

/* Appends the first message that does not fit where all ranks are through: one
 * that nobody receives, or one shorter than its receive.  Returns false for
 * none. */
bool waits_unfit(const struct waits *w, struct buf *out);

#endif
