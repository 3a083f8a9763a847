/* SPDX-License-Identifier: MIT */
#include "coll/lib/counts.h"

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
