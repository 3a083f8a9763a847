/* SPDX-License-Identifier: MIT */
/* The pool of threads: that all of them work, and that a waiting thread leaves
 * the core of the thread that it waits for. */
#include "run/pool.h"

#include <sched.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "tap.h"

enum { TURNS = 200, TRIES = 20, CALLS = 1000 };

struct crew {
    struct pool *pool;
    atomic_int calls[4]; /* by id */
};

static void
count_call(void *arg, int id)
{
    struct crew *crew = arg;

    atomic_fetch_add(&crew->calls[id], 1);
}

static void
test_calls(void)
{
    struct crew crew = {.pool = NULL};
    struct err err;

    crew.pool = pool_new(
        3, &(struct pool_job){.work = count_call, .arg = &crew, .first_id = 1},
        &err);
    for (int i = 0; i < CALLS; i++) {
        pool_post(crew.pool);
        pool_wait(crew.pool);
    }
    for (int id = 1; id < 4; id++)
        is_int(crew.calls[id], CALLS, "thread %d has done each call", id);
    is_int(crew.calls[0], 0, "thread 0 is the caller's");
    pool_free(crew.pool);
}

static void
stay_on(const cpu_set_t *cores)
{
    sched_setaffinity(0, sizeof *cores, cores);
}

struct meeting {
    struct pool *pool;
    cpu_set_t all;
    int core;  /* the caller's */
    int apart; /* times that the thread was elsewhere after it had waited */
    bool same; /* whether it may use all cores again */
};

/* Comes to the caller's core, may leave it, and waits. */
static void
meet(void *arg, int id)
{
    struct meeting *m = arg;
    cpu_set_t core, now;

    CPU_ZERO(&core);
    CPU_SET(m->core, &core);
    stay_on(&core);
    stay_on(&m->all);
    for (int turns = 0; turns < TURNS;)
        pool_pause(m->pool, id, &turns);
    m->apart += sched_getcpu() != m->core;
    sched_getaffinity(0, sizeof now, &now);
    m->same = CPU_EQUAL(&now, &m->all);
}

static void
test_apart(void)
{
    struct meeting m = {.core = sched_getcpu()};
    cpu_set_t core;
    struct err err;

    sched_getaffinity(0, sizeof m.all, &m.all);
    m.pool = pool_new(
        1, &(struct pool_job){.work = meet, .arg = &m, .first_id = 1}, &err);
    CPU_ZERO(&core);
    CPU_SET(m.core, &core);
    stay_on(&core);
    for (int i = 0; i < TRIES; i++) {
        for (int turns = 0; turns < TURNS;)
            pool_pause(m.pool, 0, &turns);
        pool_post(m.pool);
        pool_wait(m.pool);
    }
    stay_on(&m.all);
    ok(m.apart > TRIES / 2, "a thread on the core of another leaves it (%d "
       "times of %d)", m.apart, TRIES);
    ok(m.same, "and may use the same cores as before");
    pool_free(m.pool);
}

/* A thread that waits for long sleeps longer and longer. */
static void
test_long_wait(void)
{
    enum { SHORT = 5000, HALF_A_SECOND = 500000000 };
    struct err err;
    struct pool *pool = pool_new(0, &(struct pool_job){.first_id = 1}, &err);
    int turns = 0, naps = 0;

    for (int i = 0; i < SHORT; i++)
        pool_pause(pool, 0, &turns);
    for (int64_t end = clock_ns() + HALF_A_SECOND; clock_ns() < end; naps++)
        pool_pause(pool, 0, &turns);
    ok(naps < 1500, "%d naps in half a second", naps);
    pool_free(pool);
}

int
main(void)
{
    test_calls();
    if (pool_cores() > 1)
        test_apart();
    test_long_wait();
    return done_testing();
}
