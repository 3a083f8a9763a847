/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/json.h"
#include "base/mem.h"
#include "event/stream.h"

#define EVENT_BYTES_MAX (INT64_C(1) << 46) /* so that no sum overflows */

enum {
    CONTENT_BYTES_MAX = 1 << 30, /* of all slots of a run */
};

struct stream_reader {
    FILE *file; /* NULL: lines are handed in */
    const char *name;
    int64_t line; /* of the last line read, from 1 */
    struct buf text;
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
stream_reader_new(FILE *file, const char *name)
{
    struct stream_reader *r = mem_new(1, sizeof *r);

    r->file = file;
    r->name = name;
    return r;
}

struct stream_reader *
stream_reader_of(const struct schedule *s, const char *name)
{
    struct stream_reader *r = stream_reader_new(NULL, name);

    r->known = schedule_share(s);
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
    if (strcmp(op, stream_ops[EVENT_COPY]) == 0)
        t->op = TRANSFER_COPY;
    else if (strcmp(op, stream_ops[EVENT_REDUCE]) == 0)
        t->op = TRANSFER_REDUCE;
    else
        return err_set(err, "a transfer copies or reduces, it does not "
                       "\"%s\"", op);
    return true;
}

static bool
finish_run(struct stream_reader *r, struct item *item, struct err *err)
{
    if (!schedule_valid(r->reading, err))
        return false;
    r->schedule = r->reading;
    item->type = ITEM_RUN;
    return true;
}

/* The run line is followed by as many steps as it says. */
static bool
read_step(struct stream_reader *r, const json_t *o, const char *type,
          struct item *item, struct err *err)
{
    int step = r->reading->nsteps + 1, number;
    char phase[SCHEDULE_NAME_MAX];
    const json_t *list;

    if (strcmp(type, "step") != 0)
        return err_set(err, "step %d of %d belongs here", step, r->nsteps);
    if (!json_get_int(o, "step", step, step, &number, err) ||
        !json_get_text(o, "phase", phase, sizeof phase, err) ||
        !json_get_array(o, "transfers", 0, SCHEDULE_CELLS_MAX, &list, err))
        return false;
    schedule_step(r->reading, phase);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct transfer t = {0};
        if (!read_step_transfer(json_array_get(list, i), &t, err))
            return false;
        schedule_add(r->reading, t);
    }
    return step < r->nsteps || finish_run(r, item, err);
}

/* What may be missing: then it is empty, or 0. */
static bool
read_text(const json_t *o, const char *key, char *text, size_t size,
          struct err *err)
{
    text[0] = '\0';
    return json_object_get(o, key) == NULL ||
           json_get_text(o, key, text, size, err);
}

static bool
read_number(const json_t *o, const char *key, int64_t *value, struct err *err)
{
    *value = 0;
    return json_object_get(o, key) == NULL ||
           json_get_integer(o, key, 0, INT64_MAX, value, err);
}

/* Reads a list of `count` integers from `least` to `most`. */
static bool
read_integers(const json_t *o, const char *key, int count, int least, int most,
              int *list, struct err *err)
{
    const json_t *array;

    if (!json_get_array(o, key, (size_t)count, (size_t)count, &array, err))
        return false;
    for (int i = 0; i < count; i++) {
        int64_t value;
        if (!json_at(array, (size_t)i, least, most, &value))
            return err_set(err, "\"%s\" must be a list of integers from %d to "
                           "%d", key, least, most);
        list[i] = (int)value;
    }
    return true;
}

/* Older recordings have no topology. */
static bool
read_topology(const json_t *o, struct topology *t, struct err *err)
{
    const char *name;

    *t = (struct topology){.kind = TOPOLOGY_ANY};
    if (json_object_get(o, "topology") == NULL)
        return true;
    if (!json_get_string(o, "topology", SCHEDULE_NAME_MAX, &name, err))
        return false;
    if (!topology_find(name, &t->kind))
        return err_set(err, "collviz knows no topology \"%s\"", name);
    if (json_object_get(o, "switches") != NULL &&
        !json_get_int(o, "switches", 0, SCHEDULE_RANKS_MAX - 1, &t->switches,
                      err))
        return false;
    return json_object_get(o, "shape") == NULL ||
           read_integers(o, "shape", TOPOLOGY_DIMS, 1, SCHEDULE_RANKS_MAX,
                         t->dims, err);
}

/* Its algorithm belongs to the object. */
static bool
read_spec(const json_t *o, struct schedule_spec *spec, struct err *err)
{
    const char *collective;

    if (!json_get_string(o, "collective", SCHEDULE_NAME_MAX - 1, &collective,
                         err) ||
        !json_get_string(o, "algorithm", SCHEDULE_NAME_MAX - 1,
                         &spec->algorithm, err) ||
        !json_get_int(o, "ranks", 1, SCHEDULE_RANKS_MAX, &spec->nranks,
                      err) ||
        !json_get_int(o, "root", 0, spec->nranks - 1, &spec->root, err) ||
        !json_get_int(o, "pieces", 1, SCHEDULE_SLOTS_MAX, &spec->pieces,
                      err) ||
        !json_get_int(o, "scratch", 0, SCHEDULE_SLOTS_MAX, &spec->scratch,
                      err) ||
        !json_get_boolean(o, "in_place", &spec->in_place, err) ||
        !read_topology(o, &spec->topology, err))
        return false;
    spec->collective = collective_find(collective);
    if (spec->collective == NULL)
        return err_set(err, "collviz knows no collective \"%s\"", collective);
    return schedule_spec_check(spec, err);
}

static bool
read_devices(const json_t *o, struct run_info *run, struct err *err)
{
    const json_t *list;

    if (!json_get_array(o, "devices", 0, RUN_DEVICES_MAX, &list, err))
        return false;
    run->ndevices = (int)json_array_size(list);
    for (int i = 0; i < run->ndevices; i++) {
        const char *name =
            json_string_value(json_array_get(list, (size_t)i));
        if (name == NULL || strlen(name) >= RUN_NAME_MAX)
            return err_set(err, "\"devices\" must be a list of strings of at "
                           "most %d bytes", RUN_NAME_MAX - 1);
        snprintf(run->devices[i], RUN_NAME_MAX, "%s", name);
    }
    return true;
}

/* Where ranks are.  One device has all of them; several must say which they
 * have.  Older recordings have the first rank of each device, whose ranks were
 * in a row. */
static bool
read_places(const json_t *o, struct run_info *run, int nranks, struct err *err)
{
    bool is_old = json_object_get(o, "rank_devices") == NULL &&
                  json_object_get(o, "first_ranks") != NULL;
    int first[RUN_DEVICES_MAX] = {0};

    run_forget_cores(run);
    if (run->ndevices > 1 &&
        !(is_old ? read_integers(o, "first_ranks", run->ndevices, 0,
                                 SCHEDULE_RANKS_MAX - 1, first, err)
                 : read_integers(o, "rank_devices", nranks, 0,
                                 run->ndevices - 1, run->device_of, err)))
        return false;
    for (int i = 1; is_old && i < run->ndevices; i++)
        for (int rank = first[i]; rank < nranks; rank++)
            run->device_of[rank] = i;
    return json_object_get(o, "cores") == NULL ||
           read_integers(o, "cores", nranks, -1, INT16_MAX, run->core_of, err);
}

/* The places of the first ranks, which are the first places. */
static bool
read_host_places(const json_t *o, int nranks, struct hosts *hosts,
                 struct err *err)
{
    bool taken[HOSTS_LISTED_MAX] = {false};
    const json_t *array;

    if (hosts->gpus == 0)
        return err_set(err, "\"host_places\" stands beside \"host_ranks\"");
    if (!json_get_array(o, "host_places", 1,
                        (size_t)least(nranks, HOSTS_LISTED_MAX), &array, err))
        return false;
    hosts->listed = (int)json_array_size(array);
    if (!read_integers(o, "host_places", hosts->listed, 0, hosts->listed - 1,
                       hosts->places, err))
        return false;
    for (int rank = 0; rank < hosts->listed; rank++) {
        int place = hosts->places[rank];
        if (taken[place])
            return err_set(err, "\"host_places\" has place %d twice", place);
        taken[place] = true;
    }
    return true;
}

static bool
read_info(const json_t *o, struct run_info *run, int nranks, struct err *err)
{
    static const char *const paces[] = {"lockstep", "free"};
    const char *type, *op;
    int pace, place;

    if (!json_get_text(o, "backend", run->backend, sizeof run->backend,
                       err) ||
        !read_devices(o, run, err) ||
        !read_places(o, run, nranks, err) ||
        !json_get_string(o, "type_name", SCHEDULE_NAME_MAX, &type, err) ||
        !json_get_string(o, "op", SCHEDULE_NAME_MAX, &op, err) ||
        !json_get_integer(o, "count", 0, INT64_MAX / 16, &run->count, err) ||
        !JSON_GET_WORD(o, "pace", paces, &pace, err) ||
        !JSON_GET_WORD(o, "place", stream_places, &place, err) ||
        !json_get_int(o, "places", 1, SCHEDULE_RANKS_MAX, &run->nplaces,
                      err) ||
        !read_number(o, "clock_ns", &run->clock_ns, err) ||
        !read_text(o, "mismatch", run->mismatch, RUN_NAME_MAX, err) ||
        !read_text(o, "fault", run->fault, RUN_NAME_MAX, err) ||
        !read_text(o, "delay", run->delay, RUN_NAME_MAX, err) ||
        !read_text(o, "network", run->network, RUN_NAME_MAX, err) ||
        (json_object_get(o, "host_ranks") != NULL &&
         !json_get_int(o, "host_ranks", 1, SCHEDULE_RANKS_MAX,
                       &run->hosts.gpus, err)) ||
        (json_object_get(o, "host_turn") != NULL &&
         !json_get_int(o, "host_turn", 1, SCHEDULE_RANKS_MAX,
                       &run->hosts.turn, err)))
        return false;
    if (json_object_get(o, "host_places") != NULL &&
        !read_host_places(o, nranks, &run->hosts, err))
        return false;
    run->free = pace == 1;
    run->place = (enum run_place)place;
    if (!dtype_find(type, &run->type))
        return err_set(err, "collviz knows no type \"%s\"", type);
    if (!redop_find(op, &run->op))
        return err_set(err, "collviz knows no operator \"%s\"", op);
    return redop_check(run->op, run->type, err);
}

/* Checks that the run is the known one, whose steps need not be read. */
static bool
is_known(struct stream_reader *r, const struct schedule_spec *spec,
         struct err *err)
{
    const struct schedule *s = r->known;

    if (s->collective != spec->collective || s->nranks != spec->nranks ||
        s->root != spec->root || s->pieces != spec->pieces ||
        s->scratch != spec->scratch || s->in_place != spec->in_place ||
        memcmp(&s->topology, &spec->topology, sizeof s->topology) != 0 ||
        s->nsteps != r->nsteps)
        return err_set(err, "it runs something else than it was given");
    r->schedule = s;
    return true;
}

static bool
read_run(struct stream_reader *r, const json_t *o, struct item *item,
         struct err *err)
{
    struct schedule_spec spec = {0};
    int version;

    if (r->schedule != NULL)
        return err_set(err, "a second run");
    if (!json_get_int(o, "version", 1, INT32_MAX, &version, err))
        return false;
    if (version != STREAM_VERSION)
        return err_set(err, "version %d of the format; this collviz reads "
                       "version %d", version, STREAM_VERSION);
    if (!read_spec(o, &spec, err) ||
        !read_info(o, &r->run, spec.nranks, err) ||
        !json_get_int(o, "steps", 0, INT32_MAX - 1, &r->nsteps, err))
        return false;
    item->type = ITEM_RUN;
    if (r->known != NULL)
        return is_known(r, &spec, err);
    r->reading = schedule_new(&spec);
    if ((uint64_t)spec.nranks * (uint64_t)r->reading->nslots *
            (uint64_t)content_words(spec.nranks) * sizeof(uint64_t) >
        CONTENT_BYTES_MAX)
        return err_set(err, "%d rank%s of %d slots are more than collviz can "
                       "show", spec.nranks, err_plural(spec.nranks),
                       r->reading->nslots);
    return r->nsteps > 0 || finish_run(r, item, err);
}

static bool
read_entry(const json_t *entry, int nranks, struct ledger_entry *row,
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
        if (!read_entry(json_array_get(list, i), nranks,
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
read_contents(struct stream_reader *r, const json_t *o, int nslots,
              uint64_t *contents, struct err *err)
{
    int n = r->schedule->nranks, words = content_words(n);
    const json_t *rows, *lengths, *values;
    size_t count = (size_t)nslots;
    /* A mismatched run's other count is not known here. */
    int64_t longest =
        r->run.mismatch[0] != '\0' ? INT64_MAX / 16 : r->run.count;

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
read_input(struct stream_reader *r, const json_t *o, struct item *item,
           struct err *err)
{
    const struct schedule *s = r->schedule;
    struct region in;
    int slot, nslots;

    item->type = ITEM_INPUT;
    if (!json_get_int(o, "rank", 0, s->nranks - 1, &item->rank, err))
        return false;
    in = stream_input(&r->run, s, item->rank);
    if (!json_get_int(o, "slot", in.first, in.first, &slot, err) ||
        !json_get_int(o, "slots", in.count, in.count, &nslots, err))
        return false;
    item->content = content_room(r, s->nslots);
    return read_contents(r, o, nslots,
                         r->content + (size_t)slot *
                                          (size_t)content_words(s->nranks),
                         err);
}

static bool
read_times(struct stream_reader *r, const json_t *o, struct event *e,
           struct err *err)
{
    int fault = FAULT_NONE;

    if (!json_get_integer(o, "begin_ns", 0, INT64_MAX, &e->begin_ns, err) ||
        !json_get_integer(o, "end_ns", e->begin_ns, INT64_MAX, &e->end_ns,
                          err) ||
        !json_get_int(o, "slice", 0, INT32_MAX, &e->slice, err) ||
        !json_get_integer(o, "wait_ns", 0, INT64_MAX, &e->wait_ns, err) ||
        !json_get_int(o, "waited_for", -1, r->schedule->nranks - 1,
                      &e->waited_for, err))
        return false;
    if (json_object_get(o, "fault") != NULL &&
        !JSON_GET_WORD(o, "fault", stream_faults, &fault, err))
        return false;
    e->fault = (uint8_t)fault;
    if (e->slice > 0)
        return json_object_get(o, "ledger") == NULL ||
               err_set(err, "only slice 0 has a ledger, this is %d", e->slice);
    e->content = content_room(r, e->nslots);
    return read_contents(r, o, e->nslots, r->content, err);
}

static bool
read_transfer(struct stream_reader *r, const json_t *o, struct item *item,
              struct err *err)
{
    const struct schedule *s = r->schedule;
    struct event *e = &item->event;
    int op;

    item->type = ITEM_TRANSFER;
    if (!json_get_int(o, "step", 1, s->nsteps, &e->step, err) ||
        !json_get_int(o, "src", 0, s->nranks - 1, &e->src, err) ||
        !json_get_int(o, "dst", 0, s->nranks - 1, &e->dst, err) ||
        !json_get_int(o, "slots", 1, s->nslots, &e->nslots, err) ||
        !json_get_int(o, "src_slot", 0, s->nslots - e->nslots, &e->src_slot,
                      err) ||
        !json_get_int(o, "dst_slot", 0, s->nslots - e->nslots, &e->dst_slot,
                      err) ||
        !JSON_GET_WORD(o, "op", stream_ops, &op, err) ||
        !json_get_integer(o, "bytes", 0, EVENT_BYTES_MAX, &e->bytes, err))
        return false;
    e->op = (uint8_t)op;
    return read_times(r, o, e, err);
}

static bool
read_divide(struct stream_reader *r, const json_t *o, struct item *item,
            struct err *err)
{
    const struct schedule *s = r->schedule;
    struct event *e = &item->event;
    int by, members = schedule_members(s);

    item->type = ITEM_TRANSFER;
    if (!json_get_int(o, "rank", 0, s->nranks - 1, &e->dst, err) ||
        !json_get_int(o, "by", members, members, &by, err) ||
        !json_get_int(o, "slots", 1, s->nslots, &e->nslots, err) ||
        !json_get_int(o, "slot", 0, s->nslots - e->nslots, &e->dst_slot, err))
        return false;
    e->op = EVENT_DIVIDE;
    e->step = s->nsteps + 1;
    e->src = e->dst;
    e->src_slot = e->dst_slot;
    return read_times(r, o, e, err);
}

static bool
read_native(const json_t *result, struct run_native *n, struct err *err)
{
    const json_t *o = json_object_get(result, "native");

    *n = (struct run_native){.wall_ns = 0};
    return o == NULL ||
           (json_get_text(o, "name", n->name, sizeof n->name, err) &&
            json_get_text(o, "inside", n->inside, sizeof n->inside, err) &&
            json_get_integer(o, "wall_ns", 0, INT64_MAX, &n->wall_ns, err) &&
            json_get_integer(o, "wrong", 0, INT64_MAX, &n->wrong, err) &&
            json_get_integer(o, "differ", 0, INT64_MAX, &n->differ, err) &&
            read_number(o, "timed_ns", &n->timed_ns, err));
}

static bool
read_result(struct stream_reader *r, const json_t *o, struct item *item,
            struct err *err)
{
    struct run_result *result = &r->result;
    size_t n = (size_t)r->schedule->nranks;
    int steps = r->schedule->nsteps;
    const json_t *sent;

    item->type = ITEM_RESULT;
    item->result = result;
    result->hangs = false;
    if (!json_get_int(o, "steps", steps, steps, &steps, err) ||
        !json_get_boolean(o, "correct", &result->correct, err) ||
        !json_get_integer(o, "wrong", 0, INT64_MAX, &result->wrong, err) ||
        !json_get_integer(o, "wall_ns", 0, INT64_MAX, &result->wall_ns,
                          err) ||
        !json_get_array(o, "bytes_sent", n, n, &sent, err) ||
        !read_number(o, "here_ns", &result->here_ns, err) ||
        !read_text(o, "first_wrong", result->first_wrong,
                   sizeof result->first_wrong, err) ||
        (json_object_get(o, "hangs") != NULL &&
         !json_get_boolean(o, "hangs", &result->hangs, err)) ||
        !read_number(o, "timed_ns", &result->timed_ns, err) ||
        !read_native(o, &result->native, err))
        return false;
    result->nranks = (int)n;
    free(result->bytes_sent);
    result->bytes_sent = mem_new(n, sizeof *result->bytes_sent);
    for (size_t i = 0; i < n; i++)
        if (!json_at(sent, i, 0, INT64_MAX, &result->bytes_sent[i]))
            return err_set(err, "\"bytes_sent\" must be a list of numbers");
    return true;
}

static bool
read_end(struct stream_reader *r, const json_t *o, struct item *item,
         struct err *err)
{
    int64_t lines;

    item->type = ITEM_END;
    r->over = true;
    return json_get_boolean(o, "complete", &item->complete, err) &&
           json_get_integer(o, "lines", r->line, r->line, &lines, err);
}

static const struct line_type {
    const char *name;
    bool (*read)(struct stream_reader *, const json_t *, struct item *,
                 struct err *); /* NULL: it repeats what other lines say */
} line_types[] = {
    {"transfer", read_transfer}, {"input", read_input},
    {"state", NULL},             {"divide", read_divide},
    {"result", read_result},     {"end", read_end},
    {"run", read_run},
};

/* A run whose step lines have not all been read. */
static bool
is_in_steps(const struct stream_reader *r)
{
    return r->reading != NULL && r->schedule == NULL;
}

static bool
read_object(struct stream_reader *r, const json_t *o, struct item *item,
            bool *skipped, struct err *err)
{
    const char *type;

    if (!json_get_string(o, "type", SCHEDULE_NAME_MAX, &type, err))
        return false;
    if (is_in_steps(r))
        return read_step(r, o, type, item, err);
    if (r->schedule == NULL && strcmp(type, "run") != 0)
        return err_set(err, "this is not a recording of collviz: its first "
                       "line must be a run");
    for (size_t i = 0; i < sizeof line_types / sizeof *line_types; i++) {
        if (strcmp(line_types[i].name, type) != 0)
            continue;
        *skipped = line_types[i].read == NULL;
        return *skipped || line_types[i].read(r, o, item, err);
    }
    return err_set(err, "a line of an unknown or misplaced type, \"%s\"",
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
    if (o != NULL && r->over)
        ok = err_set(err, "something after the end");
    else
        ok = o != NULL && read_object(r, o, item, &skipped, err);
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
