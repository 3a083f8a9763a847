/* SPDX-License-Identifier: MIT */
#include "base/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool
load(const char *path, size_t most, struct buf *text, struct err *err)
{
    FILE *file = fopen(path, "re");
    size_t n, left = most;
    char part[1 << 12];
    bool ok = true;

    if (file == NULL)
        return err_set(err, "cannot read %s: %s", path, strerror(errno));
    while (ok && (n = fread(part, 1, sizeof part, file)) > 0) {
        ok = n <= left;
        left -= ok ? n : 0;
        if (ok)
            buf_add(text, part, n);
    }
    if (!ok)
        err_set(err, "%s: more than %zu KiB", path, most >> 10);
    else if (ferror(file))
        ok = err_set(err, "cannot read %s: %s", path, strerror(errno));
    fclose(file);
    return ok;
}

bool
load_file(const char *path, size_t most, struct buf *text, struct err *err)
{
    struct stat about;

    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return err_set(err, "%s is not a regular file", path);
    return load(path, most, text, err);
}
