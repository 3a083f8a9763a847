/* SPDX-License-Identifier: MIT */
/* `collviz-cuda nccl` without a GPU: a process for each rank, on fakes of CUDA
 * (tests/fake_cuda) and of NCCL (tests/fake_nccl.c), through the front
 * end's side of workers.  tests/collviz-cuda is that worker; it lies beside
 * this program, so this program's backend finds it. */
#include <pthread.h>

#include "fake_gpus.h"
#include "lab.h"

/* Unless the settings say otherwise, there is a library, with its pipes in
 * `lab`. */
static void
set_fakes(const char *settings)
{
    pretend(settings);
    setenv("FAKE_NCCL", lab, 0);
}

static bool
runs(const struct schedule *s, const struct run_options *o, struct err *err)
{
    return runs_on(&backend_nccl, s, o, err);
}

/* Runs a schedule beside NCCL's own collective, whose result is *native.  Fails
 * if that is wrong. */
static bool
runs_beside(const struct schedule *s, const struct run_options *o,
            struct run_native *native, struct err *err)
{
    OWN(reported) reported;
    bool ok = run_on(&backend_nccl, s, o, &reported, err);

    *native = reported.native;
    if (ok && native->wrong > 0)
        ok = err_set(err, "%s", reported.why);
    return ok;
}

static void
test_timed_native(void)
{
    set_fakes("CUDA_GPUS=2");
    for (int in_place = 0; in_place < 2; in_place++) {
        OWNS(schedule) *s =
            build("ring-allreduce",
                  &(struct coll_options){.nranks = 3, .in_place = in_place});
        struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 12, NULL},
                                .timing = {.calls = 4, .warm_up = 1},
                                .native = true};
        struct run_native native;
        struct err err = {.text = ""};
        ok(time_on(&backend_nccl, s, &o, &native, &err) &&
               strcmp(native.name, "ncclAllReduce") == 0 &&
               native.timed_ns > 0 && native.wrong == 0 && native.differ == 0,
           "NCCL's own %s, timed%s",
           in_place ? "in place" : "out of place", err.text);
    }
}

/* NCCL's own collectives: the same elements as ours, of integers, whose sums
 * are the same in any order; and NCCL's choice of algorithm and protocol. */
static void
test_native(void)
{
    static const enum redop ops[] = {REDOP_SUM, REDOP_MIN, REDOP_MAX,
                                     REDOP_AVG};
    const struct collective *c;
    int kind = 0;

    set_fakes("CUDA_GPUS=2");
    for (int i = 0; (c = collective_at(i)) != NULL; i++) {
        bool p2p = strcmp(c->name, "sendrecv") == 0;
        bool out_only = p2p || strcmp(c->name, "alltoall") == 0;
        const struct algorithm *a;
        struct err ignored;
        int wrong = 0;
        if (!coll_find(c->name, &a, &ignored) || a->script != NULL)
            continue; /* NCCL has no such call */
        for (int n = 1; n <= 9; n += n < 4 ? 1 : 5)
            for (int in_place = 0; in_place < 2; in_place++, kind++) {
                struct run_options r = {
                    .input = {kind % 3 ? DTYPE_INT32 : DTYPE_INT64,
                              ops[kind % 4], 12 * n, NULL}, .native = true};
                struct run_native native = {.wrong = -1};
                struct err err = {.text = ""};
                OWNS(schedule) *s = build(
                    c->name,
                    &(struct coll_options){
                        .nranks = n, .in_place = in_place,
                        .root = collective_rooted(c) ? kind % n : 0});
                bool right = runs_beside(s, &r, &native, &err);
                if (in_place && out_only
                        ? right || strstr(err.text, "--out-of-place") == NULL
                        : !right || native.wrong != 0 || native.differ != 0 ||
                              strncmp(native.name, "nccl", 4) != 0 ||
                              strcmp(native.inside,
                                     p2p ? "" : "RING, SIMPLE, 1 channel")) {
                    wrong++;
                    diag("%d ranks, in place %d: %s %s, %s", n, in_place,
                         err.text, native.name, native.inside);
                }
            }
        is_int(wrong, 0, "NCCL's own %s is ours", c->title);
    }
}

/* NCCL's own collective does not agree with ours. */
static void
test_native_differs(void)
{
    OWNS(schedule) *s = ring(5);
    OWNS(schedule) *cut = build("ring-reduce-scatter",
                                &(struct coll_options){.nranks = 3});
    struct run_options o = {.input = {DTYPE_FLOAT32, REDOP_SUM, 100, NULL},
                            .native = true};
    struct run_native native;
    struct err err = {.text = ""};
    float given[500];

    set_fakes("CUDA_GPUS=1");
    for (int i = 0; i < 500; i++)
        given[i] = 1.0f / (float)(i + 3);
    o.input.given = (unsigned char *)given;
    ok(runs_beside(s, &o, &native, &err) && native.wrong == 0 &&
           native.differ > 0, "another order of additions has other "
       "roundings: %s", err.text);
    o.input.given = NULL;
    o.input.type = DTYPE_INT32;
    setenv("FAKE_NCCL_WRONG", "1", 1);
    ok(!runs_beside(s, &o, &native, &err) && native.wrong == 1 &&
           strstr(err.text, "ncclAllReduce: rank 1, chunk 0, element 0") ==
               err.text,
       "a wrong result of NCCL is reported: %s", err.text);
    unsetenv("FAKE_NCCL_WRONG");
    o.input.count = 7;
    ok(runs(s, &o, &err), "an all-reduce takes any number of elements");
    ok(!runs(cut, &o, &err) && strstr(err.text, "multiple of 3") != NULL,
       "a reduce-scatter does not: %s", err.text);
}

/* Returns the error of a run, "" if there is none, and "too late" if that took
 * more than 5 s. */
static const char *
complaint(const char *settings, struct err *err)
{
    OWNS(schedule) *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .native = true};
    int64_t end = hung_at();

    pretend(settings);
    if (runs(s, &o, err))
        strcpy(err->text, "");
    if (clock_ns() > end)
        strcpy(err->text, "it hangs");
    return err->text;
}

static void
test_errors(void)
{
    static const struct {
        const char *setting, *text;
        bool library;
    } rows[] = {
        {"", "NCCL cannot be loaded", false},
        {"NCCL=/nowhere", "rank 0: ncclGetUniqueId failed: system error",
         false},
        {"NCCL_DIE=1:9", "rank 1: its process was ended by signal 9", true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char settings[128];
        struct err err;
        snprintf(settings, sizeof settings, "%s%s %s",
                 rows[i].library ? "NCCL=" : "",
                 rows[i].library ? lab : "", rows[i].setting);
        ok(strstr(complaint(settings, &err), rows[i].text) != NULL,
           "an error: %s", err.text);
    }
}

/* Each call of one rank to NCCL fails once, and every fifth call to CUDA. */
static void
test_failures(void)
{
    for (int cuda = 0; cuda < 2; cuda++) {
        const char *said = cuda ? "CUDA error 999" : "failed: ";
        int silent = 0, failing = 1;
        struct err err = {.text = "-"};

        for (; *err.text != '\0' && failing < 300; failing += cuda ? 5 : 1) {
            char settings[128];
            snprintf(settings, sizeof settings, "NCCL=%s %s%d", lab,
                     cuda ? "CUDA_FAIL=" : "NCCL_FAIL=2:", failing);
            complaint(settings, &err);
            silent += *err.text != '\0' && strstr(err.text, said) == NULL;
        }
        is_int(silent, 0, "calls to %s fail, up to the %d-th: reported",
               cuda ? "CUDA" : "NCCL", failing);
        ok(failing > 10 && failing < 300, "there are no more of them");
    }
}

/* What collviz doctor shows; two MIG devices of a GPU are one GPU to NCCL. */
static void
test_devices(void)
{
#define SHARE "; more ranks than that share them and talk over sockets\n"
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL}};
    OWNS(schedule) *s = ring(2);
    struct err err = {.text = ""};

    set_fakes("CUDA_GPUS=2");
    lists(&backend_nccl, "NCCL 2.28.9, for 2 GPUs" SHARE, "");
    set_fakes("CUDA_GPUS=2 CUDA_MIG=1");
    lists(&backend_nccl, "NCCL 2.28.9, for 1 GPU" SHARE, "");
    ok(runs(s, &o, &err), "a rank on each of two MIG devices: %s", err.text);
    set_fakes("CUDA_GPUS=0");
    lists(&backend_nccl, "", "NCCL 2.28.9 is there, but nothing to run it on");
    lists(&backend_nccl, "", "no NVIDIA GPU");
    pretend("CUDA_GPUS=1");
    lists(&backend_nccl, "", "NCCL cannot be loaded");
}

/* A run is closed while a rank sleeps for ever. */
static void
test_quit(void)
{
    int64_t delays[] = {0, DELAY_FOREVER, 0}, end = hung_at();
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .delays = delays, .free = true};
    OWNS(schedule) *s = ring(3);
    struct item item;
    struct err err;
    struct run *run;
    enum run_got got;

    set_fakes("CUDA_GPUS=1");
    run = run_open(&backend_nccl, s, &o, &err);
    while ((got = run_next(run, &item, &err)) != RUN_CAUGHT_UP &&
           got != RUN_FAILED)
        usleep(1000);
    ok(got == RUN_CAUGHT_UP && run_grant(run, s->nsteps, &err), "it runs");
    usleep(50000);
    run_next(run, &item, &err);
    run_close(run);
    ok(clock_ns() < end, "it ends");
}

/* Stops the worker, which is this process's only child, and lets it go on,
 * until *over. */
static void *
stop_often(void *over)
{
    while (!__atomic_load_n((bool *)over, __ATOMIC_ACQUIRE)) {
        pid_t worker = process_child(getpid());
        if (worker > 0) {
            process_signal(worker, SIGSTOP);
            process_signal(worker, SIGCONT);
        }
        usleep(300);
    }
    return NULL;
}

/* A stop cuts what is read from a socket into parts: letters are much larger
 * than what a socket holds. */
static void
test_stopped(void)
{
    struct run_options o = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, 2 << 20, NULL}, .free = true};
    OWNS(schedule) *s = ring(2);
    struct err err = {.text = ""};
    bool over = false;
    pthread_t thread;

    set_fakes("CUDA_GPUS=2");
    pthread_create(&thread, NULL, stop_often, &over);
    ok(runs(s, &o, &err), "8 MiB a rank, of a worker that is often stopped "
       "(%s)", err.text);
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
}

int
main(void)
{
    static const char *const machines[] = {"CUDA_GPUS=1", "CUDA_GPUS=2",
                                           "CUDA_GPUS=16"};

    signal(SIGPIPE, SIG_IGN);
    lab_make();
    set_fakes("CUDA_GPUS=1");
    faults_are_seen(&backend_nccl, DTYPE_INT32);
    test_unwritten(&backend_nccl, set_fakes);
    test_stopped();
    test_native();
    test_native_differs();
    test_devices();
    test_errors();
    test_failures();
    test_quit();
    /* tests/message_rank.c has all numbers of ranks */
    test_algorithms(&backend_nccl, set_fakes, machines, 3);
    test_timed_native();
    lab_remove();
    return done_testing();
}
