/* SPDX-License-Identifier: MIT */
/* The tutor: plays a lesson.  The lesson's script asks (lesson/script.h); the
 * tutor makes runs, steps through them, and stops where the learner is asked
 * for something.  It draws nothing, reads no keys, and is given the time. The
 * screen (screen/teach.h), the transcript (transcript.h), lint and the tests
 * all use it.
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
 * A prediction that is known to be wrong is asked once more, with a line that
 * says why (quiz_line()).  The first answer counts, and it counts as right only
 * without hints, also if the learner has left the question in between.
 *
 * A lesson does the same every time it gets the same answers.  So to go back to
 * a page, or to resume a lesson, it is played again from its start with the
 * answers that were given, and nothing is shown until that page. */
#ifndef TUTOR_TUTOR_H
#define TUTOR_TUTOR_H

#include <jansson.h>

#include "lesson/quiz.h"
#include "lesson/script.h"
#include "model/scene.h"
#include "play/job.h"
#include "play/player.h"
#include "text/series.h"

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

enum { PAGE_TRIES = 6 };

struct page {
    enum page_kind kind;
    char *text;
    char *notes; /* for the speaker; NULL: none */
    char *tries[PAGE_TRIES]; /* what to type at the key `a`, one after another:
                              * "--root 3" */
    int ntries;
    json_t *reply; /* sent to the script when the page is left; NULL: null */
    struct trail *trail; /* data that the page follows; NULL: none */
};

enum { TUTOR_RUNS = 64 };

struct tutor {
    const struct options *options; /* borrowed; of every run */
    struct script *script;
    const char *path; /* borrowed */
    enum tutor_state state;
    int line;  /* the line of the script that led to the present state */
    int farthest; /* the highest such line so far */
    int lines; /* number of lines of the script */

    char *title, *idea; /* NULL until the lesson has begun */
    int number;         /* of the lesson */
    char *program;      /* that it is about (lesson/code.h); NULL: none */

    int pages; /* number of pages so far, including questions */
    struct page page;
    struct quiz quiz;   /* the question, also on the page with its answer */
    const char *objection; /* why the first answer is wrong: this is the second
                            * try; NULL: it is the first. Belongs to the quiz */
    bool revealing;     /* the answer was given, and the run shows the truth */
    json_t *answers;    /* a list of what was answered so far, by question
                         * (lesson/attempt.h) */
    json_t *truths;     /* the right answer to each; null: no run was asked */
    json_t *terms; /* a list of the terms that a page has explained so far */
    json_t *untranslated; /* a list of [line, text] that are missing in the
                           * catalogue, up to a limit */
    json_t *missed; /* a list of the predictions that were not, by the number of
                     * the question from 0 */
    json_t *offered; /* a list of those that the script can ask for another N or
                      * root */
    int predicted, right; /* numbers of predictions, and of those that were
                           * right at once, without hints */

    struct job *runs[TUTOR_RUNS];
    char *commands[TUTOR_RUNS]; /* by run: what the script asked for */
    int nruns;
    int shown; /* the run on the screen; -1: none */
    struct player player; /* of that run */
    char *table; /* lines shown instead of the run, of which the first is the
                  * longest; NULL: none */
    struct figure *figure; /* the same, drawn; NULL: the table is shown as it
                            * is */
    int tables; /* number of tables so far */
    bool changed; /* what is shown has changed: draw it, then go on at once */

    json_t *known; /* an object: what plays of this lesson have found out, see
                    * tutor_known() */

    bool hurry; /* steps take no time, because nobody watches */
    int review; /* the only question to ask, from 0; -1: play everything */
    int round;  /* of the review, from 1 */
    int skip;   /* number of pages to skip */
    json_t *earlier; /* as `answers`, from before this lesson was opened again;
                      * may have more of them */

    /* private to tutor*.c */
    int moving_to; /* the position that the script waits for; -1: none */
    struct measurement *measurement; /* that the script waits for, or NULL */
    bool settling; /* the script waits for the run to get no farther */
    int64_t quiet_since; /* since when it has not moved; 0: not yet known */
    int64_t quiet_ns;    /* how long that was when it was last looked at */
    int64_t last_ns;     /* of its world since then */
    int last_position;
    double bytes;  /* memory of all runs, in bytes */
    int requests;  /* number of the script's requests so far */
    json_t *first; /* the first answer to the present question, or NULL */
    int hints; /* shown before it */
};

/* Returns NULL on failure, with the reason in *err.  Does not wait for the
 * script: the first tutor_advance() reports what is wrong with it. */
struct tutor *tutor_open(const char *path, const struct options *o,
                         struct err *err);
void tutor_close(struct tutor *t);

/* Skips the first `pages` pages, with what was answered there.  Where there are
 * more answers, a question after these pages keeps the first answer that it was
 * given.  An answer that does not fit its question, because the lesson has
 * changed since, counts as none.  Call it before the first tutor_advance(). */
void tutor_skip(struct tutor *t, int pages, const json_t *answers);

/* Asks one question and shows its answer, with nothing else of the lesson.  If
 * the script offers it for another N or root, it is asked that way, a different
 * one in each round.  A lesson without that question is over at once. */
void tutor_review(struct tutor *t, int question, int round);

/* Takes over what another tutor of the same lesson has found out, so that it is
 * not measured or awaited again; what either finds out from then on is known to
 * both. */
void tutor_share_known(struct tutor *t, json_t *known);

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

/* Leaves the page. */
bool tutor_go_on(struct tutor *t, struct err *err);

/* Records that the question has shown this many hints. */
void tutor_hinted(struct tutor *t, int hints);

/* Answers the question; takes over `answer`. NULL: the learner does not
 * know.  If it asks for a second try, the state stays TUTOR_ASKS. */
bool tutor_answer(struct tutor *t, json_t *answer, struct err *err);

/* The world of the run on the screen; NULL: there is no run. */
struct world *tutor_world(const struct tutor *t);

/* What that run waits for (session_note()); NULL: nothing. */
const char *tutor_note(const struct tutor *t);

/* For tutor_*.c. */

/* What is known, by the command that a script gives to a verb: of "bench" the
 * table and its rows, of "settle" how many events there are of a run that
 * stands still.  Belongs to the tutor. */
json_t *tutor_known(const struct tutor *t, const char *verb);

/* Whether what the script does now is skipped. */
bool tutor_skips(const struct tutor *t);

/* How a verb ends: with a reply now, with a reply when the learner or the run
 * is ready, or with an error. */
enum tutor_did { DID_REPLY, DID_WAIT, DID_REFUSE };

struct verb {
    const char *name;
    enum tutor_did (*act)(struct tutor *t, const struct request *r,
                          json_t **reply, struct err *err);
};

extern const struct verb tutor_verbs[], tutor_facts[]; /* end: name NULL */
enum tutor_did tutor_compare(struct tutor *t, const struct request *r,
                             json_t **reply, struct err *err);

/* `chart`: of points that the script has, or of what a model predicts. */
enum tutor_did tutor_chart(struct tutor *t, const struct request *r,
                           json_t **reply, struct err *err);
enum tutor_did tutor_chart_model(struct tutor *t, const char *command,
                                 json_t **reply, struct err *err);

enum tutor_did tutor_code(struct tutor *t, const struct request *r,
                          json_t **reply, struct err *err);

enum tutor_did tutor_outputs(struct tutor *t, const struct request *r,
                             json_t **reply, struct err *err);

/* The first elements of each slot of a rank's output, one after another; null
 * for one that is not finite. */
json_t *tutor_values(const struct world *w, int rank);

/* `bench`: the verb; one part of the measurement; the file descriptor to wait
 * for before the next part, or -1; its end, finished or not. */
enum tutor_did tutor_bench(struct tutor *t, const struct request *r,
                           json_t **reply, struct err *err);
bool tutor_bench_on(struct tutor *t, struct err *err);
int tutor_bench_fd(const struct tutor *t);
void tutor_bench_stop(struct tutor *t);

/* `settle`: the verb; what its run does next, while it can; when to look again,
 * INT64_MAX for not before something moves; the reply, or NULL if the run still
 * goes on. */
enum tutor_did tutor_settle(struct tutor *t, const struct request *r,
                            json_t **reply, struct err *err);
void tutor_settle_on(struct tutor *t, int64_t now);
int64_t tutor_settle_due(const struct tutor *t);
json_t *tutor_settled(struct tutor *t, int64_t now);

/* How late a rank of a lesson's run may be at most, unless it is late for good
 * (inf). */
enum { TUTOR_DELAY_MOST_MS = 2000 };

/* Whether a rank of the run never goes on (--delay RANK=inf). */
bool tutor_has_dead_rank(const struct job *job);

/* Whether steps take no time, because nobody watches. */
bool tutor_unwatched(const struct tutor *t);

/* The run that a request is about; sets *index to its number. Returns NULL on
 * failure, with the reason in *err. */
struct job *tutor_run(const struct tutor *t, const struct request *r,
                      int *index, struct err *err);

/* Builds a run that a script asks for, and does not start it.  The caller frees
 * it with job_free(), or starts it.  Returns NULL on failure, with the reason
 * in *err. */
struct job *tutor_build_job(const struct tutor *t, const char *command,
                            struct err *err);

/* Makes a run that nobody sees, and goes to its end.  Takes over `job`, which
 * has been built, or NULL after a failure.  `verb` is what the script called,
 * for the error.  Call tutor_drop_job() for the result.  Returns NULL on
 * failure, with the reason in *err. */
struct job *tutor_finish_job(struct tutor *t, const char *verb,
                             struct job *job, struct err *err);
void tutor_drop_job(struct tutor *t, struct job *job);

/* Waits until a run has yielded an item, which takes a moment. Returns false if
 * the run failed or a signal asks to end (base/signals.h). */
bool tutor_await(struct session *s, struct err *err);

/* Refuses what a lesson does not run: a file, or too many ranks. */
bool tutor_may_run(const struct options *o, const char *name,
                   struct err *err);

/* Refuses a network that is in a file, unless the learner has chosen it. */
bool tutor_reads_no_network(const struct tutor *t, const struct options *o,
                            struct err *err);

/* Puts a table in the place of the run.  Takes over `figure`, which the screen
 * draws instead, or NULL.  tutor_show_table(): a table that is not whole yet,
 * which a transcript does not print. */
void tutor_show_table(struct tutor *t, const struct buf *table,
                      struct figure *figure);
void tutor_put_table(struct tutor *t, const struct buf *table,
                     struct figure *figure);

/* Puts a run on the screen. */
void tutor_show(struct tutor *t, int index);

/* Reads a member that must be a whole number within limits. `what` is its name
 * in the error. */
bool tutor_integer(const struct request *r, const char *key, const char *what,
                   int least, int most, int *value, struct err *err);

#endif
