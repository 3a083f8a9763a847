/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/install.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/signals.h"

enum {
    PIPES = 3, /* its stdin, stdout and stderr */
    DEATH_MS = 500,       /* for a killed child to end */
    FIRST_SAID = 4 << 10, /* bytes of its stderr that are kept */
    LAST_SAID = 64 << 10,
};

struct child {
    char *name;
    pid_t pid;   /* 0 after waitpid() */
    int time_ms; /* to wait for a child that ends by itself; 0: it does not */
    int to, complaints; /* its stdin and stderr; -1: closed */
    struct lines from;
    struct buf unsent; /* what the child has not taken yet */
    size_t sent;       /* bytes of it that the child has taken since */
    size_t ahead;      /* the limit for `unread` */
    size_t unread;     /* bytes sent that it has not said to have read */
    bool sends;        /* `watch` has `to` */
    struct buf said;
    int watch; /* epoll of all three */
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

/* Runs in the child after vfork(), in the memory of the parent, whose thread
 * waits meanwhile: it must change nothing there, and need no lock. */
static void
become_child(const char *path, char *const argv[], const int ends[PIPES],
             pid_t parent)
{
    bool ok = true;

    signals_leave_to_parent();
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < PIPES; fd++)
        ok = ok && dup2(ends[fd], fd) >= 0;
    if (ok && getppid() == parent)
        execv(path, argv);
    _exit(127);
}

static bool
watch_fd(int watch, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.fd = fd}};

    return epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void
unwatch_fd(int watch, int fd)
{
    epoll_ctl(watch, EPOLL_CTL_DEL, fd, NULL);
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
    int ours[PIPES], its[PIPES]; /* ends; -1: not open */
    struct child *c;
    char path[PATH_MAX];
    pid_t parent = getpid();
    sigset_t before;
    bool ok;

    if (!child_find(program, path, err))
        return NULL;
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, no status is kept */
    c = mem_new(1, sizeof *c);
    c->name = mem_string(program);
    c->pid = -1;
    c->ahead = SIZE_MAX;
    c->watch = epoll_create1(EPOLL_CLOEXEC);
    ok = c->watch >= 0;
    for (int fd = 0; fd < PIPES; fd++) {
        int ends[2] = {-1, -1};
        ok = ok && pipe2(ends, O_CLOEXEC) == 0;
        ours[fd] = ends[fd == STDIN_FILENO];
        its[fd] = ends[fd != STDIN_FILENO];
        ok = ok && fcntl(ours[fd], F_SETFL, O_NONBLOCK) == 0 &&
             (fd == STDIN_FILENO || watch_fd(c->watch, ours[fd], EPOLLIN));
    }
    c->to = ours[STDIN_FILENO];
    c->from = (struct lines){.fd = ours[STDOUT_FILENO], .most = CHILD_LINE_MAX};
    c->complaints = ours[STDERR_FILENO];
    if (ok) {
        signals_block(&before);
        c->pid = vfork(); /* a copy of much memory would take its time */
        if (c->pid == 0)
            become_child(path, argv, its, parent);
        signals_unblock(&before);
    }
    if (c->pid < 0)
        err_set(err, "%s: %s", program, strerror(errno));
    for (int fd = 0; fd < PIPES; fd++)
        close_open(its[fd]);
    if (c->pid > 0)
        return c;
    child_close(c);
    return NULL;
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

/* Ends it, or asks it to end if it does so by itself. */
static void
end_child(struct child *w, int *status)
{
    if (w->time_ms > 0) {
        close_open(w->to);
        w->to = -1;
        kill(w->pid, SIGTERM);
        has_ended(w, w->time_ms, status);
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
        end_child(w, NULL);
    close_open(w->to);
    close_open(w->from.fd);
    close_open(w->complaints);
    close_open(w->watch);
    lines_done(&w->from);
    buf_done(&w->unsent);
    buf_done(&w->said);
    free(w->name);
    free(w);
}

/* Reads all that a pipe holds, but does not go on for as long as the child
 * writes.  Keeps the first of it and the last. */
static void
hear_complaints(struct child *w)
{
    struct buf *said = &w->said;
    char bytes[65536];
    ssize_t n = 1;

    for (int i = 0; i < 2 && n > 0 && w->complaints >= 0; i++) {
        n = read(w->complaints, bytes, sizeof bytes);
        for (ssize_t k = 0; k < n; k++)
            bytes[k] = bytes[k] != '\0' ? bytes[k] : '?';
        buf_add(said, bytes, n > 0 ? (size_t)n : 0);
        if (said->length <= FIRST_SAID + 2 * LAST_SAID)
            continue;
        memmove(said->data + FIRST_SAID, said->data + said->length - LAST_SAID,
                LAST_SAID);
        said->data[FIRST_SAID - 1] = '\n';
        said->length = FIRST_SAID + LAST_SAID;
        said->data[said->length] = '\0';
    }
    if (n == 0) {
        unwatch_fd(w->watch, w->complaints);
        close(w->complaints);
        w->complaints = -1;
    }
}

void
child_said(const struct child *w, struct buf *out)
{
    buf_puts(out, buf_text(&w->said));
}

/* The child's last line on stderr. */
static void
last_complaint(const struct child *w, struct buf *out)
{
    OWN(buf) said = {0};
    char *line;

    child_said(w, &said);
    while (said.length > 0 && said.data[said.length - 1] == '\n')
        said.data[--said.length] = '\0';
    line = said.length > 0 ? strrchr(said.data, '\n') : NULL;
    if (said.length > 0)
        buf_addf(out, ": %s", line != NULL ? line + 1 : said.data);
}

/* Reports how the child ended. Returns false. */
static bool
report_end(struct child *w, struct err *err)
{
    OWN(buf) said = {0};
    int status = 0;

    if (w->pid > 0 && !has_ended(w, DEATH_MS, &status))
        end_child(w, &status);
    w->pid = 0;
    hear_complaints(w);
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
    return false;
}

/* How many bytes may be sent now. */
static size_t
may_send(const struct child *w)
{
    size_t left = w->unsent.length - w->sent, more = w->ahead - w->unread;

    return left < more ? left : more;
}

/* Sends what the child takes now.  A child that has closed its input gets
 * nothing more; its end shows at its output. */
static void
send_rest(struct child *w)
{
    bool full = false;

    while (!full && may_send(w) > 0) {
        ssize_t n = write(w->to, w->unsent.data + w->sent, may_send(w));
        full = n < 0 && errno == EAGAIN;
        if (n >= 0) {
            w->sent += (size_t)n;
            w->unread += w->ahead < SIZE_MAX ? (size_t)n : 0;
        } else if (!full && errno != EINTR) {
            w->sent = w->unsent.length;
        }
    }
    if (full && !w->sends)
        watch_fd(w->watch, w->to, EPOLLOUT);
    else if (!full && w->sends)
        unwatch_fd(w->watch, w->to);
    w->sends = full;
    if (w->sent == w->unsent.length) {
        buf_done(&w->unsent);
        w->sent = 0;
    }
}

void
child_limit(struct child *w, size_t ahead)
{
    w->ahead = ahead;
}

void
child_has_read(struct child *w, size_t bytes)
{
    w->unread -= bytes < w->unread ? bytes : w->unread;
    send_rest(w);
}

void
child_say(struct child *w, const char *line)
{
    buf_puts(&w->unsent, line);
    buf_putc(&w->unsent, '\n');
    send_rest(w);
}

bool
child_is_gone(const struct child *w)
{
    return w->pid == 0;
}

enum child_heard
child_hear(struct child *w, const char **line, struct err *err)
{
    send_rest(w);
    hear_complaints(w);
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
        report_end(w, err);
        return CHILD_GONE;
    }
}

int
child_fd(const struct child *w)
{
    return w->watch;
}

bool
child_watch(struct child *w, int fd)
{
    return watch_fd(w->watch, fd, EPOLLIN);
}
