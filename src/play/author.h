/* SPDX-License-Identifier: MIT */
/* Algorithms that are scripts: FILE.lua, as lessons/algorithms/README.md has
 * it.
 *
 *     algorithm { collective = "all-reduce", chunks = n, topology = "ring" }
 *     for k = 0, n - 2 do
 *       step "reduce-scatter"
 *       for r = 0, n - 1 do
 *         add { from = r, to = (r + 1) % n, chunk = (r - 1 - k) % n }
 *       end
 *     end
 *     ...
 *
 * The script runs in collviz-lesson (script/script.h), with the limits of
 * lessons.  What it yields is a schedule, which remembers the script's line of
 * each transfer: errors, and the sentences of schedule_check(), name it.
 *
 * A script that follows chunks (chunk(0, 2):add(1):copy(3)) says no steps: each
 * transfer is put into the earliest one that its data allows.
 *
 * Scripts write to the work buffer (coll/lib/parts.h), so that one script
 * serves in place and out of place. */
#ifndef PLAY_AUTHOR_H
#define PLAY_AUTHOR_H

#include "coll/lib/algorithm.h"

enum {
    AUTHOR_TRANSFERS_MAX = 1 << 20, /* of a schedule */
    AUTHOR_MOVED_MAX = 1 << 24,     /* chunks that all of them move */
    AUTHOR_NAMES_MAX = 1024         /* different names of steps */
};

/* Runs the script in the file `path`; or `source`, unless that is NULL, and
 * `path` is its name in errors.  The options are those of coll_build().
 * Returns NULL on failure, with the reason in *err: "ring.lua:7: add: there is
 * no rank 4; the ranks are 0 to 3". */
struct schedule *author_build(const char *path, const char *source,
                              const struct coll_options *o, struct err *err);

/* What the script in a file promises, as a row of the table of algorithms
 * (coll/coll.h) that build_row() takes, and that is valid as long as `path`.
 * Runs the script up to its promise. */
bool author_find(const char *path, const struct coll_options *o,
                 struct algorithm *row, struct err *err);

#endif
