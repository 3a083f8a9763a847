/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/mem.h"
#include "msccl/file.h"

static int
by_ends(const void *a, const void *b)
{
    const struct msccl_link *x = a, *y = b;

    return x->src != y->src   ? x->src - y->src
           : x->dst != y->dst ? x->dst - y->dst
                              : x->chan - y->chan;
}

/* Makes one link for each block that has a peer to send to, and one for each
 * that has a peer to receive from. */
static void
list_halves(struct msccl *m)
{
    m->links = mem_new(2 * m->nblocks, sizeof *m->links);
    for (size_t i = 0; i < m->nblocks; i++) {
        const struct msccl_block *b = &m->blocks[i];
        if (b->send >= 0)
            m->links[m->nlinks++] = (struct msccl_link){
                b->rank, b->send, b->chan, (int)i, MSCCL_NONE};
        if (b->recv >= 0)
            m->links[m->nlinks++] = (struct msccl_link){
                b->recv, b->rank, b->chan, MSCCL_NONE, (int)i};
    }
}

/* Two blocks at the same end of a link would have no order, even if one of them
 * never uses it: a block of the runtime sets the link's counters to what it
 * knows when it begins and when it ends (loadRecvConn() and ~Primitives() in
 * src/device/prims_simple.h). */
static bool
take_end(const struct msccl *m, int *end, int block, struct err *err)
{
    const struct msccl_block *b = &m->blocks[block];

    if (*end >= 0)
        return err_set(err, "%s is wrong: rank %d's thread blocks %d and %d "
                       "have the same peer on channel %d", m->file, b->rank,
                       m->blocks[*end].id, b->id, b->chan);
    *end = block;
    return true;
}

static bool
join_halves(struct msccl *m, struct err *err)
{
    size_t halves = m->nlinks;

    qsort(m->links, halves, sizeof *m->links, by_ends);
    m->nlinks = 0;
    for (size_t i = 0; i < halves; i++) {
        struct msccl_link half = m->links[i], *link;
        if (m->nlinks == 0 || by_ends(&half, &m->links[m->nlinks - 1]) != 0)
            m->links[m->nlinks++] = (struct msccl_link){
                half.src, half.dst, half.chan, MSCCL_NONE, MSCCL_NONE};
        link = &m->links[m->nlinks - 1];
        if ((half.sender >= 0 &&
             !take_end(m, &link->sender, half.sender, err)) ||
            (half.receiver >= 0 &&
             !take_end(m, &link->receiver, half.receiver, err)))
            return false;
    }
    for (size_t i = 0; i < m->nlinks; i++) {
        if (m->links[i].sender >= 0)
            m->blocks[m->links[i].sender].out = (int)i;
        if (m->links[i].receiver >= 0)
            m->blocks[m->links[i].receiver].in = (int)i;
    }
    return true;
}

/* The first step of the block, from `step` on, that does `what`. */
static int
next_step_that(const struct msccl *m, int block, int step, int what)
{
    const struct msccl_block *b;

    if (block < 0)
        return MSCCL_NONE;
    b = &m->blocks[block];
    for (; step < b->first + b->count; step++)
        if (m->steps[step].does & what)
            return step;
    return MSCCL_NONE;
}

static int
first_step(const struct msccl *m, int block)
{
    return block < 0 ? 0 : m->blocks[block].first;
}

/* The k-th message goes to the k-th receive.  A receive without a message is
 * found when the program runs. */
static bool
pair_messages(struct msccl *m, const struct msccl_link *l, struct err *err)
{
    int s = next_step_that(m, l->sender, first_step(m, l->sender), DOES_SEND);
    int r = next_step_that(m, l->receiver, first_step(m, l->receiver),
                           DOES_RECEIVE);

    for (; s >= 0; s = next_step_that(m, l->sender, s + 1, DOES_SEND)) {
        if (r < 0) {
            err_set(err, "its message to rank %d on channel %d is never "
                    "received", l->dst, l->chan);
            return msccl_at(m, s, err);
        }
        if (m->steps[s].count != m->steps[r].count) {
            err_set(err, "receives %d chunk%s, but rank %d's thread block %d "
                    "sends %d in step %d", m->steps[r].count,
                    err_plural(m->steps[r].count), l->src,
                    m->blocks[l->sender].id, m->steps[s].count,
                    s - m->blocks[l->sender].first);
            return msccl_at(m, r, err);
        }
        m->steps[r].sender = s;
        r = next_step_that(m, l->receiver, r + 1, DOES_RECEIVE);
    }
    return true;
}

/* By step: the first step of its block, from it on, that publishes. */
static int *
publishing_steps(const struct msccl *m)
{
    int *published = mem_new(m->nsteps, sizeof *published);

    for (int i = (int)m->nsteps - 1; i >= 0; i--) {
        const struct msccl_block *b = &m->blocks[m->steps[i].block];
        bool last = i == b->first + b->count - 1;
        published[i] = m->steps[i].publishes ? i
                       : last ? MSCCL_NONE : published[i + 1];
    }
    return published;
}

static bool
find_dependency(const struct msccl *m, struct msccl_step *s,
                const int *published, struct err *err)
{
    int rank = m->blocks[s->block].rank, first = m->first_block[rank];
    int nblocks = m->first_block[rank + 1] - first;
    const struct msccl_block *of;

    s->waits_for = s->sender = MSCCL_NONE;
    if (s->dep_block < 0) {
        s->dep_step = MSCCL_NONE;
        return true;
    }
    if (s->dep_block >= nblocks)
        return err_set(err, "%s:%d: depid=\"%d\", but GPU %d has %d thread "
                       "block%s", m->file, s->line, s->dep_block, rank, nblocks,
                       err_plural(nblocks));
    s->dep_block += first;
    of = &m->blocks[s->dep_block];
    if (s->dep_step < 0 || s->dep_step >= of->count)
        return err_set(err, "%s:%d: deps=\"%d\", but thread block %d has %d "
                       "step%s", m->file, s->line, s->dep_step, of->id,
                       of->count, err_plural(of->count));
    s->dep_step += of->first;
    s->waits_for = published[s->dep_step];
    return true;
}

bool
msccl_link(struct msccl *m, struct err *err)
{
    OWN_MEMORY int *published = publishing_steps(m);

    for (size_t i = 0; i < m->nsteps; i++)
        if (!find_dependency(m, &m->steps[i], published, err))
            return false;
    list_halves(m);
    if (!join_halves(m, err))
        return false;
    for (size_t i = 0; i < m->nlinks; i++)
        if (!pair_messages(m, &m->links[i], err))
            return err_prefix(err, "%s is wrong", m->file);
    return true;
}
