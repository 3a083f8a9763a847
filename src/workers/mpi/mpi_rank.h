/* SPDX-License-Identifier: MIT */
/* A rank: carries out its share, step by step, without ever waiting.
 *
 *     struct mpi_rank *r = mpi_rank_new(world, share, &err);
 *     mpi_rank_grant(r, to, start_ns);
 *     while (!mpi_rank_idle(r))
 *         mpi_rank_advance(r, &moved, &err);
 *
 * A step is a group of MPI_Isend and MPI_Irecv, then the step's works
 * (run/message_rank.h).  If the process has a GPU, the slots are there, it does
 * the works (mpi_device.h), and NCCL may carry what they hold (mpi_carrier.h).
 * In a mismatched run a rank stops for good at a message that is longer than
 * what it receives.
 *
 * When simulated, advancing does wait, in simulated time, for one step. */
#ifndef WORKERS_MPI_MPI_RANK_H
#define WORKERS_MPI_MPI_RANK_H

#include "run/message_rank.h"
#include "workers/mpi/mpi_world.h"

struct mpi_rank;

/* Takes over the share. The world must outlive the rank. To be called by all
 * ranks.  Returns NULL on failure, with the reason. */
struct mpi_rank *mpi_rank_new(const struct mpi_world *w, struct share *share,
                              struct err *err);

/* The rank must be at rest. Does nothing for NULL. */
void mpi_rank_free(struct mpi_rank *r);

/* Whether none of its messages are under way. */
bool mpi_rank_rests(const struct mpi_rank *r);

/* Lets it do steps up to and including `to`, and the division with the last
 * one.  Times of events count from start_ns.  A plain run that has ended begins
 * again, with whatever its slots hold. */
void mpi_rank_grant(struct mpi_rank *r, int to, int64_t start_ns);

/* Whether everything granted is done. */
bool mpi_rank_idle(const struct mpi_rank *r);

/* Microseconds until the delay before its next step is over; INT64_MAX if it
 * does not wait for that. */
int64_t mpi_rank_delay_us(const struct mpi_rank *r);

/* Whether its next step is delayed for ever. */
bool mpi_rank_never_goes_on(const struct mpi_rank *r);

/* Does what can be done now; sets *moved if that was anything. */
bool mpi_rank_advance(struct mpi_rank *r, bool *moved, struct err *err);

/* Whether something has happened since the last report. */
bool mpi_rank_has_news(const struct mpi_rank *r);

/* What has happened since the last call: see message_rank_report(). */
struct event *mpi_rank_report(struct mpi_rank *r, size_t *nevents,
                              size_t *length);

/* The step that it is in, from 1; nsteps + 2 when it is through. */
int mpi_rank_step(const struct mpi_rank *r);

/* See message_rank_contents(). */
void mpi_rank_contents(const struct mpi_rank *r, uint64_t *contents);

/* Brings the output into mpi_rank_memory(), if it is on a device. */
bool mpi_rank_fetch(struct mpi_rank *r, struct err *err);

/* Whether it waits for a device, which wakes nobody. */
bool mpi_rank_waits_for_device(const struct mpi_rank *r);

const struct mpi_world *mpi_rank_world(const struct mpi_rank *r);
const struct share *mpi_rank_share(const struct mpi_rank *r);
const struct rank_memory *mpi_rank_memory(const struct mpi_rank *r);

#endif
