/* SPDX-License-Identifier: MIT */
/* The words of the stream for enums of the code; private to
 * stream_write.c, stream_read.c and run/request.c. */
#ifndef EVENT_STREAM_NAMES_H
#define EVENT_STREAM_NAMES_H

#include "event/event.h"
#include "schedule/program.h"

static const char *const stream_ops[] = {
    [EVENT_COPY] = "copy",
    [EVENT_REDUCE] = "reduce",
};

static const char *const stream_faults[] = {
    [FAULT_NONE] = "none",
    [FAULT_DROP] = "drop",
    [FAULT_REPEAT] = "repeat",
    [FAULT_CORRUPT] = "corrupt",
};

static const char *const stream_places[] = {
    [PLACE_CORE] = "core",
    [PLACE_GPU] = "GPU",
    [PLACE_HOST] = "host",
};

#endif
