/* SPDX-License-Identifier: MIT */
/* The verbs of a lesson, except those that only read (tutor_facts.c) and those
 * with a file of their own: bench, chart, code, compare, outputs, settle. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/attempt.h"
#include "play/build.h"
#include "tutor/tutor.h"

enum {
    RANKS_MOST = 64, /* above that data is counted, not named */
    UNTRANSLATED_MOST = 1000,
};
static const double BYTES_MOST = 1 << 30; /* memory of a lesson's runs */

/* The lesson itself. */

static bool
read_gpus(struct tutor *t, const json_t *range, int *gpus, struct err *err)
{
    const json_t *least = json_array_get(range, 0);
    const json_t *most = json_array_get(range, 1);
    int requested = t->options->nranks;

    *gpus = requested;
    if (requested == 0)
        return true;
    if (!json_is_array(range))
        return err_set(err, "--gpus %d: this lesson has its own numbers of "
                       "GPUs; leave --gpus out, and play with others in it "
                       "(>, then a)", requested);
    if (!json_is_integer(least) || !json_is_integer(most))
        return err_set(err, "gpus is { least, most }");
    if (requested < json_integer_value(least) ||
        requested > json_integer_value(most))
        return err_set(err, "--gpus %d: this lesson is for %d to %d GPUs",
                       requested, (int)json_integer_value(least),
                       (int)json_integer_value(most));
    return true;
}

static enum tutor_did
lesson(struct tutor *t, const struct request *r, json_t **reply,
       struct err *err)
{
    enum { NUMBER_MOST = 999 };
    char *program = NULL, *idea = NULL, *title = NULL;
    int number, gpus;

    if (!tutor_integer(r, "number", "number", 1, NUMBER_MOST, &number, err) ||
        !read_gpus(t, json_object_get(r->with, "gpus"), &gpus, err) ||
        !script_text(r->with, "program", true, &program, err) ||
        !script_text(r->with, "idea", false, &idea, err) ||
        !script_text(r->with, "title", false, &title, err)) {
        free(program);
        free(idea);
        return DID_REFUSE;
    }
    t->number = number;
    t->program = program;
    t->idea = idea;
    t->title = title;
    t->changed = true; /* its title shows while a run starts */
    if (gpus > 0)
        *reply = json_integer(gpus);
    return DID_REPLY;
}

static enum tutor_did
translate(struct tutor *t, const struct request *r, json_t **reply,
          struct err *err)
{
    const char *text = json_string_value(json_object_get(r->with, "text"));
    const char *translation;

    if (text == NULL) {
        err_set(err, "_ needs a string: _\"...\"");
        return DID_REFUSE;
    }
    translation = translated(text);
    if (translation == text &&
        json_array_size(t->untranslated) < UNTRANSLATED_MOST)
        json_array_append_new(t->untranslated,
                              json_pack("[is]", r->line, text));
    *reply = json_string(translation);
    return DID_REPLY;
}

/* Runs. */

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

/* Waits until the ranks' input is known. */
static bool
await_input(struct session *s, struct err *err)
{
    while (s->world->schedule == NULL || !world_step_complete(s->world, 0))
        if (!tutor_await(s, err))
            return false;
    return true;
}

bool
tutor_reads_no_network(const struct tutor *t, const struct options *o,
                       struct err *err)
{
    const char *name = o->network, *chosen = t->options->network;

    return name == NULL || !network_is_file(name) ||
           strcmp(name, "none") == 0 ||
           (chosen != NULL && strcmp(name, chosen) == 0) ||
           err_set(err, "--network %s: a lesson reads no files", name);
}

bool
tutor_may_run(const struct options *o, const char *name, struct err *err)
{
    if (build_is_file(name))
        return err_set(err, "a lesson runs algorithms, not files");
    return build_ranks(o) <= RANKS_MOST ||
           err_set(err, "--gpus %d: a lesson has at most %d", build_ranks(o),
                   RANKS_MOST);
}

/* Checks the memory before anything is built. */
static bool
is_modest(const struct tutor *t, const struct options *o, const char *name,
          struct err *err)
{
    if (name == NULL)
        return err_set(err, "which ALGORITHM? run \"ring-allreduce --gpus 3\"");
    if (!tutor_may_run(o, name, err))
        return false;
    for (size_t i = 0; i < o->ndelays; i++)
        if (o->delays[i].ns > TUTOR_DELAY_MOST_MS * INT64_C(1000000))
            return err_set(err, "--delay: in a lesson a rank is late by %d ms "
                           "at most, or for good (inf)", TUTOR_DELAY_MOST_MS);
    return tutor_reads_no_network(t, o, err);
}

/* Starts a run that has been built, and waits for its input.  Returns NULL, and
 * frees it, on failure. */
static struct job *
start(struct tutor *t, struct job *job, struct err *err)
{
    /* Events come in turn when their range is over, which here never is. */
    bool in_turn = t->hurry && !tutor_has_dead_rank(job);

    if (t->bytes + job_bytes(job) > BYTES_MOST)
        err_set(err, "the lesson's runs need more than 1 GiB of memory: take "
                "fewer elements");
    else if (job_start(job, in_turn, err) && await_input(&job->session, err)) {
        t->bytes += job_bytes(job);
        return job;
    }
    job_free(job);
    return NULL;
}

struct job *
tutor_build_job(const struct tutor *t, const char *command, struct err *err)
{
    struct job *job = NULL;
    struct options o;
    char *name;
    int status;

    if (command == NULL) {
        err_set(err, "run takes a string: run \"ring-allreduce --gpus 3\"");
        return NULL;
    }
    if (job_options(&o, t->options, command, &name, err) &&
        is_modest(t, &o, name, err))
        job = job_new(name, &o, &status, err);
    options_done(&o);
    free(name);
    return job;
}

void
tutor_drop_job(struct tutor *t, struct job *job)
{
    t->bytes -= job_bytes(job);
    job_free(job);
}

struct job *
tutor_finish_job(struct tutor *t, const char *verb, struct job *job,
                 struct err *err)
{
    struct session *s;
    bool ok;

    if (job != NULL && job->o.ndelays > 0) {
        err_set(err, "%s takes no --delay: its run is not shown", verb);
        job_free(job);
        return NULL;
    }
    if (job == NULL || (job = start(t, job, err)) == NULL)
        return NULL;
    s = &job->session;
    ok = session_grant(s, s->world->nsteps, err);
    while (ok && !s->world->has_end)
        ok = tutor_await(s, err);
    if (ok)
        return job;
    tutor_drop_job(t, job);
    return NULL;
}

static json_t *
told_of(const struct job *job, int index)
{
    const struct schedule *s = job->schedule;
    int64_t count = job->run.input.count;

    return json_pack("{si si si sI sI}", "id", index, "ranks", s->nranks,
                     "steps", s->nsteps, "count", (json_int_t)count, "bytes",
                     (json_int_t)count *
                         (json_int_t)dtype_size(job->run.input.type));
}

static enum tutor_did
run(struct tutor *t, const struct request *r, json_t **reply, struct err *err)
{
    const char *command =
        json_string_value(json_object_get(r->with, "command"));
    struct job *job;

    if (t->nruns == TUTOR_RUNS) {
        err_set(err, "a lesson has at most %d runs", TUTOR_RUNS);
        return DID_REFUSE;
    }
    job = tutor_build_job(t, command, err);
    if (job == NULL || (job = start(t, job, err)) == NULL)
        return DID_REFUSE;
    t->commands[t->nruns] = mem_string(command);
    t->runs[t->nruns++] = job;
    tutor_show(t, t->nruns - 1);
    *reply = told_of(job, t->nruns - 1);
    return DID_REPLY;
}

/* Whether every step of a run comes to its end. */
static bool
steps_end(const struct job *job, struct err *err)
{
    return (!tutor_has_dead_rank(job) &&
            job->o.mismatch.kind == MISMATCH_NONE) ||
           err_set(err, "a step of this run may never end: use settle");
}

static enum tutor_did
step(struct tutor *t, const struct request *r, json_t **reply,
     struct err *err)
{
    int index, from;
    struct job *job = tutor_run(t, r, &index, err);

    (void)reply;
    if (job == NULL || !steps_end(job, err))
        return DID_REFUSE;
    from = job->session.world->position;
    if (from == job->schedule->nsteps) {
        err_set(err, "the run is over: it has %d step%s", from,
                err_plural(from));
        return DID_REFUSE;
    }
    tutor_show(t, index);
    t->moving_to = from + 1;
    if (tutor_unwatched(t))
        player_go(&t->player, t->moving_to);
    else
        player_next(&t->player, clock_ns());
    return DID_WAIT;
}

static enum tutor_did
go(struct tutor *t, const struct request *r, json_t **reply, struct err *err)
{
    int index;
    struct job *job = tutor_run(t, r, &index, err);

    (void)reply;
    if (job == NULL || !steps_end(job, err) ||
        !tutor_integer(r, "to", "step", 0, job->schedule->nsteps,
                       &t->moving_to, err))
        return DID_REFUSE;
    tutor_show(t, index);
    player_go(&t->player, t->moving_to);
    return DID_WAIT;
}

static enum tutor_did
show(struct tutor *t, const struct request *r, json_t **reply,
     struct err *err)
{
    int index;

    if (tutor_run(t, r, &index, err) == NULL)
        return DID_REFUSE;
    tutor_show(t, index);
    *reply = json_true();
    return DID_REPLY;
}

/* Pages. */

/* Takes over `text`.  Every page may have notes. */
static enum tutor_did
put_page(struct tutor *t, const struct request *r, enum page_kind kind,
         char *text, struct err *err)
{
    if (!script_text(r->with, "notes", true, &t->page.notes, err)) {
        free(text);
        return DID_REFUSE;
    }
    t->page.kind = kind;
    t->page.text = text;
    t->state = TUTOR_PAGE;
    return DID_WAIT;
}

/* The number at an index of a list, or -1 if it is not one below `end`. */
static int
index_at(const json_t *list, size_t i, int end)
{
    const json_t *v = json_array_get(list, i);
    json_int_t number = json_integer_value(v);

    return json_is_integer(v) && number >= 0 && number < end ? (int)number
                                                             : -1;
}

/* Reads `follow`, { rank, slot } now or { rank, slot, step }: an output slot of
 * the run on the screen. */
static bool
read_trail(const struct tutor *t, const struct request *r,
           struct trail **trail, struct err *err)
{
    const json_t *list = json_object_get(r->with, "follow");
    const struct world *w = t->shown >= 0 ? tutor_world(t) : NULL;
    struct region out;
    int rank, slot, step;

    *trail = NULL;
    if (list == NULL || json_is_null(list))
        return true;
    if (w == NULL)
        return err_set(err, "follow comes after a run");
    out = schedule_outputs(w->schedule);
    rank = index_at(list, 0, w->schedule->nranks);
    slot = index_at(list, 1, out.count);
    step = json_array_size(list) > 2 ? index_at(list, 2, w->nsteps + 1)
                                     : w->position;
    if (rank < 0 || slot < 0 || step < 0)
        return err_set(err, "follow must be { rank, slot } or { rank, slot, "
                       "step } of the run on the screen");
    *trail = trail_new(w->schedule, rank, out.first + slot, step);
    return *trail != NULL || err_set(err, "the run is too large to follow");
}

/* Reads `terms`, those that the page explains. */
static bool
read_terms(struct tutor *t, const struct request *r, struct err *err)
{
    enum { MOST = 8 };
    char *terms[MOST];
    int count;
    bool ok = script_texts(r->with, "terms", 0, MOST, terms, &count, err);

    for (int i = 0; i < count; i++) {
        if (ok)
            json_array_append_new(t->terms, json_string(terms[i]));
        free(terms[i]);
    }
    return ok;
}

static enum tutor_did
say(struct tutor *t, const struct request *r, json_t **reply, struct err *err)
{
    char *text;

    (void)reply;
    if (!read_trail(t, r, &t->page.trail, err) || !read_terms(t, r, err) ||
        !script_text(r->with, "text", false, &text, err))
        return DID_REFUSE;
    return put_page(t, r, PAGE_TEXT, text, err);
}

static enum tutor_did
play(struct tutor *t, const struct request *r, json_t **reply,
     struct err *err)
{
    char *text;

    (void)reply;
    if (t->shown < 0) {
        err_set(err, "play comes after a run");
        return DID_REFUSE;
    }
    if (!script_texts(r->with, "try", 0, PAGE_TRIES, t->page.tries,
                      &t->page.ntries, err) ||
        !script_text(r->with, "text", false, &text, err))
        return DID_REFUSE;
    return put_page(t, r, PAGE_PLAY, text, err);
}

static enum tutor_did
remember(struct tutor *t, const struct request *r, json_t **reply,
         struct err *err)
{
    char *lines[3] = {NULL};
    struct buf text = {0};
    int count;
    enum tutor_did did = DID_REFUSE;
    bool ok = script_texts(r->with, "lines", 3, 3, lines, &count, err);

    (void)reply;
    for (int i = 0; i < count; i++) {
        buf_addf(&text, "%s%d  %s", i > 0 ? "\n" : "", i + 1, lines[i]);
        free(lines[i]);
    }
    if (ok)
        did = put_page(t, r, PAGE_REMEMBER, mem_string(buf_text(&text)), err);
    buf_done(&text);
    return did;
}

static enum tutor_did
used(struct tutor *t, const struct request *r, json_t **reply,
     struct err *err)
{
    static const char *const names[][2] = {
        {"nccl", "NCCL"}, {"pytorch", "PyTorch"}, {"mpi", "MPI"}};
    struct buf text = {0};
    enum tutor_did did = DID_REFUSE;
    char *call;
    bool ok = true;

    (void)reply;
    for (size_t i = 0; ok && i < 3; i++) {
        ok = script_text(r->with, names[i][0], true, &call, err);
        if (ok && call != NULL)
            buf_addf(&text, "%s%-8s %s", text.length > 0 ? "\n" : "",
                     names[i][1], call);
        free(call);
    }
    ok = ok && script_text(r->with, "text", true, &call, err);
    if (ok && call != NULL) {
        buf_addf(&text, "%s%s", text.length > 0 ? "\n" : "", call);
        free(call);
    }
    if (ok)
        did = put_page(t, r, PAGE_USED, mem_string(buf_text(&text)), err);
    buf_done(&text);
    return did;
}

/* Questions. */

/* The same for a question every time, in every language; another one for each
 * question of each lesson, and for each round of a review. */
static uint32_t
seed_of(const struct tutor *t)
{
    uint32_t place = (uint32_t)json_array_size(t->answers);

    return (uint32_t)t->number * 128 + place + (uint32_t)t->round * 7919;
}

static enum tutor_did
ask(struct tutor *t, const struct request *r, json_t **reply, struct err *err)
{
    const struct schedule *s = t->shown >= 0 ? t->runs[t->shown]->schedule
                                             : NULL;

    (void)reply;
    quiz_done(&t->quiz);
    if (!quiz_read(&t->quiz, r->with, s != NULL ? s->nranks : 0,
                   s != NULL ? schedule_outputs(s).count : 0, err))
        return DID_REFUSE;
    quiz_shuffle(&t->quiz, seed_of(t));
    if (!t->quiz.predicts)
        json_array_append_new(t->truths, json_null());
    t->state = TUTOR_ASKS;
    return DID_WAIT;
}

/* Whether the next question is to be asked for another N or root: the round, or
 * null. */
static enum tutor_did
again(struct tutor *t, const struct request *r, json_t **reply,
      struct err *err)
{
    json_int_t question = (json_int_t)json_array_size(t->answers);

    (void)r;
    (void)err;
    json_array_append_new(t->offered, json_integer(question));
    if (question == t->review)
        *reply = json_integer(t->round);
    return DID_REPLY;
}

static void
say_truth(const struct quiz *q, struct attempt a, const json_t *truth,
          struct buf *out)
{
    struct buf given = {0}, is = {0};

    quiz_answer_text(q, truth, &is);
    quiz_answer_text(q, a.last, &given);
    if (quiz_is_right(q, a.last, truth))
        buf_addf(out, quiz_is_right(q, a.first, truth)
                          ? _("Right: %s")
                          : _("Right at the second try: %s"), buf_text(&is));
    else if (json_is_null(a.last))
        buf_addf(out, _("It is: %s"), buf_text(&is));
    else
        buf_addf(out, _("You said: %s. It is: %s"),
                 buf_text(&given), buf_text(&is));
    buf_done(&given);
    buf_done(&is);
}

static enum tutor_did
reveal(struct tutor *t, const struct request *r, json_t **reply,
       struct err *err)
{
    size_t last = json_array_size(t->answers);
    struct attempt a = attempt_read(json_array_get(t->answers, last - 1));
    json_t *truth;
    struct buf text = {0};
    enum tutor_did did;
    bool right, at_once, given = !json_is_null(a.last);

    (void)reply;
    truth = quiz_truth(&t->quiz, json_object_get(r->with, "truth"), err);
    if (truth == NULL)
        return DID_REFUSE;
    right = quiz_is_right(&t->quiz, a.last, truth);
    json_array_append_new(t->truths, truth);
    t->predicted++;
    at_once = a.hints == 0 && quiz_is_right(&t->quiz, a.first, truth);
    t->right += at_once;
    if (!at_once)
        json_array_append_new(t->missed, json_integer((json_int_t)last - 1));
    t->revealing = false;
    say_truth(&t->quiz, a, truth, &text);
    buf_addf(&text, "\n%s", t->quiz.why != NULL ? t->quiz.why : "");
    t->page.reply = given ? json_boolean(right) : json_null();
    did = put_page(t, r, right ? PAGE_RIGHT
                         : given ? PAGE_WRONG
                                 : PAGE_TRUTH,
                   mem_string(buf_text(&text)), err);
    buf_done(&text);
    return did;
}

const struct verb tutor_verbs[] = {
    {"lesson", lesson}, {"_", translate},       {"run", run},
    {"step", step},     {"go", go},             {"show", show},
    {"settle", tutor_settle},
    {"say", say},       {"play", play},         {"remember", remember},
    {"used", used},     {"ask", ask},           {"reveal", reveal},
    {"again", again},   {"compare", tutor_compare},
    {"code", tutor_code},   {"chart", tutor_chart},
    {"outputs", tutor_outputs}, {"bench", tutor_bench},
    {NULL, NULL},
};
