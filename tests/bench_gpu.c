/* SPDX-License-Identifier: MIT */
/* make bench-gpu: ring all-reduce on GPUs, float32 sum, in place.
 *
 *     bench_gpu [BYTES]        no larger than that (256 MiB)
 *     bench_gpu BYTES slices   4 ranks, of that size, in larger and smaller
 *                              slices (workers/cuda/placement.h)
 *
 * Columns, all from one interleaved run, medians of rounds:
 *     us        a plain run, from before its launch until the host sees its
 *               end
 *     busbw     GB/s as nccl-tests count them: 2(N-1)/N bytes / time
 *     moved     GB/s that ranks read and write: a reduction reads two and
 *               writes one, a copy reads one and writes one
 *     of copy   moved, relative to the GB/s that cudaMemcpyAsync reads and
 *               writes on one GPU: ten copies of 1 GiB in a row, timed on the
 *               GPU, between the rounds
 *     watched   the extra time of carrying the ledger and reporting every
 *               transfer, in per cent of the plain run
 * Below the table: the goals. */
#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "median.h"
#include "play.h"
#include "run/verify.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/gpu.h"
#include "workers/cuda/gpu_run.h"
#include "workers/cuda/kernels.h"

/* In place of the library's, whose slices have one size. */
static int64_t slices = INT64_C(16) << 20;
#define LAUNCH_SLICES slices
#include "workers/cuda/launch.c" /* NOLINT(bugprone-suspicious-include) */

enum {
    ROUNDS = 15,
    WARM_UP = 3,
    COPIES = 10,
    MIB = 1 << 20,
    MOST_BYTES = 256 * MIB,
    COPY_BYTES = 1024 * MIB,
};

/* Two buffers on the first GPU, between which copies are timed. */
struct copy {
    struct gpu_memory memory;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    void *to, *from;
    size_t bytes;
};

/* Medians of one row. */
struct row {
    double plain_us, watched_us, copy_us;
    bool right;
};

static bool
copy_init(struct copy *c, int gpu, size_t bytes, struct err *err)
{
    *c = (struct copy){.bytes = bytes};
    return cuda_ok(cudaSetDevice(gpu), "choosing the GPU", err) &&
           cuda_ok(cudaStreamCreateWithFlags(&c->stream, cudaStreamDefault),
                   "starting work on the GPU", err) &&
           cuda_ok(cudaEventCreate(&c->begin), "making a timer", err) &&
           cuda_ok(cudaEventCreate(&c->end), "making a timer", err) &&
           (c->to = gpu_memory_device(&c->memory, bytes, err)) != NULL &&
           (c->from = gpu_memory_device(&c->memory, bytes, err)) != NULL;
}

/* The time of one copy, out of several in a row: without a launch and without
 * the way back to the host. */
static bool
copy_us(const struct copy *c, double *us, struct err *err)
{
    bool ok = cuda_ok(cudaEventRecord(c->begin, c->stream), "timing", err);
    float ms = 0;

    for (int i = 0; ok && i < COPIES; i++)
        ok = cuda_ok(cudaMemcpyAsync(c->to, c->from, c->bytes,
                                     cudaMemcpyDeviceToDevice, c->stream),
                     "copying on the GPU", err);
    ok = ok && cuda_ok(cudaEventRecord(c->end, c->stream), "timing", err) &&
         cuda_ok(cudaEventSynchronize(c->end), "copying on the GPU", err) &&
         cuda_ok(cudaEventElapsedTime(&ms, c->begin, c->end), "timing", err);
    *us = 1e3 * (double)ms / COPIES;
    return ok;
}

/* Starts from whatever the last run left: the time does not depend on it. */
static bool
run_us(void *g, const struct schedule *s, double *us, struct err *err)
{
    int64_t start = clock_ns(), at_ns;
    struct event event;
    bool idle = false;

    if (!machine_gpu.grant(g, s->nsteps, &at_ns, err))
        return false;
    while (!idle) {
        if (!machine_gpu.look(g, &idle, err))
            return false;
        if (idle)
            *us = (double)(clock_ns() - start) / 1e3;
        while (machine_gpu.event(g, &event))
            continue;
    }
    return true;
}

static bool
is_right(void *g, const struct schedule *s, const struct input *in,
         bool *right, struct err *err)
{
    struct run_result result = {0};
    struct rank_slots found;
    double ignored;

    if (!run_us(g, s, &ignored, err) || !machine_gpu.fetch(g, &found, err))
        return false;
    verify(s, in, &found, &result);
    *right = result.correct;
    return true;
}

static bool
measure(void *plain, void *watched, const struct schedule *s,
        const struct copy *c, struct row *row, struct err *err)
{
    double us[3][ROUNDS];

    for (int i = -WARM_UP; i < ROUNDS; i++) {
        int k = i < 0 ? 0 : i;
        if (!run_us(plain, s, &us[0][k], err) ||
            !run_us(watched, s, &us[1][k], err) ||
            !copy_us(c, &us[2][k], err))
            return false;
    }
    row->plain_us = median(us[0], ROUNDS);
    row->watched_us = median(us[1], ROUNDS);
    row->copy_us = median(us[2], ROUNDS);
    return true;
}

/* Bytes that ring all-reduce on n ranks reads and writes: on every rank, n - 1
 * times a reduction and a copy of a chunk. */
static double
moved(int n, int64_t bytes)
{
    return 5.0 * (n - 1) * (double)bytes;
}

static double
of_copy(const struct row *r, int n, int64_t bytes, const struct copy *c)
{
    double copied = 2.0 * (double)c->bytes / r->copy_us;

    return moved(n, bytes) / r->plain_us / copied;
}

static void
print_row(const struct row *r, int n, int64_t bytes, const struct copy *c)
{
    printf("%2d %9" PRId64 " %11.2f %9.2f %9.2f %8.2f", n, bytes, r->plain_us,
           2e-3 * (n - 1) / n * (double)bytes / r->plain_us,
           1e-3 * moved(n, bytes) / r->plain_us, of_copy(r, n, bytes, c));
    if (bytes >= MIB)
        printf(" %+7.1f %%", 100 * (r->watched_us / r->plain_us - 1));
    puts(r->right ? "" : "  WRONG RESULT");
    fflush(stdout);
}

static bool
bench(int n, int64_t bytes, const struct copy *c, struct row *row,
      struct err *err)
{
    OWNS(schedule) *s = ring(n);
    struct run_options run = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, bytes / 4, NULL}};
    void *plain = machine_gpu.new(s, &run, err), *watched = NULL;
    bool ok;

    run.watched = true;
    if (plain != NULL)
        watched = machine_gpu.new(s, &run, err);
    ok = watched != NULL && is_right(plain, s, &run.input, &row->right, err) &&
         measure(plain, watched, s, c, row, err);
    if (ok)
        print_row(row, n, bytes, c);
    machine_gpu.free(plain);
    machine_gpu.free(watched);
    return ok;
}

static void
goal(const char *what, double value, const char *unit, const char *least)
{
    printf("%-56s %8.2f %-3s goal %s\n", what, value, unit, least);
}

static void
print_head(void)
{
    printf("%2s %9s %11s %9s %9s %8s %9s\n", "N", "bytes", "us", "busbw",
           "moved", "of copy", "watched");
}

static bool
bench_slices(const struct copy *c, int64_t bytes, struct err *err)
{
    struct row row = {0};

    print_head();
    for (int mib = 4; mib <= 128; mib *= 2) {
        slices = mib * (int64_t)MIB;
        printf("slices of %d MiB, for all ranks:\n", mib);
        if (!bench(4, bytes, c, &row, err))
            return false;
    }
    return true;
}

static bool
bench_all(const struct copy *c, int64_t most, struct err *err)
{
    static const int64_t sizes[] = {8,        1 << 10,  32 << 10, MIB,
                                    16 * MIB, 64 * MIB, MOST_BYTES};
    struct row rows[3][7] = {0};
    int last = 0;

    print_head();
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 7 && sizes[k] <= most; k++) {
            if (sizes[k] == MOST_BYTES && i != 1)
                continue; /* filling them in takes longer than it is worth */
            if (!bench(2 << i, sizes[k], c, &rows[i][k], err))
                return false;
            last = k > last ? k : last;
        }
    putchar('\n');
    goal("4 ranks, the largest: of the copy's speed",
         of_copy(&rows[1][last], 4, sizes[last], c), "", "0.85");
    goal("4 ranks, the largest: watched",
         100 * (rows[1][last].watched_us / rows[1][last].plain_us - 1), "%",
         "at most 3");
    goal("2 ranks, 8 bytes, launch to result", rows[0][0].plain_us, "us",
         "25");
    return true;
}

static void
print_machine(const struct gpus *gpus, int ngpus)
{
    int driver = 0, runtime = 0;

    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    printf("ring all-reduce on %d GPU%s, float32 sum, in place; CUDA %d.%d, "
           "driver for %d.%d\n", ngpus, ngpus == 1 ? "" : "s",
           runtime / 1000, runtime % 1000 / 10, driver / 1000,
           driver % 1000 / 10);
    for (int i = 0; i < ngpus; i++)
        printf("%s, %d multiprocessors\n", gpus->gpu[i].name,
               gpus->gpu[i].multiprocessors);
}

/* What bounds the ranks' speed on the current GPU: how much of it they use. */
static bool
print_kernel(struct err *err)
{
    struct cudaFuncAttributes about;
    int blocks;

    if (!cuda_ok(cudaFuncGetAttributes(&about, (const void *)kernel_ranks),
                 "loading the kernel", err) ||
        !cuda_ok(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                     &blocks, (const void *)kernel_ranks, LAUNCH_THREADS, 0),
                 "asking how many ranks fit", err))
        return false;
    printf("the kernel of ranks: %d registers, %d blocks of %d threads on a "
           "multiprocessor\n\n", about.numRegs, blocks, LAUNCH_THREADS);
    return true;
}

int
main(int argc, char *argv[])
{
    int64_t most = argc > 1 ? atoll(argv[1]) : MOST_BYTES;
    bool varies = argc > 2 && strcmp(argv[2], "slices") == 0;
    struct gpus gpus;
    struct copy copy;
    struct err err;

    if (!gpus_find(&gpus, &err)) {
        printf("skipped: %s\n", err.text);
        return 0;
    }
    print_machine(&gpus, gpus.count);
    if (!copy_init(&copy, gpus.gpu[0].id,
                   (size_t)(most < MIB ? most : COPY_BYTES), &err) ||
        !print_kernel(&err) ||
        !(varies ? bench_slices : bench_all)(&copy, most, &err)) {
        fprintf(stderr, "bench_gpu: %s\n", err.text);
        return 1;
    }
    gpu_memory_done(&copy.memory);
    cudaEventDestroy(copy.begin);
    cudaEventDestroy(copy.end);
    cudaStreamDestroy(copy.stream);
    return 0;
}
