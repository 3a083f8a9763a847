/* SPDX-License-Identifier: MIT */
/* collviz-mpi: runs ranks as MPI processes, one each, which a launcher has
 * started (mpirun, srun).
 *
 * Rank 0 talks to collviz (run/request.h) and to the other ranks.  An error is
 * a line on standard error and exit status 1.  `collviz-mpi devices` says which
 * MPI there is.  The same source, compiled with SimGrid's smpicc, is
 * collviz-smpi, whose ranks, network and time are simulated, for tests. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/print.h"
#include "run/request.h"
#include "workers/mpi/mpi_world.h"

enum { LAST_WORDS_US = 100000, ABORT_S = 3 };

static bool
run_process(struct mpi_world *w, struct err *err)
{
    struct machine chief = crew_machine("mpi");
    bool ok;

    if (!mpi_world_open(w, err))
        return false;
    if (w->crew.rank > 0)
        return crew_live(&w->crew, err);
    mpi_world_use(w);
    ok = serve(&chief, err);
    crew_dismiss(&w->crew);
    return ok;
}

/* Ends all ranks at once: those that wait for this one would wait for ever.
 * Launchers drop what they have not yet passed on of a rank's last words.
 * MPI_Abort() waits for the launcher, which may be out of reach. */
static void
abort_ranks(int status)
{
    if (CREW_SIMULATED)
        _exit(status); /* all ranks are in this process */
    if (status != 0)
        usleep(LAST_WORDS_US);
    alarm(ABORT_S);
    MPI_Abort(MPI_COMM_WORLD, status);
}

int
main(int argc, char *argv[])
{
    const pid_t parent = getppid(); /* the launcher's daemon */
    struct mpi_world world;
    char library[128];
    struct err err;

    print_open();
    if (argc > 1 && strcmp(argv[1], "devices") == 0) {
        mpi_world_library(library, sizeof library);
        printf("%s\n", library);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    /* If the daemon had died before getppid(), MPI_Init() will miss it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return 1;
    mpi_choice_allow();
    MPI_Init(&argc, &argv);
    if (!run_process(&world, &err)) {
        fprintf(stderr, "collviz-mpi: %s\n", err.text);
        fflush(stderr);
        abort_ranks(1);
    } else if (world.crew.left) {
        abort_ranks(0);
    }
    mpi_world_close(&world);
    MPI_Finalize();
    return 0;
}
