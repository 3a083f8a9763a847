/* SPDX-License-Identifier: MIT */
/* Ranks for tests of launchers: rank 0 reads lines, and all of them obey.  "go"
 * is answered by the folder for temporary files; "kill" and "crash" end the
 * last rank, "fail" ends it with a status; at the end of the input all end.
 * Waiting ranks sleep. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { END, GO, KILL, CRASH, FAIL };

static int
read_order(void)
{
    static const char *const words[] = {"", "go", "kill", "crash", "fail"};
    char line[16] = "";

    if (fgets(line, sizeof line, stdin) == NULL)
        return END;
    line[strcspn(line, "\n")] = '\0';
    for (int i = GO; i <= FAIL; i++)
        if (strcmp(words[i], line) == 0)
            return i;
    return END;
}

static int
share(int order)
{
    MPI_Request request;
    int done = 0;

    MPI_Ibcast(&order, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
        usleep(2000);
    return order;
}

int
main(int argc, char **argv)
{
    int rank, n, order;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    while ((order = share(rank == 0 ? read_order() : END)) != END) {
        if (rank == n - 1 && order == KILL)
            raise(SIGKILL);
        if (rank == n - 1 && order == CRASH)
            raise(SIGSEGV);
        if (rank == n - 1 && order == FAIL)
            exit(3);
        if (rank == 0) {
            const char *folder = getenv("OMPI_MCA_orte_tmpdir_base");

            printf("%s\n", folder != NULL ? folder : "-");
            fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
