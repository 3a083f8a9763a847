/* SPDX-License-Identifier: MIT */
#include "coll/coll.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

static int
one_per_rank(const struct coll_options *o)
{
    return o->nranks;
}

static int
twice_around(int nranks)
{
    return 2 * (nranks - 1);
}

static const struct algorithm algorithms[] = {
    {"ring", "allreduce", one_per_rank, allreduce_ring, twice_around,
     "2(N-1)", "2(N-1)/N S",
     N_("chunks travel round the ring twice: once to be summed, once to be "
        "handed out"),
     "Patarasuk & Yuan 2009"},
};

const struct algorithm *
coll_at(int index)
{
    const int count = sizeof algorithms / sizeof algorithms[0];

    return index >= 0 && index < count ? &algorithms[index] : NULL;
}

static bool
is_called(const struct algorithm *a, const char *name)
{
    size_t length = strlen(a->name);

    return strcmp(a->collective, name) == 0 ||
           (strncmp(a->name, name, length) == 0 && name[length] == '-' &&
            strcmp(a->collective, name + length + 1) == 0);
}

bool
coll_find(const char *name, const struct algorithm **algorithm,
          struct err *err)
{
    struct buf names = {0};

    for (int i = 0; (*algorithm = coll_at(i)) != NULL; i++)
        if (is_called(*algorithm, name))
            return true;
    for (int i = 0; coll_at(i) != NULL; i++)
        buf_addf(&names, "%s%s-%s", i > 0 ? ", " : "", coll_at(i)->name,
                 coll_at(i)->collective);
    err_set(err, "no algorithm is called '%s'; there is %s (collviz list)",
            name, buf_text(&names));
    buf_done(&names);
    return false;
}

struct schedule *
coll_build(const struct algorithm *algorithm, const struct coll_options *o,
           struct err *err)
{
    struct schedule *s;
    struct shape shape = {
        .collective = collective_find(algorithm->collective),
        .algorithm = algorithm->name,
        .nranks = o->nranks,
        .root = o->root,
        .pieces = o->nranks > 0 ? algorithm->pieces(o) : 1,
        .in_place = o->in_place,
    };

    if (!shape_check(&shape, err))
        return NULL;
    s = schedule_new(&shape);
    algorithm->build(s);
    return s;
}
