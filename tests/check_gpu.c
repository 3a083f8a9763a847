/* SPDX-License-Identifier: MIT */
/* make check-gpu: everything on this machine's GPUs, compared with threads.
 *
 *     check_gpu [nccl] [RANKS] [NAME]     2 to RANKS ranks (9); with NCCL; of
 *                                         algorithms whose name has NAME in it
 *
 * Every algorithm; every type on the first of them, and then in turn; the
 * payloads of all outputs bit for bit, for both add in the same order.  With
 * NCCL, whose ranks are processes that take a second or so to start, one type
 * and pace of each.  Ranks run in this process, without the worker around them.
 *
 * CHECK_GPU_SECONDS (300) is the budget: what does not fit is skipped and
 * counted.  Three runs in a row that fail with the same error, as after a GPU
 * was lost, end the test: the rest would fail as well.
 *
 * `make check` runs the same on a fake of CUDA's runtime. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine_runs.h"
#include "play.h"
#include "run/rank_call.h"
#include "tap.h"
#include "workers/crew/crew.h"
#include "workers/cuda/gpu.h"
#include "workers/cuda/gpu_run.h"
#include "workers/nccl/nccl_api.h"

enum { MOST_RANKS = 9, SECONDS = 300, SAME_ERRORS = 3 };

/* Which runs remain, and whether they would fail for the same reason. */
static struct {
    const char *only; /* part of a name */
    int64_t until_ns;
    char last[sizeof((struct err *)NULL)->text];
    int same; /* runs in a row that failed with that error */
    int skipped;
} limits;

static bool
is_given_up(void)
{
    return limits.same >= SAME_ERRORS;
}

/* Whether there is time for one more run, and a chance that it succeeds. */
static bool
may_run(void)
{
    bool may = !is_given_up() && clock_ns() < limits.until_ns;

    limits.skipped += !may;
    return may;
}

static bool
is_chosen(const struct algorithm *a)
{
    char name[128];

    snprintf(name, sizeof name, "%s-%s", a->name, a->collective);
    return a->switches == NULL && /* GPUs run none */
           (limits.only == NULL || strstr(name, limits.only) != NULL);
}

/* Notes a run's error; "" if there was none. */
static void
note(const char *error)
{
    if (error[0] == '\0')
        limits.same = 0;
    else if (strcmp(error, limits.last) == 0)
        limits.same++;
    else
        limits.same = 1;
    snprintf(limits.last, sizeof limits.last, "%s", error);
    if (is_given_up())
        diag("three runs in a row failed, so the others would: %s", error);
}

static bool
runs(const struct machine *m, const struct algorithm *a, int n, int kind)
{
    enum dtype type = (enum dtype)(kind % DTYPES);
    struct run_options run = {
        .input = {type, (enum redop)((n + kind) % redop_count(type)),
                  4 * n + 3, NULL},
        .watched = true, .free = (kind / DTYPES + n) % 2};
    struct err err = {.text = ""};
    OWNS(schedule) *s = build_rooted(a, n, (n + kind) % 2, &err);
    bool ok = s != NULL && machine_runs(m, s, &run, &err);

    if (!ok)
        diag("%d ranks, %s %s, %s: %s", n, dtype_name(run.input.type),
             redop_name(run.input.op), run.free ? "free" : "lockstep",
             err.text);
    note(ok ? "" : err.text);
    return ok;
}

/* `kinds` types and paces of an algorithm, from `first` on. */
static void
check_algorithm(const struct machine *m, const struct algorithm *a, int first,
                int kinds, int most)
{
    int wrong = 0, done = 0;

    for (int n = 2; n <= most; n++)
        for (int kind = first; kind < first + kinds && may_run(); kind++) {
            done++;
            wrong += !runs(m, a, n, kind);
        }
    if (done > 0)
        is_int(wrong, 0, "%s: %s-%s, %d runs", m->backend, a->name,
               a->collective, done);
}

static void
check_chunks(const struct machine *m, const char *name, enum dtype type,
             int64_t bytes)
{
    const struct coll_options four = {.nranks = 4, .in_place = true};
    struct run_options run = {.input = {type, REDOP_SUM, 0, NULL},
                              .watched = true, .free = true};
    OWNS(schedule) *s = build(name, &four);
    struct err err = {.text = ""};

    run.input.count = s->nchunks * bytes / (int64_t)dtype_size(type) + 1;
    ok(machine_runs(m, s, &run, &err), "%s: %s, chunks of %d bytes, %s: %s",
       m->backend, name, (int)bytes, dtype_name(type), err.text);
    note(err.text);
}

/* Chunks of many blocks, one and several slices, some an element longer. */
static void
check_large(const struct machine *m)
{
    static const char *const names[] = {"ring-allreduce", "tree-allreduce",
                                        "bruck-alltoall"};
    static const int64_t chunks[] = {130 * RANK_STRIPE, 11000000};

    for (int k = 0; k < 2; k++)
        for (int type = 0; type < DTYPES; type++)
            for (int i = 0; i < 3; i++)
                if (may_run())
                    check_chunks(m, names[i], (enum dtype)type, chunks[k]);
}

static void
check_faults(const struct machine *m)
{
    OWNS(schedule) *s = ring(3);
    struct input in = {DTYPE_INT32, REDOP_SUM, 6, NULL, 0};

    for (int fault = FAULT_DROP; fault <= FAULT_CORRUPT; fault++) {
        struct run_options o = {.input = in, .watched = true,
                                    .fault = {(enum instr_fault)fault, 1, 2}};
        struct err err = {.text = ""};
        void *run = m->new(s, &o, &err);
        int64_t nevents = 0;
        struct rank_slots found;
        ok(run != NULL &&
               machine_play(m, run, s, false, &nevents, &found, &err) &&
               !machine_is_right(&found, s, &in, &err),
           "%s: fault %d is seen: %s", m->backend, fault, err.text);
        m->free(run);
    }
}

static void
check_stop(const struct machine *m)
{
    static const int64_t delays[3] = {DELAY_FOREVER, 0, 0};
    OWNS(schedule) *s = ring(3);
    struct run_options o = {
        .input = {DTYPE_INT32, REDOP_SUM, 6, NULL}, .watched = true,
        .delays = delays};
    struct err err = {.text = ""};
    void *run = m->new(s, &o, &err);
    bool idle = true;
    int64_t at_ns;

    if (ok(run != NULL && m->grant(run, s->nsteps, &at_ns, &err),
           "%s: a run that never ends begins: %s", m->backend, err.text)) {
        usleep(50000);
        ok(m->look(run, &idle, &err) && !idle, "and runs");
    }
    at_ns = clock_ns();
    m->free(run);
    ok(clock_ns() - at_ns < 1000000000, "it is stopped within a second");
}

/* The library's own collective beside ours: with integers, the same bits.  The
 * name of the test says what the library chose. */
static void
check_native(const struct machine *m, const struct algorithm *a, int most)
{
    struct run_native native = {.wrong = 0};
    int wrong = 0;

    for (int n = 2; n <= most; n++) {
        struct coll_options o = {.nranks = n};
        struct run_options run = {
            .input = {DTYPE_INT32, REDOP_SUM, 1000 * n, NULL},
            .watched = true, .native = true};
        struct err err = {.text = ""};
        struct wrong why = {WRONG_NOTHING};
        OWN(buf) said = {0};
        OWNS(schedule) *s = coll_build(a, &o, &err);
        void *r = s != NULL ? m->new(s, &run, &err) : NULL;
        int64_t ignored = 0;
        struct rank_slots found;
        if (r == NULL ||
            !machine_play(m, r, s, true, &ignored, &found, &err) ||
            !m->compare(r, &native, &why, &err) || native.wrong > 0 ||
            native.differ > 0) {
            wrong++;
            wrong_text(&why, &said);
            diag("%d ranks: %s %s", n, err.text, buf_text(&said));
        }
        m->free(r);
    }
    is_int(wrong, 0, "%s: %s-%s, beside the library's own (%s)", m->backend,
           a->name, a->collective,
           native.inside[0] != '\0' ? native.inside : "it does not say how");
}

static bool
find_gpus(void)
{
    struct gpus gpus;
    struct err err;

    if (gpus_find(&gpus, &err)) {
        for (int i = 0; i < gpus.count; i++)
            diag("%s", gpus.gpu[i].name);
        return true;
    }
    if (access("/dev/nvidiactl", F_OK) == 0 ||
        access("/dev/dxg", F_OK) == 0) /* WSL's */
        ok(false, "%s", err.text);
    else
        skip("%s", err.text);
    return false;
}

static void
check(const struct machine *m, int most)
{
    bool slow = m->compare != NULL; /* NCCL */
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++)
        if (is_chosen(a))
            check_algorithm(m, a, 3 * i, slow ? 1 : i == 0 ? 2 * DTYPES : 3,
                            most);
    for (int i = 0; slow && (a = coll_at(i)) != NULL && a->script == NULL; i++)
        if (is_chosen(a) && may_run())
            check_native(m, a, most < 3 ? most : 3);
    if (limits.only == NULL && may_run())
        check_faults(m);
    if (limits.only == NULL && may_run())
        check_stop(m);
    if (limits.only == NULL && most > 2)
        check_large(m);
    if (limits.skipped > 0)
        diag("%d runs were left out: %s", limits.skipped,
             is_given_up() ? "they would fail as well"
                           : "the time was over (CHECK_GPU_SECONDS)");
    if (limits.skipped > 0 && !is_given_up())
        skip("what did not fit into the time");
}

/* Looks for GPUs in a child: ranks are forked later, and a process that has
 * used CUDA must not fork. */
static bool
gpus_seem_there(void)
{
    struct gpus gpus;
    struct err err;
    int status = 1;
    pid_t child = fork();

    if (child == 0)
        _exit(!gpus_find(&gpus, &err));
    waitpid(child, &status, 0);
    return status == 0;
}

static bool
find_nccl(void)
{
    char version[NCCL_VERSION_TEXT_MAX];
    struct nccl nccl;
    struct err err;

    if (!gpus_seem_there()) {
        skip("there is no GPU");
    } else if (!nccl_open(&nccl, &err)) {
        skip("%s", err.text);
    } else {
        nccl_version_text(nccl.version, version);
        diag("NCCL %s", version);
        return true;
    }
    return false;
}

int
main(int argc, char *argv[])
{
    bool nccl = argc > 1 && strcmp(argv[1], "nccl") == 0;
    int most = argc > 1 + nccl ? atoi(argv[1 + nccl]) : MOST_RANKS;
    const char *seconds = getenv("CHECK_GPU_SECONDS");
    const struct machine over_nccl = crew_machine("nccl");

    limits.only = argc > 2 + nccl ? argv[2 + nccl] : NULL;
    limits.until_ns = clock_ns() + INT64_C(1000000000) *
                                       (seconds != NULL ? atoi(seconds)
                                                        : SECONDS);

    if (nccl ? find_nccl() : find_gpus())
        check(nccl ? &over_nccl : &machine_gpu, most);
    return done_testing();
}
