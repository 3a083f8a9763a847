/* SPDX-License-Identifier: MIT */
#include "workers/nccl_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "workers/cuda_call.h"
#include "workers/gpu_memory.h"
#include "workers/launch.h"
#include "workers/nccl_exchange.h"
#include "workers/nccl_kernel.h"
#include "workers/nccl_share.h"
#include "workers/placement.h"

enum {
    NAP_US = 20,
    ID_NAP_US = 500,
    BLOCKS_MAX = 512, /* more than any GPU runs at once of these */
};

struct process {
    const struct nccl_job *job;
    int rank;
    struct nccl nccl;
    struct nccl_rank self; /* its communicator, stream, slots and rows */
    struct gpu_memory memory;
    unsigned char **data, **rows; /* by slot: on the GPU */
    uint64_t *contents; /* on the GPU: what a step tells */
    int step;                    /* done */
    uint64_t nevents, ncontents; /* so far */
};

static struct nccl_post *
post(const struct process *me)
{
    return &me->job->shared->posts[me->rank];
}

static int64_t
now(const struct process *me)
{
    return clock_ns() - me->job->shared->start_ns;
}

static size_t
element(const struct process *me)
{
    return dtype_size(me->job->options.input.type);
}

static size_t
row_bytes(const struct process *me)
{
    return (size_t)ledger_words(me->job->s->nranks) * sizeof(uint64_t);
}

/* The rank's own part of what is [rank * nslots + slot]. */
static size_t
cell(const struct process *me, int slot)
{
    return (size_t)me->rank * (size_t)me->job->nslots + (size_t)slot;
}

/* Takes its GPU and, where others have it as well, sees to it that NCCL does
 * not mind. */
static bool
take_gpu(struct process *me, struct err *err)
{
    struct nccl_setting set[NCCL_SETTINGS_MAX];
    struct placement placement;
    const struct gpu *gpu;
    struct gpus gpus;
    int nranks = me->job->s->nranks;

    if (!gpus_find(&gpus, err))
        return false;
    placement = placement_of(nranks, gpus.count);
    gpu = &gpus.gpu[placement_gpu(&placement, me->rank)];
    snprintf(post(me)->gpu, GPU_NAME_MAX, "%s", gpu->name);
    post(me)->ngpus = gpus.count;
    if (nranks > gpus.count) {
        int n = nccl_share_settings(set, me->nccl.version, me->rank);
        for (int i = 0; i < n; i++)
            setenv(set[i].name, set[i].value, set[i].needed);
    }
    return cuda_ok(cudaSetDevice(gpu->id), "choosing the GPU", err);
}

/* Rank 0 makes the id; the others wait for it, for ever if need be: whoever
 * forked them ends them once one has failed. */
static bool
get_id(struct process *me, struct err *err)
{
    struct nccl_shared *shared = me->job->shared;

    if (me->rank == 0) {
        if (!nccl_ok(&me->nccl, me->nccl.get_unique_id(&shared->id),
                     "ncclGetUniqueId", NULL, err))
            return false;
        shared->version = me->nccl.version;
        __atomic_store_n(&shared->id_there, 1, __ATOMIC_RELEASE);
    }
    while (!__atomic_load_n(&shared->id_there, __ATOMIC_ACQUIRE))
        usleep(ID_NAP_US);
    return true;
}

/* The stream is one that waits for copies without a stream, which may still be
 * under way when they return. */
static bool
join(struct process *me, struct err *err)
{
    cudaStream_t stream;

    if (!nccl_open(&me->nccl, err) || !take_gpu(me, err) ||
        !get_id(me, err) ||
        !nccl_ok(&me->nccl,
                 me->nccl.comm_init_rank(&me->self.comm, me->job->s->nranks,
                                         me->job->shared->id, me->rank),
                 "ncclCommInitRank", NULL, err) ||
        !cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamDefault),
                 "starting work on the GPU", err))
        return false;
    me->self.stream = stream;
    return true;
}

/* Slots that one step can tell at most. */
static size_t
most_told(const struct process *me)
{
    size_t most = 0;

    for (int step = 1; step <= me->job->s->nsteps + 1; step++) {
        struct nccl_step s = nccl_plan_step(me->job->plan, me->rank, step);
        size_t told = 0;
        for (size_t i = 0; i < s.nworks; i++)
            told += s.works[i].op == NCCL_TELL;
        if (told > most)
            most = told;
    }
    return most;
}

/* A slot with what is in the shared one. */
static bool
upload_slot(struct process *me, int slot, struct err *err)
{
    const struct rank_slot *here = &me->job->slots[cell(me, slot)];
    size_t words = row_bytes(me) / sizeof(uint64_t);
    void *data, *row;

    if (!gpu_memory_upload(&me->memory, here->data,
                           (size_t)here->length * element(me), &data, err) ||
        !gpu_memory_upload(&me->memory,
                           me->job->ledger + cell(me, slot) * words,
                           row_bytes(me), &row, err))
        return false;
    me->data[slot] = data;
    me->rows[slot] = row;
    return true;
}

static bool
upload(struct process *me, struct err *err)
{
    size_t nslots = (size_t)me->job->nslots;
    size_t words = (size_t)content_words(me->job->s->nranks);
    void *contents;

    me->data = mem_new(nslots, sizeof *me->data);
    me->rows = mem_new(nslots, sizeof *me->rows);
    for (int slot = 0; slot < me->job->nslots; slot++)
        if (!upload_slot(me, slot, err))
            return false;
    if (!gpu_memory_device(&me->memory,
                           most_told(me) * words * sizeof(uint64_t),
                           &contents, err))
        return false;
    me->contents = contents;
    me->self.rank = me->rank;
    me->self.slots = me->data;
    me->self.rows = me->rows;
    me->self.element = element(me);
    me->self.row = row_bytes(me);
    return true;
}

static unsigned
blocks_for(int64_t bytes)
{
    int64_t blocks = (bytes + LAUNCH_FEED - 1) / LAUNCH_FEED;

    return blocks > BLOCKS_MAX ? BLOCKS_MAX : blocks > 0 ? (unsigned)blocks : 1;
}

/* A work is a kernel; `told` is where NCCL_TELL puts a slot's content. */
static bool
launch_work(struct process *me, const struct nccl_work *w, uint64_t *told,
            struct err *err)
{
    const struct nccl_job *job = me->job;
    struct nccl_kernel_work work = {
        .op = w->op, .type = job->options.input.type,
        .redop = job->options.input.op, .nranks = job->s->nranks,
        .element = (int)element(me), .length = w->length,
        .to = me->data[w->to], .add = me->data[w->add],
        .from = me->data[w->from],
        .row_to = (uint64_t *)me->rows[w->to],
        .row_add = (uint64_t *)me->rows[w->add],
        .row_from = (uint64_t *)me->rows[w->from], .content = told};
    void *arguments[] = {&work};
    dim3 grid = {blocks_for(w->length * work.element), 1, 1};
    dim3 block = {LAUNCH_THREADS, 1, 1};

    return cuda_ok(cudaLaunchKernel((const void *)nccl_kernel, grid, block,
                                    arguments, 0, me->self.stream),
                   "adding up on the GPU", err);
}

/* Until the stream is empty. A peer that is lost shows in no stream. */
static bool
wait_for_stream(struct process *me, struct err *err)
{
    for (;;) {
        cudaError_t error = cudaStreamQuery(me->self.stream);
        if (error != cudaErrorNotReady)
            return cuda_ok(error, "adding up on the GPU", err);
        if (!nccl_healthy(&me->nccl, me->self.comm, err))
            return false;
        usleep(NAP_US);
    }
}

/* All works of a step; what they tell goes into the log. */
static bool
do_works(struct process *me, int step, struct err *err)
{
    struct nccl_step s = nccl_plan_step(me->job->plan, me->rank, step);
    struct rank_log *log = &me->job->logs[me->rank];
    size_t words = (size_t)content_words(me->job->s->nranks), told = 0;

    for (size_t i = 0; i < s.nworks; i++) {
        if (!launch_work(me, &s.works[i], me->contents + told * words, err))
            return false;
        told += s.works[i].op == NCCL_TELL;
    }
    return wait_for_stream(me, err) &&
           cuda_ok(cudaMemcpy(log->contents + me->ncontents * words,
                              me->contents, told * words * sizeof(uint64_t),
                              cudaMemcpyDeviceToHost),
                   "copying what happened from the GPU", err);
}

/* Instructions of the rank in a step, APPLY among them. */
static const struct instr *
instrs(const struct process *me, int step, uint32_t *n)
{
    const struct program *p = me->job->p;
    uint32_t first = program_at_step(p, me->rank, step);

    *n = step > me->job->s->nsteps
             ? 1
             : program_at_step(p, me->rank, step + 1) - first;
    return p->instrs + p->first[me->rank] + first;
}

static void
tell(struct process *me, const struct instr *in, int64_t begin_ns,
     int64_t end_ns)
{
    const struct nccl_job *job = me->job;
    struct rank_log *log = &job->logs[me->rank];
    int words = content_words(job->s->nranks), row = ledger_words(job->s->nranks);
    struct region out = schedule_output(job->s, me->rank);
    bool division = in->op == INSTR_END;
    struct event *e = &log->events[me->nevents++];

    *e = (struct event){
        .step = in->step, .src = in->peer, .dst = me->rank,
        .src_slot = division ? out.first : in->src_slot,
        .dst_slot = division ? out.first : in->final_slot,
        .nslots = division ? out.count : in->nslots,
        .op = (uint8_t)(division                 ? EVENT_DIVIDE
                        : in->op == INSTR_REDUCE ? EVENT_REDUCE
                                                 : EVENT_COPY),
        .fault = in->fault, .waited_for = -1,
        .begin_ns = begin_ns, .end_ns = end_ns,
        .content = log->contents + me->ncontents * (size_t)words};
    me->ncontents += (uint64_t)e->nslots;
    for (int k = 0; k < e->nslots; k++)
        if (in->peer != me->rank && in->fault != FAULT_DROP)
            e->bytes += (int64_t)e->content[k * words + row] *
                        (int64_t)element(me);
}

/* Sleeps before a step in which the rank has something to do. */
static void
delay(const struct process *me, int step)
{
    const int64_t *delays = me->job->options.delays;
    int64_t ns = delays != NULL ? delays[me->rank] : 0;
    uint32_t n;

    instrs(me, step, &n);
    if (n == 0 || ns == 0)
        return;
    while (ns == RANK_FOREVER)
        pause();
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

static bool
do_step(struct process *me, int step, struct err *err)
{
    bool last = step > me->job->s->nsteps;
    int64_t begin_ns;
    uint32_t n;
    const struct instr *in = instrs(me, step, &n);

    if (!last)
        delay(me, step);
    begin_ns = now(me);
    if ((!last && !nccl_exchange(&me->nccl, me->job->plan, step, &me->self, 1,
                                 err)) ||
        !do_works(me, step, err))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (in[i].op != INSTR_APPLY &&
            nccl_plan_step(me->job->plan, me->rank, step).nworks > 0)
            tell(me, &in[i], begin_ns, now(me));
    __atomic_store_n(&post(me)->events, me->nevents, __ATOMIC_RELEASE);
    return true;
}

static bool
fetch(struct process *me, struct err *err)
{
    size_t words = row_bytes(me) / sizeof(uint64_t);

    for (int slot = 0; slot < me->job->nslots; slot++) {
        const struct rank_slot *here = &me->job->slots[cell(me, slot)];
        if (!cuda_ok(cudaMemcpy(here->data, me->data[slot],
                                (size_t)here->length * element(me),
                                cudaMemcpyDeviceToHost),
                     "copying results from the GPU", err) ||
            !cuda_ok(cudaMemcpy(me->job->ledger + cell(me, slot) * words,
                                me->rows[slot], row_bytes(me),
                                cudaMemcpyDeviceToHost),
                     "copying the ledger from the GPU", err))
            return false;
    }
    __atomic_add_fetch(&post(me)->fetches, 1, __ATOMIC_RELEASE);
    return true;
}

static bool
obey(struct process *me, int32_t command, struct err *err)
{
    if (command == NCCL_COMMAND_FETCH)
        return fetch(me, err);
    while (me->step < command)
        if (!do_step(me, ++me->step, err))
            return false;
    if (command == me->job->s->nsteps &&
        !do_step(me, me->job->s->nsteps + 1, err))
        return false;
    __atomic_store_n(&post(me)->state, NCCL_POST_READY + me->step + 1,
                     __ATOMIC_RELEASE);
    return true;
}

static bool
serve(struct process *me, int commands, struct err *err)
{
    int32_t command;

    if (!join(me, err) || !upload(me, err))
        return false;
    __atomic_store_n(&post(me)->state, NCCL_POST_READY, __ATOMIC_RELEASE);
    while (read(commands, &command, sizeof command) == sizeof command)
        if (!obey(me, command, err))
            return false;
    return true;
}

/* Ends at once either way: CUDA's and NCCL's own tidying up would wait for
 * peers that are gone. */
void
nccl_process(const struct nccl_job *job, int rank, int commands)
{
    struct process me = {.job = job, .rank = rank};
    struct nccl_post *mine = post(&me);
    struct err err;

    dup2(STDERR_FILENO, STDOUT_FILENO); /* NCCL_DEBUG writes to it */
    if (serve(&me, commands, &err))
        _exit(EXIT_SUCCESS);
    mine->err = err;
    __atomic_store_n(&mine->state, NCCL_POST_FAILED, __ATOMIC_RELEASE);
    _exit(EXIT_FAILURE);
}
