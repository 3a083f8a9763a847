/* SPDX-License-Identifier: MIT */
/* Whether a program finishes or deadlocks.
 *
 * Only messages and finished steps are counted; no data moves.  A block runs
 * as far as it can.  Then it waits for another block's step, for a message or
 * for room, and is tried again when that changes.  Each link has one sender and
 * one receiver, and no step chooses, so the outcome does not depend on the
 * order in which blocks run.
 *
 * The runtime sends the chunks of a step in several messages, here pieces, if
 * they are too large for one: mscclSetupCount() of msccl-executor-nccl says how
 * many chunks a piece has (maxAllowedCount), and mscclRunInterpreter() cuts.
 * More data means fewer chunks in a piece, down to one; beyond that the whole
 * program is repeated for each part of every chunk.  If a program finishes with
 * some number of chunks in a piece, it also does with more: let each longer
 * piece move when the last of its parts would; then a link never holds more of
 * them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "msccl/file.h"

struct progress {
    const struct msccl *m;
    int depth; /* pieces that a link holds */
    int chunks; /* in a piece, at most */
    struct runner {
        int next;    /* step */
        int moved;   /* pieces that this step has moved */
        bool listed; /* it is in `tried` */
        bool waits;  /* it is in a list of those that wait for a step */
        int other;   /* block: the next one in that list */
    } *runners;      /* by block */
    int *held;  /* by link: pieces it holds */
    int *tried; /* stack of blocks to try */
    int ntried;
    int *waiting; /* by step: the first block that waits for it */
    int *order; /* steps in the order in which they ended, or NULL */
    size_t ended;
};

static bool
is_done(const struct progress *p, int block)
{
    const struct msccl_block *b = &p->m->blocks[block];

    return p->runners[block].next == b->first + b->count;
}

static void
try_again(struct progress *p, int block)
{
    if (block == MSCCL_NONE || p->runners[block].listed)
        return;
    p->runners[block].listed = true;
    p->tried[p->ntried++] = block;
}

/* Whether the step that it waits for has not been published yet. */
static bool
lacks_step(const struct progress *p, const struct msccl_step *s)
{
    return s->dep_block >= 0 && (s->waits_for == MSCCL_NONE ||
                                 p->runners[s->dep_block].next <=
                                     s->waits_for);
}

static int
pieces_of(const struct progress *p, const struct msccl_step *s)
{
    return s->count == 0 ? 0 : (s->count - 1) / p->chunks + 1;
}

/* Receives and sends as many pieces as it can.  Returns whether none are
 * left. */
static bool
move_pieces(struct progress *p, const struct msccl_step *s)
{
    const struct msccl_block *b = &p->m->blocks[s->block];
    int *moved = &p->runners[s->block].moved, n = pieces_of(p, s) - *moved;

    if (s->does & DOES_RECEIVE)
        n = least(n, p->held[b->in]);
    if (s->does & DOES_SEND)
        n = least(n, p->depth - p->held[b->out]);
    if (n > 0 && s->does & DOES_RECEIVE) {
        p->held[b->in] -= n;
        try_again(p, p->m->links[b->in].sender);
    }
    if (n > 0 && s->does & DOES_SEND) {
        p->held[b->out] += n;
        try_again(p, p->m->links[b->out].receiver);
    }
    *moved += n;
    return *moved == pieces_of(p, s);
}

static void
finish_step(struct progress *p, int block, int step)
{
    p->runners[block].next++;
    p->runners[block].moved = 0;
    if (p->order != NULL)
        p->order[p->ended++] = step;
    for (int i = p->waiting[step]; i != MSCCL_NONE; i = p->runners[i].other) {
        p->runners[i].waits = false;
        try_again(p, i);
    }
}

/* Runs a block as far as it can go. */
static void
advance_block(struct progress *p, int block)
{
    struct runner *r = &p->runners[block];

    while (!is_done(p, block)) {
        int step = r->next;
        const struct msccl_step *s = &p->m->steps[step];
        if (lacks_step(p, s)) {
            if (s->waits_for != MSCCL_NONE && !r->waits) {
                r->waits = true;
                r->other = p->waiting[s->waits_for];
                p->waiting[s->waits_for] = block;
            }
            return;
        }
        if (!move_pieces(p, s))
            return;
        finish_step(p, block, step);
    }
}

/* Returns the block that this one waits for, or itself if no block can help;
 * *why says what is missing. */
static int
explain_wait(const struct progress *p, int block, struct err *why)
{
    const struct msccl *m = p->m;
    const struct msccl_block *b = &m->blocks[block];
    const struct msccl_step *s = &m->steps[p->runners[block].next];
    int other = block;
    char piece[48] = "";

    if (pieces_of(p, s) > 1)
        snprintf(piece, sizeof piece, " (piece %d of %d)",
                 p->runners[block].moved + 1, pieces_of(p, s));
    if (lacks_step(p, s)) {
        const struct msccl_block *of = &m->blocks[s->dep_block];
        other = s->waits_for == MSCCL_NONE ? block : s->dep_block;
        err_set(why, "waits for ever for step %d of thread block %d",
                s->dep_step - of->first, of->id);
        if (s->waits_for == MSCCL_NONE)
            err_set(why, "waits for ever for step %d of thread block %d, which "
                    "is never published: neither it nor a later step there "
                    "has hasdep=\"1\"", s->dep_step - of->first, of->id);
        else if (s->waits_for != s->dep_step)
            err_set(why, "waits for ever for step %d of thread block %d, which "
                    "is published with step %d, the first from there on with "
                    "hasdep=\"1\"", s->dep_step - of->first, of->id,
                    s->waits_for - of->first);
    } else if (s->does & DOES_RECEIVE && p->held[b->in] == 0) {
        err_set(why, "waits for ever for a message from rank %d on channel "
                "%d%s", b->recv, b->chan, piece);
        if (m->links[b->in].sender >= 0)
            other = m->links[b->in].sender;
    } else {
        err_set(why, "waits for ever for room on the link to rank %d, channel "
                "%d%s", b->send, b->chan, piece);
        other = m->links[b->out].receiver; /* exists: see pair_messages() */
    }
    return other;
}

/* Reports one of the stuck blocks: one in the cycle, or one that waits for
 * something that never comes. */
static bool
report_stuck(const struct progress *p, int block, struct err *err)
{
    OWN_MEMORY bool *seen = mem_new(p->m->nblocks, sizeof *seen);

    while (!seen[block]) {
        int other;
        seen[block] = true;
        other = explain_wait(p, block, err);
        if (is_done(p, other))
            break;
        block = other;
    }
    explain_wait(p, block, err);
    return msccl_at(p->m, p->runners[block].next, err);
}

static void
progress_init(struct progress *p, const struct msccl *m)
{
    p->m = m;
    p->runners = mem_new(m->nblocks, sizeof *p->runners);
    p->held = mem_new(m->nlinks, sizeof *p->held);
    p->tried = mem_new(m->nblocks, sizeof *p->tried);
    p->waiting = mem_new(m->nsteps, sizeof *p->waiting);
    for (size_t i = 0; i < m->nsteps; i++)
        p->waiting[i] = MSCCL_NONE;
    for (int i = (int)m->nblocks - 1; i >= 0; i--) {
        p->runners[i].next = m->blocks[i].first;
        try_again(p, i);
    }
}

static bool
check_end(const struct msccl *m, int depth, int chunks, int *order,
          struct err *err)
{
    struct progress p = {.depth = depth, .chunks = chunks, .order = order};
    bool ok = true;

    progress_init(&p, m);
    while (p.ntried > 0) {
        int block = p.tried[--p.ntried];
        p.runners[block].listed = false;
        advance_block(&p, block);
    }
    for (int i = 0; ok && i < (int)m->nblocks; i++)
        if (!is_done(&p, i))
            ok = report_stuck(&p, i, err);
    free(p.runners);
    free(p.held);
    free(p.tried);
    free(p.waiting);
    return ok;
}

bool
msccl_ends(const struct msccl *m, int *order, struct err *err)
{
    return check_end(m, INT_MAX, INT_MAX, order, err);
}

/* The most bytes of a piece.  The runtime cuts smaller ones for two collectives
 * (BROADCAST_CHUNKSTEPS and REDUCE_CHUNKSTEPS in src/include/collectives.h are
 * 1, where others have 4). */
static int
piece_bytes(const struct msccl *m)
{
    const char *name = m->collective->name;
    bool smaller = strcmp(m->protocol->name, "Simple") == 0 &&
                   (strcmp(name, "broadcast") == 0 ||
                    strcmp(name, "reduce") == 0);

    return m->protocol->piece_bytes / (smaller ? 4 : 1);
}

/* The fewest chunks in a piece with which it ends: more than 1, and no more
 * than are known to be enough. */
static int
fewest_chunks(const struct msccl *m, int enough)
{
    int fewest = 2;
    struct err unused;

    while (fewest < enough) {
        int middle = (fewest + enough) / 2;
        if (check_end(m, m->protocol->depth, middle, NULL, &unused))
            enough = middle;
        else
            fewest = middle + 1;
    }
    return enough;
}

bool
msccl_links_suffice(const struct msccl *m, struct msccl_notes *notes,
                    struct err *err)
{
    const struct msccl_protocol *p = m->protocol;
    int bytes = piece_bytes(m), longest = 1;

    notes->protocol = p->name;
    notes->depth = p->depth;
    notes->is_bounded = m->max_bytes > 0;
    notes->most_bytes = INT64_MAX;
    for (size_t i = 0; i < m->nsteps; i++)
        if (m->steps[i].count > longest)
            longest = m->steps[i].count;
    longest = least(longest, bytes);
    if (check_end(m, p->depth, 1, NULL, &notes->beyond))
        return true;
    if (!check_end(m, p->depth, longest, NULL, err))
        return err_prefix(err, "it deadlocks on links that hold %d messages, "
                          "as %s's do", p->depth, p->name);
    notes->most_bytes = (int64_t)m->chunks *
                        (bytes / fewest_chunks(m, longest));
    if (m->max_bytes == MSCCL_NONE ||
        (m->max_bytes > 0 && m->max_bytes <= notes->most_bytes))
        return true;
    *err = notes->beyond;
    return err_prefix(err, "maxBytes=\"%lld\" allows more than %lld bytes, "
                      "with which it deadlocks", (long long)m->max_bytes,
                      (long long)notes->most_bytes);
}
