/* SPDX-License-Identifier: MIT */
/* make bench: ring all-reduce on threads, float32 sum, in place.
 *
 * Columns, all from one interleaved run, medians of rounds:
 *     us        a call of the plain engine
 *     by hand   the same ring written for nothing else: two threads, counters,
 *               slices, no program to interpret, no ledger
 *     ratio     ours / by hand, median of the rounds' ratios: the price of
 *               being general, and the result, since times vary by machine
 *     limit     two passes over all ranks' data at the speed this machine adds
 *               (d += a over 64 MiB, one thread), 64 MiB and up only
 *     watched   the extra time of carrying the ledger and reporting every
 *               transfer, in per cent of the plain call; 1 MiB and up
 * Above the table: the machine, and the time of a cache line from core to
 * core, before and after, on which everything below 16 MiB depends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "machine_speed.h"
#include "play.h"
#include "run/kernels.h"
#include "run/pool.h"

enum { RANKS_MAX = 8, ROUNDS = 15, SLICE = 128 << 10 };

static const int64_t bench_sizes[] = {8,        1 << 10,  32 << 10, 1 << 20,
                                      16 << 20, 64 << 20};

/* The ring by hand: worker w advances its half of the ranks through the rounds
 * of every slice; a rank's counter counts the chunks that it has received. */
struct by_hand {
    int n, workers;
    int64_t count, slice; /* elements */
    int nslices;
    float *data[RANKS_MAX];
    struct {
        uint64_t done;
    } __attribute__((aligned(128))) rank[RANKS_MAX];
    uint64_t base;
    struct kernels kernels;
    struct pool *pool;
};

static int64_t
chunk_start(const struct by_hand *h, int chunk)
{
    int64_t part = h->count / h->n, longer = h->count % h->n;

    return chunk * part + (chunk < longer ? chunk : longer);
}

/* A slice of one chunk: rank i reads it from its left neighbour. */
static void
take_chunk(struct by_hand *h, int i, int round, int slice)
{
    int n = h->n, left = (i + n - 1) % n;
    int chunk = ((i - 2 - round) % n + n) % n;
    int64_t from = chunk_start(h, chunk) + slice * h->slice;
    int64_t length = chunk_start(h, chunk + 1) - from;

    length = length < h->slice ? length : h->slice;
    if (length <= 0)
        return;
    if (round < n - 1)
        h->kernels.combine(h->data[i] + from, h->data[i] + from,
                           h->data[left] + from, length);
    else
        memcpy(h->data[i] + from, h->data[left] + from,
               (size_t)length * sizeof(float));
}

static void
by_hand_work(void *arg, int worker)
{
    struct by_hand *h = arg;
    int n = h->n, rounds = 2 * (n - 1), turns = 0;
    int first = n * worker / h->workers, last = n * (worker + 1) / h->workers;
    uint64_t total = (uint64_t)rounds * (uint64_t)h->nslices;

    for (int left = 1; left > 0;) {
        bool moved = false;
        left = 0;
        for (int i = first; i < last; i++) {
            uint64_t *mine = &h->rank[i].done;
            uint64_t *from = &h->rank[(i + n - 1) % n].done;
            uint64_t *to = &h->rank[(i + 1) % n].done;
            uint64_t k = *mine - h->base;
            for (; k < total; k++, moved = true) {
                uint64_t round = k % (uint64_t)rounds;
                uint64_t target = h->base + k;
                /* the left one must have this chunk; in the second half the
                 * right one must have read what stood there */
                if ((round > 0 &&
                     __atomic_load_n(from, __ATOMIC_ACQUIRE) < target) ||
                    (round >= (uint64_t)n - 1 &&
                     __atomic_load_n(to, __ATOMIC_ACQUIRE) <
                         target - (uint64_t)n + 2))
                    break;
                take_chunk(h, i, (int)round, (int)(k / (uint64_t)rounds));
                __atomic_store_n(mine, h->base + k + 1, __ATOMIC_RELEASE);
            }
            left += k < total;
        }
        if (moved)
            turns = 0;
        else if (left > 0)
            pool_pause(h->pool, worker, &turns);
    }
}

static void
by_hand_run(struct by_hand *h)
{
    h->base = h->rank[0].done;
    if (h->workers > 1)
        pool_post(h->pool);
    by_hand_work(h, 0);
    if (h->workers > 1)
        pool_wait(h->pool);
}

static void
by_hand_reset(struct by_hand *h)
{
    for (int r = 0; r < h->n; r++)
        for (int64_t i = 0; i < h->count; i++)
            dtype_default(DTYPE_FLOAT32, REDOP_SUM, r, i, &h->data[r][i]);
}

static void
by_hand_init(struct by_hand *h, int n, int64_t count, int workers)
{
    int64_t longest = (count + n - 1) / n;
    struct err err;

    *h = (struct by_hand){.n = n, .workers = workers, .count = count,
                          .kernels = kernels_for(DTYPE_FLOAT32, REDOP_SUM)};
    h->slice = longest * 4 <= 256 << 10 ? longest : SLICE / 4;
    h->nslices = (int)((longest + h->slice - 1) / h->slice);
    for (int r = 0; r < n; r++)
        h->data[r] = mem_new_aligned((size_t)count, sizeof(float));
    h->pool = pool_new(workers - 1,
                       &(struct pool_job){by_hand_work, h, 1}, &err);
    by_hand_reset(h);
}

static bool
by_hand_is_right(struct by_hand *h)
{
    by_hand_reset(h);
    by_hand_run(h);
    for (int64_t i = 0; i < h->count; i += 1 + h->count / 1000) {
        float sum = 0, x;
        for (int r = 0; r < h->n; r++, sum += x)
            dtype_default(DTYPE_FLOAT32, REDOP_SUM, r, i, &x);
        for (int r = 0; r < h->n; r++)
            if (h->data[r][i] != sum)
                return false;
    }
    return true;
}

static double
engine_us(struct engine *e, int calls)
{
    int64_t start = clock_ns();

    for (int i = 0; i < calls; i++)
        engine_run(e);
    return (double)(clock_ns() - start) / 1e3 / calls;
}

static double
by_hand_us(struct by_hand *h, int calls)
{
    int64_t start = clock_ns();

    for (int i = 0; i < calls; i++)
        by_hand_run(h);
    return (double)(clock_ns() - start) / 1e3 / calls;
}

static bool
engine_is_right(struct engine *e, const struct schedule *s,
                const struct input *in)
{
    engine_reset(e);
    engine_run(e);
    return engine_verdict(e, s, in).correct;
}

static bool
bench(int n, int64_t bytes, double speed)
{
    struct engine_options o = {
        .run.input = {DTYPE_FLOAT32, REDOP_SUM, bytes / 4, NULL}};
    double plain[ROUNDS], hand[ROUNDS], watched[ROUNDS];
    double ratio[ROUNDS], cost[ROUNDS];
    struct err err;
    struct by_hand h;

    OWNS(schedule) *s = ring(n);
    struct engine *e = engine_new(s, &o, &err);
    o.run.watched = true;
    o.threads = engine_threads(e);
    struct engine *w = engine_new(s, &o, &err);
    by_hand_init(&h, n, bytes / 4, engine_threads(e));
    bool right = engine_is_right(e, s, &o.run.input) && by_hand_is_right(&h);
    int calls = calls_for(bytes, 2000);
    for (int i = -2; i < ROUNDS; i++) {
        int k = i < 0 ? 0 : i; /* two rounds to warm up */
        plain[k] = engine_us(e, calls);
        hand[k] = by_hand_us(&h, calls);
        watched[k] = engine_us(w, calls);
        ratio[k] = plain[k] / hand[k];
        cost[k] = 100 * (watched[k] / plain[k] - 1);
    }
    printf("%2d %9" PRId64 " %10.3f %10.3f %6.2f", n, bytes,
           median(plain, ROUNDS), median(hand, ROUNDS),
           median(ratio, ROUNDS));
    if (bytes >= 16 << 20)
        printf(" %10.0f", 2.0 * n * (double)bytes / speed / 1e3);
    else
        printf(" %10s", "");
    if (bytes >= 1 << 20)
        printf(" %+7.1f %%", median(cost, ROUNDS));
    puts(right ? "" : "  WRONG RESULT");
    fflush(stdout);
    engine_free(e);
    engine_free(w);
    pool_free(h.pool);
    for (int r = 0; r < n; r++)
        free(h.data[r]);
    return right;
}

int
main(void)
{
    double speed = add_speed();
    bool right = true;

    printf("ring all-reduce on threads, float32 sum, in place; %d cores\n"
           "d += a: %.1f GB/s; a cache line from core to core: %.0f ns\n\n"
           "%2s %9s %10s %10s %6s %10s %9s\n", pool_cores(), speed,
           hop_ns(), "N", "bytes", "us", "by hand us", "ratio",
           "limit us", "watched");
    for (int n = 2; n <= RANKS_MAX; n *= 2)
        for (size_t i = 0; i < sizeof bench_sizes / sizeof bench_sizes[0]; i++)
            right &= bench(n, bench_sizes[i], speed);
    printf("\na cache line from core to core: %.0f ns\n", hop_ns());
    return right ? 0 : 1;
}
