/* SPDX-License-Identifier: MIT */
/* Which ranks wait for which if they pass messages that may not fit together
 * (schedule/mismatch.h), and so which of them hang, and why.
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
 * NCCL's rules (run/nccl_slices.h) say all this of slices instead of messages,
 * but none is too long, and a send is over as soon as all but a few
 * of the slices so far have been taken.
 *
 *     struct waits *w = waits_new(shares, nranks, NULL);
 *     waits_settle(w, true, steps);             as far as ranks can come
 *     waits_hang(w, true, steps, &wrong)        "the run hangs: rank 0 ..."
 *     waits_free(w); */
#ifndef RUN_WAITS_H
#define RUN_WAITS_H

#include "event/wrong.h"
#include "run/nccl_slices.h"
#include "run/share.h"

struct waits;

/* Copies what it needs. `cut` is for NCCL's rules; NULL: messages are not
 * cut. */
struct waits *waits_new(struct share *const *shares, int nranks,
                        const struct nccl_cut *cut);
void waits_free(struct waits *w);

/* Moves ranks on from `steps` until none can leave its step. The result does
 * not depend on the order. */
void waits_settle(const struct waits *w, bool buffered, int *steps);

/* Finds why ranks that have come to `steps` hang.  Returns false, and leaves
 * *wrong as it was, if some rank can go on, or if all are through. */
bool waits_hang(const struct waits *w, bool buffered, const int *steps,
                struct wrong *wrong);

/* Finds the first message that does not fit where all ranks are through: one
 * that nobody receives, or one of another length than its receive.  Returns
 * false for none. */
bool waits_unfit(const struct waits *w, struct wrong *wrong);

#endif
