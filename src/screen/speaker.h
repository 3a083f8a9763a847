/* SPDX-License-Identifier: MIT */
/* What a speaker needs beside the lesson: how long the class may still think,
 * how long the lecture still takes, and, where browsers follow
 * (web/serve.h), the page in words for the class, its votes, and the notes
 * of the page with what comes next for the speaker's own phone. */
#ifndef SCREEN_SPEAKER_H
#define SCREEN_SPEAKER_H

#include "tutor/notes.h"
#include "web/serve.h"

struct speaker {
    struct serve *serve;           /* borrowed; NULL: nobody follows */
    const struct lecture *lecture; /* borrowed; NULL: there is none */
    int64_t think_until_ns; /* when the timer runs out; 0: there is none */
    struct buf head, notes; /* of the page */
    struct outline outline; /* what comes next; while it is found out */
    bool counted;           /* the votes are of the page's question */
};

/* Begins the lesson of that file. */
void speaker_begin(struct speaker *s, const char *lesson,
                   const struct options *o, const struct lecture *lecture,
                   struct serve *serve);
void speaker_end(struct speaker *s);

/* The tutor has stopped at a page or question, or the lesson is over: a timer
 * ends.  `votes`: a question may be answered in browsers, which in an exam
 * would be help. */
void speaker_turn(struct speaker *s, const struct tutor_seen *t, bool votes);

/* The run is about to answer: votes for the question end. */
void speaker_close(const struct speaker *s, const struct tutor_seen *t);

/* Gives the class 30 seconds to think, or 30 more. */
void speaker_give_time(struct speaker *s, int64_t now);

/* The votes for the question, which has just been asked or answered: `most`
 * answers and how many gave each (serve_votes()).  Returns how many voted. */
int speaker_votes(const struct speaker *s, int most, struct serve_vote *votes,
                  int *count);

/* Adds what the clock says, at this part of the lesson, 0 to 1: "0:24 to think,
 * 31 min left". */
void speaker_add_status(const struct speaker *s, double progress, int64_t now,
                        struct buf *out);

/* For each frame: shows the speaker's phone what is new, with the status so
 * far, to which it adds who follows. */
void speaker_publish(const struct speaker *s, const struct tutor_seen *t,
                     struct buf *status);

/* Goes on with finding out what comes next; when to do so again, and when the
 * clock says something else; INT64_MAX: not by itself. */
void speaker_advance(struct speaker *s, int64_t now);
int64_t speaker_due(const struct speaker *s, int64_t now);

#endif
