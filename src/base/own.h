/* SPDX-License-Identifier: MIT */
/* Variables that are freed where their block ends, however it is left:
 *
 *     OWN(buf) text = {0};                buf_done(&text)
 *     OWNS(world) *w = world_new();       world_free(w), with OWN_FREE(world)
 *     OWN_STRING path = mem_string("x");  free(path)
 *
 * JSON has jansson's json_auto_t. */
#ifndef BASE_OWN_H
#define BASE_OWN_H

#include <stdlib.h>

#define OWN(type) __attribute__((cleanup(type##_done))) struct type
#define OWNS(type) __attribute__((cleanup(type##_end))) struct type
#define OWN_FREE(type)                                                        \
    __attribute__((unused)) static void type##_end(struct type **owned)       \
    {                                                                         \
        type##_free(*owned);                                                  \
    }
#define OWN_STRING __attribute__((cleanup(string_end))) char *

__attribute__((unused)) static inline void
string_end(char **owned)
{
    free(*owned);
}

#endif
