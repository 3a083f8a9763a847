/* SPDX-License-Identifier: MIT */
/* The shipped PTX, run without a GPU: every access is checked, and results are
 * compared with those of threads.
 *
 *     check LIBRARY         everything
 *     check LIBRARY FAULT   a short run with the fault of that number, or 0:
 *                           status 0 if something was found
 *
 * LIBRARY is the output of tests/ptx/translate.py, compiled. */
#include <stdlib.h>
#include <unistd.h>

#include "event/event.h"
#include "run.h"
#include "tap.h"

static void see(const struct event *event);
#define MACHINE_EVENT(event) see(event)
#include "launch_small.h"
#include "machine_runs.h"
#include "play.h"
#include "ptx.h"
#include "workers/crew/crew.h"
#include "workers/cuda/gpu_run.h"
#include "workers/cuda/kernels.h"
#include "workers/nccl/nccl_kernel.h"

#define FIVE_S INT64_C(5000000000)

static int nranks; /* of the current run */

/* The host reads the whole content of an event. */
static void
see(const struct event *event)
{
    if (event->content != NULL)
        ptx_host_reads(event->content,
                       (size_t)event->nslots *
                           (size_t)content_words(nranks) * sizeof(uint64_t));
}

/* Runs a schedule. Returns false, with the reason in *err, if it goes wrong or
 * anything is found. */
static bool
runs(const struct schedule *s, const struct run_options *o, struct err *err)
{
    const char *finding;
    bool ok;

    nranks = s->nranks;
    ok = machine_runs(&machine_gpu, s, o, err);
    finding = ptx_finding();
    return finding != NULL ? err_set(err, "%s", finding) : ok;
}

static void
use_gpus(int n)
{
    setenv("FAKE_CUDA_GPUS", n == 1 ? "1" : "2", 1);
}

/* Chunks of a little more than three slices; some are an element longer. */
static int64_t
count_for(const struct schedule *s, enum dtype type)
{
    return s->nchunks * (1300 / (int64_t)dtype_size(type)) + 1;
}

/* On n ranks, in place or not, watched or plain, at either pace. */
static bool
runs_algorithm(const struct algorithm *a, int n, int gpus, int kind,
               struct err *err)
{
    struct run_options o = {.watched = kind % 3 != 0, .free = kind % 4 != 1};
    OWNS(schedule) *s = build_rooted(a, n, kind & 1, err);
    bool ok = false;

    use_gpus(gpus);
    if (s != NULL) {
        o.input.type = (enum dtype)(kind % DTYPES);
        o.input.op = (enum redop)(kind % redop_count(o.input.type));
        o.input.count = count_for(s, o.input.type);
        ok = runs(s, &o, err);
    }
    return ok;
}

static void
test_algorithms(void)
{
    static const int ranks[] = {2, 5};
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        int wrong = 0;
        for (int k = 0; k < 4; k++) {
            struct err err = {.text = ""};
            if (!runs_algorithm(a, ranks[k % 2], 1 + k / 2, 5 * i + k, &err)) {
                wrong++;
                diag("%d ranks, %d GPUs: %s", ranks[k % 2], 1 + k / 2,
                     err.text);
            }
        }
        is_int(wrong, 0, "%s-%s: 2 and 5 ranks on 1 and 2 GPUs", a->name,
               a->collective);
    }
}

/* Enough elements for the loops that have several accesses in flight. */
static void
test_types(void)
{
    OWNS(schedule) *s = ring(2);

    use_gpus(1);
    launch_small_blocks = 1;
    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < redop_count((enum dtype)type); op++) {
            struct run_options o = {
                .input = {(enum dtype)type, (enum redop)op, 0, NULL},
                .free = true};
            struct err err = {.text = ""};
            o.input.count = 2 * 10000 / (int64_t)dtype_size(o.input.type) + 3;
            ok(runs(s, &o, &err), "%s %s: %s", dtype_name(o.input.type),
               redop_name(o.input.op), err.text);
        }
    launch_small_blocks = 3;
}

/* Faults and delays, which have code of their own in the kernel. */
static void
test_ways(void)
{
    int64_t delays[3] = {0, 2000000, 0};
    OWNS(schedule) *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 900, NULL},
                            .watched = true, .free = true};

    for (int kind = FAULT_DROP; kind <= FAULT_CORRUPT; kind++) {
        struct err err = {.text = ""};
        o.fault = (struct fault){(enum instr_fault)kind, 1, 2};
        ok(!runs(s, &o, &err) && strstr(err.text, "expected") != NULL,
           "fault %d is seen, and nothing else: %s", kind, err.text);
    }
    o.fault = (struct fault){0};
    for (int gpus = 1; gpus <= 2; gpus++) {
        struct err err = {.text = ""};
        o.delays = delays;
        use_gpus(gpus);
        ok(runs(s, &o, &err), "a slow rank, %d GPUs: %s", gpus, err.text);
    }
}

/* NCCL's ranks are processes: a finding ends one, which is an error of the
 * run. */
static void
test_nccl(void)
{
    const struct machine nccl = crew_machine("nccl");
    const struct algorithm *a;

    ptx_die_of_findings();
    use_gpus(1);
    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        struct coll_options c = {.nranks = 2 + i % 2};
        struct run_options o = {
            .input = {(enum dtype)(i % DTYPES), REDOP_SUM, 900, NULL},
            .watched = true, .free = true};
        struct err err = {.text = ""};

        o.input.op = (enum redop)(i % redop_count(o.input.type));
        OWNS(schedule) *s = coll_build(a, &c, &err);
        ok(s != NULL && machine_runs(&nccl, s, &o, &err),
           "nccl: %s-%s, %s: %s", a->name, a->collective,
           dtype_name(o.input.type), err.text);
    }
}

/* Stops a run that would never end. Returns what was found. */
static const char *
stop_finding(const struct schedule *s)
{
    static const int64_t delays[3] = {DELAY_FOREVER, 0, 0};
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 900, NULL},
                            .watched = true, .delays = delays};
    struct err err = {.text = ""};
    int64_t at_ns;
    void *run = machine_gpu.new(s, &o, &err);

    if (run == NULL || !machine_gpu.grant(run, s->nsteps, &at_ns, &err))
        return "it can not be started";
    usleep(20000);
    machine_gpu.free(run);
    return ptx_finding();
}

static void
test_stop(void)
{
    OWNS(schedule) *s = ring(3);
    const char *finding = stop_finding(s);

    ok(finding == NULL, "it can be stopped: %s",
       finding != NULL ? finding : "");
}

/* Starts the kernel that compares clocks and asks it nothing.  Returns how long
 * it takes to give up, or -1 if that is more than five seconds. */
static int64_t
clock_gives_up_ns(uint64_t patience_ns, bool stop)
{
    void *memory;
    cudaStream_t stream;
    bool ready = cudaSetDevice(0) == cudaSuccess &&
                 cudaStreamCreateWithFlags(&stream, 0) == cudaSuccess &&
                 cudaHostAlloc(&memory, sizeof(struct kernel_desk), 0) ==
                     cudaSuccess;
    struct kernel_desk *desk = memory;
    struct kernel_clock call = {desk, 1, patience_ns};
    void *arguments[] = {&call};
    int64_t begin = clock_ns(), took = 0;

    *desk = (struct kernel_desk){.stop = stop};
    ready = ready && cudaLaunchKernel((const void *)kernel_clock_tell,
                                      (dim3){1, 1, 1}, (dim3){1, 1, 1},
                                      arguments, 0, stream) == cudaSuccess;
    while (cudaStreamQuery(stream) == cudaErrorNotReady && took < FIVE_S)
        took = clock_ns() - begin;
    took = ready && took < FIVE_S && desk->answered == 0 ? clock_ns() - begin
                                                         : -1;
    __atomic_store_n(&desk->stop, 1, __ATOMIC_RELEASE);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(memory);
    return took;
}

/* The kernel that compares clocks must not wait for ever for a host that waits
 * for it. */
static void
test_clock(void)
{
    int64_t took = clock_gives_up_ns(30000000, false);

    ok(took >= 30000000, "without a question the clock's kernel gives up: "
       "after %d us", (int)(took / 1000));
    took = clock_gives_up_ns((uint64_t)10 * FIVE_S, true);
    ok(took >= 0, "it stops when asked to: after %d us", (int)(took / 1000));
    ok(ptx_finding() == NULL, "nothing is found in it");
}

/* Works of a rank over MPI, whose rows are not on the GPU: slot 0 = slot 1 +
 * slot 2, slot 1 = slot 0, and a report of slot 1. */
static void
test_no_rows(void)
{
    enum { RANKS = 3, LENGTH = 5, WORDS = 64 };
    static const uint64_t unseen = 0x5eed;
    struct nccl_kernel_work work = {
        .type = DTYPE_INT32, .redop = REDOP_SUM, .nranks = RANKS,
        .element = sizeof(int32_t), .length = LENGTH};
    int row = ledger_words(RANKS);
    void *memory, *report;
    cudaStream_t stream;
    struct err err = {.text = ""};
    int32_t *slots;
    uint64_t *content;
    bool done;

    if (cudaSetDevice(0) != cudaSuccess ||
        cudaStreamCreateWithFlags(&stream, 0) != cudaSuccess ||
        cudaMalloc(&memory, 3 * 256) != cudaSuccess ||
        cudaHostAlloc(&report, WORDS * sizeof *content, 0) != cudaSuccess)
        abort();
    content = report;
    slots = memory;
    for (int i = 0; i < LENGTH; i++) {
        slots[64 + i] = 10 * i;
        slots[128 + i] = i;
    }
    for (int i = 0; i < row; i++)
        content[i] = unseen;
    work.op = WORK_COMBINE;
    work.to = slots, work.add = slots + 64, work.from = slots + 128;
    done = nccl_launch(&work, stream, &err);
    work.op = WORK_COPY;
    work.to = slots + 64, work.add = work.from = slots;
    done = done && nccl_launch(&work, stream, &err);
    work.op = WORK_REPORT;
    work.content = content;
    done = done && nccl_launch(&work, stream, &err) &&
           cudaStreamSynchronize(stream) == cudaSuccess;
    for (int i = 0; i < LENGTH; i++)
        done = done && slots[64 + i] == 11 * i;
    for (int i = 0; i < row; i++)
        done = done && content[i] == unseen;
    ok(done && content[row] == LENGTH && content[row + 2] == 11 &&
           ptx_finding() == NULL,
       "works without rows%s", err.text);
    cudaStreamDestroy(stream);
    cudaFree(memory);
    cudaFreeHost(report);
}

/* Short runs that reach all of the kernel. Returns whether they find
 * anything. */
static bool
finds(struct err *err)
{
    static const struct {
        const char *name;
        enum redop op;
        int64_t count;
        struct fault fault;
        bool watched;
    } runs_of[] = {
        {"ring-allreduce", REDOP_SUM, 900, {FAULT_NONE, 0, 0}, true},
        {"ring-allreduce", REDOP_AVG, 900, {FAULT_NONE, 0, 0}, true},
        {"ring-allreduce", REDOP_SUM, 900, {FAULT_NONE, 0, 0}, false},
        {"ring-allreduce", REDOP_SUM, 3, {FAULT_CORRUPT, 3, 2}, true},
        /* waits for two ranks, neither of which has waited for the other */
        {"naive-allreduce", REDOP_SUM, 900, {FAULT_NONE, 0, 0}, false},
    };
    enum { RUNS = 2 * sizeof runs_of / sizeof runs_of[0] }; /* 1 and 2 GPUs */
    struct coll_options three = {.nranks = 3, .in_place = true};
    struct schedule *s = NULL;
    const char *stopped;
    bool found = false;

    for (int i = 0; i < RUNS && !found; i++) {
        struct run_options o = {
            .input = {DTYPE_INT32, runs_of[i / 2].op, runs_of[i / 2].count,
                      NULL},
            .watched = runs_of[i / 2].watched, .free = true,
            .fault = runs_of[i / 2].fault};
        schedule_free(s);
        s = build(runs_of[i / 2].name, &three);
        use_gpus(1 + i % 2);
        err->text[0] = '\0';
        found = !runs(s, &o, err) && (o.fault.kind == FAULT_NONE ||
                                      strstr(err->text, "expected") == NULL);
    }
    schedule_free(s);
    s = ring(3);
    if (!found && (stopped = stop_finding(s)) != NULL)
        found = !err_set(err, "%s", stopped);
    schedule_free(s);
    return found;
}

int
main(int argc, char *argv[])
{
    struct err err = {.text = ""};

    if (argc < 2 || !ptx_open(argv[1]))
        return 2;
    if (argc > 2) {
        ptx_fault = atoi(argv[2]);
        bool found = finds(&err);
        puts(found ? err.text : "nothing was found");
        return !found;
    }
    test_algorithms();
    test_types();
    test_ways();
    test_stop();
    test_clock();
    test_nccl();
    test_no_rows();
    return done_testing();
}
