/* SPDX-License-Identifier: MIT */
/* What an engine does besides the result (tests/threads.c, stress.c): it wakes
 * its reader, and shares out its work; and the order in which events are
 * read. */
#include "run/engine.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/waiter.h"
#include "play.h"
#include "run/prepare.h"
#include "patience.h"
#include "tap.h"

enum { MS = 1000000, LATE_NS = 200 * MS, AWHILE_MS = 100 };

static const struct input input = {DTYPE_INT32, REDOP_SUM, 6, NULL, 0};

/* Takes items until there is nothing for now. */
static enum run_got
drain(struct run *run, int *transfers)
{
    struct item item;
    struct err err;
    enum run_got got;

    while ((got = run_next(run, &item, &err)) == RUN_ITEM)
        *transfers += item.type == ITEM_TRANSFER;
    return got;
}

static bool
is_woken(struct run *run, int ms)
{
    struct pollfd fd = {.fd = run_fd(run), .events = POLLIN};

    return poll(&fd, 1, ms) == 1;
}

/* Rank 0 never moves, so the step is never over; rank 2 pulls from rank 1 after
 * a while, and that has to reach a reader who waits. */
static void
test_wakes(void)
{
    OWNS(schedule) *s = ring(3);
    const int64_t delays[] = {DELAY_FOREVER, 0, LATE_NS};
    struct run_options o = {.input = input, .delays = delays};
    struct err err;
    struct run *run = run_open(&backend_threads, s, &o, &err);
    enum run_got got;
    int transfers = 0;

    is_int(drain(run, &transfers), RUN_CAUGHT_UP, "the input is there");
    run_grant(run, 1, &err);
    got = drain(run, &transfers);
    is_int(got, RUN_LATER, "no event yet");
    is_int(transfers, 0, "at all");
    while (transfers == 0 && got == RUN_LATER && is_woken(run, HUNG_MS))
        got = drain(run, &transfers);
    is_int(transfers, 1, "a reader who waits gets the event");
    is_int(got, RUN_LATER, "but the step is not over");
    run_close(run);
}

/* Reads all that is there, as the screen does: whenever there may be more. */
static bool
sleeps(struct run *run)
{
    int transfers = 0;

    for (int i = 0; i < 3; i++) {
        if (drain(run, &transfers) != RUN_CAUGHT_UP)
            return false;
        if (!is_woken(run, AWHILE_MS))
            return true;
    }
    return false;
}

/* Between steps nobody is woken: the screen would use a whole core. */
static void
test_sleeps(void)
{
    OWNS(schedule) *s = ring(3);
    struct run_options o = {.input = input};
    struct err err;
    struct run *run = run_open(&backend_threads, s, &o, &err);
    int transfers = 0;

    ok(sleeps(run), "a reader sleeps once it has the input");
    run_grant(run, 1, &err);
    while (drain(run, &transfers) == RUN_LATER)
        is_woken(run, HUNG_MS);
    is_int(transfers, 3, "it gets a step");
    ok(sleeps(run), "and sleeps again");
    run_close(run);
}

/* Whether the workers' first ranks are these. */
static void
splits(const int64_t *work, int nranks, int nworkers, const int *expected,
       const char *what)
{
    int first[8];

    split_work(work, nranks, nworkers, first);
    ok(memcmp(first, expected, (size_t)(nworkers + 1) * sizeof *first) == 0,
       "%s", what);
}

static void
test_split(void)
{
    splits((int64_t[]){5, 5, 5, 5}, 4, 2, (int[]){0, 2, 4}, "equal work");
    splits((int64_t[]){5, 5, 5}, 3, 2, (int[]){0, 1, 3}, "an odd number");
    splits((int64_t[]){0, 9, 9}, 3, 2, (int[]){0, 2, 3},
           "a root that only sends");
    splits((int64_t[]){0, 9}, 2, 2, (int[]){0, 1, 2}, "a worker for each");
    splits((int64_t[]){9, 0, 0, 9}, 4, 3, (int[]){0, 1, 2, 4}, "its ends");
    splits((int64_t[]){0, 0, 0, 9}, 4, 4, (int[]){0, 1, 2, 3, 4},
           "none without a rank");
    splits((int64_t[]){1, 1, 1, 1, 4}, 5, 2, (int[]){0, 4, 5}, "a large one");
    splits((int64_t[]){1, 1, 1, 1, 20}, 5, 3, (int[]){0, 3, 4, 5},
           "nor where the last rank has most");
    splits((int64_t[]){7, 1}, 2, 1, (int[]){0, 2}, "one worker");
}

/* Three ranks get what rank 0 has: two workers copy once each. */
static void
test_split_broadcast(void)
{
    struct coll_options o = {.nranks = 3, .in_place = true};
    OWNS(schedule) *s = build("flat-broadcast", &o);
    OWNS(program) *p = program_lower(s);
    int64_t *lengths = schedule_chunk_lengths(s, 1000);
    int first[3];

    split_program(p, lengths, 2, first);
    ok(first[1] == 2, "who sends leaves its worker time to receive");
    free(lengths);
}

enum { RANKS = 3, EVENTS = 4 };

static struct event events[RANKS][EVENTS];
static uint64_t published[RANKS];

static struct rank_log logs[RANKS];

static void
publish(int rank)
{
    struct event *e = &events[rank][published[rank]];

    *e = (struct event){.dst = rank, .step = (int)published[rank] + 1};
    published[rank]++;
}

/* The rank and step of the next event as rank * 10 + step; -1: there is
 * none. */
static int
take(struct log_reader *r)
{
    struct event e;

    return log_reader_next(r, &e) ? e.dst * 10 + e.step : -1;
}

/* Events come out of ranks' logs in a fair order, each of them once. */
static void
test_log_reader(void)
{
    struct log_reader r;

    for (int rank = 0; rank < RANKS; rank++)
        logs[rank] = (struct rank_log){.events = events[rank],
                                       .published = &published[rank]};
    log_reader_init(&r, logs, sizeof *logs, RANKS);
    is_int(take(&r), -1, "nothing is there before an event is published");
    publish(0);
    publish(1);
    publish(1);
    is_int(take(&r), 1, "the first of rank 0");
    is_int(take(&r), 11, "then rank 1");
    publish(0);
    is_int(take(&r), 12, "which is not interrupted by rank 0");
    publish(2);
    is_int(take(&r), 21, "then rank 2, though rank 0 has more");
    is_int(take(&r), 2, "then rank 0 again");
    is_int(take(&r), -1, "and that was all");
    memset(published, 0, sizeof published);
    log_reader_restart(&r);
    publish(1);
    is_int(take(&r), 11, "emptied logs are read from their start");
    log_reader_done(&r);
}

static bool
stop_at_third(void *asked, const char *what, int fd, int64_t until)
{
    (void)until;
    return fd < 0 && strcmp(what, "preparing the ranks") == 0 &&
           ++*(int *)asked < 3;
}

/* The memory of many ranks takes seconds. */
static void
test_stopped(void)
{
    int asked = 0;
    struct waiter waiter = {stop_at_third, &asked};
    struct err err = {.text = ""};
    OWNS(schedule) *s = ring(5);

    waiter_use(&waiter);
    ok(engine_new(s, &(struct engine_options){.run.input = input}, &err) ==
               NULL && strcmp(err.text, "stopped by a key") == 0,
       "making an engine can be stopped: %s", err.text);
    is_int(asked, 3, "which is asked for each rank");
    waiter_use(NULL);
}

int
main(void)
{
    test_sleeps();
    test_split();
    test_split_broadcast();
    test_wakes();
    test_log_reader();
    test_stopped();
    return done_testing();
}
