/* SPDX-License-Identifier: MIT */
#include "event/event.h"

#include <stdio.h>

static int
host_length(const char *device)
{
    return (int)strcspn(device, ",");
}

void
run_know_hosts(struct run_info *run)
{
    for (int i = 0; i < run->ndevices; i++) {
        int length = host_length(run->devices[i]), first = 0;

        while (run->place == PLACE_HOST && first < i &&
               (host_length(run->devices[first]) != length ||
                strncmp(run->devices[first], run->devices[i],
                        (size_t)length) != 0))
            first++;
        run->host_of[i] = first;
    }
}

void
run_host_name(const struct run_info *run, int rank, char name[RUN_NAME_MAX])
{
    const char *device = run->devices[run->device_of[rank]];

    snprintf(name, RUN_NAME_MAX, "%.*s", host_length(device), device);
}
