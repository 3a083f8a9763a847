/* SPDX-License-Identifier: MIT */
/* The reporter, over a machine whose ranks do what the test says: which items
 * come when, and what is counted from them. */
#include "run/reporter.h"
#include "scripted_machine.h"
#include "tap.h"
#include "why.h"

OWN_FREE(reporter)

static const struct run_options options = {
    .input = {DTYPE_INT32, REDOP_SUM, 2, NULL}};

/* Whether this comes next: the Run, an Input, a Transfer, the Verdict, the End;
 * nothing now (L: later), nothing before another grant (C: caught up).  The
 * last one is *item. */
static void
comes(struct reporter *r, const char *expected, struct item *item,
      const char *what)
{
    char got[16] = "";
    struct err err = {.text = ""};

    for (size_t i = 0; i < strlen(expected); i++)
        switch (reporter_next(r, item, &err)) {
        case RUN_ITEM:
            got[i] = "RITVE"[item->type];
            break;
        case RUN_LATER:
            got[i] = 'L';
            break;
        case RUN_CAUGHT_UP:
            got[i] = 'C';
            break;
        case RUN_JUDGES:
            got[i] = 'J';
            break;
        default:
            got[i] = '!';
        }
    is_str(got, expected, "%s%s", what, err.text);
}

/* Makes a reporter and takes the items that come before any step. */
static struct reporter *
begin(const struct schedule *s, const struct run_options *o)
{
    struct err err = {.text = ""};
    struct reporter *r = reporter_new(&machine_scripted, s, o, &err);
    struct item item;

    comes(r, "RIIC", &item, "the run and its inputs; nothing before a grant");
    return r;
}

/* What a run says of itself: which ranks are late, and by how much. */
static void
test_described(void)
{
    static const int64_t delays[] = {0, 7000000, DELAY_FOREVER};
    OWNS(schedule) *s = ring(3);
    struct run_options o = options;
    struct err err = {.text = ""};
    struct item item;
    OWN(buf) late = {0};

    scripted = (struct scripted){.available = 0};
    o.delays = delays;
    OWNS(reporter) *r = reporter_new(&machine_scripted, s, &o, &err);
    comes(r, "R", &item, "the run comes first");
    purpose_add(&item.run->purpose, PURPOSE_DELAYS, &late);
    is_str(buf_text(&late), "1=7 2=inf", "with its delays in ms");
}

static void
test_in_turn(void)
{
    OWNS(schedule) *s = ring(2);
    struct run_options o = options;
    struct item item;
    struct err err;

    for (int in_turn = 0; in_turn < 2; in_turn++) {
        scripted = (struct scripted){.available = 1};
        o.in_turn = in_turn;
        OWNS(reporter) *r = begin(s, &o);
        reporter_grant(r, 1, &err);
        comes(r, in_turn ? "L" : "T", &item,
              in_turn ? "in turn: no event while ranks run"
                      : "otherwise an event as soon as it happens");
        scripted.available = 2;
        scripted.idle = true;
        comes(r, in_turn ? "TTC" : "TLC", &item,
              in_turn ? "both once the step is over, which is reported"
                      : "the other one; ranks ran at the last look");
    }
}

/* An event that comes between the look and the taking of events. */
static void
finish_after_look(void)
{
    if (scripted.taken == scripted.available) {
        scripted.available = 2;
        scripted.idle = false;
    } else {
        scripted.idle = true;
    }
}

static void
test_event_during_look(void)
{
    OWNS(schedule) *s = ring(2);
    struct item item;
    enum run_got got;
    struct err err;
    int events = 0;

    scripted = (struct scripted){.on_look = finish_after_look};
    OWNS(reporter) *r = begin(s, &options);
    reporter_grant(r, 1, &err);
    while ((got = reporter_next(r, &item, &err)) != RUN_CAUGHT_UP &&
           events < 10) {
        events += got == RUN_ITEM;
        scripted.idle |= events == 2;
        if (events == 2)
            scripted.on_look = NULL;
    }
    is_int(events, 2, "an event that comes during a look is not lost");
}

/* The clock of granted steps: from a grant to the end of its last event. */
static void
test_result(void)
{
    OWNS(schedule) *s = ring(2);
    struct item item;
    struct err err;

    scripted = (struct scripted){.at_ns = 1000, .available = 2, .idle = true,
                                 .end_ns = {1500, 1300, 9040, 9100}};
    OWNS(reporter) *r = begin(s, &options);
    reporter_grant(r, 1, &err);
    comes(r, "TTC", &item, "step 1");
    scripted.at_ns = 9000;
    scripted.available = 4;
    reporter_grant(r, 2, &err);
    comes(r, "TT", &item, "step 2");
    comes(r, "J", &item, "the verdict is announced");
    comes(r, "V", &item, "the verdict");
    ok(item.result->correct, "on the payloads: %s",
       why_of(&item.result->first_wrong));
    is_int(item.result->wall_ns, 500 + 100,
           "time counts only while granted steps are unfinished");
    is_int(item.result->bytes_sent[0], 8, "bytes that rank 0 sent");
    is_int(item.result->bytes_sent[1], 8, "and rank 1");
    comes(r, "E", &item, "the end");
    ok(item.complete, "of a complete run");
    comes(r, "C", &item, "nothing follows it");
}

static void
test_native(void)
{
    OWNS(schedule) *s = ring(2);
    struct run_options o = options;
    struct err err = {.text = ""};

    o.native = true;
    ok(reporter_new(&machine_scripted, s, &o, &err) == NULL,
       "a machine without a library has nothing to compare with");
    is_str(err.text, "the scripted backend has nothing to compare with",
           "and that is said");
}

/* A library whose result is wrong. */
static bool
compare_wrong(void *run, struct run_native *native, struct wrong *wrong,
              struct err *err)
{
    (void)run, (void)err;
    *native = (struct run_native){.name = "theirs", .wrong = 3};
    *wrong = (struct wrong){WRONG_VALUE, "theirs", .expected = "1",
                            .found = "2"};
    return true;
}

static void
test_native_wrong(void)
{
    struct machine with_library = machine_scripted;
    OWNS(schedule) *s = ring(2);
    struct run_options o = options;
    struct item item;
    struct err err;

    with_library.compare = compare_wrong;
    o.native = true;
    scripted = (struct scripted){.available = 4, .idle = true};
    OWNS(reporter) *r = reporter_new(&with_library, s, &o, &err);
    reporter_grant(r, 2, &err);
    comes(r, "RIITTTTJV", &item, "the verdict, after all steps");
    ok(item.result->correct && item.result->wrong == 0,
       "a library's wrong result does not make ours wrong");
    ok(!result_right(item.result) && item.result->native.wrong == 3,
       "but not all is right");
    is_str(why_of(&item.result->first_wrong),
           "theirs: rank 0, chunk 0, element 0: expected 1, found 2",
           "and its first wrong element is named");
}

/* Timed runs: the last call is judged out of place, the first one in place,
 * none if nobody asks for it. */
static void
test_timed(void)
{
    struct run_options o = options;

    o.timing = (struct timing){.calls = 7, .warm_up = 3};
    for (int in_place = 0; in_place < 2; in_place++)
        for (int unchecked = 0; unchecked < 2; unchecked++) {
            OWNS(schedule) *s = build(
                "ring-allreduce",
                &(struct coll_options){.nranks = 2, .in_place = in_place});
            struct err err = {.text = ""};
            struct item item;
            bool right = in_place || unchecked;

            scripted = (struct scripted){.idle = true};
            o.timing.unchecked = unchecked;
            OWNS(reporter) *r = reporter_new(&machine_scripted, s, &o, &err);
            comes(r, "RC", &item, "the run, no inputs");
            ok(!reporter_grant(r, 1, &err) && reporter_grant(r, s->nsteps,
                                                             &err),
               "all steps at once");
            comes(r, "JV", &item, "the result may take long, but comes");
            ok(item.result->correct == right, "%s place, %s",
               in_place ? "in" : "out of",
               unchecked ? "unchecked" : "checked");
            is_int(item.result->timed_ns, 7000, "the time of all timed calls");
            ok(scripted.ntimed == 2 && scripted.timed[0] == 3 &&
                   scripted.timed[1] == 7, "3 calls to warm up, then 7");
            is_int(scripted.nfetched, !unchecked, "fetched to be judged");
            comes(r, "E", &item, "the end");
        }
}

int
main(void)
{
    test_described();
    test_in_turn();
    test_event_during_look();
    test_result();
    test_native();
    test_native_wrong();
    test_timed();
    return done_testing();
}
