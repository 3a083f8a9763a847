/* SPDX-License-Identifier: MIT */
/* The reference of the verdict, compared with every result that any order of
 * additions gives, by the kernels: all bracketings of all permutations of up to
 * five elements.  It accepts them all, and of infinities and NaN nothing
 * else.  Then what other libraries may give. */
#include "run/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/kernels.h"
#include "tap.h"

enum { RANKS = 5, SETS = 1 << RANKS, RESULTS = 4096, ROUNDS = 4000 };

/* What the ranks of each set may reduce to, without repetition. */
struct results {
    uint64_t of[RESULTS];
    int n;
};
static struct results all[SETS];

static void
add_result(struct results *r, enum dtype type, uint64_t bits)
{
    for (int i = 0; i < r->n; i++)
        if (reference_same(type, &r->of[i], &bits))
            return;
    if (r->n < RESULTS)
        r->of[r->n++] = bits;
}

static void
reduce_all(enum dtype type, enum redop op, const uint64_t *in, int n)
{
    struct kernels k = kernels_for(type, op);

    for (int set = 1; set < 1 << n; set++) {
        all[set].n = 0;
        for (int rank = 0; rank < n; rank++)
            if (set == 1 << rank)
                add_result(&all[set], type, in[rank]);
        for (int part = (set - 1) & set; part > 0; part = (part - 1) & set) {
            const struct results *a = &all[part], *b = &all[set ^ part];
            for (int i = 0; i < a->n; i++)
                for (int j = 0; j < b->n; j++) {
                    uint64_t to = 0;
                    k.combine(&to, &a->of[i], &b->of[j], 1);
                    add_result(&all[set], type, to);
                }
        }
    }
    for (int i = 0; op == REDOP_AVG && i < all[(1 << n) - 1].n; i++)
        k.divide(&all[(1 << n) - 1].of[i], 1, n);
}

/* Values at which sums and products overflow, vanish or cancel. */
static void
draw(enum dtype type, uint64_t *element)
{
    const struct dtype_limits *l = dtype_limits(type);
    const double root = sqrt(l->most), values[] = {
        0,         1,         3,           l->most,      l->most / 2,
        l->most * 0.6, l->least, l->least / l->epsilon, root,  root * 1.5,
        1 / root,  0.3 / root, 0.1, 1 + l->epsilon, l->most / 4,
        INFINITY, NAN};
    int count = (int)(sizeof values / sizeof *values);
    /* seldom what decides everything */
    double value = values[rand() % (rand() % 8 == 0 ? count : count - 2)];

    *element = 0;
    dtype_set_real(type, rand() % 2 ? value : -value, element);
}

/* Near where an order may overflow or vanish and the bound only says that it
 * may: partial results are rounded. */
static bool
is_doubtful(enum dtype type, enum redop op, const uint64_t *in, int n)
{
    const struct dtype_limits *l = dtype_limits(type);
    long double up = op == REDOP_PROD, down = up, least = (long double)l->least;
    long double most = (long double)l->most;
    long double slack = 2 * n * (long double)l->epsilon;

    for (int rank = 0; rank < n; rank++) {
        long double x = (long double)dtype_real(type, &in[rank]);
        if (!isfinite(x) || x == 0)
            continue;
        if (op == REDOP_PROD)
            *(fabsl(x) > 1 ? &up : &down) *= fabsl(x);
        else
            *(x > 0 ? &up : &down) += fabsl(x);
    }
    if (n == 2)
        return false;
    return fabsl(up / most - 1) < slack ||
           (op == REDOP_PROD ? down > least / n && down < least * n
                             : fabsl(down / most - 1) < slack);
}

/* 0: a number, 1: inf, 2: -inf, 3: NaN */
static int
class_of(double value)
{
    return isnan(value) ? 3 : isinf(value) ? 1 + (value < 0) : 0;
}

static void
test_orders(enum dtype type, enum redop op, int n)
{
    static const double classes[] = {0, INFINITY, -INFINITY, NAN};
    size_t size = dtype_size(type);
    int refused = 0, missing = 0, seen = 0;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t in[RANKS];
        unsigned char given[RANKS * DTYPE_SIZE_MAX];
        struct input input = {type, op, 1, given, 0};
        const struct results *r = &all[(1 << n) - 1];
        struct reference ref;
        bool found[4] = {false};
        for (int rank = 0; rank < n; rank++) {
            draw(type, &in[rank]);
            memcpy(given + (size_t)rank * size, &in[rank], size);
        }
        reduce_all(type, op, in, n);
        ref = reference_of(&input, 0, n - 1, 0);
        for (int i = 0; i < r->n; i++) {
            refused += !reference_holds(&ref, type, &r->of[i]);
            found[class_of(dtype_real(type, &r->of[i]))] = true;
        }
        for (int class = 1; class < 4 && !is_doubtful(type, op, in, n);
             class++) {
            uint64_t bits = 0;
            dtype_set_real(type, classes[class], &bits);
            missing += reference_holds(&ref, type, &bits) && !found[class];
            seen += found[class];
        }
    }
    is_int(refused, 0, "%s %s of %d ranks: every order is right",
           dtype_name(type), redop_name(op), n);
    is_int(missing, 0, "and an infinity or NaN only if an order gives it");
    ok(seen > 10, "which some do: %d", seen);
}

/* Whether ranks with these inputs may reduce to this, by our rules or, if it is
 * a library's, by those of libraries. */
static bool
may_give(enum dtype type, enum redop op, const double *values, int n,
         double result, bool library)
{
    unsigned char given[8 * DTYPE_SIZE_MAX], element[DTYPE_SIZE_MAX];
    struct input in = {type, op, 1, given, 0};
    struct reference ref;

    for (int rank = 0; rank < n; rank++)
        dtype_set_real(type, values[rank],
                       given + (size_t)rank * dtype_size(type));
    dtype_set_real(type, result, element);
    ref = reference_of(&in, 0, n - 1, 0);
    return library ? reference_allows(&ref, &in, element)
                   : reference_holds(&ref, type, element);
}

/* Products at the edge of what vanishes, as an infinity times 0 shows. */
static void
test_vanishing(void)
{
    const double least = dtype_limits(DTYPE_FLOAT32)->least;
    double in[] = {3e38, 3e38, least, 0.5};

    ok(may_give(DTYPE_FLOAT32, REDOP_PROD, in, 4, NAN, false),
       "half of the least number rounds to 0");
    in[3] = 0.625;
    ok(!may_give(DTYPE_FLOAT32, REDOP_PROD, in, 4, NAN, false),
       "more than half does not");
}

static void
test_libraries(void)
{
    const double least = dtype_limits(DTYPE_FLOAT16)->least;
    const double tiny[] = {3 * least, 3 * least, 3 * least, 3 * least,
                           3 * least, 3 * least, 3 * least, 3 * least};
    const double big[] = {60000, 60000, 60000, 60000};
    const double nans[] = {2, NAN, 3, 5};

    ok(may_give(DTYPE_FLOAT16, REDOP_AVG, tiny, 8, 0, true),
       "an average of what vanishes when it is divided first");
    ok(!may_give(DTYPE_FLOAT16, REDOP_AVG, tiny, 8, 12 * least, true),
       "not any small number");
    ok(may_give(DTYPE_FLOAT16, REDOP_AVG, big, 4, 60000, true),
       "and of what overflows when it is added first");
    for (int op = REDOP_MIN; op <= REDOP_MAX; op++) {
        bool min = op == REDOP_MIN;
        ok(may_give(DTYPE_FLOAT16, (enum redop)op, nans, 4, NAN, true) &&
               may_give(DTYPE_FLOAT16, (enum redop)op, nans, 4, 3, true),
           "%s: a NaN may win, or hide a number", redop_name((enum redop)op));
        ok(!may_give(DTYPE_FLOAT16, (enum redop)op, nans, 4, min ? 1 : 6,
                     true),
           "nothing is beyond all numbers");
    }
}

/* Two right results may lie on both sides of the exact one. */
static void
test_joins(void)
{
    const struct reference r = {.real = 10, .slack = 1, .number = true};
    const double least = 9, most = 11, more = 11.5;

    ok(reference_joins(&r, DTYPE_FLOAT64, &least, &most) &&
           reference_joins(&r, DTYPE_FLOAT64, &most, &least),
       "results that are rounded down and up differ by rounding");
    ok(!reference_joins(&r, DTYPE_FLOAT64, &least, &more) &&
           !reference_joins(&r, DTYPE_FLOAT64, &more, &least),
       "  by no more than that");
}

int
main(void)
{
    test_joins();
    test_vanishing();
    test_libraries();
    srand(11);
    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; dtype_is_float((enum dtype)type) &&
                         op < redop_count((enum dtype)type);
             op++)
            for (int n = 2; n <= RANKS; n++)
                test_orders((enum dtype)type, (enum redop)op, n);
    return done_testing();
}
