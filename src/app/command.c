/* SPDX-License-Identifier: MIT */
#include "app/command.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

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

struct schedule *
command_build(const char *name, const struct options *o,
              const struct algorithm **algorithm, struct err *err)
{
    struct coll_options c;

    if (!coll_find(name, algorithm, err))
        return NULL;
    c = command_coll(o);
    return coll_build(*algorithm, &c, err);
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
