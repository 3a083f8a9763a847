/* SPDX-License-Identifier: MIT */
#include "run/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/reference.h"
#include "schedule/sums.h"

/* A finished run, to be judged. */
struct outputs {
    const struct schedule *s;
    const struct input *in;
    const struct rank_slots *found;
    int apart; /* a rank that follows another schedule; -1: none */
    bool its;  /* judge that rank alone; else all others */
    bool library; /* another schedule may have made them */
    uint64_t **orders; /* sums_orders() of `s`, from when they are needed */
    struct run_result *result;
};

static bool
is_judged(const struct outputs *o, int rank)
{
    return o->apart < 0 || (rank == o->apart) == o->its;
}

static void
report_difference(const struct outputs *o, const struct reference *ref,
                  const void *element, int rank, int chunk, int64_t index)
{
    struct run_result *result = o->result;
    enum dtype type = o->in->type;
    struct wrong *first = &result->first_wrong;
    unsigned char right[DTYPE_SIZE_MAX];

    if (result->wrong++ > 0)
        return;
    if (dtype_is_float(type))
        dtype_set_real(type, (double)ref->real, right);
    else
        dtype_set_whole(type, (int64_t)ref->whole, right);
    *first = (struct wrong){.kind = WRONG_VALUE, .rank = rank, .chunk = chunk,
                            .element = index};
    dtype_format(type, right, first->expected);
    dtype_format(type, element, first->found);
}

/* Reports two ranks that have made the same additions and hold different
 * values. */
static void
report_disagreement(const struct outputs *o, const void *element, int rank,
                    const void *others, int other, int chunk, int64_t index)
{
    struct wrong *first = &o->result->first_wrong;

    if (o->result->wrong++ > 0)
        return;
    *first = (struct wrong){.kind = WRONG_UNLIKE, .rank = rank, .chunk = chunk,
                            .element = index, .peer = other};
    dtype_format(o->in->type, element, first->found);
    dtype_format(o->in->type, others, first->expected);
}

/* The index of an output chunk in slots and rows. */
static size_t
output_cell(const struct outputs *o, int rank, int chunk)
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
        if (p.first != h->promise.first || p.last != h->promise.last ||
            p.chunk != h->promise.chunk)
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
        *ref = reference_of(in, all->first, all->last, index);
    ref->round = all->round;
    return ref;
}

static void
set_ranks(struct references *all, struct promise p)
{
    if (all->round == 0 || all->first != p.first || all->last != p.last)
        all->round++;
    all->first = p.first;
    all->last = p.last;
}

/* The elements of an output chunk, of all ranks that hold it. */
struct held_chunk {
    const struct outputs *o;
    int chunk;
    const struct holders *h;
    int64_t start, length;
    unsigned char *notes; /* by element: enum note; NULL: none yet */
};

enum note { NOTE_UNEQUAL = 1, NOTE_OVERFLOWED = 2 };

static const unsigned char *
data_of(const struct held_chunk *c, int rank)
{
    return c->o->found->slots[output_cell(c->o, rank, c->chunk)].data;
}

/* Counts each element once. */
static void
note_element(struct held_chunk *c, int64_t i, enum note note, int64_t *count)
{
    if (c->notes == NULL)
        c->notes = mem_new((size_t)c->length, 1);
    *count += (c->notes[i] & note) == 0;
    c->notes[i] |= (unsigned char)note;
}

static size_t
order_cell(const struct schedule *s, int rank, int chunk)
{
    return schedule_cell(s, rank, schedule_output(s, rank).first + chunk);
}

/* The first rank that holds this chunk and has made the same additions as this
 * one, perhaps itself. */
static int
first_alike(const struct held_chunk *c, int rank)
{
    const struct outputs *o = c->o;
    int like = c->h->first;
    uint64_t order;

    if (*o->orders == NULL)
        *o->orders = sums_orders(o->s);
    order = (*o->orders)[order_cell(o->s, rank, c->chunk)];
    while ((*o->orders)[order_cell(o->s, like, c->chunk)] != order)
        like++;
    return like;
}

/* Whether ranks are compared with each other: they follow one schedule, and
 * there is more than one right result. */
static bool
is_compared(const struct outputs *o)
{
    return o->apart < 0 && !o->library && dtype_is_float(o->in->type) &&
           o->in->op != REDOP_MIN && o->in->op != REDOP_MAX;
}

/* Compares a right element with those of the first rank and of the first rank
 * that adds alike, if these are right. */
static void
compare_ranks(struct held_chunk *c, const struct reference *ref, int rank,
              int alike, int64_t i)
{
    const struct outputs *o = c->o;
    enum dtype type = o->in->type;
    size_t at = (size_t)i * dtype_size(type);
    const unsigned char *mine = data_of(c, rank) + at;
    const unsigned char *like = data_of(c, alike) + at;
    const unsigned char *first = data_of(c, c->h->first) + at;

    if (!reference_same(type, mine, like) &&
        reference_holds(ref, type, like))
        report_disagreement(o, mine, rank, like, alike, c->chunk, i);
    else if (!reference_same(type, mine, first) &&
             reference_holds(ref, type, first))
        note_element(c, i, NOTE_UNEQUAL, &o->result->unequal);
}

/* `whole`: nothing is wrong with the ranks before, so elements like theirs are
 * right. */
static void
verify_rank(struct held_chunk *c, int rank, bool whole, struct references *all)
{
    const struct outputs *o = c->o;
    bool compared = is_compared(o) && rank > c->h->first;
    int alike = compared ? first_alike(c, rank) : rank;
    size_t size = dtype_size(o->in->type);
    const unsigned char *mine = data_of(c, rank), *like = data_of(c, alike);
    const unsigned char *first = data_of(c, c->h->first);

    for (int64_t i = 0; i < c->length; i++) {
        size_t at = (size_t)i * size;
        const struct reference *ref;
        if (compared && whole && memcmp(mine + at, first + at, size) == 0 &&
            memcmp(mine + at, like + at, size) == 0)
            continue;
        ref = look_up(all, o->in, c->start + i);
        if (o->library ? !reference_allows(ref, o->in, mine + at)
                       : !reference_holds(ref, o->in->type, mine + at)) {
            report_difference(o, ref, mine + at, rank, c->chunk, i);
            continue;
        }
        if (ref->is_finite && !isfinite(dtype_real(o->in->type, mine + at)))
            note_element(c, i, NOTE_OVERFLOWED, &o->result->overflowed);
        if (compared)
            compare_ranks(c, ref, rank, alike, i);
    }
}

static int
promised_id(const struct schedule *s, const struct holders *h)
{
    return schedule_id(s, h->promise.first, h->promise.chunk);
}

/* Ranks that hold the bits of a right one are right.  If ranks are compared,
 * all are looked at from the first that differs on. */
static void
verify_values(const struct outputs *o, int chunk, const struct holders *h,
              struct references *all)
{
    int id = promised_id(o->s, h);
    struct held_chunk c = {
        .o = o, .chunk = chunk, .h = h,
        .start = schedule_chunk_start(o->s, o->in->count, id),
        .length = schedule_chunk_length(o->s, o->in->count, id)};
    size_t bytes = (size_t)c.length * dtype_size(o->in->type);
    int64_t wrong = o->result->wrong;
    const unsigned char *right = NULL; /* of a rank that has been judged */
    bool differ = false;

    set_ranks(all, h->promise);
    for (int rank = h->first; c.length > 0 && rank < h->end; rank++) {
        int64_t before = o->result->wrong;
        bool same;
        if (!is_judged(o, rank)) /* its slots may be shorter */
            continue;
        same = right != NULL && memcmp(data_of(&c, rank), right, bytes) == 0;
        differ = differ || (right != NULL && !same && is_compared(o));
        if (same && !differ)
            continue;
        verify_rank(&c, rank, before == wrong, all);
        if (o->result->wrong == before)
            right = data_of(&c, rank);
    }
    free(c.notes);
}

/* Reports the first row of a chunk with elements that is not as promised.
 * Returns false if there is one. */
static bool
verify_rows(const struct outputs *o, int chunk, const struct holders *h)
{
    size_t words = (size_t)ledger_words(o->s->nranks);
    struct wrong *first = &o->result->first_wrong;
    uint64_t expected[LEDGER_WORDS_MAX];

    ledger_promise(expected, o->s->nranks, h->promise);
    for (int rank = h->first; rank < h->end; rank++) {
        const uint64_t *row =
            o->found->ledger + output_cell(o, rank, chunk) * words;
        OWN(buf) text = {0};
        if (!is_judged(o, rank) ||
            schedule_chunk_length(o->s, o->in->count,
                                  promised_id(o->s, h)) == 0 ||
            memcmp(row, expected, words * sizeof *row) == 0)
            continue;
        ledger_text(&text, row, o->s->nranks, schedule_members(o->s));
        if (first->kind == WRONG_NOTHING) {
            *first = (struct wrong){.kind = WRONG_SUM, .rank = rank,
                                    .chunk = chunk};
            snprintf(first->said, sizeof first->said, "%s", buf_text(&text));
        }
        return o->result->correct = false;
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
clear_result(struct run_result *result)
{
    result->wrong = result->unequal = result->overflowed = 0;
    result->first_wrong = (struct wrong){.kind = WRONG_NOTHING};
    result->correct = true;
}

/* `library`: the outputs are those of its own collective. */
static void
judge_outputs(const struct schedule *s, const struct input *in,
              const struct rank_slots *found, bool library,
              struct run_result *result)
{
    OWN_MEMORY uint64_t *orders = NULL;
    struct outputs outputs = {.s = s, .in = in, .found = found, .apart = -1,
                              .library = library, .orders = &orders,
                              .result = result};

    clear_result(result);
    verify_outputs(&outputs);
}

void
verify(const struct schedule *s, const struct input *in,
       const struct rank_slots *found, struct run_result *result)
{
    judge_outputs(s, in, found, false, result);
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
    clear_result(result);
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

/* Compares what a library has left of an output chunk of a rank with ours. */
static void
compare_native(const struct schedule *s, const struct input *in, int rank,
               int chunk, const unsigned char *own, struct rank_slot ours,
               struct references *all, struct run_native *native)
{
    struct promise p = schedule_promise(s, rank, chunk);
    int id = schedule_id(s, p.first, p.chunk);
    int64_t start = schedule_chunk_start(s, in->count, id);
    int64_t length = schedule_chunk_length(s, in->count, id);
    size_t size = dtype_size(in->type);

    set_ranks(all, p);
    for (int64_t i = 0; i < length; i++) {
        const void *its = own + (size_t)i * size;
        const void *our = ours.data + (size_t)i * size;
        if (reference_same(in->type, its, our))
            continue;
        native->differ++;
        if (reference_joins(look_up(all, in, start + i), in->type, its, our) ||
            native->apart.elements++ > 0)
            continue;
        native->apart.rank = rank;
        native->apart.chunk = chunk;
        native->apart.element = i;
        dtype_format(in->type, its, native->apart.own);
        dtype_format(in->type, our, native->apart.ours);
    }
}

void
native_judge(const struct schedule *s, const struct input *in,
             const struct rank_slots *ours,
             const struct rank_slot *own, struct run_native *native,
             struct wrong *wrong)
{
    /* Those of a run whose output is the library's. */
    OWN_MEMORY struct rank_slot *slots =
        mem_new((size_t)s->nranks * (size_t)ours->nslots, sizeof *slots);
    struct rank_slots found = {slots, ours->nslots, NULL};
    struct references all = {.round = 0};
    struct run_result result = {0};

    native->differ = native->apart.elements = 0;
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region out = schedule_output(s, rank);
        unsigned char *data = own[rank].data;
        for (int k = 0; k < out.count; k++) {
            size_t cell = (size_t)(rank * ours->nslots + out.first + k);
            struct rank_slot our = ours->slots[cell];
            slots[cell] = (struct rank_slot){data, our.length};
            compare_native(s, in, rank, k, data, our, &all, native);
            data += (size_t)our.length * dtype_size(in->type);
        }
    }
    judge_outputs(s, in, &found, true, &result);
    native->wrong = result.wrong;
    *wrong = result.first_wrong;
    snprintf(wrong->library, sizeof wrong->library, "%.*s",
             WRONG_LIBRARY_MAX - 1, native->name);
}
