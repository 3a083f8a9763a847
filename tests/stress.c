/* SPDX-License-Identifier: MIT */
/* The engine under stress: random schedules and algorithms, types, operators,
 * sizes, slices, threads, paces and delays, on every path that a run can take
 * (one thread alone, counters, slices, with and without the ledger), in place
 * and not.  Random schedules are compared with an interpreter that works step
 * by step and element by element, algorithms with the verdict, whose reference
 * knows no steps.
 *
 *     STRESS_ROUNDS=100000 tests/stress      so many rounds
 *     STRESS_SEED=77 STRESS_ROUNDS=1 ...     the round that failed */
#include <math.h>
#include <stdlib.h>

#include "play.h"
#include "random_schedule.h"
#include "tap.h"
#include "why.h"

enum {
    ROUNDS = 400,
    ELEMENTS = 40000, /* of all slots of a run, about */
    DELAY_NS = 20000,
};

/* How a round is run. */
struct way {
    struct engine_options o;
    int64_t delays[32];
    int times; /* from the input each */
    int grant; /* steps at a time; 0: with engine_run() */
    char text[160];
};

/* Elements of the shortest chunk: whatever its room, a slot has as many. */
static int64_t
shortest(const struct schedule *s, int64_t count)
{
    return schedule_chunk_length(s, count, s->nchunks - 1);
}

static void
choose_input(struct input *in, const struct schedule *s, bool averages,
             uint32_t *seed)
{
    int most = ELEMENTS / (s->nranks * s->nslots);
    int longest = random_below(seed, 3) == 0 ? most : most < 40 ? most : 40;

    in->type = (enum dtype)random_below(seed, DTYPES);
    in->op = (enum redop)random_below(seed, redop_count(in->type));
    if (in->op == REDOP_AVG && !averages)
        in->op = REDOP_SUM;
    in->count = (int64_t)s->nchunks * random_below(seed, longest + 1) +
                random_below(seed, s->nchunks);
}

static void
choose_way(struct way *w, const struct schedule *s, uint32_t *seed)
{
    struct engine_options *o = &w->o;
    int64_t length = shortest(s, o->run.input.count) + 1;
    int64_t element = (int64_t)dtype_size(o->run.input.type);

    o->run.watched = random_below(seed, 2);
    o->own_threads = o->run.watched && random_below(seed, 2);
    o->threads = random_below(seed, 5);
    if (random_below(seed, 2))
        o->slice = element * (1 + random_below(seed, (int)length));
    w->times = 1 + random_below(seed, 3);
    w->grant = o->own_threads ? 1 + random_below(seed, 3) : 0;
    if (w->grant > 2)
        w->grant = s->nsteps + 1;
    for (int r = 0; r < s->nranks && r < 32; r++)
        w->delays[r] = random_below(seed, 3) ? 0 : random_below(seed, DELAY_NS);
    if (o->run.watched && s->nranks <= 32 && random_below(seed, 3) == 0) {
        o->run.delays = w->delays;
        if (o->slice > 0) /* each slice is delayed in each step */
            o->slice = element * (1 + length / (1 + random_below(seed, 20)));
    }
    snprintf(w->text, sizeof w->text, "%d ranks, %lld %s %s%s, %d threads, "
             "slice %lld, %s, grant %d%s, %d times", s->nranks,
             (long long)o->run.input.count, dtype_name(o->run.input.type),
             redop_name(o->run.input.op), s->in_place ? ", in place" : "",
             o->threads, (long long)o->slice,
             o->run.watched ? "watched" : "plain", w->grant,
             o->run.delays != NULL ? ", delays" : "", w->times);
}

static void
run_once(struct engine *e, const struct schedule *s, const struct way *w)
{
    struct event event;
    int granted = 0;

    if (w->grant == 0)
        engine_run(e);
    while (w->grant > 0 && granted < s->nsteps) {
        granted = granted + w->grant < s->nsteps ? granted + w->grant
                                                 : s->nsteps;
        engine_grant(e, granted, &(int64_t){0}, NULL);
        while (!engine_idle(e) || engine_next_event(e, &event))
            continue;
    }
}

/* An engine that has run; ends the program if there is none. */
static struct engine *
run_way(const struct schedule *s, const struct way *w)
{
    struct err err;
    struct engine *e = engine_new(s, &w->o, &err);

    if (e == NULL)
        die("%s", err.text);
    for (int i = 0; i < w->times; i++) {
        if (i > 0)
            engine_reset(e);
        run_once(e, s, w);
    }
    return e;
}

/* The values of all slots: element i of slot k of rank r is at
 * ((r * nslots + k) * length + i) elements. */
struct values {
    const struct schedule *s;
    const struct input *in;
    int64_t length;
    size_t element;
    unsigned char *data;
    bool *defined; /* [r * nslots + k] */
};

/* x op y; sums and products modulo 2^64. */
static int64_t
combine_whole(enum redop op, int64_t x, int64_t y)
{
    switch (op) {
    case REDOP_MIN:
        return x < y ? x : y;
    case REDOP_MAX:
        return x > y ? x : y;
    case REDOP_PROD:
        return (int64_t)((uint64_t)x * (uint64_t)y);
    case REDOP_LAND:
        return x == 0 || y == 0 ? 0 : 1;
    case REDOP_LOR:
        return x == 0 && y == 0 ? 0 : 1;
    case REDOP_BAND:
        return ~(~x | ~y);
    case REDOP_BOR:
        return ~(~x & ~y);
    case REDOP_BXOR:
        return (x | y) & ~(x & y);
    default:
        return (int64_t)((uint64_t)x + (uint64_t)y);
    }
}

static double
combine_real(enum redop op, double x, double y)
{
    switch (op) {
    case REDOP_MIN:
        return x < y ? x : y;
    case REDOP_MAX:
        return x > y ? x : y;
    case REDOP_PROD:
        return x * y;
    default:
        return x + y;
    }
}

/* to = add op from, of one element. The narrow types are added as float. */
static void
combine(const struct input *in, void *to, const void *add, const void *from)
{
    double x;

    if (!dtype_is_float(in->type)) {
        dtype_set_whole(in->type,
                        combine_whole(in->op, dtype_whole(in->type, add),
                                      dtype_whole(in->type, from)), to);
        return;
    }
    x = combine_real(in->op, dtype_real(in->type, add),
                     dtype_real(in->type, from));
    dtype_set_real(in->type, in->type == DTYPE_FLOAT64 ? x : (float)x, to);
}

static unsigned char *
value_at(const struct values *v, unsigned char *data, int rank, int slot)
{
    return data + (size_t)(rank * v->s->nslots + slot) * (size_t)v->length *
                      v->element;
}

static void
values_init(struct values *v, const struct schedule *s,
            const struct input *in)
{
    size_t cells = (size_t)s->nranks * (size_t)s->nslots;

    *v = (struct values){.s = s, .in = in,
                         .length = shortest(s, in->count),
                         .element = dtype_size(in->type)};
    v->data = mem_new(cells * (size_t)v->length, v->element);
    v->defined = mem_new(cells, sizeof *v->defined);
    for (int r = 0; r < s->nranks; r++) {
        struct region region = schedule_input(s, r);
        for (int c = 0; c < region.count; c++) {
            int slot = region.first + c;
            v->defined[r * s->nslots + slot] = true;
            for (int64_t i = 0; i < v->length; i++)
                input_elements(in, r,
                               schedule_chunk_start(s, in->count, c) + i, 1,
                               value_at(v, v->data, r, slot) +
                                   (size_t)i * v->element);
        }
    }
}

/* A slot of a transfer; `old` are the values before the step. */
static void
move_slot(struct values *v, unsigned char *old, const struct transfer *t,
          int k, bool again)
{
    unsigned char *to = value_at(v, v->data, t->dst, t->dst_slot + k);
    const unsigned char *from = value_at(v, old, t->src, t->src_slot + k);
    const unsigned char *add =
        again ? to : value_at(v, old, t->dst, t->add_slot + k);

    v->defined[t->dst * v->s->nslots + t->dst_slot + k] = true;
    for (int64_t i = 0; i < v->length; i++) {
        size_t at = (size_t)i * v->element;
        if (t->op == TRANSFER_COPY)
            memcpy(to + at, from + at, v->element);
        else
            combine(v->in, to + at, add + at, from + at);
    }
}

static void
values_step(struct values *v, int step)
{
    size_t cells = (size_t)v->s->nranks * (size_t)v->s->nslots, count;
    size_t bytes = cells * (size_t)v->length * v->element;
    const struct transfer *t = schedule_transfers(v->s, step, &count);
    unsigned char *old = mem_new(bytes, 1);
    bool *written = mem_new(cells, sizeof *written);

    memcpy(old, v->data, bytes);
    for (; count-- > 0; t++)
        for (int k = 0; k < t->nslots; k++) {
            bool *again =
                &written[t->dst * v->s->nslots + t->dst_slot + k];
            move_slot(v, old, t, k, *again);
            *again = true;
        }
    free(old);
    free(written);
}

static bool
equal(enum dtype type, const void *a, const void *b)
{
    double x, y;

    if (!dtype_is_float(type))
        return dtype_whole(type, a) == dtype_whole(type, b);
    x = dtype_real(type, a);
    y = dtype_real(type, b);
    return x == y || (isnan(x) && isnan(y));
}

/* The number of elements that differ from the engine's. */
static int64_t
values_differ(const struct values *v, const struct engine *e)
{
    struct rank_slots found = engine_slots(e);
    int64_t differ = 0;

    for (int r = 0; r < v->s->nranks; r++)
        for (int k = 0; k < v->s->nslots; k++)
            for (int64_t i = 0; i < v->length &&
                                v->defined[r * v->s->nslots + k]; i++)
                differ += !equal(v->in->type,
                                 found.slots[r * found.nslots + k].data +
                                     (size_t)i * v->element,
                                 value_at(v, v->data, r, k) +
                                     (size_t)i * v->element);
    return differ;
}

static bool
random_is_right(uint32_t seed)
{
    OWNS(schedule) *s = random_schedule(seed);
    struct way w = {.times = 0};
    struct values v;
    struct engine *e;
    int64_t differ;

    choose_input(&w.o.run.input, s, false, &seed); /* avg: algorithms */
    choose_way(&w, s, &seed);
    values_init(&v, s, &w.o.run.input);
    for (int step = 1; step <= s->nsteps; step++)
        values_step(&v, step);
    e = run_way(s, &w);
    differ = values_differ(&v, e);
    if (differ > 0)
        diag("%s: %lld elements differ", w.text, (long long)differ);
    engine_free(e);
    free(v.data);
    free(v.defined);
    return differ == 0;
}

static bool
algorithm_is_right(uint32_t seed)
{
    int algorithms = 0;
    while (coll_at(algorithms) != NULL && coll_at(algorithms)->script == NULL)
        algorithms++;
    const struct algorithm *a = coll_at(random_below(&seed, algorithms));
    struct coll_options c = {.nranks = 1 + random_below(&seed, 9),
                             .in_place = random_below(&seed, 2)};
    struct run_result result;
    struct way w = {.times = 0};
    OWNS(schedule) *s = NULL;
    OWNS(engine) *e = NULL;
    struct err err;

    if (collective_rooted(collective_find(a->collective)))
        c.root = random_below(&seed, c.nranks);
    if ((s = coll_build(a, &c, &err)) == NULL)
        return true; /* not for this number of ranks */
    choose_input(&w.o.run.input, s, true, &seed);
    choose_way(&w, s, &seed);
    e = run_way(s, &w);
    result = engine_verdict(e, s, &w.o.run.input);
    if (!result.correct)
        diag("%s-%s, %s: %s", a->name, a->collective, w.text,
             why_of(&result.first_wrong));
    return result.correct;
}

static long
number(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? atol(text) : otherwise;
}

int
main(void)
{
    long rounds = number("STRESS_ROUNDS", ROUNDS);
    long first = number("STRESS_SEED", 1), wrong = 0;

    for (long i = first; i < first + rounds; i++) {
        bool right = i % 3 ? random_is_right((uint32_t)i)
                           : algorithm_is_right((uint32_t)i);
        wrong += !right;
        if (!right)
            diag("STRESS_SEED=%ld STRESS_ROUNDS=1 tests/stress", i);
    }
    is_int(wrong, 0, "%ld runs at random are right", rounds);
    return done_testing();
}
