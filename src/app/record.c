/* SPDX-License-Identifier: MIT */
#include "app/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/stream.h"

struct record {
    char *path;
    char *beside; /* the file being written; NULL: path itself */
    FILE *file;
    struct stream_writer writer;
    struct buf text;
};

static bool
fail(const struct record *r, struct err *err)
{
    return err_set(err, "cannot write the recording %s: %s", r->path,
                   strerror(errno));
}

static int
open_beside(struct record *r)
{
    struct buf name = {0};
    mode_t mask = umask(0);
    int fd;

    umask(mask);
    buf_addf(&name, "%s.XXXXXX", r->path);
    r->beside = mem_string(buf_text(&name));
    buf_done(&name);
    fd = mkostemp(r->beside, O_CLOEXEC);
    if (fd >= 0)
        fchmod(fd, 0666 & ~mask);
    return fd;
}

struct record *
record_open(const char *path, struct err *err)
{
    struct record *r = mem_new(1, sizeof *r);
    struct stat st;
    int fd;

    r->path = mem_string(path);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        fd = open(path, O_WRONLY | O_CLOEXEC);
    else
        fd = open_beside(r);
    if (fd >= 0)
        r->file = fdopen(fd, "w");
    if (r->file == NULL) {
        fail(r, err);
        if (fd >= 0)
            close(fd);
        free(r->beside);
        free(r->path);
        free(r);
        return NULL;
    }
    return r;
}

static bool
take(void *state, const struct item *item, struct err *err)
{
    struct record *r = state;

    buf_clear(&r->text);
    stream_write(&r->writer, item, &r->text);
    if (fwrite(r->text.data, 1, r->text.length, r->file) != r->text.length)
        return fail(r, err);
    return true;
}

struct session_sink
record_sink(struct record *r)
{
    return (struct session_sink){take, r};
}

bool
record_close(struct record *r, bool keep, struct err *err)
{
    bool ok = true;

    if (fflush(r->file) != 0 ||
        (keep && r->beside != NULL && fsync(fileno(r->file)) != 0))
        ok = fail(r, err);
    if (fclose(r->file) != 0 && ok)
        ok = fail(r, err);
    if (r->beside != NULL) {
        if (ok && keep && rename(r->beside, r->path) != 0)
            ok = fail(r, err);
        if (!ok || !keep)
            unlink(r->beside);
    }
    buf_done(&r->text);
    free(r->beside);
    free(r->path);
    free(r);
    return ok;
}
