/* SPDX-License-Identifier: MIT */
#include "run/request.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "event/stream.h"

enum {
    VALUES_A_LINE = 1024,
    INPUT_BYTES_MAX = 1 << 30, /* of all ranks: nobody types more */
};

static const int64_t count_most = INT64_C(1) << 40; /* elements of a rank */

/* A member of a line, and of a struct; left out if it is false, 0 or NULL. */
struct member {
    const char *key;
    enum { A_BOOLEAN, A_NUMBER, A_TEXT } type;
    size_t at; /* in the struct */
};

/* Of a load: options of the run. A new option is a row. */
#define OPTION(type, key, of) {key, type, offsetof(struct run_options, of)}
static const struct member options[] = {
    OPTION(A_BOOLEAN, "in_turn", in_turn),
    OPTION(A_BOOLEAN, "native", native),
    OPTION(A_TEXT, "native_algorithm", native_algorithm),
    OPTION(A_NUMBER, "calls", timing.calls),
    OPTION(A_NUMBER, "warm_up", timing.warm_up),
    OPTION(A_BOOLEAN, "unchecked", timing.unchecked),
    {NULL, 0, 0},
};

/* Of an alive line, but the note. */
static const struct member states[] = {
    {"caught_up", A_BOOLEAN, offsetof(struct request_state, caught_up)},
    {"busy", A_BOOLEAN, offsetof(struct request_state, busy)},
    {"received", A_NUMBER, offsetof(struct request_state, received)},
    {NULL, 0, 0},
};

static void
write_members(const struct member *m, const void *from, struct buf *out)
{
    for (; m->key != NULL; m++) {
        const void *at = (const char *)from + m->at;
        const char *text;
        if (m->type == A_BOOLEAN && *(const bool *)at) {
            buf_addf(out, ",\"%s\":true", m->key);
        } else if (m->type == A_NUMBER && *(const int *)at != 0) {
            buf_addf(out, ",\"%s\":%d", m->key, *(const int *)at);
        } else if (m->type == A_TEXT &&
                   (text = *(const char *const *)at) != NULL) {
            buf_addf(out, ",\"%s\":", m->key);
            json_add_string(out, text);
        }
    }
}

/* Texts belong to the object. */
static bool
read_members(const struct member *m, const json_t *object, void *to,
             struct err *err)
{
    bool ok = true;

    for (; ok && m->key != NULL; m++) {
        void *at = (char *)to + m->at;
        if (json_object_get(object, m->key) == NULL)
            continue;
        ok = m->type == A_BOOLEAN
                 ? json_get_boolean(object, m->key, at, err)
             : m->type == A_NUMBER
                 ? json_get_int(object, m->key, 0, INT32_MAX, at, err)
                 : json_get_string(object, m->key, RUN_NAME_MAX - 1, at, err);
    }
    return ok;
}

/* Writes values as texts, which every type reads back to the same bits. */
static void
write_inputs(const struct schedule *s, const struct input *in,
             struct buf *out)
{
    size_t size = dtype_size(in->type);
    char text[DTYPE_TEXT_MAX];

    for (int rank = 0; in->given != NULL && rank < s->nranks; rank++)
        for (int64_t i = 0; i < in->count; i++) {
            int64_t at = (int64_t)rank * in->count + i;
            if (i % VALUES_A_LINE == 0)
                buf_addf(out, "%s{\"type\":\"input\",\"rank\":%d,\"from\":%"
                         PRId64 ",\"values\":[", i > 0 ? "]}\n" : "", rank,
                         i);
            dtype_format(in->type, in->given + (size_t)at * size, text);
            buf_addf(out, "%s\"%s\"", i % VALUES_A_LINE > 0 ? "," : "", text);
            if (i + 1 == in->count)
                buf_puts(out, "]}\n");
        }
}

/* The schedule of a run, with its steps. */
static void
write_schedule(const struct schedule *s, const struct run_options *o,
               struct buf *out)
{
    struct run_info run = {.backend = "worker", .place = PLACE_HOST,
                           .nplaces = 1, .type = o->input.type,
                           .op = o->input.op, .count = o->input.count,
                           .free = o->free};
    struct item item = {.type = ITEM_RUN, .run = &run, .schedule = s};
    struct stream_writer writer = {0};

    run_forget_cores(&run);
    stream_write(&writer, &item, out);
}

void
request_write_load(const struct schedule *s, const struct run_options *o,
                   struct buf *out)
{
    const struct mismatch *m = o->mismatch;

    write_schedule(s, o, out);
    write_inputs(s, &o->input, out);
    for (int rank = 0; o->delays != NULL && rank < s->nranks; rank++)
        if (o->delays[rank] != 0)
            buf_addf(out, "{\"type\":\"delay\",\"rank\":%d,\"ns\":%" PRId64
                     "}\n", rank, o->delays[rank]);
    if (o->fault.kind != FAULT_NONE)
        buf_addf(out, "{\"type\":\"fault\",\"kind\":\"%s\",\"step\":%d,"
                 "\"src\":%d}\n", stream_faults[o->fault.kind],
                 o->fault.step, o->fault.src);
    if (m != NULL) {
        buf_addf(out, "{\"type\":\"mismatch\",\"rank\":%d,\"count\":%" PRId64
                 "}\n", m->rank, m->its_count);
        write_schedule(m->its, o, out);
        write_schedule(m->theirs, o, out);
    }
    buf_puts(out, "{\"type\":\"load\"");
    write_members(options, o, out);
    buf_puts(out, "}\n");
}

void
request_write_go(int to, struct buf *out)
{
    buf_addf(out, "{\"type\":\"go\",\"to\":%d}\n", to);
}

/* A character that is cut in half is left out by json_add_string(). */
void
request_write_state(const struct request_state *s, struct buf *out)
{
    buf_puts(out, "{\"type\":\"alive\"");
    write_members(states, s, out);
    if (s->note[0] != '\0') {
        buf_puts(out, ",\"note\":");
        json_add_string(out, s->note);
    }
    buf_puts(out, "}\n");
}

bool
request_read_state(const char *line, struct request_state *s)
{
    static const char start[] = "{\"type\":\"alive\"";
    struct request_state said = {.caught_up = false};
    struct err ignored;
    json_t *o;
    bool ok;

    if (strncmp(line, start, sizeof start - 1) != 0)
        return false;
    o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    ok = o != NULL && read_members(states, o, &said, &ignored) &&
         (json_object_get(o, "note") == NULL ||
          json_get_text(o, "note", said.note, sizeof said.note, &ignored));
    if (ok)
        *s = said;
    json_decref(o);
    return ok;
}

enum { SCHEDULES_MAX = 3 };

struct request_reader {
    struct stream_reader *stream; /* reads the next schedule; NULL: none of its
                                   * lines has come */
    const struct schedule *schedules[SCHEDULES_MAX]; /* the run's, then a
                                                      * mismatch's: its,
                                                      * theirs */
    int nschedules, wanted; /* that are complete, and that there will be */
    struct run_options options;
    unsigned char *given;
    int64_t *delays;
    struct mismatch mismatch;
    json_t *load; /* has the options' texts; NULL: it has not come */
    int granted; /* -1 before the first go */
};

struct request_reader *
request_reader_new(void)
{
    struct request_reader *r = mem_new(1, sizeof *r);

    r->wanted = 1;
    r->granted = -1;
    return r;
}

void
request_reader_free(struct request_reader *r)
{
    if (r == NULL)
        return;
    stream_reader_free(r->stream);
    for (int i = 0; i < r->nschedules; i++)
        schedule_free(r->schedules[i]);
    json_decref(r->load);
    free(r->given);
    free(r->delays);
    free(r);
}

const struct schedule *
request_schedule(const struct request_reader *r)
{
    return r->schedules[0];
}

const struct run_options *
request_options(const struct request_reader *r)
{
    return &r->options;
}

/* A mismatch's schedule must go with the run's, which comes first. */
static bool
add_schedule(struct request_reader *r, const struct item *item,
             struct err *err)
{
    const struct schedule *s = item->schedule, *seen = r->schedules[0];
    struct input *in = &r->options.input;

    if (seen == NULL) {
        if (item->run->count > count_most)
            return err_set(err, "more than %lld elements",
                           (long long)count_most);
        r->options.free = item->run->free;
        in->type = item->run->type;
        in->op = item->run->op;
        in->count = item->run->count;
    } else if (s->collective != seen->collective ||
               s->nranks != seen->nranks || s->in_place != seen->in_place ||
               s->nslots > seen->nslots || s->nsteps > seen->nsteps) {
        return err_set(err, "a mismatch's schedule does not go with the run");
    }
    r->schedules[r->nschedules++] = schedule_share(s);
    r->mismatch.its = r->schedules[1];
    r->mismatch.theirs = r->schedules[2];
    return true;
}

static enum request_got
take_schedule(struct request_reader *r, const char *line, struct err *err)
{
    enum stream_got got;
    struct item item;

    if (r->stream == NULL)
        r->stream = stream_reader_new(NULL, "request");
    got = stream_take(r->stream, line, strlen(line), &item, err);
    if (got == STREAM_MORE)
        return REQUEST_MORE;
    if (got != STREAM_ITEM || !add_schedule(r, &item, err))
        return REQUEST_FAILED;
    stream_reader_free(r->stream);
    r->stream = NULL;
    return REQUEST_MORE;
}

static bool
take_input(struct request_reader *r, const json_t *o, struct err *err)
{
    struct input *in = &r->options.input;
    int nranks = r->schedules[0]->nranks;
    size_t size = dtype_size(in->type), all = (size_t)nranks * size;
    const json_t *values;
    int64_t from;
    int rank;

    if (r->given == NULL && in->count > (int64_t)(INPUT_BYTES_MAX / all))
        return err_set(err, "more input than %d bytes", INPUT_BYTES_MAX);
    if (r->given == NULL)
        in->given = r->given = mem_new((size_t)in->count, all);
    if (!json_get_int(o, "rank", 0, nranks - 1, &rank, err) ||
        !json_get_integer(o, "from", 0, in->count, &from, err) ||
        !json_get_array(o, "values", 0, (size_t)(in->count - from), &values,
                        err))
        return false;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *text = json_string_value(json_array_get(values, i));
        size_t at = (size_t)rank * (size_t)in->count + (size_t)from + i;
        if (text == NULL || !dtype_parse(in->type, text, r->given + at * size))
            return err_set(err, "an input is not of type %s",
                           dtype_name(in->type));
    }
    return true;
}

static bool
take_delay(struct request_reader *r, const json_t *o, struct err *err)
{
    int64_t ns;
    int rank;

    if (!json_get_int(o, "rank", 0, r->schedules[0]->nranks - 1, &rank, err) ||
        !json_get_integer(o, "ns", DELAY_FOREVER, INT64_MAX / 2, &ns, err))
        return false;
    if (r->delays == NULL)
        r->delays = mem_new((size_t)r->schedules[0]->nranks, sizeof *r->delays);
    r->delays[rank] = ns;
    r->options.delays = r->delays;
    return true;
}

static bool
take_fault(struct request_reader *r, const json_t *o, struct err *err)
{
    struct fault *f = &r->options.fault;
    int kind;

    if (!JSON_GET_WORD(o, "kind", stream_faults, &kind, err) ||
        !json_get_int(o, "step", 1, r->schedules[0]->nsteps, &f->step, err) ||
        !json_get_int(o, "src", 0, r->schedules[0]->nranks - 1, &f->src, err))
        return false;
    f->kind = (enum instr_fault)kind;
    return true;
}

/* Two schedules follow. */
static bool
take_mismatch(struct request_reader *r, const json_t *o, struct err *err)
{
    if (r->options.mismatch != NULL)
        return err_set(err, "a second mismatch");
    if (!json_get_int(o, "rank", 0, r->schedules[0]->nranks - 1,
                      &r->mismatch.rank, err) ||
        !json_get_integer(o, "count", 0, count_most, &r->mismatch.its_count,
                          err))
        return false;
    r->options.mismatch = &r->mismatch;
    r->wanted = SCHEDULES_MAX;
    return true;
}

static enum request_got
take_go(struct request_reader *r, const json_t *o, int *to, struct err *err)
{
    int nsteps = r->schedules[0]->nsteps;
    int least = nsteps > 0 && r->granted >= 0 ? r->granted + 1 : nsteps > 0;

    if (r->granted == nsteps) {
        err_set(err, "all steps have been granted");
        return REQUEST_FAILED;
    }
    if (!json_get_int(o, "to", least, nsteps, to, err))
        return REQUEST_FAILED;
    r->granted = *to;
    return REQUEST_GO;
}

static bool
take_load(struct request_reader *r, json_t *object, struct err *err)
{
    const struct run_options *o = &r->options;

    if (!read_members(options, object, &r->options, err))
        return false;
    r->load = json_incref(object);
    if (o->timing.calls > 0 &&
        (r->delays != NULL || o->fault.kind != FAULT_NONE))
        return err_set(err, "a timed run goes with no delay and no fault");
    return o->mismatch == NULL ||
           (r->given == NULL && r->delays == NULL && !o->native &&
            o->timing.calls == 0 && o->fault.kind == FAULT_NONE) ||
           err_set(err, "a mismatch goes with no input, delay, fault, native "
                   "or timed run");
}

static enum request_got
take_object(struct request_reader *r, json_t *o, int *to, struct err *err)
{
    static const struct {
        const char *type;
        bool (*take)(struct request_reader *, const json_t *, struct err *);
    } parts[] = {
        {"input", take_input}, {"delay", take_delay}, {"fault", take_fault},
        {"mismatch", take_mismatch},
    };
    const char *type;

    if (!json_get_string(o, "type", SCHEDULE_NAME_MAX, &type, err))
        return REQUEST_FAILED;
    if (strcmp(type, "abort") == 0)
        return REQUEST_ABORT;
    if (strcmp(type, "again") == 0 && r->load != NULL)
        return REQUEST_AGAIN;
    if (strcmp(type, "go") == 0 && r->load != NULL)
        return take_go(r, o, to, err);
    for (size_t i = 0; r->load == NULL && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].type, type) == 0)
            return parts[i].take(r, o, err) ? REQUEST_MORE : REQUEST_FAILED;
    if (strcmp(type, "load") == 0 && r->load == NULL)
        return take_load(r, o, err) ? REQUEST_LOAD : REQUEST_FAILED;
    err_set(err, "a request of an unknown or misplaced type, \"%s\"", type);
    return REQUEST_FAILED;
}

enum request_got
request_take(struct request_reader *r, const char *line, int *to,
             struct err *err)
{
    enum request_got got;
    json_error_t error;
    json_t *o;

    if (r->nschedules < r->wanted)
        return take_schedule(r, line, err);
    o = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (o == NULL) {
        err_set(err, "a request is not JSON: %s", error.text);
        return REQUEST_FAILED;
    }
    got = take_object(r, o, to, err);
    json_decref(o);
    return got;
}
