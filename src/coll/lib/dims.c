/* SPDX-License-Identifier: MIT */
#include "coll/lib/dims.h"

#include "base/translate.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/work.h"

/* A dimension: its size, how far apart its neighbours' ranks are, and how many
 * chunks a part has when data is scattered along it. */
struct stage {
    int size, stride, part;
};

/* Scattering goes from the last dimension to the first, so that parts get
 * smaller: along dimension d a part has as many chunks as dimensions before d
 * have ranks. */
static struct stage
stage_of(const struct coll_options *o, int d)
{
    struct stage stage = {o->dims[d], 1, 1};

    for (int i = d + 1; i < TOPOLOGY_DIMS; i++)
        stage.stride *= o->dims[i];
    for (int i = 0; i < d; i++)
        stage.part *= o->dims[i];
    return stage;
}

static int
position(int rank, const struct stage *stage)
{
    return rank / stage->stride % stage->size;
}

/* The first chunk of the part that the rank owns before it is scattered along
 * d. */
static int
owned(const struct coll_options *o, int rank, int d)
{
    int first = 0;

    for (int i = d + 1; i < TOPOLOGY_DIMS; i++) {
        struct stage stage = stage_of(o, i);
        first += position(rank, &stage) * stage.part;
    }
    return first;
}

/* Sends one part from a rank to its neighbour `by` places along the
 * dimension. */
static void
send_part(struct schedule *s, const struct stage *stage, int rank, int by,
          int slot, enum transfer_op op)
{
    int at = position(rank, stage);
    int to = modulo(at + by, stage->size);
    int dst = rank + (to - at) * stage->stride;

    move(s, op, rank, slot, dst, slot, stage->part);
}

/* Round k of the reduce-scatter; the formula also holds for the all-gather,
 * whose rounds are counted on from there. */
static void
ring_round(struct schedule *s, const struct stage *stage, int rank, int work,
           int k)
{
    int at = position(rank, stage);
    int part = modulo(at - 1 - k, stage->size);

    send_part(s, stage, rank, 1, work + part * stage->part,
              k < stage->size - 1 ? TRANSFER_REDUCE : TRANSFER_COPY);
}

/* Part p passes position j in step size-1-p+j on its way up, p > j, and in
 * step p + size-1-j on its way down, p < j. */
static void
line_scatter(struct schedule *s, const struct stage *stage, int rank, int work,
             int k)
{
    int at = position(rank, stage), last = stage->size - 1;
    int up = last + at - k, down = k - last + at;

    if (up > at && up <= last)
        send_part(s, stage, rank, 1, work + up * stage->part,
                  TRANSFER_REDUCE);
    if (down < at && down >= 0)
        send_part(s, stage, rank, -1, work + down * stage->part,
                  TRANSFER_REDUCE);
}

/* The scatter's steps in reverse order, over the same links the other way. */
static void
line_gather(struct schedule *s, const struct stage *stage, int rank, int work,
            int k)
{
    int at = position(rank, stage), last = stage->size - 1;
    int scattered = last - 1 - k;
    int up = last + (at - 1) - scattered, down = scattered - last + (at + 1);

    if (at > 0 && up >= at && up <= last)
        send_part(s, stage, rank, -1, work + up * stage->part,
                  TRANSFER_COPY);
    if (at < last && down <= at && down >= 0)
        send_part(s, stage, rank, 1, work + down * stage->part,
                  TRANSFER_COPY);
}

static void
run_stage(struct schedule *s, const struct coll_options *o, int d, int work,
          bool gathers, const char *phase)
{
    struct stage stage = stage_of(o, d);

    for (int k = 0; k < stage.size - 1; k++) {
        schedule_step(s, phase);
        for (int rank = 0; rank < o->nranks; rank++) {
            int first = work + owned(o, rank, d);
            if (s->topology.kind != TOPOLOGY_MESH)
                ring_round(s, &stage, rank, first,
                           gathers ? stage.size - 1 + k : k);
            else if (gathers)
                line_gather(s, &stage, rank, first, k);
            else
                line_scatter(s, &stage, rank, first, k);
        }
    }
}

void
dims_build(struct schedule *s, const struct coll_options *o,
             const char *const phases[TOPOLOGY_DIMS][2])
{
    int work = work_begin(s);

    for (int d = TOPOLOGY_DIMS - 1; d >= 0; d--)
        run_stage(s, o, d, work, false, phases[d][0]);
    for (int d = 0; d < TOPOLOGY_DIMS; d++)
        run_stage(s, o, d, work, true, phases[d][1]);
}

void
dims_build_grid(struct schedule *s, const struct coll_options *o)
{
    static const char *const phases[TOPOLOGY_DIMS][2] = {
        {N_("reduce columns"), N_("gather columns")},
        {N_("reduce rows"), N_("gather rows")},
        {N_("reduce-scatter"), N_("all-gather")},
    };

    dims_build(s, o, phases);
}

int
dims_steps(const struct coll_options *o)
{
    int steps = 0;

    for (int d = 0; d < TOPOLOGY_DIMS; d++)
        steps += 2 * (o->dims[d] - 1);
    return steps;
}

int
dims_sent(const struct coll_options *o)
{
    return 2 * (o->nranks - 1);
}

/* On a line the rank that is inside sends its own part both ways in the
 * gather. */
int
dims_sent_lines(const struct coll_options *o)
{
    int sent = dims_sent(o);

    for (int d = 0; d < TOPOLOGY_DIMS; d++) {
        struct stage stage = stage_of(o, d);
        sent += stage.size > 2 ? 2 * stage.part : 0;
    }
    return sent;
}

struct path
dims_path(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){dims_steps(o), 2 * others, others};
}
