/* SPDX-License-Identifier: MIT */
#include "lesson/code.h"

#include <string.h>

#include "base/load.h"

enum { FILE_MOST = 256 * 1024 };

bool
code_read(const char *lesson, const char *name, struct buf *text,
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
    ok = load_file(buf_text(&path), FILE_MOST, text, err);
    buf_done(&path);
    return ok;
}
