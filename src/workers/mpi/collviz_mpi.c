/* SPDX-License-Identifier: MIT */
/* collviz-mpi: runs ranks as MPI processes, one each, which a launcher has
 * started (mpirun, srun).
 *
 * Rank 0 talks to collviz (run/request.h) and to the other ranks.  An error is
 * a line on standard error and exit status 1.  `collviz-mpi devices` says which
 * MPI there is.  The same source, compiled with SimGrid's smpicc, is
 * collviz-smpi, whose ranks, network and time are simulated. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/standard.h"
#include "run/serve.h"
#include "workers/mpi/mpi_choice.h"
#include "workers/mpi/mpi_member.h"
#include "workers/mpi/mpi_run.h"

static bool
list_library(struct err *err)
{
    char library[128];

    mpi_world_library(library, sizeof library);
    printf("%s\n", library);
    return fflush(stdout) == 0 || err_set(err, "%s", strerror(errno));
}

static bool
live(struct err *err)
{
    struct mpi_world world;
    bool ok = mpi_world_open(&world, err);

    if (ok && world.rank == 0) {
        mpi_run_on(&world);
        ok = serve(&machine_mpi, err);
        member_dismiss(&world);
    } else if (ok) {
        ok = member_live(&world, err);
    }
    if (ok)
        mpi_world_close(&world);
    return ok;
}

/* Ends all ranks: those that wait for this one would wait for ever. */
static void
fail(const struct err *err)
{
    fprintf(stderr, "collviz-mpi: %s\n", err->text);
    fflush(stderr);
    if (MPI_SIMULATED)
        _exit(1); /* all ranks are in this process */
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int
main(int argc, char *argv[])
{
    struct err err;

    standard_open();
    if (argc > 1 && strcmp(argv[1], "devices") == 0)
        return list_library(&err) ? 0 : 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* of the launcher's daemon */
    mpi_choice_allow();
    MPI_Init(&argc, &argv);
    if (!live(&err))
        fail(&err);
    MPI_Finalize();
    return 0;
}
