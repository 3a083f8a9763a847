/* SPDX-License-Identifier: MIT */
/* Builds the schedule that a name and options ask for: an algorithm's, that of
 * a script, or one read from an MSCCL file. */
#ifndef PLAY_BUILD_H
#define PLAY_BUILD_H

#include "base/buf.h"
#include "msccl/msccl.h"
#include "play/options.h"
#include "play/prediction.h"

/* The options that algorithms take.  build_schedule() takes CHUNKS_AUTO for the
 * number of chunks, coll/ does not. */
struct coll_options build_coll(const struct options *o);

/* The network on which numbers of chunks are chosen: that of --network, or else
 * the one that joins the GPUs of machines like this one. */
struct network build_network(const struct options *o);

/* Whether ALGORITHM names a file: an MSCCL program, or a script. */
bool build_is_file(const char *name);
bool build_is_script(const char *name);

/* Finds what ALGORITHM names: a row of the table, or one of the file, which is
 * put into *own and is valid as long as the name. */
bool build_find(const char *name, const struct options *o,
                struct algorithm *own, const struct algorithm **found,
                struct err *err);

/* The schedule of a row of the table, or of a file.  Returns NULL on failure,
 * with the reason. */
struct schedule *build_row(const struct algorithm *a,
                           const struct coll_options *o, struct err *err);

/* What a schedule was built from. */
struct built {
    const struct algorithm *algorithm; /* of the table; NULL: from a file */
    struct msccl_notes notes;          /* of an MSCCL file: msccl_read() */
    int chunks; /* of its pipeline; 0: it is none */
};

/* The schedule that ALGORITHM and the options ask for.  `built` may be NULL.
 * Returns NULL on failure, with the reason in *err: err->typed if a file is too
 * large, if the options do not fit, or if there is no such algorithm; not if a
 * file is wrong or cannot be read. */
struct schedule *build_schedule(const char *name, const struct options *o,
                                struct built *built, struct err *err);

/* "ring-allreduce", or the file's name. */
void build_name(const char *operand, const struct algorithm *a,
                  struct buf *out);

/* "2 log2 N steps, the busiest rank sends 2(N-1)/N S, where N is a power of
 * two". */
void build_costs(const struct algorithm *a, struct buf *out);

/* The number of ranks and of elements a rank, with defaults filled in. */
int build_ranks(const struct options *o);
int64_t build_count(const struct options *o, int nranks);

/* The elements of the longest input. */
int64_t build_elements(const struct options *o, const struct schedule *s);

#endif
