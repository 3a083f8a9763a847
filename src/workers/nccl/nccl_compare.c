/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "workers/cuda/cuda_call.h"
#include "workers/nccl/nccl_profile.h"

static size_t
input_bytes(const struct nccl_process *me)
{
    return (size_t)me->job->options.input.count * me->element;
}

static bool
upload_input(struct nccl_process *me, struct err *err)
{
    const struct input *in = &me->job->options.input;
    unsigned char *here = mem_new((size_t)in->count, me->element);
    bool ok;

    for (int64_t i = 0; i < in->count; i++)
        input_element(in, me->rank, i, here + (size_t)i * me->element);
    ok = gpu_memory_upload(&me->memory, here, input_bytes(me), &me->own.input,
                           err);
    free(here);
    return ok;
}

/* In place one buffer has room for input and output. */
static bool
make_buffers(struct nccl_process *me, struct err *err)
{
    const struct nccl_native *call = &me->own.call;
    int64_t length = me->job->own[me->rank].length;
    size_t to = (size_t)(call->to_at + length) * me->element;
    size_t from = (size_t)call->from_at * me->element + input_bytes(me);

    if (me->job->s->in_place) {
        from = from > to ? from : to;
        return gpu_memory_device(&me->memory, from, &me->own.from, err) &&
               (me->own.to = me->own.from) != NULL;
    }
    return gpu_memory_device(&me->memory, from, &me->own.from, err) &&
           gpu_memory_device(&me->memory, to, &me->own.to, err);
}

bool
nccl_compare_prepare(struct nccl_process *me, struct err *err)
{
    const struct nccl_job *job = me->job;

    return nccl_native(&me->own.call, &me->nccl, job->s, &job->options.input,
                       me->rank, err) &&
           upload_input(me, err) && make_buffers(me, err);
}

static bool
do_round(struct nccl_process *me, int round, struct err *err)
{
    const struct nccl_native *call = &me->own.call;
    unsigned char *from = me->own.from;

    if (!cuda_ok(cudaMemcpyAsync(from + (size_t)call->from_at * me->element,
                                 me->own.input, input_bytes(me),
                                 cudaMemcpyDeviceToDevice, me->self.stream),
                 "copying on the GPU", err) ||
        !nccl_wait(me, false, err))
        return false;
    nccl_meet(me);
    me->post->times.begin_ns[round] = clock_ns();
    if (!nccl_native_run(call, &me->nccl, from, me->own.to, me->self.comm,
                         me->self.stream, err) ||
        !nccl_wait(me, false, err))
        return false;
    me->post->times.end_ns[round] = clock_ns();
    return true;
}

/* In the timed run: calls that go on from what the first one has left. */
static bool
time_calls(struct nccl_process *me, int calls, int64_t *ns, struct err *err)
{
    int64_t begin_ns;

    nccl_meet(me);
    begin_ns = clock_ns();
    for (int i = 0; i < calls; i++)
        if (!nccl_native_run(&me->own.call, &me->nccl, me->own.from,
                             me->own.to, me->self.comm, me->self.stream, err))
            return false;
    if (!nccl_wait(me, false, err))
        return false;
    *ns = clock_ns() - begin_ns;
    return true;
}

bool
nccl_compare(struct nccl_process *me, struct err *err)
{
    const struct rank_slot *here = &me->job->own[me->rank];
    const struct nccl_native *call = &me->own.call;
    const struct timing *t = &me->job->options.timing;
    const unsigned char *to = me->own.to;
    int64_t ignored;

    for (int round = 0; round < (t->calls > 0 ? 1 : NATIVE_ROUNDS); round++)
        if (!do_round(me, round, err))
            return false;
    snprintf(me->post->name, RUN_NAME_MAX, "%s", call->name);
    nccl_profile_describe(me->post->inside, RUN_NAME_MAX);
    return cuda_ok(cudaMemcpy(here->data,
                              to + (size_t)call->to_at * me->element,
                              (size_t)here->length * me->element,
                              cudaMemcpyDeviceToHost),
                   "copying results from the GPU", err) &&
           (t->calls == 0 ||
            (time_calls(me, t->warm_up, &ignored, err) &&
             time_calls(me, t->calls, &me->post->times.timed_ns, err)));
}
