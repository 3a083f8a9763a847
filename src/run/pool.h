/* SPDX-License-Identifier: MIT */
/* Threads that do the same piece of work again and again, each time they are
 * asked to.  Between two calls they spin a little, so that a call of a fraction
 * of a microsecond finds them awake, then sleep. */
#ifndef RUN_POOL_H
#define RUN_POOL_H

#include <stdbool.h>

#include "base/err.h"

struct pool;

struct pool_job {
    void (*work)(void *arg, int id); /* id = first_id, first_id + 1, ... */
    void (*idle)(void *arg); /* called when the last one is done; or NULL */
    void *arg;
    int first_id;
};

/* `count` threads (may be 0). NULL, with the reason, if the system gives no
 * thread. */
struct pool *pool_new(int count, const struct pool_job *job, struct err *err);

/* Joins the threads. Their work must come to an end by itself. */
void pool_free(struct pool *pool);

/* Lets every thread do its work once. They must be idle. */
void pool_post(struct pool *pool);

/* Whether all are done with what was posted. */
bool pool_idle(struct pool *pool);
void pool_wait(struct pool *pool);

/* One turn of waiting for something soon to come: spins, then yields, then
 * sleeps. `*turns` starts at 0. */
void pool_pause(int *turns);

/* CPUs that this process may run on. */
int pool_cores(void);

#endif
