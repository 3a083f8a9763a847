/* SPDX-License-Identifier: MIT */
/* Runs translated PTX behind tests/fake_cuda: it takes the place of
 * fake_kernel, which runs run/rank.h as the C compiler has it.
 *
 * A block's threads are fibers, which take turns from barrier to barrier.
 * Blocks of all launches take turns as well, one at a time.  Every access is
 * checked: for memory that its GPU reaches, for its alignment and for races
 * (tests/ptx/race.h).  The first finding ends all launches. */
#ifndef TESTS_PTX_RUN_H
#define TESTS_PTX_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* The shared library that was made of translated PTX. */
bool ptx_open(const char *path);

/* What was found since the last call; NULL: nothing.  Valid until the next
 * launch. */
const char *ptx_finding(void);

/* The host reads what a kernel has told it. */
void ptx_host_reads(const void *from, size_t bytes);

/* A finding ends the process: for a rank that is one. */
void ptx_die_of_findings(void);

#endif
