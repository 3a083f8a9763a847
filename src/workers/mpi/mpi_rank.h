/* SPDX-License-Identifier: MIT */
/* A rank: carries out its share, step by step, without ever waiting.
 *
 *     struct mpi_rank *r = mpi_rank_new(world, share);
 *     mpi_rank_grant(r, to, start_ns);
 *     while (!mpi_rank_idle(r))
 *         mpi_rank_advance(r, &moved, &err);
 *
 * A step is a group of MPI_Isend and MPI_Irecv, then the step's works.  In a
 * watched run each message is followed by one with the slot's ledger row and
 * the time at which it was sent, so that the receiver knows how long it waited
 * for the sender.
 *
 * When simulated, advancing does wait, in simulated time, for one step. */
#ifndef WORKERS_MPI_MPI_RANK_H
#define WORKERS_MPI_MPI_RANK_H

#include "run/rank_memory.h"
#include "workers/mpi/mpi_share.h"
#include "workers/mpi/mpi_world.h"

struct mpi_rank;

/* Takes over the share. The world must outlive the rank. Never fails. */
struct mpi_rank *mpi_rank_new(const struct mpi_world *w, struct share *share);

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

/* What has happened since the last call, as events with their contents, in the
 * order in which it happened: *nevents of them, then their contents,
 * content_words() words for each slot of an event.  The caller frees it, and
 * sets events' content pointers; they are NULL. Returns NULL for none. */
struct event *mpi_rank_report(struct mpi_rank *r, size_t *nevents,
                              size_t *length);

const struct share *mpi_rank_share(const struct mpi_rank *r);
const struct rank_memory *mpi_rank_memory(const struct mpi_rank *r);

#endif
