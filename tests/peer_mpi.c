/* SPDX-License-Identifier: MIT */
/* A peer of make bench-peers: MPI's own collectives, as bench_peers.c commands
 * through the board (peers.h), whose file is the argument.  Variant 0 is what
 * MPI chooses; the others are Open MPI's algorithms for all-reduce, if "choose"
 * follows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "peers.h"
#include "workers/mpi/mpi_world.h"

static const char *const algorithms[] = {
    "default", "recursive_doubling", "ring", "segmented_ring", "rabenseifner",
};
enum { VARIANTS = sizeof algorithms / sizeof algorithms[0] };

struct peer {
    struct peer_board *board;
    int rank, n, variants;
    MPI_Comm comms[VARIANTS];
    struct peer_cell cell;
    float *in, *out; /* the same buffer if the call is in place */
};

static void
open_variants(struct peer *p, bool choose)
{
    struct err err;

    p->comms[p->variants++] = MPI_COMM_WORLD;
    while (choose && p->variants < VARIANTS &&
           mpi_choice_dup(MPI_COMM_WORLD, "MPI_Allreduce",
                          algorithms[p->variants], &p->comms[p->variants],
                          &err))
        p->variants++;
    if (p->rank > 0)
        return;
    for (int i = 0; i < p->variants; i++) {
        strcat(p->board->variants, algorithms[i]);
        strcat(p->board->variants, " ");
    }
}

/* MPI's broadcast has one buffer: where it is not in place, the root copies its
 * input there first, as collviz does. */
static void
prepare(struct peer *p)
{
    size_t room = (size_t)p->board->cell.count;

    p->cell = p->board->cell;
    p->in = mem_new_aligned(room, sizeof *p->in);
    p->out = p->cell.in_place ? p->in
                              : mem_new_aligned(room, sizeof *p->out);
    peer_write_input(&p->cell, p->n, p->rank, p->in);
}

static void
forget(struct peer *p)
{
    if (p->out != p->in)
        free(p->out);
    free(p->in);
    p->in = p->out = NULL;
}

static void
call(const struct peer *p, MPI_Comm comm)
{
    int count = (int)p->cell.count, unit = count / p->n;
    const void *in = p->cell.in_place ? MPI_IN_PLACE : p->in;

    switch (p->cell.collective) {
    case PEER_ALLREDUCE:
        MPI_Allreduce(in, p->out, count, MPI_FLOAT, MPI_SUM, comm);
        break;
    case PEER_ALLGATHER:
        MPI_Allgather(in, unit, MPI_FLOAT, p->out, unit, MPI_FLOAT, comm);
        break;
    case PEER_REDUCE_SCATTER:
        MPI_Reduce_scatter_block(in, p->out, unit, MPI_FLOAT, MPI_SUM, comm);
        break;
    case PEER_BROADCAST:
        if (p->rank == 0 && p->out != p->in)
            memcpy(p->out, p->in, (size_t)count * sizeof *p->out);
        MPI_Bcast(p->out, count, MPI_FLOAT, 0, comm);
        break;
    default:
        MPI_Alltoall(in, unit, MPI_FLOAT, p->out, unit, MPI_FLOAT, comm);
    }
}

static void
check(struct peer *p)
{
    peer_write_input(&p->cell, p->n, p->rank, p->in);
    call(p, p->comms[p->board->variant]);
    if (!peer_is_right(&p->cell, p->n, p->rank, p->out))
        __atomic_fetch_add(&p->board->wrong, 1, __ATOMIC_RELAXED);
}

static void
measure(struct peer *p)
{
    MPI_Comm comm = p->comms[p->board->variant];
    int calls = p->board->calls;
    double us;

    call(p, comm);
    MPI_Barrier(MPI_COMM_WORLD);
    us = -(double)clock_ns();
    for (int i = 0; i < calls; i++)
        call(p, comm);
    us = (us + (double)clock_ns()) / 1e3 / calls;
    MPI_Reduce(p->rank == 0 ? MPI_IN_PLACE : &us, &us, 1, MPI_DOUBLE, MPI_MAX,
               0, MPI_COMM_WORLD);
    if (p->rank == 0)
        p->board->us = us;
}

static void
obey(struct peer *p)
{
    switch (p->board->order) {
    case PEER_PREPARE:
        prepare(p);
        break;
    case PEER_CHECK:
        check(p);
        break;
    case PEER_TIME:
        measure(p);
        break;
    default:
        forget(p);
    }
}

int
main(int argc, char *argv[])
{
    struct peer p = {.variants = 0};
    uint32_t heard = 0;
    bool choose = argc > 2 && strcmp(argv[2], "choose") == 0;

    if (argc < 2)
        die("usage: peer_mpi BOARD [choose]");
    if (choose)
        mpi_choice_allow();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.n);
    if ((p.board = peer_open(argv[1])) == NULL)
        die("peer_mpi: cannot map %s", argv[1]);
    open_variants(&p, choose);
    while (peer_next(p.board, &heard))
        obey(&p);
    MPI_Finalize();
    return 0;
}
