/* SPDX-License-Identifier: MIT */
#include "tutor/tutor.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/signals.h"
#include "lesson/attempt.h"
#include "text/text.h"
#include "tutor/verbs.h"

enum { REQUESTS_MOST = 100000 };

static const int64_t AHEAD_NS = 10000000; /* between two looks ahead */

struct tutor *
tutor_open(const char *path, const struct options *o,
           const struct tutor_how *how, struct err *err)
{
    struct script *script = script_open(path, NULL, NULL, err);
    const char *slash = strrchr(path, '/');
    OWN(buf) text = {0};
    struct err ignored;
    struct tutor *t;

    if (script == NULL)
        return NULL;
    t = mem_new(1, sizeof *t);
    t->seen.how = *how;
    t->seen.how.earlier = json_deep_copy(how->earlier);
    t->seen.how.known = how->known != NULL ? json_incref(how->known)
                                      : tutor_new_known();
    t->folder = mem_string(slash == NULL ? "." : path);
    if (slash != NULL)
        t->folder[slash - path] = '\0';
    options_copy(&t->options, o);
    t->options.folder = t->folder;
    t->options.scripted = true;
    t->seen.lecture = o->lecture;
    t->script = script;
    t->path = path;
    load(path, 1 << 20, &text, &ignored); /* script_open() did */
    t->seen.lines = 1;
    for (size_t i = 0; i < text.length; i++)
        t->seen.lines += text.data[i] == '\n';
    record_init(&t->seen.record);
    t->seen.picture.shown = t->seen.picture.moving_to = -1;
    return t;
}

static void
end_page(struct tutor *t)
{
    free(t->seen.page.text);
    json_decref(t->seen.page.said);
    trail_free(t->seen.page.trail);
    json_decref(t->seen.page.reply);
    t->seen.page = (struct page){.kind = PAGE_TEXT};
}

void
tutor_close(struct tutor *t)
{
    if (t == NULL)
        return;
    script_close(t->script);
    tutor_bench_stop(t);
    picture_done(&t->seen.picture, t->seen.how.kept);
    options_done(&t->options);
    free(t->folder);
    end_page(t);
    question_done(&t->seen.question);
    record_done(&t->seen.record);
    json_decref(t->seen.how.known);
    json_decref(t->seen.how.earlier);
    ahead_end(t);
    json_decref(t->seen.card.said);
    free(t);
}

json_t *
tutor_new_known(void)
{
    return json_pack("{s{}s{}s{}}", "bench", "chart", "settle");
}

const struct tutor_seen *
tutor_seen(const struct tutor *t)
{
    return &t->seen;
}

struct player *
tutor_player(struct tutor *t)
{
    return &t->seen.picture.player;
}

struct world *
tutor_world(const struct tutor *t)
{
    return picture_world(&t->seen.picture);
}

bool
tutor_omits(const struct tutor *t)
{
    const struct tutor_seen *s = &t->seen;

    return s->lecture && s->how.round == 0 && s->card.lecture > 0 &&
           s->mark == MARK_NONE;
}

/* Whether what the script does now is skipped. */
static bool
is_skipping(const struct tutor *t)
{
    int answered = (int)record_count(&t->seen.record);

    if (t->seen.how.round == 0)
        return tutor_omits(t) ||
               (t->seen.how.skip > 0 && t->seen.pages <= t->seen.how.skip);
    return answered < t->seen.how.question ||
           (answered == t->seen.how.question && t->seen.state != TUTOR_ASKS);
}

/* The time that the page or question takes in a lecture. */
static int64_t
planned_ns(const struct tutor *t)
{
    enum { THINK_S = 30 };
    const struct question *q = &t->seen.question;
    int64_t ns;

    if (t->seen.state == TUTOR_PAGE)
        return text_speaking_ns(t->seen.page.text);
    ns = THINK_S * (int64_t)1000000000 + text_speaking_ns(q->text);
    for (int i = 0; i < q->nitems; i++)
        ns += text_speaking_ns(question_item(q, q->shown[i]));
    return ns;
}

bool
tutor_unwatched(const struct tutor *t)
{
    return t->seen.how.unwatched || t->hastened > 1 || is_skipping(t);
}

/* Whether the script waits for a run or a measurement. */
static bool
waits_for_run(const struct tutor *t)
{
    return picture_moves(&t->seen.picture) || t->seen.measurement != NULL;
}

/* Requests. */

/* Reads what a verb needs. */
static bool
read_said(const struct tutor *t, const struct request *r,
          const struct verb *verb, struct said *s, struct err *err)
{
    const json_t *with = r->with, *slot = json_object_get(with, "slot");
    struct region out;

    *s = (struct said){.with = r->with, .line = r->line, .slot = -1};
    s->command = json_string_value(json_object_get(with, "command"));
    if (verb->says == SAYS_ANY)
        return true;
    if (!script_integer(with, "run", 0, t->seen.picture.nruns - 1, &s->run,
                        err))
        return false;
    s->job = t->seen.picture.runs[s->run];
    s->world = s->job->session.world;
    out = schedule_outputs(s->world->schedule);
    if (verb->says == SAYS_RUN)
        return true;
    if (!script_integer(with, "rank", 0, s->world->schedule->nranks - 1,
                        &s->rank, err))
        return false;
    if (verb->says == SAYS_RANK || (verb->says == MAY_SAY_SLOT &&
                                    (slot == NULL || json_is_null(slot))))
        return true;
    if (!script_integer(with, "slot", 0, out.count - 1, &s->slot, err))
        return false;
    s->slot += out.first;
    return true;
}

/* A lesson that has not yet given its name may only ask for translations. */
static bool
dispatch_request(struct tutor *t, const struct request *r, struct err *err)
{
    static const struct verb *const tables[] = {page_verbs, run_verbs,
                                                table_verbs};
    const struct verb *verb = NULL;
    bool begins = strcmp(r->verb, "lesson") == 0, ok = false;
    struct said said;
    struct err why;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct verb *v = tables[i]; v->name != NULL; v++)
            if (strcmp(v->name, r->verb) == 0)
                verb = v;
    if (r->line > 0)
        t->seen.line = r->line;
    t->seen.farthest = most(t->seen.farthest, t->seen.line);
    if (++t->requests > REQUESTS_MOST) /* fatal, as Lua could catch a refusal */
        return err_set(err, "%s:%d: the lesson has used more than %d verbs; "
                       "is there an endless loop?", t->path, t->seen.line,
                       REQUESTS_MOST);
    if (verb == NULL)
        err_set(&why, "there is no verb '%s'", r->verb);
    else if (begins && t->seen.card.title != NULL)
        err_set(&why, "a lesson begins once");
    else if (!begins && t->seen.card.title == NULL && strcmp(r->verb, "_") != 0)
        err_set(&why, "a lesson begins with lesson { ... }");
    else
        ok = read_said(t, r, verb, &said, &why) &&
             (verb->act == NULL || verb->act(t, &said, &why));
    if (!ok) {
        end_page(t); /* a part of it may have been read */
        return script_refuse(t->script, &why, err);
    }
    if (verb->act == NULL)
        said.reply = verb->tell(&said);
    return t->seen.state != TUTOR_BUSY || waits_for_run(t) ||
           script_reply(t->script, said.reply, err);
}

/* The earlier attempt at the present question.  An answer that does not fit was
 * given to another question: the lesson has changed since. */
static struct attempt
earlier_attempt(const struct tutor *t)
{
    const struct question *q = &t->seen.question;
    struct attempt a = attempt_read(
        json_array_get(t->seen.how.earlier, record_count(&t->seen.record)));
    bool fits = (a.first == NULL || json_is_null(a.first) ||
                 question_fits(q, a.first)) &&
                (json_is_null(a.last) || question_fits(q, a.last));

    return fits ? a : attempt_read(NULL);
}

/* Whether an answer is wrong, as far as that is known.  Sets the objection. */
static bool
has_objection(struct tutor *t, const json_t *given)
{
    struct question *q = &t->seen.question;
    const struct question_kind *kind = question_kind(q);
    const char *line = question_line(q, given);
    OWN(buf) reason = {0};
    bool is_wrong =
        line != NULL ||
        (q->predicts && !json_is_null(given) &&
         (kind->objects != NULL ? kind->objects(t, given, &reason)
          : !kind->proved && ahead_objects(t, given, &reason)));

    if (is_wrong)
        q->objection = mem_string(line != NULL ? line : buf_text(&reason));
    return is_wrong;
}

/* Ends the question, and tells the script the last answer. */
static bool
end_question(struct tutor *t, struct attempt a, struct err *err)
{
    json_t *reply = json_deep_copy(a.last);

    if (a.first == NULL)
        a.first = a.last;
    json_array_append_new(t->seen.record.answers, attempt_write(a));
    ahead_end(t);
    t->seen.revealing = t->seen.question.predicts;
    if (!t->seen.revealing)
        t->seen.mark = MARK_NONE;
    t->seen.state = TUTOR_BUSY;
    return script_reply(t->script, reply, err);
}

/* Handles requests until the learner or a run has to act. */
static bool
handle_requests(struct tutor *t, struct err *err)
{
    struct request request;

    while (t->seen.state == TUTOR_BUSY && !waits_for_run(t) &&
           !t->seen.picture.changed) {
        switch (script_next(t->script, &request, err)) {
        case SCRIPT_LATER:
            return true;
        case SCRIPT_OVER:
            if (t->seen.card.title == NULL)
                return err_set(err, "%s: a lesson begins with lesson { ... }",
                               t->path);
            t->seen.state = TUTOR_OVER;
            return true;
        case SCRIPT_FAILED:
            return false;
        default:
            if (!dispatch_request(t, &request, err))
                return false;
        }
        if (t->seen.state == TUTOR_BUSY)
            continue;
        /* a new page or question is shown, or is skipped */
        t->seen.pages += !tutor_omits(t);
        t->seen.planned_ns += t->seen.mark != MARK_NONE ? planned_ns(t) : 0;
        t->hastened = 0;
        if (is_skipping(t) &&
            !(t->seen.state == TUTOR_ASKS
                  ? end_question(t, earlier_attempt(t), err)
                  : tutor_go_on(t, err)))
            return false;
    }
    return true;
}

/* Moves the run, and replies when it is where the script wants it. */
static bool
advance_run(struct tutor *t, int64_t now, struct err *err)
{
    json_t *reply;

    return picture_advance(&t->seen.picture, tutor_unwatched(t),
                           json_object_get(t->seen.how.known, "settle"), now,
                           &reply, err) &&
           (reply == NULL || script_reply(t->script, reply, err));
}

bool
tutor_advance(struct tutor *t, int64_t now, struct err *err)
{
    bool waited;

    t->seen.picture.changed = false;
    do {
        waited = waits_for_run(t);
        if (!advance_run(t, now, err) ||
            (t->seen.measurement != NULL && !tutor_bench_on(t, err)) ||
            !handle_requests(t, err))
            return false;
        /* If a request waits for the run, the run begins to move at once. */
    } while (!t->seen.picture.changed && waits_for_run(t) && !waited);
    if (t->seen.state == TUTOR_ASKS && t->seen.question.predicts &&
        !t->seen.how.unwatched && !t->seen.how.examines &&
        !question_kind(&t->seen.question)->proved &&
        t->ahead.page != t->seen.pages)
        ahead_begin(t);
    ahead_go_on(t, now);
    return true;
}

int
tutor_fd(const struct tutor *t)
{
    const struct job *job = picture_job(&t->seen.picture);

    if (t->seen.measurement != NULL)
        return tutor_bench_fd(t);
    if (!waits_for_run(t) && t->seen.state == TUTOR_BUSY)
        return script_fd(t->script);
    return job != NULL ? session_fd(&job->session) : -1;
}

int64_t
tutor_due(const struct tutor *t, int64_t now)
{
    int64_t due = picture_due(&t->seen.picture, now);

    if (t->ahead.tutor != NULL && t->ahead.tutor->seen.state == TUTOR_BUSY &&
        now + AHEAD_NS < due)
        due = now + AHEAD_NS;
    if (t->seen.picture.changed ||
        (t->seen.measurement != NULL && tutor_bench_fd(t) < 0))
        return now;
    return due;
}

bool
tutor_wait(const struct tutor *t, struct err *err)
{
    struct pollfd fds[2] = {{.fd = signals_fd(), .events = POLLIN},
                            {.fd = tutor_fd(t), .events = POLLIN}};
    int64_t now = clock_ns(), due = tutor_due(t, now);
    int ms = due == INT64_MAX ? -1
             : due <= now     ? 0
                              : (int)((due - now) / 1000000) + 1;

    return poll(fds, 2, ms) >= 0 || errno == EINTR ||
           err_set(err, "poll: %s", strerror(errno));
}

bool
tutor_play(struct tutor *t, struct err *err)
{
    while (signals_ending() == 0 && tutor_advance(t, clock_ns(), err)) {
        if (t->seen.state != TUTOR_BUSY)
            return true;
        if (!tutor_wait(t, err))
            break;
    }
    return false;
}

bool
tutor_next(struct tutor *t, struct err *err)
{
    bool ok = t->seen.state == TUTOR_ASKS   ? tutor_answer(t, NULL, err)
              : t->seen.state == TUTOR_PAGE ? tutor_go_on(t, err)
                                       : true;

    return ok && (t->seen.state == TUTOR_OVER || tutor_play(t, err)) &&
           t->seen.state != TUTOR_OVER;
}

void
tutor_hasten(struct tutor *t)
{
    t->hastened += t->seen.state == TUTOR_BUSY && t->seen.measurement == NULL;
    picture_hasten(&t->seen.picture);
}

bool
tutor_go_on(struct tutor *t, struct err *err)
{
    json_auto_t *reply = json_incref(t->seen.page.reply);

    end_page(t);
    t->seen.mark = MARK_NONE;
    t->seen.state = t->seen.how.round > 0 && !is_skipping(t) ? TUTOR_OVER
                                                             : TUTOR_BUSY;
    return t->seen.state == TUTOR_OVER ||
           script_reply(t->script, json_incref(reply), err);
}

/* The first try, which is an earlier one if the learner has gone back.  Hints
 * that were shown before going back were shown before the answer, too. */
static struct attempt
first_try(const struct tutor *t)
{
    struct attempt a = earlier_attempt(t);

    if (a.first == NULL) {
        a.first = t->seen.question.first;
        a.hints = most(a.hints, t->seen.question.hinted);
    }
    return a;
}

json_t *
tutor_answered(const struct tutor *t)
{
    json_t *all = json_copy(t->seen.record.answers);
    struct attempt a;

    if (t->seen.state == TUTOR_ASKS) {
        a = first_try(t);
        if (a.first != NULL || a.hints > 0)
            json_array_append_new(all, attempt_write(a));
    }
    for (size_t i = json_array_size(all);
         i < json_array_size(t->seen.how.earlier); i++)
        json_array_append(all, json_array_get(t->seen.how.earlier, i));
    return all;
}

void
tutor_hinted(struct tutor *t, int hints)
{
    if (t->seen.question.first == NULL)
        t->seen.question.hinted = most(t->seen.question.hinted, hints);
}

bool
tutor_answer(struct tutor *t, json_t *answer, struct err *err)
{
    json_auto_t *given = answer != NULL ? answer : json_null();
    struct attempt a;

    if (t->seen.question.first == NULL) {
        t->seen.question.first = json_incref(given);
        if (!t->seen.how.examines && has_objection(t, given))
            return true;
    }
    t->seen.how.unwatched = t->seen.how.unwatched || t->seen.how.examines;
    a = first_try(t);
    a.last = given;
    return end_question(t, a, err);
}
