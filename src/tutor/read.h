/* SPDX-License-Identifier: MIT */
/* Reads a lesson as it goes if nobody answers, for all that prints it.  A plan
 * or an outline, to which a page is a page, has a loop over tutor_next(). */
#ifndef TUTOR_READ_H
#define TUTOR_READ_H

#include "tutor/tutor.h"

/* What is done at each stop. */
struct tutor_reader {
    /* The lesson has said what it is; NULL: nothing is done.  false, with the
     * reason in *err: it is not read. */
    bool (*begin)(void *self, struct err *err);
    void (*page)(void *self);
    void (*question)(void *self);
    void (*answer)(void *self); /* NULL: nothing is read after a question */
};

/* Reads all that the tutor plays.  Returns false, with the reason in *err, if
 * the lesson failed, or if a signal asks to end (base/signals.h). */
bool tutor_read(struct tutor *t, const struct tutor_reader *r, void *self,
                struct err *err);

#endif
