/* SPDX-License-Identifier: MIT */
/* Schedules by their algorithm's name, for tests. */
#ifndef TESTS_BUILD_H
#define TESTS_BUILD_H

#include "base/mem.h"
#include "coll/coll.h"

/* Ends the program if there is none. The caller frees it. */
static inline struct schedule *
build(const char *name, const struct coll_options *o)
{
    const struct algorithm *a;
    struct schedule *s = NULL;
    struct err err;

    if (!coll_find(name, &a, &err) || (s = coll_build(a, o, &err)) == NULL)
        die("%s: %s", name, err.text);
    return s;
}

static inline struct schedule *
in_place(const char *name, int nranks)
{
    return build(name, &(struct coll_options){.nranks = nranks,
                                              .in_place = true});
}

static inline struct schedule *
ring(int nranks)
{
    return in_place("ring-allreduce", nranks);
}

#endif
