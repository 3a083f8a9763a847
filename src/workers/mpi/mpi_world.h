/* SPDX-License-Identifier: MIT */
/* The processes that the launcher started, as a crew (workers/crew/crew.h):
 * which one this is, where all of them run, how their clocks differ, and what
 * carries their messages.
 *
 * A process's index in MPI_COMM_WORLD is its rank.  Hosts are numbered in the
 * order of their lowest ranks, so rank 0 is on host 0.
 *
 * Compiled with SimGrid's smpicc, the processes and their clock are
 * simulated. */
#ifndef WORKERS_MPI_MPI_WORLD_H
#define WORKERS_MPI_MPI_WORLD_H

#include <mpi.h>

#include "workers/crew/crew.h"

enum { MPI_HOST_MAX = 64 };

/* The most bytes of one message, since MPI counts in int.  Sender and receiver
 * cut longer ones at the same places. */
#ifndef MPI_PIECE_BYTES /* tests take less */
#define MPI_PIECE_BYTES (1 << 30)
#endif

/* The GPU that a process has for its slots (mpi_gpu_join()), and what can carry
 * messages between such GPUs. */
struct mpi_gpu_seat {
    char name[96]; /* "NVIDIA H200 0000:1b:00.0"; "": none */
    char bus[32];  /* its end; MIG devices of one GPU have the same bus */
    int32_t id;    /* CUDA's number of it in this process */
    char nccl[16]; /* version of NCCL, "2.28.9"; "": none */
    bool cuda_aware; /* MPI reads and writes the GPU's memory */
};

/* Where a process runs. */
struct mpi_seat {
    char host_name[MPI_HOST_MAX];
    char build[64]; /* which collviz, and its numbers; all must be the same */
    int32_t host;   /* its number */
    int32_t core;   /* to which it is bound; -1: none */
    struct mpi_gpu_seat gpu;
};

/* How a process waits. */
struct mpi_nap {
    MPI_Win window;
    uint32_t *calls; /* counts crew_wake(); shared by the host's ranks; NULL:
                      * there is no shared memory */
    uint32_t heard;  /* calls, when this rank last did something */
    int turns;       /* since then */
};

struct mpi_world {
    struct crew crew; /* .with is this world */
    MPI_Comm data; /* what ranks send each other */
    MPI_Comm control; /* what rank 0 and the others say */
    MPI_Comm host;    /* the processes of this host, in the order of their
                       * ranks; MPI_COMM_NULL if simulated */
    struct mpi_nap nap;
    struct mpi_seat *seats; /* by rank */
    int nhosts;
    int64_t clock_offset_ns; /* this host's clock minus that of host 0 */
    int64_t clock_error_ns;  /* by how much any offset may be off */
};

/* To be called by all processes, after MPI_Init(). Sets up `w` even where it
 * fails. */
bool mpi_world_open(struct mpi_world *w, struct err *err);
void mpi_world_close(struct mpi_world *w);

/* The world that crew_gather() finds. */
void mpi_world_use(struct mpi_world *w);

/* The library's name and version: "Open MPI 4.1.4". */
void mpi_world_library(char *text, size_t size);

/* Lets simulated time pass; NULL where it is real. */
extern void (*const mpi_world_sleep)(int64_t ns);

/* Whether some rank has a GPU. */
bool mpi_world_has_gpus(const struct mpi_world *w);

/* `what` is the call, for the message: "MPI_Isend: no memory left".  For
 * communicators that return codes (MPI_ERRORS_RETURN). */
bool mpi_ok(int code, const char *what, struct err *err);

/* Letters and naps; to be called by all processes.  mail_free(): all that was
 * posted must have been sent; drops what has not been taken; NULL is allowed.
 * mpi_nap_open() never fails: without shared memory no rank is woken. */
struct mail *mail_new(const struct mpi_world *w, struct err *err);
void mail_free(struct mail *m);
void mpi_nap_open(struct mpi_world *w);
void mpi_nap_close(struct mpi_world *w);

/* Finds a GPU for the local-th process of this host, and what can carry
 * messages from there.  Leaves *seat as it is if no GPU can run ranks: then the
 * process is a rank in host memory.  Programs without CUDA have mpi_no_gpu.c in
 * place of mpi_gpu.c. */
void mpi_gpu_find(int local, struct mpi_gpu_seat *seat);

/* Puts the slots of a rank, whose clock and carriers are set, on this process's
 * GPU.  With GPU_WAY_NCCL all ranks must call this, and it waits for them. */
bool mpi_gpu_join(const struct mpi_world *w, struct message_rank *r,
                  enum gpu_way way, struct err *err);

/* MPI's own collective on a run's input, to compare with: "MPI_Allreduce".
 *
 * The library chooses an algorithm, or it takes the one that the user has named
 * (mpi_choice_dup()).  Every rank runs it NATIVE_ROUNDS times, each time after
 * a barrier.  Its input and output are buffers of their own, in host memory,
 * even if the run is in place or on GPUs.  In a timed run (struct timing) it
 * runs once, then warms up and is timed as ours is, and in place it has one
 * buffer.  MPI has no average, so sums are divided afterwards, outside the
 * time.
 *
 * This is its name.  Returns NULL, with the reason, if MPI cannot do that
 * collective on such an input. */
const char *mpi_native_name(const struct schedule *s, const struct input *in,
                            struct err *err);

/* Which algorithm MPI's own collectives take.
 *
 * Open MPI has names for them ("ring", "recursive_doubling"), which this reads
 * and sets through MPI's tool interface: the control variable of MPI_Allreduce
 * is coll_tuned_allreduce_algorithm.  A communicator keeps the choice that was
 * set when it was made. Other MPIs have no such variable.
 *
 * Call this before MPI_Init(): Open MPI reads then whether a choice may be made
 * later.  By itself this changes no choice. */
void mpi_choice_allow(void);

/* Makes a copy of a communicator, on which a function, "MPI_Allreduce", takes
 * the algorithm of this name; if there is none, the error lists those there
 * are.  To be called by all its processes; the caller frees the copy.  NULL
 * instead of it: only says whether there is such an algorithm. */
bool mpi_choice_dup(MPI_Comm comm, const char *function,
                    const char *algorithm, MPI_Comm *copy, struct err *err);

#endif
