/* SPDX-License-Identifier: MIT */
/* How long collviz waits for a worker that says nothing, what it says
 * meanwhile, and that one that says no end of lines does not hold it up: on a
 * clock, a timer and with a child of this test's own. */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/child.h"
#include "base/mem.h"
#include "run/backend.h"
#include "run/request.h"
#include "schedules.h"
#include "tap.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* In place of libc's: time passes when the test says so, and every launcher is
 * on this machine. */
static time_t now_s = 1000;
static time_t timer_s;  /* 0: it is stopped */
static bool timer_short; /* it is over within less than a second */
static bool timer_over; /* its descriptor is readable until it is set again */

int
clock_gettime(clockid_t clock, struct timespec *now)
{
    *now = (struct timespec){.tv_sec = now_s};
    return 0;
}

int
timerfd_settime(int fd, int flags, const struct itimerspec *when,
                struct itimerspec *before)
{
    timer_s = when->it_value.tv_sec;
    timer_short = timer_s == 0 && when->it_value.tv_nsec > 0;
    timer_over = false;
    return 0;
}

int
access(const char *path, int mode)
{
    return 0;
}

/* In place of base/child.c: a child that says one line, once or many times, and
 * ends when it is asked to. */
struct child {
    const char *line;
    int times; /* that it will still say it */
    int fd;
    bool gone;
};

static const char *first_line;
static int first_times = 1;
static struct child *first;

bool
child_find(const char *program, char path[PATH_MAX], struct err *err)
{
    snprintf(path, PATH_MAX, "%s", program);
    return true;
}

struct child *
child_open(const char *program, char *const argv[], struct err *err)
{
    struct child *c = mem_new(1, sizeof *c);

    *c = (struct child){first_line, first_times, eventfd(0, EFD_CLOEXEC),
                        false};
    return first = c;
}

void
child_close(struct child *c)
{
    close(c->fd);
    free(c);
}

enum child_heard
child_hear(struct child *c, const char **line, struct err *err)
{
    *line = c->times > 0 ? c->line : NULL;
    c->times--;
    return c->gone ? CHILD_GONE : *line != NULL ? CHILD_LINE : CHILD_LATER;
}

int
child_fd(const struct child *c)
{
    return c->fd;
}

bool
child_watch(struct child *c, int fd)
{
    return true;
}

bool
child_is_gone(const struct child *c)
{
    return c->gone;
}

void
child_give_time(struct child *c, int ms)
{
}

void
child_said(const struct child *c, struct buf *out)
{
}

void
child_say(struct child *c, const char *line)
{
    c->gone = strstr(line, "abort") != NULL;
}

void
child_limit(struct child *c, size_t ahead)
{
}

void
child_has_read(struct child *c, size_t bytes)
{
}

enum { NEVER = 0, YEAR_S = 365 * 24 * 3600 };

static const struct row {
    const char *name;
    const struct backend *backend;
    const char *launcher, *line;
    int noted_s, given_up_s; /* after so long */
} rows[] = {
    {"a worker", &backend_cuda, NULL, NULL, NEVER, 91},
    {"one that has started", &backend_cuda, NULL, "{\"type\":\"alive\"}",
     NEVER, 6},
    {"one that is busy", &backend_cuda, NULL,
     "{\"type\":\"alive\",\"busy\":true}", NEVER, NEVER},
    {"one that has caught up", &backend_cuda, NULL,
     "{\"type\":\"alive\",\"caught_up\":true}", NEVER, NEVER},
    {"a launcher", &backend_mpi, NULL, NULL, 5, 91},
    {"a launcher, which greets", &backend_mpi, NULL, "welcome", 5, 91},
    {"a rank that reads its request", &backend_mpi, NULL,
     "{\"type\":\"alive\",\"received\":9}", NEVER, 91},
    {"a rank that has started", &backend_mpi, NULL, "{\"type\":\"alive\"}",
     NEVER, 6},
    {"the user's launcher, which may be in a queue", &backend_mpi, "srun",
     NULL, 5, NEVER},
    {"a rank that the user's launcher has started", &backend_mpi, "srun",
     "{\"type\":\"alive\"}", NEVER, 6},
};

/* Looks again whenever the timer is over, as a loop that polls the run does. */
static void
test_row(const struct row *row, const struct schedule *s)
{
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .watched = true, .launcher = row->launcher};
    time_t begin_s = now_s, noted_s = NEVER;
    enum run_got got;
    struct item item;
    struct err err;
    struct run *run;

    first_line = row->line;
    run = run_open(row->backend, s, &o, &err);
    for (;;) {
        got = run_next(run, &item, &err);
        if (noted_s == NEVER && run_note(run) != NULL)
            noted_s = now_s - begin_s;
        if (got == RUN_FAILED || timer_over || timer_s == 0 ||
            timer_s > YEAR_S)
            break;
        now_s += timer_s;
        timer_over = true;
    }
    is_int(got == RUN_FAILED ? now_s - begin_s : NEVER, row->given_up_s,
           "%s: given up after %d s (0: never)", row->name, row->given_up_s);
    is_int(noted_s, row->noted_s, "noted after %d s (0: never)", row->noted_s);
    ok(got == RUN_FAILED || !timer_over, "meanwhile the loop does not spin");
    run_close(run);
}

/* A worker that says that it is alive, again and again. */
static void
test_flood(const struct schedule *s)
{
    /* a power of two: what is heard at once, then nothing */
    enum { TIMES = 1 << 17, AT_ONCE = 1000 };
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .watched = true};
    int turns = 0, left = TIMES, most = 0;
    enum run_got got;
    struct item item;
    struct err err;
    struct run *run;

    first_line = "{\"type\":\"alive\"}";
    first_times = TIMES;
    run = run_open(&backend_cuda, s, &o, &err);
    do {
        got = run_next(run, &item, &err);
        most = left - first->times > most ? left - first->times : most;
        left = first->times;
    } while (++turns < TIMES && got == RUN_LATER && timer_short);
    ok(most <= AT_ONCE, "of %d lines at most %d are heard at once", TIMES,
       most);
    ok(left < 0 && got == RUN_LATER, "the others at once after that");
    is_int(timer_s, 5, "then silence is waited for as ever");
    run_close(run);
    first_times = 1;
}

int
main(void)
{
    OWNS(schedule) *s = build_in_place("ring-allreduce", 3);

    test_flood(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_row(&rows[i], s);
    return done_testing();
}
