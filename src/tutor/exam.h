/* SPDX-License-Identifier: MIT */
/* An exam: ten tasks of several skills, drawn by a seed; the same ones wherever
 * the lessons are the same, whatever a learner has done.  A task is a question
 * of a lesson or an exercise in some round, asked alone.  Its answer is open:
 * no question that offers choices is drawn.
 *
 *     exam_draw(&e, seed, EXAM_ALL, &options, &err)
 *     ... exam_open(&e, &e.tasks[0], &options, &err) ...
 *     e.tasks[0].right = true;
 *     exam_result(&e, result);
 *     exam_done(&e);
 *
 * Practice asks for one task of an exercise, exam_practice(), then for that of
 * the next seed. */
#ifndef TUTOR_EXAM_H
#define TUTOR_EXAM_H

#include "draw/canvas.h"
#include "lesson/progress.h"
#include "play/options.h"

enum {
    EXAM_TASKS = 10,
    EXAM_ALL = (1 << SKILLS) - 2, /* bits of enum skill */
    SEED_TEXT = 9
};

struct task {
    enum skill skill;
    char *path;
    int question, round; /* as in struct tutor_how */
    char *lesson; /* that teaches it: "20 what-goes-wrong" */
    bool right;
    char *text;          /* the question; NULL: it was not asked */
    char *given, *truth; /* as people write them; NULL: nothing, or not
                          * asked */
};

struct exam {
    uint32_t seed;
    char name[SEED_TEXT]; /* the seed, as it is written: "7F3A" */
    struct task tasks[EXAM_TASKS];
    int ntasks;
    bool left;     /* a key ended the drawing */
    json_t *known; /* what plays of each file have found out, for the next one:
                    * {shelf_key(): `known`, ...} */
};

/* Reads a seed: up to 8 hexadecimal digits. */
bool seed_parse(const char *text, uint32_t *seed, struct err *err);

/* One of four digits, from the clock. */
uint32_t seed_new(void);

/* Reads names of skills with commas between them, as bits. */
bool exam_skills(const char *text, unsigned *wanted, struct err *err);

/* Draws ten tasks, of each skill in turn; skills whose exercise is not there
 * are left out.  Takes some seconds: lessons are played to see what they ask,
 * while the screen lives (base/waiter.h).
 * Call exam_done() in either case. */
bool exam_draw(struct exam *e, uint32_t seed, unsigned wanted,
               const struct options *o, struct err *err);

/* Draws one task of the exercise of a skill: of its open questions or choices,
 * the one that the seed is for. */
bool exam_practice(struct exam *e, uint32_t seed, enum skill skill,
                   const struct options *o, struct err *err);

void exam_done(struct exam *e);

/* Opens a task's lesson or exercise, to ask the task alone, which nobody
 * watches; round 0: to play all of it.  The caller closes it; NULL: it cannot
 * be opened, *err says why. */
struct tutor *exam_open(const struct exam *e, const struct task *task,
                        const struct options *o, struct err *err);

/* The findings of earlier plays of this file, for struct tutor_how. */
json_t *exam_known(const struct exam *e, const char *path);

/* Counts the tasks of each skill, and those that were answered right. */
void exam_result(const struct exam *e, struct tally result[SKILLS]);

/* Adds "exam 7F3A: 7 of 10 right"; and a bar for each skill with the lessons to
 * go back to, then what was answered to each task. */
void exam_add_title(const struct exam *e, struct buf *text);
void exam_add_result(const struct exam *e, enum glyph_set set,
                     struct buf *text);

#endif
