/* SPDX-License-Identifier: MIT */
#include "lesson/program.h"

#include <string.h>
#include <sys/stat.h>

#include "base/load.h"

enum { FILE_MOST = 256 * 1024 };

/* A pipe without a writer would stop the screen. */
static bool
read_file(const char *path, struct buf *text, struct err *err)
{
    struct stat about;

    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return err_set(err, "%s is not a regular file", path);
    return load(path, FILE_MOST, text, err);
}

bool
program_read(const char *lesson, const char *name, struct buf *text,
             struct err *err)
{
    const char *slash = strrchr(lesson, '/');
    struct buf path = {0};
    bool ok;

    if (strchr(name, '/') != NULL || name[0] == '.')
        return err_set(err, "'%s' must be the name of a file in code/", name);
    if (slash != NULL)
        buf_addf(&path, "%.*s", (int)(slash + 1 - lesson), lesson);
    buf_addf(&path, "code/%s", name);
    ok = read_file(buf_text(&path), text, err);
    buf_done(&path);
    return ok;
}
