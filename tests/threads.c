/* SPDX-License-Identifier: MIT */
/* The engine and the threads backend: the right result for every size, type,
 * operator and pace, compared with references of this test; faults are seen;
 * every event is reported. */
#include <stdlib.h>

#include "base/clock.h"
#include "play.h"
#include "random_schedule.h"
#include "run/verify.h"
#include "schedule/check.h"
#include "tap.h"
#include "unwritten.h"

/* The parameters of one run. */
struct want {
    int nranks;
    int64_t count;
    enum dtype type;
    enum redop op;
    bool in_place, watched, lockstep;
    int workers;
    int64_t slice;
    const int64_t *delays;
    const void *given; /* [rank * count + index], or NULL */
};

static void
run_engine(struct engine *e, const struct schedule *s, const struct want *w)
{
    if (w->watched)
        play_engine(e, s, !w->lockstep);
    else
        engine_run(e);
}

/* The verdict on a run. */
static void
judge(const struct schedule *s, const struct want *w,
      struct run_result *result)
{
    struct engine_options o = {
        .run.input = {w->type, w->op, w->count, w->given},
        .run.watched = w->watched,
        .own_threads = w->watched,
        .threads = w->workers,
        .slice = w->slice,
        .run.delays = w->delays};
    struct err err;
    struct engine *e = engine_new(s, &o, &err);
    struct rank_slots found;

    *result = (struct run_result){0};
    if (e == NULL) {
        diag("%s", err.text);
        return;
    }
    run_engine(e, s, w);
    found = engine_slots(e);
    verify(s, &o.run.input, &found, result);
    engine_free(e);
}

static bool
is_right(const struct want *w, char why[512])
{
    struct schedule *s = build("ring-allreduce",
                               &(struct coll_options){.nranks = w->nranks,
                                                      .in_place = w->in_place});
    struct run_result result;

    judge(s, w, &result);
    snprintf(why, 512, "%s", result.first_wrong);
    schedule_free(s);
    return result.correct;
}

static void
test_sizes(void)
{
    static const int ranks[] = {1, 2,  3,  4,  5,  6,  7,  8,  9,
                                10, 11, 12, 13, 14, 15, 16, 17, 64};
    char why[512] = "";

    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        int n = ranks[i], wrong = 0;
        const int64_t counts[] = {0, 1, n - 1, n + 1, 1000};
        for (int c = 0; c < 5; c++)
            for (int kind = 0; kind < 6; kind++) {
                struct want w = {.nranks = n, .count = counts[c],
                                 .in_place = kind % 2,
                                 .watched = kind / 2 > 0,
                                 .lockstep = kind / 2 == 1};
                if (!is_right(&w, why)) {
                    wrong++;
                    diag("%d ranks, %d elements: %s", n, (int)counts[c], why);
                }
            }
        is_int(wrong, 0, "%d ranks, any count, in place or not, plain, "
               "lockstep and free", n);
    }
}

static void
test_types(void)
{
    char why[512] = "";

    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < redop_count((enum dtype)type); op++) {
            int wrong = 0;
            for (int n = 1; n <= 8; n += n < 4 ? 1 : 4)
                for (int kind = 0; kind < 3; kind++) {
                    struct want w = {.nranks = n, .count = 1000,
                                     .type = (enum dtype)type,
                                     .op = (enum redop)op, .in_place = true,
                                     .watched = kind > 0,
                                     .lockstep = kind == 1};
                    if (!is_right(&w, why)) {
                        wrong++;
                        diag("%d ranks: %s", n, why);
                    }
                }
            is_int(wrong, 0, "%s %s", dtype_name((enum dtype)type),
                   redop_name((enum redop)op));
        }
}

/* Cases where 16 bits are too few for a partial result in some order, but not
 * for the result; and where they are too few for the sum of many ranks. */
static void
test_half_limits(void)
{
    static const struct {
        enum redop op;
        int nranks;
        const char *text[6];
    } cases[] = {
        {REDOP_SUM, 3, {"60000", "60000", "-60000"}},
        {REDOP_SUM, 2, {"65504", "16"}},
        {REDOP_SUM, 5, {"17", "65408", "17", "17", "17"}}, /* rounded up */
        {REDOP_AVG, 3, {"60000", "60000", "60000"}},
        {REDOP_AVG, 3, {"6e-8", "0", "0"}},
        {REDOP_PROD, 3, {"300", "300", "0.01"}},
        {REDOP_PROD, 6, {"0.001", "0.001", "0.001", "1000", "1000", "1000"}},
        {REDOP_MIN, 3, {"inf", "65504", "6e-8"}},
        {REDOP_MAX, 2, {"-inf", "-65504"}},
    };
    char why[512] = "";

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t given[6];
        struct want w = {.nranks = cases[i].nranks, .count = 1,
                         .type = DTYPE_FLOAT16, .op = cases[i].op,
                         .given = given};
        for (int r = 0; r < w.nranks; r++)
            dtype_parse(w.type, cases[i].text[r], &given[r]);
        ok(is_right(&w, why), "float16, %s of %s, %s, ...%s",
           redop_name(w.op), cases[i].text[0], cases[i].text[1], why);
    }
    for (int n = 16; n <= 256; n *= 16)
        for (int type = DTYPE_FLOAT16; type <= DTYPE_BFLOAT16; type++)
            for (int op = 0; op < redop_count((enum dtype)type); op++) {
                struct want w = {.nranks = n, .count = 300,
                                 .type = (enum dtype)type,
                                 .op = (enum redop)op};
                ok(is_right(&w, why), "%d ranks, %s %s%s", n,
                   dtype_name(w.type), redop_name(w.op), why);
            }
}

/* Several passes over slices, with both workers, at both paces. */
static void
test_slices(void)
{
    char why[512] = "";

    for (int n = 2; n <= 8; n *= 2)
        for (int watched = 0; watched < 2; watched++) {
            struct want w = {.nranks = n, .count = 100003, .slice = 4096,
                             .watched = watched, .workers = 2};
            ok(is_right(&w, why), "%d ranks, slices of 4 KiB%s", n,
               watched ? ", watched" : "");
            w.op = REDOP_AVG;
            w.in_place = true;
            ok(is_right(&w, why), "the same, average, in place");
        }
}

static void
test_delays(void)
{
    uint32_t seed = 7;
    char why[512] = "";

    for (int round = 0; round < 6; round++) {
        int64_t delays[5];
        struct want w = {.nranks = 5, .count = 23, .watched = true,
                         .lockstep = round % 2, .in_place = round % 3,
                         .delays = delays};
        for (int r = 0; r < 5; r++)
            delays[r] = random_below(&seed, 3) * 300000;
        ok(is_right(&w, why), "random delays, round %d", round);
    }
}

enum { LATE_NS = 100 * 1000 * 1000 };

/* In step 1 of a ring only rank 2, which pulls from rank 1, waits for the late
 * rank 1. In step 2 it waits again. */
static void
check_waiting(const struct event *e)
{
    int64_t before = (e->step - 1) * (int64_t)LATE_NS;

    if (e->dst == 2) {
        is_int(e->waited_for, 1, "step %d: rank 2 waits for rank 1", e->step);
        ok(e->wait_ns > LATE_NS / 2 && e->wait_ns <= e->begin_ns - before,
           "for %d ns", (int)e->wait_ns);
    } else if (e->step == 1) {
        is_int(e->waited_for, -1, "step 1: rank %d waits for nobody", e->dst);
        is_int(e->wait_ns, 0, "not at all");
    }
    if (e->dst > 0)
        ok(e->begin_ns >= before + LATE_NS, "step %d: rank %d begins late",
           e->step, e->dst);
}

static void
test_late_peer(void)
{
    struct schedule *s = ring(3);
    const int64_t delays[] = {0, LATE_NS, 0};
    struct engine_options o = {.run.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                               .run.watched = true, .own_threads = true,
                               .run.delays = delays};
    struct err err;
    struct engine *e = engine_new(s, &o, &err);
    struct event event;
    int seen = 0;

    engine_grant(e, 2);
    for (; seen < 6; sched_yield())
        if (engine_next_event(e, &event)) {
            seen++;
            check_waiting(&event);
        }
    engine_free(e);
    schedule_free(s);
}

/* A peer that is late forever is later than the rank itself. */
static void
test_late_forever(void)
{
    struct schedule *s = ring(3);
    const int64_t delays[] = {0, DELAY_FOREVER, 1};
    struct engine_options o = {.run.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                               .run.watched = true, .own_threads = true,
                               .run.delays = delays};
    struct err err;
    struct engine *e = engine_new(s, &o, &err);
    struct event event;
    int64_t begin = clock_ns();
    int others = 0;

    engine_grant(e, 1);
    for (; clock_ns() - begin < LATE_NS / 2; sched_yield())
        while (engine_next_event(e, &event))
            others += event.dst != 0;
    is_int(others, 0, "neither that rank nor the one that pulls from it moves");
    ok(!engine_idle(e), "the step is not over");
    engine_free(e);
    schedule_free(s);
}

/* The engine compared with the plain meaning of schedules that are no
 * collective. */
static void
test_random(void)
{
    int wrong = 0;

    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct state want;
        struct schedule *s = random_schedule(seed, &want);
        int64_t *given = mem_new((size_t)s->nranks * (size_t)s->nchunks,
                                 sizeof *given);
        struct engine_options o = {.run.watched = seed % 2,
                                   .own_threads = seed % 2};
        struct err err;
        struct engine *e;
        struct rank_slots end;
        struct want w = {.watched = seed % 2, .lockstep = seed % 4 == 1};

        for (int r = 0; r < s->nranks; r++)
            for (int c = 0; c < s->nchunks; c++)
                given[r * s->nchunks + c] = (r + 1) * 1000003 + c;
        o.run.input = (struct input){DTYPE_INT64, REDOP_SUM, s->nchunks,
                                     (unsigned char *)given, 0};
        e = engine_new(s, &o, &err);
        run_engine(e, s, &w);
        end = engine_slots(e);
        for (int r = 0; r < s->nranks; r++)
            for (int k = 0; k < s->nslots; k++) {
                uint64_t found;
                memcpy(&found, end.slots[r * end.nslots + k].data,
                       sizeof found);
                wrong += want.defined[r * s->nslots + k] &&
                         found != want.value[r * s->nslots + k];
            }
        engine_free(e);
        schedule_free(s);
        state_free(&want);
        free(given);
    }
    is_int(wrong, 0, "300 random schedules: every slot as it should be");
}

static void
test_many(void)
{
    struct want w = {.nranks = 1000, .count = 256, .in_place = true};
    char why[512] = "";

    ok(is_right(&w, why), "1000 ranks, 1 KiB, plain");
    w.watched = true;
    ok(is_right(&w, why), "1000 ranks, 1 KiB, watched");
}

static void
test_backend(void)
{
    struct schedule *s =
        build("ring-allreduce", &(struct coll_options){.nranks = 5});
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 12, NULL}};
    struct err err = {""};
    struct reported reported;

    for (int free_pace = 0; free_pace < 2; free_pace++)
        for (int op = 0; op < 2; op++) {
            const char *name = free_pace ? "free" : "lockstep";
            o.free = free_pace;
            o.input.op = op ? REDOP_AVG : REDOP_SUM;
            ok(run_on(&backend_threads, s, &o, &reported, &err), "%s: %s", name,
               err.text);
            is_int(reported.counts[ITEM_RUN], 1, "%s: one run", name);
            is_int(reported.counts[ITEM_INPUT], 5, "%s: every input", name);
            is_int(reported.counts[ITEM_TRANSFER],
                   (int)s->ntransfers + (op ? 5 : 0),
                   "%s: every transfer, and division", name);
            ok(reported.correct, "%s: a correct result", name);
            is_int(reported.wrong_outputs, 0,
                   "%s: events report what was promised", name);
            is_int(reported.bytes_sent[0], 4 * (2 + 2 + 2 + 3 + 3 + 2 + 2 + 2),
                   "%s: bytes sent", name);
            reported_done(&reported);
        }
    schedule_free(s);
}

/* Ranks may finish at any moment while we look for their events. */
static void
test_all_told(void)
{
    struct schedule *s = ring(4);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 8, NULL},
                            .free = true};
    int lost = 0;

    for (int i = 0; i < 500; i++) {
        struct reported reported;
        struct err err;
        run_on(&backend_threads, s, &o, &reported, &err);
        lost += reported.counts[ITEM_TRANSFER] != (int)s->ntransfers;
        reported_done(&reported);
    }
    is_int(lost, 0, "500 free runs: no event is lost");
    schedule_free(s);
}

static void
test_faults(void)
{
    static const struct {
        enum instr_fault fault;
        enum redop op;
        int step;
        const char *found; /* in the reason */
    } cases[] = {
        {FAULT_DROP, REDOP_SUM, 1, "expected"},
        {FAULT_DROP, REDOP_SUM, 4, "expected"},
        {FAULT_REPEAT, REDOP_SUM, 1, "expected"},
        {FAULT_REPEAT, REDOP_MAX, 1, "2*"}, /* seen by the ledger alone */
        {FAULT_CORRUPT, REDOP_SUM, 1, "expected"},
        {FAULT_CORRUPT, REDOP_PROD, 2, "expected"},
        {FAULT_CORRUPT, REDOP_MIN, 1, "expected"},
        {FAULT_CORRUPT, REDOP_MAX, 3, "expected"},
    };
    struct schedule *s = ring(3);

    for (int type = 0; type < DTYPES; type++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            struct run_options o = {
                .input = {(enum dtype)type, cases[i].op, 6, NULL},
                .fault = {cases[i].fault, cases[i].step, 2}};
            struct reported reported;
            struct err err;
            run_on(&backend_threads, s, &o, &reported, &err);
            ok(!reported.correct &&
                   strstr(reported.why, cases[i].found) != NULL,
               "%s %s: fault %d in step %d is seen",
               dtype_name((enum dtype)type), redop_name(cases[i].op),
               cases[i].fault, cases[i].step);
            reported_done(&reported);
        }
    schedule_free(s);
}

/* A sum that includes memory that nobody wrote is wrong, with every type and
 * operator, and both values and ledger show it. */
static void
test_unwritten(void)
{
    for (int way = 0; way < UNWRITTEN_WAYS; way++)
        for (int n = 2; n <= 65; n += 63) {
            struct schedule *s = unwritten_schedule(way, n);
            int hidden = 0;
            struct err err;

            ok(!schedule_check(s, 100, NULL, &err), "%s: %s",
               unwritten_ways[way].name, err.text);
            for (int kind = 0; kind < DTYPES * REDOPS * 2; kind++) {
                struct run_result result;
                struct want w = {.nranks = n, .count = 100, .watched = true,
                                 .type = (enum dtype)(kind / 2 % DTYPES),
                                 .op = (enum redop)(kind / 2 / DTYPES),
                                 .lockstep = kind % 2};
                if ((int)w.op >= redop_count(w.type))
                    continue;
                judge(s, &w, &result);
                if (!result.correct && result.wrong > 0)
                    continue;
                hidden++;
                diag("%s %s: %s, %d wrong", dtype_name(w.type),
                     redop_name(w.op), result.correct ? "correct" : "wrong",
                     (int)result.wrong);
            }
            is_int(hidden, 0, "%d ranks, %s: wrong with every type and "
                   "operator", n, unwritten_ways[way].name);
            schedule_free(s);
        }
}

/* Zero times anything is zero: only the ledger shows it. */
static void
test_unwritten_by_ledger(void)
{
    static const int64_t zeros[65];

    for (int way = 0; way < UNWRITTEN_WAYS; way++)
        for (int n = 2; n <= 65; n += 63) {
            struct schedule *s = unwritten_schedule(way, n);
            struct want w = {.nranks = n, .count = 1, .type = DTYPE_INT64,
                             .op = REDOP_PROD, .watched = true,
                             .given = zeros};
            struct run_result result;
            judge(s, &w, &result);
            ok(!result.correct && result.wrong == 0 &&
                   strstr(result.first_wrong,
                          n > LEDGER_RANKS ? "65/65" : "A?+B?") != NULL,
               "%d ranks, zeros, %s: %s", n, unwritten_ways[way].name,
               result.first_wrong);
            schedule_free(s);
        }
}

int
main(void)
{
    test_sizes();
    test_types();
    test_half_limits();
    test_slices();
    test_delays();
    test_late_peer();
    test_late_forever();
    test_random();
    test_many();
    test_backend();
    test_all_told();
    test_faults();
    test_unwritten();
    test_unwritten_by_ledger();
    return done_testing();
}
