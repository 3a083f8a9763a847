/* SPDX-License-Identifier: MIT */
#include "base/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/signals.h"

enum {
    PATIENCE_MS = 5000, /* for a worker that does not read what it is told */
    DEATH_NS = 500000000, /* for one that is to end to be gone */
};

struct worker {
    char *name;
    pid_t pid; /* 0: it has been waited for */
    int to;
    int complaints; /* a file that takes what it writes to stderr */
    struct lines from;
};

bool
worker_find(const char *program, char path[PATH_MAX], struct err *err)
{
    static const char *const relative[] = {"", "../libexec/collviz/"};
    char exe[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);

    exe[length > 0 ? length : 0] = '\0';
    for (size_t i = 0; length > 0 && i < 2; i++) {
        char copy[PATH_MAX];
        memcpy(copy, exe, (size_t)length + 1);
        if (snprintf(path, PATH_MAX, "%s/%s%s", dirname(copy), relative[i],
                     program) < PATH_MAX &&
            access(path, X_OK) == 0)
            return true;
    }
    snprintf(path, PATH_MAX, "%s/%s", PKGLIBEXECDIR, program);
    return access(path, X_OK) == 0 ||
           err_set(err, "the program %s is missing: it belongs beside collviz "
                   "or in %s", program, PKGLIBEXECDIR);
}

/* In the child: nothing here may touch memory that another thread had a lock
 * on. */
static void
become(const char *path, char *const argv[], int in, int out, int complaints,
       pid_t parent)
{
    signals_leave_to_parent();
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(in, STDIN_FILENO) >= 0 &&
        dup2(out, STDOUT_FILENO) >= 0 && dup2(complaints, STDERR_FILENO) >= 0)
        execv(path, argv);
    _exit(127);
}

struct worker *
worker_open(const char *program, char *const argv[], struct err *err)
{
    struct worker *w;
    char path[PATH_MAX];
    int to[2], from[2], complaints;
    pid_t parent = getpid(), pid;
    sigset_t before;

    if (!worker_find(program, path, err))
        return NULL;
    complaints = memfd_create("complaints", MFD_CLOEXEC);
    if (complaints < 0 || pipe2(to, O_CLOEXEC) != 0) {
        err_set(err, "%s: %s", program, strerror(errno));
        if (complaints >= 0)
            close(complaints);
        return NULL;
    }
    pid = -1;
    if (pipe2(from, O_CLOEXEC) == 0) {
        signals_block(&before);
        pid = fork();
        if (pid == 0)
            become(path, argv, to[0], from[1], complaints, parent);
        signals_unblock(&before);
        if (pid < 0)
            close(from[0]);
        close(from[1]);
    }
    close(to[0]);
    if (pid < 0) {
        err_set(err, "%s: %s", program, strerror(errno));
        close(to[1]);
        close(complaints);
        return NULL;
    }
    fcntl(from[0], F_SETFL, O_NONBLOCK);
    fcntl(to[1], F_SETFL, O_NONBLOCK);
    w = mem_new(1, sizeof *w);
    *w = (struct worker){.name = mem_string(program), .pid = pid,
                         .to = to[1], .complaints = complaints,
                         .from = {.fd = from[0], .most = WORKER_LINE_MAX}};
    return w;
}

/* Waits until it has ended; not for long, for one that a driver holds in the
 * kernel dies only when the driver lets it. */
static bool
has_ended(struct worker *w, int *status)
{
    int64_t until = clock_ns() + DEATH_NS;
    pid_t pid;

    while ((pid = waitpid(w->pid, status, WNOHANG)) == 0 && clock_ns() < until)
        usleep(1000);
    return pid != 0;
}

void
worker_close(struct worker *w)
{
    if (w == NULL)
        return;
    if (w->pid > 0) {
        kill(w->pid, SIGKILL);
        has_ended(w, NULL); /* else init collects it one day */
    }
    close(w->to);
    close(w->from.fd);
    close(w->complaints);
    lines_done(&w->from);
    free(w->name);
    free(w);
}

/* Its last line on stderr. */
static void
last_complaint(const struct worker *w, struct buf *out)
{
    char text[400];
    off_t size = lseek(w->complaints, 0, SEEK_END);
    off_t from = size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1
                                               : 0;
    ssize_t n = pread(w->complaints, text, sizeof text - 1, from);
    char *line;

    while (n > 0 && text[n - 1] == '\n')
        n--;
    if (n <= 0)
        return;
    text[n] = '\0';
    line = strrchr(text, '\n');
    buf_addf(out, ": %s", line != NULL ? line + 1 : text);
}

/* Says how it ended. Returns false. */
static bool
ended(struct worker *w, struct err *err)
{
    struct buf said = {0};
    int status = 0;

    if (w->pid > 0 && !has_ended(w, &status)) {
        kill(w->pid, SIGKILL);
        has_ended(w, &status);
    }
    w->pid = 0;
    last_complaint(w, &said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1 && said.length > 0)
        err_set(err, "%s%s", w->name, buf_text(&said));
    else if (WIFSIGNALED(status))
        err_set(err, "%s was ended by signal %d (%s)%s", w->name,
                WTERMSIG(status), strsignal(WTERMSIG(status)),
                buf_text(&said));
    else
        err_set(err, "%s has ended with status %d%s", w->name,
                WEXITSTATUS(status), buf_text(&said));
    buf_done(&said);
    return false;
}

static bool
can_write(const struct worker *w)
{
    struct pollfd pipe = {.fd = w->to, .events = POLLOUT};

    return poll(&pipe, 1, PATIENCE_MS) != 0;
}

bool
worker_say(struct worker *w, const char *line, struct err *err)
{
    struct buf text = {0};
    size_t written = 0;
    bool patient = true, whole;

    buf_addf(&text, "%s\n", line);
    while (patient && w->pid > 0 && written < text.length) {
        ssize_t n = write(w->to, text.data + written, text.length - written);
        if (n < 0 && errno == EAGAIN)
            patient = can_write(w);
        else if (n < 0 && errno != EINTR)
            break;
        written += n > 0 ? (size_t)n : 0;
    }
    whole = written == text.length;
    buf_done(&text);
    if (!patient)
        return err_set(err, "%s does not answer any more", w->name);
    return whole || ended(w, err);
}

enum worker_heard
worker_hear(struct worker *w, const char **line, struct err *err)
{
    switch (lines_next(&w->from, line)) {
    case LINES_LINE:
        return WORKER_LINE;
    case LINES_LATER:
        return WORKER_LATER;
    case LINES_LONG:
        err_set(err, "%s says a line of more than %d bytes", w->name,
                WORKER_LINE_MAX);
        return WORKER_GONE;
    default:
        ended(w, err);
        return WORKER_GONE;
    }
}

int
worker_fd(const struct worker *w)
{
    return w->from.fd;
}
