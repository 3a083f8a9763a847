/* SPDX-License-Identifier: MIT */
/* A rank that has posted something wakes all ranks on its host, through memory
 * that they share.  Nothing wakes a rank on another host.  So a rank that waits
 * for messages from there naps for NAP_DEVICE_US at most, or its waits would
 * seem longer than they are. */
#include "workers/mpi/mpi_world.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    YIELDS = 100,       /* before the first nap */
    SHORT_NAPS = 100,   /* of NAP_LEAST_US, before they grow */
    NAP_LEAST_US = 50,
};

struct nap {
    MPI_Win window;
    uint32_t *calls; /* counts crew_wake(); shared by the host's ranks; NULL:
                      * there is no shared memory */
    uint32_t heard;  /* calls, when this rank last did something */
    int turns;       /* since then */
    bool one_host;   /* all ranks are on this host */
};

/* The host's first rank has the memory.  Whether it is there is agreed on by
 * all ranks of the host: those that have none must not be waited for. */
static bool
share_memory(struct nap *n, const struct mpi_world *w)
{
    MPI_Aint bytes;
    int rank, unit, ok, all;

    MPI_Comm_rank(w->host, &rank);
    ok = MPI_Win_allocate_shared(rank == 0 ? sizeof *n->calls : 0, 1,
                                 MPI_INFO_NULL, w->host, &n->calls,
                                 &n->window) == MPI_SUCCESS;
    if (!ok)
        n->window = MPI_WIN_NULL;
    else
        ok = MPI_Win_shared_query(n->window, 0, &bytes, &unit, &n->calls) ==
                 MPI_SUCCESS &&
             MPI_Win_lock_all(MPI_MODE_NOCHECK, n->window) == MPI_SUCCESS;
    if (ok && rank == 0)
        *n->calls = 0;
    return MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, w->host) ==
               MPI_SUCCESS &&
           all != 0;
}

struct nap *
nap_new(const struct mpi_world *w)
{
    struct nap *n = mem_new(1, sizeof *n);

    n->window = MPI_WIN_NULL;
    n->one_host = w->nhosts == 1;
    if (!CREW_SIMULATED && !share_memory(n, w))
        n->calls = NULL;
    return n;
}

void
nap_free(struct nap *n)
{
    if (n == NULL)
        return;
    if (n->calls != NULL)
        MPI_Win_unlock_all(n->window);
    if (n->window != MPI_WIN_NULL)
        MPI_Win_free(&n->window);
    free(n);
}

static uint32_t
calls(const struct nap *n)
{
    return n->calls != NULL ? __atomic_load_n(n->calls, __ATOMIC_ACQUIRE) : 0;
}

static void
start_anew(struct nap *n)
{
    n->turns = 0;
    n->heard = calls(n);
}

/* 50 us for 5 ms, then a quarter more each time. */
static int64_t
nap_ns(const struct nap *n, int64_t most_ns)
{
    int64_t ns = NAP_LEAST_US * 1000;

    for (int i = YIELDS + SHORT_NAPS; i < n->turns && ns < most_ns; i++)
        ns += ns / 4;
    return ns < most_ns ? ns : most_ns;
}

/* A call since this rank was last busy starts the naps anew: what was posted
 * may take a moment to arrive. */
void
crew_nap(struct crew *c, int64_t most_us)
{
    struct nap *n = ((struct mpi_world *)c->with)->nap;
    uint32_t heard = calls(n);
    struct timespec length;

    if (heard != n->heard)
        start_anew(n);
    n->turns += n->turns < INT_MAX;
    if (n->turns <= YIELDS) {
        sched_yield();
        return;
    }
    length = (struct timespec){.tv_nsec = nap_ns(n, most_us * 1000)};
    if (n->calls != NULL)
        syscall(SYS_futex, n->calls, FUTEX_WAIT, heard, &length, NULL, 0);
    else
        nanosleep(&length, NULL);
}

void
crew_wake(struct crew *c)
{
    struct nap *n = ((struct mpi_world *)c->with)->nap;

    if (n->calls != NULL) {
        __atomic_add_fetch(n->calls, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, n->calls, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
    start_anew(n);
}

bool
crew_wakes_all(const struct crew *c)
{
    const struct nap *n = ((struct mpi_world *)c->with)->nap;

    return n->calls != NULL && n->one_host;
}
