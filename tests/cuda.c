/* SPDX-License-Identifier: MIT */
/* The CUDA worker without a GPU: its arithmetic, and all of its host's side on
 * a fake of CUDA's runtime (tests/fake_cuda), through the front end's side of
 * workers.  tests/collviz-cuda is that worker; it lies beside this program, so
 * this program's backend finds it. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "coll/coll.h"
#include "model_of_events.h"
#include "run/backend.h"
#include "run/request.h"
#include "tap.h"
#include "workers/launch.h"
#include "workers/placement.h"

/* The machine that the fake is to be; NULL: as it comes. */
struct machine {
    const char *gpus, *peer, *blocks, *fail, *error, *hang;
};

static void
be(const struct machine *m)
{
    const char *const names[] = {"FAKE_CUDA_GPUS", "FAKE_CUDA_PEER",
                                 "FAKE_CUDA_BLOCKS", "FAKE_CUDA_FAIL",
                                 "FAKE_CUDA_ERROR", "FAKE_CUDA_HANG"};
    const char *const values[] = {m->gpus, m->peer, m->blocks,
                                  m->fail, m->error, m->hang};

    for (int i = 0; i < 6; i++)
        if (values[i] != NULL)
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
}

static struct schedule *
build(const char *name, const struct coll_options *o)
{
    const struct algorithm *a;
    struct err err;

    return coll_find(name, &a, &err) ? coll_build(a, o, &err) : NULL;
}

static struct schedule *
ring(int nranks)
{
    struct coll_options o = {.nranks = nranks, .in_place = true};

    return build("ring-allreduce", &o);
}

/* Waits until there may be something again; false after half a minute. */
static bool
wait_for(struct run *run)
{
    struct pollfd fd = {.fd = run_fd(run), .events = POLLIN};

    return poll(&fd, 1, 30000) > 0;
}

/* Plays a run to its end. False with the reason. */
static bool
play(struct run *run, const struct schedule *s, bool free_pace,
     struct told *told, struct err *err)
{
    struct item item;
    int granted = -1;

    while (!told->counts[ITEM_END]) {
        switch (run_next(run, &item, err)) {
        case RUN_ITEM:
            told_take(told, &item);
            break;
        case RUN_LATER:
            if (!wait_for(run))
                return err_set(err, "nothing more comes");
            break;
        case RUN_TOLD:
            granted = free_pace || granted + 1 >= s->nsteps ? s->nsteps
                      : granted < 0                         ? 1
                                                            : granted + 1;
            if (!run_grant(run, granted, err))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

/* A whole run; false with the reason also where the result is wrong. */
static bool
run_on(const struct backend *backend, const struct schedule *s,
       const struct run_options *o, struct told *told, struct err *err)
{
    struct run *run = run_open(backend, s, o, err);
    bool ok;

    told_init(told, s);
    ok = run != NULL && play(run, s, o->free, told, err);
    run_close(run);
    if (ok && !told->correct)
        return err_set(err, "the result is wrong: %s", told->why);
    return ok;
}

static bool
runs(const struct schedule *s, const struct run_options *o, struct err *err)
{
    struct told told;
    bool ok = run_on(&backend_cuda, s, o, &told, err);

    ok = ok && (told.wrong_outputs == 0 ||
                err_set(err, "events do not tell what was promised"));
    told_done(&told);
    return ok;
}

static void
test_placement(void)
{
    int wrong = 0;

    for (int n = 1; n <= 40; n++)
        for (int g = 1; g <= 16; g++) {
            struct placement p = placement_of(n, g);
            for (int rank = 0; rank < n; rank++) {
                int gpu = placement_gpu(&p, rank);
                wrong += rank < placement_first(&p, gpu) ||
                         rank >= placement_first(&p, gpu + 1);
            }
            for (int gpu = 0; gpu < p.ngpus; gpu++) {
                int on = placement_first(&p, gpu + 1) -
                         placement_first(&p, gpu);
                wrong += on < 1 || on > placement_most(&p);
            }
            wrong += placement_first(&p, p.ngpus) != n || p.ngpus > g;
        }
    is_int(wrong, 0, "every rank on one GPU, neighbours together, no GPU "
           "without ranks, to 40 ranks on 16 GPUs");
}

static void
test_staging(void)
{
    static const bool none[] = {true, false, false, true};
    static const bool one_way[] = {true, true, false, true};
    static const bool all[] = {true, true, true, true};
    struct schedule *s = ring(4);
    struct program *p = program_lower(s);
    struct placement placement = placement_of(4, 2);
    bool staged[4 * 4] = {false};

    is_int(p->nslots, 4, "a ring in place needs its four chunks");
    is_int(placement_stage(&placement, p, all, staged), 0,
           "peer access: nothing is staged");
    is_int(placement_stage(&placement, p, none, staged), 8,
           "none: all that ranks 1 and 3 hold, for they send to another GPU");
    ok(!staged[0] && staged[4] && !staged[8] && staged[12],
       "of the ranks that send to another GPU, no others");
    memset(staged, 0, sizeof staged);
    is_int(placement_stage(&placement, p, one_way, staged), 4,
           "one way only: what the other way is pulled");
    program_free(p);
    schedule_free(s);
}

static void
test_launch(void)
{
    struct launch_gpu gpus[] = {{"GPU a", 2, 264}, {"GPU b", 1, 100}};
    struct err err = {""};
    int nblocks;

    ok(launch_blocks(gpus, 2, 1 << 30, &nblocks, &err) && nblocks == 100,
       "as many blocks as fit on the smaller share");
    ok(launch_blocks(gpus, 1, 1 << 30, &nblocks, &err) && nblocks == 132,
       "two ranks share a GPU's blocks");
    ok(launch_blocks(gpus, 2, 3 * LAUNCH_FEED, &nblocks, &err) &&
           nblocks == 3, "no more than there is data for");
    ok(launch_blocks(gpus, 2, 0, &nblocks, &err) && nblocks == 1,
       "at least one");
    gpus[1].ranks = 101;
    ok(!launch_blocks(gpus, 2, 8, &nblocks, &err), "too many ranks");
    is_str(err.text, "GPU b can run 100 ranks at once and has to run 101: "
           "take at most 200 ranks", "are refused, with what would fit");
    is_int(launch_slice(8), 8, "a small chunk is one slice");
    ok(launch_slice(1 << 30) < 1 << 30, "a large one is cut");
}

/* Every row of the table. */
static void
test_algorithms(void)
{
    static const struct machine machines[] = {
        {.gpus = "1"}, {.gpus = "2"}, {.gpus = "3", .peer = "0"},
    };
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        int wrong = 0;
        for (int n = 2; n <= 9; n++) {
            bool rooted = collective_rooted(collective_find(a->collective));
            struct coll_options o = {.nranks = n, .root = rooted ? n - 1 : 0,
                                     .in_place = n % 2};
            struct run_options r = {
                .input = {DTYPE_INT32, REDOP_SUM, 4 * n + 3, NULL},
                .free = (i + n) % 2, .in_turn = n % 3 == 0};
            struct err err = {""};
            struct schedule *s = coll_build(a, &o, &err);
            be(&machines[(i + n) % 3]);
            if (s == NULL || !runs(s, &r, &err)) {
                wrong++;
                diag("%d ranks: %s", n, err.text);
            }
            schedule_free(s);
        }
        is_int(wrong, 0, "%s-%s on 2 to 9 ranks", a->name, a->collective);
    }
}

static void
test_types(void)
{
    struct machine two = {.gpus = "2"};
    struct schedule *s = ring(3);

    be(&two);
    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < REDOPS; op++) {
            struct run_options o = {.input = {(enum dtype)type,
                                              (enum redop)op, 100, NULL},
                                    .free = op % 2};
            struct err err = {""};
            if (!ok(runs(s, &o, &err), "%s %s", dtype_name((enum dtype)type),
                    redop_name((enum redop)op)))
                diag("%s", err.text);
        }
    schedule_free(s);
}

int
main(void)
{
    signal(SIGPIPE, SIG_IGN);
    test_placement();
    test_staging();
    test_launch();
    test_types();
    test_algorithms();
    return done_testing();
}
