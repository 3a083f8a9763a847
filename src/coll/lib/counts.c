/* SPDX-License-Identifier: MIT */
#include "coll/lib/counts.h"

#include <math.h>

#include "coll/lib/arithmetic.h"

int
coll_one(const struct coll_options *o)
{
    (void)o;
    return 1;
}

int
coll_ranks(const struct coll_options *o)
{
    return o->nranks;
}

int
coll_chunks(const struct coll_options *o)
{
    return o->chunks;
}

int
coll_one_step(const struct coll_options *o)
{
    return o->nranks > 1;
}

int
coll_chunks_if_others(const struct coll_options *o)
{
    return o->nranks > 1 ? o->chunks : 0;
}

int
coll_chain_steps(const struct coll_options *o)
{
    return o->nranks > 1 ? o->nranks - 1 + o->chunks - 1 : 0;
}

int
coll_all_others(const struct coll_options *o)
{
    return o->nranks - 1;
}

int
coll_twice_all_others(const struct coll_options *o)
{
    return 2 * (o->nranks - 1);
}

int
coll_levels(const struct coll_options *o)
{
    return log2_ceil(o->nranks);
}

static double
others(const struct coll_options *o)
{
    return o->nranks - 1;
}

static double
levels(const struct coll_options *o)
{
    return log2_ceil(o->nranks);
}

static double
pipeline(const struct coll_options *o)
{
    return o->nranks > 1 ? others(o) + o->chunks - 1 : 0;
}

struct path
coll_path_others(const struct coll_options *o)
{
    return (struct path){others(o), others(o), 0};
}

struct path
coll_path_others_added(const struct coll_options *o)
{
    return (struct path){others(o), others(o), others(o)};
}

struct path
coll_path_twice_others(const struct coll_options *o)
{
    return (struct path){2 * others(o), 2 * others(o), others(o)};
}

struct path
coll_path_levels(const struct coll_options *o)
{
    return (struct path){levels(o), levels(o), 0};
}

struct path
coll_path_levels_added(const struct coll_options *o)
{
    return (struct path){levels(o), levels(o), levels(o)};
}

struct path
coll_path_doubling(const struct coll_options *o)
{
    return (struct path){levels(o), others(o), 0};
}

struct path
coll_path_halving(const struct coll_options *o)
{
    return (struct path){levels(o), others(o), others(o)};
}

struct path
coll_path_chain(const struct coll_options *o)
{
    return (struct path){pipeline(o), pipeline(o), 0};
}

struct path
coll_path_chain_added(const struct coll_options *o)
{
    return (struct path){pipeline(o), pipeline(o), pipeline(o)};
}

struct path
coll_path_of_power(const struct coll_options *o, struct path path)
{
    bool is_power = (o->nranks & (o->nranks - 1)) == 0;

    return is_power ? path : (struct path){.messages = NAN};
}
