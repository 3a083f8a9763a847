/* SPDX-License-Identifier: MIT */
/* A transfer: the slots that one rank pulls from another in one step.
 *
 *     COPY     dst[dst_slot] = src[src_slot]
 *     REDUCE   dst[dst_slot] = dst[add_slot] + src[src_slot]
 *
 * for `nslots` consecutive slots.  Every transfer of a step reads the state
 * before the step.  `+` stands for the run's reduction operator. */
#ifndef SCHEDULE_TRANSFER_H
#define SCHEDULE_TRANSFER_H

#include <stdint.h>

enum transfer_op { TRANSFER_COPY, TRANSFER_REDUCE };

struct transfer {
    int32_t src, dst; /* ranks; equal for a local transfer */
    int32_t src_slot; /* of src */
    int32_t dst_slot; /* of dst */
    int32_t add_slot; /* of dst; usually dst_slot */
    int32_t nslots;   /* at least 1 */
    enum transfer_op op;
};

#endif
