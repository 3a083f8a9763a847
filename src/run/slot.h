/* SPDX-License-Identifier: MIT */
/* The memory of payloads. */
#ifndef RUN_SLOT_H
#define RUN_SLOT_H

#include <stdint.h>

struct rank_slot {
    unsigned char *data;
    int64_t length; /* elements that fit */
};

/* One slot of an instruction, with addresses. */
struct rank_move {
    unsigned char *dst;
    const unsigned char *add, *src;
    int64_t length; /* elements */
};

#endif
