/* SPDX-License-Identifier: MIT */
/* The speaker's notes of a page: those of the lesson, then all else that the
 * lesson has for the page.
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
void notes_add(const struct tutor_seen *t, enum glyph_set set, struct buf *out);

/* Adds the line with which the page begins.  If it is longer than 80 columns it
 * is cut, and ends in "...". */
void notes_add_first_line(const struct tutor_seen *t, struct buf *out);

/* The pages that come next in a lesson: the line with which each begins, found
 * by playing it with no answers and nobody watching.
 *
 *     outline_init(&o, path, &options)
 *     while (o.tutor != NULL) {
 *         ... poll tutor_fd(o.tutor), until tutor_due(o.tutor, now) ...
 *         outline_advance(&o, now);
 *     }
 *     if (outline_has(&o, 1, "One.")) ... json_array_get(o.pages, 1) ...
 *     outline_done(&o)
 *
 * A lesson may go another way when it is answered, so outline_has() asks for
 * the page that is shown.  Nothing is measured, which would disturb those who
 * measure: the outline ends where a lesson measures, where it fails, and after
 * 1000 pages. */
struct outline {
    struct tutor *tutor; /* NULL: it has ended */
    json_t *pages; /* a list of their first lines (notes_add_first_line()) */
};

/* Borrows the path.  A lesson that cannot be played has no pages. */
void outline_init(struct outline *o, const char *path,
                  const struct options *options);

/* Also for one that is all zero. */
void outline_done(struct outline *o);

/* Whether the page, counted from 1, is known, and begins with that line. */
bool outline_has(const struct outline *o, int page, const char *first);

/* Plays on as far as possible without waiting.  Call it again when
 * tutor_advance() would be, until there is no tutor any more. */
void outline_advance(struct outline *o, int64_t now);

#endif
