/* SPDX-License-Identifier: MIT */
/* A place in a schedule, and a change there, as people type them:
 *
 *     step 3, 2>0         what GPU 2 sends to GPU 0 in step 3; also "3 2>0"
 *
 *     2>0 +C1             this takes its place (text/notation.h)
 *     step 4, 2>0 +C1     this does, in step 4
 *     step 4              it is moved to step 4, or its step and step 4 change
 *                         places
 *     -                   it is taken away */
#ifndef TEXT_CHANGE_H
#define TEXT_CHANGE_H

#include "text/notation.h"

struct place {
    int step, src, dst;
};

/* Reads a place in a schedule of so many steps.  Returns false, with the reason
 * in *err, if it is none. */
bool place_read(const char *typed, int nranks, int nsteps, struct place *p,
                struct err *err);
void place_add(const struct place *p, struct buf *out);

struct change {
    int step; /* 0: that of the place */
    bool puts, takes; /* a transfer is typed; or a "-".  Neither: a step */
    struct transfer put;
};

bool change_read(const struct notation *n, const char *typed, int nsteps,
                 struct change *c, struct err *err);
void change_add(const struct notation *n, const struct change *c,
                struct buf *out);

#endif
