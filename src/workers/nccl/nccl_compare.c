/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_crew.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/cuda/cuda_call.h"
#include "workers/nccl/nccl_api.h"

enum { PROFILE_COLL = 1 << 1 };

/* The first members of an event, as in an event of PROFILE_COLL. */
struct profile_event {
    uint64_t type;
    void *parent;
    int rank;
    struct {
        uint64_t number;
        const char *function;
        const void *from;
        void *to;
        size_t count;
        int root;
        const char *type;
        uint8_t channels, warps;
        const char *algorithm, *protocol;
        void *group;
    } coll;
};

struct profile {
    const char *name;
    enum nccl_result (*init)(void **context, uint64_t comm, int *mask,
                             const char *comm_name, int nodes, int nranks,
                             int rank, void *log);
    enum nccl_result (*start)(void *context, void **event,
                              const struct profile_event *about);
    enum nccl_result (*stop)(void *event);
    enum nccl_result (*record)(void *event, int state, void *arguments);
    enum nccl_result (*finalize)(void *context);
};

/* The last collective: "RING, SIMPLE, 2 channels"; "" if unknown.  A global,
 * because NCCL passes the plugin no argument of ours; a rank has one
 * communicator.  NCCL starts a collective's event in the call that enqueues the
 * collective, which is in our thread. */
static char seen[64];

static enum nccl_result
profiler_init(void **context, uint64_t comm, int *mask, const char *comm_name,
              int nodes, int nranks, int rank, void *log)
{
    (void)comm, (void)comm_name, (void)nodes, (void)nranks, (void)rank;
    (void)log;
    *context = seen;
    *mask = PROFILE_COLL;
    return NCCL_SUCCESS;
}

static enum nccl_result
profiler_start(void *context, void **event, const struct profile_event *about)
{
    int channels = about->coll.channels;

    *event = NULL;
    if (about->type == PROFILE_COLL && about->coll.algorithm != NULL &&
        about->coll.protocol != NULL)
        snprintf(context, sizeof seen, "%.20s, %.20s, %d channel%s",
                 about->coll.algorithm, about->coll.protocol, channels,
                 channels == 1 ? "" : "s");
    return NCCL_SUCCESS;
}

/* Ends an event, or the context. */
static enum nccl_result
profiler_stop(void *ended)
{
    (void)ended;
    return NCCL_SUCCESS;
}

static enum nccl_result
profiler_record(void *event, int state, void *arguments)
{
    (void)event, (void)state, (void)arguments;
    return NCCL_SUCCESS;
}

extern const struct profile ncclProfiler_v5;
const struct profile ncclProfiler_v5 = {
    "collviz",     profiler_init,   profiler_start,
    profiler_stop, profiler_record, profiler_stop,
};

void
nccl_profile_begin(void)
{
    setenv("NCCL_PROFILER_PLUGIN", "STATIC_PLUGIN", 0);
}

static size_t
input_bytes(const struct nccl_crew *c)
{
    return (size_t)c->options->input.count * c->own.call.element;
}

/* The original input, and buffers: in place one has room for input and
 * output. */
static bool
make_buffers(struct nccl_crew *c, struct err *err)
{
    const struct nccl_native *call = &c->own.call;
    struct gpu_memory *m = &c->gpu->memory;
    OWN_MEMORY unsigned char *input =
        input_copy(&c->options->input, c->crew.rank);
    size_t to = (size_t)call->to_at * call->element +
                share_output_bytes(c->gpu->r->share);
    size_t from = (size_t)call->from_at * call->element + input_bytes(c);

    if (c->s->in_place && from < to)
        from = to;
    c->own.input = gpu_memory_upload(m, input, input_bytes(c), err);
    c->own.from = gpu_memory_device(m, from, err);
    c->own.to = c->s->in_place ? c->own.from : gpu_memory_device(m, to, err);
    return !m->failed;
}

bool
nccl_compare_prepare(struct nccl_crew *c, struct err *err)
{
    return nccl_native(&c->own.call, &c->gpu->nccl, c->s, &c->options->input,
                       c->crew.rank, err) &&
           make_buffers(c, err);
}

static bool
nccl_native_restore(void *with, struct err *err)
{
    struct nccl_crew *c = with;
    const struct nccl_native *own = &c->own.call;
    unsigned char *from = c->own.from;

    return cuda_ok(cudaMemcpyAsync(from + (size_t)own->from_at * own->element,
                                   c->own.input, input_bytes(c),
                                   cudaMemcpyDeviceToDevice, c->gpu->stream),
                   "copying on the GPU", err) &&
           gpu_rank_wait(c->gpu, err);
}

static bool
nccl_native_call(void *with, struct err *err)
{
    struct nccl_crew *c = with;

    return nccl_native_run(&c->own.call, &c->gpu->nccl, c->own.from,
                           c->own.to, c->gpu->carrier.comm, c->gpu->stream,
                           err);
}

static bool
nccl_native_settle(void *with, struct err *err)
{
    return gpu_rank_wait(((struct nccl_crew *)with)->gpu, err);
}

static bool
nccl_native_fetch(void *with, struct err *err)
{
    struct nccl_crew *c = with;
    const struct nccl_native *own = &c->own.call;
    const unsigned char *to = c->own.to;

    return cuda_ok(cudaMemcpy(c->own.found + 1,
                              to + (size_t)own->to_at * own->element,
                              share_output_bytes(c->gpu->r->share),
                              cudaMemcpyDeviceToHost),
                   "copying results from the GPU", err);
}

/* NCCL lets nobody choose an algorithm by name. */
bool
crew_compare(struct crew *crew, const struct message_rank *r,
             const char *algorithm, struct crew_native *found,
             struct err *err)
{
    struct nccl_crew *c = crew->with;

    (void)r, (void)algorithm;
    c->own.found = found;
    if (!crew_rounds(crew,
                     &(struct native_calls){c, nccl_native_restore,
                                            nccl_native_call,
                                            nccl_native_settle,
                                            nccl_native_fetch},
                     &c->options->timing, &found->times, err))
        return false;
    snprintf(found->name, sizeof found->name, "%s", c->own.call.name);
    snprintf(found->inside, sizeof found->inside, "%s", seen);
    return true;
}
