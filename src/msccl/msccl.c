/* SPDX-License-Identifier: MIT */
#include "msccl/msccl.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "msccl/file.h"

/* The slots of a buffer: one per chunk. */
static struct region
buffer_of(const struct msccl *m, const struct schedule *s, int rank,
          enum msccl_buffer buffer)
{
    int stated = m->buffers[rank].chunks[buffer];

    switch (buffer) {
    case MSCCL_INPUT:
        return (struct region){schedule_input(s, rank).first,
                               least(stated, s->nchunks)};
    case MSCCL_OUTPUT:
        return (struct region){schedule_output(s, rank).first,
                               least(stated, s->noutputs)};
    default:
        return (struct region){schedule_scratch(s), stated};
    }
}

static bool
place_chunk(int *chunk, int count, struct region of, struct err *err)
{
    if ((int64_t)*chunk + count > of.count)
        return err_set(err, "it uses %d chunk%s from chunk %d on, but the "
                       "buffer has %d", count, err_plural(count), *chunk,
                       of.count);
    *chunk += of.first;
    return true;
}

static bool
place_step(const struct msccl *m, const struct schedule *s,
           struct msccl_step *t, struct err *err)
{
    const int both = DOES_READ | DOES_WRITE;
    int rank = m->blocks[t->block].rank;

    if ((t->does & DOES_READ &&
         !place_chunk(&t->src, t->count, buffer_of(m, s, rank, t->src_buffer),
                      err)) ||
        (t->does & DOES_WRITE &&
         !place_chunk(&t->dst, t->count, buffer_of(m, s, rank, t->dst_buffer),
                      err)))
        return false;
    if ((t->does & both) == both && t->src != t->dst &&
        abs(t->src - t->dst) < t->count)
        return err_set(err, "it reads and writes chunks that overlap but are "
                       "not the same: the threads of a block have no order "
                       "among themselves");
    return true;
}

static bool
place_steps(struct msccl *m, const struct schedule *s, struct err *err)
{
    int64_t moved = 0;

    for (size_t i = 0; i < m->nsteps; i++) {
        struct msccl_step *t = &m->steps[i];
        if (!place_step(m, s, t, err))
            return err_prefix(err, "%s:%d", m->file, t->line);
        moved += t->count;
        if (moved > MSCCL_MOVED_MAX)
            return msccl_too_large(m, err, "its steps move more than %d "
                                   "chunks", MSCCL_MOVED_MAX);
    }
    return true;
}

bool
msccl_at(const struct msccl *m, int step, struct err *err)
{
    const struct msccl_block *b = &m->blocks[m->steps[step].block];

    return err_prefix(err, "rank %d, thread block %d, step %d", b->rank, b->id,
                      step - b->first);
}

static struct schedule *
empty_schedule(struct msccl *m, bool out_of_place, struct err *err)
{
    const struct collective *c = m->collective;
    int input = collective_units(c->input, m->nranks);
    int output = collective_units(c->output, m->nranks);
    int units = input > output ? input : output;
    struct schedule_spec shape = {
        .collective = c, .algorithm = m->name, .nranks = m->nranks,
        .root = m->root, .pieces = m->chunks / units, .scratch = m->scratch,
        .in_place = m->in_place && !(out_of_place && m->out_of_place),
        .topology.kind = TOPOLOGY_ANY,
    };

    if (m->chunks % units != 0) {
        err_set(err, "%s: nchunksperloop=\"%d\" cannot be divided by %d rank%s",
                m->file, m->chunks, units, err_plural(units));
        return NULL;
    }
    if ((2 * (int64_t)m->chunks + m->scratch) * m->nranks > MSCCL_CELLS_MAX) {
        msccl_too_large(m, err, "%d GPU%s of %d chunks, and %d of scratch, are "
                        "more than %d chunks", m->nranks,
                        err_plural(m->nranks), m->chunks,
                        m->scratch, MSCCL_CELLS_MAX);
        return NULL;
    }
    if (!schedule_spec_check(&shape, err)) {
        m->too_large = true;
        return NULL;
    }
    return schedule_new(&shape);
}

const char *
msccl_collective_name(const struct collective *c)
{
    return strcmp(c->name, "reduce-scatter") == 0 ? "reducescatter" : c->name;
}

static bool
judge_program(struct msccl *m, struct schedule *s, struct msccl_notes *notes,
              struct err *err)
{
    OWN_MEMORY int *order = mem_new(m->nsteps, sizeof *order);
    bool ok = msccl_ends(m, order, err) &&
              msccl_links_suffice(m, notes, err) &&
              msccl_races(m, s, order, err) && msccl_run(m, order, s, err);

    if (!ok && !m->too_large)
        err_prefix(err, "%s is wrong", m->file);
    return ok;
}

struct schedule *
msccl_read(FILE *file, const char *name, bool out_of_place,
           struct msccl_notes *notes, struct err *err)
{
    struct schedule *s = NULL;
    struct msccl m;
    bool ok;

    *notes = (struct msccl_notes){0};
    ok = msccl_parse(&m, file, name, err) &&
         (s = empty_schedule(&m, out_of_place, err)) != NULL &&
         place_steps(&m, s, err) && msccl_link(&m, err) &&
         judge_program(&m, s, notes, err);
    if (m.too_large)
        err_prefix(err, "%s is too large to judge", name);
    notes->too_large = m.too_large;
    notes->both_ways = m.in_place && m.out_of_place;
    msccl_done(&m);
    if (ok)
        return s;
    schedule_free(s);
    return NULL;
}
