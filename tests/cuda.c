/* SPDX-License-Identifier: MIT */
/* The CUDA worker without a GPU: its arithmetic, and all of its host code on a
 * fake of CUDA's runtime (tests/fake_cuda), driven as the front end drives
 * workers.  tests/collviz-cuda is that worker; the backend finds it because it
 * lies beside this program. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "play.h"
#include "processes.h"
#include "run/rank_call.h"
#include "run/request.h"
#include "tap.h"
#include "timed.h"
#include "unwritten.h"
#include "workers/cuda/placement.h"

/* What the fake of CUDA pretends; NULL: its default. */
struct fake_gpus {
    const char *gpus, *peer, *blocks, *fail, *error, *hang, *last_first,
        *driver, *blocking, *mig;
};

static void
set_gpus(const struct fake_gpus *m)
{
    const char *const names[] = {"FAKE_CUDA_GPUS", "FAKE_CUDA_PEER",
                                 "FAKE_CUDA_BLOCKS", "FAKE_CUDA_FAIL",
                                 "FAKE_CUDA_ERROR", "FAKE_CUDA_HANG",
                                 "FAKE_CUDA_LAST_FIRST",
                                 "FAKE_CUDA_DRIVER", "FAKE_CUDA_BLOCKING",
                                 "FAKE_CUDA_MIG"};
    const char *const values[] = {m->gpus, m->peer, m->blocks,
                                  m->fail, m->error, m->hang, m->last_first,
                                  m->driver, m->blocking, m->mig};

    for (int i = 0; i < 10; i++)
        if (values[i] != NULL)
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
}

static bool
runs(const struct schedule *s, const struct run_options *o, struct err *err)
{
    return runs_on(&backend_cuda, s, o, err);
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
                wrong += on < 1 || on > (n + p.ngpus - 1) / p.ngpus;
            }
            wrong += placement_first(&p, p.ngpus) != n || p.ngpus > g;
        }
    is_int(wrong, 0, "up to 40 ranks on 16 GPUs: every rank on one GPU, "
           "neighbours together, no GPU without ranks");
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
           "none: ranks 1 and 3 send to the other GPU, so all they hold is");
    ok(!staged[0] && staged[4] && !staged[8] && staged[12],
       "nothing of the other ranks is");
    memset(staged, 0, sizeof staged);
    is_int(placement_stage(&placement, p, one_way, staged), 4,
           "peer access one way: what is pulled the other way");
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
    is_int(launch_slice(8, 4), 8, "a small chunk is one slice");
    is_int(launch_slice(1 << 30, 4), 4 << 20, "a large one is cut");
    is_int(launch_slice(1 << 30, 300), 1 << 20, "into no tiny slices");
    ok(launch_slice(1 << 30, 2) > launch_slice(1 << 30, 3),
       "smaller ones where more ranks share a GPU's cache");
}

static void
test_algorithms(void)
{
    static const struct fake_gpus machines[] = {
        {.gpus = "1"}, {.gpus = "2"}, {.gpus = "3", .peer = "0"},
    };
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        int wrong = 0;
        for (int n = 2; n <= 9; n++) {
            set_gpus(&machines[(i + n) % 3]);
            wrong += !algorithm_is_as_threads(&backend_cuda, i, n);
        }
        is_int(wrong, 0, "%s-%s on 2 to 9 ranks", a->name, a->collective);
    }
}

/* Calls that queue in one stream, and calls that wait for other GPUs. */
static void
test_timed(void)
{
    static const struct fake_gpus machines[] = {
        {.gpus = "1"}, {.gpus = "2"}, {.gpus = "3", .peer = "0"},
    };
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        int failed = 0;
        for (int n = 2; n <= 5; n++) {
            set_gpus(&machines[(i + n) % 3]);
            failed += count_untimed(&backend_cuda, i, n);
        }
        is_int(failed, 0, "%s-%s, timed", a->name, a->collective);
    }
}

static void
test_types(void)
{
    struct fake_gpus two = {.gpus = "2"};
    struct schedule *s = ring(3);

    set_gpus(&two);
    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < redop_count((enum dtype)type); op++) {
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

/* Several blocks a rank, and several slices. */
static void
test_large(void)
{
    struct fake_gpus one = {.gpus = "1"}, two = {.gpus = "2"};
    struct schedule *s = ring(2);
    struct run_options o = {.input = {DTYPE_FLOAT64, REDOP_SUM, 2200003, NULL},
                            .free = true};
    struct err err = {""};

    set_gpus(&one);
    ok(runs(s, &o, &err), "chunks of 9 MB, in slices: %s", err.text);
    o.input.op = REDOP_AVG;
    set_gpus(&two);
    ok(runs(s, &o, &err), "each block divides what it wrote: %s", err.text);
    o.input.count = 4001;
    o.free = false;
    ok(runs(s, &o, &err), "a step at a time: %s", err.text);
    schedule_free(s);
}

/* Some chunks, and so some stripes, are an element longer than others: a block
 * that is far ahead must not touch elements that another block still needs. */
static void
test_stripes(void)
{
    static const struct fake_gpus machines[] = {
        {.gpus = "1"}, {.gpus = "1", .last_first = "1"}};
    static const char *const names[] = {
        "ring-alltoall", "bruck-alltoall", "bruck-allgather",
        "ring-allreduce", "butterfly-allreduce", "chain-broadcast"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int m = 0; m < 2; m++) {
            int n = 3 + (int)(i % 2);
            struct coll_options o = {.nranks = n, .in_place = true};
            struct schedule *s = build(names[i], &o);
            int64_t count =
                s == NULL ? 0 : s->nchunks * 130 * RANK_STRIPE + 1;
            struct run_options r = {
                .input = {DTYPE_UINT8, REDOP_MAX, count, NULL}, .free = true};
            struct err err = {""};
            set_gpus(&machines[m]);
            ok(s != NULL && runs(s, &r, &err), "%s on %d ranks, %s: %s",
               names[i], n, m > 0 ? "last blocks first" : "first blocks first",
               err.text);
            schedule_free(s);
        }
}

/* Returns how many copies a run of the ring on a GPU takes. */
static int
copies(int nranks, const char *file)
{
    struct schedule *s = ring(nranks);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 1000, NULL},
                            .free = true};
    struct err err = {""};
    int count = -1;
    FILE *in;

    setenv("FAKE_CUDA_COPIES", file, 1);
    ok(runs(s, &o, &err), "%d ranks: %s", nranks, err.text);
    unsetenv("FAKE_CUDA_COPIES");
    in = fopen(file, "r");
    if (in == NULL || fscanf(in, "%d", &count) != 1)
        diag("%s cannot be read", file);
    if (in != NULL)
        fclose(in);
    schedule_free(s);
    return count;
}

/* All inputs go to a GPU in one copy, and all outputs come back in one. */
static void
test_copies(void)
{
    char file[] = "/tmp/collviz-copies-XXXXXX";
    int fd = mkstemp(file);

    set_gpus(&(struct fake_gpus){.gpus = "1"});
    is_int(copies(9, file), copies(2, file),
           "9 ranks on a GPU take as many copies as 2");
    close(fd);
    unlink(file);
}

/* Values that were typed arrive with the same bits. */
static void
test_given(void)
{
    static const double given[] = {0.1, 1e300, -1.0 / 3, 5e-324, 7, -0.0};
    struct fake_gpus one = {.gpus = "1"};
    struct schedule *s = ring(2);
    struct run_options o = {.input = {DTYPE_FLOAT64, REDOP_MAX, 3,
                                      (const unsigned char *)given}};
    struct reported reported;
    struct err err = {""};
    double value;

    set_gpus(&one);
    ok(run_on(&backend_cuda, s, &o, &reported, &err), "a given input: %s",
       err.text);
    memcpy(&value, reported.contents + ledger_words(2) + 1, sizeof value);
    ok(value == 0.1, "is what rank 0 has");
    reported_done(&reported);
    schedule_free(s);
}

static void
test_delays(void)
{
    struct fake_gpus one = {.gpus = "1"};
    int64_t delays[3] = {0, 20000000, 0};
    struct schedule *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .free = true, .delays = delays};
    struct err err = {""};
    int64_t begin = clock_ns();

    set_gpus(&one);
    ok(runs(s, &o, &err), "a slow rank: %s", err.text);
    ok(clock_ns() - begin > 4 * delays[1], "delays each of its steps");
    schedule_free(s);
}

static void
test_faults(void)
{
    static const struct {
        enum instr_fault fault;
        enum redop op;
        const char *found; /* in the reason */
    } cases[] = {
        {FAULT_DROP, REDOP_SUM, "expected"},
        {FAULT_REPEAT, REDOP_MAX, "2*"}, /* seen by the ledger alone */
        {FAULT_CORRUPT, REDOP_SUM, "expected"},
    };
    struct fake_gpus two = {.gpus = "2", .peer = "0"};
    struct schedule *s = ring(3);

    set_gpus(&two);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_options o = {
            .input = {DTYPE_INT32, cases[i].op, 6, NULL},
            .fault = {cases[i].fault, 1, 2}};
        struct reported reported;
        struct err err = {""};
        run_on(&backend_cuda, s, &o, &reported, &err);
        ok(!reported.correct && strstr(reported.why, cases[i].found) != NULL,
           "fault %d is seen: %s", cases[i].fault, reported.why);
        reported_done(&reported);
    }
    schedule_free(s);
}

/* Starts a run that never ends. */
static struct run *
endless(const struct schedule *s)
{
    static int64_t delays[3] = {DELAY_FOREVER, 0, 0};
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .free = true, .delays = delays};
    struct err err;
    struct run *run = run_open(&backend_cuda, s, &o, &err);
    struct item item;
    enum run_got got;

    while ((got = run_next(run, &item, &err)) != RUN_CAUGHT_UP)
        if (got == RUN_LATER)
            wait_for(run);
    run_grant(run, s->nsteps, &err);
    while (run_next(run, &item, &err) == RUN_ITEM)
        continue;
    return run;
}

static void
test_abort(void)
{
    struct fake_gpus one = {.gpus = "1"}, hangs = {.gpus = "1", .hang = "1"};
    struct schedule *s = ring(3);

    for (int hang = 0; hang < 2; hang++) {
        struct run *run;
        int64_t begin;
        set_gpus(hang ? &hangs : &one);
        run = endless(s);
        begin = clock_ns();
        run_close(run);
        ok(clock_ns() - begin < 1000000000, "a run whose kernel %s is closed "
           "within a second", hang ? "does not stop" : "waits for ever");
        ok(process_child(getpid()) == 0, "its worker is gone");
    }
    schedule_free(s);
}

/* The worker gets this signal; the error has this text. */
static void
signalled(int number, const char *said)
{
    struct fake_gpus one = {.gpus = "1"};
    struct schedule *s = ring(3);
    struct run *run;
    struct item item;
    enum run_got got;
    struct err err = {""};
    pid_t worker;

    set_gpus(&one);
    run = endless(s);
    worker = process_child(getpid());
    if (!ok(worker > 0, "a worker runs"))
        exit(99);
    process_signal(worker, number);
    while ((got = run_next(run, &item, &err)) != RUN_FAILED)
        if (got == RUN_LATER && !wait_for(run))
            break;
    if (!ok(strstr(err.text, said) != NULL, "signal %d to the worker: it %s",
            number, said))
        diag("%s", err.text);
    run_close(run);
    ok(process_child(getpid()) == 0, "the worker is gone");
    schedule_free(s);
}

/* Runs the ring on two GPUs between which there is no peer access, and looks at
 * how they are described. */
static void
goes_through_host_memory(const char *first, const char *second)
{
    struct schedule *s = ring(4);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 40, NULL}};
    struct run *run;
    struct item item;
    enum run_got got;
    struct err err = {""};

    run = run_open(&backend_cuda, s, &o, &err);
    while ((got = run_next(run, &item, &err)) == RUN_LATER)
        wait_for(run);
    if (ok(got == RUN_ITEM && item.type == ITEM_RUN, "it begins: %s",
           err.text)) {
        is_str(item.run->devices[0], first, "the first GPU");
        is_str(item.run->devices[1], second, "the second");
    }
    run_close(run);
    ok(runs(s, &o, &err), "the result is right: %s", err.text);
    schedule_free(s);
}

/* Peer access that CUDA offers, but that does not work, is not used. */
static void
test_no_peer_access(void)
{
    static const char first[] = "Fake GPU 0000:0a:00.0, read through host "
                                "memory";
    static const char second[] = "Fake GPU 0000:0b:00.0, read through host "
                                 "memory";

    set_gpus(&(struct fake_gpus){.gpus = "2"});
    setenv("FAKE_CUDA_IOMMU", "1", 1);
    goes_through_host_memory(first, second);
    unsetenv("FAKE_CUDA_IOMMU");
    set_gpus(&(struct fake_gpus){.gpus = "2", .peer = "2"});
    goes_through_host_memory(first, second);
}

/* A MIG device has the bus of its GPU, and a UUID of its own. */
static void
test_mig(void)
{
    struct buf lines = {0};
    struct err err = {""};

    set_gpus(&(struct fake_gpus){.gpus = "1", .mig = "1"});
    ok(devices_ask(&backend_cuda, &lines, &err), "a MIG device is listed: %s",
       err.text);
    is_str(buf_text(&lines),
           "Fake GPU MIG 1g.10gb 0000:0a:00.0 a0a1a2a3, 1 multiprocessors; "
           "CUDA shows a program only one MIG device\n", "as one");
    buf_clear(&lines);
    set_gpus(&(struct fake_gpus){.gpus = "2", .mig = "1"});
    ok(devices_ask(&backend_cuda, &lines, &err), "two are listed: %s",
       err.text);
    is_str(buf_text(&lines),
           "Fake GPU MIG 1g.10gb 0000:0a:00.0 a0a1a2a3, 1 multiprocessors, "
           "reaches the memory of 0 of 1 other GPU\n"
           "Fake GPU MIG 1g.10gb 0000:0a:00.0 b0b1b2b3, 1 multiprocessors, "
           "reaches the memory of 0 of 1 other GPU\n",
           "if CUDA shows two, they have different names");
    goes_through_host_memory("Fake GPU MIG 1g.10gb 0000:0a:00.0 a0a1a2a3, read "
                             "through host memory",
                             "Fake GPU MIG 1g.10gb 0000:0a:00.0 b0b1b2b3, read "
                             "through host memory");
    buf_done(&lines);
}

/* Each call to CUDA fails once. */
static void
test_failures(void)
{
    static const struct fake_gpus machines[] = {
        {.gpus = "1", .error = "2"},
        {.gpus = "2", .error = "719"},
        {.gpus = "2", .peer = "0"},
    };
    struct schedule *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL}};

    for (int i = 0; i < 3; i++) {
        struct fake_gpus m = machines[i];
        int calls = 0, bad = 0;
        bool right = false;
        while (!right && calls < 500) {
            char number[16];
            struct err err = {""};
            int64_t begin = clock_ns();
            snprintf(number, sizeof number, "%d", ++calls);
            m.fail = number;
            set_gpus(&m);
            o.free = calls % 2;
            right = runs(s, &o, &err);
            if (clock_ns() - begin > INT64_C(5000000000) ||
                (!right && strncmp(err.text, "collviz-cuda: ", 14) != 0)) {
                bad++;
                diag("call %d: %s", calls, err.text);
            }
        }
        ok(bad == 0 && right, "each of %d calls fails once: each time there is "
           "an error", calls - 1);
    }
    schedule_free(s);
}

static void
says(const struct fake_gpus *m, int nranks, const char *sentence)
{
    struct schedule *s = ring(nranks);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .free = true};
    struct err err = {""};

    set_gpus(m);
    if (!ok(!runs(s, &o, &err) && strstr(err.text, sentence) != NULL,
            "the error says: %s", sentence))
        diag("%s", err.text);
    schedule_free(s);
}

/* A launch returns once its kernel is over, as under a profiler or on WSL.  The
 * kernel that compares clocks waits for the host, and the host for the launch:
 * the kernel gives up, and then the host, before the front end would. */
static void
test_blocking_launches(void)
{
    int64_t begin = clock_ns();

    says(&(struct fake_gpus){.gpus = "1", .blocking = "1"}, 3,
         "does a profiler or WSL make launches block?");
    ok(clock_ns() - begin < INT64_C(5500000000), "within 5 seconds");
}

/* What collviz doctor shows. */
static void
test_devices(void)
{
    struct buf lines = {0};
    struct err err = {""};

    set_gpus(&(struct fake_gpus){.gpus = "2"});
    ok(devices_ask(&backend_cuda, &lines, &err), "devices are listed: %s",
       err.text);
    is_str(buf_text(&lines),
           "Fake GPU 0000:0a:00.0, 1 multiprocessors, reaches the memory of "
           "1 of 1 other GPU\n"
           "Fake GPU 0000:0b:00.0, 1 multiprocessors, reaches the memory of "
           "1 of 1 other GPU\n", "with the memory that they reach");
    buf_clear(&lines);
    set_gpus(&(struct fake_gpus){.driver = "0"});
    ok(!devices_ask(&backend_cuda, &lines, &err) &&
           strstr(err.text, "no NVIDIA driver") != NULL &&
           lines.length == 0, "without a driver the reason is given: %s",
       err.text);
    buf_done(&lines);
}

static void
test_sentences(void)
{
    says(&(struct fake_gpus){.gpus = "0"}, 3, "CUDA finds no NVIDIA GPU");
    says(&(struct fake_gpus){.driver = "0"}, 3,
         "there is no NVIDIA driver on this machine: install one for CUDA "
         "13.0 or newer, if it has a GPU (--backend threads");
    says(&(struct fake_gpus){.fail = "3", .error = "35"}, 3,
         "install a newer one");
    says(&(struct fake_gpus){.fail = "3", .error = "100"}, 3,
         "CUDA_VISIBLE_DEVICES");
    says(&(struct fake_gpus){.fail = "3", .error = "46"}, 3,
         "EXCLUSIVE_PROCESS");
    says(&(struct fake_gpus){.blocks = "3"}, 4,
         "can run 3 ranks at once and has to run 4: take at most 3 ranks");
}

/* A worker reads this line; the reader returns this, with this error. */
static void
takes(struct request_reader *r, const char *line, enum request_got expected,
      const char *error)
{
    struct err err = {""};
    int to = -1;
    enum request_got got = request_take(r, line, &to, &err);

    if (!ok(got == expected && strstr(err.text, error) != NULL, "%s", line))
        diag("%d, %s", got, err.text);
}

/* Gives a reader what request_write_load() writes, without the last line. */
static struct request_reader *
loaded_reader(const struct schedule *s, const struct run_options *o)
{
    struct request_reader *r = request_reader_new();
    struct buf lines = {0};
    struct err err;
    char *line, *rest;
    int to;

    request_write_load(s, o, &lines);
    rest = lines.data;
    while ((line = strsep(&rest, "\n")) != NULL && strstr(line, "load") == NULL)
        if (request_take(r, line, &to, &err) != REQUEST_MORE)
            diag("%s: %s", line, err.text);
    buf_done(&lines);
    return r;
}

static void
test_requests(void)
{
    int64_t delays[3] = {0, 5, DELAY_FOREVER};
    struct schedule *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_MIN, 6, NULL},
                            .free = true, .delays = delays,
                            .fault = {FAULT_REPEAT, 2, 1}};
    struct request_reader *r = loaded_reader(s, &o);
    const struct run_options *got = request_options(r);
    const struct schedule *same = request_schedule(r);

    ok(same != NULL && same->ntransfers == s->ntransfers &&
           same->nsteps == s->nsteps, "the schedule arrives");
    ok(got->input.type == DTYPE_INT32 && got->input.op == REDOP_MIN &&
           got->input.count == 6 && got->free && got->input.given == NULL,
       "type, operator, count and pace arrive");
    ok(got->delays[0] == 0 && got->delays[1] == 5 &&
           got->delays[2] == DELAY_FOREVER, "delays arrive");
    ok(got->fault.kind == FAULT_REPEAT && got->fault.step == 2 &&
           got->fault.src == 1, "a fault arrives");
    takes(r, "hello", REQUEST_FAILED, "not JSON");
    takes(r, "{\"type\":\"go\",\"to\":1}", REQUEST_FAILED, "misplaced");
    takes(r, "{\"type\":\"delay\",\"rank\":3,\"ns\":1}", REQUEST_FAILED,
          "\"rank\" is 3");
    takes(r, "{\"type\":\"input\",\"rank\":0,\"from\":5,\"values\":[\"1\","
             "\"2\"]}", REQUEST_FAILED, "2 items");
    takes(r, "{\"type\":\"input\",\"rank\":0,\"from\":5,\"values\":[\"x\"]}",
          REQUEST_FAILED, "not of type int32");
    takes(r, "{\"type\":\"fault\",\"kind\":\"eat\",\"step\":1,\"src\":0}",
          REQUEST_FAILED, "\"eat\"");
    takes(r, "{\"type\":\"load\",\"in_turn\":true}", REQUEST_LOAD, "");
    takes(r, "{\"type\":\"load\",\"in_turn\":true}", REQUEST_FAILED,
          "misplaced");
    takes(r, "{\"type\":\"go\",\"to\":0}", REQUEST_FAILED, "1 to 4");
    takes(r, "{\"type\":\"go\",\"to\":2}", REQUEST_GO, "");
    takes(r, "{\"type\":\"go\",\"to\":2}", REQUEST_FAILED, "3 to 4");
    takes(r, "{\"type\":\"go\",\"to\":4}", REQUEST_GO, "");
    takes(r, "{\"type\":\"go\",\"to\":4}", REQUEST_FAILED, "all steps");
    takes(r, "{\"type\":\"abort\"}", REQUEST_ABORT, "");
    request_reader_free(r);
    schedule_free(s);
}

/* The last line of a request that asks for an algorithm of the library's. */
static void
test_request_native(void)
{
    static const char start[] = "{\"type\":\"load\",\"in_turn\":false,"
                                  "\"native_algorithm\":";
    struct schedule *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .native = true, .native_algorithm = "a \"ring\""};
    struct request_reader *r = loaded_reader(s, &o);
    struct buf lines = {0}, line = {0};

    ok(request_options(r)->native_algorithm == NULL, "no algorithm yet");
    buf_addf(&line, "%s7}", start);
    takes(r, buf_text(&line), REQUEST_FAILED, "native_algorithm");
    buf_clear(&line);
    buf_addf(&line, "%s\"%0200d\"}", start, 7);
    takes(r, buf_text(&line), REQUEST_FAILED, "native_algorithm");
    request_write_load(s, &o, &lines);
    lines.data[lines.length - 1] = '\0';
    takes(r, strrchr(lines.data, '\n') + 1, REQUEST_LOAD, "");
    ok(request_options(r)->native, "the library's own is to be run");
    is_str(request_options(r)->native_algorithm, "a \"ring\"",
           "with this algorithm");
    buf_done(&lines);
    buf_done(&line);
    request_reader_free(r);
    schedule_free(s);
}

/* More values than one line has arrive in their places; and a worker does not
 * take more of them than anybody types. */
static void
test_request_inputs(void)
{
    enum { COUNT = 2500 };
    int32_t given[2 * COUNT];
    struct schedule *s = ring(2);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, COUNT,
                                      (const unsigned char *)given}};
    struct request_reader *r;

    for (int i = 0; i < 2 * COUNT; i++)
        given[i] = 7 * i;
    r = loaded_reader(s, &o);
    ok(memcmp(request_options(r)->input.given, given, sizeof given) == 0,
       "many values arrive as they were given");
    request_reader_free(r);
    o.input = (struct input){DTYPE_INT32, REDOP_SUM, 1 << 30, NULL, 0};
    r = loaded_reader(s, &o);
    takes(r, "{\"type\":\"input\",\"rank\":0,\"from\":0,\"values\":[\"1\"]}",
          REQUEST_FAILED, "more input");
    request_reader_free(r);
    schedule_free(s);
}

/* What a GPU's memory holds that nobody wrote shows in values and ledger, as on
 * threads. */
static void
test_unwritten(void)
{
    for (int way = 0; way < UNWRITTEN_WAYS; way++) {
        set_gpus(&(struct fake_gpus){.gpus = way % 2 ? "2" : "1", .peer = "0"});
        check_unwritten(&backend_cuda, way);
    }
}

int
main(void)
{
    signal(SIGPIPE, SIG_IGN);
    test_placement();
    test_staging();
    test_launch();
    test_requests();
    test_request_native();
    test_request_inputs();
    test_types();
    test_large();
    test_stripes();
    test_copies();
    test_given();
    test_delays();
    test_faults();
    test_unwritten();
    test_abort();
    signalled(SIGKILL, "was ended by signal 9");
    signalled(SIGSTOP, "has said nothing for 5 seconds");
    test_no_peer_access();
    test_mig();
    test_failures();
    test_sentences();
    test_blocking_launches();
    test_devices();
    test_algorithms();
    test_timed();
    return done_testing();
}
