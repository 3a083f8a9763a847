/* SPDX-License-Identifier: MIT */
/* Variables that are freed where their block ends, however it is left:
 *
 *     OWN(buf) text = {0};                buf_done(&text)
 *     OWNS(world) *w = world_new();       world_free(w), with OWN_FREE(world)
 *     OWN_STRING path = mem_string("x");  free(path)
 *     OWN_MEMORY double *x = ...;         free(x), whatever it points to
 *
 * JSON has jansson's json_auto_t. */
#ifndef BASE_OWN_H
#define BASE_OWN_H

#include <stdlib.h>
#include <string.h>

#define OWN(type) __attribute__((cleanup(type##_done))) struct type
#define OWNS(type) __attribute__((cleanup(type##_end))) struct type
#define OWN_FREE(type)                                                        \
    __attribute__((unused)) static void type##_end(struct type **owned)       \
    {                                                                         \
        type##_free(*owned);                                                  \
    }
#define OWN_MEMORY __attribute__((cleanup(memory_end)))
#define OWN_STRING OWN_MEMORY char *

static inline void
memory_end(void *owned)
{
    void *memory;

    memcpy(&memory, owned, sizeof memory);
    free(memory);
}

#endif
