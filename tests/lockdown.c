/* SPDX-License-Identifier: MIT */
/* The locks of collviz-lesson (workers/lesson/lockdown.h): each thing that they
 * forbid is tried after them, in a process without Lua, here and where the
 * kernel lacks some of them; that a real worker has them; and what doctor says.
 *
 * What the kernel lacks is a filter of this test's, which answers as such a
 * kernel, or a container, does. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"
#include "workers/lesson/lockdown.h"

/* What stops something: the limits, or a lock. */
enum { BY_LIMIT = 1 << LOCKS, BY_LANDLOCK = 1 << LOCK_LANDLOCK,
       BY_SECCOMP = 1 << LOCK_SECCOMP };

static char file[64], foreign[64];
static struct sockaddr_in listener = {.sin_family = AF_INET};
static pid_t tester;

/* Each returns whether it worked. */

static bool
reads(void)
{
    return open("/etc/passwd", O_RDONLY) >= 0;
}

static bool
writes(void)
{
    return open(file, O_WRONLY | O_CREAT, 0600) >= 0;
}

static bool
opens_by_number(void)
{
    uint64_t how[3] = {O_RDONLY, 0, 0};

    return syscall(437 /* openat2 */, AT_FDCWD, "/", how, sizeof how) >= 0;
}

static bool
connects(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    return connect(fd, (struct sockaddr *)&listener, sizeof listener) == 0;
}

/* With a descriptor that is free, for limits count no others. */
static bool
connects_in_place(void)
{
    close(STDIN_FILENO);
    return connects();
}

static bool
reads_in_place(void)
{
    close(STDIN_FILENO);
    return reads();
}

static bool
executes(void)
{
    execl("/bin/true", "true", (char *)NULL);
    return false; /* it would have ended with status 0 */
}

static bool
forks(void)
{
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

    if (pid == 0)
        _exit(0);
    return pid > 0;
}

static bool
signals(void)
{
    return syscall(SYS_kill, tester, 0) == 0;
}

static bool
removes(void)
{
    return unlink(foreign) == 0;
}

static bool
makes_folder(void)
{
    return mkdir(file, 0700) == 0;
}

static bool
changes_rights(void)
{
    return chmod(foreign, 0777) == 0;
}

static bool
looks(void)
{
    struct stat about;

    return stat(foreign, &about) == 0;
}

static bool
traces(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

static bool
raises_limits(void)
{
    return setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64}) == 0;
}

static bool
runs_made_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool
makes_memory_code(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}

static bool
calls_for_x32(void)
{
#ifdef __x86_64__
    return syscall(0x40000000 | SYS_getpid) >= 0;
#else
    return false;
#endif
}

static bool
has_foreign(void)
{
    return fcntl(9, F_GETFD) >= 0;
}

static const struct attempt {
    const char *name;
    bool (*works)(void);
    int stopped_by;
} attempts[] = {
    {"a file is read", reads, BY_LIMIT | BY_LANDLOCK | BY_SECCOMP},
    {"a file is written", writes, BY_LIMIT | BY_LANDLOCK | BY_SECCOMP},
    {"openat2", opens_by_number, BY_LIMIT | BY_LANDLOCK | BY_SECCOMP},
    {"standard input is a file", reads_in_place, BY_LANDLOCK | BY_SECCOMP},
    {"a port is connected to", connects, BY_LIMIT | BY_SECCOMP},
    {"standard input is a port", connects_in_place, BY_LANDLOCK | BY_SECCOMP},
    {"a program is executed", executes, BY_LANDLOCK | BY_SECCOMP},
    {"a process is made", forks, BY_SECCOMP},
    {"another process is signalled", signals, BY_LANDLOCK | BY_SECCOMP},
    {"a file is removed", removes, BY_LANDLOCK | BY_SECCOMP},
    {"a folder is made", makes_folder, BY_LANDLOCK | BY_SECCOMP},
    {"a file's mode is changed", changes_rights, BY_SECCOMP},
    {"a file is looked at", looks, BY_SECCOMP},
    {"the process is traced", traces, BY_SECCOMP},
    {"limits are raised", raises_limits, BY_SECCOMP},
    {"memory is mapped as code", runs_made_code, BY_SECCOMP},
    {"memory becomes code", makes_memory_code, BY_SECCOMP},
    {"a call of x32", calls_for_x32, BY_SECCOMP},
    {"a foreign descriptor is there", has_foreign, BY_LIMIT},
};

/* Kernels that lack something -------------------------------------------- */

/* From here on this process's kernel has no Landlock, or lets it set no
 * filter. */
static void
be_without(int locks)
{
    const uint32_t set_filter = (locks & BY_SECCOMP) != 0 ? PR_SET_SECCOMP
                                                         : 0xffffffff,
                   landlock = (locks & BY_LANDLOCK) != 0 ? 444 : 0xffffffff;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, landlock, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, set_filter, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (locks != 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0,
                            0) != 0)
        _exit(99);
}

/* What the status of a child says: that of what it tried. */
enum { WORKED, FAILED };

/* In a child: locks itself in, then tries.  Without an attempt the status has a
 * bit for each lock that holds. */
static int
try_in_child(int without, const struct attempt *a)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        struct lockdown l;
        int held = 0;

        be_without(without);
        dup2(STDOUT_FILENO, 9);
        lockdown(&l);
        for (int i = 0; i < LOCKS; i++)
            held |= l.missing[i] == 0 ? 1 << i : 0;
        _exit(a == NULL ? held : a->works() ? WORKED : FAILED);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void
test_attempts(int without, const char *kernel)
{
    int held = try_in_child(without, NULL);

    is_int(held & without, 0, "%s: nothing is said to hold that is not there",
           kernel);
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        const struct attempt *a = &attempts[i];

        if ((a->stopped_by & (held | BY_LIMIT)) != 0)
            is_int(try_in_child(without, a), FAILED, "%s: refused: %s", kernel,
                   a->name);
    }
}

/* Without locks everything works, or an attempt would show nothing. */
static void
test_unlocked(void)
{
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        const struct attempt *a = &attempts[i];
        pid_t pid = fork();
        int status = 0;

        if (pid == 0) {
            dup2(STDOUT_FILENO, 9);
            _exit(a->works() ? WORKED : FAILED);
        }
        waitpid(pid, &status, 0);
        unlink(file);
        rmdir(file);
        close(open(foreign, O_WRONLY | O_CREAT, 0600));
        if (a->works != calls_for_x32) /* few kernels have it */
            is_int(WEXITSTATUS(status), WORKED, "without locks: %s", a->name);
    }
}

/* The worker ------------------------------------------------------------- */

/* Whether a line of a process's status is this. */
static bool
has_status(pid_t pid, const char *want)
{
    char path[64], line[256];
    bool found = false;
    FILE *status;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    status = fopen(path, "re");
    while (status != NULL && !found &&
           fgets(line, sizeof line, status) != NULL)
        found = strncmp(line, want, strlen(want)) == 0;
    if (status != NULL)
        fclose(status);
    return found;
}

/* A worker in whose script a verb waits for its reply. */
static void
test_worker(int held)
{
    static const char script[] =
        "{\"value\":{\"source\":\"say(_\\\"x\\\")\"}}\n";
    int to[2], from[2], past = 0;
    char byte, path[64];
    pid_t pid;

    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        exit(99);
    pid = fork();
    if (pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        dup2(from[1], 9);
        execl("src/collviz-lesson", "collviz-lesson", "x.lua", (char *)NULL);
        _exit(99);
    }
    close(to[0]);
    close(from[1]);
    is_int(write(to[1], script, strlen(script)), (int)strlen(script),
           "a worker gets a script");
    ok(read(from[0], &byte, 1) == 1 && byte == '{', "the script runs");
    ok(has_status(pid, "NoNewPrivs:\t1"), "the worker gets no new rights");
    if ((held & BY_SECCOMP) != 0)
        ok(has_status(pid, "Seccomp:\t2"), "a filter looks at its calls");
    for (int fd = 0; fd < 256; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
        past += fd > STDERR_FILENO && access(path, F_OK) == 0;
    }
    is_int(past, 0, "it has three descriptors");
    close(to[1]);
    close(from[0]);
    waitpid(pid, NULL, 0);
}

/* What a command prints, in one line; runs it where the kernel lacks locks. */
static int
run_without(int without, const char *command, char said[4096])
{
    int out[2], status = 0;
    size_t length = 0;
    ssize_t n;
    pid_t pid;

    if (pipe(out) != 0)
        exit(99);
    pid = fork();
    if (pid == 0) {
        be_without(without);
        dup2(out[1], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(99);
    }
    close(out[1]);
    while (length < 4095 &&
           (n = read(out[0], said + length, 4095 - length)) > 0)
        length += (size_t)n;
    said[length] = '\0';
    close(out[0]);
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void
test_doctor(int held)
{
    static const char doctor[] = "$COLLVIZ doctor | grep scripts";
    char said[4096];

    setenv("COLLVIZ", "src/collviz", 0);
    run_without(0, doctor, said);
    is_str(said,
           held == (1 << LOCKS) - 1
               ? "ok scripts    locked in by no_new_privs, Landlock, seccomp\n"
               : said,
           "doctor says what holds");
    run_without(BY_LANDLOCK | BY_SECCOMP, doctor, said);
    is_str(said,
           "-- scripts    locked in by no_new_privs; without Landlock "
           "(Function not implemented), seccomp (Operation not permitted)\n",
           "and what does not, and why");
    is_int(run_without(BY_LANDLOCK | BY_SECCOMP,
                       "$COLLVIZ check $srcdir/lessons/algorithms/ring.lua",
                       said),
           0, "a script runs there, too");
}

/* What the attempts are made on. */
static int
prepare(void)
{
    socklen_t size = sizeof listener;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    listener.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, (struct sockaddr *)&listener, size) != 0 ||
        listen(fd, 99) != 0 ||
        getsockname(fd, (struct sockaddr *)&listener, &size) != 0)
        exit(99);
    tester = getpid();
    lab_make();
    snprintf(file, sizeof file, "%s/new", lab);
    snprintf(foreign, sizeof foreign, "%s/foreign", lab);
    close(open(foreign, O_WRONLY | O_CREAT, 0600));
    return fd;
}

int
main(void)
{
    int held, fd;

    setenv("srcdir", ".", 0);
    signal(SIGCHLD, SIG_DFL);
    fd = prepare();
    held = try_in_child(0, NULL);
    ok((held & 1 << LOCK_PRIVILEGES) != 0, "no_new_privs holds");
    if ((held & (BY_LANDLOCK | BY_SECCOMP)) != 0) {
        test_unlocked();
        test_attempts(0, "here");
        test_attempts(BY_LANDLOCK, "no Landlock");
        test_attempts(BY_SECCOMP, "no seccomp");
        test_attempts(BY_LANDLOCK | BY_SECCOMP, "neither");
        test_doctor(held);
    } else {
        puts("# this kernel, or this build, has no locks");
    }
    test_worker(held);
    close(fd);
    lab_remove();
    return done_testing();
}
