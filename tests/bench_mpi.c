/* SPDX-License-Identifier: MIT */
/* Part of make bench-mpi: our ring all-reduce over MPI beside Open MPI's own
 * ring, float32 sum, in place, on as many ranks as mpirun starts.
 *
 * Columns, all from one interleaved run, medians of rounds; a call takes as
 * long as its slowest rank:
 *     ours us      a plain run of mpi_crew.c, without the front end
 *     ring us      MPI_Allreduce on a communicator that takes coll_tuned's ring
 *     ratio        ours / ring, median of the rounds' ratios
 *     best         the same of the shortest times, for a machine that has other
 *                  work to do
 *     default us   MPI_Allreduce as Open MPI chooses by itself
 * Open MPI's ring takes recursive doubling for fewer elements than ranks.
 *
 * `bench_mpi hello` only says that MPI_Init is over (bench_mpi_start.c). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "median.h"
#include "play.h"
#include "run/pool.h"
#include "workers/mpi/mpi_world.h"

enum { ROUNDS = 15 };

/* One size: the same data for all three. */
struct bench {
    struct mpi_world *w;
    int n;
    int64_t count;
    struct schedule *schedule;
    struct message_rank *ours;
    float *theirs;
    MPI_Comm ring; /* MPI_COMM_NULL: this MPI has none */
};

static void
stop_at(bool ok, const struct err *err)
{
    if (ok)
        return;
    fprintf(stderr, "bench_mpi: %s\n", err->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static struct message_rank *
make_rank(const struct bench *b)
{
    struct run_options o = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, b->count, NULL}};
    struct share *shares[b->w->crew.size];
    struct message_rank *made = mem_new(1, sizeof *made);
    struct waits *none;
    struct err err;

    share_out(b->schedule, &o, shares, &none);
    for (int rank = 0; rank < b->w->crew.size; rank++)
        if (rank != b->w->crew.rank)
            free(shares[rank]);
    message_rank_init(made, shares[b->w->crew.rank]);
    stop_at(crew_join(&b->w->crew, made, &err), &err);
    return made;
}

static void
reset_theirs(struct bench *b)
{
    for (int64_t i = 0; i < b->count; i++)
        dtype_default(DTYPE_FLOAT32, REDOP_SUM, b->w->crew.rank, i,
                      &b->theirs[i]);
}

static void
run_ours(struct bench *b)
{
    bool ignored;
    struct err err;

    message_rank_grant(b->ours, b->schedule->nsteps, 0);
    while (!message_rank_idle(b->ours))
        stop_at(message_rank_advance(b->ours, &ignored, &err), &err);
}

static void
run_ring(struct bench *b)
{
    MPI_Allreduce(MPI_IN_PLACE, b->theirs, (int)b->count, MPI_FLOAT, MPI_SUM,
                  b->ring);
}

static void
run_default(struct bench *b)
{
    MPI_Allreduce(MPI_IN_PLACE, b->theirs, (int)b->count, MPI_FLOAT, MPI_SUM,
                  b->w->control);
}

/* Of one call, in us, on the slowest rank. */
static double
time_us(struct bench *b, void (*run)(struct bench *), int calls)
{
    double us;

    MPI_Barrier(b->w->control);
    us = -(double)clock_ns() / 1e3 / calls;
    for (int i = 0; i < calls; i++)
        run(b);
    us += (double)clock_ns() / 1e3 / calls;
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, b->w->control);
    return us;
}

/* Whether values are the sums of the ranks' defaults, which are small whole
 * numbers, on every rank. */
static bool
are_sums(const struct bench *b, const void *data, int64_t from, int64_t n)
{
    const float *values = data;

    for (int64_t i = 0; i < n; i++) {
        float sum = 0, x;
        for (int r = 0; r < b->n; r++, sum += x)
            dtype_default(DTYPE_FLOAT32, REDOP_SUM, r, from + i, &x);
        if (values[i] != sum)
            return false;
    }
    return true;
}

static bool
ours_is_right(struct bench *b)
{
    struct region out = schedule_output(b->schedule, b->w->crew.rank);
    const struct rank_memory *m = &b->ours->memory;
    int right = 1;
    int64_t at = 0;

    run_ours(b);
    for (int i = 0; i < out.count; i++) {
        const struct rank_slot *slot = &m->slots[out.first + i];
        right &= are_sums(b, slot->data, at, slot->length);
        at += slot->length;
    }
    right &= at == b->count;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, b->w->control);
    return right;
}

static bool
theirs_is_right(struct bench *b, void (*run)(struct bench *))
{
    int right;

    reset_theirs(b);
    run(b);
    right = are_sums(b, b->theirs, 0, b->count);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, b->w->control);
    return right;
}

static bool
bench(struct bench *b, int64_t bytes)
{
    double ours[ROUNDS], ring[ROUNDS], usual[ROUNDS], ratio[ROUNDS];
    int calls = calls_for(bytes, 500);
    double our_us, ring_us, best;
    bool right;

    b->count = bytes / 4;
    b->ours = make_rank(b);
    b->theirs = mem_new_aligned((size_t)b->count, sizeof(float));
    right = ours_is_right(b) && theirs_is_right(b, run_ring) &&
            theirs_is_right(b, run_default);
    for (int i = -2; i < ROUNDS; i++) {
        int k = i < 0 ? 0 : i; /* two rounds to warm up */
        ours[k] = time_us(b, run_ours, calls);
        ring[k] = time_us(b, run_ring, calls);
        usual[k] = time_us(b, run_default, calls);
        ratio[k] = ours[k] / ring[k];
    }
    our_us = median(ours, ROUNDS);
    ring_us = median(ring, ROUNDS);
    best = ours[0] / ring[0]; /* they are sorted now */
    if (b->w->crew.rank == 0) {
        printf("%2d %9" PRId64 " %11.2f %11.2f %6.2f %6.2f %11.2f%s\n", b->n,
               bytes, our_us, ring_us, median(ratio, ROUNDS), best,
               median(usual, ROUNDS), right ? "" : "  WRONG RESULT");
        fflush(stdout);
    }
    message_rank_done(b->ours);
    free(b->ours);
    free(b->theirs);
    return right;
}

int
main(int argc, char *argv[])
{
    struct mpi_world w;
    struct bench b = {.w = &w};
    bool right = true;
    char library[128];
    struct err err;

    mpi_choice_allow();
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        puts("hello");
        MPI_Finalize();
        return 0;
    }
    stop_at(mpi_world_open(&w, &err), &err);
    if (!mpi_choice_dup(w.data, "MPI_Allreduce", "ring", &b.ring, &err)) {
        if (w.crew.rank == 0)
            printf("skipped: %s\n", err.text);
        MPI_Finalize();
        return 0;
    }
    b.n = w.crew.size;
    b.schedule = ring(b.n);
    mpi_world_library(library, sizeof library);
    if (w.crew.rank == 0)
        printf("%d ranks on %d cores%s, %s\n"
               "%2s %9s %11s %11s %6s %6s %11s\n", b.n, pool_cores(),
               b.n > pool_cores() ? " (oversubscribed)" : "", library, "N",
               "bytes", "ours us", "ring us", "ratio", "best", "default us");
    for (size_t i = 0; i < sizeof bench_sizes / sizeof bench_sizes[0]; i++)
        right &= bench(&b, bench_sizes[i]);
    schedule_free(b.schedule);
    MPI_Comm_free(&b.ring);
    mpi_world_close(&w);
    MPI_Finalize();
    return right ? 0 : 1;
}
