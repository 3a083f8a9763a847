/* SPDX-License-Identifier: MIT */
/* Threads that do the same work every time they are asked to.  After a call
 * they spin for a while, so that calls of less than a microsecond find them
 * awake; then they sleep. */
#ifndef RUN_POOL_H
#define RUN_POOL_H

#include <stdbool.h>

#include "base/err.h"

struct pool;

struct pool_job {
    void (*work)(void *arg, int id); /* id = first_id, first_id + 1, ... */
    void *arg;
    int first_id;
};

/* Starts `count` threads (may be 0). Returns NULL, with the reason, if the
 * system refuses. */
struct pool *pool_new(int count, const struct pool_job *job, struct err *err);

/* Joins the threads. Their work must end by itself. */
void pool_free(struct pool *pool);

/* Lets every thread do its work once. They must be idle. */
void pool_post(struct pool *pool);

/* Whether all have finished what was posted. */
bool pool_idle(struct pool *pool);
void pool_wait(struct pool *pool);

/* One turn in which thread `id` waits for another one, which is expected to be
 * quick: spins, later yields, later sleeps, each time a little longer.
 * `*turns` starts at 0.  If both are on one core while the process may use
 * others, one of them moves; while they still are, it yields at once.  The
 * thread that posts has id 0 if first_id is 1. */
void pool_pause(struct pool *pool, int id, int *turns);

/* CPUs that this process may run on. */
int pool_cores(void);

#endif
