/* SPDX-License-Identifier: MIT */
#include "run/reference.h"

#include <math.h>
#include <string.h>

static uint64_t
wrap_whole(enum dtype type, uint64_t value)
{
    unsigned char element[DTYPE_SIZE_MAX];

    dtype_set_whole(type, (int64_t)value, element);
    return (uint64_t)dtype_whole(type, element);
}

static uint64_t
combine_whole(enum redop op, uint64_t a, uint64_t b)
{
    switch (op) {
    case REDOP_PROD:
        return a * b;
    case REDOP_MIN:
        return (int64_t)b < (int64_t)a ? b : a;
    case REDOP_MAX:
        return (int64_t)b > (int64_t)a ? b : a;
    case REDOP_LAND:
        return a != 0 && b != 0;
    case REDOP_LOR:
        return a != 0 || b != 0;
    case REDOP_BAND:
        return a & b;
    case REDOP_BOR:
        return a | b;
    case REDOP_BXOR:
        return a ^ b;
    case REDOP_SUM:
    case REDOP_AVG:
    case REDOPS:
        break;
    }
    return a + b;
}

static struct reference
reduce_whole(const struct input *in, int first, int last, int64_t index)
{
    int nranks = last - first + 1;
    uint64_t whole = 0;

    for (int rank = first; rank <= last; rank++) {
        unsigned char element[DTYPE_SIZE_MAX];
        input_elements(in, rank, index, 1, element);
        uint64_t x = (uint64_t)dtype_whole(in->type, element);
        whole = rank == first ? x : combine_whole(in->op, whole, x);
    }
    whole = wrap_whole(in->type, whole);
    if (in->op == REDOP_AVG && nranks > 1)
        whole = wrap_whole(in->type, (uint64_t)((int64_t)whole / nranks));
    return (struct reference){.whole = whole};
}

/* The inputs of an element, by kind, and what each kind comes to. */
struct operands {
    int n, nans, zeros, plus, minus; /* infinities */
    int nfirst, nsecond; /* finite numbers: in a sum those above and below 0, in
                          * a product those above and below 1 */
    long double first, second; /* their sums, or products, without signs */
    long double real;          /* of all, in rank order */
    bool odd;                  /* a product of an odd number of minus signs */
};

static bool
is_below(long double a, long double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static long double
combine_real(enum redop op, long double a, long double b)
{
    switch (op) {
    case REDOP_PROD:
        return a * b;
    case REDOP_MIN:
        return isnan(a) || is_below(b, a) ? b : a;
    case REDOP_MAX:
        return isnan(a) || is_below(a, b) ? b : a;
    default:
        return a + b;
    }
}

static void
count_operand(struct operands *all, enum redop op, long double x)
{
    bool multiplies = op == REDOP_PROD;
    bool is_first = multiplies ? fabsl(x) > 1 : x > 0;
    long double *to = is_first ? &all->first : &all->second;

    all->real = all->n++ == 0 ? x : combine_real(op, all->real, x);
    all->odd ^= signbit(x) != 0;
    if (isnan(x)) {
        all->nans++;
    } else if (isinf(x)) {
        all->plus += x > 0;
        all->minus += x < 0;
    } else if (x == 0) {
        all->zeros++;
    } else {
        *to = multiplies ? *to * fabsl(x) : *to + fabsl(x);
        all->nfirst += is_first;
        all->nsecond += !is_first;
    }
}

/* Whether a sum or product of n numbers, all on one side, may round to
 * infinity.  One addition does from the middle between the largest number and
 * the next one there would be; each before that may round up. */
static bool
may_overflow(const struct dtype_limits *limits, long double sum, int n)
{
    long double eps = (long double)limits->epsilon;
    long double most = (long double)limits->most;

    return n > 1 && sum * (1 + (n - 2) * eps) >=
                        most + most / (2 - eps) * (eps / 2);
}

/* Whether a product of n numbers below 1 may round to 0.  One multiplication
 * does at half the least number.  A partial product of k times that number, of
 * which a half is rounded off, has lost less than a (2k+1)th, for each k at
 * most once: the n - 2 before the last, together, at most a factor of n - 1. */
static bool
may_vanish(const struct dtype_limits *limits, long double product, int n)
{
    long double least = (long double)limits->least;

    return n > 1 && product <= least * (n - 1) / 2 *
                                   (1 + (n - 2) * (long double)limits->epsilon);
}

static void
allow_sums(const struct operands *all, const struct dtype_limits *limits,
           struct reference *r)
{
    bool up = all->plus > 0 || may_overflow(limits, all->first, all->nfirst);
    bool down =
        all->minus > 0 || may_overflow(limits, all->second, all->nsecond);

    r->nan = all->nans > 0 || (up && down);
    r->plus = all->nans == 0 && up && all->minus == 0;
    r->minus = all->nans == 0 && down && all->plus == 0;
    r->number = all->nans + all->plus + all->minus == 0;
    r->slack = all->n * (long double)limits->epsilon *
               (all->first + all->second);
}

static void
allow_products(const struct operands *all, const struct dtype_limits *limits,
               struct reference *r)
{
    long double eps = (long double)limits->epsilon;
    long double least = (long double)limits->least;
    bool up = all->plus + all->minus > 0 ||
              may_overflow(limits, all->first, all->nfirst);
    bool zero =
        all->zeros > 0 || may_vanish(limits, all->second, all->nsecond);
    bool infinite = all->nans == 0 && up && all->zeros == 0;

    r->nan = all->nans > 0 || (up && zero);
    r->plus = infinite && !all->odd;
    r->minus = infinite && all->odd;
    r->number = all->nans + all->plus + all->minus == 0;
    r->is_signed = true;
    r->real = all->zeros > 0 && r->number ? 0 : r->real;
    r->real = copysignl(r->real, all->odd ? -1 : 1);
    if (all->zeros > 0)
        return;
    r->slack = all->n * eps * fabsl(r->real);
    if (all->second < least / eps * (1 + all->n * eps))
        r->lost = all->n * least * all->first;
}

/* min and max, or the input of one rank. */
static void
allow_one(const struct operands *all, struct reference *r)
{
    r->nan = isnan(all->real);
    r->plus = isinf(all->real) && all->real > 0;
    r->minus = isinf(all->real) && all->real < 0;
    r->number = isfinite(all->real);
    r->is_signed = true;
}

static struct reference
reduce_real(const struct input *in, int first, int last, int64_t index)
{
    const struct dtype_limits *limits = dtype_limits(in->type);
    long double eps = (long double)limits->epsilon, unit = in->op == REDOP_PROD;
    struct operands all = {.first = unit, .second = unit};
    struct reference r = {.slack = 0};

    for (int rank = first; rank <= last; rank++) {
        unsigned char element[DTYPE_SIZE_MAX];
        input_elements(in, rank, index, 1, element);
        count_operand(&all, in->op, (long double)dtype_real(in->type, element));
    }
    r.real = all.real;
    r.is_finite = all.nans + all.plus + all.minus == 0;
    r.has_nan = all.nans > 0;
    if (all.n == 1 || in->op == REDOP_MIN || in->op == REDOP_MAX)
        allow_one(&all, &r);
    else if (in->op == REDOP_PROD)
        allow_products(&all, limits, &r);
    else
        allow_sums(&all, limits, &r);
    if (in->op == REDOP_AVG && all.n > 1) {
        /* one more rounding; NCCL itself divides each input, and then adds */
        r.real /= all.n;
        r.slack = r.slack / all.n + eps * fabsl(r.real) +
                  all.n * (long double)limits->least;
    }
    return r;
}

struct reference
reference_of(const struct input *in, int first, int last, int64_t index)
{
    return dtype_is_float(in->type) ? reduce_real(in, first, last, index)
                                    : reduce_whole(in, first, last, index);
}

/* Whether a number is near enough, whatever its sign. */
static bool
is_near(const struct reference *r, long double found)
{
    return found == r->real ||
           fabsl(found - r->real) <= r->slack + r->lost;
}

bool
reference_holds(const struct reference *r, enum dtype type,
                const void *element)
{
    long double found;

    if (!dtype_is_float(type))
        return (uint64_t)dtype_whole(type, element) == r->whole;
    found = (long double)dtype_real(type, element);
    if (isnan(found))
        return r->nan;
    if (isinf(found))
        return found > 0 ? r->plus : r->minus;
    return r->number && is_near(r, found) &&
           (!r->is_signed || !signbit(found) == !signbit(r->real));
}

bool
reference_allows(const struct reference *r, const struct input *in,
                 const void *element)
{
    long double found;

    if (reference_holds(r, in->type, element))
        return true;
    if (!dtype_is_float(in->type) ||
        (in->op != REDOP_MIN && in->op != REDOP_MAX))
        return false;
    found = (long double)dtype_real(in->type, element);
    return (r->real == 0 && found == 0) ||
           (r->has_nan &&
            (isnan(found) ||
             (in->op == REDOP_MIN ? found >= r->real : found <= r->real)));
}

bool
reference_same(enum dtype type, const void *a, const void *b)
{
    return memcmp(a, b, dtype_size(type)) == 0 ||
           (dtype_is_float(type) && isnan(dtype_real(type, a)) &&
            isnan(dtype_real(type, b)));
}

bool
reference_joins(const struct reference *r, enum dtype type, const void *a,
                const void *b)
{
    long double x, y, least;

    if (reference_same(type, a, b))
        return true;
    if (!dtype_is_float(type))
        return false;
    x = (long double)dtype_real(type, a);
    y = (long double)dtype_real(type, b);
    least = (long double)dtype_limits(type)->least;
    return isfinite(x) && isfinite(y) &&
           fabsl(x - y) <= 2 * r->slack + least;
}
