/* SPDX-License-Identifier: MIT */
/* The arithmetic of the CUDA kernels, run on the host, has the same bits as
 * that of the threads backend, for every length, number of threads and
 * alignment. */
#include <cmath>
#include <cstdlib>

#include "tap.h"
extern "C" {
#include "run/kernels.h"
}
#include "workers/cuda/lanes.h"

enum { N_MAX = 9000, ROOM = N_MAX * DTYPE_SIZE_MAX + 16 };

static const int64_t lengths[] = {0, 1, 15, 16, 17, 100, 4097, N_MAX};
static const int threads[] = {1, 32, 256};

/* A buffer, and its two results. */
struct bench {
    alignas(16) unsigned char a[ROOM], b[ROOM], ours[ROOM], theirs[ROOM];
};

/* What min and max of floats must put in order. */
enum { SPECIAL = 8 };
static const double special[SPECIAL] = {0.0,       -0.0, NAN, -NAN,
                                        INFINITY, -INFINITY, 2, -1};

static bool
is_ordered(enum dtype type, enum redop op)
{
    return dtype_is_float(type) && (op == REDOP_MIN || op == REDOP_MAX);
}

static void
fill(struct bench *t, enum dtype type, enum redop op)
{
    size_t size = dtype_size(type);

    for (int64_t i = 0; i < N_MAX; i++) {
        dtype_default(type, op, (int)(i % 5), i, t->a + i * size);
        dtype_default(type, op, (int)(i % 3), i * 7, t->b + i * size);
    }
    for (int64_t i = 0; i < N_MAX && is_ordered(type, op); i++) {
        dtype_set_real(type, special[i % SPECIAL], t->a + i * size);
        dtype_set_real(type, special[i / 3 % SPECIAL], t->b + i * size);
    }
    memset(t->ours, 0x5a, ROOM);
    memset(t->theirs, 0x5a, ROOM);
}

static bool
same(const struct bench *t)
{
    return memcmp(t->ours, t->theirs, ROOM) == 0;
}

/* In place, too, as ranks do it. */
static int
combine(struct bench *t, enum dtype type, enum redop op, int64_t n, int nt,
        size_t off)
{
    struct kernels k = kernels_for(type, op);
    int wrong;

    for (int i = 0; i < nt; i++)
        lanes_combine_any(type, op, t->ours + off, t->a + off, t->b, n, i, nt);
    k.combine(t->theirs + off, t->a + off, t->b, n);
    wrong = !same(t);
    for (int i = 0; i < nt; i++)
        lanes_combine_any(type, op, t->ours, t->ours, t->b, n, i, nt);
    k.combine(t->theirs, t->theirs, t->b, n);
    return wrong + !same(t);
}

static void
test_combine(struct bench *t, enum dtype type, enum redop op)
{
    size_t size = dtype_size(type);
    int wrong = 0;

    for (int64_t n : lengths)
        for (int nt : threads)
            for (size_t off = 0; off <= size; off += size) {
                fill(t, type, op);
                wrong += combine(t, type, op, n - (off > 0 && n > 0), nt, off);
            }
    is_int(wrong, 0, "%s %s", dtype_name(type), redop_name(op));
}

static void
test_rest(struct bench *t, enum dtype type, enum redop op)
{
    struct kernels k = kernels_for(type, op);
    int wrong = 0;

    for (int64_t n : lengths)
        for (int nt : threads) {
            fill(t, type, op);
            memcpy(t->ours, t->a, ROOM);
            memcpy(t->theirs, t->a, ROOM);
            for (int i = 0; i < nt; i++)
                lanes_divide_any(type, t->ours, n, 3, i, nt);
            k.divide(t->theirs, n, 3);
            lanes_corrupt_any(type, op, t->ours);
            k.corrupt(t->theirs);
            wrong += !same(t);
            for (int i = 0; i < nt; i++)
                lanes_move(t->ours + 1, t->b, n, i, nt);
            for (int i = 0; i < nt; i++)
                lanes_move(t->ours, t->b, n, i, nt);
            memcpy(t->theirs + 1, t->b, (size_t)n);
            memcpy(t->theirs, t->b, (size_t)n);
            wrong += !same(t);
        }
    is_int(wrong, 0, "%s %s: divided, corrupted, moved", dtype_name(type),
           redop_name(op));
}

int
main()
{
    struct bench *t = (struct bench *)aligned_alloc(16, sizeof *t);

    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < redop_count((enum dtype)type); op++) {
            test_combine(t, (enum dtype)type, (enum redop)op);
            test_rest(t, (enum dtype)type, (enum redop)op);
        }
    free(t);
    return done_testing();
}
