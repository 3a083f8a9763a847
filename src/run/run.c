/* SPDX-License-Identifier: MIT */
/* Ranks run in this process, or in a program of their own (base/child.h), which
 * exchanges lines with this one (run/request.h).  If a launcher starts a
 * process for each rank (run/launcher.h), only rank 0's exchanges lines.
 *
 * Nothing but closing a run waits for the worker: ABORT_MS for the run to end,
 * and then for the program (child_close()), 1.3 s in all.  If the worker is
 * silent for too long while ranks run, the run fails. */
#include "run/backend.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"
#include "event/stream.h"
#include "run/complaint.h"
#include "run/launcher.h"
#include "run/request.h"

static const int64_t SECOND_NS = 1000000000;

enum {
    /* The first line takes longer if a driver compiles kernels for a device. */
    START_S = 90,
    SILENCE_S = 5, /* 10 times REQUEST_ALIVE_MS */
    GRACE_S = 1, /* after that: both may have been stopped, as by Ctrl-Z */
    ABORT_MS = 300, /* for a clean end, before it is killed */
    LAUNCH_NOTE_S = 5, /* a launcher that takes longer is noted */
    SAID_MAX = 64 << 10, /* bytes that a launcher may say among the lines */
    LINES_MAX = 256, /* heard at once, if none of them is an item */
    /* Between two looks at ranks in this process: twice as long each time, as
     * long as nothing has happened. */
    LOOK_LEAST_NS = 20000,
    LOOK_MOST_NS = 10000000,
};

struct run {
    const struct backend *backend;
    int timer; /* for run_fd(); -1: not open */
    struct reporter *reporter; /* of ranks in this process; else NULL, and
                                * what follows is a worker's */
    int64_t look_ns; /* between the last two looks */
    bool queues; /* a launcher of the user's may wait as long as it takes */
    struct child *worker;
    struct stream_reader *stream;
    bool reached;   /* it reads its request */
    bool started;   /* it has said something else */
    struct request_state state; /* as it has said; its note may be ours, of the
                                 * launch */
    bool hurried;   /* more lines may be there, so the timer ends at once */
    bool suspected; /* it was silent for too long, until just now */
    int64_t heard_ns, suspected_ns;
    struct buf said; /* by a launcher, among the worker's lines */
};

/* Whether a launcher has not yet started a rank that reads its request. */
static bool
is_launching(const struct run *r)
{
    return r->backend->launcher != NULL && !r->reached && !r->started;
}

static int
silence_s(const struct run *r)
{
    return r->started ? SILENCE_S : r->queues ? INT32_MAX : START_S;
}

/* Sets the timer; 0 stops it. */
static void
set_run_timer(struct run *r, int64_t ns)
{
    struct itimerspec when = {.it_value = {ns / SECOND_NS, ns % SECOND_NS}};

    timerfd_settime(r->timer, 0, &when, NULL);
}

/* Starts the timer within which the worker must say something, or stops it if
 * nothing is expected from the worker. */
static void
start_timer(struct run *r)
{
    r->heard_ns = clock_ns();
    r->suspected = false;
    set_run_timer(r, SECOND_NS * (r->state.caught_up || r->state.busy ? 0
                                  : is_launching(r) ? LAUNCH_NOTE_S
                                                    : silence_s(r)));
}

/* Sends lines, without the last newline, which child_say() adds. */
static void
say_lines(struct run *r, const struct buf *lines)
{
    lines->data[lines->length - 1] = '\0';
    r->state.caught_up = r->state.busy = false;
    child_say(r->worker, lines->data);
    start_timer(r);
}

/* Asks the worker to end by itself, and drops what it still says. */
static void
abort_run(struct run *r)
{
    int64_t until = clock_ns() + ABORT_MS * INT64_C(1000000);
    struct pollfd lines = {.fd = child_fd(r->worker), .events = POLLIN};
    struct err ignored;
    const char *line;

    child_say(r->worker, REQUEST_ABORT_LINE);
    while (clock_ns() < until) {
        enum child_heard heard = child_hear(r->worker, &line, &ignored);

        if (heard == CHILD_GONE)
            return;
        if (heard == CHILD_LATER)
            poll(&lines, 1, 10);
    }
}

void
run_close(struct run *r)
{
    if (r == NULL)
        return;
    reporter_free(r->reporter);
    if (r->worker != NULL && r->started && !r->state.caught_up)
        abort_run(r);
    child_close(r->worker);
    stream_reader_free(r->stream);
    if (r->timer >= 0)
        close(r->timer);
    buf_done(&r->said);
    free(r);
}

/* All that the launcher and the ranks have written so far. */
static const char *
all_said(struct run *r)
{
    child_said(r->worker, &r->said);
    return buf_text(&r->said);
}

static void
say_load(struct run *r, const struct schedule *s, const struct run_options *o,
         struct buf *lines)
{
    stream_reader_free(r->stream);
    r->stream = stream_reader_new(NULL, s, r->backend->worker);
    request_write_load(s, o, lines);
    say_lines(r, lines);
}

/* Blames the build if the worker is missing. */
static bool
open_worker(struct run *r, const struct schedule *s,
            const struct run_options *o, struct err *err)
{
    const struct backend *b = r->backend;
    char *const argv[] = {(char *)b->worker, (char *)b->mode, NULL};
    OWN(buf) load = {0};
    char path[PATH_MAX];

    r->queues = o->launcher != NULL && b->launcher != NULL;
    r->worker = b->launcher != NULL
                    ? launcher_start(b->launcher, b->worker, s->nranks,
                                     o->launcher, err)
                    : child_open(b->worker, argv, err);
    if (r->worker != NULL &&
        (child_watch(r->worker, r->timer) ||
         err_set(err, "%s: epoll: %s", r->backend->worker, strerror(errno)))) {
        say_load(r, s, o, &load);
        return true;
    }
    return !child_find(b->worker, path, err) &&
           err_prefix(err, "the %s backend is not built into this collviz "
                      "(--backend threads runs everywhere)", b->name);
}

struct run *
run_open(const struct backend *backend, const struct schedule *s,
         const struct run_options *o, struct err *err)
{
    struct run *r = mem_new(1, sizeof *r);

    *r = (struct run){.backend = backend};
    r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (r->timer < 0)
        err_set(err, "timerfd: %s", strerror(errno));
    else if (backend->worker == NULL)
        r->reporter = reporter_new(o->mismatch != NULL ? &machine_exchange
                                                       : &machine_threads,
                                   s, o, err);
    if (r->reporter != NULL ||
        (r->timer >= 0 && backend->worker != NULL &&
         open_worker(r, s, o, err)))
        return r;
    run_close(r);
    return NULL;
}

/* The worker has ended its run and waits for a request. */
struct run *
run_again(struct run *r, const struct backend *backend,
          const struct schedule *s, const struct run_options *o,
          struct err *err)
{
    OWN(buf) lines = {0};

    if (r == NULL || !backend->again) {
        run_close(r);
        return run_open(backend, s, o, err);
    }
    buf_puts(&lines, REQUEST_AGAIN_LINE "\n");
    say_load(r, s, o, &lines);
    return r;
}

bool
run_grant(struct run *r, int to, struct err *err)
{
    OWN(buf) go = {0};

    if (r->reporter != NULL)
        return reporter_grant(r->reporter, to, err);
    request_write_go(to, &go);
    say_lines(r, &go);
    return true;
}

/* Notes that a launcher takes its time: it may wait for a host, or in a queue,
 * unless it has said something else. */
static void
note_launch(struct run *r, int64_t now)
{
    int64_t waited_s = (now - r->heard_ns) / SECOND_NS;
    OWN(buf) said = {0};
    struct err why;

    if (!is_launching(r) || waited_s < LAUNCH_NOTE_S ||
        r->state.note[0] != '\0')
        return;
    child_said(r->worker, &said);
    if (!complaint_find(buf_text(&said), r->backend->worker, &why))
        err_set(&why, "the launcher may be waiting for a host, or in a queue");
    snprintf(r->state.note, sizeof r->state.note,
             "no rank has answered for %d s: %.200s", LAUNCH_NOTE_S, why.text);
    set_run_timer(r, r->queues ? 0 : (START_S - LAUNCH_NOTE_S) * SECOND_NS);
}

/* The worker was silent for too long. Returns RUN_FAILED. */
static enum run_got
report_silence(struct run *r, struct err *err)
{
    struct err said, silent;

    err_set(&silent, "%s has said nothing for %d seconds, and collviz gave up "
            "on it: %s", r->backend->worker, silence_s(r),
            r->backend->launcher == NULL
                ? "the device, or its driver, hangs; see what nvidia-smi says"
            : r->started ? "rank 0's host, or the network to it, hangs; see "
                           "whether 'ssh HOST true' works"
                         : "a host, or the network to it, hangs; see whether "
                           "the launcher starts 'hostname'");
    *err = silent;
    if (r->backend->launcher != NULL &&
        complaint_find(all_said(r), r->backend->worker, &said))
        err_set(err, "%s (what was said last: %s)", silent.text, said.text);
    return RUN_FAILED;
}

/* No line has come: decides whether to go on waiting. */
static enum run_got
keep_waiting(struct run *r, struct err *err)
{
    int64_t now = clock_ns();

    if (r->state.caught_up)
        return RUN_CAUGHT_UP;
    note_launch(r, now);
    if (r->state.busy || now - r->heard_ns < silence_s(r) * SECOND_NS)
        return RUN_LATER;
    if (!r->suspected) {
        r->suspected = true;
        r->suspected_ns = now;
        set_run_timer(r, GRACE_S * SECOND_NS);
    }
    if (now - r->suspected_ns < GRACE_S * SECOND_NS)
        return RUN_LATER;
    return report_silence(r, err);
}

/* Takes a line that reports the worker's state. Returns false if it is another
 * one.  A worker that has not read its request has not started. */
static bool
take_state(struct run *r, const char *line)
{
    struct request_state now = {.caught_up = false};
    bool alive = request_read_state(line, &now);

    if (alive && now.received > 0) {
        r->reached = true;
        r->state.note[0] = '\0'; /* of the launch */
        start_timer(r);
        child_has_read(r->worker, (size_t)now.received);
        return true;
    }
    if (alive)
        now.caught_up |= r->state.caught_up;
    else if (r->started)
        memcpy(now.note, r->state.note, sizeof now.note);
    r->state = now;
    r->started = true;
    start_timer(r);
    return alive;
}

static enum run_got
hear_worker(struct run *r, struct item *item, struct err *err)
{
    const char *line;
    struct err why;

    if (r->hurried)
        start_timer(r);
    r->hurried = false;
    for (int lines = 0; lines < LINES_MAX; lines++) {
        switch (child_hear(r->worker, &line, err)) {
        case CHILD_GONE:
            /* A launcher's status says little: what it and the ranks have
             * written says more. */
            if (r->backend->launcher != NULL && child_is_gone(r->worker))
                complaint_report(all_said(r), r->backend->worker, err);
            why = *err;
            if (!r->started) /* perhaps nobody has asked for this backend */
                err_set(err, "%s (--backend threads runs everywhere)",
                        why.text);
            return RUN_FAILED;
        case CHILD_LATER:
            return keep_waiting(r, err);
        case CHILD_LINE:
            break;
        }
        /* Launchers, and shells on other hosts, write lines of their own among
         * the worker's, which may say why the run ends. */
        if (r->backend->launcher != NULL && line[0] != '{') {
            buf_addf(&r->said, "%s\n", line);
            if (strstr(line, "{\"type\":") != NULL)
                err_set(err, "the launcher labels the ranks' lines: leave out "
                        "-l or --tag-output");
            else if (r->said.length <= SAID_MAX)
                continue;
            else
                err_set(err, "%s or its launcher writes what collviz does not "
                        "understand: %.100s", r->backend->worker, line);
            return RUN_FAILED;
        }
        if (take_state(r, line))
            continue;
        switch (stream_take(r->stream, line, strlen(line), item, err)) {
        case STREAM_ITEM:
            return RUN_ITEM;
        case STREAM_MORE:
            continue;
        default:
            return RUN_FAILED;
        }
    }
    /* A worker that says no end of lines must not hold up its reader. */
    r->hurried = true;
    set_run_timer(r, 1);
    return RUN_LATER;
}

/* Takes an item of ranks in this process, and sets when to look again. */
static enum run_got
take_local_item(struct run *r, struct item *item, struct err *err)
{
    enum run_got got = reporter_next(r->reporter, item, err);

    if (got == RUN_JUDGES)
        got = reporter_next(r->reporter, item, err);
    if (got == RUN_LATER && r->look_ns < LOOK_MOST_NS)
        r->look_ns *= 2;
    else if (got != RUN_LATER)
        r->look_ns = LOOK_LEAST_NS;
    if (got == RUN_LATER || got == RUN_CAUGHT_UP)
        set_run_timer(r, got == RUN_LATER ? r->look_ns : 0);
    return got;
}

enum run_got
run_next(struct run *r, struct item *item, struct err *err)
{
    return r->reporter != NULL ? take_local_item(r, item, err)
                               : hear_worker(r, item, err);
}

int
run_fd(struct run *r)
{
    return r->reporter != NULL ? r->timer : child_fd(r->worker);
}

const char *
run_note(const struct run *r)
{
    return r->state.note[0] != '\0' ? r->state.note : NULL;
}

static bool
gpu_there(const struct backend *b, struct err *err)
{
    char path[PATH_MAX];

    if (access("/dev/nvidiactl", F_OK) != 0 &&
        access("/dev/dxg", F_OK) != 0) /* WSL's */
        return err_set(err, "there is no NVIDIA driver on this machine "
                       "(/dev/nvidiactl is missing)");
    return child_find(b->worker, path, err);
}

static bool
launched_there(const struct backend *b, struct err *err)
{
    char path[PATH_MAX];

    return child_find(b->worker, path, err) && launcher_there(b->launcher, err);
}

const struct backend backend_threads = {
    .name = "threads",
    .switches = true,
    .mismatch = true,
};

const struct backend backend_cuda = {
    .name = "cuda",
    .worker = "collviz-cuda",
    .there = gpu_there,
    .again = true,
};

/* The same GPUs; NCCL carries the messages.  Each run has processes of its own,
 * so keeping the worker would save nothing. */
const struct backend backend_nccl = {
    .name = "nccl",
    .worker = "collviz-cuda",
    .mode = "nccl",
    .native_ops = REDOP_LAND, /* the first that NCCL does not have */
};

/* Processes that pass messages through MPI, on this host and others. */
const struct backend backend_mpi = {
    .name = "mpi",
    .worker = "collviz-mpi",
    .launcher = MPI_LAUNCHER,
    .there = launched_there,
    .native_ops = REDOPS,
    .switches = true,
    .mismatch = true,
    .native_algorithms = true,
    .again = true,
};

enum { PATIENCE_MS = 30000 }; /* a driver may have to start first */

/* A worker that fails writes nothing but the reason
 * (workers/collviz_cuda.c). */
static bool
listen_to(struct child *w, const char *program, struct buf *lines,
          struct err *err)
{
    int64_t until_ns = clock_ns() + PATIENCE_MS * INT64_C(1000000), left_ms;
    struct pollfd more = {.fd = child_fd(w), .events = POLLIN};
    const char *line;

    for (;;)
        switch (child_hear(w, &line, err)) {
        case CHILD_LINE:
            buf_addf(lines, "%s\n", line);
            if (lines->length > SAID_MAX)
                return err_set(err, "%s names no end of devices: %.100s",
                               program, line);
            break;
        case CHILD_GONE:
            return lines->length > 0;
        default:
            left_ms = (until_ns - clock_ns()) / 1000000;
            if (left_ms <= 0 || poll(&more, 1, (int)left_ms) == 0)
                return err_set(err, "%s has said nothing for %d seconds: the "
                               "device, or its driver, hangs", program,
                               PATIENCE_MS / 1000);
        }
}

bool
devices_ask(const struct backend *backend, struct buf *lines, struct err *err)
{
    char *const argv[] = {(char *)backend->worker, (char *)"devices",
                          (char *)backend->mode, NULL};
    struct child *w = child_open(backend->worker, argv, err);
    bool ok = w != NULL && listen_to(w, backend->worker, lines, err);
    child_close(w);
    return ok;
}
