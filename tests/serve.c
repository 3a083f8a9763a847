/* SPDX-License-Identifier: MIT */
/* The main loop of a worker, in a child process, over a machine whose ranks do
 * what the test says: the lines between those of the stream, notes among them,
 * and the ways in which it ends. */

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "patience.h"
#include "run/request.h"
#include "scripted_machine.h"

enum { SLOW_MS = 1300, GUARD_S = HUNG_S };

#define ALIVE "{\"type\":\"alive\"}"
#define BUSY "{\"type\":\"alive\",\"busy\":true}"
#define CAUGHT_UP "{\"type\":\"alive\",\"caught_up\":true}"
#define NOTED "{\"type\":\"alive\",\"note\":\"host cv2 is \\\"silent\\\"\"}"

/* Between some looks at it, the machine has a note; from one on, it fails. */
static struct noted {
    int from, to, fails; /* 0: never */
    int looks;
} noted;

static bool
noted_look(void *run, bool *idle, struct err *err)
{
    (void)run;
    *idle = false;
    noted.looks++;
    return noted.fails == 0 || noted.looks < noted.fails ||
           err_set(err, "host cv2 is gone");
}

static bool
note(void *run, struct buf *text)
{
    (void)run;
    if (noted.looks < noted.from || noted.looks >= noted.to)
        return false;
    buf_puts(text, "host cv2 is \"silent\"");
    return true;
}

struct worker {
    pid_t pid;
    FILE *to, *from;
    char *line; /* the last one read */
    size_t room;
};

static int64_t granted_ns;

/* Half of the events come at once, the others when the time is over. */
static void
be_slow(void)
{
    if (granted_ns == 0)
        granted_ns = clock_ns();
    scripted.idle = clock_ns() - granted_ns > SLOW_MS * INT64_C(1000000);
    scripted.available = scripted.idle ? 4 : 2;
}

static void
serve_and_exit(const struct machine *m, int in, int out)
{
    struct err err = {.text = ""};

    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    for (int fd = 3; fd < 32; fd++)
        close(fd);
    alarm(GUARD_S);
    _exit(serve(m, &err) ? 0 : 1);
}

static struct worker
start_on(const struct machine *m)
{
    struct worker w = {0};
    int in[2], out[2];

    granted_ns = 0;
    if (pipe(in) != 0 || pipe(out) != 0 || (w.pid = fork()) < 0)
        die("cannot start a worker");
    if (w.pid == 0)
        serve_and_exit(m, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    w.to = fdopen(in[1], "w");
    w.from = fdopen(out[0], "r");
    return w;
}

static struct worker
start(const struct scripted *script)
{
    scripted = *script;
    return start_on(&machine_scripted);
}

static void
say(struct worker *w, const char *text)
{
    fputs(text, w->to);
    fflush(w->to);
}

static void
load(struct worker *w, const struct schedule *s)
{
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 2, NULL}};
    OWN(buf) lines = {0};

    request_write_load(s, &o, &lines);
    say(w, buf_text(&lines));
}

/* Reads a line. Returns false at the end. */
static bool
hear(struct worker *w)
{
    ssize_t length = getline(&w->line, &w->room, w->from);

    if (length > 0)
        w->line[length - 1] = '\0';
    return length > 0;
}

static bool
is(const struct worker *w, const char *line)
{
    return strcmp(w->line, line) == 0;
}

/* Reads lines up to caught_up and returns how many. */
static int
hear_all(struct worker *w)
{
    int lines = 0;

    while (hear(w) && !is(w, CAUGHT_UP))
        lines++;
    return lines;
}

/* Says no more. Returns the exit status. */
static int
leave(struct worker *w)
{
    int status = 0;

    fclose(w->to);
    waitpid(w->pid, &status, 0);
    fclose(w->from);
    free(w->line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The lines that keep collviz from giving up a worker that is only slow. */
static void
test_signs_of_life(const struct schedule *s)
{
    struct worker w = start(&(struct scripted){.on_look = be_slow});
    int alive = 0, busy = 0, transfers = 0;
    bool verdict_announced = false;
    int64_t begin, first_ns = 0;

    load(&w, s);
    is_int(hear_all(&w), 1 + s->nranks, "the run and every input");
    begin = clock_ns();
    say(&w, "{\"type\":\"go\",\"to\":2}\n");
    while (hear(&w) && !is(&w, CAUGHT_UP)) {
        if (is(&w, ALIVE) && alive++ == 0)
            first_ns = clock_ns() - begin;
        busy += is(&w, BUSY);
        transfers += strstr(w.line, "\"transfer\"") != NULL;
        verdict_announced |= strstr(w.line, "\"result\"") != NULL && busy == 1;
    }
    is_int(transfers, 4, "every transfer");
    ok(alive > 0, "ranks that take long: it says that it is alive");
    ok(alive <= SLOW_MS / REQUEST_ALIVE_MS &&
           first_ns > REQUEST_ALIVE_MS * INT64_C(1000000) * 9 / 10,
       "no more often than promised: %d times", alive);
    is_int(busy, 1, "it says once that it will be busy");
    ok(verdict_announced, "before the verdict");
    is_int(leave(&w), 0, "and ends when nobody asks any more");
}

static void
test_ends(const struct schedule *s)
{
    struct worker w = start(&(struct scripted){0});

    load(&w, s);
    hear_all(&w);
    say(&w, "{\"type\":\"go\",\"to\":1}\n{\"type\":\"go\",\"to\":2}\n");
    ok(!hear(&w), "a step granted while another runs is refused");
    is_int(leave(&w), 1, "with status 1");

    w = start(&(struct scripted){0});
    load(&w, s);
    hear_all(&w);
    say(&w, "{\"type\":\"go\",\"to\":1}\n{\"type\":\"abort\"}\n");
    ok(!hear(&w), "abort ends a run that would never end");
    is_int(leave(&w), 0, "with status 0");

    w = start(&(struct scripted){.available = 2, .idle = true});
    load(&w, s);
    hear_all(&w);
    say(&w, "{\"type\":\"go\",\"to\":1}\n");
    is_int(hear_all(&w), 2, "a step's transfers, without a word more");
    say(&w, "{\"type\":\"go\",\"to\":0}\n");
    ok(!hear(&w), "a wrong request is refused");
    is_int(leave(&w), 1, "with status 1");
}

/* What it says of notes once, and that they are over: while ranks are idle, and
 * while they run; they may also fail while they are idle. */
static void
test_notes(const struct schedule *s)
{
    static const struct {
        const char *name;
        struct noted noted;
        bool running;
        const char *lines[2];
        int status;
    } rows[] = {
        {"idle ranks", {3, 20, 0, 0}, false, {NOTED, ALIVE}, 0},
        {"running ranks", {200, 400, 0, 0}, true, {NOTED, ALIVE}, 0},
        {"idle ranks that fail", {0, 0, 5, 0}, false, {NULL}, 1},
    };
    struct machine m = machine_scripted;

    m.look = noted_look;
    m.note = note;
    m.tick_ms = 5;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct worker w;
        bool more;
        scripted = (struct scripted){0};
        noted = rows[i].noted;
        w = start_on(&m);
        load(&w, s);
        hear_all(&w);
        if (rows[i].running)
            say(&w, "{\"type\":\"go\",\"to\":1}\n");
        do /* on a busy machine half a second may be over before a note */
            more = hear(&w);
        while (more && is(&w, ALIVE));
        is_str(more ? w.line : NULL, rows[i].lines[0], "%s: what is said",
               rows[i].name);
        if (more)
            is_str(hear(&w) ? w.line : NULL, rows[i].lines[1], "and then");
        is_int(leave(&w), rows[i].status, "the status");
    }
}

static bool
long_note(void *run, struct buf *text)
{
    (void)run;
    buf_addf(text, "%0*d", 2 * REQUEST_NOTE_MAX, 7);
    return true;
}

static void
test_long_note(const struct schedule *s)
{
    struct machine m = machine_scripted;
    struct request_state said;
    struct worker w;

    m.note = long_note;
    m.tick_ms = 5;
    scripted = (struct scripted){0};
    w = start_on(&m);
    load(&w, s);
    hear_all(&w);
    ok(hear(&w) && request_read_state(w.line, &said), "a long note is cut");
    is_int((long long)strlen(said.note), REQUEST_NOTE_MAX - 1, "to what fits");
    is_int(leave(&w), 0, "the status");
}

static void
test_alive(void)
{
    struct request_state said = {.received = 9}, got = {.busy = true};
    OWN(buf) line = {0};

    memset(said.note, 'x', sizeof said.note - 1);
    request_write_state(&said, &line);
    ok(request_read_state(buf_text(&line), &got), "a state with a long note");
    is_str(got.note, said.note, "arrives whole");
    ok(got.received == 9 && !got.busy && !got.caught_up, "with all the rest");
    ok(request_read_state(CAUGHT_UP, &got) && got.caught_up, "no note");
    is_str(got.note, "", "takes the last one away");
    ok(!request_read_state("{\"type\":\"alive\",\"note\":7}", &got) &&
           !request_read_state("{\"type\":\"alive\",\"busy\":1}", &got) &&
           !request_read_state("{\"type\":\"alive\"", &got) &&
           !request_read_state("{\"type\":\"busy\"}", &got),
       "other lines are no signs of life");
    ok(got.caught_up && !got.busy, "and change nothing");
}

int
main(void)
{
    OWNS(schedule) *s = ring(2);

    signal(SIGPIPE, SIG_IGN);
    test_signs_of_life(s);
    test_ends(s);
    test_notes(s);
    test_long_note(s);
    test_alive();
    return done_testing();
}
