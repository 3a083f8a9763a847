/* SPDX-License-Identifier: MIT */
#include "play/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "msccl/msccl.h"

static int
ranks_of_input(const char *input)
{
    int ranks = 1;

    for (; *input != '\0'; input++)
        ranks += *input == '/';
    return ranks;
}

int
build_ranks(const struct options *o)
{
    int ranks = 1;

    if (o->nranks > 0)
        return o->nranks;
    for (int d = 0; d < TOPOLOGY_DIMS && o->dims[d] > 0; d++)
        ranks = ranks > SCHEDULE_RANKS_MAX ? ranks : ranks * o->dims[d];
    if (o->dims[0] > 0)
        return ranks;
    return o->input != NULL ? ranks_of_input(o->input) : 4;
}

static int64_t
count_of_input(const char *input)
{
    int64_t count = 1;

    for (; *input != '\0' && *input != '/'; input++)
        count += *input == ',';
    return count;
}

int64_t
build_count(const struct options *o, int nranks)
{
    if (o->count >= 0)
        return o->count;
    return o->input != NULL ? count_of_input(o->input) : 2 * (int64_t)nranks;
}

struct coll_options
build_coll(const struct options *o)
{
    struct coll_options c = {.nranks = build_ranks(o),
                             .root = o->root,
                             .chunks = o->chunks,
                             .in_place = !o->out_of_place};

    memcpy(c.dims, o->dims, sizeof c.dims);
    return c;
}

bool
build_is_file(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, ".xml") == 0;
}

static bool
goes_with_file(const char *name, const struct options *o, struct err *err)
{
    if (o->root != 0 || o->chunks != 0 || o->dims[0] != 0)
        return err_set(err, "%s: the file gives root, chunks and shape: leave "
                       "out --root, --chunks and --shape", name);
    return true;
}

static bool
fits(const char *name, const struct schedule *s, const struct options *o,
     struct err *err)
{
    if (o->out_of_place && s->in_place)
        return err_set(err, "%s: it only runs in place", name);
    return o->nranks == 0 || o->nranks == s->nranks ||
           err_set(err, "%s: the file is for %d rank%s, --gpus says %d", name,
                   s->nranks, err_plural(s->nranks), o->nranks);
}

struct schedule *
build_import(const char *name, const struct options *o,
             struct msccl_notes *notes, int *status, struct err *err)
{
    struct schedule *s;
    FILE *file;

    *notes = (struct msccl_notes){0};
    *status = EXIT_USAGE;
    if (!goes_with_file(name, o, err))
        return NULL;
    *status = EXIT_WRONG;
    file = fopen(name, "re");
    if (file == NULL) {
        err_set(err, "%s: %s", name, strerror(errno));
        return NULL;
    }
    s = msccl_read(file, name, o->out_of_place, notes, err);
    fclose(file);
    if (s == NULL && !notes->too_large)
        return NULL;
    *status = EXIT_USAGE;
    if (s == NULL || fits(name, s, o, err))
        return s;
    schedule_free(s);
    return NULL;
}

struct schedule *
build_schedule(const char *name, const struct options *o,
               const struct algorithm **algorithm, int *status,
               struct err *err)
{
    struct coll_options c;
    struct msccl_notes notes;

    *algorithm = NULL;
    if (build_is_file(name))
        return build_import(name, o, &notes, status, err);
    *status = EXIT_USAGE;
    if (!coll_find(name, algorithm, err))
        return NULL;
    c = build_coll(o);
    return coll_build(*algorithm, &c, err);
}

void
build_name(const char *operand, const struct algorithm *a, struct buf *out)
{
    if (a != NULL)
        buf_addf(out, "%s-%s", a->name, a->collective);
    else
        utf8_add(out, operand);
}
