/* SPDX-License-Identifier: MIT */
/* Builds what one rank follows in a mismatched run (--mismatch). */
#ifndef PLAY_MISMATCHED_H
#define PLAY_MISMATCHED_H

#include "play/options.h"
#include "run/run_options.h"

/* The schedule that o->mismatch gives its rank, where the others follow
 * `theirs`, the schedule of `name`, with inputs of `count` elements.  Fills in
 * *m; the caller frees m->its.  Returns false, with the reason in *err, if the
 * mismatch makes no sense. */
bool mismatched_build(const char *name, const struct options *o,
                      const struct schedule *theirs, int64_t count,
                      struct mismatch *m, struct err *err);

#endif
