/* SPDX-License-Identifier: MIT */
#include "run/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The correct value of an element. */
struct reference {
    long double real; /* floats */
    long double slack;
    bool may_overflow; /* a partial sum in some order can exceed the type */
    uint64_t whole; /* integers: the element's bits, sign-extended */
    int round; /* 0: not known */
};

static uint64_t
wrap(enum dtype type, uint64_t value)
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
    const struct dtype_limits *limits = dtype_limits(in->type);
    long double eps = (long double)limits->epsilon;
    long double least = (long double)limits->least;

    switch (in->op) {
    case REDOP_MIN:
    case REDOP_MAX:
        return 0;
    case REDOP_PROD: /* a partial product can fall below the least number */
        return nranks * (eps * fabsl(real) + least * magnitude);
    case REDOP_AVG: /* the sum's, then one more rounding */
        return eps * magnitude + eps * fabsl(real) + least;
    default:
        return nranks * eps * magnitude;
    }
}

static bool
may_overflow(const struct input *in, int nranks, long double magnitude)
{
    const struct dtype_limits *limits = dtype_limits(in->type);

    return nranks > 1 && in->op != REDOP_MIN && in->op != REDOP_MAX &&
           magnitude * (1 + nranks * (long double)limits->epsilon) >=
               (long double)limits->most;
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
    whole = wrap(in->type, whole);
    if (in->op == REDOP_AVG && nranks > 1)
        whole = wrap(in->type, (uint64_t)((int64_t)whole / nranks));
    return (struct reference){.whole = whole};
}

static struct reference
reduce_real(const struct input *in, int first, int last, int64_t index)
{
    int nranks = last - first + 1;
    /* the largest one of a partial result, over all orders */
    long double magnitude = in->op == REDOP_PROD, real = 0;

    for (int rank = first; rank <= last; rank++) {
        unsigned char element[DTYPE_SIZE_MAX];
        input_elements(in, rank, index, 1, element);
        long double x = (long double)dtype_real(in->type, element);
        if (in->op == REDOP_PROD)
            magnitude *= fmaxl(fabsl(x), 1);
        else
            magnitude += fabsl(x);
        real = rank == first || isnan(x) ? x : combine_real(in->op, real, x);
    }
    if (in->op == REDOP_AVG)
        real /= nranks;
    return (struct reference){
        .real = real,
        .slack = nranks == 1 ? 0 : slack_for(in, nranks, real, magnitude),
        .may_overflow = may_overflow(in, nranks, magnitude)};
}

static bool
matches(const struct input *in, const struct reference *ref,
        const void *element)
{
    long double found;

    if (!dtype_is_float(in->type))
        return (uint64_t)dtype_whole(in->type, element) == ref->whole;
    found = (long double)dtype_real(in->type, element);
    if (isnan(ref->real)) /* min and max of a NaN depend on the order */
        return isnan(found) || in->op == REDOP_MIN || in->op == REDOP_MAX;
    if (!isfinite(found) && ref->may_overflow)
        return true;
    return found == ref->real || fabsl(found - ref->real) <= ref->slack;
}

/* A finished run, to be judged. */
struct outputs {
    const struct schedule *s;
    const struct input *in;
    const struct rank_slots *found;
    int apart; /* a rank that follows another schedule; -1: none */
    bool its;  /* judge that rank alone; else all others */
    struct run_result *result;
};

static bool
is_judged(const struct outputs *o, int rank)
{
    return o->apart < 0 || (rank == o->apart) == o->its;
}

static void
differs(const struct outputs *o, const struct reference *ref,
        const void *element, int rank, int chunk, int64_t index)
{
    struct run_result *result = o->result;
    enum dtype type = o->in->type;
    char expected[DTYPE_TEXT_MAX], found[DTYPE_TEXT_MAX];
    unsigned char right[DTYPE_SIZE_MAX];

    if (result->wrong++ > 0)
        return;
    if (dtype_is_float(type))
        dtype_set_real(type, (double)ref->real, right);
    else
        dtype_set_whole(type, (int64_t)ref->whole, right);
    dtype_format(type, right, expected);
    dtype_format(type, element, found);
    snprintf(result->first_wrong, sizeof result->first_wrong,
             "rank %d, chunk %d, element %lld: expected %s, found %s", rank,
             chunk, (long long)index, expected, found);
}

/* The index of an output chunk in slots and rows. */
static size_t
cell_of(const struct outputs *o, int rank, int chunk)
{
    int slot = schedule_output(o->s, rank).first + chunk;

    return (size_t)rank * (size_t)o->found->nslots + (size_t)slot;
}

/* Output chunks of each rank that has an output. */
static int
output_chunks(const struct schedule *s)
{
    int rank = 0;

    while (rank < s->nranks - 1 && schedule_output(s, rank).count == 0)
        rank++;
    return schedule_output(s, rank).count;
}

/* Neighbouring ranks that hold an output chunk and share one promise, and so a
 * reference. */
struct holders {
    int first, end; /* ranks first .. end - 1 */
    struct promise promise;
};

/* Goes on to the next ones of this chunk, from {0} on. */
static bool
next_holders(const struct schedule *s, int chunk, struct holders *h)
{
    int rank = h->end;

    while (rank < s->nranks && chunk >= schedule_output(s, rank).count)
        rank++;
    if (rank == s->nranks)
        return false;
    h->first = rank;
    h->promise = schedule_promise(s, rank, chunk);
    for (rank++; rank < s->nranks && chunk < schedule_output(s, rank).count;
         rank++) {
        struct promise p = schedule_promise(s, rank, chunk);
        if (p.first != h->promise.first || p.chunk != h->promise.chunk)
            break;
    }
    h->end = rank;
    return true;
}

/* References of these ranks' elements, by class; the last is any element's. */
struct references {
    int first, last, round; /* those of this round are these ranks' */
    struct reference of[DTYPE_CLASSES + 1];
};

static const struct reference *
look_up(struct references *all, const struct input *in, int64_t index)
{
    int class = in->given == NULL
                    ? dtype_default_class(in->type, in->op, index)
                    : -1;
    struct reference *ref = &all->of[class < 0 ? DTYPE_CLASSES : class];

    if (class < 0 || ref->round != all->round)
        *ref = dtype_is_float(in->type)
                   ? reduce_real(in, all->first, all->last, index)
                   : reduce_whole(in, all->first, all->last, index);
    ref->round = all->round;
    return ref;
}

static void
verify_values(const struct outputs *o, int chunk, const struct holders *h,
              struct references *all)
{
    int64_t start =
        schedule_chunk_start(o->s, o->in->count, h->promise.chunk);
    int64_t length =
        schedule_chunk_length(o->s, o->in->count, h->promise.chunk);
    size_t size = dtype_size(o->in->type);
    const unsigned char *right = NULL; /* of a rank that has been judged */

    if (all->round == 0 || all->first != h->promise.first ||
        all->last != h->promise.last)
        all->round++;
    all->first = h->promise.first;
    all->last = h->promise.last;
    for (int rank = h->first; rank < h->end; rank++) {
        const unsigned char *data;
        int64_t wrong = o->result->wrong;
        if (!is_judged(o, rank))
            continue;
        data = o->found->slots[cell_of(o, rank, chunk)].data;
        if (right != NULL && length > 0 &&
            memcmp(data, right, (size_t)length * size) == 0)
            continue;
        for (int64_t i = 0; i < length; i++) {
            const struct reference *ref = look_up(all, o->in, start + i);
            const void *element = data + (size_t)i * size;
            if (!matches(o->in, ref, element))
                differs(o, ref, element, rank, chunk, i);
        }
        if (o->result->wrong == wrong)
            right = data;
    }
}

/* Reports the first row that is not as promised. Returns false if there is
 * one. */
static bool
verify_rows(const struct outputs *o, int chunk, const struct holders *h)
{
    size_t words = (size_t)ledger_words(o->s->nranks);
    struct run_result *result = o->result;
    uint64_t expected[LEDGER_WORDS_MAX];

    ledger_promise(expected, o->s->nranks, h->promise);
    for (int rank = h->first; rank < h->end; rank++) {
        const uint64_t *row =
            o->found->ledger + cell_of(o, rank, chunk) * words;
        OWN(buf) text = {0};
        if (!is_judged(o, rank) ||
            memcmp(row, expected, words * sizeof *row) == 0)
            continue;
        ledger_text(&text, row, o->s->nranks, schedule_members(o->s));
        if (result->first_wrong[0] == '\0')
            snprintf(result->first_wrong, sizeof result->first_wrong,
                     "rank %d, chunk %d: it holds %s", rank, chunk,
                     buf_text(&text));
        return result->correct = false;
    }
    return true;
}

/* Adds to the result. */
static void
verify_outputs(const struct outputs *o)
{
    int chunks = output_chunks(o->s);
    bool kept = o->found->ledger != NULL; /* the promises, so far */
    struct references all = {.round = 0};

    for (int chunk = 0; chunk < chunks; chunk++)
        for (struct holders h = {0}; next_holders(o->s, chunk, &h);)
            verify_values(o, chunk, &h, &all);
    o->result->correct = o->result->correct && o->result->wrong == 0;
    for (int chunk = 0; kept && chunk < chunks; chunk++)
        for (struct holders h = {0}; kept && next_holders(o->s, chunk, &h);)
            kept = verify_rows(o, chunk, &h);
}

static void
clear(struct run_result *result)
{
    result->wrong = 0;
    result->first_wrong[0] = '\0';
    result->correct = true;
}

void
verify(const struct schedule *s, const struct input *in,
       const struct rank_slots *found, struct run_result *result)
{
    struct outputs outputs = {.s = s, .in = in, .found = found, .apart = -1,
                              .result = result};

    clear(result);
    verify_outputs(&outputs);
}

void
verify_mismatched(const struct mismatch *m, const struct input *in,
                  const struct rank_slots *found, struct run_result *result)
{
    struct input its_input = *in;
    struct outputs theirs = {.s = m->theirs, .in = in, .found = found,
                             .apart = m->rank, .result = result};
    struct outputs its = theirs;

    its_input.count = m->its_count;
    its.s = m->its;
    its.in = &its_input;
    its.its = true;
    clear(result);
    if (!mismatch_discards(m, in->count))
        verify_outputs(&theirs);
    if (!mismatch_discards(m, m->its_count))
        verify_outputs(&its);
}

double
verify_work(const struct schedule *s)
{
    int chunks = output_chunks(s);
    double work = 0;

    for (int chunk = 0; chunk < chunks; chunk++)
        for (struct holders h = {0}; next_holders(s, chunk, &h);)
            work += h.promise.last - h.promise.first + 1 + h.end - h.first;
    return work;
}

void
native_judge(const struct schedule *s, const struct input *in,
             const struct rank_slots *ours,
             const struct rank_slot *own, struct run_native *native,
             char wrong[RUN_WRONG_MAX])
{
    size_t size = dtype_size(in->type);
    /* Those of a run whose output is the library's. */
    OWN_MEMORY struct rank_slot *slots =
        mem_new((size_t)s->nranks * (size_t)ours->nslots, sizeof *slots);
    struct rank_slots found = {slots, ours->nslots, NULL};
    struct run_result result = {0};

    native->differ = 0;
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region out = schedule_output(s, rank);
        unsigned char *data = own[rank].data;
        for (int slot = out.first; slot < out.first + out.count; slot++) {
            size_t cell = (size_t)(rank * ours->nslots + slot);
            struct rank_slot our = ours->slots[cell];
            slots[cell] = (struct rank_slot){data, our.length};
            for (int64_t i = 0; i < our.length; i++, data += size)
                native->differ +=
                    memcmp(data, our.data + (size_t)i * size, size) != 0;
        }
    }
    verify(s, in, &found, &result);
    native->wrong = result.wrong;
    snprintf(wrong, RUN_WRONG_MAX, "%.32s: %.200s", native->name,
             result.first_wrong);
}
