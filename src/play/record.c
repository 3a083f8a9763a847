/* SPDX-License-Identifier: MIT */
#include "play/record.h"

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

const char *
record_path(const struct record *r)
{
    return r->path;
}

bool
record_take(struct record *r, const struct item *item, struct err *err)
{
    buf_clear(&r->text);
    stream_write(&r->writer, item, &r->text);
    if (fwrite(r->text.data, 1, r->text.length, r->file) != r->text.length)
        return fail(r, err);
    return true;
}

static bool
take_steps(struct record *r, const struct world *w, struct err *err)
{
    for (int step = 1; step <= w->nsteps + 1; step++)
        for (size_t i = 0; i < w->steps[step].count; i++) {
            struct item item = {.type = ITEM_TRANSFER,
                                .event = w->steps[step].events[i]};
            if (!record_take(r, &item, err))
                return false;
        }
    return true;
}

static bool
take_all(struct record *r, const struct world *w, struct err *err)
{
    struct item item = {.type = ITEM_RUN, .run = w->run,
                        .schedule = w->schedule};

    if (!record_take(r, &item, err))
        return false;
    item.type = ITEM_INPUT;
    for (; item.rank < w->inputs; item.rank++) {
        item.content = world_row(w, item.rank, 0);
        if (!record_take(r, &item, err))
            return false;
    }
    if (!take_steps(r, w, err))
        return false;
    item = (struct item){.type = ITEM_RESULT, .result = &w->result};
    if (w->has_result && !record_take(r, &item, err))
        return false;
    item = (struct item){.type = ITEM_END, .complete = w->complete};
    return !w->has_end || record_take(r, &item, err);
}

/* At position 0 slots hold the inputs, and events what they left behind; a
 * rank's own events are in its own order within a step and so in all. */
bool
record_world(struct record *r, struct world *w, struct err *err)
{
    int position = w->position;
    bool ok;

    if (w->schedule == NULL)
        return true;
    world_seek(w, 0);
    ok = take_all(r, w, err);
    world_seek(w, position);
    return ok;
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
