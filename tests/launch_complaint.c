/* SPDX-License-Identifier: MIT */
/* What launchers and ranks write, as one sentence.  tests/transcripts has what
 * Open MPI 4.1.4, MPICH 4.0.2, Slurm 22.05.8 and shells wrote when it was done
 * to them; further lines of Slurm and those of ssh are as their sources have
 * them. */
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
    struct buf said = {0};
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
    buf_done(&said);
}

static void
test_long_lines(void)
{
    struct buf said = {0};
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
    buf_done(&said);
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
