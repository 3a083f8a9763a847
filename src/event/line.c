/* SPDX-License-Identifier: MIT */
#include "event/line.h"

#include <inttypes.h>
#include <string.h>

#include "base/bounds.h"
#include "event/stream.h"

#define EVENT_BYTES_MAX (INT64_C(1) << 46) /* so that no sum overflows */

/* The words for enums of the code. */
const char *const line_ops[] = {
    [EVENT_COPY] = "copy", [EVENT_REDUCE] = "reduce", NULL};
static const char *const places[] = {
    [PLACE_CORE] = "core", [PLACE_GPU] = "GPU", [PLACE_HOST] = "host", NULL};
static const char *const wrongs[] = {
    [WRONG_NOTHING] = "",
    [WRONG_VALUE] = "value",
    [WRONG_UNLIKE] = "unlike",
    [WRONG_SUM] = "sum",
    [WRONG_HANGS] = "hangs",
    [WRONG_STOPS] = "stops",
    [WRONG_UNRECEIVED] = "unreceived",
    [WRONG_LENGTH] = "length",
    NULL};
static const char *const waits[] = {
    [WAIT_NONE] = "",
    [WAIT_THROUGH] = "through",
    [WAIT_RECEIVE] = "receive",
    [WAIT_SEND] = "send",
    [WAIT_TRUNCATED] = "truncated",
    NULL};
static const char *const chain_ends[] = {"", "cycle", NULL};

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
bool
line_run(const struct json_line *l, struct schedule_spec *s, int *nsteps,
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
bool
line_input(const struct json_line *l, const struct run_info *run,
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
bool
line_transfer(const struct json_line *l, const struct schedule *s,
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
                   JSON_WORD("op", &op, line_ops),
                   JSON_INT64("bytes", &e->bytes, 0, EVENT_BYTES_MAX)))
        return false;
    e->op = (uint8_t)op;
    return pass_times(l, s, e);
}

bool
line_divide(const struct json_line *l, const struct schedule *s,
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

/* Begins a member that is an object: the line of its own members. */
static struct json_line
open_member(const struct json_line *l, const char *key)
{
    struct json_line member = *l;

    if (l->from != NULL)
        member.from = json_object_get(l->from, key);
    else
        buf_addf(l->to, ",\"%s\":{", key);
    return member;
}

static bool
close_member(const struct json_line *member, bool ok)
{
    if (member->from == NULL)
        buf_putc(member->to, '}');
    return ok;
}

static bool
pass_apart(const struct json_line *native, struct run_native *n)
{
    struct json_line l;

    if (!json_has(native, "apart", n->apart.elements > 0))
        return true;
    l = open_member(native, "apart");
    return close_member(
        &l,
        JSON_PASS(&l, JSON_INT64("elements", &n->apart.elements, 1, INT64_MAX),
                  JSON_INT("rank", &n->apart.rank, 0, SCHEDULE_RANKS_MAX),
                  JSON_INT("chunk", &n->apart.chunk, 0, SCHEDULE_SLOTS_MAX),
                  JSON_INT64("element", &n->apart.element, 0, INT64_MAX),
                  JSON_TEXT("own", n->apart.own, sizeof n->apart.own),
                  JSON_TEXT("ours", n->apart.ours, sizeof n->apart.ours)));
}

static bool
pass_native(const struct json_line *result, struct run_native *n)
{
    struct json_line l;

    if (!json_has(result, "native", n->name[0] != '\0'))
        return true;
    l = open_member(result, "native");
    return close_member(
        &l, JSON_PASS(&l, JSON_TEXT("name", n->name, sizeof n->name),
                      JSON_TEXT("inside", n->inside, sizeof n->inside),
                      JSON_INT64("wall_ns", &n->wall_ns, 0, INT64_MAX),
                      JSON_INT64("wrong", &n->wrong, 0, INT64_MAX),
                      JSON_INT64("differ", &n->differ, 0, INT64_MAX),
                      JSON_INT64("?timed_ns", &n->timed_ns, 0, INT64_MAX)) &&
                pass_apart(&l, n));
}

/* Where data are wrong, and how. */
static bool
pass_place(const struct json_line *l, const struct schedule *s,
           struct wrong *w)
{
    if (!JSON_PASS(l, JSON_TEXT("?library", w->library, WRONG_LIBRARY_MAX),
                   JSON_INT("rank", &w->rank, 0, s->nranks - 1),
                   JSON_INT("chunk", &w->chunk, 0, SCHEDULE_SLOTS_MAX - 1)))
        return false;
    if (w->kind == WRONG_SUM)
        return JSON_PASS(l, JSON_TEXT("said", w->said, WRONG_TEXT_MAX));
    return JSON_PASS(l, JSON_INT64("element", &w->element, 0, INT64_MAX),
                     JSON_TEXT("expected", w->expected, DTYPE_TEXT_MAX),
                     JSON_TEXT("found", w->found, DTYPE_TEXT_MAX)) &&
           (w->kind != WRONG_UNLIKE ||
            JSON_PASS(l, JSON_INT("peer", &w->peer, 0, s->nranks - 1)));
}

/* A message, or what a rank waits for, with lengths or without them. */
static bool
pass_message(const struct json_line *l, const struct schedule *s, bool lengths,
             struct rank_wait *m)
{
    return JSON_PASS(l, JSON_INT("rank", &m->rank, 0, s->nranks - 1),
                     JSON_INT("peer", &m->peer, 0, s->nranks - 1),
                     JSON_INT("step", &m->step, 1, INT32_MAX)) &&
           (!lengths ||
            JSON_PASS(l, JSON_INT64("length", &m->length, 0, INT64_MAX),
                      JSON_INT64("room", &m->room, 0, INT64_MAX)));
}

static bool
pass_wait(const struct json_line *l, const struct schedule *s,
          struct rank_wait *wait)
{
    int kind = (int)wait->kind;

    if (!JSON_PASS(l, JSON_WORD("kind", &kind, waits)))
        return false;
    wait->kind = (enum wait_kind)kind;
    if (kind == WAIT_THROUGH)
        return JSON_PASS(l, JSON_INT("rank", &wait->rank, 0, s->nranks - 1));
    return pass_message(l, s, kind == WAIT_TRUNCATED, wait);
}

/* Whether each rank waits for the next one, and the last one, in a cycle, for
 * the first. */
static bool
is_chain(const struct wrong *w)
{
    bool ends = !w->cycle;

    for (int i = 0; i < w->nwaits; i++) {
        const struct rank_wait *wait = &w->waits[i];
        bool last = i == w->nwaits - 1;
        bool waits_on =
            wait->kind == WAIT_RECEIVE || wait->kind == WAIT_SEND;
        int next = w->waits[last ? 0 : i + 1].rank;
        if (wait->kind == WAIT_NONE || waits_on != !(last && ends) ||
            (waits_on && wait->peer != next && !(i == 0 && w->skipped > 0)))
            return false;
    }
    return (w->skipped == 0 || w->nwaits == WRONG_WAITS_MAX) &&
           (w->kind == WRONG_STOPS) == (w->nwaits == 1 && ends) &&
           (w->kind == WRONG_HANGS ||
            (w->waits[0].kind == WAIT_TRUNCATED && w->others == 0));
}

static bool
pass_chain(const struct json_line *l, const struct schedule *s,
           struct wrong *w)
{
    const json_t *list = NULL;
    int end = w->cycle;
    bool ok = true;

    if (l->from == NULL)
        buf_puts(l->to, ",\"waits\":[");
    else if (!json_get_array(l->from, "waits", 1, WRONG_WAITS_MAX, &list,
                             l->err))
        return false;
    else
        w->nwaits = (int)json_array_size(list);
    for (int i = 0; ok && i < w->nwaits; i++) {
        struct json_line wait = {json_array_get(list, (size_t)i), l->to,
                                 l->err};
        if (l->from == NULL)
            buf_puts(l->to, i > 0 ? ",{" : "{");
        ok = close_member(&wait, pass_wait(&wait, s, &w->waits[i]));
    }
    if (l->from == NULL)
        buf_putc(l->to, ']');
    ok = ok && JSON_PASS(l, JSON_WORD("?end", &end, chain_ends),
                         JSON_INT("?skipped", &w->skipped, 0, s->nranks),
                         JSON_INT("?others", &w->others, 0, s->nranks));
    w->cycle = end > 0;
    return ok && (l->from == NULL || is_chain(w) ||
                  err_set(l->err, "\"waits\" are of ranks that do not wait for "
                          "one another"));
}

static bool
pass_wrong(const struct json_line *l, const struct schedule *s,
           struct wrong *w)
{
    int kind = (int)w->kind;

    if (!JSON_PASS(l, JSON_WORD("kind", &kind, wrongs)))
        return false;
    w->kind = (enum wrong_kind)kind;
    switch (w->kind) {
    case WRONG_VALUE:
    case WRONG_UNLIKE:
    case WRONG_SUM:
        return pass_place(l, s, w);
    case WRONG_HANGS:
    case WRONG_STOPS:
        return pass_chain(l, s, w);
    case WRONG_UNRECEIVED:
    case WRONG_LENGTH:
        return pass_message(l, s, w->kind == WRONG_LENGTH, &w->waits[0]);
    case WRONG_NOTHING:
    case WRONG_SAID:
        break;
    }
    return err_set(l->err, "\"why\" says that nothing is wrong");
}

/* The sentence is for people and older versions: it is read only where there is
 * nothing else, as in older recordings. */
static bool
pass_first_wrong(const struct json_line *l, const struct schedule *s,
                 struct wrong *w)
{
    struct json_line why;
    OWN(buf) text = {0};
    const char *said;

    wrong_text(w, &text);
    said = buf_text(&text);
    if (!JSON_PASS(l, JSON_BORROWED("?first_wrong", &said, WRONG_TEXT_MAX)))
        return false;
    if (json_has(l, "why", said[0] != '\0' && w->kind != WRONG_SAID)) {
        why = open_member(l, "why");
        return close_member(&why, pass_wrong(&why, s, w));
    }
    if (l->from != NULL && said[0] != '\0') {
        w->kind = WRONG_SAID;
        snprintf(w->said, WRONG_TEXT_MAX, "%s", said);
    }
    return true;
}

bool
line_result(const struct json_line *l, const struct schedule *s,
            struct run_result *r)
{
    int steps = s->nsteps;

    return JSON_PASS(l, JSON_BOOL("correct", &r->correct),
                     JSON_INT64("wrong", &r->wrong, 0, INT64_MAX),
                     JSON_INT64("?unequal", &r->unequal, 0, INT64_MAX),
                     JSON_INT64("?overflowed", &r->overflowed, 0, INT64_MAX),
                     JSON_INT("steps", &steps, steps, steps),
                     JSON_INT64S("bytes_sent", r->bytes_sent,
                                 (size_t)r->nranks, 0, INT64_MAX),
                     JSON_INT64("wall_ns", &r->wall_ns, 0, INT64_MAX),
                     JSON_INT64("?timed_ns", &r->timed_ns, 0, INT64_MAX),
                     JSON_INT64("?here_ns", &r->here_ns, 0, INT64_MAX)) &&
           pass_first_wrong(l, s, &r->first_wrong) &&
           JSON_PASS(l, JSON_BOOL("?hangs", &r->hangs)) &&
           pass_native(l, &r->native);
}

bool
line_end(const struct json_line *l, int64_t lines, bool *complete)
{
    return JSON_PASS(l, JSON_BOOL("complete", complete),
                     JSON_INT64("lines", &lines, lines, lines));
}
