/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/msccl_program.h"

bool
msccl_at(const struct msccl *m, int block, int step, struct err *err)
{
    const struct msccl_block *b = &m->blocks[block];

    return err_prefix(err, "rank %d, thread block %d, step %d", b->rank, b->id,
                      step - b->first);
}

static int
by_ends(const void *a, const void *b)
{
    const struct msccl_link *x = a, *y = b;

    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    return x->chan == y->chan ? 0 : x->chan < y->chan ? -1 : 1;
}

static bool
does(const struct msccl *m, const struct msccl_block *b, int what)
{
    for (int i = 0; i < b->count; i++)
        if (m->steps[b->first + i].does & what)
            return true;
    return false;
}

/* One link for each block that sends, and one for each that receives. */
static void
list_halves(struct msccl *m)
{
    m->links = mem_new(2 * m->nblocks, sizeof *m->links);
    for (size_t i = 0; i < m->nblocks; i++) {
        const struct msccl_block *b = &m->blocks[i];
        if (does(m, b, DOES_SEND))
            m->links[m->nlinks++] = (struct msccl_link){
                b->rank, b->send, b->chan, (int)i, -1};
        if (does(m, b, DOES_RECEIVE))
            m->links[m->nlinks++] = (struct msccl_link){
                b->recv, b->rank, b->chan, -1, (int)i};
    }
}

/* Two blocks at one end would have no order. */
static bool
take_end(const struct msccl *m, const char *name, int *end, int block,
         struct err *err)
{
    const struct msccl_block *b = &m->blocks[block];

    if (*end >= 0)
        return err_set(err, "%s: rank %d's thread blocks %d and %d have the "
                       "same peer on channel %d", name, b->rank,
                       m->blocks[*end].id, b->id, b->chan);
    *end = block;
    return true;
}

static bool
join_halves(struct msccl *m, const char *name, struct err *err)
{
    size_t halves = m->nlinks;

    qsort(m->links, halves, sizeof *m->links, by_ends);
    m->nlinks = 0;
    for (size_t i = 0; i < halves; i++) {
        struct msccl_link half = m->links[i], *link;
        if (m->nlinks == 0 || by_ends(&half, &m->links[m->nlinks - 1]) != 0)
            m->links[m->nlinks++] = (struct msccl_link){
                half.src, half.dst, half.chan, -1, -1};
        link = &m->links[m->nlinks - 1];
        if ((half.sender >= 0 &&
             !take_end(m, name, &link->sender, half.sender, err)) ||
            (half.receiver >= 0 &&
             !take_end(m, name, &link->receiver, half.receiver, err)))
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

/* The first step of the block from `step` on that does it; -1: none. */
static int
next_that(const struct msccl *m, int block, int step, int what)
{
    const struct msccl_block *b;

    if (block < 0)
        return -1;
    b = &m->blocks[block];
    for (; step < b->first + b->count; step++)
        if (m->steps[step].does & what)
            return step;
    return -1;
}

static int
first_step(const struct msccl *m, int block)
{
    return block < 0 ? 0 : m->blocks[block].first;
}

/* The k-th message is for the k-th receive.  What waits in vain is found when
 * it runs. */
static bool
messages_fit(const struct msccl *m, const struct msccl_link *l,
             struct err *err)
{
    int s = next_that(m, l->sender, first_step(m, l->sender), DOES_SEND);
    int r = next_that(m, l->receiver, first_step(m, l->receiver),
                      DOES_RECEIVE);

    for (; s >= 0; s = next_that(m, l->sender, s + 1, DOES_SEND)) {
        if (r < 0) {
            err_set(err, "what it sends to rank %d on channel %d is never "
                    "received", l->dst, l->chan);
            return msccl_at(m, l->sender, s, err);
        }
        if (m->steps[s].count != m->steps[r].count) {
            err_set(err, "receives %d chunk%s, but rank %d's thread block %d "
                    "sends %d in step %d", m->steps[r].count,
                    err_plural(m->steps[r].count), l->src,
                    m->blocks[l->sender].id, m->steps[s].count,
                    s - m->blocks[l->sender].first);
            return msccl_at(m, l->receiver, r, err);
        }
        r = next_that(m, l->receiver, r + 1, DOES_RECEIVE);
    }
    return true;
}

static bool
find_dependency(struct msccl *m, const struct msccl_block *b,
                struct msccl_step *s, const char *name, struct err *err)
{
    int first = m->first_block[b->rank];
    const struct msccl_block *of;

    if (s->dep_block < 0) {
        s->dep_step = -1;
        return true;
    }
    if (s->dep_block >= m->first_block[b->rank + 1] - first)
        return err_set(err, "%s:%d: depid=\"%d\", but GPU %d has %d thread "
                       "blocks", name, s->line, s->dep_block, b->rank,
                       m->first_block[b->rank + 1] - first);
    s->dep_block += first;
    of = &m->blocks[s->dep_block];
    if (s->dep_step < 0 || s->dep_step >= of->count)
        return err_set(err, "%s:%d: deps=\"%d\", but thread block %d has %d "
                       "steps", name, s->line, s->dep_step, of->id, of->count);
    s->dep_step += of->first;
    m->steps[s->dep_step].awaited = true;
    return true;
}

bool
msccl_link(struct msccl *m, const char *name, struct err *err)
{
    for (size_t i = 0; i < m->nblocks; i++) {
        const struct msccl_block *b = &m->blocks[i];
        for (int k = 0; k < b->count; k++)
            if (!find_dependency(m, b, &m->steps[b->first + k], name, err))
                return false;
    }
    list_halves(m);
    if (!join_halves(m, name, err))
        return false;
    for (size_t i = 0; i < m->nlinks; i++)
        if (!messages_fit(m, &m->links[i], err))
            return err_prefix(err, "%s is wrong", name);
    return true;
}

/* How far every block is, and what its links hold. */
struct progress {
    const struct msccl *m;
    int depth;
    int *next; /* by block: step */
    int *held; /* by link: messages */
};

static bool
is_done(const struct progress *p, int block)
{
    const struct msccl_block *b = &p->m->blocks[block];

    return p->next[block] == b->first + b->count;
}

__attribute__((format(printf, 2, 0))) static void
say(struct err *why, const char *what, int a, int b)
{
    if (why != NULL)
        err_set(why, what, a, b);
}

/* The block that this one waits for, itself where nobody can help, -1 if it
 * can go on.  What is missing goes to *why, unless that is NULL. */
static int
waits_for(const struct progress *p, int block, struct err *why)
{
    const struct msccl *m = p->m;
    const struct msccl_block *b = &m->blocks[block];
    const struct msccl_step *s = &m->steps[p->next[block]];

    if (s->dep_block >= 0 && p->next[s->dep_block] <= s->dep_step) {
        say(why, "waits for ever for step %d of thread block %d",
            s->dep_step - m->blocks[s->dep_block].first,
            m->blocks[s->dep_block].id);
        return s->dep_block;
    }
    if (s->does & DOES_RECEIVE && p->held[b->in] == 0) {
        say(why, "waits for ever for a message of rank %d on channel %d",
            b->recv, b->chan);
        return m->links[b->in].sender < 0 ? block : m->links[b->in].sender;
    }
    if (s->does & DOES_SEND && p->held[b->out] == p->depth) {
        say(why, "waits for ever for room on the link to rank %d, channel %d",
            b->send, b->chan);
        return m->links[b->out].receiver; /* messages_fit(): there is one */
    }
    return -1;
}

/* Runs a block as far as it gets. */
static bool
advance(struct progress *p, int block)
{
    const struct msccl_block *b = &p->m->blocks[block];
    int before = p->next[block];

    while (!is_done(p, block) && waits_for(p, block, NULL) < 0) {
        int what = p->m->steps[p->next[block]++].does;
        if (what & DOES_RECEIVE)
            p->held[b->in]--;
        if (what & DOES_SEND)
            p->held[b->out]++;
    }
    return p->next[block] != before;
}

/* Of those that are stuck, one in the cycle, or one that waits for what never
 * comes. */
static bool
tell_stuck(const struct progress *p, int block, struct err *err)
{
    bool *seen = mem_new(p->m->nblocks, sizeof *seen);
    int next;

    while (!seen[block]) {
        seen[block] = true;
        next = waits_for(p, block, NULL);
        if (is_done(p, next))
            break;
        block = next;
    }
    waits_for(p, block, err);
    free(seen);
    return msccl_at(p->m, block, p->next[block], err);
}

bool
msccl_ends(const struct msccl *m, int depth, struct err *err)
{
    struct progress p = {m, depth, mem_new(m->nblocks, sizeof *p.next),
                         mem_new(m->nlinks, sizeof *p.held)};
    int64_t work = 0;
    bool moved = true, ok = true;

    for (size_t i = 0; i < m->nblocks; i++)
        p.next[i] = m->blocks[i].first;
    while (moved && ok) {
        moved = false;
        for (size_t i = 0; i < m->nblocks; i++)
            if (!is_done(&p, (int)i) && advance(&p, (int)i))
                moved = true;
        work += (int64_t)m->nblocks;
        if (work > MSCCL_WORK_MAX)
            ok = err_set(err, "its dependencies are more than collviz takes");
    }
    for (size_t i = 0; ok && i < m->nblocks; i++)
        if (!is_done(&p, (int)i))
            ok = tell_stuck(&p, (int)i, err);
    free(p.next);
    free(p.held);
    return ok;
}
