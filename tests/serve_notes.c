/* SPDX-License-Identifier: MIT */
/* The main loop of a worker, with a machine whose ranks do nothing: what it
 * says of notes, while ranks run and while they are idle; and that ranks may
 * fail while they are idle. */

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lines.h"
#include "coll/coll.h"
#include "run/request.h"
#include "tap.h"

enum { PATIENCE_MS = 3000 };

/* What the machine does, by the number of looks at it. */
static struct script {
    int note_from, note_to, fail_from; /* 0: never */
    int looks;
} script;

static void *
new(const struct schedule *s, const struct run_options *o, struct err *err)
{
    (void)o, (void)err;
    return (void *)s;
}

static void
free_none(void *run)
{
    (void)run;
}

static void
describe(void *run, struct run_info *info)
{
    (void)run;
    info->place = PLACE_HOST;
    info->nplaces = 1;
}

static bool
grant(void *run, int to, int64_t *at_ns, struct err *err)
{
    (void)run, (void)to, (void)at_ns, (void)err;
    return true;
}

/* Ranks are idle at first, and busy after a grant. */
static bool
look(void *run, bool *idle, struct err *err)
{
    (void)run;
    *idle = false;
    script.looks++;
    return script.fail_from == 0 || script.looks < script.fail_from ||
           err_set(err, "host cv2 is gone");
}

static bool
no_event(void *run, struct event *event)
{
    (void)run, (void)event;
    return false;
}

static void
contents(void *run, int rank, uint64_t *contents)
{
    const struct schedule *s = run;
    size_t words = (size_t)s->nslots * (size_t)content_words(s->nranks);

    (void)rank;
    memset(contents, 0, words * sizeof *contents);
}

static bool
note(void *run, struct buf *text)
{
    (void)run;
    if (script.looks < script.note_from || script.looks >= script.note_to)
        return false;
    buf_puts(text, "host cv2 is \"silent\"");
    return true;
}

static const struct machine machine = {
    .backend = "test", .new = new, .free = free_none, .describe = describe,
    .grant = grant, .look = look, .event = no_event, .contents = contents,
    .note = note, .tick_ms = 5,
};

struct worker {
    pid_t pid;
    int to;
    struct lines from;
};

static struct worker
start(const struct script *what)
{
    struct worker w = {.from.most = 1 << 20};
    int to[2], from[2];
    struct err err;

    if (pipe(to) != 0 || pipe2(from, O_NONBLOCK) != 0 || (w.pid = fork()) < 0)
        exit(99);
    if (w.pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[1]);
        script = *what;
        _exit(serve(&machine, &err) ? 0 : 1);
    }
    close(to[0]);
    close(from[1]);
    w.to = to[1];
    w.from.fd = from[0];
    return w;
}

/* The next line, or "" if there is none in time.  While ranks run, an alive
 * without a note comes twice a second. */
static const char *
next(struct worker *w)
{
    struct pollfd in = {.fd = w->from.fd, .events = POLLIN};
    enum lines_got got;
    const char *line = "";

    while ((got = lines_next(&w->from, &line)) == LINES_LATER)
        if (poll(&in, 1, PATIENCE_MS) <= 0)
            break;
    return got == LINES_LINE ? line : "";
}

static void
send_load(struct worker *w)
{
    struct schedule_spec spec = {
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = 2, .pieces = 2, .in_place = true};
    struct schedule *s = schedule_new(&spec);
    struct run_options o = {.input = {DTYPE_INT64, REDOP_SUM, 2, NULL}};
    struct buf lines = {0};

    schedule_step(s, "one");
    request_write_load(s, &o, &lines);
    if (write(w->to, lines.data, lines.length) < 0)
        exit(99);
    buf_done(&lines);
    schedule_free(s);
    while (strcmp(next(w), REQUEST_CAUGHT_UP) != 0)
        ;
}

static void
stop(struct worker *w, int expected)
{
    int status = -1;

    close(w->to);
    waitpid(w->pid, &status, 0);
    is_int(WEXITSTATUS(status), expected, "and ends with status %d", expected);
    close(w->from.fd);
    lines_done(&w->from);
}

static void
test_idle(void)
{
    struct script what = {.note_from = 3, .note_to = 20};
    struct worker w = start(&what);

    send_load(&w);
    is_str(next(&w),
           "{\"type\":\"alive\",\"note\":\"host cv2 is \\\"silent\\\"\"}",
           "idle ranks: a note is said");
    is_str(next(&w), "{\"type\":\"alive\"}", "once, and that it is over");
    stop(&w, 0);
}

static void
test_running(void)
{
    struct script what = {.note_from = 200, .note_to = 400};
    struct worker w = start(&what);
    const char *line;
    struct buf go = {0};

    send_load(&w);
    request_write_go(1, &go);
    if (write(w.to, go.data, go.length) < 0)
        exit(99);
    do /* on a busy machine half a second may be over before */
        line = next(&w);
    while (strcmp(line, "{\"type\":\"alive\"}") == 0);
    is_str(line,
           "{\"type\":\"alive\",\"note\":\"host cv2 is \\\"silent\\\"\"}",
           "running ranks: a note is said at once");
    is_str(next(&w), "{\"type\":\"alive\"}", "and that it is over");
    buf_done(&go);
    stop(&w, 0);
}

static void
test_failing(void)
{
    struct script what = {.fail_from = 5};
    struct worker w = start(&what);

    send_load(&w);
    is_str(next(&w), "", "idle ranks may fail: nothing more is said");
    stop(&w, 1);
}

static void
test_alive(void)
{
    char text[2 * REQUEST_NOTE_MAX], got[REQUEST_NOTE_MAX] = "kept";
    struct buf line = {0};

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    request_write_alive(text, &line);
    ok(request_read_alive(buf_text(&line), got), "a long note is cut");
    is_int((long long)strlen(got), REQUEST_NOTE_MAX - 1, "to what fits");
    ok(request_read_alive("{\"type\":\"alive\"}", got), "no note");
    is_str(got, "", "takes the last one away");
    snprintf(got, sizeof got, "kept");
    ok(!request_read_alive("{\"type\":\"alive\",\"note\":7}", got) &&
           !request_read_alive("{\"type\":\"alive\"", got) &&
           !request_read_alive("{\"type\":\"busy\"}", got),
       "other lines are no signs of life");
    is_str(got, "kept", "and change nothing");
    buf_done(&line);
}

int
main(void)
{
    test_alive();
    test_idle();
    test_running();
    test_failing();
    return done_testing();
}
