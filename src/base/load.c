/* SPDX-License-Identifier: MIT */
#include "base/load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* Whether it is a shell's, as in <(...), or standard input. */
static bool
is_nameless_pipe(int fd)
{
    struct statfs about;

    return fstatfs(fd, &about) == 0 && about.f_type == PIPEFS_MAGIC;
}

FILE *
load_open(const char *path, struct err *err)
{
    /* a pipe without a writer would wait here, or at the first byte */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat about = {0};
    FILE *file = NULL;

    if (fd < 0)
        err_set(err, "cannot read %s: %s", path, strerror(errno));
    else if (fstat(fd, &about) != 0 ||
             (!S_ISREG(about.st_mode) && !is_nameless_pipe(fd)))
        err_set(err, "%s is not a regular file", path);
    else if (fcntl(fd, F_SETFL, 0) != 0 || (file = fdopen(fd, "r")) == NULL)
        err_set(err, "cannot read %s: %s", path, strerror(errno));
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

bool
load(const char *path, size_t most, struct buf *text, struct err *err)
{
    FILE *file = load_open(path, err);
    size_t n, left = most;
    char part[1 << 12];
    bool ok = true;

    if (file == NULL)
        return false;
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

static bool
take_line(struct lines *l, const char **line)
{
    char *begin, *end;

    if (l->heard.length == l->taken)
        return false;
    begin = l->heard.data + l->taken;
    end = memchr(begin, '\n', l->heard.length - l->taken);
    if (end == NULL)
        return false;
    *end = '\0';
    l->taken += (size_t)(end - begin) + 1;
    *line = begin;
    return true;
}

enum lines_got
lines_next(struct lines *l, const char **line)
{
    char bytes[65536];
    ssize_t n;

    while (!take_line(l, line)) {
        if (l->taken > 0)
            memmove(l->heard.data, l->heard.data + l->taken,
                    l->heard.length - l->taken + 1);
        l->heard.length -= l->taken;
        l->taken = 0;
        if (l->heard.length > l->most)
            return LINES_LONG;
        n = read(l->fd, bytes, sizeof bytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return LINES_LATER;
        if (n <= 0)
            return LINES_OVER;
        buf_add(&l->heard, bytes, (size_t)n);
        l->read += (size_t)n;
    }
    return LINES_LINE;
}

void
lines_done(struct lines *l)
{
    buf_done(&l->heard);
}

const char *
load_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}
