/* SPDX-License-Identifier: MIT */
/* A rank's slots on an NVIDIA GPU.  They lie there as they do in host memory,
 * in one piece.  All work is on one stream, in order. */
#include "workers/mpi/mpi_device.h"

#include <stdio.h>
#include <stdlib.h>
#if defined(HAVE_MPIX_QUERY_CUDA_SUPPORT) && defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include "base/mem.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/gpu.h"
#include "workers/cuda/gpu_memory.h"
#include "workers/mpi/mpi_call.h"
#include "workers/nccl/nccl_exchange.h"
#include "workers/nccl/nccl_launch.h"

struct mpi_gpu {
    const struct mpi_world *w;
    const struct message_rank *r;
    enum mpi_carrier carrier;
    cudaStream_t stream;
    struct gpu_memory memory;
    unsigned char **slots; /* on the GPU */
    uint64_t *reports;     /* of a step; in mapped host memory */
    bool pinned;           /* r->payloads are */
    struct nccl nccl;
    struct nccl_rank self; /* NCCL's communicator; the same stream and slots */
};

static bool
mpi_is_cuda_aware(void)
{
#ifdef HAVE_MPIX_QUERY_CUDA_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

/* Only the GPU's name is asked for: CUDA starts on it if a run needs it. */
static void
find(int local, struct mpi_gpu_seat *seat)
{
    char version[NCCL_VERSION_TEXT_MAX];
    const struct gpu *gpu;
    struct gpus gpus;
    struct nccl nccl;
    struct err ignored;

    if (!gpus_find(&gpus, &ignored))
        return;
    gpu = &gpus.gpu[local % gpus.count];
    seat->id = gpu->id;
    snprintf(seat->name, sizeof seat->name, "%s", gpu->name);
    snprintf(seat->bus, sizeof seat->bus, "%s", gpu->bus);
    seat->cuda_aware = mpi_is_cuda_aware();
    if (!nccl_open(&nccl, &ignored))
        return;
    nccl_version_text(nccl.version, version);
    snprintf(seat->nccl, sizeof seat->nccl, "%.15s", version);
}

static const struct share_step *
step_of(const struct mpi_gpu *g)
{
    return message_rank_step(g->r);
}

static size_t
slot_bytes(const struct mpi_gpu *g, int64_t length)
{
    return (size_t)length * (size_t)g->r->memory.element;
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

/* What goes through host memory is pinned there, or each copy would go through
 * a buffer of the driver's as well. */
static bool
pin(struct mpi_gpu *g, struct err *err)
{
    if (g->carrier != CARRIER_HOST || g->r->payload_bytes == 0)
        return true;
    g->pinned = cuda_ok(cudaHostRegister(g->r->payloads, g->r->payload_bytes,
                                         cudaHostRegisterDefault),
                        "pinning host memory", err);
    return g->pinned;
}

/* Starts to copy all slots to the GPU. */
static bool
load(struct mpi_gpu *g, struct err *err)
{
    const struct message_rank *r = g->r;
    size_t content = (size_t)content_words(r->share->nranks) * sizeof(uint64_t);
    int id = g->w->seats[g->w->rank].gpu.id;
    void *slots, *reports;

    if (!cuda_ok(cudaSetDevice(id), "choosing the GPU", err) ||
        !cuda_ok(cudaStreamCreateWithFlags(&g->stream, cudaStreamDefault),
                 "starting work on the GPU", err) ||
        !nccl_load_kernel(err) ||
        !gpu_memory_device(&g->memory, r->payload_bytes, &slots, err) ||
        !gpu_memory_mapped(&g->memory, most_reports(r->share) * content,
                           &reports, err) ||
        !pin(g, err) ||
        !cuda_ok(cudaMemcpyAsync(slots, r->payloads, r->payload_bytes,
                                 cudaMemcpyHostToDevice, g->stream),
                 "copying the input to the GPU", err))
        return false;
    for (int slot = 0; slot < r->memory.nslots; slot++)
        g->slots[slot] = (unsigned char *)slots +
                         (r->memory.slots[slot].data - r->payloads);
    g->reports = reports;
    return true;
}

/* NCCL connects two ranks at their first message, and each waits for the other
 * there.  So they meet now, with a byte, and not in a step before which one of
 * them is delayed. */
static bool
meet_peers(struct mpi_gpu *g, struct err *err)
{
    const struct share *s = g->r->share;
    size_t n = (size_t)s->nranks;
    struct message *messages = mem_new(2 * n, sizeof *messages);
    unsigned char **slots = mem_new(2 * n, sizeof *slots);
    bool *met = mem_new(2 * n, sizeof *met);
    struct message_step step = {.sends = messages, .receives = messages + n};
    struct nccl_rank self = g->self;
    void *memory;
    bool ok = gpu_memory_device(&g->memory, 2 * n, &memory, err);

    for (size_t i = 0; ok && i < 2 * n; i++)
        slots[i] = (unsigned char *)memory + i;
    for (size_t i = 0; i < s->nsends; i++)
        met[s->sends[i].peer] |= s->sends[i].length > 0;
    for (size_t i = 0; i < s->nreceives; i++)
        met[n + (size_t)s->receives[i].peer] |= s->receives[i].length > 0;
    for (int peer = 0; peer < s->nranks; peer++) {
        if (met[peer])
            messages[step.nsends++] = (struct message){peer, peer, 1};
        if (met[n + (size_t)peer])
            messages[n + step.nreceives++] =
                (struct message){peer, s->nranks + peer, 1};
    }
    self.slots = slots;
    self.element = 1;
    ok = ok && nccl_exchange_step(&g->nccl, &step, &self, err);
    free(messages);
    free(slots);
    free(met);
    return ok;
}

/* Rank 0's id goes to all ranks through MPI. */
static bool
join(struct mpi_gpu *g, struct err *err)
{
    const struct mpi_world *w = g->w;
    struct nccl_id id = {{0}};

    setenv("NCCL_COMM_BLOCKING", "1", 1); /* nccl_api.h requires it */
    setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0); /* rank 0's stdout is ours */
    if (!nccl_open(&g->nccl, err) ||
        (w->rank == 0 && !nccl_ok(&g->nccl, g->nccl.get_unique_id(&id),
                                  "ncclGetUniqueId", NULL, err)) ||
        !mpi_ok(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, w->data), "MPI_Bcast",
                err) ||
        !nccl_ok(&g->nccl,
                 g->nccl.comm_init_rank(&g->self.comm, w->size, id, w->rank),
                 "ncclCommInitRank", NULL, err))
        return false;
    g->self.rank = w->rank;
    g->self.stream = g->stream;
    g->self.slots = g->slots;
    g->self.element = (size_t)g->r->memory.element;
    return meet_peers(g, err);
}

/* Joins the other ranks, if all have loaded their GPUs: a rank that has not
 * reports why, and rank 0 ends the run. */
static bool
join_if_all_can(struct mpi_gpu *g, bool loaded, struct err *err)
{
    struct err ignored = {""}; /* for a rank whose *err has a reason already */
    int can = loaded, all = 0;

    return mpi_ok(MPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, g->w->data),
                  "MPI_Allreduce", loaded ? err : &ignored) &&
           loaded && (!all || join(g, err));
}

/* Aborts the communicator, which waits for no peer, unlike destroying it. */
static void
free_gpu(void *state)
{
    struct mpi_gpu *g = state;

    if (g == NULL)
        return;
    if (g->self.comm != NULL)
        g->nccl.comm_abort(g->self.comm);
    if (g->stream != NULL) {
        cudaStreamSynchronize(g->stream);
        cudaStreamDestroy(g->stream);
    }
    if (g->pinned)
        cudaHostUnregister(g->r->payloads);
    gpu_memory_done(&g->memory);
    free(g->slots);
    free(g);
}

static void *
new_gpu(const struct mpi_world *w, const struct message_rank *r,
        enum mpi_carrier carrier, struct err *err)
{
    struct mpi_gpu *g = mem_new(1, sizeof *g);
    bool ok;

    g->w = w;
    g->r = r;
    g->carrier = carrier;
    g->slots = mem_new((size_t)r->memory.nslots, sizeof *g->slots);
    ok = load(g, err);
    if (carrier == CARRIER_NCCL)
        ok = join_if_all_can(g, ok, err); /* is_over() includes the copy */
    else
        ok = ok && cuda_ok(cudaStreamSynchronize(g->stream),
                           "copying the input to the GPU", err);
    if (ok)
        return g;
    free_gpu(g);
    return NULL;
}

static unsigned char *
slot(void *state, int which)
{
    const struct mpi_gpu *g = state;

    return g->carrier == CARRIER_HOST ? g->r->memory.slots[which].data
                                      : g->slots[which];
}

/* Starts to copy the slots of messages, one way or the other.  A slot that goes
 * to several peers in a row is copied once. */
static bool
copy(struct mpi_gpu *g, const struct message *messages, int n,
     enum cudaMemcpyKind kind, struct err *err)
{
    for (int i = 0; i < n; i++) {
        const struct message *m = &messages[i];
        unsigned char *here = g->r->memory.slots[m->slot].data;
        unsigned char *there = g->slots[m->slot];
        bool out = kind == cudaMemcpyDeviceToHost;

        if (m->length == 0 || (i > 0 && messages[i - 1].slot == m->slot &&
                               messages[i - 1].length >= m->length))
            continue;
        if (!cuda_ok(cudaMemcpyAsync(out ? here : there, out ? there : here,
                                     slot_bytes(g, m->length), kind,
                                     g->stream),
                     out ? "copying messages from the GPU"
                         : "copying messages to the GPU", err))
            return false;
    }
    return true;
}

/* In a mismatched run a message may be shorter than what is received: the rest
 * of that slot has to stay. */
static bool
take_out(void *state, struct err *err)
{
    struct mpi_gpu *g = state;
    const struct share_step *step = step_of(g);

    if (g->carrier != CARRIER_HOST)
        return true;
    return copy(g, g->r->at.send, step->nsends, cudaMemcpyDeviceToHost, err) &&
           (!g->r->share->mismatched ||
            copy(g, g->r->at.receive, step->nreceives, cudaMemcpyDeviceToHost,
                 err));
}

static bool
exchange(void *state, struct err *err)
{
    struct mpi_gpu *g = state;
    const struct share_step *step = step_of(g);
    struct message_step s = {
        .sends = g->r->at.send, .receives = g->r->at.receive,
        .nsends = (size_t)step->nsends, .nreceives = (size_t)step->nreceives};

    return nccl_exchange_step(&g->nccl, &s, &g->self, err);
}

static bool
launch(struct mpi_gpu *g, const struct work *w, uint64_t *report,
       struct err *err)
{
    const struct share *s = g->r->share;
    struct nccl_kernel_work work = {
        .op = w->op, .type = (enum dtype)s->type, .redop = (enum redop)s->op,
        .nranks = s->nranks, .element = g->r->memory.element,
        .length = w->length, .to = g->slots[w->to], .add = g->slots[w->add],
        .from = g->slots[w->from], .content = report};

    return nccl_launch(&work, g->stream, err);
}

static bool
work(void *state, struct err *err)
{
    struct mpi_gpu *g = state;
    const struct share_step *step = step_of(g);
    uint64_t *report = g->reports;

    if (g->carrier == CARRIER_HOST &&
        !copy(g, g->r->at.receive, step->nreceives, cudaMemcpyHostToDevice,
              err))
        return false;
    for (int i = 0; i < step->nworks; i++) {
        const struct work *w = &g->r->at.work[i];
        if (!launch(g, w, report, err))
            return false;
        if (w->op == WORK_REPORT)
            report += content_words(g->r->share->nranks);
    }
    return true;
}

/* A lost peer does not show in the stream. */
static bool
is_over(void *state, bool *over, struct err *err)
{
    struct mpi_gpu *g = state;
    cudaError_t error = cudaStreamQuery(g->stream);

    *over = error != cudaErrorNotReady;
    if (*over)
        return cuda_ok(error, "working on the GPU", err);
    return g->carrier != CARRIER_NCCL ||
           nccl_healthy(&g->nccl, g->self.comm, err);
}

static const uint64_t *
reports(void *state)
{
    return ((struct mpi_gpu *)state)->reports;
}

static bool
fetch(void *state, struct region region, struct err *err)
{
    struct mpi_gpu *g = state;

    for (int i = region.first; i < region.first + region.count; i++) {
        const struct rank_slot *here = &g->r->memory.slots[i];
        if (!cuda_ok(cudaMemcpy(here->data, g->slots[i],
                                slot_bytes(g, here->length),
                                cudaMemcpyDeviceToHost),
                     "copying results from the GPU", err))
            return false;
    }
    return true;
}

static const struct mpi_device gpu = {
    .find = find,
    .new = new_gpu,
    .free = free_gpu,
    .slot = slot,
    .take_out = take_out,
    .exchange = exchange,
    .work = work,
    .is_over = is_over,
    .reports = reports,
    .fetch = fetch,
};

const struct mpi_device *const mpi_device = &gpu;
