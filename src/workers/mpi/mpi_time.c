/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_time.h"

#include <sched.h>

#include "workers/mpi/mpi_call.h"

/* Looks without success before a rank lets others have its core, which they
 * need if there are more ranks than cores. */
enum { LOOKS = 200 };

static bool
call(struct mpi_rank *r, struct err *err)
{
    int looks = 0;

    mpi_rank_grant(r, mpi_rank_share(r)->nsteps, 0);
    while (!mpi_rank_idle(r)) {
        bool moved = false;

        if (!mpi_rank_advance(r, &moved, err))
            return false;
        looks = moved ? 0 : looks + 1;
        if (looks > LOOKS)
            sched_yield();
    }
    return true;
}

bool
mpi_time_calls(struct mpi_rank *r, int64_t calls, int64_t *ns,
               struct err *err)
{
    const struct mpi_world *w = mpi_rank_world(r);
    int64_t begin;

    if (!mpi_ok(MPI_Barrier(w->data), "MPI_Barrier", err))
        return false;
    begin = mpi_world_ns(w);
    for (int64_t i = 0; i < calls; i++)
        if (!call(r, err))
            return false;
    *ns = mpi_world_ns(w) - begin;
    return mpi_ok(MPI_Barrier(w->data), "MPI_Barrier", err);
}
