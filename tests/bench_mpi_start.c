/* SPDX-License-Identifier: MIT */
/* Part of make bench-mpi: how soon ranks over MPI are there, and how long a
 * step in lockstep takes, for 3, 8 and 16 ranks, as the front end sees it.
 *
 *     MPI     from starting mpirun until a rank says that MPI_Init is over
 *     start   from starting collviz until the first line of its stream
 *     step    from the grant of a step until all of it is reported
 *
 * Medians, and the time that one step in ten exceeds.  The first two are
 * taken in turn. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "median.h"
#include "play.h"

enum { STARTS = 7, STEPS_MOST = 512 };

static double
ms_since(int64_t start_ns)
{
    return (double)(clock_ns() - start_ns) / 1e6;
}

/* Starts a command, waits for its first line, and drops the others. */
static double
first_line_ms(const char *command)
{
    double ms = -1;
    int64_t start = clock_ns();
    FILE *stream;

    stream = popen(command, "r");
    for (int c; stream != NULL && (c = getc(stream)) != EOF;)
        if (c == '\n' && ms < 0)
            ms = ms_since(start);
    if (stream == NULL || pclose(stream) != 0 || ms < 0)
        die("this has failed: %s", command);
    return ms;
}

static void
take_until_caught_up(struct run *run)
{
    enum run_got got;
    struct item item;
    struct err err;

    while ((got = run_next(run, &item, &err)) != RUN_CAUGHT_UP)
        if (got == RUN_LATER ? !wait_for(run) : got != RUN_ITEM)
            die("%s", got == RUN_LATER ? "the run yields no more items"
                                       : err.text);
}

/* Of all steps but the last one, after which the result follows. */
static int
step_times(int n, double ms[STEPS_MOST])
{
    struct run_options o = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, 2 * n, NULL}, .watched = true};
    int nsteps = 0;

    while (nsteps < 100) {
        OWNS(schedule) *s = ring(n);
        struct err err;
        struct run *run = run_open(&backend_mpi, s, &o, &err);

        if (run == NULL)
            die("%s", err.text);
        take_until_caught_up(run);
        for (int step = 1; step < s->nsteps && nsteps < STEPS_MOST; step++) {
            int64_t start = clock_ns();
            if (!run_grant(run, step, &err))
                die("%s", err.text);
            take_until_caught_up(run);
            ms[nsteps++] = ms_since(start);
        }
        run_close(run);
    }
    return nsteps;
}

int
main(void)
{
    static const int ranks[] = {3, 8, 16};
    struct err err;

    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    if (!backend_mpi.there(&backend_mpi, &err)) {
        printf("skipped: %s\n", err.text);
        return 0;
    }
    printf("goals: 3 ranks start in 500 ms; a step takes less than 3 ms\n"
           "%2s %9s %9s %9s %9s\n", "N", "MPI ms", "start ms", "step ms",
           "slow ms");
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        double bare[STARTS], starts[STARTS], steps[STEPS_MOST], middle;
        char hello[1024], run[1024];
        int nsteps;

        snprintf(hello, sizeof hello,
                 "exec " MPI_LAUNCHER " -n %d tests/bench_mpi hello", ranks[i]);
        snprintf(run, sizeof run, "exec src/collviz ring-allreduce --gpus %d "
                 "--backend mpi --json", ranks[i]);
        for (int k = 0; k < STARTS; k++) {
            bare[k] = first_line_ms(hello);
            starts[k] = first_line_ms(run);
        }
        nsteps = step_times(ranks[i], steps);
        middle = median(steps, nsteps); /* which sorts them */
        printf("%2d %9.0f %9.0f %9.2f %9.2f\n", ranks[i],
               median(bare, STARTS), median(starts, STARTS), middle,
               steps[nsteps * 9 / 10]);
        fflush(stdout);
    }
    return 0;
}
