/* SPDX-License-Identifier: MIT */
/* Events come out of ranks' logs in a fair order, each of them once. */
#include "run/prepare.h"

#include "tap.h"

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

int
main(void)
{
    struct log_reader r;

    for (int rank = 0; rank < RANKS; rank++)
        logs[rank] = (struct rank_log){.events = events[rank],
                                       .published = &published[rank]};
    log_reader_init(&r, logs, RANKS);
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
    return done_testing();
}
