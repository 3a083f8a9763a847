/* SPDX-License-Identifier: MIT */
/* The pages of a lesson, found by playing it with no answers and nobody
 * watching.
 *
 *     o = outline_open(path, &options, glyphs, &err)
 *     while (!o->over) { outline_advance(o, clock_ns()); ... poll ... }
 *     ... o->pages[0] ...
 *     outline_close(o)
 *
 * A lesson may do something else when it is answered; then its pages differ.
 * One with more than 1000 pages, or 1 MiB of notes, has failed there. */
#ifndef TUTOR_OUTLINE_H
#define TUTOR_OUTLINE_H

#include "tutor/tutor.h"

struct outline_page {
    char *first; /* the line with which it begins, cut to 80 columns */
    char *notes; /* for the speaker */
};

struct outline {
    struct tutor *tutor; /* NULL when it is over */
    char *path;
    struct options options;
    enum glyph_set glyphs; /* that the notes may use */
    int number; /* of the lesson; 0: not known yet */
    char *title; /* NULL: not known yet */
    struct outline_page *pages;
    size_t count, capacity;
    size_t bytes; /* of all notes */
    bool over;          /* no more pages will come */
    struct err trouble; /* why the lesson has failed; "": it has not */
};

/* Returns NULL on failure, with the reason in *err. */
struct outline *outline_open(const char *path, const struct options *o,
                             enum glyph_set glyphs, struct err *err);
void outline_close(struct outline *o);

/* Plays on as far as possible without waiting.  When to call it again: when
 * the descriptor is readable (-1: none), or at the time. */
void outline_advance(struct outline *o, int64_t now);
int outline_fd(const struct outline *o);
int64_t outline_due(const struct outline *o, int64_t now);

#endif
