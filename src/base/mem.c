/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"

enum { CACHE_LINE = 128, HUGE_PAGE = 2 << 20 };

static size_t
total_size(size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total) || total > PTRDIFF_MAX)
        die("out of memory: %zu items of %zu bytes", count, size);
    return total > 0 ? total : 1;
}

static void *
check_memory(void *memory, size_t total)
{
    if (memory == NULL)
        die("out of memory: %zu bytes", total);
    return memory;
}

void *
mem_new(size_t count, size_t size)
{
    size_t total = total_size(count, size);

    return check_memory(calloc(1, total), total);
}

void *
mem_new_aligned(size_t count, size_t size)
{
    size_t total = total_size(count, size);
    size_t align = total >= (size_t)2 * HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
    void *memory;

    total = (total + align - 1) / align * align;
    memory = check_memory(aligned_alloc(align, total), total);
    if (align == HUGE_PAGE)
        madvise(memory, total, MADV_HUGEPAGE); /* up to 17 % faster */
    return memset(memory, 0, total);
}

void *
mem_resize(void *old, size_t count, size_t size)
{
    size_t total = total_size(count, size);

    return check_memory(realloc(old, total), total);
}

char *
mem_string(const char *text)
{
    return check_memory(strdup(text), strlen(text) + 1);
}

void
mem_end(void *owned)
{
    void *memory;

    memcpy(&memory, owned, sizeof memory); /* of any pointer's type */
    free(memory);
}

void *
mem_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity > 0 ? *capacity * 2 : 16;
    return mem_resize(array, *capacity, size);
}

void
mem_discard(void *memory, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)memory + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)memory + size) / page * page;

    if (first < end)
        madvise((void *)first, end - first, MADV_DONTNEED);
}
