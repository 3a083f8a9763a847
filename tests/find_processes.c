/* SPDX-License-Identifier: MIT */
/* How tests find processes, and that no signal goes to one that they have not
 * found.  Signal 0 asks whether a process is there, and does nothing to it. */
#include <sys/wait.h>
#include <unistd.h>

#include "processes.h"
#include "tap.h"

/* Starts a process that waits; with a child that waits as well, or that has
 * ended and stays a zombie. */
static pid_t
start(bool with_child, bool zombie)
{
    int ready[2];
    char byte;
    pid_t pid;

    if (pipe(ready) != 0 || (pid = fork()) < 0)
        exit(99);
    if (pid == 0) {
        if (with_child && fork() == 0) {
            if (zombie)
                _exit(0);
            pause();
        }
        if (zombie)
            waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED | WNOWAIT);
        if (write(ready[1], "", 1) == 1)
            pause();
        _exit(0);
    }
    if (read(ready[0], &byte, 1) != 1)
        exit(99);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void
stop(pid_t pid)
{
    process_signal(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void
test_family(void)
{
    pid_t found[4] = {0}, pid, child;

    is_int(process_child(getpid()), 0, "no child yet");
    pid = start(true, false);
    is_int(process_child(getpid()), pid, "a child");
    child = process_child(pid);
    ok(child > 0 && child != pid, "and its own");
    is_int(process_descendants(getpid(), found, 4, 0), 2, "are two");
    ok(found[0] == pid && found[1] == child, "the older one first");
    ok(process_lives(child), "which live");
    process_signal(child, SIGKILL);
    stop(pid);
    ok(!process_lives(pid), "and then do not");
    is_int(process_child(getpid()), 0, "none is left");
    pid = start(true, true);
    is_int(process_child(pid), 0, "a zombie is no child");
    stop(pid);
}

/* Whether a signal to this number is refused. */
static bool
refuses(void (*signal_to)(pid_t pid, int number), pid_t pid)
{
    pid_t asker = fork();
    int status = 0;

    if (asker < 0)
        exit(99);
    if (asker == 0) {
        fclose(stderr);
        signal_to(pid, 0);
        _exit(0);
    }
    waitpid(asker, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

int
main(void)
{
    test_family();
    ok(!refuses(process_signal, getpid()), "a signal to a process");
    ok(refuses(process_signal, 0), "none to all of this group");
    ok(refuses(process_signal, -1), "none to all processes");
    ok(refuses(process_signal_group, 1), "which group 1 would be, too");
    ok(refuses(process_signal_group, 0), "and none to group 0");
    return done_testing();
}
