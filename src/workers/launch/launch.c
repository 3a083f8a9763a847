/* SPDX-License-Identifier: MIT */
/* collviz-launch: stands between collviz and a launcher of many processes
 * (mpirun, srun), so that nothing of a run outlives it.
 *
 *     collviz-launch here|anywhere LAUNCHER WORD...
 *
 * runs `LAUNCHER WORD...`, where LAUNCHER is the user's text and is read by the
 * shell.  Standard input, output and error are the launcher's.  The run is over
 * when the launcher has ended, or when SIGTERM comes: from collviz, or because
 * collviz has died.  By then the ranks' standard input is closed, so they get
 * time to end by themselves; then the launcher gets SIGTERM; what is left is
 * killed.  Processes of the run that lose their parent become children of this
 * one, whatever session they are in, so all of them on this host are found.
 *
 * "here": all ranks are on this host, unless it is in the hands of a queueing
 * system, whose hosts mpirun takes all.  On one host the temporary files and
 * shared memory lie in a folder of their own, which is removed at the end; on
 * others nobody would remove it.  Its file `owner` is locked as long as this
 * process lives: if that is killed, the next one finds it unlocked and removes
 * the folder. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/print.h"

/* Open MPI's mpirun takes 0.3 s to end 16 ranks that end by themselves, 1.2 s
 * to kill the others when one has failed, before it says which one, and 1.1 s
 * after SIGTERM. */
enum {
    BY_ITSELF_MS = 1500,
    AFTER_TERM_MS = 2500,
    STRAGGLERS_MS = 500, /* after the launcher's end */
    AFTER_KILL_MS = 1000,
};

/* For a run of 60 ranks: Open MPI shares 4 MiB of each one. */
enum { ROOM_BYTES = 256 << 20 };

struct launch {
    pid_t pid; /* of the launcher */
    int status;
    bool ended;     /* the launcher has */
    bool all_ended; /* every process of the run has */
    char folder[32]; /* for temporary files; "": none */
};

static const char prefix[] = "collviz-"; /* of its name; 6 characters follow */

static const char *const folder_variables[] = {
    "OMPI_MCA_orte_tmpdir_base",          /* Open MPI 4: session folders */
    "OMPI_MCA_btl_vader_backing_directory", /* ... and shared memory */
    "PRTE_MCA_prte_tmpdir_base",          /* Open MPI 5 */
    "OMPI_MCA_btl_sm_backing_directory",
    "OMPI_MCA_osc_sm_backing_directory",  /* ... and our shared windows */
    "TMPDIR",
};
enum { VARIABLES = sizeof folder_variables / sizeof *folder_variables };

static bool
has_room(const char *place)
{
    struct statvfs info;

    return statvfs(place, &info) == 0 &&
           (uint64_t)info.f_bavail * info.f_frsize >= ROOM_BYTES;
}

/* Whether mpirun takes its hosts from a queueing system. */
static bool
has_hosts(void)
{
    static const char *const systems[] = {"SLURM_JOB_ID", "PBS_JOBID",
                                          "LSB_JOBID", "PE_HOSTFILE"};

    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (getenv(systems[i]) != NULL)
            return true;
    return false;
}

static int
remove_one(const char *path, const struct stat *info, int type,
           struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

static void
remove_folder(const char *folder)
{
    if (folder[0] != '\0')
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Locks a folder's file `owner`, which is made if `flags` has O_CREAT.  Returns
 * its descriptor, -1 if there is none or its owner lives. */
static int
lock_folder(const char *folder, int flags)
{
    char path[PATH_MAX];
    struct stat there, locked;
    int fd;

    snprintf(path, sizeof path, "%s/owner", folder);
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        fstat(fd, &locked) == 0 && locked.st_uid == geteuid() &&
        stat(path, &there) == 0 && there.st_ino == locked.st_ino)
        return fd; /* and nobody has removed it meanwhile */
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Removes folders there that this user's killed runs have left behind. */
static void
sweep_folders(const char *place)
{
    DIR *all = opendir(place);
    struct dirent *entry;
    char path[PATH_MAX];
    struct stat info;
    int fd;

    while (all != NULL && (entry = readdir(all)) != NULL) {
        if (strlen(entry->d_name) != sizeof prefix - 1 + 6 ||
            strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
        if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) ||
            info.st_uid != geteuid() || (fd = lock_folder(path, 0)) < 0)
            continue;
        remove_folder(path);
        close(fd);
    }
    if (all != NULL)
        closedir(all);
}

/* Open MPI would wait for ever if /dev/shm had no room. */
static void
make_folder(struct launch *l)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};
    enum { PLACES = sizeof places / sizeof *places };

    for (size_t i = 0; i < PLACES; i++)
        sweep_folders(places[i]);
    for (size_t i = has_room(places[0]) || !has_room(places[1]) ? 0 : 1;
         i < PLACES; i++) {
        snprintf(l->folder, sizeof l->folder, "%s/%sXXXXXX", places[i], prefix);
        if (mkdtemp(l->folder) == NULL)
            continue;
        if (lock_folder(l->folder, O_CREAT) >= 0) {
            for (size_t k = 0; k < VARIABLES; k++)
                setenv(folder_variables[k], l->folder, true);
            return;
        }
        rmdir(l->folder);
    }
    l->folder[0] = '\0'; /* the launcher then has its usual folders */
}

/* Whether the launcher's text begins as "NAME=VALUE ..." does. */
static bool
begins_with_variable(const char *launcher)
{
    size_t length;

    launcher += strspn(launcher, " \t");
    for (length = 0; isalnum((unsigned char)launcher[length]) ||
         launcher[length] == '_';)
        length++;
    return length > 0 && launcher[length] == '=';
}

/* In the launcher's process, which dies with `parent`.  The shell replaces
 * itself with LAUNCHER, and hands it the words as they are. */
static void
exec_launcher(const char *launcher, char **words, const sigset_t *before,
              pid_t parent)
{
    size_t count = 0;
    char **argv, *script = mem_new(strlen(launcher) + 16, 1);

    while (words[count] != NULL)
        count++;
    argv = mem_new(count + 5, sizeof *argv);
    sprintf(script, "exec %s%s \"$@\"",
            begins_with_variable(launcher) ? "env " : "", launcher);
    argv[0] = (char *)"sh";
    argv[1] = (char *)"-c";
    argv[2] = script;
    argv[3] = (char *)"collviz";
    memcpy(argv + 4, words, count * sizeof *words);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, before, NULL);
    if (getppid() == parent) /* it may have died before */
        execv("/bin/sh", argv);
    _exit(127);
}

/* Collects processes that have ended. */
static void
reap_ended(struct launch *l)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == l->pid) {
            l->status = status;
            l->ended = true;
        }
    l->all_ended = pid < 0;
}

/* Waits until *over, which reap_ended() sets, for `ms` at most. */
static void
wait_until(struct launch *l, const bool *over, int ms)
{
    int64_t until = clock_ns() + ms * INT64_C(1000000);

    for (reap_ended(l); !*over && clock_ns() < until; reap_ended(l))
        usleep(5000);
}

/* A child that is killed leaves its own children to this process.  Kernels
 * without a list of children are rare; there the launcher alone is killed. */
static void
kill_all(struct launch *l)
{
    int64_t until = clock_ns() + AFTER_KILL_MS * INT64_C(1000000);

    for (reap_ended(l); !l->all_ended && clock_ns() < until; reap_ended(l)) {
        FILE *children = fopen("/proc/thread-self/children", "re");
        int pid = (int)l->pid;

        if (!l->ended)
            kill(pid, SIGKILL);
        while (children != NULL && fscanf(children, "%d", &pid) == 1)
            kill(pid, SIGKILL);
        if (children != NULL)
            fclose(children);
        usleep(5000);
    }
}

static void
end_launch(struct launch *l)
{
    wait_until(l, &l->ended, BY_ITSELF_MS);
    if (!l->ended) {
        kill(l->pid, SIGTERM);
        wait_until(l, &l->ended, AFTER_TERM_MS);
    }
    if (l->ended)
        wait_until(l, &l->all_ended, STRAGGLERS_MS);
    kill_all(l);
    remove_folder(l->folder);
}

int
main(int argc, char *argv[])
{
    struct launch l = {.pid = -1};
    const pid_t own = getpid();
    sigset_t signals, before;
    int number = 0;

    print_open();
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, no child's end is seen */
    if (argc < 3)
        return 2;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* so far it was SIGKILL: base/child.c */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid();
    if (strcmp(argv[1], "here") == 0) {
        if (geteuid() == 0) { /* Open MPI refuses to start for root without */
            setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", true);
            setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", true);
        }
        if (!has_hosts())
            make_folder(&l);
    }
    l.pid = fork();
    if (l.pid == 0)
        exec_launcher(argv[2], argv + 3, &before, own);
    if (l.pid < 0) {
        fprintf(stderr, "collviz-launch: %s\n", strerror(errno));
        remove_folder(l.folder);
        return 1;
    }
    close(STDIN_FILENO); /* so that only the launcher holds it open */
    for (reap_ended(&l); !l.ended && !l.all_ended && number != SIGTERM;
         reap_ended(&l))
        sigwait(&signals, &number);
    if (l.ended && number != SIGTERM && WIFSIGNALED(l.status))
        fprintf(stderr, "collviz-launch: %.*s was ended by signal %d (%s)\n",
                (int)strcspn(argv[2], " "), argv[2], WTERMSIG(l.status),
                strsignal(WTERMSIG(l.status)));
    end_launch(&l);
    return WIFEXITED(l.status) ? WEXITSTATUS(l.status)
                               : 128 + WTERMSIG(l.status);
}
