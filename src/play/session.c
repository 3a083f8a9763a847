/* SPDX-License-Identifier: MIT */
#include "play/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/replace.h"
#include "event/stream.h"

enum { ITEMS_A_LOOK = 64 }; /* items between two looks at the clock */

/* Recordings. */

struct record {
    char *path;
    struct replace *file;
    struct stream_writer writer;
    struct buf text;
};

static bool
fail_to(const char *path, const char *why, struct err *err)
{
    return err_set(err, "cannot write the recording %s: %s", path, why);
}

static bool
record_take(struct record *r, const struct item *item, struct err *err)
{
    FILE *file = replace_file(r->file);

    buf_clear(&r->text);
    stream_write(&r->writer, item, &r->text);
    return fwrite(r->text.data, 1, r->text.length, file) == r->text.length ||
           fail_to(r->path, strerror(errno), err);
}

/* Writes all items that the world has taken in so far.  At position 0 slots
 * hold the inputs, and events hold what they wrote.  The events of a rank are
 * in their own order. */
static bool
record_world(struct record *r, struct world *w, struct err *err)
{
    struct item item = {.type = ITEM_RUN, .run = w->run,
                        .schedule = w->schedule};
    int position = w->position;
    bool ok;

    if (w->schedule == NULL)
        return true;
    world_seek(w, 0);
    ok = record_take(r, &item, err);
    item.type = ITEM_INPUT;
    for (; ok && item.rank < w->inputs; item.rank++) {
        item.content = world_row(w, item.rank, 0);
        ok = record_take(r, &item, err);
    }
    item.type = ITEM_TRANSFER;
    for (int step = 1; step <= w->nsteps + 1; step++)
        for (size_t i = 0; ok && i < w->steps[step].count; i++) {
            item.event = w->steps[step].events[i];
            ok = record_take(r, &item, err);
        }
    item = (struct item){.type = ITEM_RESULT, .result = &w->result};
    ok = ok && (!w->has_result || record_take(r, &item, err));
    item = (struct item){.type = ITEM_END, .complete = w->complete};
    ok = ok && (!w->has_end || record_take(r, &item, err));
    world_seek(w, position);
    return ok;
}

/* Gives the file its own name if `keep` and the run's end was written, else
 * removes it. */
static bool
close_record(struct session *s, bool keep, struct err *err)
{
    struct record *r = s->record;
    struct err why;
    bool ok;

    if (r == NULL)
        return true;
    s->record = NULL;
    ok = replace_close(r->file, keep, &why) || fail_to(r->path, why.text, err);
    buf_done(&r->text);
    free(r->path);
    free(r);
    return ok;
}

/* The clock of a network.  What the ranks did, and the data, stay those of the
 * real run; only times change, and the run and its result say so
 * (run_is_modelled() in event/event.h).  Events are found by what they move, so
 * their order does not matter.  All slices of a transfer have its times. */

struct network_clock {
    char network[RUN_NAME_MAX];
    struct hosts hosts;
    struct simulation *simulation; /* its messages by step, receiver, sender */
    struct run_info run; /* as the last item has them */
    struct run_result result;
};

static int
by_message(const void *a, const void *b)
{
    const struct simulated *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    return (x->src > y->src) - (x->src < y->src);
}

void
session_model(struct session *s, const struct network *network,
              const struct schedule *schedule, const struct input *input,
              const int64_t *delays)
{
    struct network_clock *c = mem_new(1, sizeof *c);

    s->clock = c;
    c->hosts = network_hosts(network);
    c->simulation = simulation_new(&(struct simulation_spec){
        .schedule = schedule, .count = input->count,
        .size = (double)dtype_size(input->type), .network = network,
        .delays = delays});
    if (c->simulation->nmessages > 0)
        qsort(c->simulation->messages, c->simulation->nmessages,
              sizeof *c->simulation->messages, by_message);
    snprintf(c->network, sizeof c->network, "%s", network->name);
}

static bool
set_event(struct network_clock *c, struct event *e, struct err *err)
{
    const struct simulation *s = c->simulation;
    const struct simulated key = {
        .step = e->step, .src = e->src, .dst = e->dst};
    struct simulated *m = NULL;

    if (e->op == EVENT_DIVIDE) {
        e->begin_ns = e->end_ns = whole(s->rank_ends[e->dst]);
        e->wait_ns = 0;
        e->waited_for = -1;
        return true;
    }
    if (s->nmessages > 0)
        m = bsearch(&key, s->messages, s->nmessages, sizeof *m, by_message);
    if (m == NULL)
        return err_set(err, "step %d, rank %d: the run reports a transfer that "
                       "its schedule does not have", e->step, e->dst);
    e->begin_ns = whole(m->begin);
    e->end_ns = whole(m->end);
    e->wait_ns = whole(m->wait);
    e->waited_for = e->wait_ns > 0 ? m->waited_for : -1;
    m->wait = 0; /* the other transfers of the message do not wait again */
    return true;
}

/* Replaces the item's times. */
static bool
set_times(struct network_clock *c, struct item *item, struct err *err)
{
    if (item->type == ITEM_RUN) {
        c->run = *item->run;
        c->run.hosts = c->hosts;
        c->run.clock_ns = 0; /* there is only one clock: this */
        memcpy(c->run.network, c->network, sizeof c->network);
    }
    item->run = &c->run;
    if (item->type == ITEM_RESULT) {
        c->result = *item->result;
        c->result.here_ns = c->result.wall_ns;
        c->result.wall_ns = whole(c->simulation->end);
        item->result = &c->result;
    }
    return item->type != ITEM_TRANSFER || set_event(c, &item->event, err);
}

void
session_init(struct session *s)
{
    *s = (struct session){.world = world_new(), .granted = -1};
}

void
session_done(struct session *s)
{
    struct err ignored;

    close_record(s, false, &ignored);
    run_close(s->run);
    if (s->clock != NULL)
        simulation_free(s->clock->simulation);
    free(s->clock);
    world_free(s->world);
}

bool
session_feed(struct session *s, const struct item *item, struct err *err)
{
    if (!world_add(s->world, item, err))
        return false;
    if (s->record != NULL && !record_take(s->record, item, err))
        return false;
    return s->sink.take == NULL || s->sink.take(s->sink.state, item, err);
}

bool
session_grant(struct session *s, int to, struct err *err)
{
    if (s->run == NULL || to <= s->granted)
        return true;
    if (!run_grant(s->run, to, err))
        return false;
    s->granted = to;
    return true;
}

enum run_got
session_pump(struct session *s, int64_t until, struct err *err)
{
    struct item item;
    enum run_got got;

    if (s->run == NULL || s->world->has_end)
        return RUN_CAUGHT_UP;
    for (int n = 1; (got = run_next(s->run, &item, err)) == RUN_ITEM; n++) {
        if ((s->clock != NULL && !set_times(s->clock, &item, err)) ||
            !session_feed(s, &item, err))
            return RUN_FAILED;
        if (n % ITEMS_A_LOOK == 0 && until != INT64_MAX && clock_ns() >= until)
            break;
    }
    return got;
}

int
session_fd(const struct session *s)
{
    return s->run != NULL && !s->world->has_end ? run_fd(s->run) : -1;
}

const char *
session_note(const struct session *s)
{
    return s->run != NULL && !s->world->has_end ? run_note(s->run) : NULL;
}

bool
session_record(struct session *s, const char *path, struct err *err)
{
    struct replace *file;
    struct err ignored;

    if (s->record != NULL && !s->world->has_end)
        return err_set(err, "%s is being written already",
                       s->record->path);
    if (!close_record(s, true, err))
        return false;
    file = replace_open(path, 0666, &ignored);
    if (file == NULL)
        return fail_to(path, ignored.text, err);
    s->record = mem_new(1, sizeof *s->record);
    s->record->path = mem_string(path);
    s->record->file = file;
    if (!record_world(s->record, s->world, err)) {
        close_record(s, false, &ignored);
        return false;
    }
    return !s->world->has_end || close_record(s, true, err);
}

bool
session_end(struct session *s, bool ok, struct err *err)
{
    struct item end = {.type = ITEM_END, .complete = false};
    struct err ignored;
    bool begun = world_step_complete(s->world, 0);

    if (ok && !s->world->has_end && s->world->schedule != NULL)
        ok = session_feed(s, &end, err);
    return close_record(s, ok && begun, ok ? err : &ignored) && ok;
}

void
session_part(struct session *s)
{
    run_close(s->run);
    s->run = NULL;
}

bool
session_read(struct session *s, const char *name, struct err *err)
{
    FILE *file = load_open(name, err);
    struct stream_reader *reader;
    struct item item;
    enum stream_got got;
    bool ok = true;

    if (file == NULL)
        return false;
    reader = stream_reader_new(file, NULL, name);
    while (ok && (got = stream_read(reader, &item, err)) == STREAM_ITEM)
        ok = session_feed(s, &item, err) || stream_blame(reader, err);
    ok = ok && got == STREAM_OVER;
    stream_reader_free(reader);
    fclose(file);
    return ok;
}
