/* SPDX-License-Identifier: MIT */
/* Fills the panel of a lesson from what is seen of a tutor. */
#ifndef SCREEN_LESSON_PANEL_H
#define SCREEN_LESSON_PANEL_H

#include "lesson/progress.h"
#include "screen/answer.h"
#include "text/word.h"
#include "tutor/tutor.h"
#include "view/frame.h"
#include "web/serve.h"

enum { PANEL_RANKS = 9 };

/* A panel, and those of its texts that do not belong to the tutor. */
struct lesson_panel {
    struct panel panel;
    struct buf text, aside, status, closing, reason;
    struct word ranks[PANEL_RANKS]; /* "GPU 3", to choose */
    const char *back; /* as in struct lessons */
    bool presents; /* to a class, by a speaker who has notes */
    bool class;    /* which is asked: nobody answers at the keys */
    int voters;    /* who have answered in browsers, */
    int nvotes;    /* and what */
    struct serve_vote votes[QUESTION_ITEMS];
    bool polled;   /* the class sees how */
    bool noted;    /* the speaker's notes are shown */
    bool played;   /* the learner has been in the run that the page is about */
    bool closed;   /* no run can be explored: a prediction is open, though the
                    * learner may have gone back from it */
};

/* Fills it with the page, or with the question and the answer so far.  While
 * the script or a run is at work it has only the title. */
void lesson_panel_fill(struct lesson_panel *p, const struct tutor_seen *t,
                       const struct answer *a, enum glyph_set set);

/* Adds the page after the last one, which is ours, not the lesson's, whose name
 * is `key`.  `next` is the lesson that follows, or NULL. */
void lesson_panel_end(struct lesson_panel *p, const struct tutor_seen *t,
                      const char *key, const struct card *next);

/* Appends how the questions of a lesson were answered, and whether it has been
 * passed or how it can be. */
void lesson_panel_add_score(struct buf *text, const char *key,
                            const struct progress *p);

/* For faces (screen/answer.h): add what can be chosen or sorted: a text; the
 * items of these numbers, from 1, which have letters. */
void lesson_panel_add_item(struct lesson_panel *p, const char *text);
void lesson_panel_add_items(struct lesson_panel *p, const struct question *q,
                            const int *numbers);

void lesson_panel_done(struct lesson_panel *p);

#endif
