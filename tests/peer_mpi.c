/* SPDX-License-Identifier: MIT */
/* A peer of make bench-peers: MPI's own collectives, as bench_peers.c commands
 * through the board (peers.h), whose file is the argument.  Variant 0 is what
 * MPI chooses; the others are Open MPI's algorithms for all-reduce, if "choose"
 * follows. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

static struct peer_board *
open_board(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *board = fd < 0 ? MAP_FAILED
                         : mmap(NULL, sizeof(struct peer_board),
                                PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (board == MAP_FAILED)
        die("peer_mpi: cannot map %s", path);
    return board;
}

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

static void
write_input(struct peer *p)
{
    int64_t count = peer_inputs(&p->cell, p->n);

    if (p->cell.collective == PEER_BROADCAST && p->rank > 0)
        count = 0;
    for (int64_t i = 0; i < count; i++)
        p->in[peer_input_at(&p->cell, p->n, p->rank) + i] =
            peer_value(p->rank, i);
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
    write_input(p);
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

static bool
is_right(const struct peer *p)
{
    int64_t count = peer_outputs(&p->cell, p->n);

    for (int64_t i = 0; i < count; i += peer_stride(count))
        if (p->out[i] != peer_expected(&p->cell, p->n, p->rank, i))
            return false;
    return true;
}

static void
check(struct peer *p)
{
    write_input(p);
    call(p, p->comms[p->board->variant]);
    if (!is_right(p))
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

static void
count_done(struct peer_board *board)
{
    __atomic_fetch_add(&board->done, 1, __ATOMIC_RELEASE);
    peer_wake(&board->done);
}

int
main(int argc, char *argv[])
{
    struct peer p = {.variants = 0};
    bool choose = argc > 2 && strcmp(argv[2], "choose") == 0;

    if (argc < 2)
        die("usage: peer_mpi BOARD [choose]");
    if (choose)
        mpi_choice_allow();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.n);
    p.board = open_board(argv[1]);
    open_variants(&p, choose);
    for (uint32_t heard = 0;; heard++) {
        count_done(p.board);
        while (__atomic_load_n(&p.board->command, __ATOMIC_ACQUIRE) == heard)
            peer_sleep(&p.board->command, heard, 1000);
        if (p.board->order == PEER_QUIT)
            break;
        obey(&p);
    }
    MPI_Finalize();
    return 0;
}
