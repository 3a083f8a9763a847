/* SPDX-License-Identifier: MIT */
#include "app/command.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

int
command_fail(int status, const struct err *err)
{
    fflush(stdout);
    fprintf(stderr, "collviz: %s\n", err->text);
    return status;
}

int
command_finish(int status)
{
    struct err err;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno == EPIPE) /* whoever read it has seen enough */
        return EXIT_WRONG;
    err_set(&err, "cannot write to standard output: %s", strerror(errno));
    return command_fail(EXIT_WRONG, &err);
}

bool
command_operand(const struct options *o, const char *command,
                const char *what, const char **operand)
{
    struct err err;

    if (o->noperands == 1) {
        *operand = o->operands[0];
        return true;
    }
    if (o->noperands == 0)
        err_set(&err, "'collviz %s' wants %s", command, what);
    else
        err_set(&err, "'%s': 'collviz %s' takes one %s", o->operands[1],
                command, what);
    command_fail(EXIT_USAGE, &err);
    return false;
}

static int
ranks_of_input(const char *input)
{
    int ranks = 1;

    for (; *input != '\0'; input++)
        ranks += *input == '/';
    return ranks;
}

int
command_ranks(const struct options *o)
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
command_count(const struct options *o, int nranks)
{
    if (o->count >= 0)
        return o->count;
    return o->input != NULL ? count_of_input(o->input) : 2 * (int64_t)nranks;
}

struct coll_options
command_coll(const struct options *o)
{
    struct coll_options c = {.nranks = command_ranks(o),
                             .root = o->root,
                             .chunks = o->chunks,
                             .in_place = !o->out_of_place};

    memcpy(c.dims, o->dims, sizeof c.dims);
    return c;
}

bool
command_is_file(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, ".xml") == 0;
}

static bool
goes_with_file(const char *name, const struct options *o, struct err *err)
{
    if (o->root != 0 || o->chunks != 0 || o->dims[0] != 0)
        return err_set(err, "%s: root, chunks and shape are as the file has "
                       "them: leave out --root, --chunks and --shape", name);
    return true;
}

struct schedule *
command_import(const char *name, const struct options *o,
               struct msccl_notes *notes, struct err *err)
{
    struct schedule *s;
    FILE *file;

    *notes = (struct msccl_notes){0};
    if (!goes_with_file(name, o, err))
        return NULL;
    file = fopen(name, "re");
    if (file == NULL) {
        err_set(err, "%s: %s", name, strerror(errno));
        return NULL;
    }
    s = msccl_read(file, name, o->out_of_place, notes, err);
    fclose(file);
    if (s == NULL || o->nranks == 0 || o->nranks == s->nranks)
        return s;
    err_set(err, "%s: the file is for %d ranks, --gpus says %d", name,
            s->nranks, o->nranks);
    schedule_free(s);
    return NULL;
}

struct schedule *
command_build(const char *name, const struct options *o,
              const struct algorithm **algorithm, struct err *err)
{
    struct coll_options c;
    struct msccl_notes notes;

    *algorithm = NULL;
    if (command_is_file(name))
        return command_import(name, o, &notes, err);
    if (!coll_find(name, algorithm, err))
        return NULL;
    c = command_coll(o);
    return coll_build(*algorithm, &c, err);
}

void
command_name(const char *operand, const struct algorithm *a, struct buf *out)
{
    char clean[512];

    utf8_clean(clean, sizeof clean, operand);
    if (a != NULL)
        buf_addf(out, "%s-%s", a->name, a->collective);
    else
        buf_puts(out, clean);
}

struct schedule *
command_schedule(const char *name, const struct options *o,
                 const struct algorithm **algorithm)
{
    struct err err;
    struct schedule *s = command_build(name, o, algorithm, &err);

    if (s == NULL)
        command_fail(EXIT_USAGE, &err);
    return s;
}
