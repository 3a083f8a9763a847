/* SPDX-License-Identifier: MIT */
#include "workers/nccl/gpu_rank.h"

#include <stdlib.h>

#include "base/mem.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/placement.h"
#include "workers/nccl/nccl_kernel.h"

enum { BLOCKS_MAX = 512 /* per work: enough to keep a GPU busy */ };

bool
nccl_launch(const struct nccl_kernel_work *work, cudaStream_t stream,
            struct err *err)
{
    int64_t bytes = work->length * work->element;
    int64_t blocks = (bytes + LAUNCH_FEED - 1) / LAUNCH_FEED;
    void *arguments[] = {(void *)work};
    dim3 grid = {blocks > BLOCKS_MAX ? BLOCKS_MAX
                 : blocks > 0        ? (unsigned)blocks
                                     : 1,
                 1, 1};
    dim3 block = {LAUNCH_THREADS, 1, 1};

    return cuda_ok(cudaLaunchKernel((const void *)nccl_kernel, grid, block,
                                    arguments, 0, stream),
                   "adding up on the GPU", err);
}

/* The most slots that a step reports. */
static size_t
most_reports(const struct share *s)
{
    const struct work *w = s->works;
    size_t most = 0;

    for (int step = 0; step <= s->nsteps; step++) {
        size_t reports = 0;
        for (int i = 0; i < s->steps[step].nworks; i++)
            reports += w++->op == WORK_REPORT;
        if (reports > most)
            most = reports;
    }
    return most;
}

static size_t
row_bytes(const struct gpu_rank *g)
{
    return (size_t)ledger_words(g->r->share->nranks) * sizeof(uint64_t);
}

static unsigned char *
slot_there(const struct gpu_rank *g, int slot)
{
    return g->slots + (g->r->memory.slots[slot].data - g->r->payloads);
}

static uint64_t *
row_there(const struct gpu_rank *g, int slot)
{
    return g->rows != NULL
               ? (uint64_t *)(g->rows + (size_t)slot * row_bytes(g))
               : NULL;
}

/* The stream is made before NCCL is called, which has a CUDA runtime of its own
 * and asks for the current GPU.  It waits for copies made without a stream.
 * The kernel is loaded now, or compiled for the GPU, which takes long: else its
 * first launch would do so.  What goes through host memory is pinned there, or
 * each copy would go through a buffer of the driver's as well. */
static bool
load_kernel(struct gpu_rank *g, int gpu, bool has_rows, struct err *err)
{
    const struct message_rank *r = g->r;
    size_t content = (size_t)content_words(r->share->nranks) * sizeof(uint64_t);
    size_t rows = (size_t)r->memory.nslots * row_bytes(g);
    struct cudaFuncAttributes ignored;

    if (!cuda_ok(cudaSetDevice(gpu), "choosing the GPU", err) ||
        !cuda_ok(cudaStreamCreateWithFlags(&g->stream, cudaStreamDefault),
                 "starting work on the GPU", err) ||
        !cuda_ok(cudaFuncGetAttributes(&ignored, (const void *)nccl_kernel),
                 "loading the kernel", err))
        return false;
    g->slots = gpu_memory_device(&g->memory, r->payload_bytes, err);
    if (has_rows && r->share->watched)
        g->rows = gpu_memory_upload(&g->memory, r->memory.rows, rows, err);
    if (r->share->watched)
        g->reports = gpu_memory_mapped(
            &g->memory, most_reports(r->share) * content, err);
    if (!g->memory.failed && g->way == GPU_WAY_HOST && r->payload_bytes > 0) {
        g->pinned = cuda_ok(cudaHostRegister(r->payloads, r->payload_bytes,
                                             cudaHostRegisterDefault),
                            "pinning host memory", err);
        g->memory.failed = !g->pinned;
    }
    return !g->memory.failed &&
           cuda_ok(cudaMemcpyAsync(g->slots, r->payloads, r->payload_bytes,
                                   cudaMemcpyHostToDevice, g->stream),
                   "copying the input to the GPU", err);
}

/* NCCL connects two ranks at their first message, and each waits for the other
 * there.  So they meet now, with a byte, and not in a step before which one of
 * them is delayed. */
static bool
meet_peers(struct gpu_rank *g, struct err *err)
{
    const struct share *s = g->r->share;
    const struct carrier *c = &g->r->payloads_by;
    size_t n = (size_t)s->nranks;
    OWN_MEMORY bool *met = mem_new(2 * n, sizeof *met);
    enum carried how;
    unsigned char *bytes = gpu_memory_device(&g->memory, 2 * n, err);
    bool ok = bytes != NULL;

    for (size_t i = 0; i < s->nsends; i++)
        met[s->sends[i].peer] |= s->sends[i].length > 0 || g->rows != NULL;
    for (size_t i = 0; i < s->nreceives; i++)
        met[n + (size_t)s->receives[i].peer] |=
            s->receives[i].length > 0 || g->rows != NULL;
    for (size_t i = 0; ok && i < 2 * n; i++) {
        int peer = (int)(i % n);
        ok = !met[i] ||
             (i < n ? c->send(c->with, peer, TAG_PAYLOAD, bytes + i, 1, err)
                    : c->receive(c->with, peer, TAG_PAYLOAD, bytes + i, 1, 1,
                                 err));
    }
    return ok && c->test(c->with, &how, err);
}

bool
gpu_rank_join(struct gpu_rank *g, struct nccl_id id, struct err *err)
{
    struct share *s = g->r->share;

    g->carrier = (struct nccl_carrier){.nccl = &g->nccl, .stream = g->stream};
    g->r->payloads_by = nccl_carrier(&g->carrier);
    return nccl_ok(&g->nccl,
                   g->nccl.comm_init_rank(&g->carrier.comm, s->nranks, id,
                                          s->rank),
                   "ncclCommInitRank", NULL, err) &&
           meet_peers(g, err);
}

static void
free_rank(void *with)
{
    struct gpu_rank *g = with;

    if (g->stream != NULL) {
        cudaStreamSynchronize(g->stream);
        cudaStreamDestroy(g->stream);
    }
    if (g->pinned)
        cudaHostUnregister(g->r->payloads);
    gpu_memory_done(&g->memory);
    free(g);
}

static void *
gpu_rank_at(void *with, int slot, enum message_tag tag)
{
    const struct gpu_rank *g = with;

    if (tag == TAG_ROW)
        return row_there(g, slot);
    return g->way == GPU_WAY_HOST ? g->r->memory.slots[slot].data
                                   : slot_there(g, slot);
}

/* Starts to copy the slots of messages, one way or the other.  A slot that goes
 * to several peers in a row is copied once. */
static bool
copy_slots(struct gpu_rank *g, const struct message *messages, int n,
           enum cudaMemcpyKind kind, struct err *err)
{
    for (int i = 0; i < n; i++) {
        const struct message *m = &messages[i];
        unsigned char *here = g->r->memory.slots[m->slot].data;
        unsigned char *there = slot_there(g, m->slot);
        bool out = kind == cudaMemcpyDeviceToHost;

        if (m->length == 0 || (i > 0 && messages[i - 1].slot == m->slot &&
                               messages[i - 1].length >= m->length))
            continue;
        if (!cuda_ok(cudaMemcpyAsync(out ? here : there, out ? there : here,
                                     (size_t)m->length *
                                         (size_t)g->r->memory.element,
                                     kind, g->stream),
                     out ? "copying messages from the GPU"
                         : "copying messages to the GPU", err))
            return false;
    }
    return true;
}

/* A message of a mismatched run may be shorter than its slot, whose rest has to
 * stay. */
static bool
take_out(void *with, struct err *err)
{
    struct gpu_rank *g = with;
    const struct share_step *step = message_rank_step(g->r);

    if (g->way != GPU_WAY_HOST)
        return true;
    return copy_slots(g, g->r->at.send, step->nsends, cudaMemcpyDeviceToHost,
                      err) &&
           (!g->r->share->mismatched ||
            copy_slots(g, g->r->at.receive, step->nreceives,
                       cudaMemcpyDeviceToHost, err));
}

static bool
gpu_rank_work(void *with, struct err *err)
{
    struct gpu_rank *g = with;
    const struct share *s = g->r->share;
    const struct share_step *step = message_rank_step(g->r);
    uint64_t *report = g->reports;

    if (g->way == GPU_WAY_HOST &&
        !copy_slots(g, g->r->at.receive, step->nreceives,
                    cudaMemcpyHostToDevice, err))
        return false;
    for (int i = 0; i < step->nworks; i++) {
        const struct work *w = &g->r->at.work[i];
        struct nccl_kernel_work kernel = {
            .op = w->op, .type = s->data.type,
            .redop = s->data.op, .nranks = s->nranks,
            .element = g->r->memory.element, .length = w->length,
            .to = slot_there(g, w->to), .add = slot_there(g, w->add),
            .from = slot_there(g, w->from), .row_to = row_there(g, w->to),
            .row_add = row_there(g, w->add), .row_from = row_there(g, w->from),
            .content = report};
        if (w->op == WORK_REPORT && !s->watched)
            continue;
        if (!nccl_launch(&kernel, g->stream, err))
            return false;
        if (w->op == WORK_REPORT)
            report += content_words(s->nranks);
    }
    return true;
}

/* A lost peer does not show in the stream. */
static bool
is_over(void *with, bool *over, struct err *err)
{
    struct gpu_rank *g = with;
    cudaError_t error = cudaStreamQuery(g->stream);

    *over = error != cudaErrorNotReady;
    if (*over)
        return cuda_ok(error, "working on the GPU", err);
    return g->way != GPU_WAY_NCCL ||
           nccl_healthy(&g->nccl, g->carrier.comm, err);
}

static const uint64_t *
gpu_rank_reports(void *with)
{
    return ((struct gpu_rank *)with)->reports;
}

static bool
gpu_rank_fetch(void *with, struct region region, struct err *err)
{
    struct gpu_rank *g = with;
    const struct rank_memory *m = &g->r->memory;

    for (int i = region.first; i < region.first + region.count; i++)
        if (!cuda_ok(cudaMemcpy(m->slots[i].data, slot_there(g, i),
                                (size_t)m->slots[i].length *
                                    (size_t)m->element,
                                cudaMemcpyDeviceToHost),
                     "copying results from the GPU", err) ||
            (g->rows != NULL &&
             !cuda_ok(cudaMemcpy(rank_memory_row(m, i), row_there(g, i),
                                 row_bytes(g), cudaMemcpyDeviceToHost),
                      "copying the ledger from the GPU", err)))
            return false;
    return true;
}

bool
gpu_rank_wait(struct gpu_rank *g, struct err *err)
{
    bool over = false;

    while (!over)
        if (!is_over(g, &over, err))
            return false;
    return true;
}

struct gpu_rank *
gpu_rank_new(struct message_rank *r, int gpu, enum gpu_way way,
             bool has_rows, struct err *err)
{
    struct gpu_rank *g = mem_new(1, sizeof *g);

    g->r = r;
    g->way = way;
    r->device = (struct device){
        .with = g,
        .has_rows = has_rows,
        .in_order = way == GPU_WAY_NCCL,
        .polled = way != GPU_WAY_HOST,
        .at = gpu_rank_at,
        .take_out = take_out,
        .work = gpu_rank_work,
        .is_over = is_over,
        .reports = gpu_rank_reports,
        .fetch = gpu_rank_fetch,
        .free = free_rank,
    };
    return load_kernel(g, gpu, has_rows, err) ? g : NULL;
}
