/* SPDX-License-Identifier: MIT */
/* The tutor: plays a lesson.  The lesson's script asks (script/script.h); the
 * tutor makes runs, steps through them, and stops where the learner is asked
 * for something.  It draws nothing, reads no keys, and is given the time. The
 * screen (screen/lesson_screen.h), the transcript, lint and the tests
 * all use it.
 *
 *     struct tutor_how how = {.unwatched = false};
 *     t = tutor_open("lessons/broadcast.lua", &options, &how, &err)
 *     seen = tutor_seen(t)
 *     while (tutor_advance(t, clock_ns(), &err))
 *         switch (seen->state) {
 *         case TUTOR_BUSY: poll tutor_fd(t), until tutor_due(t, now)
 *         case TUTOR_PAGE: show seen->page; tutor_go_on(t)
 *         case TUTOR_ASKS: show seen->question; tutor_answer(t, answer)
 *         case TUTOR_OVER: ...
 *         }
 *
 * A prediction that is wrong is asked once more, with a line that says why: the
 * author's (question_line()), or a fact of the run (its kind's).  The first
 * answer counts, and it counts as right only without hints, also if the learner
 * has left the question in between.
 *
 * A second tutor plays the lesson ahead, unseen, as far as the answer, so that
 * a wrong answer is known before the run on the screen shows the right one.
 *
 * A lesson of the lecture shows with --lecture only the pages that it has
 * marked; the others are skipped, and their questions not answered.
 *
 * A lesson does the same every time it gets the same answers.  So to go back to
 * a page, or to resume a lesson, it is played again from its start with the
 * answers that were given, and nothing is shown until that page. */
#ifndef TUTOR_TUTOR_H
#define TUTOR_TUTOR_H

#include <jansson.h>

#include "lesson/shelf.h"
#include "model/scene.h"
#include "script/script.h"
#include "tutor/picture.h"
#include "tutor/question.h"
#include "tutor/record.h"

enum tutor_state {
    TUTOR_BUSY, /* the script or a run is at work, or something has changed */
    TUTOR_PAGE, /* the page waits for tutor_go_on() */
    TUTOR_ASKS, /* the question waits for tutor_answer() */
    TUTOR_OVER
};

enum page_kind {
    PAGE_TEXT,
    PAGE_RIGHT, /* what was answered is what the run says */
    PAGE_WRONG,
    PAGE_TRUTH, /* nothing was answered */
    PAGE_PLAY,
    PAGE_REMEMBER,
    PAGE_USED
};

/* Whether the page has the answer to a question. */
static inline bool
page_answers(enum page_kind kind)
{
    return kind == PAGE_RIGHT || kind == PAGE_WRONG || kind == PAGE_TRUTH;
}

/* How the lecture uses the pages that follow. */
enum mark {
    MARK_NONE, /* they are left out of it */
    MARK_SHOWN,
    MARK_SPARE /* the first to be left out if it is late */
};

enum { PAGE_TRIES = 6 };

struct page {
    json_t *said; /* the request, to which notes and tries belong */
    enum page_kind kind;
    char *text;
    const char *notes; /* for the speaker; NULL: none */
    const char *tries[PAGE_TRIES]; /* what to type at the key `a`, one after
                                    * another: "--root 3" */
    int ntries;
    json_t *reply; /* sent to the script when the page is left; NULL: null */
    struct trail *trail; /* data that the page follows; NULL: none */
};

/* How a lesson is played; all 0: all of it, with a learner who watches. */
struct tutor_how {
    /* A review asks one question, from 0, and shows its answer, with nothing
     * else of the lesson.  If the script offers it for another N or root, it is
     * asked that way, a different one in each round, from 1.  A lesson without
     * that question is over at once. */
    int question, round; /* round 0: no review */

    /* Skips the first pages, with what was answered there.  Where there are
     * more answers, a question after these pages keeps the first answer that it
     * was given.  An answer that does not fit its question, because the lesson
     * has changed since, counts as none. */
    int skip;
    json_t *earlier; /* the answers, of which the tutor makes a copy */

    bool unwatched; /* steps take no time, because nobody watches */
    bool simulates; /* nor do delays: runs with one have a network's clock */
    bool examines;  /* no hints, no second try; nobody watches the answer */

    /* What plays of this lesson have found out, so that it is not measured or
     * awaited again; NULL: nothing.  What this one finds out is added:
     * {"bench":{...}, "chart":{...}, "settle":{...}}, by the command that the
     * script gave: the table and its rows; the curves; how many events there
     * are of a run that stands still. */
    json_t *known;

    struct kept_runs *kept; /* borrowed: runs of other plays, with the same
                             * options; NULL: each run is made */
};

/* A tutor is opaque.  This is what others see of it. */
struct tutor_seen {
    struct tutor_how how; /* with its own `earlier`, and a share in `known` */
    bool lecture;         /* --lecture */
    enum tutor_state state;
    int line;  /* the line of the script that led to the present state */
    int farthest; /* the highest such line so far */
    int lines; /* number of lines of the script */

    struct card card; /* its title is NULL until the lesson has begun */

    enum mark mark; /* of the page or question, or of the next one */
    int64_t planned_ns; /* that the marked pages so far take, this one too */
    int pages; /* number of pages so far, including questions; in a lecture,
                * of those that are shown */
    struct page page;
    struct question question; /* also on the page with its answer */
    bool revealing;     /* the answer was given, and the run shows the truth */
    struct record record;
    struct picture picture;
    struct measurement *measurement; /* that the script waits for, or NULL */
};

/* Returns NULL on failure, with the reason in *err.  Does not wait for the
 * script: the first tutor_advance() reports what is wrong with it. */
struct tutor *tutor_open(const char *path, const struct options *o,
                         const struct tutor_how *how, struct err *err);
void tutor_close(struct tutor *t);

/* What can be seen of it, now and later: valid until it is closed. */
const struct tutor_seen *tutor_seen(const struct tutor *t);

/* Nothing found out yet, for `known` of struct tutor_how; the caller releases
 * it. */
json_t *tutor_new_known(void);

/* All that was answered, here and earlier, with the hints of the present
 * question; a new reference. */
json_t *tutor_answered(const struct tutor *t);

/* Handles what has arrived, and goes on until the learner has to act or
 * something shown has changed: each step, each run and each table can be drawn.
 * Returns false if the lesson or a run failed, or if a signal asks to end
 * (base/signals.h), which is then the reason instead of *err. */
bool tutor_advance(struct tutor *t, int64_t now, struct err *err);

/* The file descriptor to wait for while it is busy; -1: none. */
int tutor_fd(const struct tutor *t);
int64_t tutor_due(const struct tutor *t, int64_t now);

/* Waits for these, or for a signal.  Returns false, with the reason in *err, if
 * that is not possible. */
bool tutor_wait(const struct tutor *t, struct err *err);

/* Advances and waits until the learner has to act or the lesson is over. */
bool tutor_play(struct tutor *t, struct err *err);

/* Plays on without a learner, to the next page or question: leaves the page, or
 * answers the question with "I don't know".  Returns false at the end of the
 * lesson (TUTOR_OVER), or with the reason in *err. */
bool tutor_next(struct tutor *t, struct err *err);

/* Completes the step that a run on its way takes; once more: all that follow,
 * until the learner has to act.  Nothing that moves needs to be awaited. */
void tutor_hasten(struct tutor *t);

/* Leaves the page. */
bool tutor_go_on(struct tutor *t, struct err *err);

/* Records that the question has shown this many hints. */
void tutor_hinted(struct tutor *t, int hints);

/* Answers the question; takes over `answer`. NULL: the learner does not
 * know.  If it asks for a second try, the state stays TUTOR_ASKS. */
bool tutor_answer(struct tutor *t, json_t *answer, struct err *err);

/* For a question to wire: add transfers to the step that is being wired; run
 * it; take its last transfer back, or else the step before.  They return false,
 * with the reason in *err, if the task forbids that. */
bool tutor_wire(struct tutor *t, const struct transfer *list, size_t n,
                struct err *err);
bool tutor_wire_run(struct tutor *t, struct err *err);
bool tutor_unwire(struct tutor *t, struct err *err);

/* The run on the screen once more, for the learner to play with; NULL, with the
 * reason in *err, if that is not possible. */
struct job *tutor_copy_run(const struct tutor *t, struct err *err);

/* The world of the run on the screen; NULL: there is no run. */
struct world *tutor_world(const struct tutor *t);

/* Its player, which may show another step for a while; not without a run. */
struct player *tutor_player(struct tutor *t);

/* A lesson as text of at most 79 columns: every page and every question, with
 * room for an answer.  For reading, printing, and screen readers.  The state of
 * the run, or a table, stands above a text that speaks of it.  With `answers` a
 * page of its own at the end has them, with the hints.  Plays the lesson
 * without a learner.  Ends early if a signal asks for it (base/signals.h).
 * Returns false if the lesson failed. */
bool transcript(const char *path, const struct options *o, bool answers,
                struct err *err);

/* Prints the time at which each page of a lesson begins in the lecture, "3:40".
 * The lesson begins at *at_ns, to which its length is added.  A spare page has
 * a "-". */
bool transcript_plan(const char *path, const struct options *o, int64_t *at_ns,
                     struct err *err);

/* Prints an exam or a task of practice as a sheet, with room for the answers;
 * or with `answers` their key. */
struct exam;
bool transcript_exam(const struct exam *e, const struct options *o,
                     bool answers, struct err *err);

#endif
