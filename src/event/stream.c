/* SPDX-License-Identifier: MIT */
#include "event/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "event/line.h"
#include "schedule/counts.h"

enum {
    CONTENT_BYTES_MAX = 1 << 30, /* of all slots of a run */
};

/* Writing ---------------------------------------------------------------- */

static void
write_step(const struct schedule *s, int step, struct buf *out)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    buf_addf(out, "{\"type\":\"step\",\"step\":%d,\"phase\":", step);
    json_add_string(out, s->steps[step - 1].phase);
    buf_puts(out, ",\"transfers\":[");
    for (size_t i = 0; i < count; i++, t++)
        buf_addf(out, "%s[%d,%d,%d,%d,%d,\"%s\",%d]", i > 0 ? "," : "",
                 t->src, t->src_slot, t->dst, t->dst_slot, t->nslots,
                 line_ops[t->op == TRANSFER_REDUCE ? EVENT_REDUCE : EVENT_COPY],
                 t->add_slot);
    buf_puts(out, "]}\n");
}

static void
write_row(const uint64_t *row, int nranks, struct buf *out)
{
    const struct ledger_entry *entries = (const struct ledger_entry *)row;
    const char *comma = "";

    buf_putc(out, '[');
    if (nranks > LEDGER_RANKS)
        buf_addf(out, "%" PRIu64 ",\"0x%" PRIx64 "\"", row[0], row[1]);
    for (int rank = 0; nranks <= LEDGER_RANKS && rank < nranks; rank++) {
        if (entries[rank].times == 0)
            continue;
        buf_addf(out, "%s[%d,%d,%d]", comma, rank, entries[rank].chunk,
                 entries[rank].times);
        comma = ",";
    }
    buf_putc(out, ']');
}

/* JSON has no NaN and no infinities: those become strings. */
static void
write_all_values(const struct stream_writer *w, const uint64_t *contents,
                 int nslots, struct buf *out)
{
    int n = w->schedule->nranks;
    int at = ledger_words(n), words = content_words(n);
    char text[DTYPE_TEXT_MAX];

    buf_puts(out, ",\"values\":[");
    for (int k = 0; k < nslots; k++) {
        const uint64_t *c = contents + (size_t)k * (size_t)words + at;
        buf_puts(out, k > 0 ? ",[" : "[");
        for (int i = 0; i < EVENT_VALUES && i < (int64_t)c[0]; i++) {
            dtype_format(w->run->type, &c[1 + i], text);
            buf_puts(out, i > 0 ? "," : "");
            if (strpbrk(text, "ni") != NULL)
                json_add_string(out, text);
            else
                buf_puts(out, text);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void
write_contents(const struct stream_writer *w, const uint64_t *contents,
               int nslots, struct buf *out)
{
    int n = w->schedule->nranks;
    size_t words = (size_t)content_words(n);

    buf_puts(out, ",\"ledger\":[");
    for (int k = 0; k < nslots; k++) {
        buf_puts(out, k > 0 ? "," : "");
        write_row(contents + (size_t)k * words, n, out);
    }
    buf_puts(out, "],\"length\":[");
    for (int k = 0; k < nslots; k++)
        buf_addf(out, "%s%" PRIu64, k > 0 ? "," : "",
                 contents[(size_t)k * words + (size_t)ledger_words(n)]);
    buf_putc(out, ']');
    write_all_values(w, contents, nslots, out);
}

static bool
same_counts(const struct schedule *a, const struct schedule *b)
{
    return (a->counts == NULL) == (b->counts == NULL) &&
           (a->counts == NULL ||
            memcmp(a->counts, b->counts,
                   counts_number(a) * sizeof *a->counts) == 0);
}

static void
write_counts(const struct schedule *s, struct buf *out)
{
    for (size_t i = 0; s->counts != NULL && i < counts_number(s); i++)
        buf_addf(out, "%s%" PRId64, i > 0 ? "," : ",\"counts\":[",
                 s->counts[i]);
    if (s->counts != NULL)
        buf_putc(out, ']');
}

void
stream_write(struct stream_writer *w, const struct item *item,
             struct buf *out)
{
    struct json_line l = {.to = out};
    struct event e = item->event;
    const struct schedule *s;
    struct schedule_spec spec;
    struct region in = {0, 0};
    int rank = item->rank, nsteps;

    if (item->type == ITEM_RUN) {
        w->run = item->run;
        w->schedule = item->schedule;
    }
    s = w->schedule;
    w->lines++;
    switch (item->type) {
    case ITEM_RUN:
        spec = (struct schedule_spec){
            s->collective, s->algorithm, s->nranks, s->root, s->pieces,
            s->scratch, s->in_place, s->topology, s->align};
        nsteps = s->nsteps;
        buf_puts(out, "{\"type\":\"run\"");
        line_run(&l, &spec, &nsteps, (struct run_info *)w->run);
        write_counts(s, out);
        break;
    case ITEM_INPUT:
        buf_puts(out, "{\"type\":\"input\"");
        line_input(&l, w->run, s, &rank, &in);
        write_contents(w,
                       item->content + (size_t)in.first *
                                           (size_t)content_words(s->nranks),
                       in.count, out);
        break;
    case ITEM_TRANSFER:
        buf_addf(out, "{\"type\":\"%s\"",
                 e.op == EVENT_DIVIDE ? "divide" : "transfer");
        (e.op == EVENT_DIVIDE ? line_divide : line_transfer)(&l, s, &e);
        if (e.content != NULL)
            write_contents(w, e.content, e.nslots, out);
        break;
    case ITEM_RESULT:
        buf_puts(out, "{\"type\":\"result\"");
        line_result(&l, s, (struct run_result *)item->result);
        break;
    case ITEM_END:
        buf_puts(out, "{\"type\":\"end\"");
        line_end(&l, w->lines, &(bool){item->complete});
        break;
    }
    buf_puts(out, "}\n");
    for (int step = 1; item->type == ITEM_RUN && !w->steps_known &&
                       step <= s->nsteps; step++, w->lines++)
        write_step(s, step, out);
}

void
stream_write_state(struct stream_writer *w, int step, int rank,
                   const uint64_t *contents, int nslots, struct buf *out)
{
    size_t words = (size_t)content_words(w->schedule->nranks);

    w->lines++;
    buf_addf(out, "{\"type\":\"state\",\"step\":%d,\"rank\":%d,\"slots\":[",
             step, rank);
    for (int k = 0; k < nslots; k++) {
        buf_puts(out, k > 0 ? ",\"" : "\"");
        ledger_text(out, contents + (size_t)k * words, w->schedule->nranks,
                    schedule_members(w->schedule));
        buf_putc(out, '"');
    }
    buf_putc(out, ']');
    write_all_values(w, contents, nslots, out);
    buf_puts(out, "}\n");
}

/* Reading ---------------------------------------------------------------- */

struct stream_reader {
    FILE *file; /* NULL: lines are handed in */
    const char *name;
    int64_t line; /* of the last line read, from 1 */
    struct buf text;
    struct json_line at; /* the line that is being read */
    struct run_info run;
    const struct schedule *schedule; /* of the items; NULL before the run */
    struct schedule *reading; /* step lines are added to it */
    int nsteps;               /* of the run line */
    const struct schedule *known; /* the one that must run; NULL: any */
    uint64_t *content; /* of the item */
    size_t content_room;
    struct run_result result;
    bool over;
};

struct stream_reader *
stream_reader_new(FILE *file, const struct schedule *known, const char *name)
{
    struct stream_reader *r = mem_new(1, sizeof *r);

    r->file = file;
    r->known = known != NULL ? schedule_share(known) : NULL;
    r->name = name;
    return r;
}

void
stream_reader_free(struct stream_reader *r)
{
    if (r == NULL)
        return;
    buf_done(&r->text);
    schedule_free(r->reading);
    schedule_free(r->known);
    free(r->content);
    free(r->result.bytes_sent);
    free(r);
}

bool
stream_blame(const struct stream_reader *r, struct err *err)
{
    return err_prefix(err, "%s:%lld", r->name, (long long)r->line);
}

/* Reads a line of the file, without its newline, into r->text. Returns
 * STREAM_MORE if there was one, STREAM_OVER at the end of the file. */
static enum stream_got
read_line(struct stream_reader *r, struct err *err)
{
    char piece[4096];

    buf_clear(&r->text);
    while (r->text.length <= STREAM_LINE_MAX &&
           fgets(piece, sizeof piece, r->file) != NULL) {
        size_t length = strlen(piece);
        buf_puts(&r->text, piece);
        if (length > 0 && piece[length - 1] == '\n') {
            r->text.data[--r->text.length] = '\0';
            return STREAM_MORE;
        }
        if (length < sizeof piece - 1)
            break; /* the end of the file, or a NUL */
    }
    if (feof(r->file) && r->text.length == 0)
        return STREAM_OVER;
    if (r->text.length > STREAM_LINE_MAX)
        err_set(err, "the line is longer than %d bytes", STREAM_LINE_MAX);
    else if (ferror(r->file))
        err_set(err, "cannot be read: %s", strerror(errno));
    else if (feof(r->file))
        err_set(err, "the line is cut");
    else
        err_set(err, "there is a NUL byte in the line");
    return STREAM_FAILED;
}

/* A line as an object, or NULL. */
static json_t *
parse_line(const char *line, size_t length, struct err *err)
{
    json_error_t error;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);

    if (object == NULL) {
        err_set(err, "not JSON, column %d: %s", error.column, error.text);
        return NULL;
    }
    if (!json_is_object(object)) {
        json_decref(object);
        err_set(err, "not an object: a line is {\"type\":...}");
        return NULL;
    }
    return object;
}

/* Reads [src,src_slot,dst,dst_slot,nslots,op,add] of a step's "transfers". */
static bool
read_step_transfer(const json_t *list, struct transfer *t, struct err *err)
{
    const char *op = json_string_value(json_array_get(list, 5));
    int32_t *fields[] = {&t->src,    &t->src_slot, &t->dst,     &t->dst_slot,
                         &t->nslots, NULL,         &t->add_slot};

    if (json_array_size(list) != 7 || op == NULL)
        return err_set(err, "a transfer must be [src, src_slot, dst, "
                       "dst_slot, slots, op, add]");
    for (size_t i = 0; i < 7; i++) {
        int64_t value;
        if (i == 5)
            continue;
        if (!json_at(list, i, 0, SCHEDULE_SLOTS_MAX, &value))
            return err_set(err, "a transfer has numbers from 0 to %d",
                           SCHEDULE_SLOTS_MAX);
        *fields[i] = (int32_t)value;
    }
    if (strcmp(op, line_ops[EVENT_COPY]) == 0)
        t->op = TRANSFER_COPY;
    else if (strcmp(op, line_ops[EVENT_REDUCE]) == 0)
        t->op = TRANSFER_REDUCE;
    else
        return err_set(err, "a transfer copies or reduces, it does not "
                       "\"%s\"", op);
    return true;
}

static bool
finish_run(struct stream_reader *r, struct item *item)
{
    if (!schedule_valid(r->reading, r->at.err))
        return false;
    r->schedule = r->reading;
    item->type = ITEM_RUN;
    return true;
}

/* The run line is followed by as many steps as it says. */
static bool
read_step_line(struct stream_reader *r, const char *type, struct item *item)
{
    int step = r->reading->nsteps + 1;
    const char *phase = "";
    const json_t *list;

    if (strcmp(type, "step") != 0)
        return err_set(r->at.err, "step %d of %d belongs here", step,
                       r->nsteps);
    if (!JSON_PASS(&r->at, JSON_INT("step", &step, step, step),
                   JSON_BORROWED("phase", &phase, SCHEDULE_NAME_MAX)) ||
        !json_get_array(r->at.from, "transfers", 0, SCHEDULE_CELLS_MAX, &list,
                        r->at.err))
        return false;
    schedule_step(r->reading, phase);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct transfer t = {0};
        if (!read_step_transfer(json_array_get(list, i), &t, r->at.err))
            return false;
        schedule_add(r->reading, t);
    }
    return step < r->nsteps || finish_run(r, item);
}

/* Gives the schedule that is read its uneven counts, if it has some. */
static bool
read_counts(struct stream_reader *r)
{
    size_t n = counts_number(r->reading);
    OWN_MEMORY int64_t *counts = mem_new(n, sizeof *counts);
    const json_t *list;

    if (!json_has(&r->at, "counts", false))
        return true;
    if (!json_get_array(r->at.from, "counts", 0, n, &list, r->at.err))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_at(list, i, 0, r->run.count, &counts[i]))
            return err_set(r->at.err, "\"counts\" are of elements, at most the "
                           "run's count");
    return counts_set(r->reading, counts, json_array_size(list), r->at.err);
}

/* Checks that the run is the known one, whose steps need not be read. */
static bool
is_known_run(struct stream_reader *r, const struct schedule_spec *spec)
{
    const struct schedule *s = r->known;

    if (s->collective != spec->collective || s->nranks != spec->nranks ||
        s->root != spec->root || s->pieces != spec->pieces ||
        s->scratch != spec->scratch || s->in_place != spec->in_place ||
        memcmp(&s->topology, &spec->topology, sizeof s->topology) != 0 ||
        s->nsteps != r->nsteps || !same_counts(s, r->reading))
        return err_set(r->at.err, "it runs something else than it was given");
    schedule_free(r->reading);
    r->reading = NULL;
    r->schedule = s;
    return true;
}

static bool
read_run(struct stream_reader *r, struct item *item)
{
    struct schedule_spec spec = {0};

    if (r->schedule != NULL)
        return err_set(r->at.err, "a second run");
    run_forget_cores(&r->run);
    if (!line_run(&r->at, &spec, &r->nsteps, &r->run))
        return false;
    spec.align = mismatch_align(r->run.purpose.mismatch.rules,
                                dtype_size(r->run.type));
    item->type = ITEM_RUN;
    r->reading = schedule_new(&spec);
    if (r->known != NULL)
        return read_counts(r) && is_known_run(r, &spec);
    if ((uint64_t)spec.nranks * (uint64_t)r->reading->nslots *
            (uint64_t)content_words(spec.nranks) * sizeof(uint64_t) >
        CONTENT_BYTES_MAX)
        return err_set(r->at.err, "%d rank%s of %d slots are more than collviz "
                       "can show", spec.nranks, err_plural(spec.nranks),
                       r->reading->nslots);
    return read_counts(r) && (r->nsteps > 0 || finish_run(r, item));
}

static bool
read_ledger_entry(const json_t *entry, int nranks, struct ledger_entry *row,
                  struct err *err)
{
    int64_t rank, chunk, times;

    if (json_array_size(entry) != 3 ||
        !json_at(entry, 0, 0, nranks - 1, &rank) ||
        !json_at(entry, 1, 0, UINT16_MAX, &chunk) ||
        !json_at(entry, 2, 1, UINT16_MAX, &times) || row[rank].times != 0)
        return err_set(err, "a ledger's entries are [rank, chunk, times], "
                       "each rank once");
    row[rank] = (struct ledger_entry){(uint16_t)times, (uint16_t)chunk};
    return true;
}

/* A sum of keys is "0x" and 1 to 16 hexadecimal digits. */
static bool
read_row(const json_t *list, int nranks, uint64_t *row, struct err *err)
{
    const char *keys = json_string_value(json_array_get(list, 1));
    size_t digits = 0;
    int64_t count;

    if (!json_is_array(list))
        return err_set(err, "a ledger's rows are lists");
    if (nranks > LEDGER_RANKS) {
        if (keys != NULL && strncmp(keys, "0x", 2) == 0)
            digits = strspn(keys + 2, "0123456789abcdefABCDEF");
        if (json_array_size(list) != 2 ||
            !json_at(list, 0, 0, INT64_MAX, &count) || digits < 1 ||
            digits > 16 || keys[2 + digits] != '\0')
            return err_set(err, "above %d ranks a ledger's rows are [count, "
                           "\"0x...\"]", LEDGER_RANKS);
        row[0] = (uint64_t)count;
        row[1] = strtoull(keys, NULL, 16);
        return true;
    }
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!read_ledger_entry(json_array_get(list, i), nranks,
                               (struct ledger_entry *)row, err))
            return false;
    return true;
}

static bool
read_value(enum dtype type, const json_t *v, uint64_t *value, struct err *err)
{
    char text[DTYPE_TEXT_MAX];
    const char *word = json_string_value(v); /* "nan", "inf", "-inf" */

    if (json_is_integer(v))
        snprintf(text, sizeof text, "%lld",
                 (long long)json_integer_value(v));
    else if (json_is_real(v) && dtype_is_float(type))
        snprintf(text, sizeof text, "%.17g", json_real_value(v));
    else if (word != NULL && dtype_is_float(type) &&
             (strcmp(word + (*word == '-'), "nan") == 0 ||
              strcmp(word + (*word == '-'), "inf") == 0))
        snprintf(text, sizeof text, "%s", word);
    else
        text[0] = '\0';
    *value = 0;
    return dtype_parse(type, text, value) ||
           err_set(err, "a value is not of type %s", dtype_name(type));
}

/* "ledger", "length" and "values" of `nslots` slots. */
static bool
read_contents(struct stream_reader *r, int nslots, uint64_t *contents)
{
    int n = r->schedule->nranks, words = content_words(n);
    const json_t *o = r->at.from, *rows, *lengths, *values;
    struct err *err = r->at.err;
    size_t count = (size_t)nslots;
    /* A mismatched run's other count is not known here. */
    int64_t longest =
        run_mismatched(&r->run) ? INT64_MAX / 16 : r->run.count;

    if (!json_get_array(o, "ledger", count, count, &rows, err) ||
        !json_get_array(o, "length", count, count, &lengths, err) ||
        !json_get_array(o, "values", count, count, &values, err))
        return false;
    for (size_t k = 0; k < count; k++, contents += words) {
        uint64_t *length = contents + ledger_words(n);
        const json_t *shown = json_array_get(values, k);
        int64_t elements;
        size_t nshown = json_array_size(shown);

        if (!read_row(json_array_get(rows, k), n, contents, err))
            return false;
        if (!json_at(lengths, k, 0, longest, &elements))
            return err_set(err, "a slot's length is 0 to the run's count");
        *length = (uint64_t)elements;
        if (!json_is_array(shown) ||
            nshown != (*length < EVENT_VALUES ? *length : EVENT_VALUES))
            return err_set(err, "of a slot's values the first %d are listed",
                           EVENT_VALUES);
        for (size_t i = 0; i < nshown; i++)
            if (!read_value(r->run.type, json_array_get(shown, i),
                            length + 1 + i, err))
                return false;
    }
    return true;
}

static uint64_t *
content_room(struct stream_reader *r, int nslots)
{
    size_t words =
        (size_t)nslots * (size_t)content_words(r->schedule->nranks);

    if (words > r->content_room) {
        r->content = mem_resize(r->content, words, sizeof *r->content);
        r->content_room = words;
    }
    memset(r->content, 0, words * sizeof *r->content);
    return r->content;
}

static bool
read_input(struct stream_reader *r, struct item *item)
{
    size_t words = (size_t)content_words(r->schedule->nranks);
    struct region in = {0, 0};

    item->type = ITEM_INPUT;
    if (!line_input(&r->at, &r->run, r->schedule, &item->rank, &in))
        return false;
    item->content = content_room(r, r->schedule->nslots);
    return read_contents(r, in.count,
                         r->content + (size_t)in.first * words);
}

static bool
read_content(struct stream_reader *r, struct item *item)
{
    struct event *e = &item->event;

    item->type = ITEM_TRANSFER;
    if (e->slice > 0)
        return !json_has(&r->at, "ledger", false) ||
               err_set(r->at.err, "only slice 0 has a ledger, this is %d",
                       e->slice);
    e->content = content_room(r, e->nslots);
    return read_contents(r, e->nslots, r->content);
}

static bool
read_transfer_event(struct stream_reader *r, struct item *item)
{
    return line_transfer(&r->at, r->schedule, &item->event) &&
           read_content(r, item);
}

static bool
read_divide(struct stream_reader *r, struct item *item)
{
    struct event *e = &item->event;

    if (!line_divide(&r->at, r->schedule, e))
        return false;
    e->op = EVENT_DIVIDE;
    e->step = r->schedule->nsteps + 1;
    e->src = e->dst;
    e->src_slot = e->dst_slot;
    return read_content(r, item);
}

static bool
read_result(struct stream_reader *r, struct item *item)
{
    int n = r->schedule->nranks;

    free(r->result.bytes_sent);
    r->result = (struct run_result){
        .nranks = n, .bytes_sent = mem_new((size_t)n, sizeof(int64_t))};
    item->type = ITEM_RESULT;
    item->result = &r->result;
    return line_result(&r->at, r->schedule, &r->result);
}

static bool
read_end(struct stream_reader *r, struct item *item)
{
    item->type = ITEM_END;
    r->over = true;
    return line_end(&r->at, r->line, &item->complete);
}

static const struct line_type {
    const char *name;
    bool (*read)(struct stream_reader *, struct item *); /* NULL: it repeats
                                                          * other lines */
} line_types[] = {
    {"transfer", read_transfer_event}, {"input", read_input},
    {"state", NULL},                   {"divide", read_divide},
    {"result", read_result},           {"end", read_end},
    {"run", read_run},
};

/* A run whose step lines have not all been read. */
static bool
is_in_steps(const struct stream_reader *r)
{
    return r->reading != NULL && r->schedule == NULL;
}

static bool
read_object(struct stream_reader *r, struct item *item, bool *skipped)
{
    const char *type = "";

    if (!JSON_PASS(&r->at, JSON_BORROWED("type", &type, SCHEDULE_NAME_MAX)))
        return false;
    if (is_in_steps(r))
        return read_step_line(r, type, item);
    if (r->schedule == NULL && strcmp(type, "run") != 0)
        return err_set(r->at.err, "this is not a recording of collviz: its "
                       "first line must be a run");
    for (size_t i = 0; i < sizeof line_types / sizeof *line_types; i++) {
        if (strcmp(line_types[i].name, type) != 0)
            continue;
        *skipped = line_types[i].read == NULL;
        return *skipped || line_types[i].read(r, item);
    }
    return err_set(r->at.err, "a line of an unknown or misplaced type, \"%s\"",
                   type);
}

enum stream_got
stream_take(struct stream_reader *r, const char *line, size_t length,
            struct item *item, struct err *err)
{
    bool ok, skipped = false;
    json_t *o;

    r->line++;
    *item = (struct item){.run = &r->run};
    o = parse_line(line, length, err);
    r->at = (struct json_line){.from = o, .err = err};
    if (o != NULL && r->over)
        ok = err_set(err, "something after the end");
    else
        ok = o != NULL && read_object(r, item, &skipped);
    json_decref(o);
    if (!ok) {
        stream_blame(r, err);
        return STREAM_FAILED;
    }
    item->schedule = r->schedule;
    return skipped || is_in_steps(r) ? STREAM_MORE : STREAM_ITEM;
}

enum stream_got
stream_read(struct stream_reader *r, struct item *item, struct err *err)
{
    enum stream_got got = read_line(r, err);

    while (got == STREAM_MORE) {
        got = stream_take(r, r->text.data, r->text.length, item, err);
        if (got != STREAM_MORE)
            return got;
        got = read_line(r, err);
    }
    if (got == STREAM_OVER && r->over)
        return STREAM_OVER;
    if (got == STREAM_OVER && is_in_steps(r))
        err_set(err, "the file is cut: step %d is missing",
                r->reading->nsteps + 1);
    else if (got == STREAM_OVER)
        err_set(err, r->schedule == NULL
                         ? "the file is empty"
                         : "the recording is cut: its end line is missing");
    r->line++;
    stream_blame(r, err);
    return STREAM_FAILED;
}
