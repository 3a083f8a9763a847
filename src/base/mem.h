/* SPDX-License-Identifier: MIT */
/* Memory.  If none is left, these functions end the process (base/err.h). */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Variables that are freed where their block ends, however it is left; they
 * must have a value before that:
 *
 *     OWN(buf) name = {0}, text = {0};       buf_done()
 *     OWNS(schedule) *s = schedule_copy(of, 0);   schedule_free(), by
 *                                                 OWN_FREE(schedule)
 *     OWN_MEMORY char *copy = mem_string(text); */
#define OWN(type) __attribute__((cleanup(type##_done))) struct type
#define OWNS(type) __attribute__((cleanup(type##_end))) struct type
#define OWN_FREE(type)                                                         \
    __attribute__((unused)) static inline void type##_end(struct type **owned) \
    {                                                                          \
        type##_free(*owned);                                                   \
    }
#define OWN_MEMORY __attribute__((cleanup(mem_end)))
void mem_end(void *owned);

#define MEM_THERE __attribute__((returns_nonnull, warn_unused_result))

/* `count` zeroed items of `size` bytes; never NULL, not even for count 0. */
void *mem_new(size_t count, size_t size) MEM_THERE;

/* The same, aligned to 128 bytes, two cache lines: for data that several cores
 * write.  Large areas ask for huge pages. */
void *mem_new_aligned(size_t count, size_t size) MEM_THERE;

/* realloc() of an array; the new part is not zeroed. */
void *mem_resize(void *old, size_t count, size_t size) MEM_THERE;

/* A copy of a string. */
char *mem_string(const char *text);

/* Makes room for one more item in a growing array of `*capacity` items that
 * holds `count`: doubles it if it is full.  Returns the array. */
void *mem_grow(void *array, size_t count, size_t *capacity,
               size_t size) MEM_THERE;

/* Gives back the whole pages of memory that still is to be freed, but whose
 * content is no longer needed. */
void mem_discard(void *memory, size_t size);

#endif
