/* SPDX-License-Identifier: MIT */
/* How a rank waits that can do nothing now: it looks again after naps, which
 * grow, so that waiting costs next to nothing.  A rank that has posted
 * something wakes all ranks on its host, through memory that they share.
 * Nothing wakes a rank on another host.  So a rank that waits for messages
 * from there naps for NAP_REMOTE_US at most, or its waits would seem longer
 * than they are.
 *
 *     if (moved) nap_wake(nap); else nap_take(nap, most_us); */
#ifndef WORKERS_MPI_MPI_NAP_H
#define WORKERS_MPI_MPI_NAP_H

#include "workers/mpi/mpi_world.h"

enum { NAP_REMOTE_US = 1000, NAP_MOST_US = 100000 };

struct nap;

/* To be called by all processes. Never fails: without shared memory no rank is
 * woken. */
struct nap *nap_new(const struct mpi_world *w);
void nap_free(struct nap *n);

void nap_take(struct nap *n, int64_t most_us);

/* Wakes the ranks on this host; the own naps begin anew, too. */
void nap_wake(struct nap *n);

/* Whether nap_wake() reaches every rank that this one may wait for. */
bool nap_reaches_all(const struct nap *n);

#endif
