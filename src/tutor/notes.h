/* SPDX-License-Identifier: MIT */
/* The speaker's notes of a page: those of the lesson, and what the lesson has
 * for the page anyway.
 *
 *     a) A1+B1   b) B1 ✓
 *     Let them argue before you go on.
 *     why: GPU 0 sent A1+C1, and GPU 1 added its own B1.
 *     a) Something arrives in this slot, and is added to B1.
 *     hint: GPU 1 receives from GPU 0. What has GPU 0 got in slot 1?
 *     on the screen: collviz ring-allreduce --gpus 3, step 1 of 4 */
#ifndef TUTOR_NOTES_H
#define TUTOR_NOTES_H

#include "draw/canvas.h"
#include "tutor/tutor.h"

/* Adds the notes of the page or question that the tutor has stopped at.  No
 * page is without. */
void notes_add(const struct tutor *t, enum glyph_set set, struct buf *out);

/* Adds the line with which the page begins.  If it is longer than 80 columns it
 * is cut, and ends in "...". */
void notes_add_first_line(const struct tutor *t, struct buf *out);

#endif
