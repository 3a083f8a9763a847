/* SPDX-License-Identifier: MIT */
/* The CUDA worker without a GPU: its arithmetic, and all of its host code on a
 * fake of CUDA's runtime (tests/fake_cuda), driven as the front end drives
 * workers.  tests/collviz-cuda is that worker; the backend finds it because it
 * lies beside this program. */
#include <sys/wait.h>

#include "fake_gpus.h"
#include "run/rank_call.h"
#include "run/request.h"
#include "workers/cuda/placement.h"

OWN_FREE(request_reader)

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
    OWNS(schedule) *s = ring(4);
    OWNS(program) *p = program_lower(s);
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
}

static void
test_launch(void)
{
    struct launch_gpu gpus[] = {{"GPU a", 2, 264}, {"GPU b", 1, 100}};
    struct err err = {.text = ""};
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

/* Several blocks a rank, and several slices. */
static void
test_large(void)
{
    OWNS(schedule) *s = ring(2);
    struct run_options o = {.input = {DTYPE_FLOAT64, REDOP_SUM, 2200003, NULL},
                            .free = true};
    struct err err = {.text = ""};

    pretend("CUDA_GPUS=1");
    ok(runs(s, &o, &err), "chunks of 9 MB, in slices: %s", err.text);
    o.input.op = REDOP_AVG;
    pretend("CUDA_GPUS=2");
    ok(runs(s, &o, &err), "each block divides what it wrote: %s", err.text);
    o.input.count = 4001;
    o.free = false;
    ok(runs(s, &o, &err), "a step at a time: %s", err.text);
}

/* Some chunks, and so some stripes, are an element longer than others: a block
 * that is far ahead must not touch elements that another block still needs. */
static void
test_stripes(void)
{
    static const char *const names[] = {
        "ring-alltoall", "bruck-alltoall", "bruck-allgather",
        "ring-allreduce", "butterfly-allreduce", "chain-broadcast"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int m = 0; m < 2; m++) {
            int n = 3 + (int)(i % 2);
            struct coll_options o = {.nranks = n, .in_place = true};
            OWNS(schedule) *s = build(names[i], &o);
            int64_t count =
                s == NULL ? 0 : s->nchunks * 130 * RANK_STRIPE + 1;
            struct run_options r = {
                .input = {DTYPE_UINT8, REDOP_MAX, count, NULL}, .free = true};
            struct err err = {.text = ""};
            pretend(m > 0 ? "CUDA_LAST_FIRST=1" : "");
            ok(s != NULL && runs(s, &r, &err), "%s on %d ranks, %s: %s",
               names[i], n, m > 0 ? "last blocks first" : "first blocks first",
               err.text);
        }
}

/* Returns how many copies a run of the ring on a GPU takes. */
static int
copies(int nranks, const char *file)
{
    OWNS(schedule) *s = ring(nranks);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 1000, NULL},
                            .free = true};
    struct err err = {.text = ""};
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
    return count;
}

/* All inputs go to a GPU in one copy, and all outputs come back in one. */
static void
test_copies(void)
{
    char file[] = "/tmp/collviz-copies-XXXXXX";
    int fd = mkstemp(file);

    pretend("CUDA_GPUS=1");
    is_int(copies(9, file), copies(2, file),
           "9 ranks on a GPU take as many copies as 2");
    close(fd);
    unlink(file);
}

static void
test_delays(void)
{
    int64_t delays[3] = {0, 20000000, 0};
    OWNS(schedule) *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .free = true, .delays = delays};
    struct err err = {.text = ""};
    int64_t begin = clock_ns();

    pretend("CUDA_GPUS=1");
    ok(runs(s, &o, &err), "a slow rank: %s", err.text);
    ok(clock_ns() - begin > 4 * delays[1], "delays each of its steps");
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

    if (!ok(run != NULL, "the worker starts: %s", run ? "" : err.text))
        exit(99);
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
    OWNS(schedule) *s = ring(3);

    for (int hang = 0; hang < 2; hang++) {
        struct run *run;
        int64_t begin;
        pretend(hang ? "CUDA_HANG=1" : "");
        run = endless(s);
        begin = clock_ns();
        run_close(run);
        ok(clock_ns() - begin < 1000000000, "a run whose kernel %s is closed "
           "within a second", hang ? "does not stop" : "waits for ever");
        ok(process_child(getpid()) == 0, "its worker is gone");
    }
}

/* The worker gets this signal; the error has this text. */
static void
signalled(int number, const char *said)
{
    OWNS(schedule) *s = ring(3);
    struct run *run;
    struct item item;
    enum run_got got;
    struct err err = {.text = ""};
    pid_t worker;

    pretend("CUDA_GPUS=1");
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
}

/* A worker that is stopped, in a child of its own: others need not wait for the
 * five seconds.  Returns the child, whose status is 0 if all is right. */
static pid_t
stopped_beside(void)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    tap_failures = freopen("/dev/null", "w", stdout) == NULL;
    signalled(SIGSTOP, "has said nothing for 5 seconds");
    _exit(tap_failures > 0);
}

/* Runs the ring on two GPUs between which there is no peer access, and looks at
 * how they are described. */
static void
goes_through_host_memory(const char *first, const char *second)
{
    OWNS(schedule) *s = ring(4);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 40, NULL}};
    struct run *run;
    struct item item;
    enum run_got got;
    struct err err = {.text = ""};

    run = run_open(&backend_cuda, s, &o, &err);
    if (!ok(run != NULL, "the worker starts: %s", err.text))
        exit(99);
    while ((got = run_next(run, &item, &err)) == RUN_LATER)
        wait_for(run);
    if (ok(got == RUN_ITEM && item.type == ITEM_RUN, "it begins: %s",
           err.text)) {
        is_str(item.run->devices[0], first, "the first GPU");
        is_str(item.run->devices[1], second, "the second");
    }
    run_close(run);
    ok(runs(s, &o, &err), "the result is right: %s", err.text);
}

/* Peer access that CUDA offers, but that does not work, is not used. */
static void
test_no_peer_access(void)
{
    static const char first[] = "Fake GPU 0000:0a:00.0, read through host "
                                "memory";
    static const char second[] = "Fake GPU 0000:0b:00.0, read through host "
                                 "memory";

    pretend("CUDA_GPUS=2 CUDA_IOMMU=1");
    goes_through_host_memory(first, second);
    pretend("CUDA_GPUS=2 CUDA_PEER=2");
    goes_through_host_memory(first, second);
}

/* A MIG device has the bus of its GPU, and a UUID of its own.  If CUDA shows
 * two, they have different names. */
static void
test_mig(void)
{
#define MIG "Fake GPU MIG 1g.10gb 0000:0a:00.0 "
    pretend("CUDA_GPUS=1 CUDA_MIG=1");
    lists(&backend_cuda, MIG "a0a1a2a3, 1 multiprocessors; CUDA shows a "
          "program only one MIG device\n", "");
    pretend("CUDA_GPUS=2 CUDA_MIG=1");
    lists(&backend_cuda, MIG "a0a1a2a3, 1 multiprocessors, reaches the memory "
          "of 0 of 1 other GPU\n" MIG "b0b1b2b3, 1 multiprocessors, reaches "
          "the memory of 0 of 1 other GPU\n", "");
    goes_through_host_memory(MIG "a0a1a2a3, read through host memory",
                             MIG "b0b1b2b3, read through host memory");
}

/* Each call to CUDA fails once. */
static void
test_failures(void)
{
    static const char *const machines[] = {
        "CUDA_GPUS=1 CUDA_ERROR=2", "CUDA_GPUS=2 CUDA_ERROR=719",
        "CUDA_GPUS=2 CUDA_PEER=0"};
    OWNS(schedule) *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL}};

    for (int i = 0; i < 3; i++) {
        int calls = 0, bad = 0;
        bool right = false;
        while (!right && calls < 500) {
            char settings[64];
            struct err err = {.text = ""};
            int64_t end = hung_at();
            snprintf(settings, sizeof settings, "%s CUDA_FAIL=%d",
                     machines[i], ++calls);
            pretend(settings);
            o.free = calls % 2;
            right = runs(s, &o, &err);
            if (clock_ns() > end ||
                (!right && strncmp(err.text, "collviz-cuda: ", 14) != 0)) {
                bad++;
                diag("call %d: %s", calls, err.text);
            }
        }
        ok(bad == 0 && right, "each of %d calls fails once: each time there is "
           "an error", calls - 1);
    }
}

static void
test_sentences(void)
{
    static const struct {
        const char *settings;
        int nranks;
        const char *said;
    } rows[] = {
        {"CUDA_GPUS=0", 3, "CUDA finds no NVIDIA GPU"},
        {"CUDA_DRIVER=0", 3,
         "there is no NVIDIA driver on this machine: install one for CUDA "
         "13.0 or newer, if it has a GPU (--backend threads"},
        {"CUDA_FAIL=3 CUDA_ERROR=35", 3, "install a newer one"},
        {"CUDA_FAIL=3 CUDA_ERROR=100", 3, "CUDA_VISIBLE_DEVICES"},
        {"CUDA_FAIL=3 CUDA_ERROR=46", 3, "EXCLUSIVE_PROCESS"},
        {"CUDA_BLOCKS=3", 4,
         "can run 3 ranks at once and has to run 4: take at most 3 ranks"},
        /* A launch returns once its kernel is over, as under a profiler or on
         * WSL.  The kernel that compares clocks waits for the host, and the
         * host for the launch: the kernel gives up, and then the host, before
         * the front end would. */
        {"CUDA_BLOCKING=1", 3,
         "does a profiler or WSL make launches block?"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OWNS(schedule) *s = ring(rows[i].nranks);
        struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                                .free = true};
        struct err err = {.text = ""};
        int64_t end = hung_at();
        pretend(rows[i].settings);
        ok(!runs(s, &o, &err) && strstr(err.text, rows[i].said) != NULL,
           "the error: %s", err.text);
        ok(clock_ns() < end, "and nothing hangs");
    }
}

/* What collviz doctor shows. */
static void
test_devices(void)
{
    pretend("CUDA_GPUS=2");
    lists(&backend_cuda,
          "Fake GPU 0000:0a:00.0, 1 multiprocessors, reaches the memory of "
          "1 of 1 other GPU\n"
          "Fake GPU 0000:0b:00.0, 1 multiprocessors, reaches the memory of "
          "1 of 1 other GPU\n", "");
    pretend("CUDA_DRIVER=0");
    lists(&backend_cuda, "", "no NVIDIA driver");
}

/* A worker reads this line; the reader returns this, with this error. */
static void
takes(struct request_reader *r, const char *line, enum request_got expected,
      const char *error)
{
    struct err err = {.text = ""};
    int to = -1;
    enum request_got got = request_take(r, line, &to, &err);

    if (!ok(got == expected && strstr(err.text, error) != NULL, "%s", line))
        diag("%d, %s", got, err.text);
}

/* Gives a reader what request_write_load() writes, without the last line, which
 * is appended to `load` if that is not NULL. */
static struct request_reader *
loaded_reader(const struct schedule *s, const struct run_options *o,
              struct buf *load)
{
    struct request_reader *r = request_reader_new();
    OWN(buf) lines = {0};
    struct err err;
    char *line, *rest;
    int to;

    request_write_load(s, o, &lines);
    rest = lines.data;
    while ((line = strsep(&rest, "\n")) != NULL && strstr(line, "load") == NULL)
        if (request_take(r, line, &to, &err) != REQUEST_MORE)
            diag("%s: %s", line, err.text);
    if (load != NULL)
        buf_puts(load, line);
    return r;
}

static void
test_requests(void)
{
    int64_t delays[3] = {0, 5, DELAY_FOREVER};
    OWNS(schedule) *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_MIN, 6, NULL},
                            .free = true, .delays = delays,
                            .fault = {FAULT_REPEAT, 2, 1}};
    OWN(buf) load = {0};
    OWNS(request_reader) *r = loaded_reader(s, &o, &load);
    const struct run_options *got = request_options(r);
    const struct schedule *same = request_schedule(r);

    ok(same != NULL && same->ntransfers == s->ntransfers &&
           same->nsteps == s->nsteps, "the schedule arrives");
    ok(got->input.type == DTYPE_INT32 && got->input.op == REDOP_MIN &&
           got->input.count == 6 && got->free && got->input.given == NULL,
       "type, operator, count and pace arrive");
    takes(r, "hello", REQUEST_FAILED, "not JSON");
    takes(r, "{\"type\":\"go\",\"to\":1}", REQUEST_FAILED, "misplaced");
    takes(r, "{\"type\":\"load\",\"delays\":[1]}", REQUEST_FAILED, "1 item");
    takes(r, "{\"type\":\"input\",\"rank\":0,\"from\":5,\"values\":[\"1\","
             "\"2\"]}", REQUEST_FAILED, "2 items");
    takes(r, "{\"type\":\"input\",\"rank\":0,\"from\":5,\"values\":[\"x\"]}",
          REQUEST_FAILED, "not of type int32");
    takes(r, "{\"type\":\"load\",\"fault\":\"eat\"}", REQUEST_FAILED,
          "\"eat\"");
    takes(r, "{\"type\":\"load\",\"mismatch_rank\":0,\"mismatch_count\":1}",
          REQUEST_FAILED, "two schedules");
    takes(r, buf_text(&load), REQUEST_LOAD, "");
    ok(got->delays[0] == 0 && got->delays[1] == 5 &&
           got->delays[2] == DELAY_FOREVER, "delays arrive");
    ok(got->fault.kind == FAULT_REPEAT && got->fault.step == 2 &&
           got->fault.src == 1, "a fault arrives");
    takes(r, "{\"type\":\"load\",\"in_turn\":true}", REQUEST_FAILED,
          "misplaced");
    takes(r, "{\"type\":\"go\",\"to\":0}", REQUEST_FAILED, "1 to 4");
    takes(r, "{\"type\":\"go\",\"to\":2}", REQUEST_GO, "");
    takes(r, "{\"type\":\"go\",\"to\":2}", REQUEST_FAILED, "3 to 4");
    takes(r, "{\"type\":\"go\",\"to\":4}", REQUEST_GO, "");
    takes(r, "{\"type\":\"go\",\"to\":4}", REQUEST_FAILED, "all steps");
    takes(r, "{\"type\":\"abort\"}", REQUEST_ABORT, "");
}

/* The last line of a request that asks for an algorithm of the library's. */
static void
test_request_native(void)
{
    static const char start[] = "{\"type\":\"load\",\"in_turn\":false,"
                                  "\"native_algorithm\":";
    OWNS(schedule) *s = ring(3);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .native = true, .native_algorithm = "a \"ring\""};
    OWN(buf) load = {0}, line = {0};
    OWNS(request_reader) *r = loaded_reader(s, &o, &load);

    ok(request_options(r)->native_algorithm == NULL, "no algorithm yet");
    buf_addf(&line, "%s7}", start);
    takes(r, buf_text(&line), REQUEST_FAILED, "native_algorithm");
    buf_clear(&line);
    buf_addf(&line, "%s\"%0200d\"}", start, 7);
    takes(r, buf_text(&line), REQUEST_FAILED, "native_algorithm");
    takes(r, buf_text(&load), REQUEST_LOAD, "");
    ok(request_options(r)->native, "the library's own is to be run");
    is_str(request_options(r)->native_algorithm, "a \"ring\"",
           "with this algorithm");
}

/* More values than one line has arrive in their places, with the same bits; and
 * a worker does not take more of them than anybody types. */
static void
test_request_inputs(void)
{
    enum { COUNT = 2500 };
    double given[2 * COUNT] = {0.1, 1e300, 5e-324, -0.0};
    OWNS(schedule) *s = ring(2);
    struct run_options o = {.input = {DTYPE_FLOAT64, REDOP_SUM, COUNT,
                                      (const unsigned char *)given}};
    struct request_reader *r;

    for (int i = 4; i < 2 * COUNT; i++)
        given[i] = -7.0 / i;
    r = loaded_reader(s, &o, NULL);
    ok(memcmp(request_options(r)->input.given, given, sizeof given) == 0,
       "many values arrive as they were given");
    request_reader_free(r);
    o.input = (struct input){DTYPE_INT32, REDOP_SUM, 1 << 30, NULL, 0};
    r = loaded_reader(s, &o, NULL);
    takes(r, "{\"type\":\"input\",\"rank\":0,\"from\":0,\"values\":[\"1\"]}",
          REQUEST_FAILED, "more input");
    request_reader_free(r);
}

int
main(void)
{
    static const char *const machines[] = {"CUDA_GPUS=1", "CUDA_GPUS=2",
                                           "CUDA_GPUS=3 CUDA_PEER=0"};
    pid_t stopped;
    int status = 0;

    signal(SIGPIPE, SIG_IGN);
    test_placement();
    test_staging();
    test_launch();
    test_requests();
    test_request_native();
    test_request_inputs();
    test_large();
    test_stripes();
    test_copies();
    test_delays();
    pretend("CUDA_GPUS=2 CUDA_PEER=0");
    faults_are_seen(&backend_cuda, DTYPE_INT32);
    test_unwritten(&backend_cuda, pretend);
    test_abort();
    signalled(SIGKILL, "was ended by signal 9");
    stopped = stopped_beside();
    test_no_peer_access();
    test_mig();
    test_failures();
    test_sentences();
    test_devices();
    test_algorithms(&backend_cuda, pretend, machines, 1);
    ok(waitpid(stopped, &status, 0) == stopped && status == 0,
       "a worker that is stopped has said nothing for 5 seconds");
    return done_testing();
}
