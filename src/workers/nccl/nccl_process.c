/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/placement.h"
#include "workers/nccl/nccl_profile.h"
#include "workers/nccl/nccl_share.h"
#include "workers/nccl/nccl_state.h"

enum {
    NAP_US = 20,
    ID_NAP_US = 500,
    SHARING_MOST = 16, /* ranks on a GPU: NCCL allocates memory for each */
};

/* The index of a slot of this rank in arrays of [rank * nslots + slot]. */
static size_t
cell(const struct nccl_process *me, int slot)
{
    return (size_t)me->rank * (size_t)me->job->nslots + (size_t)slot;
}

bool
nccl_wait(const struct nccl_process *me, bool naps, struct err *err)
{
    for (;;) {
        cudaError_t error = cudaStreamQuery(me->self.stream);
        if (error != cudaErrorNotReady)
            return cuda_ok(error, "adding up on the GPU", err);
        if (!nccl_healthy(&me->nccl, me->self.comm, err))
            return false;
        if (naps)
            usleep(NAP_US);
    }
}

/* Selects the rank's GPU.  If other ranks share it, sets NCCL's environment so
 * that it allows that. */
static bool
take_gpu(struct nccl_process *me, struct err *err)
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
    snprintf(me->post->gpu, GPU_NAME_MAX, "%s", gpu->name);
    me->post->ngpus = gpus.count;
    if (nranks > SHARING_MOST * gpus.count)
        return err_set(err, "%d ranks on %d GPU%s are too many for NCCL, which "
                       "takes hundreds of MiB for each: at most %d fit",
                       nranks, gpus.count, err_plural(gpus.count),
                       SHARING_MOST * gpus.count);
    setenv("NCCL_COMM_BLOCKING", "1", 1); /* nccl_api.h requires it */
    me->post->shares = nranks > gpus_boards(&gpus, placement.ngpus);
    if (me->post->shares) {
        int n = nccl_share_settings(set, me->nccl.version, me->rank);
        for (int i = 0; i < n; i++)
            setenv(set[i].name, set[i].value, set[i].needed);
    }
    if (me->job->options.native)
        nccl_profile_begin();
    return cuda_ok(cudaSetDevice(gpu->id), "choosing the GPU", err);
}

/* Rank 0 makes the id and the others wait for it, without a limit: if a rank
 * fails, the parent ends them all. */
static bool
get_id(struct nccl_process *me, struct err *err)
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

/* The stream waits for copies made without a stream, which may still be running
 * when their call returns.  It is made first, so that the GPU is in use when
 * NCCL, which has a CUDA runtime of its own, asks for the current one. */
static bool
join(struct nccl_process *me, struct err *err)
{
    cudaStream_t stream;

    if (!nccl_open(&me->nccl, err) || !take_gpu(me, err) ||
        !cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamDefault),
                 "starting work on the GPU", err))
        return false;
    me->self.stream = stream;
    return get_id(me, err) &&
           nccl_ok(&me->nccl,
                   me->nccl.comm_init_rank(&me->self.comm, me->job->s->nranks,
                                           me->job->shared->id, me->rank),
                   "ncclCommInitRank", NULL, err);
}

/* Copies the content of a shared slot to the GPU. */
static bool
upload_slot(struct nccl_process *me, int slot, struct err *err)
{
    const struct rank_slot *here = &me->job->slots[cell(me, slot)];
    size_t words = me->row / sizeof(uint64_t);
    void *data, *row = NULL;

    if (!gpu_memory_upload(&me->memory, here->data,
                           (size_t)here->length * me->element, &data, err) ||
        (me->row > 0 &&
         !gpu_memory_upload(&me->memory,
                            me->job->ledger + cell(me, slot) * words,
                            me->row, &row, err)))
        return false;
    me->data[slot] = data;
    me->rows[slot] = row;
    return true;
}

static bool
upload(struct nccl_process *me, struct err *err)
{
    size_t nslots = (size_t)me->job->nslots;
    size_t words = (size_t)content_words(me->job->s->nranks);
    void *contents;

    me->data = mem_new(nslots, sizeof *me->data);
    me->rows = mem_new(nslots, sizeof *me->rows);
    for (int slot = 0; slot < me->job->nslots; slot++)
        if (!upload_slot(me, slot, err))
            return false;
    if (me->row > 0) {
        if (!gpu_memory_device(&me->memory,
                               nccl_reports_max(me) * words * sizeof(uint64_t),
                               &contents, err))
            return false;
        me->contents = contents;
    }
    me->self.rank = me->rank;
    me->self.slots = me->data;
    me->self.rows = me->row > 0 ? me->rows : NULL;
    me->self.element = me->element;
    me->self.row = me->row;
    return true;
}

static bool
fetch(struct nccl_process *me, struct err *err)
{
    size_t words = me->row / sizeof(uint64_t);

    for (int slot = 0; slot < me->job->nslots; slot++) {
        const struct rank_slot *here = &me->job->slots[cell(me, slot)];
        if (!cuda_ok(cudaMemcpy(here->data, me->data[slot],
                                (size_t)here->length * me->element,
                                cudaMemcpyDeviceToHost),
                     "copying results from the GPU", err) ||
            (me->row > 0 &&
             !cuda_ok(cudaMemcpy(me->job->ledger + cell(me, slot) * words,
                                 me->rows[slot], me->row,
                                 cudaMemcpyDeviceToHost),
                      "copying the ledger from the GPU", err)))
            return false;
    }
    return true;
}

static bool
answer(struct nccl_process *me, int32_t command, struct err *err)
{
    if (!(command == NCCL_COMMAND_FETCH  ? fetch(me, err)
          : command == NCCL_COMMAND_TIME ? nccl_time(me, err)
                                         : nccl_compare(me, err)))
        return false;
    __atomic_add_fetch(&me->post->answers, 1, __ATOMIC_RELEASE);
    return true;
}

static bool
obey(struct nccl_process *me, int32_t command, struct err *err)
{
    if (command < 0)
        return answer(me, command, err);
    while (me->step < command)
        if (!nccl_do_step(me, ++me->step, err))
            return false;
    if (command == me->job->s->nsteps &&
        !nccl_do_step(me, me->job->s->nsteps + 1, err))
        return false;
    if (me->row == 0 && !nccl_wait(me, true, err))
        return false;
    __atomic_store_n(&me->post->state, NCCL_POST_READY + me->step + 1,
                     __ATOMIC_RELEASE);
    return true;
}

static bool
serve(struct nccl_process *me, int commands, struct err *err)
{
    int32_t command;

    if (!join(me, err) || !upload(me, err) ||
        (me->job->options.native && !nccl_compare_prepare(me, err)))
        return false;
    __atomic_store_n(&me->post->state, NCCL_POST_READY, __ATOMIC_RELEASE);
    while (read(commands, &command, sizeof command) == sizeof command)
        if (!obey(me, command, err))
            return false;
    return true;
}

/* Ends with _exit() in any case: the cleanup of CUDA and NCCL would wait for
 * peers that are gone. */
void
nccl_process(const struct nccl_job *job, int rank, int commands)
{
    struct nccl_process me = {
        .job = job, .rank = rank, .post = &job->shared->posts[rank],
        .element = dtype_size(job->options.input.type),
        .row = job->ledger != NULL
                   ? (size_t)ledger_words(job->s->nranks) * sizeof(uint64_t)
                   : 0};
    struct err err;

    dup2(STDERR_FILENO, STDOUT_FILENO); /* NCCL_DEBUG writes to it */
    if (serve(&me, commands, &err))
        _exit(EXIT_SUCCESS);
    me.post->err = err;
    __atomic_store_n(&me.post->state, NCCL_POST_FAILED, __ATOMIC_RELEASE);
    _exit(EXIT_FAILURE);
}
