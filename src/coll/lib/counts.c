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
coll_two_steps(const struct coll_options *o)
{
    return 2 * coll_one_step(o);
}

int
coll_ranks_if_others(const struct coll_options *o)
{
    return o->nranks > 1 ? o->nranks : 0;
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

struct path
coll_path_others(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){others, others, others};
}

struct path
coll_path_twice_others(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){2 * others, 2 * others, others};
}

struct path
coll_path_levels(const struct coll_options *o)
{
    double levels = log2_ceil(o->nranks);

    return (struct path){levels, levels, levels};
}

struct path
coll_path_doubling(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){log2_ceil(o->nranks), others, others};
}

struct path
coll_path_chain(const struct coll_options *o)
{
    double steps = o->nranks > 1 ? o->nranks - 1.0 + o->chunks - 1 : 0;

    return (struct path){steps, steps, steps};
}

struct path
coll_path_doubling_power(const struct coll_options *o)
{
    bool is_power = (o->nranks & (o->nranks - 1)) == 0;

    return is_power ? coll_path_doubling(o) : (struct path){.messages = NAN};
}
