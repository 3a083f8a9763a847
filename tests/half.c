/* SPDX-License-Identifier: MIT */
/* float16 and bfloat16, compared with arithmetic in double that uses no bits:
 * every value, the middles between values, text, and the kernels on pairs. */
#include "base/half.h"

#include <math.h>
#include <stdint.h>

#include "run/kernels.h"
#include "tap.h"

struct format {
    enum dtype type;
    int fraction, least; /* bits; the exponent of the smallest number */
    float (*to_float)(uint16_t half);
    uint16_t (*from_float)(float value);
};

static const struct format formats[] = {
    {DTYPE_FLOAT16, 10, -24, float16_to_float, float16_from_float},
    {DTYPE_BFLOAT16, 7, -133, bfloat16_to_float, bfloat16_from_float},
};

enum { HALVES = 0x10000, SIGN = 0x8000 };

static uint16_t
infinity_of(const struct format *f)
{
    return (uint16_t)(SIGN - (1 << f->fraction));
}

/* The value. Infinity counts as the next number after the largest. */
static double
value_of(const struct format *f, uint16_t half)
{
    int one = 1 << f->fraction;
    int fraction = half % one, exponent = half % SIGN / one;
    double value = exponent == 0
                       ? ldexp(fraction, f->least)
                       : ldexp(one + fraction, f->least + exponent - 1);

    return half < SIGN ? value : -value;
}

/* Returns the nearest of a sorted list, by bisection; ties go to the even
 * one. */
static uint16_t
nearest(const struct format *f, double value)
{
    uint16_t low = 0, high = infinity_of(f);
    double x = fabs(value), down, up;

    if (isnan(value))
        return SIGN - 1;
    while (high - low > 1) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        if (x >= value_of(f, middle))
            low = middle;
        else
            high = middle;
    }
    down = x - value_of(f, low);
    up = value_of(f, high) - x;
    if (up < down || (up == down && high % 2 == 0))
        low = high;
    return (uint16_t)(signbit(value) ? low + SIGN : low);
}

static bool
is_nan(const struct format *f, uint16_t half)
{
    return half % SIGN > infinity_of(f);
}

/* Whether both have the same bits, or both are NaN. */
static bool
same(const struct format *f, uint16_t a, uint16_t b)
{
    return a == b || (is_nan(f, a) && is_nan(f, b));
}

static void
test_to_float(const struct format *f)
{
    int wrong = 0, lost = 0;

    for (int i = 0; i < HALVES; i++) {
        uint16_t half = (uint16_t)i;
        float value = f->to_float(half);
        if (is_nan(f, half))
            wrong += !isnan(value);
        else if (half % SIGN == infinity_of(f))
            wrong += !isinf(value);
        else
            wrong += (double)value != value_of(f, half);
        wrong += (half >= SIGN) != (signbit(value) != 0);
        lost += !same(f, f->from_float(value), half) ||
                (f->from_float(value) >= SIGN) != (half >= SIGN);
    }
    is_int(wrong, 0, "every %s as a float", dtype_name(f->type));
    is_int(lost, 0, "and back");
}

/* Values around every value and every middle between two. */
static void
test_from_float(const struct format *f)
{
    int wrong = 0;

    for (uint16_t half = 0; half < infinity_of(f); half++) {
        double value = value_of(f, half);
        double next = value_of(f, (uint16_t)(half + 1));
        const double at[] = {value, (value + next) / 2};
        for (int k = 0; k < 2; k++) {
            float x = (float)at[k];
            const float near[] = {nextafterf(x, -1), x,
                                  nextafterf(x, INFINITY)};
            for (int i = 0; i < 3; i++)
                wrong +=
                    f->from_float(near[i]) != nearest(f, (double)near[i]) ||
                    f->from_float(-near[i]) != nearest(f, (double)-near[i]);
        }
    }
    is_int(wrong, 0, "floats to the nearest %s, ties to even",
           dtype_name(f->type));
    ok(f->from_float(INFINITY) == infinity_of(f) &&
           f->from_float(-0x1.fffffep127f) == SIGN + infinity_of(f),
       "infinity, and what is as good as it");
}

/* Arbitrary bits, without regard to the format. */
static void
test_any_float(const struct format *f)
{
    int wrong = 0;

    for (uint32_t i = 0; i < 1 << 20; i++) {
        float x = float_of_bits(i * 4099);
        wrong += !same(f, f->from_float(x), nearest(f, (double)x));
#ifdef __FLT16_MANT_DIG__
        if (f->type == DTYPE_FLOAT16) {
            __extension__ _Float16 theirs = (_Float16)x;
            uint16_t bits;
            memcpy(&bits, &theirs, sizeof bits);
            wrong += !same(f, f->from_float(x), bits);
        }
#endif
    }
    is_int(wrong, 0, "a million floats to %s", dtype_name(f->type));
}

static void
test_text(const struct format *f)
{
    int wrong = 0;

    for (int i = 0; i < HALVES; i++) {
        uint16_t half = (uint16_t)i, back = 0;
        char text[DTYPE_TEXT_MAX];
        dtype_format(f->type, &half, text);
        wrong += !dtype_parse(f->type, text, &back) || !same(f, half, back);
    }
    is_int(wrong, 0, "every %s comes back from its text",
           dtype_name(f->type));
}

static void
test_parse(void)
{
    static const struct {
        enum dtype type;
        const char *text;
        int bits; /* -1: not a number of this type */
    } known[] = {
        {DTYPE_FLOAT16, "1", 0x3c00},
        {DTYPE_FLOAT16, "-0", 0x8000},
        {DTYPE_FLOAT16, "0.1", 0x2e66},
        {DTYPE_FLOAT16, "65519.99", 0x7bff},
        {DTYPE_FLOAT16, "65520", -1},
        {DTYPE_FLOAT16, "1e300", -1},
        {DTYPE_FLOAT16, "inf", 0x7c00},
        {DTYPE_FLOAT16, "-inf", 0xfc00},
        {DTYPE_FLOAT16, "2.98e-8", 0x0000},
        {DTYPE_FLOAT16, "2.99e-8", 0x0001},
        {DTYPE_FLOAT16, "1.00048828125", 0x3c00},
        {DTYPE_FLOAT16, "1.00048828125001", 0x3c01}, /* a float: the middle */
        {DTYPE_FLOAT16, "1.00146484375", 0x3c02},
        {DTYPE_FLOAT16, "1.00146484374999", 0x3c01},
        {DTYPE_BFLOAT16, "1", 0x3f80},
        {DTYPE_BFLOAT16, "0.1", 0x3dcd},
        {DTYPE_BFLOAT16, "1.00390625", 0x3f80},
        {DTYPE_BFLOAT16, "1.00390625000001", 0x3f81},
        {DTYPE_BFLOAT16, "3.39e38", 0x7f7f},
        {DTYPE_BFLOAT16, "3.4e38", -1},
        {DTYPE_BFLOAT16, "-inf", 0xff80},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint16_t half;
        bool read = dtype_parse(known[i].type, known[i].text, &half);
        is_int(read ? half : -1, known[i].bits, "%s %s",
               dtype_name(known[i].type), known[i].text);
    }
}

/* In float, as the kernels promise: a number wins over a NaN, and -0 is below
 * +0. */
static float
expected(enum redop op, float a, float b)
{
    switch (op) {
    case REDOP_PROD:
        return a * b;
    case REDOP_MIN:
        return isnan(a) || b < a || (a == b && signbit(b)) ? b : a;
    case REDOP_MAX:
        return isnan(a) || b > a || (a == b && signbit(a)) ? b : a;
    default:
        return a + b;
    }
}

static void
test_pairs(const struct format *f, enum redop op)
{
    static uint16_t a[HALVES], b[HALVES], c[HALVES];
    struct kernels k = kernels_for(f->type, op);
    uint32_t seed = 5;
    int wrong = 0;

    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < HALVES; i++) {
            seed = seed * 1664525u + 1013904223u;
            a[i] = (uint16_t)i;
            b[i] = (uint16_t)(seed >> 16);
        }
        k.combine(c, a, b, HALVES - round); /* with every kind of rest */
        for (int i = 0; i < HALVES - round; i++) {
            float x = expected(op, f->to_float(a[i]), f->to_float(b[i]));
            wrong += !same(f, c[i], nearest(f, (double)x));
        }
        k.combine(a, a, b, HALVES - round);
        wrong += memcmp(a, c, sizeof a - 2 * (size_t)round) != 0;
    }
    is_int(wrong, 0, "%s %s of pairs, to a third place and in place",
           dtype_name(f->type), redop_name(op));
}

static void
test_divide(const struct format *f)
{
    static uint16_t a[HALVES];
    int wrong = 0;

    for (int i = 0; i < HALVES; i++)
        a[i] = (uint16_t)i;
    kernels_for(f->type, REDOP_AVG).divide(a, HALVES, 1000);
    for (int i = 0; i < HALVES; i++) {
        float x = f->to_float((uint16_t)i) / 1000;
        wrong += !same(f, a[i], nearest(f, (double)x));
    }
    is_int(wrong, 0, "every %s by 1000", dtype_name(f->type));
}

static uint16_t
corrupted(const struct format *f, enum redop op, uint16_t half)
{
    kernels_for(f->type, op).corrupt(&half);
    return half;
}

/* A partial result that nothing later hides, and memory that nobody wrote. */
static void
test_corrupt(const struct format *f)
{
    uint16_t most = infinity_of(f), least = (uint16_t)(most + SIGN);
    int wrong = 0;

    for (int i = 0; i < HALVES; i++) {
        uint16_t half = (uint16_t)i;
        wrong += !is_nan(f, corrupted(f, REDOP_SUM, half)) ||
                 corrupted(f, REDOP_MIN, half) !=
                     (half == least ? most : least) ||
                 corrupted(f, REDOP_MAX, half) !=
                     (half == most ? least : most);
    }
    is_int(wrong, 0, "every %s spoilt", dtype_name(f->type));
}

int
main(void)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        test_to_float(&formats[i]);
        test_from_float(&formats[i]);
        test_any_float(&formats[i]);
        test_text(&formats[i]);
        for (int op = 0; op < redop_count(DTYPE_FLOAT16); op++)
            test_pairs(&formats[i], (enum redop)op);
        test_divide(&formats[i]);
        test_corrupt(&formats[i]);
    }
    test_parse();
    return done_testing();
}
