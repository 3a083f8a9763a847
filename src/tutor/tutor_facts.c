/* SPDX-License-Identifier: MIT */
/* What a lesson's script can ask about a run.  All of it is read from the run's
 * world, at the position that the learner sees. */
#include <math.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "model/order.h"
#include "tutor/tutor.h"

/* The run and the rank that a request is about. */
static struct world *
world_of(struct tutor *t, const struct request *r, struct err *err)
{
    int index;
    struct job *job = tutor_run(t, r, &index, err);

    return job != NULL ? job->session.world : NULL;
}

static bool
rank_of(const struct world *w, const struct request *r, int *rank,
        struct err *err)
{
    return tutor_integer(r, "rank", "rank", 0, w->schedule->nranks - 1, rank,
                         err);
}

/* Slots are numbered from the start of the output. */
static bool
slot_of(const struct world *w, const struct request *r, int *rank, int *slot,
        struct err *err)
{
    struct region out = schedule_outputs(w->schedule);

    if (!rank_of(w, r, rank, err) ||
        !tutor_integer(r, "slot", "slot", 0, out.count - 1, slot, err))
        return false;
    *slot += out.first;
    return true;
}

static json_t *
text_of(struct buf *text)
{
    json_t *v = json_string(buf_text(text));

    buf_done(text);
    return v;
}

/* Appends a name with all terms; a complete sum of few ranks is S0 only when
 * its step names it so. */
static void
add_label(const struct world *w, const uint64_t *row, bool sums,
          struct buf *out)
{
    enum { FEW = 4 };

    world_label(w, row, sums || w->schedule->nranks > FEW, out);
}

static json_t *
label_of(const struct world *w, int rank, int slot)
{
    struct buf text = {0};

    add_label(w, world_row(w, rank, slot), world_names_sums(w), &text);
    return text_of(&text);
}

static enum tutor_did
holds(struct tutor *t, const struct request *r, json_t **reply,
      struct err *err)
{
    struct world *w = world_of(t, r, err);
    int rank, slot;

    if (w == NULL || !slot_of(w, r, &rank, &slot, err))
        return DID_REFUSE;
    *reply = label_of(w, rank, slot);
    return DID_REPLY;
}

static enum tutor_did
order(struct tutor *t, const struct request *r, json_t **reply,
      struct err *err)
{
    enum { MOST = 400 };
    struct world *w = world_of(t, r, err);
    struct buf text = {0};
    int rank, slot;

    if (w == NULL || !slot_of(w, r, &rank, &slot, err))
        return DID_REFUSE;
    order_text(w, rank, slot, MOST, &text);
    *reply = text_of(&text);
    return DID_REPLY;
}

/* Whole numbers become integers, even if the type is a float. NULL for a number
 * that is not finite, which JSON does not have. */
static json_t *
number_of(enum dtype type, const uint64_t *element)
{
    char text[DTYPE_TEXT_MAX];
    double value;

    dtype_format(type, element, text);
    if (!dtype_is_float(type))
        return json_integer(strtoll(text, NULL, 10));
    value = strtod(text, NULL);
    return value == floor(value) && fabs(value) < 1e15
               ? json_integer((json_int_t)value)
               : json_real(value);
}

static void
append(json_t *list, json_t *value)
{
    json_array_append_new(list, value != NULL ? value : json_null());
}

static void
add_values(const struct world *w, int rank, int slot, json_t *list)
{
    const uint64_t *elements = world_values(w, rank, slot);
    int64_t length = world_length(w, rank, slot);

    for (int64_t i = 0; i < length && i < EVENT_VALUES; i++)
        append(list, number_of(w->run->type, &elements[i]));
}

json_t *
tutor_values(const struct world *w, int rank)
{
    struct region out = schedule_outputs(w->schedule);
    json_t *list = json_array();

    for (int slot = out.first; slot < out.first + out.count; slot++)
        add_values(w, rank, slot, list);
    return list;
}

/* The contents of a slot, or of all of them. */
static enum tutor_did
values(struct tutor *t, const struct request *r, json_t **reply,
       struct err *err)
{
    struct world *w = world_of(t, r, err);
    int rank, slot;

    if (w == NULL)
        return DID_REFUSE;
    if (json_is_null(json_object_get(r->with, "slot")) ||
        json_object_get(r->with, "slot") == NULL) {
        if (!rank_of(w, r, &rank, err))
            return DID_REFUSE;
        *reply = tutor_values(w, rank);
        return DID_REPLY;
    }
    if (!slot_of(w, r, &rank, &slot, err))
        return DID_REFUSE;
    *reply = json_array();
    add_values(w, rank, slot, *reply);
    return DID_REPLY;
}

static enum tutor_did
sent(struct tutor *t, const struct request *r, json_t **reply,
     struct err *err)
{
    struct world *w = world_of(t, r, err);
    int rank;

    if (w == NULL || !rank_of(w, r, &rank, err))
        return DID_REFUSE;
    *reply = json_integer(w->sent[rank]);
    return DID_REPLY;
}

static enum tutor_did
received(struct tutor *t, const struct request *r, json_t **reply,
         struct err *err)
{
    struct world *w = world_of(t, r, err);
    int64_t bytes = 0;
    int rank;

    if (w == NULL || !rank_of(w, r, &rank, err))
        return DID_REFUSE;
    for (int step = 1; step <= w->position; step++)
        for (size_t i = 0; i < w->steps[step].count; i++)
            if (w->steps[step].events[i].dst == rank)
                bytes += w->steps[step].events[i].bytes;
    *reply = json_integer(bytes);
    return DID_REPLY;
}

/* The bytes of a transfer, which may have been sent in parts. */
static int64_t
bytes_of(const struct world_step *s, const struct transfer *t)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < s->count; i++)
        if (event_is_of(&s->events[i], t))
            bytes += s->events[i].bytes;
    return bytes;
}

/* How long after the start of its step a transfer was through, in us. */
static double
delay_of(const struct world_step *s, const struct transfer *t)
{
    int64_t end_ns = s->begin_ns;

    for (size_t i = 0; i < s->count; i++) {
        const struct event *e = &s->events[i];
        if (e->src == t->src && e->dst == t->dst && e->end_ns > end_ns)
            end_ns = e->end_ns;
    }
    return (double)(end_ns - s->begin_ns) / 1e3;
}

/* A transfer as a table for the script. Names the data as before the step. */
static json_t *
describe(const struct world *w, int step, const struct transfer *t)
{
    int first = schedule_outputs(w->schedule).first;
    struct buf label = {0};

    for (int k = 0; k < t->nslots; k++) {
        buf_puts(&label, k > 0 ? "," : "");
        add_label(w, world_row_at(w, t->src, t->src_slot + k, step - 1),
                  step >= w->sums_from, &label);
    }
    return json_pack("{si si si si sI sf so}", "src", t->src, "dst", t->dst,
                     "src_slot", t->src_slot - first, "dst_slot",
                     t->dst_slot - first, "bytes",
                     (json_int_t)bytes_of(&w->steps[step], t), "us",
                     delay_of(&w->steps[step], t), "label",
                     text_of(&label));
}

static enum tutor_did
transfers(struct tutor *t, const struct request *r, json_t **reply,
          struct err *err)
{
    struct world *w = world_of(t, r, err);
    const struct transfer *all;
    size_t count;
    int step;

    if (w == NULL ||
        !tutor_integer(r, "to", "step", 1, w->nsteps, &step, err))
        return DID_REFUSE;
    if (step > w->position) {
        err_set(err, "step %d has not been taken yet", step);
        return DID_REFUSE;
    }
    all = schedule_transfers(w->schedule, step, &count);
    *reply = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(*reply, describe(w, step, &all[i]));
    return DID_REPLY;
}

/* In lockstep, ranks stand still between steps while the learner thinks. That
 * time does not count; a network's clock does not have it. */
static enum tutor_did
elapsed(struct tutor *t, const struct request *r, json_t **reply,
        struct err *err)
{
    struct world *w = world_of(t, r, err);
    int64_t ns = 0;

    if (w == NULL)
        return DID_REFUSE;
    for (int step = 1; step <= w->position; step++) {
        const struct world_step *s = &w->steps[step];
        if (!w->run->free && run_times(w->run) != TIMES_MODELLED)
            ns += s->end_ns - s->begin_ns;
        else if (s->end_ns > ns)
            ns = s->end_ns;
    }
    *reply = json_real((double)ns / 1e3);
    return DID_REPLY;
}

static enum tutor_did
position(struct tutor *t, const struct request *r, json_t **reply,
         struct err *err)
{
    struct world *w = world_of(t, r, err);

    if (w == NULL)
        return DID_REFUSE;
    *reply = json_integer(w->position);
    return DID_REPLY;
}

const struct verb tutor_facts[] = {
    {"holds", holds},       {"values", values},
    {"order", order},       {"sent", sent},
    {"received", received}, {"transfers", transfers},
    {"time", elapsed},      {"position", position},
    {NULL, NULL},
};
