/* SPDX-License-Identifier: MIT */
/* How a rank that has nothing to do waits: it looks again after naps that grow
 * longer, up to NAP_MOST_MS, so that idle ranks cost next to nothing.  Rank 0
 * wakes those on its own host, through memory that they share, when it has
 * posted something; ranks on other hosts find it after their naps.
 *
 *     if (moved) nap_reset(nap); else nap_take(nap); */
#ifndef WORKERS_MPI_MPI_NAP_H
#define WORKERS_MPI_MPI_NAP_H

#include "workers/mpi/mpi_world.h"

enum { NAP_MOST_MS = 100 };

struct nap;

/* To be called by all processes. Never fails: without shared memory nobody is
 * woken. */
struct nap *nap_new(const struct mpi_world *w);
void nap_free(struct nap *n);

void nap_reset(struct nap *n);
void nap_take(struct nap *n);

/* Wakes the ranks on this host. */
void nap_wake(struct nap *n);

#endif
