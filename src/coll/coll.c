/* SPDX-License-Identifier: MIT */
#include "coll/coll.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/shelf.h"

#define ADDRESS(row) &row,
static const struct algorithm *const algorithms[] = {COLL_ALGORITHMS(ADDRESS)};

enum {
    IN_C = sizeof algorithms / sizeof algorithms[0],
    ALGORITHMS = IN_C + sizeof on_shelf / sizeof on_shelf[0]
};

const struct algorithm *
coll_at(int index)
{
    if (index < 0 || index >= ALGORITHMS)
        return NULL;
    return index < IN_C ? algorithms[index] : &on_shelf[index - IN_C];
}

struct coll_name
coll_name(const struct algorithm *a)
{
    struct coll_name name;

    snprintf(name.text, sizeof name.text, a->file != NULL ? "%s" : "%s-%s",
             a->name, a->collective);
    return name;
}

static bool
is_algorithm_called(const struct algorithm *a, const char *name)
{
    for (int i = 0; a->aliases[i] != NULL; i++)
        if (strcmp(a->aliases[i], name) == 0)
            return true;
    return strcmp(a->name, name) == 0;
}

/* The first algorithm for a collective, with a name unless that is NULL.  If
 * the collective is NULL, any will do, and all-reduce comes first. */
static const struct algorithm *
find_algorithm(const char *name, const struct collective *c)
{
    const struct algorithm *found = NULL;

    for (int i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = coll_at(i);
        bool first = found == NULL ||
                     (c == NULL && strcmp(a->collective, "allreduce") == 0);
        if (first && (c == NULL || strcmp(a->collective, c->name) == 0) &&
            (name == NULL || is_algorithm_called(a, name)))
            found = a;
    }
    return found;
}

int
coll_meanings(const char *name)
{
    int count = 0;

    for (int i = 0; i < ALGORITHMS; i++)
        count += is_algorithm_called(coll_at(i), name);
    return count;
}

/* Tries a name of an algorithm, alone and with its collective's names in either
 * order. */
static void
try_name(struct near *n, const char *name, const char *collective)
{
    const struct collective *c = collective_find(collective);
    char proposal[NEAR_BYTES], other[2 * NEAR_BYTES];

    snprintf(proposal, sizeof proposal, "%s-%s", name, collective);
    near_try(n, proposal);
    near_try_as(n, name, proposal);
    snprintf(other, sizeof other, "%s-%s", collective, name);
    near_try_as(n, other, proposal);
    for (int i = 0; c->aliases[i] != NULL; i++) {
        snprintf(other, sizeof other, "%s-%s", name, c->aliases[i]);
        near_try_as(n, other, proposal);
    }
}

void
coll_near(struct near *n)
{
    const struct algorithm *a;

    collective_near(n);
    for (int i = 0; (a = coll_at(i)) != NULL; i++)
        try_name(n, a->name, a->collective);
    for (int i = 0; (a = coll_at(i)) != NULL; i++)
        for (int k = 0; a->aliases[k] != NULL; k++)
            try_name(n, a->aliases[k], a->collective);
}

/* The collective whose name the text ends with; NULL: none. */
static const struct collective *
collective_of(const char *name)
{
    const struct collective *c = NULL;

    while (c == NULL && (name = strchr(name, '-')) != NULL)
        c = collective_find(++name);
    return c;
}

static void
refuse_algorithm(const char *name, struct err *err)
{
    const struct collective *c = collective_of(name);
    struct near n = {.word = name};
    OWN(buf) meant = {0};

    coll_near(&n);
    near_add(&n, "", &meant);
    err_set(err, "no algorithm is called '%s'%s (collviz list%s%s)", name,
            buf_text(&meant), c != NULL ? " " : "", c != NULL ? c->name : "");
}

bool
coll_find(const char *name, const struct algorithm **algorithm,
          struct err *err)
{
    const struct collective *c = collective_find(name);
    char *copy = mem_string(name);

    *algorithm = c != NULL ? find_algorithm(NULL, c) : NULL;
    for (char *at = copy; *algorithm == NULL && (at = strchr(at, '-')) != NULL;
         *at++ = '-')
        if ((c = collective_find(at + 1)) != NULL) {
            *at = '\0';
            *algorithm = find_algorithm(copy, c);
        }
    if (*algorithm == NULL)
        *algorithm = find_algorithm(name, NULL);
    free(copy);
    if (*algorithm != NULL || coll_find_other(name, algorithm))
        return true;
    if (err != NULL)
        refuse_algorithm(name, err);
    return false;
}

const char *
coll_holds(const struct algorithm *a)
{
    static const char *const where[] = {
        [HOLDS_EVEN] = N_("N is even"),
        [HOLDS_POWER_OF_TWO] = N_("N is a power of two"),
        [HOLDS_POWER_OF_FOUR] = N_("N is a power of four"),
        [HOLDS_X_ABOVE_3] = N_("X is above 3"),
        [HOLDS_Y_ABOVE_1] = N_("Y is above 1"),
        [HOLDS_SIDES_ABOVE_1] = N_("X and Y are above 1"),
        [HOLDS_SIDES_ABOVE_2] = N_("X and Y are above 2"),
    };

    return where[a->holds];
}

struct formulas
coll_formulas(const struct algorithm *a, int nranks,
              const int dims[TOPOLOGY_DIMS])
{
    int x = dims[0], y = dims[1];
    const bool holds[] = {
        [HOLDS_ALWAYS] = true,
        [HOLDS_EVEN] = nranks % 2 == 0,
        [HOLDS_POWER_OF_TWO] = (nranks & (nranks - 1)) == 0,
        [HOLDS_POWER_OF_FOUR] = (nranks & (nranks - 1)) == 0 &&
                                (nranks & 0x55555555) != 0,
        [HOLDS_X_ABOVE_3] = x > 3,
        [HOLDS_Y_ABOVE_1] = y > 1,
        [HOLDS_SIDES_ABOVE_1] = x > 1 && y > 1,
        [HOLDS_SIDES_ABOVE_2] = x > 2 && y > 2,
    };

    if (nranks < 2)
        return (struct formulas){NULL, NULL};
    return holds[a->holds] ? a->formulas : a->otherwise;
}

/* The most balanced n = x * y with x <= y, or n = x * y * z, x <= y <= z. */
static void
even_sizes(int n, int count, int *sizes)
{
    int first = 1;

    for (int x = 1; count > 1; x++) {
        int power = 1;
        for (int i = 0; i < count; i++)
            power *= x;
        if (power > n)
            break;
        if (n % x == 0)
            first = x;
    }
    sizes[0] = count > 1 ? first : n;
    if (count > 1)
        even_sizes(n / first, count - 1, sizes + 1);
}

static bool
complete_sizes(const struct algorithm *a, struct coll_options *o,
               struct err *err)
{
    int ranks = 1, given = 0;

    for (int d = 0; d < TOPOLOGY_DIMS; d++)
        given += o->dims[d] > 0;
    if (given > 0 && a->dims == 0)
        return err_set(err, "%s has no shape: leave out --shape",
                       coll_name(a).text);
    if (given > 0 && given != a->dims)
        return err_set(err, "--shape: %s has %d sizes, as in %s",
                       coll_name(a).text, a->dims,
                       a->dims == 2 ? "2x4" : "2x2x2");
    if (given == 0 && a->topology == TOPOLOGY_NODES && o->host > 0) {
        /* the largest nodes that lie within hosts */
        int size = o->host < o->nranks ? o->host : o->nranks;
        while (o->nranks % size != 0 ||
               (o->host % size != 0 && size < o->nranks))
            size--;
        o->dims[0] = o->nranks / size;
        o->dims[1] = size;
    } else if (given == 0 && a->dims > 0) {
        even_sizes(o->nranks, a->dims, o->dims);
    }
    for (int d = 0; d < TOPOLOGY_DIMS; d++) {
        o->dims[d] = o->dims[d] > 0 ? o->dims[d] : 1;
        ranks *= o->dims[d];
    }
    if (a->dims > 0 && ranks != o->nranks)
        return err_set(err, "--shape is of %d rank%s, --gpus says %d", ranks,
                       err_plural(ranks), o->nranks);
    return true;
}

static bool
complete_options(const struct algorithm *a, struct coll_options *o,
                 int ranks_max, struct err *err)
{
    bool rooted = collective_rooted(collective_find(a->collective));

    if (o->nranks < 1 || o->nranks > ranks_max)
        return err_set(err, "%d ranks: collviz takes 1 to %d", o->nranks,
                       ranks_max);
    if (o->root < 0 || o->root >= o->nranks)
        return err_set(err, "--root %d: the ranks are 0 to %d", o->root,
                       o->nranks - 1);
    if (!rooted && o->root != 0)
        return err_set(err, "%s has no root: leave out --root",
                       coll_name(a).text);
    if (a->chunks == 0 && o->chunks > 0)
        return err_set(err, "%s is not pipelined: leave out --chunks",
                       coll_name(a).text);
    if (o->chunks == 0)
        o->chunks = a->chunks > 0 ? a->chunks : 1;
    return complete_sizes(a, o, err);
}

bool
coll_complete(const struct algorithm *a, struct coll_options *o,
              struct err *err)
{
    return complete_options(a, o, SCHEDULE_RANKS_MAX, err);
}

bool
coll_path(const struct algorithm *a, const struct coll_options *options,
          struct path *path, int *pieces, struct err *err)
{
    struct coll_options o = *options;

    if (!complete_options(a, &o, COLL_RANKS_MODELLED, err))
        return false;
    *path = a->path != NULL ? a->path(&o) : (struct path){.messages = NAN};
    if (!collective_find(a->collective)->reduces)
        path->added = 0;
    *pieces = a->pieces != NULL ? a->pieces(&o) : 1;
    return !isnan(path->messages) ||
           err_set(err, "no closed form of %s on %d rank%s is known",
                   coll_name(a).text, o.nranks, err_plural(o.nranks));
}

/* Whether there is a schedule of a tree, which moves every chunk twice for each
 * rank, with at most about `most` transfers. */
static bool
is_small(const struct algorithm *a, const struct coll_options *o, int most)
{
    return o->nranks <= SCHEDULE_RANKS_MAX &&
           (int64_t)2 * o->nranks * a->pieces(o) <= most;
}

bool
coll_steady(const struct algorithm *a, const struct coll_options *options,
            int most, int *n, int *doublings)
{
    struct coll_options o = *options;
    struct err ignored;

    if (a->steady == 0 ||
        !complete_options(a, &o, COLL_RANKS_MODELLED, &ignored) ||
        is_small(a, &o, most))
        return false;
    for (*doublings = 0;
         o.nranks % 2 == 0 && o.nranks / 2 >= a->steady; ++*doublings)
        o.nranks /= 2;
    *n = o.nranks;
    o.nranks *= 2;
    return is_small(a, &o, most) && *n >= a->steady;
}

struct schedule *
coll_build(const struct algorithm *a, const struct coll_options *options,
           struct err *err)
{
    struct coll_options o = *options;
    struct schedule *s;
    struct schedule_spec shape;
    int switches;

    assert(a->build != NULL);
    if (!coll_complete(a, &o, err))
        return NULL;
    switches = a->switches != NULL ? a->switches(&o) : 0;
    shape = (struct schedule_spec){
        .collective = collective_find(a->collective),
        .algorithm = a->name,
        .nranks = o.nranks + switches,
        .root = o.root,
        .pieces = a->pieces != NULL ? a->pieces(&o) : 1,
        .scratch = a->scratch != NULL ? a->scratch(&o) : 0,
        .in_place = o.in_place,
        .topology = {.kind = a->topology, .switches = switches},
    };
    if (a->dims > 0)
        memcpy(shape.topology.dims, o.dims, sizeof o.dims);
    if (!schedule_spec_check(&shape, err))
        return NULL;
    s = schedule_new(&shape);
    a->build(s, &o);
    return s;
}
