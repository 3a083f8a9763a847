/* SPDX-License-Identifier: MIT */
#include "play/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/replace.h"
#include "event/stream.h"

struct record {
    char *path;
    struct replace *file;
    struct stream_writer writer;
    struct buf text;
};

static bool
fail(const char *path, const char *why, struct err *err)
{
    return err_set(err, "cannot write the recording %s: %s", path, why);
}

struct record *
record_open(const char *path, struct err *err)
{
    struct err why;
    struct replace *file = replace_open(path, 0666, &why);
    struct record *r;

    if (file == NULL) {
        fail(path, why.text, err);
        return NULL;
    }
    r = mem_new(1, sizeof *r);
    r->path = mem_string(path);
    r->file = file;
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
    FILE *file = replace_file(r->file);

    buf_clear(&r->text);
    stream_write(&r->writer, item, &r->text);
    return fwrite(r->text.data, 1, r->text.length, file) == r->text.length ||
           fail(r->path, strerror(errno), err);
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

/* At position 0 slots hold the inputs, and events hold what they wrote.  The
 * events of a rank are in their own order. */
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
    struct err why;
    bool ok = replace_close(r->file, keep, &why) ||
              fail(r->path, why.text, err);

    buf_done(&r->text);
    free(r->path);
    free(r);
    return ok;
}
