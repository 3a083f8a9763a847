/* SPDX-License-Identifier: MIT */
/* The tutor: plays a lesson.  The lesson's script asks (lesson/script.h); the
 * tutor makes runs, steps through them, and stops where the learner is asked
 * for something.  It draws nothing, reads no keys, and is told what time it
 * is: the screen (teach.h), the transcript (transcript.h) and the tests all
 * have this one.
 *
 *     t = tutor_open("lessons/broadcast.lua", &options, &err)
 *     while (tutor_advance(t, clock_ns(), &err))
 *         switch (t->state) {
 *         case TUTOR_BUSY: poll tutor_fd(t), until tutor_due(t, now)
 *         case TUTOR_PAGE: show t->page; tutor_go_on(t)
 *         case TUTOR_ASKS: show t->quiz; tutor_answer(t, answer)
 *         case TUTOR_OVER: ...
 *         }
 *
 * A lesson does the same every time that it is given the same answers.  So one
 * goes back to a page, or on with a lesson that was left, by playing it again
 * from its start, with nothing shown, and with the answers that were given. */
#ifndef TUTOR_TUTOR_H
#define TUTOR_TUTOR_H

#include <jansson.h>

#include "lesson/quiz.h"
#include "lesson/script.h"
#include "play/job.h"
#include "play/player.h"

enum tutor_state {
    TUTOR_BUSY, /* the script or a run is at work, or something has changed */
    TUTOR_PAGE, /* the page waits for tutor_go_on() */
    TUTOR_ASKS, /* the quiz waits for tutor_answer() */
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

struct page {
    enum page_kind kind;
    char *text;
    char *notes; /* for who teaches; NULL: none */
    json_t *reply; /* to the script, when it is left; NULL: null */
};

enum { TUTOR_RUNS = 64 };

struct tutor {
    const struct options *options; /* borrowed: those of every run */
    struct script *script;
    const char *path; /* borrowed */
    enum tutor_state state;
    int line;  /* of the script, that the state comes from */
    int farthest; /* line that it has come to */
    int lines; /* of the script in all */

    char *title, *idea; /* NULL until the lesson has begun */
    int number;         /* of the lesson */

    int pages; /* come to so far, questions among them */
    struct page page;
    struct quiz quiz;   /* of TUTOR_ASKS, and of the page that tells */
    json_t *answers;    /* given so far, a list; null where there was none */
    json_t *truths;     /* the right answer to each; null where no run was
                         * asked */
    json_t *untranslated; /* [line, text] each: not in the catalogue; the first
                           * some */
    int predicted, right; /* predictions asked for, those that came true */

    struct job *runs[TUTOR_RUNS];
    int nruns;
    int shown; /* the run on the screen; -1: none */
    struct player player; /* of that run */
    char *table; /* of a comparison, instead of the run; NULL: none. Its lines
                  * have as many columns each */
    int tables;  /* made so far */
    bool changed; /* what is on the screen has: look, and go on at once */

    bool hurry; /* steps are taken at once: nobody watches */
    bool no_quiz; /* what the run says is told without a question before */
    int skip;   /* pages that are gone over */
    json_t *skip_answers; /* to the questions among them */

    /* private to tutor*.c */
    int moving_to; /* position that the script waits for; -1: none */
    double bytes;  /* of memory, of all runs */
    int requests;  /* of the script, so far */
};

/* NULL with the reason.  Does not wait for the script: the first
 * tutor_advance() finds out what is wrong with it. */
struct tutor *tutor_open(const char *path, const struct options *o,
                         struct err *err);
void tutor_close(struct tutor *t);

/* Goes over the first `pages` pages without showing them.  Before the first
 * tutor_advance(). */
void tutor_skip(struct tutor *t, int pages, const json_t *answers);

/* Takes in what came, and goes on until somebody is asked or something has
 * changed: each step, each run and each table can be looked at. False where
 * the lesson or a run failed; also where a signal asks to end (base/signals.h),
 * which is then the reason, and not what *err says. */
bool tutor_advance(struct tutor *t, int64_t now, struct err *err);

/* To wait for while it is busy; -1: nothing. */
int tutor_fd(const struct tutor *t);
int64_t tutor_due(const struct tutor *t, int64_t now);

/* Leaves the page. */
bool tutor_go_on(struct tutor *t, struct err *err);

/* Answers the question; takes over `answer`, NULL for none. */
bool tutor_answer(struct tutor *t, json_t *answer, struct err *err);

/* The world of the run on the screen, NULL where there is none. */
struct world *tutor_world(const struct tutor *t);

/* What that run waits for (session_note()); NULL: nothing. */
const char *tutor_note(const struct tutor *t);

/* For tutor_*.c. */

/* What a verb comes to: a reply now, a reply when the learner or the run is
 * done, or none at all, with the reason. */
enum tutor_did { DID_REPLY, DID_WAIT, DID_REFUSE };

struct verb {
    const char *name;
    enum tutor_did (*act)(struct tutor *t, const struct request *r,
                          json_t **reply, struct err *err);
};

extern const struct verb tutor_verbs[], tutor_facts[]; /* end: name NULL */
enum tutor_did tutor_compare(struct tutor *t, const struct request *r,
                             json_t **reply, struct err *err);

/* The run that a request is about, its number in *index; NULL with the
 * reason. */
struct job *tutor_run(const struct tutor *t, const struct request *r,
                      int *index, struct err *err);

/* A run of what a script may run, started, its input known; not yet one of
 * t->runs. NULL with the reason. */
struct job *tutor_make_job(struct tutor *t, const char *command,
                           struct err *err);

/* Waits until something of a run has come: that takes a moment. False where the
 * run failed or a signal asks to end (base/signals.h). */
bool tutor_await(struct session *s, struct err *err);

/* Puts a run on the screen. */
void tutor_show(struct tutor *t, int index);

/* A member that is a whole number within limits, with what it is called in the
 * error. */
bool tutor_integer(const struct request *r, const char *key, const char *what,
                   int least, int most, int *value, struct err *err);

#endif
