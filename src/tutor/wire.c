/* SPDX-License-Identifier: MIT */
/* The run of a schedule that the learner wires.  A schedule is fixed when its
 * ranks are made, so each step makes them anew: they run to where they were
 * before the step, at once, and then take it as it is watched. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "play/author.h"
#include "text/sum.h"
#include "tutor/verbs.h"

/* A job of two elements a chunk for the schedule, which it takes over.  With
 * `quick` it runs on threads if the learner has chosen no backend. */
static struct job *
job_of(const struct tutor *t, struct schedule *s, bool quick, struct err *err)
{
    bool threads = quick && strcmp(t->options.backend, "auto") == 0;
    OWN(buf) text = {0};
    OWN(options) o;
    struct job *job = NULL;
    char *none;

    buf_addf(&text, "--gpus %d --count %d%s", s->nranks, 2 * s->nchunks,
             threads ? " --backend threads" : "");
    if (s->root > 0)
        buf_addf(&text, " --root %d", s->root);
    if (job_options(&o, &t->options, buf_text(&text), &none, err))
        job = job_new(plan_new(s->algorithm, s, &o, err));
    else
        schedule_free(s);
    return job;
}

/* Lets a run that has not gone yet go to the end of a step. */
static bool
run_to(struct session *run, int step, struct err *err)
{
    bool ok = step == 0 || session_grant(run, step, err);

    while (ok && world_complete_steps(run->world) < step)
        ok = tutor_await(run, err);
    return ok;
}

/* Puts the run of a schedule, which it takes over, on the screen as it is after
 * step `from`, in the place of the last one for this question, and lets it go
 * on from there, unless `still`. */
static bool
put_schedule(struct tutor *t, struct schedule *s, int from, bool still,
             struct err *err)
{
    struct job *job;

    if (t->wired < 0 && t->nruns == TUTOR_RUNS) {
        schedule_free(s);
        return err_set(err, "a lesson has at most %d runs", TUTOR_RUNS);
    }
    job = tutor_start_job(t, job_of(t, s, still, err), err);
    if (job == NULL)
        return false;
    if (tutor_unwatched(t) && !still)
        from = job->schedule->nsteps;
    if (!run_to(&job->session, from, err)) {
        job_free(job);
        return false;
    }
    if (t->wired < 0) {
        t->wired = t->nruns++;
        t->commands[t->wired] = NULL;
    } else {
        if (t->shown == t->wired) {
            player_done(&t->player);
            t->shown = -1;
        }
        job_free(t->runs[t->wired]);
    }
    t->runs[t->wired] = job;
    tutor_show(t, t->wired);
    world_seek(job->session.world, from);
    if (!still)
        player_next(&t->player, clock_ns());
    t->changed = true;
    return true;
}

/* The same for what the learner wires.  A schedule that stands still before its
 * last step is not whole yet. */
static bool
put_wired(struct tutor *t, struct schedule *s, int from, bool still,
          struct err *err)
{
    bool drafted = still && from < s->nsteps;
    const struct schedule *wired;
    struct err ignored;

    if (!put_schedule(t, s, from, still, err))
        return false;
    wired = t->runs[t->wired]->schedule;
    t->drafted = drafted;
    t->keeps = !drafted && schedule_check(wired, wired->nchunks, &t->cost,
                                          &ignored);
    return true;
}

bool
tutor_wire_begin(struct tutor *t, struct err *err)
{
    t->wired = -1;
    return put_wired(t, wiring_new(&t->question.wiring), 0, true, err);
}

bool
tutor_wire(struct tutor *t, const struct transfer *list, size_t n,
           struct err *err)
{
    const struct schedule *s = t->runs[t->wired]->schedule;
    struct schedule *longer = schedule_copy(s, s->nsteps);

    if (wiring_add(&t->question.wiring, longer, t->drafted, list, n, err))
        return put_wired(t, longer, longer->nsteps - 1, true, err);
    schedule_free(longer);
    return false;
}

bool
tutor_wire_run(struct tutor *t, struct err *err)
{
    const struct schedule *s = t->runs[t->wired]->schedule;

    return put_wired(t, schedule_copy(s, s->nsteps), s->nsteps - 1, false,
                     err);
}

bool
tutor_unwire(struct tutor *t, struct err *err)
{
    const struct schedule *s = t->runs[t->wired]->schedule;
    struct edit last = {.step = s->nsteps};
    int steps = s->nsteps - 1;

    if (s->nsteps == 0)
        return err_set(err, "there is no step to take back");
    last.index = (int)s->steps[steps].count - 1;
    return put_wired(t, t->drafted && last.index > 0
                            ? edit_schedule(s, &last)
                            : schedule_copy(s, steps), steps, true, err);
}

/* An answer that is on the screen stays as it is; another one begins at its
 * input. */
bool
tutor_wire_show(struct tutor *t, const json_t *answer, struct err *err)
{
    json_auto_t *shown = wiring_answer(t->runs[t->wired]->schedule);
    bool is_shown = !t->drafted && json_equal(shown, answer);
    struct schedule *s;

    if (is_shown)
        return true;
    s = wiring_schedule(&t->question.wiring, answer, err);
    if (s == NULL || !put_wired(t, s, 0, false, err))
        return false;
    if (!tutor_unwatched(t))
        player_play(&t->player, clock_ns());
    return true;
}

struct job *
tutor_copy_run(const struct tutor *t, struct err *err)
{
    const struct job *job = t->runs[t->shown];

    if (!job->plan->given)
        return job_changed(job, "", err);
    return job_of(t, schedule_copy(job->schedule, job->schedule->nsteps), false,
                  err);
}

/* Rules. */

/* The schedule that a rule makes for one number of GPUs. */
struct trial {
    struct schedule *s; /* as far as it may be; NULL: it cannot be built */
    bool right;
    struct transfer bad; /* that may not be; dst -1: all may */
    struct err why;
};

/* The trial ends at the first step that breaks the task's rules, with the
 * reason that a learner who wires that step would get. */
static struct trial
try_rule(const struct wiring *w, const char *rule)
{
    struct coll_options o = {.nranks = w->nranks, .root = w->root,
                             .in_place = true};
    struct trial t = {.bad.dst = -1};
    OWN(buf) source = {0};
    struct schedule *all = NULL;
    struct check_counts counts;
    bool ok = true;

    if (rule_script(w, rule, &source, &t.why))
        all = author_build("rule", buf_text(&source), &o, &t.why);
    if (all == NULL)
        return t;
    t.s = wiring_new(w);
    for (int step = 1; ok && step <= all->nsteps; step++) {
        size_t count;
        const struct transfer *list = schedule_transfers(all, step, &count);
        ok = wiring_add(w, t.s, false, list, count, &t.why);
        if (!ok) {
            struct schedule *before = schedule_copy(t.s, step - 1);
            if (t.s->nsteps == step)
                t.bad = list[t.s->steps[step - 1].count];
            schedule_free(t.s);
            t.s = before;
            err_prefix(&t.why, "step %d", step);
        }
    }
    t.right = ok && schedule_check(t.s, t.s->nchunks, &counts, &t.why);
    schedule_free(all);
    return t;
}

bool
tutor_rule_begin(struct tutor *t, struct err *err)
{
    const struct wiring *all = &t->question.wiring;
    struct wiring one = wiring_for(all, all->tries[0]);

    t->wired = -1;
    return (t->shown >= 0 && t->how.round == 0) ||
           put_schedule(t, wiring_new(&one), 0, true, err);
}

/* Tries a rule with all numbers of GPUs of its task, up to the first for which
 * it is wrong.  Returns the last trial, and in *one its task; appends the
 * numbers of those that are right. */
static struct trial
try_all(const struct wiring *w, const char *rule, struct wiring *one,
        struct buf *proved)
{
    struct trial trial = {.right = true};

    for (int i = 0; trial.right && i < w->ntries; i++) {
        schedule_free(trial.s);
        *one = wiring_for(w, w->tries[i]);
        trial = try_rule(one, rule);
        if (trial.right)
            buf_addf(proved, "%sN=%d", i > 0 ? ", " : "", w->tries[i]);
    }
    return trial;
}

bool
tutor_proves_rule(const struct wiring *w, const char *rule)
{
    OWN(buf) proved = {0};
    struct wiring one;
    struct trial trial = try_all(w, rule, &one, &proved);

    schedule_free(trial.s);
    return trial.right;
}

/* Puts the picture of a trial that failed on the screen, and says what is
 * wrong in it. */
static void
show_failed(struct tutor *t, const struct wiring *w, struct trial *trial,
            struct buf *out)
{
    struct err ignored;
    const struct world *world;
    int rank = trial->bad.src, slot = trial->bad.src_slot, step;

    buf_clear(out);
    buf_addf(out, "N=%d: ", w->nranks);
    if (trial->s == NULL || !put_schedule(t, trial->s, 0, true, &ignored)) {
        buf_puts(out, trial->why.text);
        return;
    }
    world = tutor_world(t);
    step = world->nsteps;
    run_to(&t->runs[t->wired]->session, step, &ignored);
    if (trial->bad.dst >= 0) {
        buf_puts(out, trial->why.text);
    } else {
        struct flaw flaw = flaw_find(world);
        flaw_name(world, &flaw, out);
        step = flaw.step;
        rank = flaw.rank;
        slot = flaw.slot;
    }
    player_go(&t->player, step);
    t->question.rank = rank;
    t->question.slot = slot - schedule_outputs(world->schedule).first;
}

bool
tutor_try_rule(struct tutor *t, const char *rule, struct buf *out)
{
    struct wiring one;
    struct trial trial = try_all(&t->question.wiring, rule, &one, out);
    struct err ignored;

    t->question.rank = t->question.slot = -1;
    if (!trial.right)
        show_failed(t, &one, &trial, out);
    else if (put_schedule(t, trial.s, 0, false, &ignored) &&
             !tutor_unwatched(t))
        player_play(&t->player, clock_ns());
    return trial.right;
}
