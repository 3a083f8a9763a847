/* SPDX-License-Identifier: MIT */
/* What NCCL tells of its own collectives: the algorithm, the protocol and the
 * channels that it chose, which no function of its interface says.
 *
 * This program is itself a profiler plugin of NCCL's, version 5 (NCCL 2.28 and
 * later; before, nothing is known): it exports ncclProfiler_v5, which NCCL
 * looks for where NCCL_PROFILER_PLUGIN is STATIC_PLUGIN.  The declarations are
 * of 2.28.9, src/include/plugin/profiler/profiler_v5.h. */
#ifndef WORKERS_NCCL_NCCL_PROFILE_H
#define WORKERS_NCCL_NCCL_PROFILE_H

#include <stddef.h>

/* Before NCCL's first communicator. A plugin that the user named stays. */
void nccl_profile_begin(void);

/* Of the last collective: "RING, SIMPLE, 2 channels"; "": not known. */
void nccl_profile_tell(char *text, size_t size);

#endif
