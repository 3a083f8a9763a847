/* SPDX-License-Identifier: MIT */
/* GPUs for ranks over MPI: a table of functions, so that mpi_rank.c needs no
 * CUDA.  mpi_device is mpi_gpu.c's table in a worker that was built with CUDA,
 * and NULL in others (mpi_no_gpu.c).
 *
 * A device holds the payloads of a rank's slots and does the works on them.
 * Ledger rows stay in host memory.  So does a copy of the slots
 * (message_rank.h): it has the input before step 1, the messages that go
 * through host memory, and the output once that was fetched.
 *
 * A step with a device, where each line waits for the one before:
 *
 *     d->take_out(state, &err)          payloads to send, to host memory
 *     d->exchange(state, &err)          messages, if NCCL carries them;
 *                                       the caller passes others to MPI
 *     d->work(state, &err)              what was received to the device;
 *                                       then the works
 *     message_rank_work_rows(r, d->reports(state))
 *
 * None of these waits: each starts something, and is_over() says whether all
 * that was started is over. */
#ifndef WORKERS_MPI_MPI_DEVICE_H
#define WORKERS_MPI_MPI_DEVICE_H

#include "run/message_rank.h"
#include "workers/mpi/mpi_carrier.h"

struct mpi_device {
    /* Finds a GPU for the local-th process of this host, and what can carry
     * messages from there.  Leaves *seat as it is if no GPU can run ranks: then
     * the process is a rank in host memory. */
    void (*find)(int local, struct mpi_gpu_seat *seat);

    /* Starts to copy all slots to the GPU that find() has found.  `r` must
     * outlive it and be before step 1.  If the carrier is NCCL, all ranks must
     * call this, and it waits for them.  Returns NULL on failure, with the
     * reason. */
    void *(*new)(const struct mpi_world *w, const struct message_rank *r,
                 enum mpi_carrier carrier, struct err *err);
    void (*free)(void *state);

    /* Where MPI sends a slot from and receives it: on the device if MPI is
     * CUDA-aware, else in host memory. */
    unsigned char *(*slot)(void *state, int slot);

    bool (*take_out)(void *state, struct err *err);
    bool (*exchange)(void *state, struct err *err);
    bool (*work)(void *state, struct err *err);
    bool (*is_over)(void *state, bool *over, struct err *err);

    /* What the last work() has reported, for message_rank_work_rows(). */
    const uint64_t *(*reports)(void *state);

    /* Copies the slots of a region to host memory, and waits for that. */
    bool (*fetch)(void *state, struct region region, struct err *err);
};

extern const struct mpi_device *const mpi_device;

#endif
