/* SPDX-License-Identifier: MIT */
/* Runs translated PTX behind tests/fake_cuda, in the place of fake_kernel(),
 * which runs run/rank.h as C.
 *
 * A block's threads are fibers, which take turns from barrier to barrier.
 * Blocks of all launches take turns as well, one at a time.  Every access is
 * checked: the GPU must reach the memory, at an aligned address, without a race
 * (tests/ptx/race.h).  The first finding ends all launches. */
#ifndef TESTS_PTX_RUN_H
#define TESTS_PTX_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the shared library that was made of translated PTX. */
bool ptx_open(const char *path);

/* Returns the first finding since the last call, or NULL.  Valid until the next
 * launch. */
const char *ptx_finding(void);

/* Checks a read by the host of what a kernel has written. */
void ptx_host_reads(const void *from, size_t bytes);

/* From now on a finding ends the process: for ranks that are processes. */
void ptx_die_of_findings(void);

#endif
