/* SPDX-License-Identifier: MIT */
/* collviz-launch, as a child: what it hands to a launcher, and that nothing of
 * a run stays; with launchers made here (tests/mpi_deaths.test has MPI's).  And
 * that any child dies with its parent: `launch stay`, a child that stays for
 * ever. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"
#include "dies_early.h"
#include "lab.h"
#include "patience.h"
#include "tap.h"

static struct child *
launch(const char *where, const char *launcher, const char *word)
{
    char *const argv[] = {(char *)"collviz-launch", (char *)where,
                          (char *)launcher, (char *)"-n", (char *)"3",
                          (char *)word, NULL};
    struct err err = {.text = ""};
    struct child *c = child_open("collviz-launch", argv, &err);

    if (c == NULL) {
        diag("%s", err.text);
        exit(99);
    }
    child_give_time(c, HUNG_MS);
    return c;
}

/* The next thing it says; the reason if it has ended. */
static enum child_heard
hear(struct child *c, char text[600])
{
    struct pollfd lines = {.fd = child_fd(c), .events = POLLIN};
    const char *line = "";
    struct err err = {.text = ""};
    enum child_heard heard;

    while ((heard = child_hear(c, &line, &err)) == CHILD_LATER)
        if (poll(&lines, 1, HUNG_MS) == 0)
            break;
    snprintf(text, 600, "%s", heard == CHILD_LINE ? line : err.text);
    return heard;
}

static char *
script(const char *name, const char *text)
{
    static char path[100];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", lab, name);
    file = fopen(path, "w");
    fprintf(file, "#!/bin/sh\n%s\n", text);
    fclose(file);
    chmod(path, 0700);
    return path;
}

/* Whether a process is left.  Those that lost their parent are children of
 * this one. */
static bool
processes_left(void)
{
    int64_t until = hung_at();
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && clock_ns() < until)
        usleep(10000);
    return pid >= 0;
}

/* `folder`: where the run had its temporary files. */
static void
nothing_stays(const char *after, const char *folder)
{
    ok(!processes_left(), "no process stays after %s", after);
    ok(access(folder, F_OK) != 0, "nor does %s", folder);
}

static void
test_words(void)
{
    char launcher[200], text[600];
    struct child *c;

    snprintf(launcher, sizeof launcher, "%s 'a b' -x",
             script("show", "printf '<%s>' \"$@\"; echo"));
    c = launch("anywhere", launcher, "/my dir/$w");
    hear(c, text);
    is_str(text, "<a b><-x><-n><3></my dir/$w>",
           "the shell reads the launcher, and leaves the words alone");
    child_close(c);
    ok(!processes_left(), "no process stays");
}

static void
is_heard(const char *where, const char *launcher, const char *expected,
         const char *name)
{
    struct child *c = launch(where, launcher, "x");
    char text[600];

    hear(c, text);
    is_str(text, expected, "%s", name);
    child_close(c);
}

#define SHOW(variable) "sh -c 'echo \"<$" variable ">\"'"

static void
test_environment(void)
{
    char text[600];
    struct child *c = launch("here", SHOW("OMPI_MCA_osc_sm_backing_directory"),
                             "x");

    hear(c, text);
    ok(strstr(text, "/collviz-") != NULL, "shared windows are in %s", text);
    child_close(c);
    is_heard("anywhere", " my_NAME1='a b' " SHOW("my_NAME1"), "<a b>",
             "a launcher may begin with variables");
    is_heard("anywhere", "/a=b/launcher", "collviz-launch has ended with "
             "status 127: collviz: 1: exec: /a=b/launcher: not found",
             "a folder with = is no variable");
    unsetenv("OMPI_ALLOW_RUN_AS_ROOT");
    is_heard("here", SHOW("OMPI_ALLOW_RUN_AS_ROOT"),
             geteuid() == 0 ? "<1>" : "<>", "root may start ranks here");
    is_heard("anywhere", SHOW("OMPI_ALLOW_RUN_AS_ROOT"), "<>",
             "the user's launcher decides by itself");
}

static void
test_ends(void)
{
    struct child *c = launch("anywhere", "sh -c 'exit 7'", "x");
    char text[600];

    is_int(hear(c, text), CHILD_GONE, "a launcher ends");
    is_str(text, "collviz-launch has ended with status 7", "with its status");
    child_close(c);
    c = launch("here", "nosuchlauncher", "x");
    is_int(hear(c, text), CHILD_GONE, "one that is not there");
    ok(strstr(text, "nosuchlauncher: not found") != NULL, "is named");
    child_close(c);
    c = launch("here", script("victim", "echo $$\nexec sleep 1000"), "x");
    hear(c, text);
    process_signal(atoi(text), SIGKILL);
    is_int(hear(c, text), CHILD_GONE, "one that is killed");
    ok(strstr(text, "/victim was ended by signal 9 (Killed)") != NULL,
       "is named: %s", text);
    child_close(c);
    ok(!processes_left(), "no process stays");
}

/* A child that does not read at first, while the parent does something else. */
static void
test_slow_reader(void)
{
    enum { LENGTH = 1000000 }; /* more than a pipe holds */
    struct child *c = launch("anywhere", "sh -c 'sleep 1; head -n 2 | wc -c'",
                             "x");
    char *line = mem_new(LENGTH + 1, 1), text[600];
    int64_t begin = clock_ns();

    memset(line, 'x', LENGTH);
    child_say(c, line);
    child_say(c, "");
    ok(clock_ns() - begin < 500000000, "a large line is sent without waiting");
    is_int(hear(c, text), CHILD_LINE, "and arrives");
    is_str(text, "1000002", "as a whole");
    child_say(c, line);
    is_int(hear(c, text), CHILD_GONE, "one that nobody reads is dropped");
    ok(child_is_gone(c), "and the end is noticed");
    free(line);
    child_close(c);
}

/* A child that writes without end. */
static void
test_complaints(void)
{
    struct child *c = launch("anywhere", "sh -c 'echo first >&2; yes noise | "
                             "head -c 9000000 >&2; echo last >&2; echo; "
                             "sleep 1000'", "x");
    OWN(buf) said = {0};
    const char *line;
    struct err err;
    char text[600];

    is_int(hear(c, text), CHILD_LINE, "a child writes 9 MB to stderr");
    child_hear(c, &line, &err);
    child_said(c, &said);
    ok(said.length < 150000, "of which %zu bytes are kept", said.length);
    ok(strncmp(buf_text(&said), "first\nnoise\n", 12) == 0, "the first ones");
    ok(said.length > 65536 &&
           strcmp(said.data + said.length - 11, "noise\nlast\n") == 0,
       "and the last ones");
    child_close(c);
}

/* Programs that ignore SIGCHLD hand that on to those that they start. */
static void
test_ignored_signal(void)
{
    int64_t until = hung_at();
    char path[PATH_MAX];
    struct err err;
    int status = 0;
    pid_t pid, ended = 0;

    if (!child_find("collviz-launch", path, &err) || (pid = fork()) < 0)
        exit(99);
    if (pid == 0) {
        signal(SIGCHLD, SIG_IGN);
        execl(path, path, "anywhere", "sh -c 'exit 7'", "x", (char *)NULL);
        _exit(99);
    }
    while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && clock_ns() < until)
        usleep(10000);
    ok(ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7,
       "a launcher's end is noticed where SIGCHLD was ignored");
    if (ended == 0)
        process_signal(pid, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    is_heard("anywhere", "sh -c 'exit 7'",
             "collviz-launch has ended with status 7", "so is a child's end");
    signal(SIGCHLD, SIG_DFL);
}

/* Children in sessions of their own, and nobody heeds SIGTERM. */
static void
test_stubborn(void)
{
    const char *path = script(
        "stubborn", "trap '' TERM\n"
        "setsid sh -c 'trap \"\" TERM; sleep 1000; sleep 1000' &\n"
        "sleep 1000 &\necho $OMPI_MCA_orte_tmpdir_base\nwait");
    struct child *c = launch("here", path, "x");
    char text[600];
    int64_t begin;

    hear(c, text);
    ok(access(text, W_OK) == 0, "temporary files have a folder: %s", text);
    child_give_time(c, 500);
    begin = clock_ns();
    child_close(c);
    ok(clock_ns() - begin < 1000000000, "closing waits no longer than asked");
    nothing_stays("processes that ignore SIGTERM", text);
}

/* Starts a run that stays, and gets its folder and its collviz-launch. */
static struct child *
launch_staying(char folder[600], pid_t *pid)
{
    const char *path = script("staying", "echo $OMPI_MCA_orte_tmpdir_base"
                              " $PPID\nexec sleep 1000");
    struct child *c = launch("here", path, "x");
    char text[600];
    int number = 0;

    hear(c, text);
    sscanf(text, "%599s %d", folder, &number);
    *pid = number;
    return c;
}

/* What a run leaves that is killed is removed by the next one, but nothing of a
 * run that lives, and nothing else. */
static void
test_sweep(void)
{
    char killed[600] = "", living[600] = "", other[600], text[600];
    struct child *c, *stays;
    pid_t pid;

    c = launch_staying(killed, &pid);
    process_signal(pid, SIGKILL);
    child_close(c);
    ok(!processes_left() && access(killed, F_OK) == 0,
       "a run that is killed leaves %s", killed);
    snprintf(other, sizeof other, "%.*s/collviz-XXXXXX",
             (int)(strrchr(killed, '/') - killed), killed);
    ok(mkdtemp(other) != NULL, "somebody else's folder is %s", other);
    stays = launch_staying(living, &pid);
    ok(access(killed, F_OK) != 0, "the next run removes what was left");
    c = launch("here", SHOW("OMPI_MCA_orte_tmpdir_base"), "x");
    hear(c, text);
    child_close(c);
    ok(access(living, F_OK) == 0, "not the folder of one that lives");
    ok(rmdir(other) == 0, "nor somebody else's");
    child_close(stays);
    nothing_stays("both", living);
}

static int
stay(void)
{
    printf("%d\n", (int)getpid());
    fflush(stdout);
    while (pause() < 0) /* it returns only after a signal */
        ;
    return 0;
}

static struct child *
start_stay(char text[600])
{
    char *const argv[] = {(char *)"launch", (char *)"stay", NULL};
    struct err err = {.text = ""};
    struct child *c = child_open("launch", argv, &err);

    if (c == NULL || hear(c, text) != CHILD_LINE)
        die("%s", err.text);
    return c;
}

/* A parent; writes the child's id to `up` and waits to be killed. */
static void
be_parent(bool early, int up)
{
    char text[600];

    dies_early = early ? getpid() : 0;
    start_stay(text);
    if (write(up, text, strlen(text)) < 1)
        _exit(1);
    for (;;)
        pause();
}

/* Returns the child's status; -1: it has outlived its parent, and is killed. */
static int
orphan_status(bool early)
{
    int64_t until;
    int up[2], status = 0;
    char text[32] = "";
    pid_t pid, ended;

    if (pipe(up) != 0 || (pid = fork()) < 0)
        exit(99);
    if (pid == 0)
        be_parent(early, up[1]);
    close(up[1]);
    if (read(up[0], text, sizeof text - 1) > 0)
        process_signal(pid, SIGKILL);
    close(up[0]);
    waitpid(pid, &status, 0);
    until = hung_at();
    while ((ended = waitpid(-1, &status, WNOHANG)) == 0 && clock_ns() < until)
        usleep(1000);
    if (ended != 0)
        return status;
    pid = atoi(text);
    if (pid > 0) {
        process_signal(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return -1;
}

static void
test_orphans(void)
{
    int status = orphan_status(false);

    ok(status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
       "a child dies with its parent");
    status = orphan_status(true);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 127,
       "one whose parent has died already does not become a program");
}

/* How many bytes lie in the standard input of a process. */
static int
waiting(const char *pid)
{
    char path[64];
    int fd, n = -1;

    snprintf(path, sizeof path, "/proc/%.20s/fd/0", pid);
    fd = open(path, O_RDONLY | O_NONBLOCK);
    if (fd >= 0)
        ioctl(fd, FIONREAD, &n);
    close(fd);
    return n;
}

/* What a child says to have read, in place of reading it. */
static void
test_limit(void)
{
    char text[600], line[100] = "";
    struct child *c = start_stay(text);

    memset(line, 'x', sizeof line - 1);
    child_limit(c, 10);
    child_say(c, line);
    is_int(waiting(text), 10, "no more is sent than the limit allows");
    child_has_read(c, 4);
    is_int(waiting(text), 14, "as much follows as the child has read");
    child_has_read(c, 1000);
    is_int(waiting(text), 24, "and as was sent, if it has read more");
    child_close(c);
    c = start_stay(text);
    child_has_read(c, 1);
    child_say(c, line);
    is_int(waiting(text), 100, "without a limit all is sent");
    child_close(c);
}

/* child_open() looks beside this program. */
static void
find_launch(void)
{
    char path[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 20);

    snprintf(path + (n > 6 ? n - 6 : 0), 20, "collviz-launch");
    if (symlink("../src/collviz-launch", path) != 0 && errno != EEXIST)
        exit(99);
}

int
main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "stay") == 0)
        return stay();
    find_launch();
    lab_make();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGPIPE, SIG_IGN); /* as collviz does */
    test_words();
    test_environment();
    test_ends();
    test_slow_reader();
    test_complaints();
    test_ignored_signal();
    test_stubborn();
    test_sweep();
    test_orphans();
    test_limit();
    lab_remove();
    return done_testing();
}
