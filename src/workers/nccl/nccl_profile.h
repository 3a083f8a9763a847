/* SPDX-License-Identifier: MIT */
/* The algorithm, the protocol and the channels that NCCL chose for its own
 * collective; no function of its interface returns them.
 *
 * This program is itself a profiler plugin of NCCL, version 5 (NCCL 2.28 and
 * later; older versions report nothing).  It exports ncclProfiler_v5, which
 * NCCL looks for if NCCL_PROFILER_PLUGIN is STATIC_PLUGIN.  The declarations
 * are those of 2.28.9, src/include/plugin/profiler/profiler_v5.h. */
#ifndef WORKERS_NCCL_NCCL_PROFILE_H
#define WORKERS_NCCL_NCCL_PROFILE_H

#include <stddef.h>

/* Must be called before NCCL's first communicator.  Keeps a plugin that the
 * user has set. */
void nccl_profile_begin(void);

/* Describes the last collective: "RING, SIMPLE, 2 channels"; "" if unknown. */
void nccl_profile_describe(char *text, size_t size);

#endif
