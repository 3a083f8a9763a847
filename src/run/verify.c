/* SPDX-License-Identifier: MIT */
#include "run/verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What an element must be. */
struct reference {
    long double real; /* floats */
    long double slack;
    bool may_overflow; /* a partial sum in some order can leave the type */
    uint64_t whole; /* integers: the element's bits, sign-extended */
};

/* Integers as 64 bits, sign-extended where the type has a sign. */
static uint64_t
read_whole(enum dtype type, const void *element)
{
    int32_t i;
    uint64_t l;

    switch (type) {
    case DTYPE_INT32:
        memcpy(&i, element, sizeof i);
        return (uint64_t)(int64_t)i;
    case DTYPE_INT64:
        memcpy(&l, element, sizeof l);
        return l;
    default:
        return *(const uint8_t *)element;
    }
}

static long double
read_real(enum dtype type, const void *element)
{
    float f;
    double d;

    if (type == DTYPE_FLOAT32) {
        memcpy(&f, element, sizeof f);
        return (long double)f;
    }
    memcpy(&d, element, sizeof d);
    return (long double)d;
}

static uint64_t
wrap(enum dtype type, uint64_t value)
{
    if (type == DTYPE_INT32)
        return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    return type == DTYPE_UINT8 ? (uint8_t)value : value;
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
    default:
        return a + b;
    }
}

static long double
combine_real(enum redop op, long double a, long double b)
{
    switch (op) {
    case REDOP_PROD:
        return a * b;
    case REDOP_MIN:
        return b < a ? b : a;
    case REDOP_MAX:
        return b > a ? b : a;
    default:
        return a + b;
    }
}

static long double
slack_for(const struct input *in, int nranks, long double real,
          long double magnitude)
{
    long double eps = (long double)dtype_epsilon(in->type);

    switch (in->op) {
    case REDOP_MIN:
    case REDOP_MAX:
        return 0;
    case REDOP_PROD:
        return nranks * eps * fabsl(real) + FLT_TRUE_MIN;
    case REDOP_AVG: /* the sum's, then one more rounding */
        return eps * magnitude + eps * fabsl(real);
    default:
        return nranks * eps * magnitude;
    }
}

/* What element `index` of the inputs adds up to over ranks first .. last. */
static struct reference
reduce(const struct input *in, int first, int last, int64_t index)
{
    int nranks = last - first + 1;
    struct reference ref = {0};
    long double magnitude = 0;

    for (int rank = first; rank <= last; rank++) {
        unsigned char element[DTYPE_SIZE_MAX];
        input_element(in, rank, index, element);
        if (dtype_is_float(in->type)) {
            long double x = read_real(in->type, element);
            magnitude += fabsl(x);
            ref.real = rank == first ? x
                       : isnan(x)    ? x
                                     : combine_real(in->op, ref.real, x);
        } else {
            uint64_t x = read_whole(in->type, element);
            ref.whole =
                rank == first ? x : combine_whole(in->op, ref.whole, x);
        }
    }
    ref.whole = wrap(in->type, ref.whole);
    if (in->op == REDOP_AVG && nranks > 1) {
        ref.whole = wrap(in->type,
                         (uint64_t)((int64_t)ref.whole / nranks));
        ref.real /= nranks;
    }
    ref.slack = nranks == 1 ? 0 : slack_for(in, nranks, ref.real, magnitude);
    ref.may_overflow =
        in->op != REDOP_MIN && in->op != REDOP_MAX && nranks > 1 &&
        fmaxl(magnitude, fabsl(ref.real)) >=
            (in->type == DTYPE_FLOAT32 ? (long double)FLT_MAX
                                       : (long double)DBL_MAX);
    return ref;
}

static bool
matches(const struct input *in, const struct reference *ref,
        const void *element)
{
    long double found;

    if (!dtype_is_float(in->type))
        return read_whole(in->type, element) == ref->whole;
    found = read_real(in->type, element);
    if (isnan(ref->real)) /* min and max of a NaN depend on the order */
        return isnan(found) || in->op == REDOP_MIN || in->op == REDOP_MAX;
    if (!isfinite(found) && ref->may_overflow)
        return true;
    return found == ref->real || fabsl(found - ref->real) <= ref->slack;
}

static void
reference_text(const struct input *in, const struct reference *ref,
               char text[DTYPE_TEXT_MAX])
{
    unsigned char element[DTYPE_SIZE_MAX];

    if (in->type == DTYPE_FLOAT32)
        memcpy(element, &(float){(float)ref->real}, sizeof(float));
    else if (in->type == DTYPE_FLOAT64)
        memcpy(element, &(double){(double)ref->real}, sizeof(double));
    else
        memcpy(element, &ref->whole, sizeof ref->whole); /* little-endian */
    dtype_format(in->type, element, text);
}

static void
differs(const struct input *in, const struct reference *ref,
        const void *element, int rank, int chunk, int64_t index,
        struct run_result *result)
{
    char expected[DTYPE_TEXT_MAX], found[DTYPE_TEXT_MAX];

    if (result->wrong++ > 0)
        return;
    reference_text(in, ref, expected);
    dtype_format(in->type, element, found);
    snprintf(result->first_wrong, sizeof result->first_wrong,
             "rank %d, chunk %d, element %lld: expected %s, found %s", rank,
             chunk, (long long)index, expected, found);
}

static const struct rank_slot *
output_slot(const struct schedule *s, const struct rank_slot *slots,
            int nslots, int rank, int chunk)
{
    return &slots[(size_t)rank * (size_t)nslots +
                  (size_t)(schedule_output(s, rank).first + chunk)];
}

static bool
has_output(const struct schedule *s, int rank, int chunk)
{
    return chunk < schedule_output(s, rank).count;
}

/* The first rank from `rank` on that has this output chunk, or nranks. */
static int
next_with_output(const struct schedule *s, int rank, int chunk)
{
    while (rank < s->nranks && !has_output(s, rank, chunk))
        rank++;
    return rank;
}

/* Of any rank that has one. */
static int
output_chunks(const struct schedule *s)
{
    int rank = next_with_output(s, 0, 0);

    return rank < s->nranks ? schedule_output(s, rank).count : 0;
}

/* Output chunk `chunk` of every rank.  Ranks with the same promise, one after
 * the other, share a reference. */
static void
verify_chunk(const struct schedule *s, const struct input *in,
             const struct rank_slot *slots, int nslots, int chunk,
             struct run_result *result)
{
    size_t size = dtype_size(in->type);
    struct promise last = {-2, -1};
    int64_t start = 0, length = 0;

    for (int first = next_with_output(s, 0, chunk), next; first < s->nranks;
         first = next_with_output(s, next, chunk)) {
        last = schedule_promise(s, first, chunk);
        for (next = first + 1;
             next < s->nranks && has_output(s, next, chunk); next++) {
            struct promise p = schedule_promise(s, next, chunk);
            if (p.origin != last.origin || p.chunk != last.chunk)
                break;
        }
        start = schedule_chunk_start(s, in->count, last.chunk);
        length = schedule_chunk_length(s, in->count, last.chunk);
        for (int64_t i = 0; i < length; i++) {
            bool all = last.origin == PROMISE_ALL;
            struct reference ref =
                reduce(in, all ? 0 : last.origin,
                       all ? s->nranks - 1 : last.origin, start + i);
            for (int rank = first; rank < next; rank++) {
                const struct rank_slot *slot =
                    output_slot(s, slots, nslots, rank, chunk);
                const void *element = slot->data + (size_t)i * size;
                if (!matches(in, &ref, element))
                    differs(in, &ref, element, rank, chunk, i, result);
            }
        }
    }
}

static void
blame_row(const uint64_t *row, int nranks, int rank, int chunk,
          struct run_result *result)
{
    struct buf text = {0};

    if (result->first_wrong[0] != '\0')
        return;
    ledger_text(&text, row, nranks);
    snprintf(result->first_wrong, sizeof result->first_wrong,
             "rank %d, chunk %d: it holds %s", rank, chunk, buf_text(&text));
    buf_done(&text);
}

/* The first row that is not as promised. Ranks with the same promise, one
 * after the other, share a row to compare with. */
static void
verify_ledger(const struct schedule *s, const uint64_t *ledger, int nslots,
              struct run_result *result)
{
    size_t words = (size_t)ledger_words(s->nranks);
    int chunks = output_chunks(s);

    for (int chunk = 0; chunk < chunks; chunk++) {
        struct promise last = {PROMISE_ALL, -1};
        uint64_t want[LEDGER_WORDS_MAX];

        for (int rank = 0; rank < s->nranks; rank++) {
            int slot = schedule_output(s, rank).first + chunk;
            const uint64_t *row =
                ledger + ((size_t)rank * (size_t)nslots + (size_t)slot) *
                             words;
            struct promise p = schedule_promise(s, rank, chunk);
            if (!has_output(s, rank, chunk))
                continue;
            if (p.origin != last.origin || p.chunk != last.chunk)
                ledger_promise(want, s->nranks, p);
            last = p;
            if (memcmp(row, want, words * sizeof *row) == 0)
                continue;
            result->correct = false;
            blame_row(row, s->nranks, rank, chunk, result);
            return;
        }
    }
}

void
verify(const struct schedule *s, const struct input *in,
       const struct rank_slot *slots, const uint64_t *ledger, int nslots,
       struct run_result *result)
{
    int chunks = output_chunks(s);

    result->wrong = 0;
    result->first_wrong[0] = '\0';
    for (int chunk = 0; chunk < chunks; chunk++)
        verify_chunk(s, in, slots, nslots, chunk, result);
    result->correct = result->wrong == 0;
    if (ledger != NULL)
        verify_ledger(s, ledger, nslots, result);
}
