/* SPDX-License-Identifier: MIT */
/* A schedule that the learner wires (tutor/wiring.h).  It is fixed when its
 * ranks are made, so each step makes them anew: they run to where they were
 * before the step, at once, and then take it as it is watched. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/translate.h"
#include "tutor/verbs.h"

static bool
wiring_read_keys(struct question *q, const json_t *with, struct err *err)
{
    return wiring_read(&q->wiring, with, false, err);
}

static json_t *
wiring_form(const struct question *q, const json_t *v, struct err *err)
{
    OWNS(schedule) *s = wiring_schedule(&q->wiring, v, err);

    return s != NULL ? wiring_answer(s) : NULL;
}

/* Whether it can be wired, and keeps the promise. */
static bool
is_wiring(const struct question *q, const json_t *v,
          struct check_counts *counts, struct err *err)
{
    OWNS(schedule) *s = wiring_schedule(&q->wiring, v, err);

    return s != NULL && schedule_check(s, s->nchunks, counts, err);
}

static void
wiring_text(const struct question *q, const json_t *v, struct buf *out)
{
    (void)q;
    for (size_t i = 0; i < json_array_size(v); i++)
        buf_addf(out, "%s%s", i > 0 ? "; " : "",
                 json_string_value(json_array_get(v, i)));
}

static bool
wiring_right(const struct question *q, const json_t *given,
             const json_t *truth)
{
    struct check_counts counts;
    struct err ignored;

    (void)truth;
    return is_wiring(q, given, &counts, &ignored) &&
           wiring_over(&q->wiring, &counts) <= 0;
}

static bool
wiring_check_truth(const struct question *q, const json_t *said,
                   struct err *err)
{
    struct check_counts counts;

    return is_wiring(q, said, &counts, err) &&
           (wiring_over(&q->wiring, &counts) == 0 ||
            err_set(err, "it takes %d step%s and %d chunk%s a GPU, which is "
                    "not the par", counts.steps, err_plural(counts.steps),
                    (int)counts.most_sent, err_plural(counts.most_sent)));
}

/* Its run. */

/* A job of two elements a chunk for the schedule, which it takes over.  With
 * `quick` it runs on threads if the learner has chosen no backend. */
static struct job *
job_of(const struct tutor *t, struct schedule *s, bool quick, struct err *err)
{
    OWN(options) o;

    options_copy(&o, &t->options);
    o.noperands = 0;
    o.nranks = s->nranks;
    o.count = 2 * (int64_t)s->nchunks;
    o.root = s->root;
    if (quick && strcmp(o.backend, "auto") == 0) {
        free(o.backend);
        o.backend = mem_string("threads");
    }
    return job_new(plan_new(s->algorithm, s, &o, err));
}

bool
tutor_run_to(struct session *run, int step, struct err *err)
{
    bool ok = step == 0 || session_grant(run, step, err);

    while (ok && world_complete_steps(run->world) < step)
        ok = tutor_await(run, err);
    return ok;
}

bool
tutor_put_schedule(struct tutor *t, struct schedule *s, int from, bool still,
                   struct err *err)
{
    struct job *job;

    if (t->seen.question.wired < 0 && t->seen.picture.nruns == PICTURE_RUNS) {
        schedule_free(s);
        return err_set(err, "a lesson has at most %d runs", PICTURE_RUNS);
    }
    job = tutor_start_job(t, job_of(t, s, still, err), err);
    if (job == NULL)
        return false;
    if (tutor_unwatched(t) && !still)
        from = job->schedule->nsteps;
    if (!tutor_run_to(&job->session, from, err)) {
        job_free(job);
        return false;
    }
    t->seen.question.wired =
        picture_put(&t->seen.picture, t->seen.question.wired, job, NULL);
    world_seek(job->session.world, from);
    if (!still)
        player_next(&t->seen.picture.player, clock_ns());
    return true;
}

static const struct schedule *
wired_schedule(const struct tutor *t)
{
    return t->seen.picture.runs[t->seen.question.wired]->schedule;
}

/* Puts what the learner wires on the screen.  A schedule that stands still
 * before its last step is not whole yet. */
static bool
put_wired(struct tutor *t, struct schedule *s, int from, bool still,
          struct err *err)
{
    bool drafted = still && from < s->nsteps;
    struct question *q = &t->seen.question;
    struct err ignored;

    if (!tutor_put_schedule(t, s, from, still, err))
        return false;
    q->drafted = drafted;
    q->keeps = !drafted && schedule_check(wired_schedule(t),
                                          wired_schedule(t)->nchunks, &q->cost,
                                          &ignored);
    return true;
}

static bool
wiring_show(struct tutor *t, struct err *err)
{
    t->seen.question.wired = -1;
    return put_wired(t, wiring_new(&t->seen.question.wiring), 0, true, err);
}

bool
tutor_wire(struct tutor *t, const struct transfer *list, size_t n,
           struct err *err)
{
    const struct schedule *s = wired_schedule(t);
    struct schedule *longer = schedule_copy(s, s->nsteps);
    const struct question *q = &t->seen.question;

    if (wiring_add(&q->wiring, longer, q->drafted, list, n, err))
        return put_wired(t, longer, longer->nsteps - 1, true, err);
    schedule_free(longer);
    return false;
}

bool
tutor_wire_run(struct tutor *t, struct err *err)
{
    const struct schedule *s = wired_schedule(t);

    return put_wired(t, schedule_copy(s, s->nsteps), s->nsteps - 1, false,
                     err);
}

bool
tutor_unwire(struct tutor *t, struct err *err)
{
    const struct schedule *s = wired_schedule(t);
    struct edit last = {.step = s->nsteps};
    int steps = s->nsteps - 1;

    if (s->nsteps == 0)
        return err_set(err, "there is no step to take back");
    last.index = (int)s->steps[steps].count - 1;
    return put_wired(t, t->seen.question.drafted && last.index > 0
                            ? edit_schedule(s, &last)
                            : schedule_copy(s, steps), steps, true, err);
}

struct job *
tutor_copy_run(const struct tutor *t, struct err *err)
{
    const struct job *job = picture_job(&t->seen.picture);

    if (!job->plan->given)
        return job_changed(job, "", err);
    return job_of(t, schedule_copy(job->schedule, job->schedule->nsteps), false,
                  err);
}

/* An answer that is on the screen stays as it is; another one begins at its
 * input. */
static bool
show_wiring(struct tutor *t, const json_t *answer, struct err *err)
{
    json_auto_t *shown = wiring_answer(wired_schedule(t));
    bool is_shown = !t->seen.question.drafted && json_equal(shown, answer);
    struct schedule *s;

    if (is_shown)
        return true;
    s = wiring_schedule(&t->seen.question.wiring, answer, err);
    if (s == NULL || !put_wired(t, s, 0, false, err))
        return false;
    if (!tutor_unwatched(t))
        player_play(&t->seen.picture.player, clock_ns());
    return true;
}

/* The verdict is its cost, beside the par. */
static bool
wiring_verdict(struct tutor *t, const struct verdict *v, struct buf *out,
               struct err *err)
{
    const struct wiring *w = &t->seen.question.wiring;
    OWN(buf) cost = {0}, par = {0}, model = {0};

    if (!show_wiring(t, v->answered ? v->attempt.last : v->truth, err))
        return false;
    wiring_add_cost(w, &t->seen.question.cost, &cost);
    wiring_add_par(w, &par);
    wiring_add_model(w, &model);
    if (!v->answered)
        buf_addf(out, _("One way, in %s."), buf_text(&cost));
    else if (!t->seen.question.keeps)
        buf_puts(out, _("It does not keep the promise."));
    else if (!v->right)
        buf_addf(out, _("It works, in %1$s; the best known takes %2$s."),
                 buf_text(&cost), buf_text(&par));
    else if (wiring_over(w, &t->seen.question.cost) < 0)
        buf_addf(out, _("Better than the best known! %1$s; ours takes %2$s."),
                 buf_text(&cost), buf_text(&par));
    else
        buf_addf(out, _("Right: %s; none better is known."), buf_text(&cost));
    buf_addf(out, "\n(%s)", buf_text(&model));
    return true;
}

static void
wiring_explain(const struct question *q, struct buf *out)
{
    OWN(buf) par = {0}, model = {0};

    wiring_add_par(&q->wiring, &par);
    wiring_add_model(&q->wiring, &model);
    buf_addf(out, _("best known: %1$s; %2$s"), buf_text(&par),
             buf_text(&model));
}

/* An empty table, to be filled in by hand: the transfers of each step, and what
 * the slots hold after it, as many steps beside each other as there is room
 * for. */
static void
wiring_sheet(const struct question *q, const struct world *run, int columns,
             struct buf *out)
{
    enum { CELL = 4, MARGIN = 10 };
    const struct wiring *w = &q->wiring;
    int slots = schedule_outputs(run->schedule).count;
    int steps = w->par_steps > 0 ? w->par_steps : 4, width = slots * CELL + 3;
    int beside = (columns - MARGIN) / width;

    for (int step = 1; step <= steps; step++)
        buf_addf(out, _("    step %-2d ________________________________________"
                        "____\n"), step);
    if (beside == 0)
        return;
    for (int from = 1; from <= steps; from += beside) {
        int end = from + beside <= steps ? from + beside : steps + 1;
        buf_puts(out, _("\n    after"));
        for (int k = from; k < end; k++)
            buf_addf(out, " %-*d", k + 1 < end ? width - 1 : 0, k);
        buf_putc(out, '\n');
        for (int rank = 0; rank < w->nranks; rank++) {
            buf_addf(out, "    GPU%-2d", rank);
            for (int k = from; k < end; k++) {
                buf_puts(out, k == from ? " " : "  ");
                for (int slot = 0; slot < slots; slot++)
                    buf_puts(out, slot == 0 ? "[___" : "|___");
                buf_putc(out, ']');
            }
            buf_putc(out, '\n');
        }
    }
}

const struct question_kind kind_wiring = {
    .name = "wiring", .notates = true, .steps = true, .proved = true,
    .samples = "[[]]",
    .read = wiring_read_keys, .form = wiring_form, .text = wiring_text,
    .right = wiring_right, .check_truth = wiring_check_truth,
    .show = wiring_show, .verdict = wiring_verdict,
    .explain = wiring_explain, .sheet = wiring_sheet,
};
