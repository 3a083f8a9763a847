/* SPDX-License-Identifier: MIT */
/* What chief and ranks need of MPI as a crew: its messages, and where ranks
 * are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/mpi/mpi_world.h"

/* Messages --------------------------------------------------------------- */

struct request {
    MPI_Request mpi;
    size_t expected; /* bytes; of a send: SIZE_MAX */
};

/* One rank's messages. */
struct mpi_carrier {
    const struct mpi_world *w;
    struct request *requests;
    size_t nrequests, capacity;
    size_t nover; /* requests before this one are over */
};

/* Both sides cut a message at the same places: its length is in the plan. */
static size_t
cut_piece(size_t left)
{
    return left < MPI_PIECE_BYTES ? left : MPI_PIECE_BYTES;
}

/* Begins to send or to receive a message, in requests of this step. */
static bool
post_message(struct mpi_carrier *c, bool out, int peer, enum message_tag tag,
             unsigned char *at, size_t bytes, size_t room, struct err *err)
{
    do {
        size_t n = cut_piece(bytes);
        struct request *r;
        int code;

        c->requests = mem_grow(c->requests, c->nrequests, &c->capacity,
                               sizeof *c->requests);
        r = &c->requests[c->nrequests++];
        *r = (struct request){MPI_REQUEST_NULL, out ? SIZE_MAX : n};
        code = out ? MPI_Isend(at, (int)n, MPI_BYTE, peer, (int)tag,
                               c->w->data, &r->mpi)
                   : MPI_Irecv(at, (int)cut_piece(room), MPI_BYTE, peer,
                               (int)tag, c->w->data, &r->mpi);
        if (!mpi_ok(code, out ? "MPI_Isend" : "MPI_Irecv", err))
            return false;
        at += n;
        room -= n;
        bytes -= n;
    } while (bytes > 0);
    return true;
}

static bool
mpi_carrier_send(void *with, int peer, enum message_tag tag, const void *from,
                 size_t bytes, struct err *err)
{
    return post_message(with, true, peer, tag, (unsigned char *)from, bytes,
                        bytes, err);
}

static bool
mpi_carrier_receive(void *with, int peer, enum message_tag tag, void *to,
                    size_t bytes, size_t room, struct err *err)
{
    return post_message(with, false, peer, tag, to, bytes, room, err);
}

static bool
mpi_carrier_test(void *with, enum carried *how, struct err *err)
{
    struct mpi_carrier *c = with;
    int done = 1, bytes = 0;

    for (; c->nover < c->nrequests; c->nover++) {
        struct request *request = &c->requests[c->nover];
        MPI_Status status;
        int code = CREW_SIMULATED ? MPI_Wait(&request->mpi, &status)
                                  : MPI_Test(&request->mpi, &done, &status);
        if (!mpi_ok(code, "exchanging messages", err))
            return false;
        if (done && request->expected < SIZE_MAX)
            MPI_Get_count(&status, MPI_BYTE, &bytes);
        *how = done ? CARRIED_TOO_LONG : CARRIED_LATER;
        if (!done || (bytes > 0 && (size_t)bytes > request->expected))
            return true;
    }
    c->nover = c->nrequests = 0;
    *how = CARRIED_ALL;
    return true;
}

static void
mpi_carrier_give_up(void *with)
{
    struct mpi_carrier *c = with;

    free(c->requests);
    free(c);
}

/* The world -------------------------------------------------------------- */

static bool
on_gpu(const struct mpi_seat *seat)
{
    return seat->gpu.name[0] != '\0';
}

/* NCCL tells GPUs of a host apart by their PCI bus. */
static bool
nccl_can(const struct mpi_world *w)
{
    for (int rank = 0; rank < w->crew.size; rank++) {
        const struct mpi_seat *seat = &w->seats[rank];
        if (!on_gpu(seat) || seat->gpu.nccl[0] == '\0' ||
            strcmp(seat->gpu.nccl, w->seats[0].gpu.nccl) != 0)
            return false;
        for (int other = 0; other < rank; other++)
            if (w->seats[other].host == seat->host &&
                strcmp(w->seats[other].gpu.bus, seat->gpu.bus) == 0)
                return false;
    }
    return true;
}

static enum gpu_way
way_of(const struct mpi_world *w, bool mismatched)
{
    if (!mismatched && nccl_can(w))
        return GPU_WAY_NCCL;
    for (int rank = 0; rank < w->crew.size; rank++)
        if (on_gpu(&w->seats[rank]) && !w->seats[rank].gpu.cuda_aware)
            return GPU_WAY_HOST;
    return GPU_WAY_AWARE;
}

bool
mpi_world_has_gpus(const struct mpi_world *w)
{
    int rank = 0;

    while (rank < w->crew.size && !on_gpu(&w->seats[rank]))
        rank++;
    return rank < w->crew.size;
}

/* Describes where a rank runs: host, carrier, GPU. "cv1, NCCL 2.28.9, NVIDIA
 * H200 0000:1b:00.0"; in host memory "cv1, Open MPI 4.1.4". */
static void
describe_rank(const struct mpi_world *w, enum gpu_way way, int rank,
              char name[RUN_NAME_MAX])
{
    const struct mpi_seat *seat = &w->seats[rank];
    OWN(buf) text = {0};
    char library[64];

    mpi_world_library(library, sizeof library);
    buf_addf(&text, "%s, ", seat->host_name);
    if (!on_gpu(seat))
        buf_puts(&text, library);
    else if (way == GPU_WAY_NCCL)
        buf_addf(&text, "NCCL %s, ", seat->gpu.nccl);
    else if (way == GPU_WAY_AWARE)
        buf_addf(&text, "CUDA-aware %s, ", library);
    else
        buf_addf(&text, "%s through host memory, ", library);
    buf_puts(&text, seat->gpu.name);
    snprintf(name, RUN_NAME_MAX, "%s", buf_text(&text));
}

static void
list_no_devices(const struct mpi_world *w, struct run_info *info)
{
    char library[64];

    mpi_world_library(library, sizeof library);
    info->ndevices = 1;
    snprintf(info->devices[0], RUN_NAME_MAX, "%d host%s, %s", w->nhosts,
             err_plural(w->nhosts), library);
    memset(info->device_of, 0, sizeof info->device_of);
    run_forget_cores(info);
}

/* A device is a host, or a GPU of one; where there are too many to list, one
 * line is for all. */
void
crew_describe(const struct crew *c, const struct schedule *s, bool mismatched,
              struct run_info *info)
{
    const struct mpi_world *w = c->with;
    enum gpu_way way = way_of(w, mismatched);

    (void)s;
    info->place = PLACE_HOST;
    info->nplaces = w->nhosts;
    info->clock_ns = w->clock_error_ns;
    for (int rank = 0; rank < c->size; rank++) {
        const struct mpi_seat *seat = &w->seats[rank];
        int first = 0; /* rank on the same host, or on the same GPU there */

        while (w->seats[first].host != seat->host ||
               strcmp(w->seats[first].gpu.name, seat->gpu.name) != 0)
            first++;
        if (first == rank && info->ndevices == RUN_DEVICES_MAX) {
            list_no_devices(w, info);
            return;
        }
        if (first == rank)
            describe_rank(w, way, rank, info->devices[info->ndevices]);
        info->device_of[rank] = first < rank ? info->device_of[first]
                                             : info->ndevices++;
        info->core_of[rank] = seat->core;
    }
}

/* The crew --------------------------------------------------------------- */

static struct mpi_world *world;

void
mpi_world_use(struct mpi_world *w)
{
    world = w;
}

struct crew *
crew_gather(const struct schedule *s, const struct run_options *o,
            struct err *err)
{
    int size = world->crew.size;
    const char *function;
    char library[64];

    mpi_world_library(library, sizeof library);
    if (o->native &&
        ((function = mpi_native_name(s, &o->input, err)) == NULL ||
         (o->native_algorithm != NULL &&
          !mpi_choice_dup(world->data, function, o->native_algorithm, NULL,
                          err))))
        return NULL;
    if (size == 1 && s->nranks > 1)
        err_set(err, "the launcher has started no process but this one for %d "
                "ranks: it must start as many as -n says, and be the launcher "
                "of %s", s->nranks, library);
    else if (size != s->nranks)
        err_set(err, "the launcher has started %d processes for %d rank%s: "
                "it must start as many as -n says", size, s->nranks,
                err_plural(s->nranks));
    else
        return &world->crew;
    return NULL;
}

/* The launcher has started the processes, and ends them. */
void
crew_disband(struct crew *c)
{
    (void)c;
}

bool
crew_meet(struct crew *c, struct err *err)
{
    return mpi_ok(MPI_Barrier(((struct mpi_world *)c->with)->data),
                  "MPI_Barrier", err);
}

/* MPI has the ledger's rows, whatever carries payloads: the time at which they
 * were sent goes with them. */
bool
crew_join(struct crew *crew, struct message_rank *r, struct err *err)
{
    const struct mpi_world *w = crew->with;
    struct mpi_carrier *c = mem_new(1, sizeof *c);

    c->w = w;
    r->payloads_by = r->rows_by =
        (struct carrier){c, mpi_carrier_send, mpi_carrier_receive,
                         mpi_carrier_test, mpi_carrier_give_up};
    r->clock = (struct message_clock){crew, crew_ns, mpi_world_sleep};
    return !on_gpu(&w->seats[crew->rank]) ||
           mpi_gpu_join(w, r, way_of(w, r->share->mismatched), err);
}
