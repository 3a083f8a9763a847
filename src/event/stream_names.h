/* SPDX-License-Identifier: MIT */
/* The words of the stream for enums of the code; private to
 * stream_write.c, stream_read.c, run/request.c and run/reporter.c. */
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

/* The slots of an input line.  In a mismatched run another rank may have an
 * input, elsewhere: all slots. */
static inline struct region
stream_input(const struct run_info *run, const struct schedule *s, int rank)
{
    return run->mismatch[0] != '\0' ? (struct region){0, s->nslots}
                                    : schedule_input(s, rank);
}

#endif
