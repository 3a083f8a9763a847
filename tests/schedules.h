/* SPDX-License-Identifier: MIT */
/* Schedules for tests: of an algorithm, or empty ones to write by hand; as
 * text: made.h. */
#ifndef TESTS_SCHEDULES_H
#define TESTS_SCHEDULES_H

#include "coll/coll.h"
#include "schedule/program.h"
#include "tap.h"

OWN_FREE(program)

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

/* A schedule whose root, if it has one, is the last rank.  NULL, with the
 * reason in *err, if the algorithm is not for so many ranks. */
static inline struct schedule *
build_rooted(const struct algorithm *a, int nranks, bool in_place,
             struct err *err)
{
    bool rooted = collective_rooted(collective_find(a->collective));

    return coll_build(a, &(struct coll_options){
                             .nranks = nranks, .root = rooted ? nranks - 1 : 0,
                             .in_place = in_place}, err);
}

/* An all-reduce in place without steps. */
static inline struct schedule *
blank_schedule(const char *algorithm, int nranks, int pieces)
{
    return schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = algorithm,
        .nranks = nranks, .pieces = pieces, .in_place = true});
}

/* Adds a transfer of one output chunk from rank `src` to rank `dst`. */
static inline void
move_chunk(struct schedule *s, enum transfer_op op, int src, int dst,
           int chunk)
{
    int from = schedule_output(s, src).first + chunk;
    int to = schedule_output(s, dst).first + chunk;

    schedule_add(s, (struct transfer){.src = src, .dst = dst, .src_slot = from,
                                      .dst_slot = to, .add_slot = to,
                                      .nslots = 1, .op = op});
}

static inline void
copy_chunk(struct schedule *s, int src, int dst, int chunk)
{
    move_chunk(s, TRANSFER_COPY, src, dst, chunk);
}

static inline void
reduce_chunk(struct schedule *s, int src, int dst, int chunk)
{
    move_chunk(s, TRANSFER_REDUCE, src, dst, chunk);
}

#endif
