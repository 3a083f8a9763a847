/* SPDX-License-Identifier: MIT */
#include "play/mismatched.h"

#include <stdio.h>
#include <string.h>

#include "play/build.h"

enum { MESSAGE_BYTES_MAX = 1 << 30 }; /* MPI moves them in one piece */

static bool
goes_with_others(const struct options *o, struct err *err)
{
    const char *other = o->fault.kind != FAULT_NONE ? "--fault"
                        : o->ndelays > 0            ? "--delay"
                        : o->native                 ? "--native"
                        : o->input != NULL          ? "--input"
                                                    : NULL;

    return other == NULL ||
           err_set(err, "--mismatch and %s: only one of them at a time", other);
}

static bool
check_rank(const struct options *o, const struct schedule *theirs,
           struct err *err)
{
    return o->mismatch.rank < theirs->nranks ||
           err_set(err, "--mismatch: there is no rank %d, the ranks are 0 to "
                   "%d", o->mismatch.rank, theirs->nranks - 1);
}

static const struct schedule *
with_root(const char *name, const struct options *o,
          const struct schedule *theirs, struct err *err)
{
    const struct algorithm *algorithm;
    struct options other = *o;
    int ignored;

    if (!collective_rooted(theirs->collective)) {
        err_set(err, "%s has no root", theirs->collective->name);
        return NULL;
    }
    if (o->mismatch.root == theirs->root) {
        err_set(err, "rank %d is the root already", theirs->root);
        return NULL;
    }
    other.root = o->mismatch.root;
    return build_schedule(name, &other, &algorithm, &ignored, err);
}

/* "tree" is the tree of the run's collective. */
static bool
find_algorithm(const char *name, const struct schedule *theirs,
               const struct algorithm **algorithm, struct err *err)
{
    char full[2 * SCHEDULE_NAME_MAX];

    snprintf(full, sizeof full, "%s-%s", name, theirs->collective->name);
    if (!coll_find(full, algorithm, NULL) &&
        !coll_find(name, algorithm, err))
        return false;
    return strcmp((*algorithm)->collective, theirs->collective->name) == 0 ||
           err_set(err, "%s-%s is another collective than %s",
                   (*algorithm)->name, (*algorithm)->collective,
                   theirs->collective->name);
}

static const struct schedule *
with_algorithm(const struct options *o, const struct schedule *theirs,
               struct err *err)
{
    const struct algorithm *algorithm;
    struct coll_options c = {.nranks = theirs->nranks, .root = theirs->root,
                             .in_place = theirs->in_place};

    if (!find_algorithm(o->mismatch.algorithm, theirs, &algorithm, err))
        return NULL;
    if (strcmp(algorithm->name, theirs->algorithm) == 0) {
        err_set(err, "%s is the algorithm of all ranks already",
                algorithm->name);
        return NULL;
    }
    return coll_build(algorithm, &c, err);
}

static const struct schedule *
with_count(const struct options *o, const struct schedule *theirs,
           int64_t count, struct err *err)
{
    if (o->mismatch.count != count)
        return schedule_share(theirs);
    err_set(err, "%lld is the count of all ranks already", (long long)count);
    return NULL;
}

static bool
check_bytes(const struct options *o, const struct mismatch *m, int64_t count,
            struct err *err)
{
    int64_t most = MESSAGE_BYTES_MAX / (int64_t)dtype_size(o->type);

    return (schedule_chunk_length(m->its, m->its_count, 0) <= most &&
            schedule_chunk_length(m->theirs, count, 0) <= most) ||
           err_set(err, "messages of more than 1 GiB cannot be mismatched; "
                   "take fewer elements");
}

bool
mismatched_build(const char *name, const struct options *o,
                 const struct schedule *theirs, int64_t count,
                 struct mismatch *m, struct err *err)
{
    const struct mismatch_option *given = &o->mismatch;

    if (!goes_with_others(o, err) || !check_rank(o, theirs, err))
        return false;
    *m = (struct mismatch){.rank = given->rank, .theirs = theirs,
                           .its_count = given->kind == MISMATCH_COUNT
                                            ? given->count : count};
    m->its = given->kind == MISMATCH_ROOT
                 ? with_root(name, o, theirs, err)
             : given->kind == MISMATCH_COUNT
                 ? with_count(o, theirs, count, err)
                 : with_algorithm(o, theirs, err);
    return (m->its != NULL && check_bytes(o, m, count, err)) ||
           err_prefix(err, "--mismatch");
}
