/* SPDX-License-Identifier: MIT */
/* Part of make bench-gpu: our ring all-reduce beside NCCL's own, a rank on each
 * GPU, float32 sum, in place. Skips if there are fewer than two GPUs.
 *
 *     bench_nccl [BYTES]       no larger than that (256 MiB)
 *
 * Medians, from the call until the host sees the last result; busbw as
 * nccl-tests count it, 2(N-1)/N bytes / time. NCCL comes first, because its
 * ranks are forked, and a process that has used CUDA must not fork. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "median.h"
#include "play.h"
#include "workers/crew/crew.h"
#include "workers/cuda/gpu.h"
#include "workers/cuda/gpu_run.h"
#include "workers/nccl/nccl_api.h"

enum { ROUNDS = 15, SIZES = 7, MIB = 1 << 20 };

static const int64_t sizes[SIZES] = {8,        1 << 10,  32 << 10, MIB,
                                     16 * MIB, 64 * MIB, 256 * MIB};

/* Counts the GPUs, in a child: a process that has used CUDA must not fork. */
static int
count_gpus(void)
{
    struct gpus gpus;
    struct err err;
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(gpus_find(&gpus, &err) ? gpus.count : 0);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static bool
time_nccl(const struct schedule *s, int64_t bytes, struct run_native *native,
          struct err *err)
{
    struct run_options o = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, bytes / 4, NULL},
        .watched = true, .native = true};
    const struct machine nccl = crew_machine("nccl");
    void *run = nccl.new(s, &o, err);
    char ignored[RUN_WRONG_MAX];
    struct rank_slots ours;
    bool ok = run != NULL && nccl.fetch(run, &ours, err) &&
              nccl.compare(run, native, ignored, err);

    if (ok && native->wrong > 0)
        ok = err_set(err, "NCCL's result is wrong: %s", ignored);
    nccl.free(run);
    return ok;
}

static bool
time_ours(const struct schedule *s, int64_t bytes, double *ns,
          struct err *err)
{
    struct run_options o = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, bytes / 4, NULL}};
    void *run = machine_gpu.new(s, &o, err);
    double took[ROUNDS];
    int64_t at_ns;
    bool ok = run != NULL;

    for (int i = -1; ok && i < ROUNDS; i++) {
        int64_t start = clock_ns();
        bool idle = false;
        ok = machine_gpu.grant(run, s->nsteps, &at_ns, err);
        while (ok && !idle)
            ok = machine_gpu.look(run, &idle, err);
        took[i < 0 ? 0 : i] = (double)(clock_ns() - start);
    }
    machine_gpu.free(run);
    if (!ok)
        return false;
    *ns = median(took, ROUNDS);
    return true;
}

static double
busbw(int n, int64_t bytes, double ns)
{
    return 2.0 * (n - 1) / n * (double)bytes / ns;
}

static bool
bench(int n, int64_t most, struct err *err)
{
    struct run_native native[SIZES] = {{.wall_ns = 0}};
    OWNS(schedule) *s = ring(n);
    bool ok = true;

    for (int i = 0; ok && i < SIZES && sizes[i] <= most; i++)
        ok = time_nccl(s, sizes[i], &native[i], err);
    printf("%2s %9s %11s %9s %11s %9s %6s\n", "N", "bytes", "ours us", "busbw",
           "NCCL's us", "busbw", "ratio");
    for (int i = 0; ok && i < SIZES && sizes[i] <= most; i++) {
        double ours, theirs = (double)native[i].wall_ns;
        ok = time_ours(s, sizes[i], &ours, err);
        if (ok)
            printf("%2d %9" PRId64 " %11.2f %9.2f %11.2f %9.2f %6.2f  %s\n", n,
                   sizes[i], ours / 1e3, busbw(n, sizes[i], ours),
                   theirs / 1e3, busbw(n, sizes[i], theirs), theirs / ours,
                   native[i].inside);
    }
    return ok;
}

int
main(int argc, char *argv[])
{
    int64_t most = argc > 1 ? atoll(argv[1]) : sizes[SIZES - 1];
    char version[NCCL_VERSION_TEXT_MAX];
    int n = count_gpus();
    struct nccl nccl;
    struct err err;

    if (n < 2) {
        printf("skipped: NCCL is compared with where there are two GPUs; here "
               "are %d\n", n);
        return 0;
    }
    if (!nccl_open(&nccl, &err)) {
        printf("skipped: %s\n", err.text);
        return 0;
    }
    nccl_version_text(nccl.version, version);
    printf("ring all-reduce beside NCCL %s's own, %d GPUs\n", version, n);
    if (!bench(n, most, &err)) {
        fprintf(stderr, "bench_nccl: %s\n", err.text);
        return 1;
    }
    return 0;
}
