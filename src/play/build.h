/* SPDX-License-Identifier: MIT */
/* From a name and options to a schedule: an algorithm's, or the one in a file
 * of MSCCL's. */
#ifndef PLAY_BUILD_H
#define PLAY_BUILD_H

#include "base/buf.h"
#include "coll/coll.h"
#include "msccl/msccl.h"
#include "play/options.h"

/* What the options say to algorithms. */
struct coll_options build_coll(const struct options *o);

/* Whether ALGORITHM is a file of MSCCL's, by its name; and the schedule that is
 * in it. *notes: as msccl_read() has them. */
bool build_is_file(const char *name);
struct schedule *build_import(const char *name, const struct options *o,
                              struct msccl_notes *notes, struct err *err);

/* The schedule that ALGORITHM and the options ask for; *algorithm is NULL where
 * it comes from a file. NULL with the reason. */
struct schedule *build_schedule(const char *name, const struct options *o,
                               const struct algorithm **algorithm,
                               struct err *err);

/* "ring-allreduce", or the file's name. */
void build_name(const char *operand, const struct algorithm *a,
                  struct buf *out);

/* Ranks and elements, where the options leave them open. */
int build_ranks(const struct options *o);
int64_t build_count(const struct options *o, int nranks);

#endif
