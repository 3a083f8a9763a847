/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/load.h"
#include "base/mem.h"
#include "event/stream.h"
#include "run/reporter.h"
#include "run/request.h"

enum {
    LOOK_MS = 1, /* between two looks for events */
    BATCH_BYTES = 1 << 16, /* of lines; more are sent at once */
};

struct server {
    const struct machine *machine;
    struct lines in;
    struct request_reader *requests;
    struct reporter *reporter; /* NULL: nothing has been loaded */
    struct stream_writer writer;
    struct buf out;
    bool running; /* granted steps are not yet fully reported */
    bool ended;   /* the run's end was reported */
    size_t confirmed; /* bytes that collviz knows to have been read */
    int64_t spoke_ns;
    char note[REQUEST_NOTE_MAX]; /* that collviz knows of; "": none */
};

static bool
flush_output(struct server *s, struct err *err)
{
    size_t written = 0;

    while (written < s->out.length) {
        ssize_t n = write(STDOUT_FILENO, s->out.data + written,
                          s->out.length - written);
        if (n < 0 && errno != EINTR)
            return err_set(err, "collviz no longer listens: %s",
                           strerror(errno));
        written += n > 0 ? (size_t)n : 0;
    }
    if (written > 0)
        s->spoke_ns = clock_ns();
    buf_clear(&s->out);
    return true;
}

/* Sends the worker's state. */
static bool
send_state(struct server *s, struct request_state state, struct err *err)
{
    memcpy(state.note, s->note, sizeof state.note);
    request_write_state(&state, &s->out);
    return flush_output(s, err);
}

/* Sends the machine's note if it is another one than before. */
static bool
update_note(struct server *s, struct err *err)
{
    char before[REQUEST_NOTE_MAX];
    OWN(buf) note = {0};

    if (s->machine->note == NULL || s->reporter == NULL)
        return true;
    memcpy(before, s->note, sizeof before);
    if (!s->machine->note(reporter_run(s->reporter), &note))
        buf_clear(&note);
    snprintf(s->note, sizeof s->note, "%s", buf_text(&note));
    return strcmp(before, s->note) == 0 ||
           send_state(s, (struct request_state){.busy = false}, err);
}

/* Sends everything that can be reported now. */
static bool
send_items(struct server *s, struct err *err)
{
    struct item item;

    for (;;)
        switch (reporter_next(s->reporter, &item, err)) {
        case RUN_ITEM:
            s->ended = item.type == ITEM_END;
            stream_write(&s->writer, &item, &s->out);
            if (s->out.length > BATCH_BYTES && !flush_output(s, err))
                return false;
            break;
        case RUN_JUDGES:
            if (!send_state(s, (struct request_state){.busy = true}, err))
                return false;
            break;
        case RUN_LATER:
            if (clock_ns() - s->spoke_ns > REQUEST_ALIVE_MS * 1000000 &&
                !send_state(s, (struct request_state){.busy = false}, err))
                return false;
            return flush_output(s, err) && update_note(s, err);
        case RUN_CAUGHT_UP:
            s->running = false;
            return send_state(s, (struct request_state){.caught_up = true},
                              err);
        default:
            return false;
        }
}

/* Does what a request asks; sets *over if it ends the run. */
static bool
obey_request(struct server *s, const char *line, bool *over, struct err *err)
{
    int to;

    switch (request_take(s->requests, line, &to, err)) {
    case REQUEST_MORE:
        return true;
    case REQUEST_LOAD:
        s->reporter = reporter_new(s->machine, request_schedule(s->requests),
                                   request_options(s->requests), err);
        return s->reporter != NULL && send_items(s, err);
    case REQUEST_GO:
        if (s->running)
            return err_set(err, "a go before everything granted was reported");
        s->running = true;
        s->spoke_ns = clock_ns();
        return reporter_grant(s->reporter, to, err);
    case REQUEST_AGAIN: /* drops the run, so that another one can be loaded */
        if (!s->ended)
            return err_set(err,
                           "another run is asked for before this one's end");
        reporter_free(s->reporter);
        request_reader_free(s->requests);
        s->reporter = NULL;
        s->requests = request_reader_new();
        s->writer = (struct stream_writer){.steps_known = true};
        s->ended = false;
        return true;
    case REQUEST_ABORT:
        *over = true;
        return true;
    default:
        return false;
    }
}

static bool
serve_requests(struct server *s, struct err *err)
{
    struct pollfd in = {.fd = s->in.fd, .events = POLLIN};
    const int tick_ms = s->machine->tick_ms > 0 ? s->machine->tick_ms : -1;
    const char *line;
    bool over = false, idle;

    while (!over) {
        switch (lines_next(&s->in, &line)) {
        case LINES_LINE:
            if (!obey_request(s, line, &over, err))
                return false;
            break;
        case LINES_LATER:
            /* Says how much was read, well before collviz must know it to send
             * more. */
            if (s->in.read - s->confirmed >= REQUEST_AHEAD / 2) {
                struct request_state state = {
                    .received = (int)(s->in.read - s->confirmed)};
                s->confirmed = s->in.read;
                if (!send_state(s, state, err))
                    return false;
            }
            /* Ranks that are idle may still fail, or fall silent. */
            if (poll(&in, 1, s->running ? LOOK_MS : tick_ms) == 0 &&
                !s->running && s->reporter != NULL &&
                (!s->machine->look(reporter_run(s->reporter), &idle, err) ||
                 !update_note(s, err)))
                return false;
            break;
        case LINES_LONG:
            return err_set(err, "a request is longer than %zu bytes",
                           s->in.most);
        case LINES_OVER:
            over = true;
        }
        if (s->running && !over && !send_items(s, err))
            return false;
    }
    return true;
}

bool
serve(const struct machine *machine, struct err *err)
{
    struct server s = {
        .machine = machine,
        .in = {.fd = STDIN_FILENO, .most = STREAM_LINE_MAX},
        .requests = request_reader_new(),
        .writer.steps_known = true,
    };

    signal(SIGPIPE, SIG_IGN); /* then write() fails instead */
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    if (!serve_requests(&s, err))
        return false;
    reporter_free(s.reporter);
    request_reader_free(s.requests);
    lines_done(&s.in);
    buf_done(&s.out);
    return true;
}
