/* SPDX-License-Identifier: MIT */
/* `collviz-cuda nccl` without a GPU: a process for each rank, on fakes of CUDA
 * (tests/fake_cuda) and of NCCL (tests/fake_nccl_world.c), through the front
 * end's side of workers.  tests/collviz-cuda is that worker; it lies beside
 * this program, so this program's backend finds it. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "play.h"
#include "run/devices.h"
#include "tap.h"
#include "unwritten.h"

/* What the fakes are to be; NULL: as they come. */
struct world {
    const char *gpus, *cuda_fail, *nccl, *nccl_fail, *nccl_die;
};

static char folder[] = "/tmp/collviz-nccl-XXXXXX"; /* for the fakes' pipes */

static void
be(const struct world *w)
{
    const char *const names[] = {"FAKE_CUDA_GPUS", "FAKE_CUDA_FAIL",
                                 "FAKE_NCCL", "FAKE_NCCL_FAIL",
                                 "FAKE_NCCL_DIE"};
    const char *const values[] = {w->gpus, w->cuda_fail, w->nccl, w->nccl_fail,
                                  w->nccl_die};

    for (int i = 0; i < 5; i++)
        if (values[i] != NULL)
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
}

/* Every byte that is told is what threads tell. */
static bool
is_as_threads(const struct schedule *s, const struct run_options *o,
              struct err *err)
{
    size_t words = (size_t)s->nranks * (size_t)s->nslots *
                   (size_t)content_words(s->nranks);
    struct told ours, theirs;
    bool ok = run_on(&backend_nccl, s, o, &ours, err);
    bool same = run_on(&backend_threads, s, o, &theirs, err) && ok &&
                memcmp(ours.contents, theirs.contents,
                       words * sizeof *ours.contents) == 0;

    told_done(&ours);
    told_done(&theirs);
    return same || !ok || err_set(err, "it differs from threads");
}

/* False with the reason also where it is wrong. *native, if it is there, is
 * what NCCL made of it. */
static bool
runs_beside(const struct schedule *s, const struct run_options *o,
            struct run_native *native, struct err *err)
{
    struct told told;
    bool ok = run_on(&backend_nccl, s, o, &told, err);

    if (native != NULL)
        *native = told.native;
    told_done(&told);
    return ok;
}

static bool
runs(const struct schedule *s, const struct run_options *o, struct err *err)
{
    return runs_beside(s, o, NULL, err);
}

static void
test_algorithms(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        static const char *const gpus[] = {"1", "2", "16"};
        bool rooted = collective_rooted(collective_find(a->collective));
        int wrong = 0;
        for (int n = 2; n <= 9; n++) {
            struct world w = {.gpus = gpus[(i + n) % 3], .nccl = folder};
            struct coll_options o = {.nranks = n, .root = rooted ? n - 1 : 0,
                                     .in_place = n % 2};
            struct run_options r = {
                .input = {DTYPE_FLOAT32, REDOP_SUM, 4 * n + 3, NULL},
                .free = (i + n) % 2, .in_turn = n % 3 == 0};
            struct err err = {""};
            struct schedule *s = coll_build(a, &o, &err);
            be(&w);
            if (s == NULL || !is_as_threads(s, &r, &err) ||
                err.text[0] != '\0') {
                wrong++;
                diag("%d ranks: %s", n, err.text);
            }
            schedule_free(s);
        }
        is_int(wrong, 0, "%s-%s, each rank a process", a->name, a->collective);
    }
}

static void
test_types(void)
{
    struct world w = {.gpus = "3", .nccl = folder};
    struct schedule *s = ring(3);

    be(&w);
    for (int type = 0; type < DTYPES; type++) {
        struct run_options o = {
            .input = {(enum dtype)type, (enum redop)(type % REDOPS), 1000,
                      NULL}, .free = true};
        struct err err = {""};
        ok(runs(s, &o, &err), "%s %s%s", dtype_name((enum dtype)type),
           redop_name((enum redop)(type % REDOPS)), err.text);
    }
    struct run_options large = {
        .input = {DTYPE_FLOAT32, REDOP_AVG, 300000, NULL}};
    struct err err = {""};
    ok(runs(s, &large, &err), "more than a pipe holds%s", err.text);
    schedule_free(s);
}

/* NCCL's own collectives beside every algorithm: the same elements, and what is
 * inside. */
static void
test_native(void)
{
    struct world w = {.gpus = "2", .nccl = folder};
    const struct algorithm *a;

    be(&w);
    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        int n = 2 + i % 4, wrong = 0;
        for (int in_place = 0; in_place < 2; in_place++) {
            struct coll_options o = {.nranks = n, .in_place = in_place};
            struct run_options r = {.input = {DTYPE_INT32, REDOP_SUM, 12 * n,
                                              NULL}, .native = true};
            struct run_native native = {.wrong = -1};
            struct err err = {""};
            struct schedule *s = coll_build(a, &o, &err);
            bool p2p = strcmp(a->collective, "sendrecv") == 0;
            bool out_only = p2p || strcmp(a->collective, "alltoall") == 0;
            const char *inside = p2p ? "" : "RING, SIMPLE, 1 channel";
            bool right = s != NULL && runs_beside(s, &r, &native, &err);
            if (in_place && out_only
                    ? right || strstr(err.text, "--out-of-place") == NULL
                    : !right || native.wrong != 0 || native.differ != 0 ||
                          strncmp(native.name, "nccl", 4) != 0 ||
                          strcmp(native.inside, inside) != 0) {
                wrong++;
                diag("%d ranks, in place %d: %s %s, %s", n, in_place, err.text,
                     native.name, native.inside);
            }
            schedule_free(s);
        }
        is_int(wrong, 0, "%s-%s, beside NCCL's own", a->name, a->collective);
    }
}

/* Where the two do not agree. */
static void
test_native_differs(void)
{
    struct world w = {.gpus = "1", .nccl = folder};
    struct schedule *s = ring(5);
    struct run_options o = {.input = {DTYPE_FLOAT32, REDOP_SUM, 100, NULL},
                            .native = true};
    struct run_native native;
    struct err err = {""};
    float given[500];

    be(&w);
    for (int i = 0; i < 500; i++)
        given[i] = 1.0f / (float)(i + 3);
    o.input.given = (unsigned char *)given;
    ok(runs_beside(s, &o, &native, &err) && native.wrong == 0 &&
           native.differ > 0, "another order rounds otherwise: %s", err.text);
    o.input.given = NULL;
    o.input.type = DTYPE_INT32;
    setenv("FAKE_NCCL_WRONG", "1", 1);
    ok(!runs_beside(s, &o, &native, &err) && native.wrong == 1 &&
           strncmp(err.text, "the result is wrong: ncclAllReduce: rank 1, "
                   "chunk 0, element 0", 60) == 0,
       "a wrong one is told: %s", err.text);
    unsetenv("FAKE_NCCL_WRONG");
    o.input.count = 7;
    ok(runs(s, &o, &err), "an all-reduce need not be cut evenly");
    schedule_free(s);
    s = build("ring-reduce-scatter", &(struct coll_options){.nranks = 3});
    ok(!runs(s, &o, &err) && strstr(err.text, "multiple of 3") != NULL,
       "others must: %s", err.text);
    schedule_free(s);
}

static void
test_faults(void)
{
    struct world w = {.gpus = "1", .nccl = folder};
    struct schedule *s = ring(3);

    be(&w);
    for (int fault = FAULT_DROP; fault <= FAULT_CORRUPT; fault++) {
        struct run_options o = {
            .input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
            .fault = {(enum instr_fault)fault, 1, 1}};
        struct err err = {""};
        ok(!runs(s, &o, &err) && strstr(err.text, "expected") != NULL,
           "fault %d is seen: %s", fault, err.text);
    }
    schedule_free(s);
}

/* What a run that goes wrong says; "" where it does not. In time. */
static const char *
complaint(const struct world *w, struct err *err)
{
    struct schedule *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .native = true};
    int64_t begin = clock_ns();

    be(w);
    if (runs(s, &o, err))
        strcpy(err->text, "");
    if (clock_ns() - begin > INT64_C(5000000000))
        strcpy(err->text, "too late");
    schedule_free(s);
    return err->text;
}

static void
test_errors(void)
{
    struct err err;
    const char *text;

    text = complaint(&(struct world){.gpus = "1"}, &err);
    ok(strstr(text, "NCCL cannot be loaded") != NULL, "no NCCL: %s", text);
    text = complaint(&(struct world){.gpus = "1", .nccl = folder,
                                     .nccl_die = "1:9"}, &err);
    ok(strstr(text, "rank 1: its process was ended by signal 9") != NULL,
       "a rank dies: %s", text);
    text = complaint(&(struct world){.gpus = "1", .nccl = "/nowhere"}, &err);
    ok(strstr(text, "rank 0: ncclGetUniqueId failed: system error") != NULL,
       "no id: %s", text);
}

/* A rank's every call to NCCL fails once, and every one to CUDA of all. */
static void
test_failures(void)
{
    int silent = 0, call;
    struct err err = {"-"};
    char which[32];

    for (call = 1; *err.text != '\0' && call < 100; call++) {
        struct world w = {.gpus = "1", .nccl = folder, .nccl_fail = which};
        snprintf(which, sizeof which, "2:%d", call);
        complaint(&w, &err);
        silent += *err.text != '\0' && strstr(err.text, "failed: ") == NULL;
    }
    is_int(silent, 0, "each of a rank's %d calls to NCCL, failing, is told",
           call - 2);
    ok(call > 10 && call < 100, "and then none fails");
    strcpy(err.text, "-");
    for (call = 1; *err.text != '\0' && call < 300; call += 5) {
        struct world w = {.gpus = "1", .nccl = folder, .cuda_fail = which};
        snprintf(which, sizeof which, "%d", call);
        complaint(&w, &err);
        silent += *err.text != '\0' &&
                  strstr(err.text, "CUDA error 999") == NULL;
    }
    is_int(silent, 0, "some of the %d calls to CUDA, as well", call);
    ok(call > 30 && call < 300, "and then none fails");
}

/* For collviz doctor. */
static void
test_devices(void)
{
    struct buf lines = {0};
    struct err err = {""};

    be(&(struct world){.gpus = "2", .nccl = folder});
    ok(devices_ask(&backend_nccl, &lines, &err), "NCCL is told of: %s",
       err.text);
    is_str(buf_text(&lines),
           "NCCL 2.28.9, for 2 GPUs; more ranks than that share them and talk "
           "over sockets\n", "with what it runs on");
    buf_clear(&lines);
    be(&(struct world){.gpus = "0", .nccl = folder});
    ok(!devices_ask(&backend_nccl, &lines, &err) &&
           strstr(err.text, "NCCL 2.28.9 is there, but nothing to run it on")
               != NULL && strstr(err.text, "no NVIDIA GPU") != NULL,
       "or why not: %s", err.text);
    be(&(struct world){.gpus = "1"});
    ok(!devices_ask(&backend_nccl, &lines, &err) &&
           strstr(err.text, "NCCL cannot be loaded") != NULL, "or: %s",
       err.text);
    buf_done(&lines);
}

/* Quit while a rank sleeps for ever: no process is left. */
static void
test_quit(void)
{
    struct world w = {.gpus = "1", .nccl = folder};
    int64_t delays[] = {0, DELAY_FOREVER, 0}, begin = clock_ns();
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .delays = delays, .free = true};
    struct schedule *s = ring(3);
    struct item item;
    struct err err;
    struct run *run;
    enum run_got got;

    be(&w);
    run = run_open(&backend_nccl, s, &o, &err);
    while ((got = run_next(run, &item, &err)) != RUN_CAUGHT_UP &&
           got != RUN_FAILED)
        usleep(1000);
    ok(got == RUN_CAUGHT_UP && run_grant(run, s->nsteps, &err), "under way");
    usleep(50000);
    run_next(run, &item, &err);
    run_close(run);
    ok(clock_ns() - begin < INT64_C(2000000000), "and ended in time");
    schedule_free(s);
}

/* What memory of the GPU holds that nobody wrote shows in values and ledger, as
 * on threads. */
static void
test_unwritten(void)
{
    for (int way = 0; way < UNWRITTEN_WAYS; way++) {
        struct world w = {.gpus = way % 2 ? "2" : "1", .nccl = folder};
        struct schedule *s = unwritten_schedule(way, 2);
        int hidden = 0;

        be(&w);
        for (int kind = 0; kind < DTYPES * REDOPS; kind++) {
            struct run_options o = {
                .input = {(enum dtype)(kind % DTYPES),
                          (enum redop)(kind / DTYPES), 10, NULL},
                .free = kind % 2};
            struct err err = {""};
            struct told told;
            run_on(&backend_nccl, s, &o, &told, &err);
            if (!told.counts[ITEM_END] || told.correct ||
                strstr(told.why, "expected") == NULL ||
                told.wrong_outputs != 2) {
                hidden++;
                diag("%s %s: %s", dtype_name(o.input.type),
                     redop_name(o.input.op), err.text);
            }
            told_done(&told);
        }
        is_int(hidden, 0, "%s: wrong with every type and operator",
               unwritten_ways[way].name);
        schedule_free(s);
    }
}

int
main(void)
{
    char remove[64];

    signal(SIGPIPE, SIG_IGN);
    if (mkdtemp(folder) == NULL)
        return 99;
    test_types();
    test_faults();
    test_unwritten();
    test_native();
    test_native_differs();
    test_devices();
    test_errors();
    test_failures();
    test_quit();
    test_algorithms();
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    return system(remove) != 0 || done_testing();
}
