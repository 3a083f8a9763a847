/* SPDX-License-Identifier: MIT */
/* The run of a schedule that the learner wires.  A schedule is fixed when its
 * ranks are made, so each step makes them anew: they run to where they were
 * before the step, at once, and then take it as it is watched. */
#include "base/clock.h"
#include "tutor/verbs.h"

/* The options of the run: two elements a chunk. */
static bool
read_options(const struct tutor *t, const struct schedule *s,
             struct options *o, struct err *err)
{
    struct buf text = {0};
    char *none;
    bool ok;

    buf_addf(&text, "--gpus %d --count %d", s->nranks, 2 * s->nchunks);
    if (s->root > 0)
        buf_addf(&text, " --root %d", s->root);
    ok = job_options(o, t->options, buf_text(&text), &none, err);
    buf_done(&text);
    return ok;
}

/* A job for the schedule, which it takes over. */
static struct job *
job_of(const struct tutor *t, struct schedule *s, struct err *err)
{
    struct options o;
    struct job *job = NULL;
    int status;

    if (read_options(t, s, &o, err))
        job = job_given(s, &o, &status, err);
    else
        schedule_free(s);
    options_done(&o);
    return job;
}

/* Puts the run of a schedule, which it takes over, in the place of the wired
 * run, after step `from`, and lets it go on from there. */
static bool
put(struct tutor *t, struct schedule *s, int from, struct err *err)
{
    struct job *job = tutor_start_job(t, job_of(t, s, err), err);
    struct session *run;
    struct err ignored;
    bool ok;

    if (job == NULL)
        return false;
    run = &job->session;
    if (tutor_unwatched(t))
        from = job->schedule->nsteps;
    ok = session_grant(run, from, err);
    while (ok && world_complete_steps(run->world) < from)
        ok = tutor_await(run, err);
    if (!ok) {
        tutor_drop_job(t, job);
        return false;
    }
    if (t->shown == t->wired) {
        player_done(&t->player);
        t->shown = -1;
    }
    tutor_drop_job(t, t->runs[t->wired]);
    t->runs[t->wired] = job;
    tutor_show(t, t->wired);
    world_seek(run->world, from);
    player_next(&t->player, clock_ns());
    t->keeps = wiring_keeps(job->schedule, &t->cost, &ignored);
    t->changed = true;
    return true;
}

bool
tutor_wire_begin(struct tutor *t, struct err *err)
{
    struct job *job;

    if (t->nruns == TUTOR_RUNS)
        return err_set(err, "a lesson has at most %d runs", TUTOR_RUNS);
    job = tutor_start_job(t, job_of(t, wiring_new(&t->quiz.wiring), err), err);
    if (job == NULL)
        return false;
    t->commands[t->nruns] = NULL;
    t->runs[t->nruns] = job;
    t->wired = t->nruns;
    t->keeps = false;
    tutor_show(t, t->nruns++);
    return true;
}

bool
tutor_wire(struct tutor *t, const struct transfer *step, size_t n,
           struct err *err)
{
    const struct schedule *s = t->runs[t->wired]->schedule;
    struct schedule *longer = schedule_copy(s, s->nsteps);

    if (wiring_add(&t->quiz.wiring, longer, step, n, err))
        return put(t, longer, s->nsteps, err);
    schedule_free(longer);
    return false;
}

bool
tutor_unwire(struct tutor *t, struct err *err)
{
    const struct schedule *s = t->runs[t->wired]->schedule;

    if (s->nsteps == 0)
        return err_set(err, "there is no step to take back");
    return put(t, schedule_copy(s, s->nsteps - 1), s->nsteps - 1, err);
}

/* An answer that is on the screen stays as it is; another one begins at its
 * input. */
bool
tutor_wire_show(struct tutor *t, const json_t *answer, struct err *err)
{
    json_t *shown = wiring_answer(t->runs[t->wired]->schedule);
    bool is_shown = json_equal(shown, answer);
    struct schedule *s;

    json_decref(shown);
    if (is_shown)
        return true;
    s = wiring_schedule(&t->quiz.wiring, answer, err);
    if (s == NULL || !put(t, s, 0, err))
        return false;
    if (!tutor_unwatched(t))
        player_play(&t->player, clock_ns());
    return true;
}

struct job *
tutor_copy_run(const struct tutor *t, struct err *err)
{
    const struct job *job = t->runs[t->shown];

    if (!job->given)
        return job_changed(job, "", err);
    return job_of(t, schedule_copy(job->schedule, job->schedule->nsteps), err);
}
