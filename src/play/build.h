/* SPDX-License-Identifier: MIT */
/* Builds the schedule that a name and options ask for: an algorithm's, or one
 * read from an MSCCL file. */
#ifndef PLAY_BUILD_H
#define PLAY_BUILD_H

#include "base/buf.h"
#include "coll/coll.h"
#include "msccl/msccl.h"
#include "play/options.h"

/* The options that algorithms take. */
struct coll_options build_coll(const struct options *o);

/* Whether ALGORITHM names an MSCCL file. */
bool build_is_file(const char *name);

/* What a schedule was built from. */
struct built {
    const struct algorithm *algorithm; /* NULL: from a file */
    struct msccl_notes notes;          /* of a file: msccl_read() */
};

/* The schedule that ALGORITHM and the options ask for.  `built` may be NULL.
 * Returns NULL on failure, with the reason in *err.  *status is EXIT_WRONG then
 * if a file is wrong or cannot be read, EXIT_USAGE if it is too large, if the
 * options do not fit, or if there is no such algorithm. */
struct schedule *build_schedule(const char *name, const struct options *o,
                                struct built *built, int *status,
                                struct err *err);

/* "ring-allreduce", or the file's name. */
void build_name(const char *operand, const struct algorithm *a,
                  struct buf *out);

/* The number of ranks and of elements a rank, with defaults filled in. */
int build_ranks(const struct options *o);
int64_t build_count(const struct options *o, int nranks);

/* The number of parts that a separator cuts the text into. */
int64_t build_parts(const char *text, size_t length, char separator);

#endif
