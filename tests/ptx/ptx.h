/* SPDX-License-Identifier: MIT */
/* The functions that translated PTX (tests/ptx/translate.py) calls, for all
 * that one CUDA thread can see of another.  Addresses are those of this
 * process. */
#ifndef TESTS_PTX_PTX_H
#define TESTS_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/half.h"

/* The threads among which an access or a fence makes an order. */
enum ptx_scope { PTX_BLOCK = 1, PTX_GPU, PTX_SYSTEM };
enum ptx_order { PTX_RELAXED, PTX_ACQUIRE, PTX_RELEASE };

/* Which of the faults that translate.py was given is made, or 0. */
extern int ptx_fault;

struct ptx_thread {
    uint32_t tid, ntid, block_id, nblocks;
    int number;               /* for the race detector */
    struct ptx_block *block;  /* tests/ptx/run.c's own */
};

void ptx_load(struct ptx_thread *t, uint64_t from, size_t bytes, void *value);
void ptx_store(struct ptx_thread *t, uint64_t to, size_t bytes,
               const void *value);

/* Strong accesses; sizes other than 8 bytes are reported. */
uint64_t ptx_load_strong(struct ptx_thread *t, uint64_t from, size_t bytes,
                         enum ptx_order order, enum ptx_scope scope);
void ptx_store_strong(struct ptx_thread *t, uint64_t to, uint64_t value,
                      size_t bytes, enum ptx_order order,
                      enum ptx_scope scope);
void ptx_fence(struct ptx_thread *t, enum ptx_scope scope);

/* Waits for all threads of the block; whether one of them voted. `site` tells
 * barriers of a function apart. */
bool ptx_barrier(struct ptx_thread *t, int site, bool vote);

uint64_t ptx_time(struct ptx_thread *t);

/* The parameters of a kernel, which are constant. */
static inline void
ptx_parameter(uint64_t from, size_t bytes, void *value)
{
    memcpy(value, (const void *)(uintptr_t)from, bytes);
}

static inline float
ptx_float(uint32_t bits)
{
    return float_of_bits(bits);
}

static inline uint32_t
ptx_bits_float(float value)
{
    return float_bits(value);
}

static inline double
ptx_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t
ptx_bits_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* PTX shifts by more than a register has bits, C does not. */
static inline uint64_t
ptx_shl(uint64_t value, uint32_t count, uint32_t bits)
{
    return count < bits ? value << count : 0;
}

static inline uint64_t
ptx_shr_u(uint64_t value, uint32_t count, uint32_t bits)
{
    return count < bits ? value >> count : 0;
}
#define ptx_shr_b ptx_shr_u

static inline int64_t
ptx_shr_s(int64_t value, uint32_t count, uint32_t bits)
{
    return value >> (count < bits ? count : bits - 1);
}

/* `count` bits from `position` on. */
static inline uint32_t
ptx_bfe(uint32_t value, uint32_t position, uint32_t count)
{
    uint64_t mask = (UINT64_C(1) << (count < 32 ? count : 32)) - 1;

    return (uint32_t)(ptx_shr_u(value, position, 32) & mask);
}

/* `into` with the lowest `count` bits of `value` from `position` on. */
static inline uint64_t
ptx_bfi(uint64_t value, uint64_t into, uint32_t position, uint32_t count,
        uint32_t bits)
{
    uint64_t mask = ptx_shl(1, count, 64) - 1;

    mask = ptx_shl(mask, position, bits);
    return (into & ~mask) | (ptx_shl(value, position, bits) & mask);
}

/* Four bytes of eight, b's above a's; a selector's bit 3 spreads the sign. */
static inline uint32_t
ptx_prmt(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;

    for (int i = 0; i < 4; i++) {
        uint32_t selector = selectors >> (4 * i) & 15;
        uint32_t byte = bytes >> (8 * (selector & 7)) & 0xff;
        if (selector & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

#endif
