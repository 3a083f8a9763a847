/* SPDX-License-Identifier: MIT */
#include "run/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/signals.h"

/* Measured on two cores (assets/measured): a spin takes 23 ns, a yield 0.4 us.
 * A thread that has a core of its own spins for about 100 us: if it yielded
 * sooner on a busy machine, other programs would keep the core for
 * milliseconds. */
enum {
    SPINS = 4000,
    YIELDS = 100,
    NAP_NS = 50000, /* the first nap; later ones grow to NAPS of these, so a
                     * thread that waits for good sleeps nearly all the time,
                     * and one that waits for 0.2 s is 0.5 ms late */
    NAPS = 200,
    NAPS_A_STEP = 50, /* the naps after which they are longer by NAP_NS */
    APART = 100, /* spins after which a thread looks which core it is on */
};

/* The core that a thread was on when it last began to work or waited, plus 1;
 * 0: not known. */
struct place {
    _Alignas(128) atomic_int core;
};

struct pool {
    _Alignas(128) atomic_uint posted; /* calls so far */
    _Alignas(128) atomic_int busy;    /* threads still at work */
    _Alignas(128) atomic_int asleep;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool quit;
    struct pool_job job;
    int count;
    int workers;  /* with the caller's, if it is one */
    bool crowded; /* there are more threads than cores */
    struct place *places; /* by id */
    pthread_t *threads;
    atomic_int started;
};

static inline void
relax_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Spins only if each thread has a core: otherwise it would keep the others from
 * running. */
static void
pause_turn(const struct pool *pool, int *turns)
{
    int turn = *turns == 0 && pool->crowded ? SPINS : *turns;

    if (turn < SPINS) {
        relax_core();
    } else if (turn < SPINS + YIELDS) {
        sched_yield();
    } else {
        int naps = 1 + (turn - SPINS - YIELDS) / NAPS_A_STEP;
        nanosleep(&(struct timespec){0, naps * (long)NAP_NS}, NULL);
        if (naps == NAPS)
            return;
    }
    *turns = turn + 1;
}

/* Moves this thread to another core than `core`; later the system may move it
 * as before. */
static void
leave_core(int core)
{
    cpu_set_t all, others;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    others = all;
    CPU_CLR(core, &others);
    if (CPU_COUNT(&others) > 0 &&
        sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof all, &all);
}

/* Notes on which core a thread runs, for threads that check whether they share
 * it. */
static int
note_core(struct pool *pool, int id)
{
    int core = sched_getcpu();

    atomic_store_explicit(&pool->places[id].core, core + 1,
                          memory_order_relaxed);
    return core;
}

static bool
shares_core(const struct pool *pool, int id, int core, int below)
{
    for (int other = 0; other < below; other++)
        if (other != id && core >= 0 &&
            atomic_load_explicit(&pool->places[other].core,
                                 memory_order_relaxed) == core + 1)
            return true;
    return false;
}

/* Linux may run two threads on one core for a long time although another core
 * is free; one then waits for an answer that the other can only give after it.
 * The one with the higher id leaves; while they still share a core,
 * which they do if other programs keep the other cores busy, a waiting thread
 * yields at once. */
void
pool_pause(struct pool *pool, int id, int *turns)
{
    if (*turns == APART) {
        int core = note_core(pool, id);
        if (shares_core(pool, id, core, id)) {
            leave_core(core);
            core = note_core(pool, id);
        }
        if (shares_core(pool, id, core, pool->workers))
            *turns = SPINS;
    }
    pause_turn(pool, turns);
}

/* Waits for the next call. Returns false if the pool is being freed. */
static bool
wait_for_post(struct pool *pool, int id, unsigned seen)
{
    bool quit;

    for (int turns = 0; turns < SPINS + YIELDS; pool_pause(pool, id, &turns))
        if (atomic_load_explicit(&pool->posted, memory_order_acquire) != seen)
            break;
    if (atomic_load(&pool->posted) == seen) {
        pthread_mutex_lock(&pool->lock);
        atomic_fetch_add(&pool->asleep, 1);
        while (atomic_load(&pool->posted) == seen)
            pthread_cond_wait(&pool->wake, &pool->lock);
        atomic_fetch_sub(&pool->asleep, 1);
        pthread_mutex_unlock(&pool->lock);
    }
    quit = pool->quit; /* written before `posted` */
    return !quit;
}

static void *
thread_main(void *arg)
{
    struct pool *pool = arg;
    const struct pool_job *job = &pool->job;
    int id = job->first_id + atomic_fetch_add(&pool->started, 1);

    signals_catch_crashes();
    for (unsigned seen = 0; wait_for_post(pool, id, seen); seen++) {
        note_core(pool, id);
        job->work(job->arg, id);
        atomic_fetch_sub(&pool->busy, 1);
    }
    return NULL;
}

void
pool_post(struct pool *pool)
{
    if (pool->job.first_id > 0)
        note_core(pool, 0);
    atomic_store_explicit(&pool->busy, pool->count, memory_order_relaxed);
    atomic_fetch_add(&pool->posted, 1);
    if (atomic_load(&pool->asleep) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

bool
pool_idle(struct pool *pool)
{
    return atomic_load(&pool->busy) == 0;
}

void
pool_wait(struct pool *pool)
{
    int turns = 0;

    while (!pool_idle(pool))
        if (pool->job.first_id > 0)
            pool_pause(pool, 0, &turns);
        else
            pause_turn(pool, &turns);
}

struct pool *
pool_new(int count, const struct pool_job *job, struct err *err)
{
    struct pool *pool = mem_new_aligned(1, sizeof *pool);
    sigset_t before;
    int error = 0;

    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->job = *job;
    pool->workers = job->first_id + count;
    pool->crowded = pool->workers > pool_cores();
    pool->places = mem_new_aligned((size_t)pool->workers, sizeof *pool->places);
    pool->threads = mem_new((size_t)count, sizeof *pool->threads);
    signals_block(&before);
    while (error == 0 && pool->count < count) {
        error = pthread_create(&pool->threads[pool->count], NULL, thread_main,
                               pool);
        pool->count += error == 0;
    }
    signals_unblock(&before);
    if (error == 0)
        return pool;
    err_set(err, "cannot start thread %d of %d: %s", pool->count + 1, count,
            strerror(error));
    pool_free(pool);
    return NULL;
}

void
pool_free(struct pool *pool)
{
    if (pool == NULL)
        return;
    pool_wait(pool);
    pool->quit = true;
    pool_post(pool);
    for (int i = 0; i < pool->count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->wake);
    free(pool->threads);
    free(pool->places);
    free(pool);
}

int
pool_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}
