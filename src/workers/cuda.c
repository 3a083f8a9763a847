/* SPDX-License-Identifier: MIT */
/* collviz-cuda: runs ranks on NVIDIA GPUs.
 *
 * collviz starts it and says what to run; it tells what happens (run/request.h
 * has both languages).  `collviz-cuda nccl` lets NCCL carry what ranks send
 * (workers/nccl_run.h), `collviz-cuda devices` lists the GPUs, `collviz-cuda
 * devices nccl` says what there is of NCCL.  What goes wrong is a line on
 * standard error, and status 1. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lines.h"
#include "base/mem.h"
#include "event/stream.h"
#include "run/request.h"
#include "run/tally.h"
#include "run/verify.h"
#include "workers/gpu.h"
#include "workers/gpu_run.h"
#include "workers/nccl_api.h"
#include "workers/nccl_run.h"

enum {
    LOOK_MS = 1, /* between looks for events, where there are none */
    BATCH_BYTES = 1 << 16, /* of lines that are sent at once, or more */
};

struct cuda {
    struct lines in;
    struct request_reader *requests;
    const struct schedule *s; /* of the request, as are the options */
    const struct run_options *options;
    const struct machine *machine;
    void *run; /* the machine's; NULL: not loaded */
    struct run_info info;
    struct tally tally;
    struct stream_writer writer;
    struct buf out;
    int granted;
    bool running; /* something granted is not yet told */
    int64_t spoke_ns;
};

static bool
flush(struct cuda *c, struct err *err)
{
    size_t written = 0;

    while (written < c->out.length) {
        ssize_t n = write(STDOUT_FILENO, c->out.data + written,
                          c->out.length - written);
        if (n < 0 && errno != EINTR)
            return err_set(err, "collviz does not listen any more: %s",
                           strerror(errno));
        written += n > 0 ? (size_t)n : 0;
    }
    if (written > 0)
        c->spoke_ns = clock_ns();
    buf_clear(&c->out);
    return true;
}

static void
tell(struct cuda *c, struct item *item)
{
    item->run = &c->info;
    item->schedule = c->s;
    stream_write(&c->writer, item, &c->out);
}

static bool
tell_inputs(struct cuda *c, struct err *err)
{
    size_t words = (size_t)c->s->nslots * (size_t)content_words(c->s->nranks);
    uint64_t *contents = mem_new(words, sizeof *contents);
    struct item item = {.type = ITEM_INPUT, .content = contents};
    bool ok = true;

    for (; ok && item.rank < c->s->nranks; item.rank++) {
        c->machine->contents(c->run, item.rank, contents);
        tell(c, &item);
        ok = c->out.length <= BATCH_BYTES || flush(c, err);
    }
    free(contents);
    return ok;
}

static void
describe(struct cuda *c)
{
    c->info = (struct run_info){.type = c->options->input.type,
                                .op = c->options->input.op,
                                .count = c->options->input.count,
                                .free = c->options->free};
    snprintf(c->info.backend, sizeof c->info.backend, "%s",
             c->machine->backend);
    c->machine->describe(c->run, &c->info);
}

static bool
load(struct cuda *c, struct err *err)
{
    struct item run = {.type = ITEM_RUN};

    c->s = request_schedule(c->requests);
    c->options = request_options(c->requests);
    if (c->options->native && c->machine->compare == NULL)
        return err_set(err, "the %s backend has nothing to compare with",
                       c->machine->backend);
    c->run = c->machine->new(c->s,
                             &(struct machine_options){
                                 .input = c->options->input, .watched = true,
                                 .delays = c->options->delays,
                                 .fault = c->options->fault,
                                 .fault_step = c->options->fault_step,
                                 .fault_src = c->options->fault_src,
                                 .native = c->options->native},
                             err);
    if (c->run == NULL)
        return false;
    tally_init(&c->tally, c->s->nranks);
    describe(c);
    tell(c, &run);
    if (!tell_inputs(c, err))
        return false;
    buf_puts(&c->out, REQUEST_TOLD "\n");
    return flush(c, err);
}

static bool
go(struct cuda *c, int to, struct err *err)
{
    int64_t at_ns;

    if (!c->machine->grant(c->run, to, &at_ns, err))
        return false;
    c->granted = to;
    c->running = true;
    c->spoke_ns = clock_ns();
    tally_grant(&c->tally, at_ns);
    return true;
}

/* What the library below makes of it, for which ours has been fetched. Where
 * that is wrong, nothing is right. */
static bool
compare(struct cuda *c, struct run_result *result, struct err *err)
{
    char wrong[RUN_WRONG_MAX];

    if (!c->options->native)
        return true;
    if (!c->machine->compare(c->run, &result->native, wrong, err))
        return false;
    if (result->correct && result->native.wrong > 0) {
        result->correct = false;
        result->wrong = result->native.wrong;
        snprintf(result->first_wrong, sizeof result->first_wrong, "%s",
                 wrong);
    }
    return true;
}

static bool
tell_result(struct cuda *c, struct err *err)
{
    struct item result = {.type = ITEM_RESULT, .result = &c->tally.result};
    struct item end = {.type = ITEM_END, .complete = true};
    const struct rank_slot *slots;
    int nslots;

    buf_puts(&c->out, REQUEST_BUSY "\n");
    if (!flush(c, err) || !c->machine->fetch(c->run, err))
        return false;
    slots = c->machine->slots(c->run, &nslots);
    verify(c->s, &c->options->input, slots, c->machine->ledger(c->run),
           nslots, &c->tally.result);
    if (!compare(c, &c->tally.result, err))
        return false;
    tell(c, &result);
    tell(c, &end);
    return true;
}

/* Tells what has happened since the last look. */
static bool
look(struct cuda *c, struct err *err)
{
    struct item item = {.type = ITEM_TRANSFER};
    bool idle;

    if (!c->machine->look(c->run, &idle, err))
        return false;
    while ((idle || !c->options->in_turn) &&
           c->machine->event(c->run, &item.event)) {
        tally_event(&c->tally, &item.event);
        tell(c, &item);
        if (c->out.length > BATCH_BYTES && !flush(c, err))
            return false;
    }
    if (idle) {
        c->running = false;
        if (c->granted == c->s->nsteps && !tell_result(c, err))
            return false;
        buf_puts(&c->out, REQUEST_TOLD "\n");
    } else if (clock_ns() - c->spoke_ns > REQUEST_ALIVE_MS * 1000000) {
        buf_puts(&c->out, REQUEST_ALIVE "\n");
    }
    return flush(c, err);
}

/* *over: collviz wants no more. */
static bool
obey(struct cuda *c, const char *line, bool *over, struct err *err)
{
    int to;

    switch (request_take(c->requests, line, &to, err)) {
    case REQUEST_MORE:
        return true;
    case REQUEST_LOAD:
        return load(c, err);
    case REQUEST_GO:
        return c->running ? err_set(err, "a go before all was told")
                          : go(c, to, err);
    case REQUEST_ABORT:
        *over = true;
        return true;
    default:
        return false;
    }
}

static bool
serve(struct cuda *c, struct err *err)
{
    struct pollfd in = {.fd = c->in.fd, .events = POLLIN};
    const char *line;
    bool over = false;

    while (!over) {
        switch (lines_next(&c->in, &line)) {
        case LINES_LINE:
            if (!obey(c, line, &over, err))
                return false;
            break;
        case LINES_LATER:
            poll(&in, 1, c->running ? LOOK_MS : -1);
            break;
        case LINES_LONG:
            return err_set(err, "a request is longer than %zu bytes",
                           c->in.most);
        case LINES_OVER:
            over = true;
        }
        if (c->running && !over && !look(c, err))
            return false;
    }
    return true;
}

/* "NVIDIA H200 00000000:1b:00.0, 132 multiprocessors, reaches the memory of 3 of 7
 * other GPUs" */
static bool
list_device(const struct gpus *gpus, int i, struct err *err)
{
    const struct gpu *gpu = &gpus->gpu[i];
    int reached = 0;
    bool reaches;

    for (int other = 0; other < gpus->count; other++)
        if (other != i) {
            if (!gpu_reaches(gpu, &gpus->gpu[other], &reaches, err))
                return false;
            reached += reaches;
        }
    printf("%s, %d multiprocessors", gpu->name, gpu->multiprocessors);
    if (gpus->count > 1)
        printf(", reaches the memory of %d of %d other GPU%s", reached,
               gpus->count - 1, err_plural(gpus->count - 1));
    putchar('\n');
    return true;
}

static bool
list_devices(struct err *err)
{
    struct gpus gpus;

    if (!gpus_find(&gpus, err))
        return false;
    for (int i = 0; i < gpus.count; i++)
        if (!list_device(&gpus, i, err))
            return false;
    return fflush(stdout) == 0 || err_set(err, "%s", strerror(errno));
}

/* "NCCL 2.28.9 on 1 GPU, which ranks share: ..." */
static bool
list_nccl(struct err *err)
{
    char version[NCCL_VERSION_TEXT_MAX];
    struct nccl nccl;
    struct gpus gpus;

    if (!nccl_open(&nccl, err))
        return false;
    nccl_version_text(nccl.version, version);
    if (!gpus_find(&gpus, err))
        return err_prefix(err, "NCCL %s is there, but nothing to run it on",
                          version);
    printf("NCCL %s, for %d GPU%s; more ranks than that share them and talk "
           "over sockets%s\n", version, gpus.count, gpus.count > 1 ? "s" : "",
           nccl.all_to_all == NULL
               ? "; without a gather, scatter and all-to-all of its own"
               : "");
    return fflush(stdout) == 0 || err_set(err, "%s", strerror(errno));
}

/* Ends at once: CUDA's own tidying up would wait for a GPU that hangs. */
static void
fail(const struct err *err)
{
    fprintf(stderr, "%s\n", err->text);
    fflush(stderr);
    _exit(1);
}

int
main(int argc, char *argv[])
{
    struct cuda c = {.in = {.fd = STDIN_FILENO, .most = STREAM_LINE_MAX}};
    struct err err;

    if (argc > 1 && strcmp(argv[1], "devices") == 0) {
        if (!(argc > 2 ? list_nccl(&err) : list_devices(&err)))
            fail(&err);
        return 0;
    }
    c.machine = argc > 1 && strcmp(argv[1], "nccl") == 0 ? &machine_nccl
                                                          : &machine_gpu;
    signal(SIGPIPE, SIG_IGN); /* who is gone is noticed, and told */
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    c.writer.steps_known = true;
    c.requests = request_reader_new();
    if (!serve(&c, &err))
        fail(&err);
    c.machine->free(c.run);
    request_reader_free(c.requests);
    tally_done(&c.tally);
    lines_done(&c.in);
    buf_done(&c.out);
    return 0;
}
