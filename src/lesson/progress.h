/* SPDX-License-Identifier: MIT */
/* The learner's progress, kept in $XDG_STATE_HOME/collviz/progress.json
 * (~/.local/state/...):
 *
 *     {"version":1,"lessons":{"broadcast":{"page":4,"answers":[2,null],
 *                                          "done":true,"passed":false,
 *                                          "asked":3,"right":2,
 *                                          "review":[],
 *                                          "proof":{"questions":[0,2],
 *                                                   "round":3,
 *                                                   "due":1763800000,
 *                                                   "asked":1,"right":1}}},
 *      "skills":{"repair":{"asked":14,"right":9,
 *                          "exam":{"asked":2,"right":1,"seed":"7F3A"}}}}
 *
 * Several collviz may be open at once, also with the same lesson.  So none
 * writes back a record that it has read before: what it writes is a change, a
 * page that was reached or a question that was reviewed.  The change is applied
 * to the record that is read under a lock, and everything else in it stays.
 *
 * The file is replaced by rename() once the new one is on the disk, so a full
 * disk or a power failure loses nothing.  A file that cannot be understood is
 * put aside, never overwritten.  The key of a lesson is its shelf_key(). */
#ifndef LESSON_PROGRESS_H
#define LESSON_PROGRESS_H

#include <jansson.h>
#include <time.h>

#include "base/err.h"
#include "lesson/shelf.h"

/* A question that was missed comes back: after a day, then after 3 days, then
 * after 7.  One that is missed again begins anew.  The plan of a lesson is kept
 * with its progress, a list of
 *
 *     {"question":3,"round":1,"due":1763800000}
 *
 * `question` counts all questions of the lesson from 0, `due` is in seconds
 * since 1970.  A plan that was read from a file may hold anything. */
enum { REVIEW_ROUNDS = 3 };

/* How the review of a question has ended. */
enum review_result {
    REVIEW_RIGHT,  /* the next round is planned; nothing after the last */
    REVIEW_MISSED, /* the first round is planned again */
    REVIEW_GONE    /* the lesson no longer has the question: it is forgotten */
};

/* A lesson that was only read is not passed, because the answers are seen
 * there.  From the next day on each of its questions can be asked once for
 * another N, root, step or rank.  If 70 % of them are right at once, without a
 * hint, the lesson is passed; otherwise it can be proved on another day, in
 * another round: from the last one down, because reviews begin with the first.
 * A lesson without such questions is only read.  One that was passed by an
 * earlier collviz has no proof, and stays passed. */
struct proof {
    json_t *questions; /* a list of numbers, as in a review; NULL: there is
                        * nothing to prove */
    int round; /* 1 to REVIEW_ROUNDS */
    time_t due; /* the midnight after it was read, or last failed */
    int asked, right; /* so far, if the learner has left before its end */
};

struct progress {
    int page;  /* where the learner left; 0: at the beginning */
    bool done;   /* it has been read to its end */
    bool passed; /* and proved */
    int asked, right; /* predictions, and those that were right at once without
                       * a hint, the last time */
    json_t *answers;  /* a list of what was answered up to the page, or the last
                       * time (struct attempt of lesson/attempt.h) */
    json_t *review;   /* the plan of what comes back */
    struct proof proof;
};

/* The progress of all lessons, by key, as an object that the caller owns;
 * empty if there is no file yet.  Returns NULL, with the reason in *err, if
 * the file cannot be read or understood. */
json_t *progress_read(struct err *err);

/* The progress of one lesson, all 0 and NULL if there is none.  Its pointers
 * belong to the object. */
struct progress progress_of(const json_t *all, const char *lesson);

/* A question that comes back, in a review or in the proof of its lesson. */
struct due {
    const char *lesson;
    bool proves;
    int question;
    int round; /* 1 to REVIEW_ROUNDS */
    time_t due;
};

/* The next question of the proof of `lesson`; NULL: the one of all reviews that
 * is due first, whose lesson's name belongs to `all`.  Returns false if none is
 * planned. */
bool progress_next(const json_t *all, const char *lesson, struct due *d);

/* Plans what follows the question's end: the next round, or the next question
 * of the proof.  If another collviz has asked that in the meantime, nothing
 * happens. */
void progress_ended(json_t *all, const struct due *d,
                    enum review_result result, time_t now);

/* Whether a lesson can be proved now. */
bool progress_provable(const struct progress *p, time_t now);

/* The number of questions that are due for review. */
int progress_due(const json_t *all, time_t now);

bool progress_has(const json_t *all, const char *lesson);

/* The functions below change the file.  One that cannot be understood is put
 * aside first; *aside then says under which name, else it is "".  They wait up
 * to a second for another collviz that is writing. */

/* Keeps what this collviz has played of a lesson: the page and the answers;
 * and if that was all of it (`done`), the other figures, which questions are
 * `missed`, to be planned for review, and which are `offered` in another way,
 * to prove it.  Once done or passed, it stays so, and reviews that are planned
 * stay planned.  Whoever has read it again has seen its answers again, so its
 * proof begins anew, on another day. */
bool progress_keep(const char *lesson, const struct progress *played,
                   const json_t *missed, const json_t *offered,
                   struct err *aside, struct err *err);

/* Keeps how a question that came back has ended (progress_ended()). */
bool progress_keep_due(const struct due *d, enum review_result result,
                       struct err *aside, struct err *err);

/* The number of answers, and of those that were right. */
struct tally {
    int asked, right;
};

/* The answers of a skill: all that were given in practice, and those of the
 * last exam that asked for it. */
struct skill_progress {
    struct tally practice, exam;
};

struct skill_progress progress_skill(const json_t *all, enum skill skill);

/* Keeps answers by skill: adds those of practice; those of an exam, which has a
 * seed, take the place of the last one's, unless nothing of a skill was
 * asked.  seed NULL: it was practice. */
bool progress_keep_skills(const struct tally done[SKILLS], const char *seed,
                          struct err *aside, struct err *err);

/* Forgets the progress of a lesson; NULL: of all lessons and skills. */
bool progress_forget(const char *lesson, struct err *aside, struct err *err);

#endif
