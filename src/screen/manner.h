/* SPDX-License-Identifier: MIT */
/* Manners of asking: what is not the same in a lesson, a lecture, a review and
 * an exam.  Each is a row; lesson_screen_play() asks in any of them.
 *
 *     lesson_screen_play(l, &(struct asked){.manner = &manner_lesson,
 *                                           .path = path}, &err) */
#ifndef SCREEN_MANNER_H
#define SCREEN_MANNER_H

#include "lesson/progress.h"
#include "tutor/exam.h"
#include "tutor/tutor.h"

struct asked;

struct manner {
    bool alone; /* one question: no other pages, no way back, no last page */
    bool class; /* browsers vote, then the run answers; no key does */
    bool examines; /* only the question shows, without hints or a second try,
                    * and not whether the answer was right; steps that are
                    * wired count, finished or not; leaving is confirmed */
    bool resumes;    /* begins where the learner left */
    bool leads_back; /* q leads to the screen before */
    /* Keeps what was played so far: at each page, or if a question is asked
     * alone once it has been answered.  As progress_keep(); NULL: nothing is
     * kept. */
    bool (*keep)(const struct asked *a, const struct tutor *t,
                 struct err *aside, struct err *err);
};

extern const struct manner manner_lesson, manner_lecture, manner_class,
    manner_review, /* and proofs */
    manner_practice, manner_exam;

/* A lesson that is played, or a question of one that is asked alone. */
struct asked {
    const struct manner *manner;
    const char *path;
    int question, round; /* as in struct tutor_how */
    const struct due *due; /* that is reviewed */
    struct task *task;     /* of practice or an exam; gets the answer */
    const char *status; /* beside the title: "exam 7F3A   task 4 of 10"; NULL:
                         * nothing */
    double progress;    /* with a status: as in struct panel */
    int64_t until_ns;   /* when the exam ends; 0: never */
    json_t *known;      /* for struct tutor_how; NULL: nothing */
};

#endif
