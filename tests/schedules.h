/* SPDX-License-Identifier: MIT */
/* Schedules for tests: of an algorithm, or empty ones to write by hand. */
#ifndef TESTS_SCHEDULES_H
#define TESTS_SCHEDULES_H

#include "chunks.h"
#include "coll/coll.h"
#include "tap.h"

OWN_FREE(schedule)

/* Builds a schedule; ends the program if there is none. The caller frees it. */
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
build_in_place(const char *name, int nranks)
{
    return build(name, &(struct coll_options){.nranks = nranks,
                                              .in_place = true});
}

static inline struct schedule *
ring(int nranks)
{
    return build_in_place("ring-allreduce", nranks);
}

/* An all-reduce in place without steps. */
static inline struct schedule *
blank_schedule(const char *algorithm, int nranks, int pieces)
{
    return schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = algorithm,
        .nranks = nranks, .pieces = pieces, .in_place = true});
}

#endif
