/* SPDX-License-Identifier: MIT */
#include "run/reporter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "event/ledger.h"
#include "run/verify.h"

/* Steps that are not over after so long may never be.  What is known of them is
 * then reported even if it is not their turn. */
#define TURN_NS INT64_C(500000000)

/* What was reported last. */
enum stage { NOTHING, INPUTS, EVENTS, RESULT, END };

struct reporter {
    const struct machine *machine;
    void *run; /* the machine's */
    const struct schedule *s;
    struct run_options options;
    struct run_info info;
    enum stage stage;
    int inputs;         /* that have been reported */
    int granted;        /* steps; -1 before the first grant */
    bool looked;        /* at the machine, since the last RUN_LATER */
    bool idle;          /* as it was then */
    int64_t granted_ns; /* when, by this process's clock */
    bool hangs;         /* and never will be */
    bool caught_up;     /* what was granted is over and reported */
    uint64_t *contents; /* of one rank, for ITEM_INPUT */
    struct run_result result;
    int64_t finished_ns; /* when the last event since the last grant ended */
};

/* What the rank of a mismatch has that the others have not. */
static struct purpose_mismatch
name_mismatch(const struct mismatch *m, int64_t count)
{
    struct purpose_mismatch named = {.rank = m->rank, .rules = m->rules};

    if (strcmp(m->its->algorithm, m->theirs->algorithm) != 0) {
        named.kind = MISMATCH_ALGORITHM;
        snprintf(named.algorithm, sizeof named.algorithm, "%s",
                 m->its->algorithm);
    } else if (m->its_count != count) {
        named.kind = MISMATCH_COUNT;
        named.number = m->its_count;
    } else {
        named.kind = m->turn > 0 ? MISMATCH_ORDER : MISMATCH_ROOT;
        named.number = m->turn > 0 ? 0 : m->its->root;
    }
    return named;
}

static void
describe_run(struct reporter *r)
{
    const struct run_options *o = &r->options;
    struct run_info *info = &r->info;

    *info = (struct run_info){.type = o->input.type, .op = o->input.op,
                              .count = o->input.count, .free = o->free,
                              .purpose.fault = o->fault};
    if (o->mismatch != NULL)
        info->purpose.mismatch = name_mismatch(o->mismatch, o->input.count);
    if (o->delays != NULL)
        memcpy(info->purpose.delays, o->delays,
               (size_t)r->s->nranks * sizeof *o->delays);
    snprintf(info->backend, sizeof info->backend, "%s", r->machine->backend);
    run_forget_cores(info);
    r->machine->describe(r->run, info);
    run_know_hosts(info);
}

struct reporter *
reporter_new(const struct machine *machine, const struct schedule *s,
             const struct run_options *o, struct err *err)
{
    struct reporter *r = mem_new(1, sizeof *r);
    size_t n = (size_t)s->nranks;

    r->machine = machine;
    r->s = s;
    r->options = *o;
    r->options.watched = o->timing.calls == 0;
    r->granted = -1;
    r->result.nranks = s->nranks;
    r->result.bytes_sent = mem_new(n, sizeof *r->result.bytes_sent);
    r->contents = mem_new((size_t)s->nslots * (size_t)content_words(s->nranks),
                          sizeof *r->contents);
    if (o->native && machine->compare == NULL)
        err_set(err, "the %s backend has nothing to compare with",
                machine->backend);
    else if (o->timing.calls > 0 && machine->time == NULL)
        err_set(err, "the %s backend cannot time calls", machine->backend);
    else if (o->mismatch != NULL && machine->mismatch == NULL)
        err_set(err, "the %s backend runs no mismatch", machine->backend);
    else
        r->run = machine->new(s, &r->options, err);
    if (r->run != NULL) {
        describe_run(r);
        return r;
    }
    reporter_free(r);
    return NULL;
}

void
reporter_free(struct reporter *r)
{
    if (r == NULL)
        return;
    r->machine->free(r->run);
    free(r->contents);
    free(r->result.bytes_sent);
    free(r);
}

void *
reporter_run(struct reporter *r)
{
    return r->run;
}

bool
reporter_grant(struct reporter *r, int to, struct err *err)
{
    if (!r->options.watched && to != r->s->nsteps)
        return err_set(err, "a timed run takes all steps at once");
    if (r->options.mismatch != NULL && to != r->s->nsteps)
        return err_set(err, "a mismatched run takes all steps at once");
    if (!r->machine->grant(r->run, to, &r->finished_ns, err))
        return false;
    r->granted = to;
    r->granted_ns = clock_ns();
    r->looked = r->caught_up = false;
    return true;
}

/* Why the messages of a mismatched run do not fit. */
static bool
find_mismatch(struct reporter *r)
{
    return r->options.mismatch != NULL &&
           r->machine->mismatch(r->run, &r->result.first_wrong);
}

/* Fills in what a rank's slots hold before step 1: the input, and nothing. */
static void
input_contents(struct reporter *r, int rank)
{
    const struct mismatch *m = r->options.mismatch;
    bool its = m != NULL && rank == m->rank;
    const struct schedule *s = m == NULL ? r->s : its ? m->its : m->theirs;
    struct input in = r->options.input;
    struct region region = schedule_input(s, rank);
    size_t words = (size_t)content_words(s->nranks), size = dtype_size(in.type);
    uint64_t *contents = r->contents + (size_t)region.first * words;
    int64_t index = 0;

    in.count = its ? m->its_count : in.count;
    memset(r->contents, 0, (size_t)r->s->nslots * words * sizeof *r->contents);
    for (int chunk = 0; chunk < region.count; chunk++) {
        uint64_t *content = contents + (size_t)chunk * words;
        int64_t length = schedule_chunk_length(
            s, in.count, schedule_id(s, rank, chunk));
        uint64_t values[EVENT_VALUES]; /* of any type */

        input_elements(&in, rank, index,
                       length < EVENT_VALUES ? length : EVENT_VALUES, values);
        if (schedule_has_chunk(s, schedule_id(s, rank, chunk)))
            ledger_input(content, s->nranks, rank, chunk);
        content_copy(content, NULL, s->nranks, (unsigned char *)values, length,
                     (int)size);
        index += length;
    }
}

static enum run_got
report_result(struct reporter *r, struct item *item)
{
    r->stage = RESULT;
    item->type = ITEM_RESULT;
    item->result = &r->result;
    return RUN_ITEM;
}

/* Asks whether ranks are idle before it takes their events.  If they were, no
 * event can follow the last one found. */
static enum run_got
next_event(struct reporter *r, struct item *item, struct err *err)
{
    const struct event *e = &item->event;

    if (!r->looked) {
        if (!r->machine->look(r->run, &r->idle, err))
            return RUN_FAILED;
        r->hangs = !r->idle && find_mismatch(r);
    }
    r->looked = true;
    if ((r->idle || r->hangs || !r->options.in_turn ||
         clock_ns() - r->granted_ns >= TURN_NS) &&
        r->machine->event(r->run, &item->event)) {
        item->type = ITEM_TRANSFER;
        r->result.bytes_sent[e->src] += e->bytes;
        if (e->end_ns > r->finished_ns) { /* granted steps were unfinished */
            r->result.wall_ns += e->end_ns - r->finished_ns;
            r->finished_ns = e->end_ns;
        }
        return RUN_ITEM;
    }
    if (r->hangs) {
        r->result.hangs = true;
        return report_result(r, item);
    }
    r->looked = false;
    r->caught_up = r->idle;
    return r->idle ? RUN_CAUGHT_UP : RUN_LATER;
}

/* Runs the backend library's own collective, which has a verdict of its own. */
static bool
compare_library(struct reporter *r, struct err *err)
{
    struct run_result *result = &r->result;
    struct wrong wrong;

    if (!r->machine->compare(r->run, &result->native, &wrong, err))
        return false;
    if (result->correct && result->native.wrong > 0)
        result->first_wrong = wrong;
    return true;
}

/* A mismatched run is wrong if messages did not fit, whatever came of it; that
 * is named before its effects, but not by NCCL's rules, since nobody compares
 * the lengths of its messages. */
static bool
fetch_and_judge(struct reporter *r, struct err *err)
{
    const struct run_options *o = &r->options;
    struct rank_slots found;

    r->result.correct = true;
    if (o->timing.unchecked && !o->native)
        return true;
    if (!r->machine->fetch(r->run, &found, err))
        return false;
    if (o->mismatch != NULL) {
        verify_mismatched(o->mismatch, &o->input, &found, &r->result);
        if ((o->mismatch->rules == RULES_NCCL && r->result.wrong > 0) ||
            find_mismatch(r))
            r->result.correct = false;
    } else if (!o->timing.unchecked) {
        verify(r->s, &o->input, &found, &r->result);
    }
    return true;
}

static bool
time_run_calls(struct reporter *r, struct err *err)
{
    const struct timing *t = &r->options.timing;
    int64_t ignored;

    return t->calls == 0 ||
           (r->machine->time(r->run, t->warm_up, &ignored, err) &&
            r->machine->time(r->run, t->calls, &r->result.timed_ns, err));
}

enum run_got
reporter_next(struct reporter *r, struct item *item, struct err *err)
{
    bool first = r->s->in_place, all = r->granted == r->s->nsteps;
    enum run_got got;

    *item = (struct item){.run = &r->info, .schedule = r->s};
    switch (r->stage) {
    case NOTHING:
        r->stage = r->options.watched ? INPUTS : EVENTS;
        item->type = ITEM_RUN;
        return RUN_ITEM;
    case INPUTS:
        item->type = ITEM_INPUT;
        item->rank = r->inputs++;
        item->content = r->contents;
        input_contents(r, item->rank);
        if (r->inputs == r->s->nranks)
            r->stage = EVENTS;
        return RUN_ITEM;
    case EVENTS:
        if (r->granted < 0 || (r->caught_up && !all))
            return RUN_CAUGHT_UP;
        if (!r->caught_up) {
            got = next_event(r, item, err);
            return r->caught_up && all ? RUN_JUDGES : got;
        }
        /* Out of place the last of the timed calls is judged.  In place a call
         * takes the results of the one before as its input, so the first call
         * is judged. */
        if ((!first && !time_run_calls(r, err)) || !fetch_and_judge(r, err) ||
            (first && !time_run_calls(r, err)) ||
            (r->options.native && !compare_library(r, err)))
            return RUN_FAILED;
        return report_result(r, item);
    case RESULT:
        r->stage = END;
        item->type = ITEM_END;
        item->complete = !r->result.hangs;
        return RUN_ITEM;
    default:
        return RUN_CAUGHT_UP;
    }
}
