/* SPDX-License-Identifier: MIT */
#include "event/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/json.h"
#include "base/mem.h"

#define EVENT_BYTES_MAX (INT64_C(1) << 46) /* so that no sum overflows */

enum {
    CONTENT_BYTES_MAX = 1 << 30, /* of all slots of a run */
};

/* The words for enums of the code. */
static const char *const ops[] = {
    [EVENT_COPY] = "copy", [EVENT_REDUCE] = "reduce", NULL};
static const char *const places[] = {
    [PLACE_CORE] = "core", [PLACE_GPU] = "GPU", [PLACE_HOST] = "host", NULL};

/* Lines, as they are written and read ------------------------------------ */

static bool
pass_devices(const struct json_line *l, struct run_info *run)
{
    const json_t *list;

    if (l->from == NULL) {
        buf_puts(l->to, ",\"devices\":[");
        for (int i = 0; i < run->ndevices; i++) {
            buf_puts(l->to, i > 0 ? "," : "");
            json_add_string(l->to, run->devices[i]);
        }
        buf_putc(l->to, ']');
        return true;
    }
    if (!json_get_array(l->from, "devices", 0, RUN_DEVICES_MAX, &list, l->err))
        return false;
    run->ndevices = (int)json_array_size(list);
    for (int i = 0; i < run->ndevices; i++) {
        const char *name =
            json_string_value(json_array_get(list, (size_t)i));
        if (name == NULL || strlen(name) >= RUN_NAME_MAX)
            return err_set(l->err, "\"devices\" must be a list of strings of "
                           "at most %d bytes", RUN_NAME_MAX - 1);
        snprintf(run->devices[i], RUN_NAME_MAX, "%s", name);
    }
    return true;
}

/* The devices of ranks.  One alone has all ranks; several must say which they
 * have.  Older recordings have the first rank of each device, whose ranks were
 * in a row. */
static bool
pass_places(const struct json_line *l, struct run_info *run, size_t nranks)
{
    int first[RUN_DEVICES_MAX] = {0}, last = run->ndevices - 1, known = 0;
    bool is_old = json_has(l, "first_ranks", false) &&
                  !json_has(l, "rank_devices", true);

    if (last > 0 && is_old &&
        !JSON_PASS(l, JSON_INTS("first_ranks", first, (size_t)run->ndevices, 0,
                                SCHEDULE_RANKS_MAX - 1)))
        return false;
    for (int i = 1; is_old && i <= last; i++)
        for (size_t rank = (size_t)first[i]; rank < nranks; rank++)
            run->device_of[rank] = i;
    if (last > 0 && !is_old &&
        !JSON_PASS(l, JSON_INTS("rank_devices", run->device_of, nranks, 0,
                                last)))
        return false;
    for (size_t rank = 0; rank < nranks; rank++)
        known += run->core_of[rank] >= 0;
    return !json_has(l, "cores", known > 0) ||
           JSON_PASS(l, JSON_INTS("cores", run->core_of, nranks, -1,
                                  INT16_MAX));
}

/* Older recordings have only the backend's name. */
static bool
pass_messages(const struct json_line *l, struct run_info *run)
{
    if (json_has(l, "messages", true))
        return JSON_PASS(l, JSON_BOOL("messages", &run->messages));
    run->messages = strcmp(run->backend, "threads") != 0 &&
                    strcmp(run->backend, "cuda") != 0;
    return true;
}

/* The places of the first ranks, which are the first places. */
static bool
pass_host_places(const struct json_line *l, int nranks, struct hosts *hosts)
{
    bool taken[HOSTS_LISTED_MAX] = {false};
    const json_t *list;

    if (!json_has(l, "host_places", hosts->listed > 0))
        return true;
    if (l->from != NULL) {
        if (hosts->gpus == 0)
            return err_set(l->err,
                           "\"host_places\" stands beside \"host_ranks\"");
        if (!json_get_array(l->from, "host_places", 1,
                            (size_t)least(nranks, HOSTS_LISTED_MAX), &list,
                            l->err))
            return false;
        hosts->listed = (int)json_array_size(list);
    }
    if (!JSON_PASS(l, JSON_INTS("host_places", hosts->places,
                                (size_t)hosts->listed, 0, hosts->listed - 1)))
        return false;
    for (int rank = 0; l->from != NULL && rank < hosts->listed; rank++) {
        int place = hosts->places[rank];
        if (taken[place])
            return err_set(l->err, "\"host_places\" has place %d twice", place);
        taken[place] = true;
    }
    return true;
}

/* Older recordings, which do not say whether ranks pass messages, have at most
 * so many bytes of a text. */
enum { OLD_TEXT_BYTES = 127 };

/* Drops the last entry of delays if their text was cut, maybe in a number. */
static bool
pass_purpose(const struct json_line *l, int nranks, struct purpose *p)
{
    OWN(buf) mismatch = {0}, fault = {0}, delays = {0};
    const char *texts[PURPOSE_PARTS], *last;
    int rules = (int)p->mismatch.rules;

    if (l->from == NULL) {
        purpose_add(p, PURPOSE_MISMATCH, &mismatch);
        purpose_add(p, PURPOSE_FAULT, &fault);
        purpose_add(p, PURPOSE_DELAYS, &delays);
    }
    texts[PURPOSE_MISMATCH] = buf_text(&mismatch);
    texts[PURPOSE_FAULT] = buf_text(&fault);
    texts[PURPOSE_DELAYS] = buf_text(&delays);
    if (!JSON_PASS(l, JSON_BORROWED("?mismatch", &texts[PURPOSE_MISMATCH],
                                    PURPOSE_TEXT_MAX),
                   JSON_WORD("?rules", &rules, mismatch_rules),
                   JSON_BORROWED("?fault", &texts[PURPOSE_FAULT],
                                 PURPOSE_TEXT_MAX),
                   JSON_BORROWED("?delay", &texts[PURPOSE_DELAYS],
                                 PURPOSE_TEXT_MAX)))
        return false;
    if (l->from == NULL)
        return true;
    last = strrchr(texts[PURPOSE_DELAYS], ' ');
    if (last != NULL && !json_has(l, "messages", true) &&
        strlen(texts[PURPOSE_DELAYS]) == OLD_TEXT_BYTES) {
        buf_add(&delays, texts[PURPOSE_DELAYS],
                (size_t)(last - texts[PURPOSE_DELAYS]));
        texts[PURPOSE_DELAYS] = buf_text(&delays);
    }
    if (!purpose_read(p, texts[PURPOSE_MISMATCH], texts[PURPOSE_FAULT],
                      texts[PURPOSE_DELAYS], nranks, l->err))
        return false;
    /* Older versions had no other rules. */
    if (rules == RULES_AUTO && p->mismatch.kind != MISMATCH_NONE &&
        p->mismatch.kind != MISMATCH_ORDER)
        rules = RULES_MPI;
    p->mismatch.rules = (enum mismatch_rules)rules;
    return true;
}

/* The algorithm's name, when read, belongs to the object.  Older recordings
 * have no topology. */
static bool
pass_run(const struct json_line *l, struct schedule_spec *s, int *nsteps,
         struct run_info *run)
{
    static const char *const paces[] = {"lockstep", "free", NULL};
    struct topology *t = &s->topology;
    const char *collective = s->collective != NULL ? s->collective->name : "";
    const char *topology = topology_name(t->kind);
    const char *type = dtype_name(run->type), *op = redop_name(run->op);
    int version = STREAM_VERSION, pace = run->free, place = (int)run->place;

    if (!JSON_PASS(l, JSON_INT("version", &version, 1, INT32_MAX)))
        return false;
    if (version != STREAM_VERSION)
        return err_set(l->err, "version %d of the format; this collviz reads "
                       "version %d", version, STREAM_VERSION);
    if (!JSON_PASS(l, JSON_BORROWED("collective", &collective,
                                    SCHEDULE_NAME_MAX),
                   JSON_BORROWED("algorithm", &s->algorithm,
                                 SCHEDULE_NAME_MAX),
                   JSON_INT("ranks", &s->nranks, 1, SCHEDULE_RANKS_MAX),
                   JSON_TEXT("backend", run->backend, SCHEDULE_NAME_MAX)) ||
        !pass_devices(l, run) ||
        !JSON_PASS(l, JSON_BORROWED("type_name", &type, SCHEDULE_NAME_MAX),
                   JSON_BORROWED("op", &op, SCHEDULE_NAME_MAX),
                   JSON_INT("root", &s->root, 0, s->nranks - 1),
                   JSON_INT64("count", &run->count, 0, INT64_MAX / 16),
                   JSON_INT("steps", nsteps, 0, INT32_MAX - 1),
                   JSON_BOOL("in_place", &s->in_place),
                   JSON_INT("pieces", &s->pieces, 1, SCHEDULE_SLOTS_MAX),
                   JSON_INT("scratch", &s->scratch, 0, SCHEDULE_SLOTS_MAX),
                   JSON_BORROWED("?topology", &topology, SCHEDULE_NAME_MAX)) ||
        (json_has(l, "shape", t->dims[0] > 0) &&
         !JSON_PASS(l, JSON_INTS("shape", t->dims, TOPOLOGY_DIMS, 1,
                                 SCHEDULE_RANKS_MAX))) ||
        !JSON_PASS(l, JSON_INT("?switches", &t->switches, 0,
                               SCHEDULE_RANKS_MAX - 1),
                   JSON_WORD("pace", &pace, paces),
                   JSON_WORD("place", &place, places),
                   JSON_INT("places", &run->nplaces, 1, SCHEDULE_RANKS_MAX)) ||
        !pass_places(l, run, (size_t)s->nranks) ||
        !pass_messages(l, run) ||
        !pass_purpose(l, s->nranks, &run->purpose) ||
        !JSON_PASS(l, JSON_INT64("?clock_ns", &run->clock_ns, 0, INT64_MAX),
                   JSON_TEXT("?network", run->network, RUN_NAME_MAX),
                   JSON_INT("?host_ranks", &run->hosts.gpus, 1,
                            SCHEDULE_RANKS_MAX),
                   JSON_INT("?host_turn", &run->hosts.turn, 1,
                            SCHEDULE_RANKS_MAX)) ||
        !pass_host_places(l, s->nranks, &run->hosts))
        return false;
    if (l->from == NULL)
        return true;
    run->free = pace == 1;
    if (strcmp(run->backend, "smpi") == 0 && run->network[0] == '\0')
        strcpy(run->network, "SimGrid"); /* an older recording's own times */
    run->place = (enum run_place)place;
    run_know_hosts(run);
    s->collective = collective_find(collective);
    if (s->collective == NULL)
        return err_set(l->err, "collviz knows no collective \"%s\"",
                       collective);
    if (!topology_find(topology, &t->kind))
        return err_set(l->err, "collviz knows no topology \"%s\"", topology);
    if (!dtype_find(type, &run->type))
        return err_set(l->err, "collviz knows no type \"%s\"", type);
    if (!redop_find(op, &run->op))
        return err_set(l->err, "collviz knows no operator \"%s\"", op);
    return redop_check(run->op, run->type, l->err) &&
           schedule_spec_check(s, l->err);
}

/* The input of a mismatched run is all slots: its ranks may have theirs in
 * different ones. */
static bool
pass_input(const struct json_line *l, const struct run_info *run,
           const struct schedule *s, int *rank, struct region *in)
{
    if (!JSON_PASS(l, JSON_INT("rank", rank, 0, s->nranks - 1)))
        return false;
    *in = run_mismatched(run) ? (struct region){0, s->nslots}
                              : schedule_input(s, *rank);
    return JSON_PASS(l, JSON_INT("slot", &in->first, in->first, in->first),
                     JSON_INT("slots", &in->count, in->count, in->count));
}

static bool
pass_times(const struct json_line *l, const struct schedule *s,
           struct event *e)
{
    int fault = e->fault;

    if (!JSON_PASS(l, JSON_INT64("begin_ns", &e->begin_ns, 0, INT64_MAX)) ||
        !JSON_PASS(l,
                   JSON_INT64("end_ns", &e->end_ns, e->begin_ns, INT64_MAX),
                   JSON_INT("slice", &e->slice, 0, INT32_MAX),
                   JSON_INT64("wait_ns", &e->wait_ns, 0, INT64_MAX),
                   JSON_INT("waited_for", &e->waited_for, -1, s->nranks - 1),
                   JSON_WORD("?fault", &fault, stream_faults)))
        return false;
    e->fault = (uint8_t)fault;
    return true;
}

/* The phase is for people: it is not read. */
static bool
pass_transfer(const struct json_line *l, const struct schedule *s,
              struct event *e)
{
    const char *phase;
    int op = e->op;

    if (!JSON_PASS(l, JSON_INT("step", &e->step, 1, s->nsteps)))
        return false;
    phase = s->steps[e->step - 1].phase;
    if (l->from == NULL)
        JSON_PASS(l, JSON_BORROWED("phase", &phase, SCHEDULE_NAME_MAX));
    if (!JSON_PASS(l, JSON_INT("src", &e->src, 0, s->nranks - 1),
                   JSON_INT("dst", &e->dst, 0, s->nranks - 1),
                   JSON_INT("src_slot", &e->src_slot, 0, s->nslots - 1),
                   JSON_INT("dst_slot", &e->dst_slot, 0, s->nslots - 1)) ||
        !JSON_PASS(l,
                   JSON_INT("slots", &e->nslots, 1,
                            s->nslots - most(e->src_slot, e->dst_slot)),
                   JSON_WORD("op", &op, ops),
                   JSON_INT64("bytes", &e->bytes, 0, EVENT_BYTES_MAX)))
        return false;
    e->op = (uint8_t)op;
    return pass_times(l, s, e);
}

static bool
pass_divide(const struct json_line *l, const struct schedule *s,
            struct event *e)
{
    int members = schedule_members(s);

    return JSON_PASS(l, JSON_INT("rank", &e->dst, 0, s->nranks - 1),
                     JSON_INT("by", &members, members, members),
                     JSON_INT("slot", &e->dst_slot, 0, s->nslots - 1)) &&
           JSON_PASS(l, JSON_INT("slots", &e->nslots, 1,
                                 s->nslots - e->dst_slot)) &&
           pass_times(l, s, e);
}

static bool
pass_apart(const struct json_line *native, struct run_native *n)
{
    struct json_line l = *native;
    bool ok;

    if (!json_has(native, "apart", n->apart.elements > 0))
        return true;
    l.from = json_object_get(native->from, "apart");
    if (l.from == NULL)
        buf_puts(l.to, ",\"apart\":{");
    ok = JSON_PASS(&l,
                   JSON_INT64("elements", &n->apart.elements, 1, INT64_MAX),
                   JSON_INT("rank", &n->apart.rank, 0, SCHEDULE_RANKS_MAX),
                   JSON_INT("chunk", &n->apart.chunk, 0, SCHEDULE_SLOTS_MAX),
                   JSON_INT64("element", &n->apart.element, 0, INT64_MAX),
                   JSON_TEXT("own", n->apart.own, sizeof n->apart.own),
                   JSON_TEXT("ours", n->apart.ours, sizeof n->apart.ours));
    if (l.from == NULL)
        buf_putc(l.to, '}');
    return ok;
}

static bool
pass_native(const struct json_line *result, struct run_native *n)
{
    struct json_line l = *result;
    bool ok;

    if (!json_has(result, "native", n->name[0] != '\0'))
        return true;
    l.from = json_object_get(result->from, "native");
    if (l.from == NULL)
        buf_puts(l.to, ",\"native\":{");
    ok = JSON_PASS(&l, JSON_TEXT("name", n->name, sizeof n->name),
                   JSON_TEXT("inside", n->inside, sizeof n->inside),
                   JSON_INT64("wall_ns", &n->wall_ns, 0, INT64_MAX),
                   JSON_INT64("wrong", &n->wrong, 0, INT64_MAX),
                   JSON_INT64("differ", &n->differ, 0, INT64_MAX),
                   JSON_INT64("?timed_ns", &n->timed_ns, 0, INT64_MAX)) &&
         pass_apart(&l, n);
    if (l.from == NULL)
        buf_putc(l.to, '}');
    return ok;
}

/* bytes_sent has room for what is read. */
static bool
pass_result(const struct json_line *l, const struct schedule *s,
            struct run_result *r)
{
    int steps = s->nsteps;
    OWN(buf) text = {0};
    const char *said;

    wrong_text(&r->first_wrong, &text);
    said = buf_text(&text);
    if (!JSON_PASS(l, JSON_BOOL("correct", &r->correct),
                     JSON_INT64("wrong", &r->wrong, 0, INT64_MAX),
                     JSON_INT64("?unequal", &r->unequal, 0, INT64_MAX),
                     JSON_INT64("?overflowed", &r->overflowed, 0, INT64_MAX),
                     JSON_INT("steps", &steps, steps, steps),
                     JSON_INT64S("bytes_sent", r->bytes_sent,
                                 (size_t)r->nranks, 0, INT64_MAX),
                     JSON_INT64("wall_ns", &r->wall_ns, 0, INT64_MAX),
                     JSON_INT64("?timed_ns", &r->timed_ns, 0, INT64_MAX),
                     JSON_INT64("?here_ns", &r->here_ns, 0, INT64_MAX),
                     JSON_BORROWED("?first_wrong", &said, WRONG_TEXT_MAX),
                     JSON_BOOL("?hangs", &r->hangs)) ||
        !pass_native(l, &r->native))
        return false;
    if (l->from != NULL && said[0] != '\0') {
        r->first_wrong.kind = WRONG_SAID;
        snprintf(r->first_wrong.said, WRONG_TEXT_MAX, "%s", said);
    }
    return true;
}

static bool
pass_end(const struct json_line *l, int64_t lines, bool *complete)
{
    return JSON_PASS(l, JSON_BOOL("complete", complete),
                     JSON_INT64("lines", &lines, lines, lines));
}

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
                 ops[t->op == TRANSFER_REDUCE ? EVENT_REDUCE : EVENT_COPY],
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
        pass_run(&l, &spec, &nsteps, (struct run_info *)w->run);
        break;
    case ITEM_INPUT:
        buf_puts(out, "{\"type\":\"input\"");
        pass_input(&l, w->run, s, &rank, &in);
        write_contents(w,
                       item->content + (size_t)in.first *
                                           (size_t)content_words(s->nranks),
                       in.count, out);
        break;
    case ITEM_TRANSFER:
        buf_addf(out, "{\"type\":\"%s\"",
                 e.op == EVENT_DIVIDE ? "divide" : "transfer");
        (e.op == EVENT_DIVIDE ? pass_divide : pass_transfer)(&l, s, &e);
        if (e.content != NULL)
            write_contents(w, e.content, e.nslots, out);
        break;
    case ITEM_RESULT:
        buf_puts(out, "{\"type\":\"result\"");
        pass_result(&l, s, (struct run_result *)item->result);
        break;
    case ITEM_END:
        buf_puts(out, "{\"type\":\"end\"");
        pass_end(&l, w->lines, &(bool){item->complete});
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
    if (strcmp(op, ops[EVENT_COPY]) == 0)
        t->op = TRANSFER_COPY;
    else if (strcmp(op, ops[EVENT_REDUCE]) == 0)
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

/* Checks that the run is the known one, whose steps need not be read. */
static bool
is_known_run(struct stream_reader *r, const struct schedule_spec *spec)
{
    const struct schedule *s = r->known;

    if (s->collective != spec->collective || s->nranks != spec->nranks ||
        s->root != spec->root || s->pieces != spec->pieces ||
        s->scratch != spec->scratch || s->in_place != spec->in_place ||
        memcmp(&s->topology, &spec->topology, sizeof s->topology) != 0 ||
        s->nsteps != r->nsteps)
        return err_set(r->at.err, "it runs something else than it was given");
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
    if (!pass_run(&r->at, &spec, &r->nsteps, &r->run))
        return false;
    spec.align = mismatch_align(r->run.purpose.mismatch.rules,
                                dtype_size(r->run.type));
    item->type = ITEM_RUN;
    if (r->known != NULL)
        return is_known_run(r, &spec);
    r->reading = schedule_new(&spec);
    if ((uint64_t)spec.nranks * (uint64_t)r->reading->nslots *
            (uint64_t)content_words(spec.nranks) * sizeof(uint64_t) >
        CONTENT_BYTES_MAX)
        return err_set(r->at.err, "%d rank%s of %d slots are more than collviz "
                       "can show", spec.nranks, err_plural(spec.nranks),
                       r->reading->nslots);
    return r->nsteps > 0 || finish_run(r, item);
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
    if (!pass_input(&r->at, &r->run, r->schedule, &item->rank, &in))
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
    return pass_transfer(&r->at, r->schedule, &item->event) &&
           read_content(r, item);
}

static bool
read_divide(struct stream_reader *r, struct item *item)
{
    struct event *e = &item->event;

    if (!pass_divide(&r->at, r->schedule, e))
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
    return pass_result(&r->at, r->schedule, &r->result);
}

static bool
read_end(struct stream_reader *r, struct item *item)
{
    item->type = ITEM_END;
    r->over = true;
    return pass_end(&r->at, r->line, &item->complete);
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
