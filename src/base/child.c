/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
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
#include "base/install.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/signals.h"

enum {
    PATIENCE_MS = 5000,  /* for a child that does not read its input */
    DEATH_MS = 500,      /* for a killed child to end */
    SAID_MAX = 64 << 10, /* bytes of its stderr that are kept */
};

struct child {
    char *name;
    pid_t pid;   /* 0 after waitpid() */
    int time_ms; /* for the child to clean up when it is to end */
    int to;      /* -1: closed */
    int complaints; /* a file that receives its stderr */
    struct lines from;
};

bool
child_find(const char *program, char path[PATH_MAX], struct err *err)
{
    char folder[PATH_MAX] = "";

    for (int place = 0; place < INSTALL_PLACES; place++)
        if (install_folder(INSTALL_PROGRAMS, place, folder) &&
            snprintf(path, PATH_MAX, "%s/%s", folder, program) < PATH_MAX &&
            access(path, X_OK) == 0)
            return true;
    return err_set(err, "the program %s is missing: it belongs beside collviz "
                   "or in %s", program, folder);
}

/* Runs in the child after fork(), so it must not need a lock that another
 * thread may have held. */
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

/* Both ends of everything that connects to the child; -1 if not open. */
struct wires {
    int to[2], from[2], complaints;
};

static bool
wires_open(struct wires *w)
{
    *w = (struct wires){{-1, -1}, {-1, -1}, -1};
    w->complaints = memfd_create("complaints", MFD_CLOEXEC);
    return w->complaints >= 0 && pipe2(w->to, O_CLOEXEC) == 0 &&
           pipe2(w->from, O_CLOEXEC) == 0;
}

static void
close_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

struct child *
child_open(const char *program, char *const argv[], struct err *err)
{
    struct child *c = NULL;
    struct wires w;
    char path[PATH_MAX];
    pid_t parent = getpid(), pid = -1;
    sigset_t before;

    if (!child_find(program, path, err))
        return NULL;
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, no status is kept */
    if (wires_open(&w)) {
        signals_block(&before);
        pid = fork();
        if (pid == 0)
            become(path, argv, w.to[0], w.from[1], w.complaints, parent);
        signals_unblock(&before);
    }
    if (pid > 0) {
        fcntl(w.from[0], F_SETFL, O_NONBLOCK);
        fcntl(w.to[1], F_SETFL, O_NONBLOCK);
        c = mem_new(1, sizeof *c);
        *c = (struct child){.name = mem_string(program), .pid = pid,
                            .to = w.to[1], .complaints = w.complaints,
                            .from = {.fd = w.from[0], .most = CHILD_LINE_MAX}};
    } else {
        err_set(err, "%s: %s", program, strerror(errno));
        close_open(w.to[1]);
        close_open(w.from[0]);
        close_open(w.complaints);
    }
    close_open(w.to[0]);
    close_open(w.from[1]);
    return c;
}

/* Waits for the child to end, but not for long: if a driver holds it in the
 * kernel, even a killed child ends only when the driver lets it. */
static bool
has_ended(struct child *w, int ms, int *status)
{
    int64_t until = clock_ns() + ms * INT64_C(1000000);
    pid_t pid;

    while ((pid = waitpid(w->pid, status, WNOHANG)) == 0 && clock_ns() < until)
        usleep(1000);
    return pid != 0;
}

void
child_give_time(struct child *w, int ms)
{
    w->time_ms = ms;
}

/* Ends it, by asking first if it was given time for that. */
static void
end(struct child *w, int *status)
{
    if (w->time_ms > 0) {
        close_open(w->to);
        w->to = -1;
        kill(w->pid, SIGTERM);
        if (has_ended(w, w->time_ms, status))
            return;
    }
    kill(w->pid, SIGKILL);
    has_ended(w, DEATH_MS, status); /* else init collects it one day */
}

void
child_close(struct child *w)
{
    if (w == NULL)
        return;
    if (w->pid > 0)
        end(w, NULL);
    close_open(w->to);
    close(w->from.fd);
    close(w->complaints);
    lines_done(&w->from);
    free(w->name);
    free(w);
}

void
child_said(const struct child *w, struct buf *out)
{
    off_t size = lseek(w->complaints, 0, SEEK_END);
    off_t from = size > SAID_MAX ? size - SAID_MAX : 0;
    char *text = mem_new(SAID_MAX, 1);
    ssize_t n = pread(w->complaints, text, SAID_MAX, from);

    for (ssize_t i = 0; i < n; i++)
        text[i] = text[i] != '\0' ? text[i] : '?';
    if (n > 0)
        buf_add(out, text, (size_t)n);
    free(text);
}

/* The child's last line on stderr. */
static void
last_complaint(const struct child *w, struct buf *out)
{
    struct buf said = {0};
    char *line;

    child_said(w, &said);
    while (said.length > 0 && said.data[said.length - 1] == '\n')
        said.data[--said.length] = '\0';
    line = said.length > 0 ? strrchr(said.data, '\n') : NULL;
    if (said.length > 0)
        buf_addf(out, ": %s", line != NULL ? line + 1 : said.data);
    buf_done(&said);
}

/* Reports how the child ended. Returns false. */
static bool
ended(struct child *w, struct err *err)
{
    struct buf said = {0};
    int status = 0;

    if (w->pid > 0 && !has_ended(w, DEATH_MS, &status))
        end(w, &status);
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
can_write(const struct child *w)
{
    struct pollfd pipe = {.fd = w->to, .events = POLLOUT};

    return poll(&pipe, 1, PATIENCE_MS) != 0;
}

bool
child_say(struct child *w, const char *line, struct err *err)
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
        return err_set(err, "%s no longer responds", w->name);
    return whole || ended(w, err);
}

enum child_heard
child_hear(struct child *w, const char **line, struct err *err)
{
    switch (lines_next(&w->from, line)) {
    case LINES_LINE:
        return CHILD_LINE;
    case LINES_LATER:
        return CHILD_LATER;
    case LINES_LONG:
        err_set(err, "%s sent a line of more than %d bytes", w->name,
                CHILD_LINE_MAX);
        return CHILD_GONE;
    default:
        ended(w, err);
        return CHILD_GONE;
    }
}

int
child_fd(const struct child *w)
{
    return w->from.fd;
}
