/* SPDX-License-Identifier: MIT */
/* What launchers and ranks write, as one sentence.  tests/transcripts has what
 * Open MPI 4.1.4, MPICH 4.0.2, Slurm 22.05.8 and shells wrote when it was done
 * to them; further lines of Slurm and those of ssh are as their sources have
 * them. */
#include "run/launcher.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "tap.h"

static void
says(const char *name, const char *said, const char *expected)
{
    struct err err = {""};

    launch_complain(said, "collviz-mpi", &err);
    is_str(err.text, expected, "%s", name);
}

static void
transcript(const char *name, const char *expected)
{
    const char *folder = getenv("srcdir");
    char path[200], piece[512];
    OWN(buf) said = {0};
    FILE *file;

    snprintf(path, sizeof path, "%s/tests/transcripts/%s",
             folder != NULL ? folder : ".", name);
    file = fopen(path, "r");
    ok(file != NULL, "%s is there", path);
    if (file == NULL)
        return;
    while (fgets(piece, sizeof piece, file) != NULL)
        buf_puts(&said, piece);
    fclose(file);
    says(name, buf_text(&said), expected);
}

static void
test_transcripts(void)
{
    transcript("ompi.kill", "rank 2 on vm was killed (signal 9); if nobody "
               "killed it, look in that host's log for a lack of memory");
    transcript("ompi.segv",
               "rank 2 on vm was ended by signal 11 (Segmentation fault)");
    transcript("ompi.exit",
               "rank 2 has ended with status 3 and gave no reason");
    transcript("ompi.early", "a rank has ended with a status other than 0 and "
               "gave no reason");
    transcript("ompi.full", "host vm has no space left for shared memory "
               "(/dev/shm/vader_segment.vm.0.50a90001.0): remove what is not "
               "needed there, or take fewer ranks");
    transcript("ompi.say",
               "collviz-mpi: rank 2 on vm: something is wrong");
    transcript("slurm.pmix", "srun does not tell Open MPI's ranks of each "
               "other: add --mpi=pmix to the launcher, as in 'srun --mpi=pmix "
               "-N 2'");
    transcript("slurm.kill", "rank 1 on cv1: Killed");
    transcript("slurm.cancel", "Slurm has ended the run: somebody has "
               "cancelled 3.0 (scancel)");
    transcript("slurm.time", "Slurm has ended the run, whose time limit is "
               "over: --time sets another");
    transcript("ompi.abort", "collviz-mpi has ended, and neither it nor the "
               "launcher has said why");
    transcript("ompi.slots", "the hosts have fewer than 8 slots: take fewer "
               "ranks, write slots=N into the hostfile, or add "
               "--oversubscribe to the launcher");
    transcript("ompi.nohost", "there is no host called nosuchhost: look into "
               "the hostfile, or at --host");
    transcript("ompi.missing", "rank 0 cannot start, host vm has no "
               "/x/nothere: collviz must be installed in the same place on "
               "every host");
    transcript("hosts.kill", "rank 5 on cv3 was killed (signal 9); if nobody "
               "killed it, look in that host's log for a lack of memory");
    transcript("hosts.orted", "the connection to host cv2 is lost: the host or "
               "its network is down");
    transcript("hosts.missing", "rank 2 cannot start, host cv2 has no "
               "/opt/collviz-mpi: collviz must be installed in the same place "
               "on every host");
    transcript("hosts.nohost", "mpirun cannot start anything on a host (Cannot "
               "open network namespace \"cv9\": No such file or directory): "
               "'ssh HOST true' must work without a password");
    transcript("mpich.kill", "a rank on vm was killed (signal 9); if nobody "
               "killed it, look in that host's log for a lack of memory");
    transcript("mpich.segv",
               "a rank on vm was ended by signal 11 (Segmentation fault)");
    transcript("mpich.segv-killed",
               "a rank on vm was ended by signal 11 (Segmentation fault)");
    transcript("mpich.missing", "host vm cannot start ./nothere (No such file "
               "or directory): collviz must be installed in the same place on "
               "every host");
    transcript("mpich.abort", "rank 2: application called "
               "MPI_Abort(MPI_COMM_WORLD, 7) - process 2");
}

static void
test_shells(void)
{
    const char *none =
        "there is no nosuch on this machine: install Open MPI or MPICH (Debian "
        "and Ubuntu: openmpi-bin), or name another launcher with --launcher";

    transcript("sh.dash", none);
    transcript("sh.bash", none);
}

static void
test_lines(void)
{
    says("srun", "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED ***\n"
         "srun: error: n2: task 3: Killed\n", "rank 3 on n2: Killed");
    says("srun, several", "srun: error: n2: tasks 2-3: Exited with exit code "
         "1\n", "rank 2-3 on n2: Exited with exit code 1");
    says("srun, no node", "srun: error: Unable to allocate resources: Invalid "
         "partition\n", "srun: Unable to allocate resources: Invalid "
         "partition");
    says("ssh, refused", "ssh: connect to host n2 port 22: Connection refused"
         "\r\n", "host n2 cannot be reached (Connection refused): 'ssh HOST "
         "true' must work without a password");
    says("ssh, no key", "me@n2: Permission denied (publickey,password).\n",
         "host n2 does not let you in: 'ssh HOST true' must work without a "
         "password");
    says("nothing", "", "collviz-mpi has ended, and neither it nor the "
         "launcher has said why");
    says("the first line of ours wins", "warning\ncollviz-mpi: one\n"
         "collviz-mpi: two\nmpirun: Error: three\n", "collviz-mpi: one");
    says("a name like ours", "my-collviz-mpi: one\n",
         "collviz-mpi: my-collviz-mpi: one");
    says("the last line that says something", "first\nsecond\n-----\n"
         "[vm:1] [ 0] /lib/libc.so\n\n", "collviz-mpi: second");
    says("what is not for a terminal", "\x1b[31mred\n",
         "collviz-mpi: \\x1b[31mred");
}

/* As SimGrid 3.32 wrote it. */
static void
test_simgrid(void)
{
    says("SimGrid, a file", "[0.000000] ./src/xbt/exception.cpp:95: "
         "[xbt_exception/ERROR] Parse error at p.xml:3: unknown unit: GXps\n"
         "[0.000000] ./src/xbt/exception.cpp:96: [xbt_exception/ERROR] Exiting "
         "now.\nAborted\nExecution failed with code 134.\n",
         "SimGrid cannot read --platform p.xml, line 3: unknown unit: GXps");
    says("SimGrid, a route", "[0.000000] ./src/surf/network_cm02.cpp:322: "
         "[root/CRITICAL] You're trying to send data from host-0 to host-1 but "
         "there is no connecting path between these two hosts.\n"
         "Backtrace (displayed in actor maestro):\n  ->  0# smpi_main in "
         "libsimgrid.so.3.32\n\nAborted\n",
         "--platform has no route from host-0 to host-1 (a route to itself is "
         "a loopback)");
    says("SimGrid, anything else", "[0.000000] ./src/smpi/internals/"
         "smpi_deployment.cpp:112: [root/CRITICAL] smpirun: Cannot open the "
         "host file: x\nAborted\n",
         "SimGrid: smpirun: Cannot open the host file: x");
}

/* Open MPI 5, whose launcher has another name and wraps lines. */
static void
test_wrapped(void)
{
    says("prterun, killed", "prterun noticed that process rank 2 with PID 77 "
         "on node vm exited on\nsignal 9 (Killed).\n",
         "rank 2 on vm was killed (signal 9); if nobody killed it, look in "
         "that host's log for a lack of memory");
    says("prterun, a crash", "prterun noticed that process rank 2 with PID 77 "
         "on\nnode vm exited on signal 11\n(Segmentation fault).\n",
         "rank 2 on vm was ended by signal 11 (Segmentation fault)");
    says("prterun, a status", "   Process name: [prterun-vm-123@1,2]\n   Exit "
         "code:    3\n", "rank 2 has ended with status 3 and gave no reason");
    says("prterun, a wrong option", "prterun: Error: unknown option \"-x\"\n",
         "prterun: unknown option \"-x\"");
    says("slots", "available in the system to satisfy the\n8 slots\n",
         "the hosts have fewer than 8 slots: take fewer ranks, write slots=N "
         "into the hostfile, or add --oversubscribe to the launcher");
}

/* Many times the text, ended, and after it short lines: the text that makes
 * matching slow.  The limit is on the processor's time for 24 patterns. */
static void
is_quick(const char *text, int times)
{
    struct timespec begin, end;
    OWN(buf) said = {0};
    struct err err;

    for (int i = 0; i < times; i++)
        buf_puts(&said, text);
    for (int i = 0; i < 200; i++)
        buf_puts(&said, "\nshort");
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    launch_complain(buf_text(&said), "collviz-mpi", &err);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    ok(end.tv_sec - begin.tv_sec < 3, "%d times '%s' on a line", times, text);
    is_str(err.text, "collviz-mpi: short", "and the last line is found");
}

static void
test_long_lines(void)
{
    OWN(buf) said = {0};
    struct err err;

    is_quick("collviz: a: ", 10000);
    is_quick("Abort(1) on node rank 1 ", 5000);
    is_quick("[proxy:@a] on file ", 6000);
    is_quick("x", 120000);
    is_quick(" ", 120000);
    buf_puts(&said, "first\ncollviz-mpi: ");
    for (int i = 0; i < 1000; i++)
        buf_puts(&said, "long");
    launch_complain(buf_text(&said), "collviz-mpi", &err);
    is_int((long long)strlen(err.text), 400, "a long line is cut");
}

int
main(void)
{
    test_simgrid();
    test_transcripts();
    test_shells();
    test_lines();
    test_wrapped();
    test_long_lines();
    return done_testing();
}
