/* SPDX-License-Identifier: MIT */
/* Verbs of runs: they start one, move it, and ask what it holds at the position
 * that the learner sees. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "base/signals.h"
#include "play/build.h"
#include "schedule/check.h"
#include "text/notation.h"
#include "tutor/verbs.h"

enum {
    RANKS_MOST = 64, /* above that data is counted, not named */
    DELAY_MOST_MS = 2000, /* of a rank, unless it is late for good (inf) */
};
static const double BYTES_MOST = 1 << 30; /* memory of a lesson's runs */

/* Making runs. */

bool
tutor_await(struct session *s, struct err *err)
{
    enum run_got got = session_pump(s, INT64_MAX, err);
    struct pollfd fds[2] = {{.fd = session_fd(s), .events = POLLIN},
                            {.fd = signals_fd(), .events = POLLIN}};

    if (got == RUN_LATER && poll(fds, 2, -1) < 0 && errno != EINTR)
        return err_set(err, "poll: %s", strerror(errno));
    if (signals_ending() != 0)
        return err_set(err, "a signal asks collviz to end");
    return got != RUN_FAILED;
}

bool
tutor_may_run(int ranks, struct err *err)
{
    return ranks <= RANKS_MOST ||
           err_set(err, "--gpus %d: a lesson has at most %d", ranks,
                   RANKS_MOST);
}

/* Builds a run, after a look at what it asks for, or takes the one that is kept
 * under that name. */
static struct job *
build_job(const struct tutor *t, const char *name, const struct options *o,
          const char *asked, struct err *err)
{
    struct job *job = kept_take(t->seen.how.kept, asked);

    if (job != NULL) {
        job->plan->o.folder = t->folder;
        return job;
    }
    if (name == NULL) {
        err_set(err, "which ALGORITHM? run \"ring-allreduce --gpus 3\"");
        return NULL;
    }
    if (!tutor_may_run(build_ranks(o), err))
        return NULL;
    for (size_t i = 0; i < o->ndelays; i++)
        if (o->delays[i].ns > DELAY_MOST_MS * INT64_C(1000000)) {
            err_set(err, "--delay: in a lesson a rank is late by %d ms at "
                    "most, or for good (inf)", DELAY_MOST_MS);
            return NULL;
        }
    if ((job = job_new(plan_new(name, NULL, o, err))) == NULL)
        return NULL;
    if (t->seen.how.unwatched && job->plan->o.network.name[0] != '\0')
        job->plan->run.delays = NULL; /* they are on the network's clock */
    if (tutor_may_run(schedule_members(job->schedule), err)) /* of a file */
        return job;
    job_free(job);
    return NULL;
}

struct job *
tutor_start_job(struct tutor *t, struct job *job, struct err *err)
{
    /* Events in turn come when their range is over; with a dead rank it is
     * never over. */
    bool in_turn = job != NULL && t->seen.how.unwatched &&
                   options_dead_rank(&job->plan->o) < 0;
    bool ok;
    const struct world *w;
    double bytes;

    if (job == NULL)
        return NULL;
    bytes = plan_bytes(job->plan);
    for (int i = 0; i < t->seen.picture.nruns; i++)
        bytes += plan_bytes(t->seen.picture.runs[i]->plan);
    ok = bytes <= BYTES_MOST ||
         err_set(err, "the lesson's runs need more than 1 GiB of memory: take "
                 "fewer elements");
    w = job->session.world;
    ok = ok && (w->has_end || job_start(job, in_turn, err));
    while (ok && (w->schedule == NULL || !world_step_complete(w, 0)))
        ok = tutor_await(&job->session, err);
    if (ok)
        return job;
    job_free(job);
    return NULL;
}

struct job *
tutor_finish_job(struct tutor *t, const char *verb, const char *name,
                 const struct options *o, const char *asked, struct err *err)
{
    struct job *job = build_job(t, name, o, asked, err);
    struct session *s;
    int64_t length; /* of the longest slot */
    bool ok;

    if (job == NULL)
        return NULL;
    length = schedule_chunk_length(job->schedule,
                                   job->plan->run.input.count,
                                   job->schedule->longest);
    ok = (asked != NULL || length <= EVENT_VALUES ||
          err_set(err, "%s: a slot has %lld elements, and a lesson sees %d at "
                  "most: take fewer", verb, (long long)length, EVENT_VALUES)) &&
         (o->ndelays == 0 ||
          err_set(err, "%s takes no --delay: its run is not shown", verb));
    if (!ok) {
        job_free(job);
        return NULL;
    }
    job = tutor_start_job(t, job, err);
    if (job == NULL)
        return NULL;
    s = &job->session;
    ok = session_grant(s, s->world->nsteps, err);
    while (ok && !s->world->has_end)
        ok = tutor_await(s, err);
    if (ok)
        return job;
    job_free(job);
    return NULL;
}

static bool
make_lesson_run(struct tutor *t, struct said *s, struct err *err)
{
    OWN(options) o = {0};
    OWN_MEMORY char *name = NULL;
    struct job *job;
    int64_t count;

    if (t->seen.picture.nruns == PICTURE_RUNS)
        return err_set(err, "a lesson has at most %d runs", PICTURE_RUNS);
    if (!job_options(&o, &t->options, s->command != NULL ? s->command : "",
                     &name, err))
        return false;
    if (t->seen.how.simulates && o.ndelays > 0 && o.network.name[0] == '\0' &&
        options_dead_rank(&o) < 0)
        network_parse("nvlink", &o.network, err);
    job = tutor_start_job(t, build_job(t, name, &o, s->command, err), err);
    if (job == NULL)
        return false;
    count = job->plan->run.input.count;
    s->reply = json_pack("{si si si sI sI}", "id", t->seen.picture.nruns,
                         "ranks", schedule_members(job->schedule), "steps",
                         job->schedule->nsteps, "count",
                         (json_int_t)count, "bytes",
                         (json_int_t)count *
                             (json_int_t)dtype_size(job->plan->run.input.type));
    picture_put(&t->seen.picture, -1, job, s->command);
    return true;
}

/* Moving. */

/* Whether every step of a run comes to its end. */
static bool
steps_end(const struct job *job, struct err *err)
{
    return (options_dead_rank(&job->plan->o) < 0 &&
            job->plan->run.mismatch == NULL) ||
           err_set(err, "a step of this run may never end: use settle");
}

/* Replies with the position that is reached.  With `all` the script asks for
 * steps until that is the last one. */
static bool
step_act(struct tutor *t, struct said *s, struct err *err)
{
    bool all = json_is_true(json_object_get(s->with, "all"));
    int from = s->world->position;

    if (!steps_end(s->job, err))
        return false;
    if (from == s->job->schedule->nsteps && all) {
        s->reply = json_integer(from);
        return true;
    }
    if (from == s->job->schedule->nsteps)
        return err_set(err, "the run is over: it has %d step%s", from,
                       err_plural(from));
    if (t->seen.mark != MARK_NONE)
        t->seen.planned_ns += PLAYER_STEP_MS * (int64_t)1000000;
    picture_move(&t->seen.picture, s->run, from + 1,
                 tutor_unwatched(t) ? 0 : clock_ns());
    return true;
}

static bool
go_act(struct tutor *t, struct said *s, struct err *err)
{
    int to;

    if (!steps_end(s->job, err) ||
        !script_integer(s->with, "step", 0, s->job->schedule->nsteps, &to,
                        err))
        return false;
    picture_move(&t->seen.picture, s->run, to, 0);
    return true;
}

static bool
show_act(struct tutor *t, struct said *s, struct err *err)
{
    (void)err;
    picture_show(&t->seen.picture, s->run);
    return true;
}

static bool
settle_act(struct tutor *t, struct said *s, struct err *err)
{
    (void)err;
    picture_settle(&t->seen.picture, s->run);
    return true;
}

/* What a run holds. */

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
holds_tell(const struct said *s)
{
    OWN(buf) text = {0};

    add_label(s->world, world_row(s->world, s->rank, s->slot),
              s->world->position >= s->world->sums_from, &text);
    return json_string(buf_text(&text));
}

static json_t *
order_tell(const struct said *s)
{
    enum { MOST = 400 };
    OWN(buf) text = {0};

    order_text(s->world, s->rank, s->slot, MOST, &text);
    return json_string(buf_text(&text));
}

/* Whole numbers become integers, even if the type is a float.  A number that is
 * not finite, which JSON does not have, becomes null. */
static json_t *
convert_element(enum dtype type, const uint64_t *element)
{
    char text[DTYPE_TEXT_MAX];
    double value;

    dtype_format(type, element, text);
    value = strtod(text, NULL);
    return !dtype_is_float(type) ? json_integer(strtoll(text, NULL, 10))
           : !isfinite(value)    ? json_null()
           : value == floor(value) && fabs(value) < 1e15
               ? json_integer((json_int_t)value)
               : json_real(value);
}

/* The first elements of a slot, or of each slot of a rank's output, one after
 * another. */
static json_t *
values_of(const struct world *w, int rank, int slot)
{
    struct region slots = slot >= 0 ? (struct region){slot, 1}
                                    : schedule_outputs(w->schedule);
    json_t *list = json_array();

    for (slot = slots.first; slot < slots.first + slots.count; slot++) {
        const uint64_t *elements = world_values(w, rank, slot);
        int64_t length = world_length(w, rank, slot);
        for (int64_t i = 0; i < length && i < EVENT_VALUES; i++)
            json_array_append_new(list,
                                  convert_element(w->run->type, &elements[i]));
    }
    return list;
}

static json_t *
values_tell(const struct said *s)
{
    return values_of(s->world, s->rank, s->slot);
}

/* Makes a run that nobody sees, and gives the script what each rank holds at
 * its end. */
static bool
outputs_act(struct tutor *t, struct said *s, struct err *err)
{
    OWN(options) o = {0};
    OWN_MEMORY char *name = NULL;
    struct job *job;
    struct world *w;
    bool ok;

    if (!job_options(&o, &t->options, s->command != NULL ? s->command : "",
                     &name, err) ||
        (job = tutor_finish_job(t, "outputs", name, &o, NULL, err)) == NULL)
        return false;
    w = job->session.world;
    ok = (w->has_result && !w->result.hangs) ||
         err_set(err, "outputs: the run hangs; use run, and settle");
    if (ok) {
        world_seek(w, w->nsteps);
        s->reply = json_array();
        for (int rank = 0; rank < w->schedule->nranks; rank++)
            json_array_append_new(s->reply, values_of(w, rank, -1));
    }
    job_free(job);
    return ok;
}

static json_t *
sent_tell(const struct said *s)
{
    return json_integer(s->world->sent[s->rank]);
}

static json_t *
received_tell(const struct said *s)
{
    return json_integer(s->world->received[s->rank]);
}

/* A transfer as a table for the script: its bytes, which may have been sent in
 * parts, how long after the start of its step it was through, and the names of
 * its data as before the step. */
static json_t *
pack_transfer(const struct world *w, int step, const struct transfer *t)
{
    const struct world_step *s = &w->steps[step];
    int first = schedule_outputs(w->schedule).first;
    int64_t bytes = 0, end_ns = s->begin_ns;
    bool done = false;
    OWN(buf) label = {0};

    for (size_t i = 0; i < s->count; i++) {
        const struct event *e = &s->events[i];
        if (e->src != t->src || e->dst != t->dst)
            continue;
        if (event_is_of(e, t)) {
            bytes += e->bytes;
            done = true;
        }
        if (e->end_ns > end_ns)
            end_ns = e->end_ns;
    }
    for (int k = 0; k < t->nslots; k++) {
        buf_puts(&label, k > 0 ? "," : "");
        add_label(w, world_row_at(w, t->src, t->src_slot + k, step - 1),
                  step >= w->sums_from, &label);
    }
    return json_pack("{si si si si sI sb sf ss}", "src", t->src, "dst", t->dst,
                     "src_slot", t->src_slot - first, "dst_slot",
                     t->dst_slot - first, "bytes", (json_int_t)bytes, "done",
                     done, "us",
                     (double)(end_ns - s->begin_ns) / 1e3, "label",
                     buf_text(&label));
}

static bool
transfers_act(struct tutor *t, struct said *s, struct err *err)
{
    struct world *w = s->world;
    const struct transfer *all;
    size_t count;
    int step;

    (void)t;
    if (!script_integer(s->with, "step", 1, w->nsteps, &step, err))
        return false;
    if (step > w->position && steps_end(s->job, err))
        return err_set(err, "step %d has not been taken yet", step);
    all = schedule_transfers(w->schedule, step, &count);
    s->reply = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(s->reply, pack_transfer(w, step, &all[i]));
    return true;
}

/* Ranks in lockstep stand still between steps while the learner thinks.  That
 * time does not count; a network's clock does not have it. */
static json_t *
time_tell(const struct said *s)
{
    const struct world *w = s->world;
    int64_t ns = 0;

    for (int step = 1; step <= w->position; step++) {
        const struct world_step *k = &w->steps[step];
        if (!w->run->free && !run_is_modelled(w->run))
            ns += k->end_ns - k->begin_ns;
        else if (k->end_ns > ns)
            ns = k->end_ns;
    }
    return json_real((double)ns / 1e3);
}

/* Breaks. */

/* Replies with what the proof says against the schedule, or null. */
static json_t *
proof_tell(const struct said *s)
{
    const struct broken *b = &s->job->plan->broken;
    const struct edit nothing = {.step = 1, .index = -1};
    struct err err;
    bool right = b->whole != NULL
                     ? break_mends(b, &nothing, &err)
                     : schedule_check(s->job->schedule, 0, NULL, &err);

    return right ? json_null() : json_string(err.text);
}

/* Whether a typed change mends the run.  It tries to change each transfer from
 * the one rank to the other, then to add one.  If none does, *err has what the
 * proof says of the first. */
static bool
is_mended(const struct broken *b, const struct change_place *p,
          const struct change *c, struct err *err)
{
    size_t count;
    const struct transfer *t =
        schedule_transfers(b->schedule, p->step, &count);
    struct err later, *why = err;
    bool steps = !c->puts && !c->takes;

    for (size_t i = 0; i <= count; i++) {
        bool more = i == count;
        struct edit e = {p->step, more ? -1 : (int)i,
                         c->takes ? 0 : c->step > 0 ? c->step : p->step,
                         c->puts || more ? c->put : t[i], 0};
        if (!more && (t[i].src != p->src || t[i].dst != p->dst))
            continue;
        if (more && !c->puts)
            break;
        if (b->rank < 0 && break_mends(b, &e, why))
            return true;
        if (b->rank < 0)
            why = &later;
    }
    return steps && break_mends(b, &(struct edit){.step = p->step,
                                                  .swap = c->step}, why);
}

static bool
is_broken(const struct said *s, struct err *err)
{
    return s->job->plan->broken.whole != NULL ||
           err_set(err, "this run is not broken: run { \"...\", broken = { "
                   "kind = \"lost\", seed = 7 } }");
}

/* Replies with the place of the break, and with the change that mends it. */
static bool
broken_act(struct tutor *t, struct said *s, struct err *err)
{
    const struct broken *b = &s->job->plan->broken;
    OWN(buf) place = {0}, mend = {0}, is = {0};
    struct transfer about;
    struct edit e;
    struct notation n;

    (void)t;
    if (!is_broken(s, err))
        return false;
    n = notation_for(b->whole);
    e = break_undone(b, &about);
    change_place_add(&(struct change_place){e.step, about.src, about.dst},
                     &place);
    notation_add(&n, &about, &is);
    change_add(&n,
               &(struct change){
                   .step = e.swap != 0        ? e.swap
                           : e.to != e.step ? e.to
                                              : 0,
                   .puts = e.swap == 0 &&
                           (e.to == e.step ||
                            memcmp(&e.put, &about, sizeof about) != 0),
                   .put = e.put},
               &mend);
    s->reply = json_pack("{ss ss ss ss si}", "kind", break_names[b->kind],
                         "place", buf_text(&place), "mend", buf_text(&mend),
                         "is", buf_text(&is), "rank", b->rank);
    return true;
}

/* Replies whether this change mends the run there; none: whether any does. */
static bool
mends_act(struct tutor *t, struct said *s, struct err *err)
{
    const struct broken *b = &s->job->plan->broken;
    const char *place, *change;
    struct notation n;
    struct change_place p;
    struct change c;
    struct err why = {.text = ""};
    bool right;

    (void)t;
    if (!is_broken(s, err) ||
        !script_text(s->with, "place", false, &place, err) ||
        !script_text(s->with, "change", true, &change, err))
        return false;
    n = notation_for(b->schedule);
    if (!change_place_read(&n, place, &p, err) ||
        (change != NULL && !change_read(&n, change, &c, err)))
        return false;
    right = change == NULL ? break_mends_at(b, p.step, p.src, p.dst)
                           : is_mended(b, &p, &c, &why);
    s->reply = json_pack("{sb ss}", "right", right, "said", why.text);
    return true;
}

const struct verb run_verbs[] = {
    {"run", .act = make_lesson_run},
    {"outputs", .act = outputs_act},
    {"step", SAYS_RUN, .act = step_act},
    {"go", SAYS_RUN, .act = go_act},
    {"show", SAYS_RUN, .act = show_act},
    {"settle", SAYS_RUN, .act = settle_act},
    {"proof", SAYS_RUN, .tell = proof_tell},
    {"broken", SAYS_RUN, .act = broken_act},
    {"mends", SAYS_RUN, .act = mends_act},
    {"transfers", SAYS_RUN, .act = transfers_act},
    {"holds", SAYS_SLOT, .tell = holds_tell},
    {"order", SAYS_SLOT, .tell = order_tell},
    {"values", MAY_SAY_SLOT, .tell = values_tell},
    {"sent", SAYS_RANK, .tell = sent_tell},
    {"received", SAYS_RANK, .tell = received_tell},
    {"time", SAYS_RUN, .tell = time_tell},
    {NULL, .act = NULL},
};
