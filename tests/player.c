/* SPDX-License-Identifier: MIT */
/* The player, with a run whose events come when the test says so: the functions
 * of run/backend.h are the test's. */
#include "play/player.h"
#include "ring_world.h"
#include "tap.h"

enum { MS = 1000000, RANKS = 3, STEPS = 4, NO_INPUT = -1 };

/* A run that yields the items of a finished world. */
struct feed {
    struct world *all; /* at position 0 */
    int granted;
    int next;      /* index of an item, in the order of a stream */
    int available; /* transfers that may be reported; NO_INPUT: not even the
                    * input may be */
};

static struct feed feed;

struct run *
run_open(const struct backend *b, const struct schedule *s,
         const struct run_options *o, struct err *err)
{
    (void)b, (void)s, (void)o, (void)err;
    feed.granted = -1;
    return (struct run *)&feed;
}

bool
run_grant(struct run *run, int to, struct err *err)
{
    (void)run, (void)err;
    feed.granted = to;
    return true;
}

/* Transfer `index` of all, in the schedule's order. */
static const struct event *
event_at(int index)
{
    return &feed.all->steps[1 + index / RANKS].events[index % RANKS];
}

enum run_got
run_next(struct run *run, struct item *item, struct err *err)
{
    struct world *w = feed.all;
    int transfer = feed.next - 1 - RANKS;

    (void)run, (void)err;
    *item = (struct item){.run = w->run, .schedule = w->schedule};
    if (feed.next == 0) {
        item->type = ITEM_RUN;
    } else if (feed.available == NO_INPUT) {
        return RUN_LATER;
    } else if (transfer < 0) {
        item->type = ITEM_INPUT;
        item->rank = feed.next - 1;
        item->content = world_row(w, item->rank, 0);
    } else if (transfer >= RANKS * feed.granted) {
        return RUN_CAUGHT_UP;
    } else if (transfer >= feed.available) {
        return RUN_LATER;
    } else {
        item->type = ITEM_TRANSFER;
        item->event = *event_at(transfer);
    }
    feed.next++;
    return RUN_ITEM;
}

int
run_fd(struct run *run)
{
    (void)run;
    return 77;
}

const char *
run_note(const struct run *run)
{
    (void)run;
    return NULL;
}

void
run_close(struct run *run)
{
    (void)run;
}

static struct session session;
static struct player player;
static int64_t now;

static void
begin(bool free_pace)
{
    struct err err;

    feed = (struct feed){.all = ring_world(RANKS, STEPS),
                         .available = RANKS * STEPS};
    feed.all->own_run.free = free_pace;
    session_init(&session);
    player_init(&player, &session);
    now = 1000 * (int64_t)MS;
    ok(player_advance(&player, now, &err), "without a run nothing happens");
    player_next(&player, now);
    player_go(&player, 3);
    session.run = run_open(NULL, NULL, NULL, &err);
}

static void
end(void)
{
    player_done(&player);
    session_done(&session);
    world_free(feed.all);
}

static void
pass(int64_t ms)
{
    struct err err;

    now += ms * MS;
    if (!player_advance(&player, now, &err))
        diag("%s", err.text);
}

static void
test_next(void)
{
    begin(false);
    pass(0);
    is_int(feed.granted, -1, "a prepared run is granted nothing");
    player_next(&player, now);
    pass(0);
    is_int(feed.granted, 1, "next grants a step");
    is_int(player.step, 1, "the step is in flight");
    is_int((int)player.nflights, RANKS, "with all its transfers");
    ok(player_moves(&player), "blocks move");
    is_int(session.world->position, 0, "the position is still 0");
    is_int((player_due(&player, now) - now) / MS, 900, "until they land");
    pass(315);
    ok(player.flights[0].progress == 0.5 && player.flights[0].landing == 1,
       "half of the way in half of 0.7 of the time");
    pass(450);
    ok(flight_landed(&player.flights[0]) &&
       player.flights[0].landing > 0.49 && player.flights[0].landing < 0.51,
       "then the slot takes it in, half of it in half of the rest");
    ok(player_moves(&player), "which is a move, too");
    is_int(player.step, 1, "until then it is in flight");
    pass(135);
    is_int(player.step, 0, "they land");
    is_int(session.world->position, 1, "and the position is the step");
    is_int(player_due(&player, now) == INT64_MAX, 1, "then nothing is due");

    player_next(&player, now);
    pass(10);
    player_next(&player, now);
    is_int(session.world->position, 2, "next ends the step in flight at once");
    is_int(player.step, 3, "and puts the next step in flight");
    pass(10);
    player_back(&player);
    is_int(player.step, 0, "back cancels the step in flight");
    is_int(session.world->position, 2, "the position is as before");
    player_back(&player);
    is_int(session.world->position, 1, "then it goes back by steps");
    player_back(&player);
    player_back(&player);
    is_int(session.world->position, 0, "but not to before the input");
    is_int(feed.granted, 3, "granted steps stay granted");
    end();
}

/* A step may be asked for before the run is there, which may take seconds. */
static void
test_asked_early(void)
{
    begin(false);
    player.target = 1; /* where a run from a lesson begins */
    feed.available = NO_INPUT;
    pass(3000);
    is_int(player_awaited(&player, now + 5000 * (int64_t)MS), 0,
           "nothing is awaited until the input is there");
    feed.available = 0;
    pass(3000);
    is_int(player_awaited(&player, now), 0, "then the step is");
    pass(200);
    is_int(player_awaited(&player, now), 200 * MS, "from that time on");
    end();
}

static void
test_late(void)
{
    begin(false);
    pass(0);
    feed.available = 1;
    player_next(&player, now);
    pass(0);
    is_int(session_fd(player.session), 77,
           "the run's descriptor is to be polled");
    ok(player.flights[0].event != NULL && player.flights[1].event == NULL,
       "only transfers that have happened are in flight");
    pass(900);
    ok(flight_landed(&player.flights[0]) && !player_moves(&player),
       "it lands, the others wait");
    is_int(player.step, 1, "and the step is not over");
    ok(player_due(&player, now) == INT64_MAX, "nothing is due meanwhile");
    is_int(player_awaited(&player, now), 900 * MS,
           "the step has been awaited for as long");
    player_next(&player, now);
    is_int(player.step, 1, "next does not go on");
    feed.available = RANKS;
    pass(0);
    ok(player.flights[2].event != NULL && player.flights[2].progress == 0,
       "late transfers set out when they are reported");
    is_int(session_fd(player.session), 77,
           "then still: it may fail, or have a note");
    pass(900);
    is_int(session.world->position, 1, "when they land, the step is over");
    end();
}

static void
test_go(void)
{
    begin(false);
    pass(0);
    feed.available = 2 * RANKS;
    player_go(&player, 4);
    pass(0);
    is_int(feed.granted, 4, "go grants up to there");
    is_int(session.world->position, 2, "and shows the last step that is known");
    player_next(&player, now);
    is_int(player.target, -1, "next gives up the target");
    is_int(player.step, 3, "and goes on from the step that is shown");
    player_go(&player, 4);
    pass(0);
    player_play(&player, now);
    pass(0);
    is_int(player.step, 3, "so does play");
    player_go(&player, 4);
    feed.available = 4 * RANKS;
    pass(0);
    is_int(session.world->position, 4, "until the target is known");
    is_int(player.target, -1, "then there is no target");
    player_go(&player, 99);
    pass(0);
    is_int(session.world->position, 4, "there is nothing after the end");
    is_int(player.target, -1, "so the end is the target");
    player_go(&player, -5);
    pass(0);
    is_int(session.world->position, 0, "there is nothing before the input");
    feed.available = 0;
    player_back(&player);
    is_int(player.target, -1, "back gives a target up");
    end();
}

static void
test_play(void)
{
    begin(false);
    pass(0);
    player_faster(&player, 99);
    is_int(player.speed, PLAYER_SPEED_MOST, "there is a fastest speed");
    player_faster(&player, 1 - PLAYER_SPEED_MOST);
    player_play(&player, now);
    pass(0);
    is_int(player.step, 1, "play starts the first step at once");
    pass(450);
    is_int(session.world->position, 1, "twice as fast");
    is_int((player_due(&player, now) - now) / MS, 350, "and rests");
    pass(350);
    is_int(player.step, 2, "before the next step");
    player_play(&player, now);
    pass(450);
    pass(10000);
    is_int(session.world->position, 2,
           "after pause the step in flight ends, and no other begins");
    player_play(&player, now);
    for (int i = 0; i < 20; i++)
        pass(100);
    is_int(session.world->position, 4, "play again goes on to the end");
    ok(!player.playing, "where it stops by itself");
    player_play(&player, now);
    is_int(session.world->position, 0, "play at the end begins anew");
    end();
}

/* Steps 1 and 3 take 4 s to read. */
static int64_t
reading(const void *context)
{
    const int *readers = context;

    return *readers > 0 && player.step % 2 == 1 ? 4000 * INT64_C(1000000) : 0;
}

/* Plays the next step. Returns how long it takes with the rest after it, in ms,
 * and sets *flight to how long it is in flight. */
static int
play_step(int64_t *flight)
{
    int64_t from;

    pass((player_due(&player, now) - now) / MS);
    from = now;
    *flight = player_due(&player, now) - now;
    pass(*flight / MS);
    *flight /= MS;
    return (int)((player_due(&player, now) - from) / MS);
}

/* A step that takes long to read is played slowly as a whole. */
static void
test_reading(void)
{
    int readers = 1;
    int64_t flight;

    begin(false);
    player.reading = reading;
    player.reader = &readers;
    pass(0);
    player_play(&player, now);
    is_int(play_step(&flight), 4000, "a step takes as long as reading it");
    is_int((int)flight, 2250, "in flight and at rest, each its share");
    is_int(play_step(&flight), 1600, "one that is read quickly, as always");
    player_faster(&player, 1);
    is_int(play_step(&flight), 800, "at a higher speed nothing is slower");
    player_go(&player, 0);
    pass(0);
    player_faster(&player, -2);
    player_play(&player, now);
    is_int(play_step(&flight), 4000, "at half the speed there is time to read");
    is_int(play_step(&flight), 3200, "and the other steps take twice as long");
    player_faster(&player, 1);
    player_go(&player, 0);
    pass(0);
    player_next(&player, now);
    pass(0);
    is_int((int)((player_due(&player, now) - now) / MS), 900,
           "a step asked for by a key does not wait for a reader");
    pass(900);
    player_play(&player, now);
    is_int(player_due(&player, now) <= now, 1,
           "nor does the first one that is played");
    readers = 0;
    player_go(&player, 0);
    pass(0);
    player_play(&player, now);
    is_int(play_step(&flight), 1600, "without a reader all is as always");
    end();
}

/* A long way is granted in parts, and played to its end without further
 * keys. */
static void
test_parts(void)
{
    struct step *steps;

    begin(false);
    pass(0);
    steps = session.world->schedule->steps;
    for (int step = 0; step < STEPS; step++)
        steps[step].count = 40000; /* as far as the player knows */
    player_go(&player, 4);
    pass(0);
    is_int(feed.granted, 2, "a large step or two at a time");
    is_int(player_due(&player, now) == now, 1, "there is more to do at once");
    pass(0);
    is_int(feed.granted, 4, "then the next");
    for (int step = 0; step < STEPS; step++)
        steps[step].count = RANKS;
    pass(0);
    is_int(session.world->position, 4, "up to the end");
    end();
}

/* The run goes on while the user looks at earlier steps. */
static void
test_free(void)
{
    begin(true);
    feed.available = RANKS + 1;
    pass(0);
    is_int(feed.granted, STEPS, "at free pace all is granted");
    player_go(&player, 1);
    pass(0);
    is_int(session.world->position, 1, "step 1 is shown");
    feed.available = 3 * RANKS;
    pass(0);
    is_int(session.world->position, 1, "it stays shown when more steps come");
    is_int(world_complete_steps(session.world), 3, "and these are known");
    player_go(&player, 0);
    feed.available = STEPS * RANKS;
    pass(0);
    is_int(session.world->position, 0, "any step can be shown meanwhile");
    player_go(&player, STEPS);
    pass(0);
    is_int(session.world->position, STEPS, "also the last");
    end();
}

int
main(void)
{
    test_next();
    test_asked_early();
    test_late();
    test_go();
    test_play();
    test_reading();
    test_parts();
    test_free();
    return done_testing();
}
