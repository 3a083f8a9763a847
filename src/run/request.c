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

/* The options of a run: a new one is a row.  `delays` has room for all ranks;
 * the texts, when read, belong to the object. */
static bool
pass_load(const struct json_line *l, const struct schedule *s,
          struct run_options *o, int64_t *delays, struct mismatch *m)
{
    int kind = (int)o->fault.kind;
    bool delayed = json_has(l, "delays", o->delays != NULL);
    bool mismatched = json_has(l, "mismatch_rank", o->mismatch != NULL);

    if (!JSON_PASS(l, JSON_BOOL("?in_turn", &o->in_turn),
                   JSON_BOOL("?native", &o->native),
                   JSON_BORROWED("?native_algorithm", &o->native_algorithm,
                                 RUN_NAME_MAX),
                   JSON_INT("?calls", &o->timing.calls, 0, INT32_MAX),
                   JSON_INT("?warm_up", &o->timing.warm_up, 0, INT32_MAX),
                   JSON_BOOL("?unchecked", &o->timing.unchecked),
                   JSON_WORD("?fault", &kind, stream_faults)) ||
        (kind != FAULT_NONE &&
         !JSON_PASS(l, JSON_INT("fault_step", &o->fault.step, 1, s->nsteps),
                    JSON_INT("fault_src", &o->fault.src, 0, s->nranks - 1))) ||
        (delayed &&
         !JSON_PASS(l, JSON_INT64S("delays", delays, (size_t)s->nranks,
                                   DELAY_FOREVER, INT64_MAX / 2))) ||
        (mismatched &&
         !JSON_PASS(l, JSON_INT("mismatch_rank", &m->rank, 0, s->nranks - 1),
                    JSON_INT64("mismatch_count", &m->its_count, 0,
                               count_most))))
        return false;
    o->fault.kind = (enum instr_fault)kind;
    o->delays = delayed ? delays : NULL;
    o->mismatch = mismatched ? m : NULL;
    return true;
}

static bool
pass_state(const struct json_line *l, struct request_state *s)
{
    return JSON_PASS(l, JSON_BOOL("?caught_up", &s->caught_up),
                     JSON_BOOL("?busy", &s->busy),
                     JSON_INT("?received", &s->received, 0, INT32_MAX),
                     JSON_TEXT("?note", s->note, sizeof s->note));
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
    struct run_options copy = *o;

    write_schedule(s, o, out);
    write_inputs(s, &o->input, out);
    if (m != NULL) {
        write_schedule(m->its, o, out);
        write_schedule(m->theirs, o, out);
    }
    buf_puts(out, "{\"type\":\"load\"");
    pass_load(&(struct json_line){.to = out}, s, &copy, (int64_t *)o->delays,
              (struct mismatch *)m);
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
    pass_state(&(struct json_line){.to = out}, (struct request_state *)s);
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
    ok = o != NULL &&
         pass_state(&(struct json_line){.from = o, .err = &ignored}, &said);
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
    int nschedules; /* that are complete */
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
        r->stream = stream_reader_new(NULL, NULL, "request");
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
take_input(struct request_reader *r, const struct json_line *l)
{
    struct input *in = &r->options.input;
    int nranks = r->schedules[0]->nranks, rank = 0;
    size_t size = dtype_size(in->type), all = (size_t)nranks * size;
    const json_t *values;
    int64_t from = 0;

    if (r->given == NULL && in->count > (int64_t)(INPUT_BYTES_MAX / all))
        return err_set(l->err, "more input than %d bytes", INPUT_BYTES_MAX);
    if (r->given == NULL)
        in->given = r->given = mem_new((size_t)in->count, all);
    if (!JSON_PASS(l, JSON_INT("rank", &rank, 0, nranks - 1),
                   JSON_INT64("from", &from, 0, in->count)) ||
        !json_get_array(l->from, "values", 0, (size_t)(in->count - from),
                        &values, l->err))
        return false;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *text = json_string_value(json_array_get(values, i));
        size_t at = (size_t)rank * (size_t)in->count + (size_t)from + i;
        if (text == NULL || !dtype_parse(in->type, text, r->given + at * size))
            return err_set(l->err, "an input is not of type %s",
                           dtype_name(in->type));
    }
    return true;
}

static bool
take_load(struct request_reader *r, const struct json_line *l)
{
    const struct schedule *s = r->schedules[0];
    const struct run_options *o = &r->options;

    free(r->delays);
    r->delays = mem_new((size_t)s->nranks, sizeof *r->delays);
    if (!pass_load(l, s, &r->options, r->delays, &r->mismatch))
        return false;
    if (r->nschedules != (o->mismatch != NULL ? SCHEDULES_MAX : 1))
        return err_set(l->err, "a mismatch has two schedules of its own");
    if (o->timing.calls > 0 &&
        (o->delays != NULL || o->fault.kind != FAULT_NONE))
        return err_set(l->err, "a timed run goes with no delay and no fault");
    return o->mismatch == NULL ||
           (r->given == NULL && o->delays == NULL && !o->native &&
            o->timing.calls == 0 && o->fault.kind == FAULT_NONE) ||
           err_set(l->err, "a mismatch goes with no input, delay, fault, "
                   "native or timed run");
}

static bool
take_go(struct request_reader *r, const struct json_line *l, int *to)
{
    int nsteps = r->schedules[0]->nsteps;
    int least = nsteps > 0 && r->granted >= 0 ? r->granted + 1 : nsteps > 0;

    if (r->granted == nsteps)
        return err_set(l->err, "all steps have been granted");
    if (!JSON_PASS(l, JSON_INT("to", to, least, nsteps)))
        return false;
    r->granted = *to;
    return true;
}

static enum request_got
take_object(struct request_reader *r, const char *line, json_t *o, int *to,
            struct err *err)
{
    struct json_line l = {.from = o, .err = err};
    const char *type = "";

    if (!JSON_PASS(&l, JSON_BORROWED("type", &type, SCHEDULE_NAME_MAX)))
        return REQUEST_FAILED;
    if (strcmp(type, "abort") == 0)
        return REQUEST_ABORT;
    if (r->load != NULL && strcmp(type, "again") == 0)
        return REQUEST_AGAIN;
    if (r->load != NULL && strcmp(type, "go") == 0)
        return take_go(r, &l, to) ? REQUEST_GO : REQUEST_FAILED;
    if (r->load == NULL && r->nschedules < SCHEDULES_MAX &&
        strcmp(type, "run") == 0)
        return take_schedule(r, line, err);
    if (r->load == NULL && r->nschedules > 0 && strcmp(type, "input") == 0)
        return take_input(r, &l) ? REQUEST_MORE : REQUEST_FAILED;
    if (r->load == NULL && r->nschedules > 0 && strcmp(type, "load") == 0) {
        if (!take_load(r, &l))
            return REQUEST_FAILED;
        r->load = json_incref(o);
        return REQUEST_LOAD;
    }
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

    if (r->stream != NULL)
        return take_schedule(r, line, err);
    o = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (o == NULL) {
        err_set(err, "a request is not JSON: %s", error.text);
        return REQUEST_FAILED;
    }
    got = take_object(r, line, o, to, err);
    json_decref(o);
    return got;
}
