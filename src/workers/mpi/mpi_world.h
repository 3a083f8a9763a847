/* SPDX-License-Identifier: MIT */
/* The processes that the launcher started: which one this is, where all of them
 * run, and how their clocks differ.
 *
 * A process's index in MPI_COMM_WORLD is its rank.  Hosts are numbered in the
 * order of their lowest ranks, so rank 0 is on host 0.
 *
 * Compiled with SimGrid's smpicc, the processes and their clock are
 * simulated. */
#ifndef WORKERS_MPI_MPI_WORLD_H
#define WORKERS_MPI_MPI_WORLD_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef SMPI_SIMULATED
#define MPI_SIMULATED 1
#else
#define MPI_SIMULATED 0
#endif

enum { MPI_HOST_MAX = 64 };

/* The GPU that a process has for its slots (mpi_device.h), and what can carry
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

struct mpi_world {
    int rank, size;
    MPI_Comm data; /* what ranks send each other */
    MPI_Comm control; /* what rank 0 and the others say */
    MPI_Comm host;    /* the processes of this host, in the order of their
                       * ranks; MPI_COMM_NULL if simulated */
    struct mail *mail; /* on it (mpi_mail.h) */
    struct nap *nap;   /* how this process waits (mpi_nap.h) */
    struct mpi_seat *seats; /* by rank */
    int nhosts;
    int64_t clock_offset_ns; /* this host's clock minus that of host 0 */
    int64_t clock_error_ns;  /* by how much any offset may be off */
    bool at_work; /* a run was left while its messages were under way: their
                   * memory must not be freed, and MPI not be finalized */
};

/* To be called by all processes, after MPI_Init(). Sets up `w` even where it
 * fails. */
bool mpi_world_open(struct mpi_world *w, struct err *err);
void mpi_world_close(struct mpi_world *w);

/* Lets simulated time pass; returns at once where time is real. */
void mpi_world_sleep(int64_t ns);

/* The time in ns on host 0's clock. */
int64_t mpi_world_ns(const struct mpi_world *w);

/* For how long another host's kernel has not acknowledged what this process
 * has sent over TCP, in ms: the host or the network is down.  0 where all was
 * acknowledged, even if no process there has read it. */
int64_t mpi_world_unheard_ms(void);

/* The library's name and version: "Open MPI 4.1.4". */
void mpi_world_library(char *text, size_t size);

/* Puts "rank 3 on host cv2: " before the message. Always returns false. */
bool mpi_world_blame(const struct mpi_world *w, int rank, struct err *err);

#endif
