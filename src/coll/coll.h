/* SPDX-License-Identifier: MIT */
/* The algorithms: the one table, and how to build a schedule from its rows.
 *
 * An algorithm is one file, coll/<collective>_<algorithm>.c, with one pure
 * function that fills a schedule, and one row here; those that differ only in
 * their wiring or direction share a file.  Its name on the command line is
 * <algorithm>-<collective>; it may also be a script, lessons/algorithms/
 * <algorithm>-<collective>.lua, whose row is made of its head
 * (coll/shelf.awk).  A collective alone means the first row that has it,
 * an algorithm alone that for all-reduce, or else the first row that has it. */
#ifndef COLL_COLL_H
#define COLL_COLL_H

#include "base/err.h"
#include "base/near.h"
#include "coll/lib/algorithm.h"

/* The table, by index from 0: the rows in C, then those of scripts.  Returns
 * NULL after the last one. */
const struct algorithm *coll_at(int index);

/* "ring-allreduce", or the name of a file. */
struct coll_name {
    char text[2 * SCHEDULE_NAME_MAX];
};
struct coll_name coll_name(const struct algorithm *a);

/* Finds "ring-allreduce", or "allreduce" for its first algorithm, or "ring" for
 * that of all-reduce; aliases too, and names of other programs
 * (coll_find_other()).  Returns false, with an error that says what
 * is near.  err may be NULL; that is quicker. */
bool coll_find(const char *name, const struct algorithm **algorithm,
               struct err *err);

/* Finds what a name of another program means here: MPI_Bcast, ncclAllReduce,
 * all_gather_into_tensor, all_reduce_perf, one-shot; or one of our names with
 * other capitals, hyphens or underscores.  Returns false if there is none. */
bool coll_find_other(const char *name, const struct algorithm **algorithm);

/* Whether it is a program of nccl-tests, which may be in a folder. */
bool coll_is_nccl_test(const char *name);

/* How many collectives have an algorithm that is called this alone. */
int coll_meanings(const char *name);

/* Considers all names that coll_find() knows. */
void coll_near(struct near *n);

/* Says where the formulas of an algorithm hold: "N is a power of two", to be
 * translated.  NULL: on any two ranks or more. */
const char *coll_holds(const struct algorithm *a);

/* The formulas that hold on so many ranks in such a shape; NULL: none. */
struct formulas coll_formulas(const struct algorithm *a, int nranks,
                              const int dims[TOPOLOGY_DIMS]);

/* Fills in default chunks and sizes of an algorithm. Returns false, with the
 * reason, if the options do not fit the algorithm. */
bool coll_complete(const struct algorithm *algorithm, struct coll_options *o,
                   struct err *err);

/* The most ranks that coll_path() takes; schedules have at most
 * SCHEDULE_RANKS_MAX. */
enum { COLL_RANKS_MODELLED = 100000 };

/* The critical path of an algorithm, whether or not there could be a schedule
 * of so many ranks, and the number of chunks that a unit of the input is cut
 * into.  Returns false, with the reason in *err, if the options do not fit the
 * algorithm or no closed form of its path is known. */
bool coll_path(const struct algorithm *algorithm,
               const struct coll_options *options, struct path *path,
               int *pieces, struct err *err);

/* If there are more ranks, or chunks, than in a schedule of about `most`
 * transfers: finds the fewest ranks n so that each doubling of n adds the same
 * time, options->nranks are n after so many doublings, and schedules of n and
 * of 2n ranks are within that.  Returns false if there are none. */
bool coll_steady(const struct algorithm *algorithm,
                 const struct coll_options *options, int most, int *n,
                 int *doublings);

/* Builds the schedule of a row in C; build_row() (play/build.h) also takes
 * others.  Returns NULL on failure, with the reason. */
struct schedule *coll_build(const struct algorithm *algorithm,
                            const struct coll_options *o, struct err *err);

#endif
