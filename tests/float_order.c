/* SPDX-License-Identifier: MIT */
/* min and max of floats: what one pair gives, compared with plain comparisons,
 * and that no order of reductions changes a bit of the result. */
#include "base/float_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/kernels.h"
#include "tap.h"

static const enum dtype types[] = {DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_FLOAT16,
                                   DTYPE_BFLOAT16};
static const double values[] = {0.0,      -0.0,      NAN,  -NAN, INFINITY,
                                -INFINITY, 1,        -1,   2,    -2,
                                6e-8,      -6e-8,    60000, -60000};
enum { VALUES = sizeof values / sizeof *values, RANKS = 7, ROUNDS = 20000 };

static double
combine(enum dtype type, enum redop op, double a, double b)
{
    uint64_t x = 0, y = 0;

    dtype_set_real(type, a, &x);
    dtype_set_real(type, b, &y);
    kernels_for(type, op).combine(&x, &x, &y, 1);
    return dtype_real(type, &x);
}

/* A number wins over a NaN, and -0 is below +0. */
static void
test_pairs(enum dtype type, enum redop op)
{
    int wrong = 0;

    for (int i = 0; i < VALUES; i++)
        for (int k = 0; k < VALUES; k++) {
            double a = values[i], b = values[k], found;
            bool below = b < a || (a == b && signbit(b) && !signbit(a));
            bool above = b > a || (a == b && signbit(a) && !signbit(b));
            bool takes_b =
                isnan(a) || (op == REDOP_MIN ? below : above);
            double right = takes_b && !isnan(b) ? b : a;
            uint64_t bits = 0;
            found = combine(type, op, a, b);
            dtype_set_real(type, right, &bits);
            right = dtype_real(type, &bits);
            wrong += isnan(right) ? !isnan(found)
                                  : found != right ||
                                        !signbit(found) != !signbit(right);
        }
    is_int(wrong, 0, "%s %s of two values", dtype_name(type), redop_name(op));
}

/* The elements of ranks in another order, as a chain or a tree. */
static void
fold(const struct kernels *k, const uint64_t *in, uint64_t *to, bool tree)
{
    uint64_t left[RANKS];
    int n = RANKS;

    memcpy(left, in, sizeof left);
    for (; n > 1; n--) {
        int at = tree ? rand() % (n - 1) : 0; /* with its neighbour */
        k->combine(&left[at], &left[at + 1], &left[at], 1);
        memmove(&left[at + 1], &left[at + 2],
                (size_t)(n - at - 2) * sizeof *left);
    }
    *to = left[0];
}

static void
test_orders(enum dtype type, enum redop op)
{
    struct kernels k = kernels_for(type, op);
    size_t size = dtype_size(type);
    int wrong = 0;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t in[RANKS] = {0}, chain = 0, tree = 0;
        bool nans = round % 8 == 0; /* of any bits, and nothing else */
        for (int rank = 0; rank < RANKS; rank++) {
            uint64_t bits = (uint64_t)rand() << 33 ^ (uint64_t)rand();
            dtype_set_real(type, values[rand() % VALUES], &in[rank]);
            if (nans)
                dtype_set_real(type, NAN, &in[rank]);
            if (nans)
                in[rank] |= bits >> (64 - 8 * size);
        }
        fold(&k, in, &chain, false);
        for (int rank = RANKS - 1; rank > 0; rank--) {
            int other = rand() % (rank + 1);
            uint64_t kept = in[rank];
            in[rank] = in[other];
            in[other] = kept;
        }
        fold(&k, in, &tree, true);
        wrong += memcmp(&chain, &tree, size) != 0;
    }
    is_int(wrong, 0, "%s %s in %d random orders", dtype_name(type),
           redop_name(op), ROUNDS);
}

int
main(void)
{
    srand(3);
    for (int i = 0; i < 4; i++)
        for (int op = REDOP_MIN; op <= REDOP_MAX; op++) {
            test_pairs(types[i], (enum redop)op);
            test_orders(types[i], (enum redop)op);
        }
    return done_testing();
}
