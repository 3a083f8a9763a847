/* SPDX-License-Identifier: MIT */
/* Finds data races between CUDA threads: a happens-before detector with vector
 * clocks, for kernels that run on several blocks and GPUs at once.
 *
 *     race_begin();                             nothing runs
 *     int first = race_join(gpu, 128);          a block's threads
 *     race_access(first, address, 4, true);     thread 0 of it stores
 *     race_barrier(first);
 *
 * In PTX's memory model, accesses are ordered by barriers of a block, and by a
 * release that an acquire reads, if the scope of each includes the other
 * thread.  A fence and a later relaxed store are a release; a relaxed load and
 * a later fence are an acquire.  Strong accesses whose scopes include each
 * other do not race among themselves.
 *
 * The host is one more thread, which acquires all that is released to it.
 *
 * Calls are not thread-safe: the caller lets one thread run at a time. */
#ifndef TESTS_PTX_RACE_H
#define TESTS_PTX_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx.h"

/* Forgets everything: all launches are over, and the host has waited for
 * them. */
void race_begin(void);

/* Adds a block of `n` threads on a GPU. Returns the number of its first
 * thread. */
int race_join(int gpu, int n);

/* The functions below return NULL, or a sentence about a race. */

/* A plain access of `bytes` bytes. */
const char *race_access(int thread, uint64_t at, size_t bytes, bool stores);

/* A strong access of 8 bytes.  `for_host`: the host loads it, with acquire. */
const char *race_load(int thread, uint64_t at, enum ptx_order order,
                      enum ptx_scope scope);
const char *race_store(int thread, uint64_t at, enum ptx_order order,
                       enum ptx_scope scope, bool for_host);

/* The host reads what a rank has published to it. */
const char *race_host_reads(uint64_t at, size_t bytes);

void race_fence(int thread, enum ptx_scope scope);

/* All threads of the block whose first thread is this have arrived. */
void race_barrier(int first);

#endif
