/* SPDX-License-Identifier: MIT */
#include "run/processor.h"

#include <stdio.h>
#include <string.h>

void
processor_name(char name[RUN_NAME_MAX])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");

    snprintf(name, RUN_NAME_MAX, "CPU");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, RUN_NAME_MAX, "%.*s", RUN_NAME_MAX - 1,
                 colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (file != NULL)
        fclose(file);
}
