/* SPDX-License-Identifier: MIT */
#include "play/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "play/build.h"
#include "schedule/check.h"

struct job *
job_new(struct plan *plan)
{
    struct job *j;

    if (plan == NULL)
        return NULL;
    j = mem_new(1, sizeof *j);
    j->plan = plan;
    j->schedule = plan->seen;
    session_init(&j->session);
    j->session.timeout_ns = plan->o.timeout * INT64_C(1000000000);
    return j;
}

void
job_free(struct job *j)
{
    if (j == NULL)
        return;
    session_done(&j->session);
    plan_free(j->plan);
    free(j);
}

bool
job_proved(const struct job *j, struct err *err)
{
    return schedule_check(j->schedule, j->plan->run.input.count, NULL, err);
}

bool
job_start(struct job *j, bool in_turn, struct err *err)
{
    struct plan *p = j->plan;

    p->run.in_turn = in_turn;
    j->session.run = run_open(p->backend, p->seen, &p->run, err);
    if (j->session.run != NULL && p->o.network.name[0] != '\0')
        session_model(&j->session, &p->o.network, p->seen, &p->run.input,
                      p->delays);
    return j->session.run != NULL;
}

/* Whether a text is the one that the other run has. */
static bool
is_inherited(const char *text, const char *from)
{
    return text != NULL && from != NULL && strcmp(text, from) == 0;
}

/* Drops delays of ranks and switches that no longer exist, and an input, counts
 * or a shape for another number of ranks or elements, or for other ways to say
 * these.  There are as many elements as before, if these are enough for all
 * ranks.  So "and with 3?" needs only a number. */
static void
forget_missing_ranks(struct options *o, const struct options *base,
                     bool other_algorithm)
{
    int64_t count_before = build_count(base, build_ranks(base));
    size_t kept = 0;
    bool other_data;

    if (o->nranks != base->nranks &&
        memcmp(o->dims, base->dims, sizeof o->dims) == 0)
        memset(o->dims, 0, sizeof o->dims);
    other_data =
        build_ranks(o) != build_ranks(base) || o->count != base->count;
    for (size_t i = 0; i < o->ndelays; i++)
        if (i >= base->ndelays || o->delays[i].rank < build_ranks(o) ||
            (build_ranks(o) == build_ranks(base) && !other_algorithm))
            o->delays[kept++] = o->delays[i];
    o->ndelays = kept;
    if (is_inherited(o->counts, base->counts) &&
        (other_data ||
         (o->input != NULL && !is_inherited(o->input, base->input)))) {
        free(o->counts);
        o->counts = NULL;
    }
    if (is_inherited(o->input, base->input) &&
        (other_data || o->counts != NULL)) {
        if (o->counts == NULL && o->count < 0 &&
            count_before >= build_ranks(o))
            o->count = count_before;
        free(o->input);
        o->input = NULL;
    }
    if (o->counts != NULL && o->count == base->count)
        o->count = -1;
}

bool
job_options(struct options *o, const struct options *base, const char *text,
            char **name, struct err *err)
{
    bool ok = options_add(o, base, FOR_CHANGE, text, err);

    *name = NULL;
    if (ok && o->noperands > 1)
        ok = err_set(err, "'%s': one ALGORITHM at a time", o->operands[1]);
    if (ok && o->noperands == 1)
        *name = mem_string(o->operands[0]);
    o->noperands = 0;
    o->operands = NULL;
    return ok;
}

struct job *
job_changed(const struct job *j, const char *text, struct err *err)
{
    const struct plan *p = j->plan;
    OWN(options) o = {0};
    OWN_MEMORY char *name = NULL;

    if (p->given) {
        err_set(err, "this run was wired by hand: wire another one to change "
                "it");
        return NULL;
    }
    if (!job_options(&o, &p->o, text, &name, err))
        return NULL;
    forget_missing_ranks(&o, &p->o, name != NULL);
    return job_new(plan_new(name != NULL ? name : p->name, NULL, &o, err));
}
