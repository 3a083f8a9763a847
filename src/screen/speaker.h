/* SPDX-License-Identifier: MIT */
/* What a speaker needs beside the lesson: how long the class may still think,
 * how long the lecture still takes, and the notes of the page that the class
 * sees, for another terminal (lesson/podium.h).  That terminal may not have the
 * signs of this one, so these notes use those that every terminal has. */
#ifndef SCREEN_SPEAKER_H
#define SCREEN_SPEAKER_H

#include "lesson/podium.h"
#include "tutor/tutor.h"

struct speaker {
    struct place place; /* title NULL: no page has been published */
    const struct lecture *lecture; /* borrowed; NULL: there is none */
    struct podium *podium;         /* NULL: nobody can follow */
};

/* Begins the lesson of that file; with `presents` others can follow.  Returns
 * false, with the reason in *err, if they cannot; the speaker needs
 * speaker_end() all the same. */
bool speaker_begin(struct speaker *s, const char *lesson, int gpus,
                   const struct lecture *lecture, bool presents,
                   struct err *err);
void speaker_end(struct speaker *s);

/* The tutor has stopped at a page or question, at that part of the lesson, or
 * the lesson is over: a timer ends.  Returns false, with the reason in *err, if
 * others cannot follow. */
bool speaker_turn(struct speaker *s, const struct tutor *t, double progress,
                  struct err *err);

/* Gives the class 30 seconds to think, or 30 more. */
bool speaker_give_time(struct speaker *s, int64_t now, struct err *err);

/* Adds what the clock says (podium_add_status()), and when that changes;
 * INT64_MAX: not by itself. */
void speaker_add_status(const struct speaker *s, int64_t now,
                        struct buf *out);
int64_t speaker_due(const struct speaker *s, int64_t now);

#endif
