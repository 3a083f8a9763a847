/* SPDX-License-Identifier: MIT */
#include "schedule/mismatch.h"

#include <string.h>

/* If the schedules are wired differently, any link may be used. */
static struct topology
seen_topology(const struct mismatch *m)
{
    const struct topology *a = &m->its->topology, *b = &m->theirs->topology;
    bool same = a->kind == b->kind && m->its->root == m->theirs->root &&
                memcmp(a->dims, b->dims, sizeof a->dims) == 0;

    return same ? *b : (struct topology){.kind = TOPOLOGY_ANY};
}

int
mismatch_step(const struct mismatch *m, int step, int src, int dst)
{
    bool swapped = m->turn > 0 && (src == m->rank || dst == m->rank);

    return swapped && step == m->turn + 1 ? m->turn : step;
}

/* Adds those transfers of step `received`, into the rank or into all others,
 * that stand in `step`. */
static void
add_received(struct schedule *seen, const struct mismatch *m, int step,
             int received, bool its)
{
    size_t count;
    const struct transfer *t =
        schedule_transfers(its ? m->its : m->theirs, received, &count);

    for (size_t i = 0; i < count; i++)
        if ((t[i].dst == m->rank) == its &&
            mismatch_step(m, received, t[i].src, t[i].dst) == step)
            schedule_add(seen, t[i]);
}

struct schedule *
mismatch_seen(const struct mismatch *m, struct err *err)
{
    const struct schedule *its = m->its, *theirs = m->theirs;
    int more = its->nslots > theirs->nslots ? its->nslots - theirs->nslots : 0;
    int nsteps = its->nsteps > theirs->nsteps ? its->nsteps : theirs->nsteps;
    struct schedule_spec spec = {
        .collective = theirs->collective, .algorithm = theirs->algorithm,
        .nranks = theirs->nranks, .root = theirs->root,
        .pieces = theirs->pieces, .scratch = theirs->scratch + more,
        .in_place = theirs->in_place, .topology = seen_topology(m),
        .align = theirs->align};
    struct schedule *seen;

    if (!schedule_spec_check(&spec, err))
        return NULL;
    seen = schedule_new(&spec);
    for (int step = 1; step <= nsteps; step++) {
        const struct schedule *named = step <= theirs->nsteps ? theirs : its;
        schedule_step(seen, named->steps[step - 1].phase);
        for (int k = step; k <= step + (step == m->turn); k++) {
            add_received(seen, m, step, k, false);
            add_received(seen, m, step, k, true);
        }
    }
    return seen;
}
