/* SPDX-License-Identifier: MIT */
/* Transfers, places and changes of a schedule, as people type them:
 *
 *     0>1 +2       GPU 0 sends its slot 2 to GPU 1, which adds it to its own
 *     0>1 =2       the same, but it replaces what is there; so does 0>1 2
 *     0>1 +A2      the slot that holds A2, which has another number in a gather
 *     0>1 +A2+C2   or AC2, or S2 for a complete sum: all of the names that the
 *                  picture has, in whichever slot of GPU 0 it is
 *     0>1 =2..4    slots 2 to 4
 *     0>1 =A2@5    which lands in slot 5
 *
 * Several are separated by blanks, commas or semicolons: "0>1 +1, 1>2 +2".  If
 * no world says what the sender holds, letters are not looked at.
 *
 *     step 3, 2>0         a place: what GPU 2 sends to GPU 0 in step 3; also
 *                         "3 2>0"
 *
 *     2>0 +1              a change there: this takes its place
 *     step 4, 2>0 +1      this does, in step 4
 *     step 4              it is moved to step 4, or its step and step 4 change
 *                         places
 *     -                   it is taken away */
#ifndef TEXT_NOTATION_H
#define TEXT_NOTATION_H

#include "base/buf.h"
#include "base/err.h"
#include "model/world.h"

struct notation {
    int nranks;
    int first, nslots; /* slots as they are typed count from the first; so many
                        * of a rank can be named */
    int nsteps;        /* that places may be in */
    const struct world *world; /* in which the senders are; NULL: slots have
                                * numbers only */
    int position; /* the step after which the transfers take place */
    struct transfer example; /* shown in errors; without slots: any will do */
};

/* The output slots and the scratch slots of a run; after step `position`. */
struct notation notation_of(const struct world *w, int position);

/* The output slots of a schedule, by number. */
struct notation notation_for(const struct schedule *s);

/* Reads a line into list[0] to list[*count - 1].  Returns false, with the
 * reason in *err, if it cannot be read, is empty, or has more than `most`
 * transfers. */
bool notation_read(const struct notation *n, const char *typed,
                   struct transfer *list, size_t most, size_t *count,
                   struct err *err);

/* Appends "0>1 +2", which notation_read() reads as the same transfer if it
 * adds to the slot that it writes; "0>1 +2, 1>2 +3" for a list. */
void notation_add(const struct notation *n, const struct transfer *t,
                  struct buf *out);
void notation_add_list(const struct notation *n, const struct transfer *t,
                       size_t count, struct buf *out);

struct change_place {
    int step, src, dst;
};

bool change_place_read(const struct notation *n, const char *typed,
                       struct change_place *p, struct err *err);
void change_place_add(const struct change_place *p, struct buf *out);

struct change {
    int step; /* 0: that of the place */
    bool puts, takes; /* a transfer is typed; or a "-".  Neither: a step */
    struct transfer put;
};

bool change_read(const struct notation *n, const char *typed, struct change *c,
                 struct err *err);
void change_add(const struct notation *n, const struct change *c,
                struct buf *out);

#endif
