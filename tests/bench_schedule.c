/* SPDX-License-Identifier: MIT */
/* make bench-schedule: the time and memory that it takes to make, prove and
 * lower schedules. Each runs in a process of its own, whose peak memory is
 * reported. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "coll/coll.h"
#include "schedule/check.h"
#include "schedule/program.h"

static double
ms_since(int64_t begin)
{
    return (double)(clock_ns() - begin) / 1e6;
}

static void
measure(const struct algorithm *a, int nranks)
{
    struct coll_options o = {.nranks = nranks, .in_place = true};
    int64_t begin = clock_ns();
    struct program *p;
    struct schedule *s;
    struct rusage usage;
    double made, proved, lowered;
    struct err err;

    if ((s = coll_build(a, &o, &err)) == NULL) {
        printf("%-26s %5d  %s\n", a->name, nranks, err.text);
        exit(EXIT_SUCCESS);
    }
    made = ms_since(begin);
    begin = clock_ns();
    if (!schedule_check(s, 2 * nranks, NULL, &err)) {
        printf("%-26s %5d  WRONG: %s\n", a->name, nranks, err.text);
        exit(EXIT_FAILURE);
    }
    proved = ms_since(begin);
    begin = clock_ns();
    p = program_lower(s);
    lowered = ms_since(begin);
    getrusage(RUSAGE_SELF, &usage);
    printf("%-12s %-14s %5d %7d %9zu %9.1f %9.1f %9.1f %9.1f %9.1f\n", a->name,
           a->collective, nranks, s->nsteps, s->ntransfers, made, proved,
           lowered, made + proved + lowered, (double)usage.ru_maxrss / 1024);
    program_free(p);
    schedule_free(s);
    exit(EXIT_SUCCESS);
}

/* Returns whether it succeeded. */
static bool
measure_apart(const struct algorithm *a, int nranks)
{
    int status;
    pid_t pid;

    fflush(stdout);
    if ((pid = fork()) == 0)
        measure(a, nranks);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int
main(void)
{
    static const int ranks[] = {16, 64, 256, 1024};
    const struct algorithm *a;
    bool ok = true;

    printf("%-12s %-14s %5s %7s %9s %9s %9s %9s %9s %9s\n", "algorithm",
           "collective", "ranks", "steps", "transfers", "make ms", "prove ms",
           "lower ms", "all ms", "peak MiB");
    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++)
        for (size_t n = 0; n < sizeof ranks / sizeof ranks[0]; n++)
            ok &= measure_apart(a, ranks[n]);
    puts("goals for 1024 ranks: 2000 ms for ring-allreduce, 10000 ms for "
         "ring-alltoall, 500 MiB for all");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
