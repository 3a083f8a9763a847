/* SPDX-License-Identifier: MIT */
/* Verbs of what people read and answer: the lesson itself, pages, questions. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/translate.h"
#include "lesson/attempt.h"
#include "tutor/verbs.h"

enum { UNTRANSLATED_MOST = 1000 };

/* The lesson itself. */

/* Whether there is such a run as the header's picture says. */
static bool
picture_runs(const struct tutor *t, const json_t *with, struct err *err)
{
    const char *command = json_string_value(json_object_get(with, "picture"));
    OWN(options) o = {0};
    OWN_MEMORY char *name = NULL;
    struct plan *plan = NULL;

    if (command == NULL)
        return true;
    if (job_options(&o, &t->options, command, &name, err))
        plan = plan_new(name, NULL, &o, err);
    plan_free(plan);
    return plan != NULL || err_prefix(err, "picture");
}

static bool
lesson_act(struct tutor *t, struct said *s, struct err *err)
{
    int gpus = t->options.nranks;
    json_t *range = json_object_get(s->with, "gpus");
    json_int_t least, most;

    if (gpus != 0 && !json_is_array(range))
        return err_set(err, "--gpus %d: this lesson has its own numbers of "
                       "GPUs; leave --gpus out, and play with others in it "
                       "(>, then a)", gpus);
    if (gpus != 0 && json_unpack(range, "[II]", &least, &most) != 0)
        return err_set(err, "gpus is { least, most }");
    if (gpus != 0 && (gpus < least || gpus > most))
        return err_set(err, "--gpus %d: this lesson is for %d to %d GPUs",
                       gpus, (int)least, (int)most);
    if (!picture_runs(t, s->with, err) ||
        !card_read(&t->seen.card, s->with, err))
        return false;
    t->seen.picture.changed = true; /* its title shows while a run starts */
    if (gpus > 0)
        s->reply = json_integer(gpus);
    return true;
}

static bool
translate_act(struct tutor *t, struct said *s, struct err *err)
{
    const char *text = json_string_value(json_object_get(s->with, "text"));
    const char *translation;

    if (text == NULL)
        return err_set(err, "_ needs a string: _\"...\"");
    translation = shelf_translated(t->path, text);
    if (translation == text &&
        json_array_size(t->seen.record.untranslated) < UNTRANSLATED_MOST)
        json_array_append_new(t->seen.record.untranslated,
                              json_pack("[is]", s->line, text));
    s->reply = json_string(translation);
    return true;
}

/* Pages. */

/* A lecture shows only the pages that follow this verb, and what moves before
 * them. */
static bool
lecture_act(struct tutor *t, struct said *s, struct err *err)
{
    const char *how;

    if (!script_text(s->with, "how", true, &how, err))
        return false;
    if (how != NULL && strcmp(how, "spare") != 0)
        return err_set(err, "it is lecture(), or lecture \"spare\"");
    t->seen.mark = how != NULL ? MARK_SPARE : MARK_SHOWN;
    return true;
}

/* Every page may have notes. */
static bool
put_page(struct tutor *t, const struct said *s, enum page_kind kind,
         const char *text, struct err *err)
{
    if (!script_text(s->with, "notes", true, &t->seen.page.notes, err))
        return false;
    t->seen.page.kind = kind;
    t->seen.page.text = mem_string(text);
    t->seen.page.said = json_incref(s->with);
    t->seen.state = TUTOR_PAGE;
    return true;
}

/* Reads `follow`, { rank, slot } now or { rank, slot, step }: an output slot of
 * the run on the screen. */
static bool
read_trail(struct tutor *t, const struct said *s, struct err *err)
{
    const json_t *list = json_object_get(s->with, "follow");
    const struct world *w = tutor_world(t);
    int64_t rank, slot, step;
    struct region out;

    if (list == NULL || json_is_null(list))
        return true;
    if (w == NULL)
        return err_set(err, "follow comes after a run");
    out = schedule_outputs(w->schedule);
    step = w->position;
    if (!json_at(list, 0, 0, w->schedule->nranks - 1, &rank) ||
        !json_at(list, 1, 0, out.count - 1, &slot) ||
        (json_array_size(list) > 2 && !json_at(list, 2, 0, w->nsteps, &step)))
        return err_set(err, "follow must be { rank, slot } or { rank, slot, "
                       "step } of the run on the screen");
    t->seen.page.trail = trail_new(w->schedule, (int)rank,
                                   out.first + (int)slot, (int)step);
    return t->seen.page.trail != NULL ||
           err_set(err, "the run is too large to follow");
}

/* `terms` are the terms that the page explains. */
static bool
say_act(struct tutor *t, struct said *s, struct err *err)
{
    enum { TERMS_MOST = 8 };
    const char *terms[TERMS_MOST], *text;
    int count;

    if (!read_trail(t, s, err) ||
        !script_texts(s->with, "terms", 0, TERMS_MOST, terms, &count, err) ||
        !script_text(s->with, "text", false, &text, err))
        return false;
    for (int i = 0; i < count; i++)
        json_object_set_new(t->seen.record.terms, terms[i], json_true());
    return put_page(t, s, PAGE_TEXT, text, err);
}

static bool
play_act(struct tutor *t, struct said *s, struct err *err)
{
    const char *text;

    if (t->seen.picture.shown < 0)
        return err_set(err, "play comes after a run");
    return script_texts(s->with, "try", 0, PAGE_TRIES, t->seen.page.tries,
                        &t->seen.page.ntries, err) &&
           script_text(s->with, "text", false, &text, err) &&
           put_page(t, s, PAGE_PLAY, text, err);
}

static bool
remember_act(struct tutor *t, struct said *s, struct err *err)
{
    enum { LINES = 3 };
    const char *lines[LINES];
    OWN(buf) text = {0};
    int count;

    if (!script_texts(s->with, "lines", LINES, LINES, lines, &count, err))
        return false;
    for (int i = 0; i < count; i++)
        buf_addf(&text, "%s%d  %s", i > 0 ? "\n" : "", i + 1, lines[i]);
    return put_page(t, s, PAGE_REMEMBER, buf_text(&text), err);
}

static bool
used_act(struct tutor *t, struct said *s, struct err *err)
{
    static const char *const names[][2] = {
        {"nccl", "NCCL"}, {"pytorch", "PyTorch"}, {"mpi", "MPI"}, {"text", ""}};
    OWN(buf) text = {0};
    const char *call;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!script_text(s->with, names[i][0], true, &call, err))
            return false;
        if (call == NULL)
            continue;
        buf_puts(&text, text.length > 0 ? "\n" : "");
        if (names[i][1][0] != '\0')
            buf_addf(&text, "%-8s ", names[i][1]);
        buf_puts(&text, call);
    }
    return put_page(t, s, PAGE_USED, buf_text(&text), err);
}

/* Questions. */

/* Reads a question, and puts the run of its task on the screen, if it has
 * one. */
static bool
begin_question(struct tutor *t, json_t *with, struct err *err)
{
    const struct job *job = picture_job(&t->seen.picture);
    const struct schedule *run = job != NULL ? job->schedule : NULL;
    struct question *q = &t->seen.question;

    q->nsteps = run != NULL ? run->nsteps : 0;
    q->nrows = t->seen.picture.nlines;
    if (!question_read(q, with, run != NULL ? schedule_members(run) : 0,
                       run != NULL ? schedule_outputs(run).count : 0, err))
        return false;
    return question_kind(q)->show == NULL || question_kind(q)->show(t, err);
}

static bool
ask_act(struct tutor *t, struct said *s, struct err *err)
{
    uint32_t place = (uint32_t)record_count(&t->seen.record);

    question_done(&t->seen.question);
    if (!begin_question(t, s->with, err)) {
        /* a script may go on, and give its answer */
        question_done(&t->seen.question);
        return false;
    }
    /* The same order for a question every time, in every language; another one
     * for each question of each lesson, and for each round of a review. */
    question_shuffle(&t->seen.question,
                     (uint32_t)t->seen.card.number * 128 + place +
                                   (uint32_t)t->seen.how.round * 7919);
    if (t->seen.how.examines)
        t->seen.question.nhints = 0;
    if (!t->seen.question.predicts)
        json_array_append_new(t->seen.record.truths, json_null());
    t->seen.state = TUTOR_ASKS;
    return true;
}

/* Whether the next question is to be asked for another N or root: the round, or
 * null. */
static bool
again_act(struct tutor *t, struct said *s, struct err *err)
{
    json_int_t question = (json_int_t)record_count(&t->seen.record);

    (void)s;
    (void)err;
    json_array_append_new(t->seen.record.offered, json_integer(question));
    if (t->seen.how.round > 0 && question == t->seen.how.question)
        s->reply = json_integer(t->seen.how.round);
    return true;
}

bool
tutor_add_verdict(struct tutor *t, const struct verdict *v, struct buf *out,
                  struct err *err)
{
    const struct question *q = &t->seen.question;
    const json_t *last = v->attempt.last;
    OWN(buf) is = {0}, given = {0};

    (void)err;
    question_answer_text(
        q, v->right && question_kind(q)->proved ? last : v->truth, &is);
    question_answer_text(q, last, &given);
    if (v->right)
        buf_addf(out, v->at_once ? _("Right: %s")
                                 : _("Right at the second try: %s"),
                 buf_text(&is));
    else if (v->answered)
        buf_addf(out, _("You said: %s. It is: %s"), buf_text(&given),
                 buf_text(&is));
    else
        buf_addf(out, _("It is: %s"), buf_text(&is));
    return true;
}

/* Shows what the run says, after the answer. */
static bool
reveal_act(struct tutor *t, struct said *s, struct err *err)
{
    const struct question *q = &t->seen.question;
    const struct question_kind *kind = question_kind(q);
    size_t last = record_count(&t->seen.record) - 1;
    struct attempt a = attempt_read(
        json_array_get(t->seen.record.answers, last));
    json_auto_t *truth =
        question_truth(q, json_object_get(s->with, "truth"), err);
    struct verdict v = {a, truth, .answered = !json_is_null(a.last)};
    OWN(buf) text = {0}, why = {0};
    const char *reason; /* why the last answer is wrong */

    if (truth == NULL || !script_text(s->with, "reason", true, &reason, err))
        return false;
    v.right = question_is_right(q, a.last, truth);
    v.at_once = question_is_right(q, a.first, truth);
    record_reveal(&t->seen.record, truth, !tutor_omits(t),
                  v.at_once && a.hints == 0);
    t->seen.revealing = false;
    if (!(kind->verdict != NULL ? kind->verdict
                                : tutor_add_verdict)(t, &v, &text, err))
        return false;
    if (v.answered && !v.right && reason == NULL)
        reason = question_line(q, a.last);
    if (v.answered && !v.right && reason == NULL && kind->reason != NULL)
        kind->reason(q, &(struct slip){a.last, truth, tutor_world(t), -1},
                     &why);
    if (v.answered && !v.right && (reason != NULL || why.length > 0))
        buf_addf(&text, "\n%s", reason != NULL ? reason : buf_text(&why));
    buf_addf(&text, "\n%s", q->why != NULL ? q->why : "");
    t->seen.page.reply = v.answered ? json_boolean(v.right) : json_null();
    return put_page(t, s, v.right      ? PAGE_RIGHT
                          : v.answered ? PAGE_WRONG
                                       : PAGE_TRUTH, buf_text(&text), err);
}

const struct verb page_verbs[] = {
    {"lesson", .act = lesson_act},     {"_", .act = translate_act},
    {"lecture", .act = lecture_act},
    {"say", .act = say_act},           {"play", .act = play_act},
    {"remember", .act = remember_act}, {"used", .act = used_act},
    {"ask", .act = ask_act},           {"again", .act = again_act},
    {"reveal", .act = reveal_act},     {NULL, .act = NULL},
};
