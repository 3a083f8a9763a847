/* SPDX-License-Identifier: MIT */
#include "schedule/msccl.h"

#include <limits.h>

#include "schedule/msccl_program.h"

/* Chunks of a buffer, and the slot of its first. */
static struct region
buffer_of(const struct msccl *m, const struct schedule *s, int rank,
          enum msccl_buffer buffer)
{
    int outputs = s->pieces * collective_units(s->collective->output,
                                               s->nranks);

    switch (buffer) {
    case MSCCL_INPUT:
        return (struct region){schedule_input(s, rank).first, s->nchunks};
    case MSCCL_OUTPUT:
        return (struct region){schedule_output(s, rank).first, outputs};
    default:
        return (struct region){schedule_scratch(s), m->scratch_of[rank]};
    }
}

static bool
place(int *chunk, int count, struct region of, struct err *err)
{
    if (*chunk + count > of.count)
        return err_set(err, "chunks %d to %d of a buffer that has %d", *chunk,
                       *chunk + count - 1, of.count);
    *chunk += of.first;
    return true;
}

bool
msccl_place(struct msccl *m, const struct schedule *s, const char *name,
            struct err *err)
{
    int64_t moved = 0;

    for (size_t i = 0; i < m->nblocks; i++) {
        const struct msccl_block *b = &m->blocks[i];
        for (int k = 0; k < b->count; k++) {
            struct msccl_step *t = &m->steps[b->first + k];
            if ((t->does & DOES_READ &&
                 !place(&t->src, t->count,
                        buffer_of(m, s, b->rank, t->src_buffer), err)) ||
                (t->does & DOES_WRITE &&
                 !place(&t->dst, t->count,
                        buffer_of(m, s, b->rank, t->dst_buffer), err)))
                return err_prefix(err, "%s:%d", name, t->line);
            moved += t->count;
            if (moved > MSCCL_MOVED_MAX)
                return err_set(err, "%s:%d: the steps move more than %d "
                               "chunks", name, t->line, MSCCL_MOVED_MAX);
        }
    }
    return true;
}

static struct schedule *
empty_schedule(const struct msccl *m, const char *name, bool out_of_place,
               struct err *err)
{
    const struct collective *c = m->collective;
    int input = collective_units(c->input, m->nranks);
    int output = collective_units(c->output, m->nranks);
    int units = input > output ? input : output;
    struct shape shape = {
        .collective = c, .algorithm = m->name, .nranks = m->nranks,
        .root = m->root, .pieces = m->chunks / units, .scratch = m->scratch,
        .in_place = m->in_place && !(out_of_place && m->out_of_place),
        .topology.kind = TOPOLOGY_ANY,
    };

    if (out_of_place && !m->out_of_place) {
        err_set(err, "%s: it runs in place only", name);
        return NULL;
    }
    if (m->chunks % units != 0) {
        err_set(err, "%s: nchunksperloop=\"%d\" can not be cut for %d rank%s",
                name, m->chunks, units, err_plural(units));
        return NULL;
    }
    if ((2 * (int64_t)m->chunks + m->scratch) * m->nranks > MSCCL_CELLS_MAX) {
        err_set(err, "%s: %d GPU%s of %d chunks, and %d of scratch, are more "
                "than collviz takes (%d in all)", name, m->nranks,
                err_plural(m->nranks), m->chunks, m->scratch,
                MSCCL_CELLS_MAX);
        return NULL;
    }
    if (!shape_check(&shape, err)) {
        err_prefix(err, "%s", name);
        return NULL;
    }
    return schedule_new(&shape);
}

static bool
judge(const struct msccl *m, struct schedule *s, const char *name,
      struct err *links, struct err *err)
{
    if (!msccl_ends(m, INT_MAX, err) || !msccl_run(m, s, err))
        return err_prefix(err, "%s is wrong", name);
    links->text[0] = '\0';
    msccl_ends(m, 1, links);
    return true;
}

struct schedule *
msccl_read(FILE *file, const char *name, bool out_of_place, struct err *links,
           struct err *err)
{
    struct schedule *s = NULL;
    struct msccl m;
    bool ok = msccl_parse(&m, file, name, err) &&
              (s = empty_schedule(&m, name, out_of_place, err)) != NULL &&
              msccl_place(&m, s, name, err) && msccl_link(&m, name, err) &&
              judge(&m, s, name, links, err);

    msccl_done(&m);
    if (ok)
        return s;
    schedule_free(s);
    return NULL;
}
