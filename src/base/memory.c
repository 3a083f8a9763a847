/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/load.h"
#include "base/mem.h"

enum { FILE_BYTES = 64 << 10 };

/* Lowers *most to the limits of a group and of the groups around it.  `path` is
 * the group's, below `folder`; a container may see only the upper part. */
static void
heed_limits(const char *folder, char *path, const char *file, double *most)
{
    char *slash = path + strlen(path);

    do {
        OWN(buf) name = {0}, text = {0};
        struct err ignored;
        double limit;
        *slash = '\0';
        buf_addf(&name, "%s%s/%s", folder, path, file);
        if (load(buf_text(&name), FILE_BYTES, &text, &ignored) &&
            sscanf(buf_text(&text), "%lf", &limit) == 1 && limit < *most)
            *most = limit;
    } while ((slash = strrchr(path, '/')) != NULL);
}

/* Whether a list with commas has the word. */
static bool
has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (; list[0] != '\0'; list += strcspn(list, ","), list += *list == ',')
        if (strncmp(list, word, length) == 0 &&
            strcspn(list, ",") == length)
            return true;
    return false;
}

double
memory_most(const char *root, bool *limited)
{
    double machine = (double)sysconf(_SC_PHYS_PAGES) *
                     (double)sysconf(_SC_PAGESIZE);
    double most = machine;
    OWN(buf) name = {0}, groups = {0}, one = {0}, two = {0};
    struct err ignored;
    char *rest, *line;

    buf_addf(&name, "%s/proc/self/cgroup", root);
    buf_addf(&one, "%s/sys/fs/cgroup/memory", root);
    buf_addf(&two, "%s/sys/fs/cgroup", root);
    load(buf_text(&name), FILE_BYTES, &groups, &ignored);
    rest = groups.data;
    while ((line = strsep(&rest, "\n")) != NULL) { /* NUMBER:KINDS:PATH */
        const char *number = strsep(&line, ":"), *kinds = strsep(&line, ":");
        if (line != NULL && has_word(kinds, "memory"))
            heed_limits(buf_text(&one), line, "memory.limit_in_bytes", &most);
        else if (line != NULL && strcmp(number, "0") == 0 && kinds[0] == '\0')
            heed_limits(buf_text(&two), line, "memory.max", &most);
    }
    *limited = most < machine;
    return machine > 0 ? most : 0;
}
