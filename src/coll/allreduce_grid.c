/* SPDX-License-Identifier: MIT */
/* All-reduce in stages, one for each dimension of a grid of ranks.
 *
 * Data is reduced and scattered along the last dimension, after which each rank
 * owns a part of it; that part along the dimension before; and so on until
 * every rank owns one chunk.  Then everything is gathered in the opposite
 * order.  Every rank sends 2(N-1)/N of its data, as on one ring over all of
 * them, in 2(X-1 + Y-1 + Z-1) steps instead of 2(N-1).
 *
 * On a torus a part goes round a ring, numbered as NCCL does it
 * (allreduce_ring.c): the ring of each row, then of each column; in three
 * dimensions along z, y and x.  Faster than one ring on many ranks.
 *
 * On a mesh, whose lines have no link between their ends, parts come from both
 * ends at once, the farthest first, and each is added to where it passes.  As
 * many steps as on a torus, two sends per step.
 *
 * Hierarchical is the same for X nodes of Y GPUs: reduce-scatter among the GPUs
 * of a node, over its fast links; then every GPU reduces its share with its
 * counterparts in the other nodes, round a ring; then all-gather inside the
 * nodes.  Only a Y-th of the data of each GPU goes over the slow links between
 * nodes.
 *
 * Source: N. Jain, Y. Sabharwal, "Optimal bucket algorithms for large MPI
 * collectives on torus interconnects", ICS 2010; H. Mikami et al., "Massively
 * distributed SGD: ImageNet/ResNet-50 training in a flash", 2018 (on a logical
 * grid); M. Barnett, R. Littlefield, D. Payne, R. van de Geijn, "Global combine
 * algorithms for 2-D meshes with wormhole routing", JPDC 24 (1995); S. Kumar,
 * N. Jouppi, "Highly available data parallel ML training on mesh networks",
 * 2020; Y. Jiang et al., "2D-HRA: two-dimensional hierarchical ring-based
 * all-reduce algorithm in large-scale distributed machine learning", IEEE
 * Access 8 (2020). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

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
stage_position(int rank, const struct stage *stage)
{
    return rank / stage->stride % stage->size;
}

/* The first chunk of the part that the rank owns before it is scattered along
 * d. */
static int
first_owned(const struct coll_options *o, int rank, int d)
{
    int first = 0;

    for (int i = d + 1; i < TOPOLOGY_DIMS; i++) {
        struct stage stage = stage_of(o, i);
        first += stage_position(rank, &stage) * stage.part;
    }
    return first;
}

/* Sends one part from a rank to its neighbour `by` places along the
 * dimension. */
static void
send_part(struct schedule *s, const struct stage *stage, int rank, int by,
          int slot, enum transfer_op op)
{
    int at = stage_position(rank, stage);
    int to = modulo(at + by, stage->size);
    int dst = rank + (to - at) * stage->stride;

    work_move(s, op, rank, slot, dst, slot, stage->part);
}

/* Round k of the reduce-scatter; the formula also holds for the all-gather,
 * whose rounds are counted on from there. */
static void
send_on_ring(struct schedule *s, const struct stage *stage, int rank, int work,
             int k)
{
    int at = stage_position(rank, stage);
    int part = modulo(at - 1 - k, stage->size);

    send_part(s, stage, rank, 1, work + part * stage->part,
              k < stage->size - 1 ? TRANSFER_REDUCE : TRANSFER_COPY);
}

/* Part p passes position j in step size-1-p+j on its way up, p > j, and in
 * step p + size-1-j on its way down, p < j. */
static void
scatter_on_line(struct schedule *s, const struct stage *stage, int rank,
                int work, int k)
{
    int at = stage_position(rank, stage), last = stage->size - 1;
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
gather_on_line(struct schedule *s, const struct stage *stage, int rank,
               int work, int k)
{
    int at = stage_position(rank, stage), last = stage->size - 1;
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
            int first = work + first_owned(o, rank, d);
            if (s->topology.kind != TOPOLOGY_MESH)
                send_on_ring(s, &stage, rank, first,
                             gathers ? stage.size - 1 + k : k);
            else if (gathers)
                gather_on_line(s, &stage, rank, first, k);
            else
                scatter_on_line(s, &stage, rank, first, k);
        }
    }
}

static void
build_stages(struct schedule *s, const struct coll_options *o,
             const char *const phases[TOPOLOGY_DIMS][2])
{
    int work = work_begin(s);

    for (int d = TOPOLOGY_DIMS - 1; d >= 0; d--)
        run_stage(s, o, d, work, false, phases[d][0]);
    for (int d = 0; d < TOPOLOGY_DIMS; d++)
        run_stage(s, o, d, work, true, phases[d][1]);
}

static void
grid_build(struct schedule *s, const struct coll_options *o)
{
    static const char *const phases[TOPOLOGY_DIMS][2] = {
        {N_("reduce columns"), N_("gather columns")},
        {N_("reduce rows"), N_("gather rows")},
        {N_("reduce-scatter"), N_("all-gather")},
    };

    build_stages(s, o, phases);
}

static void
torus3d_build(struct schedule *s, const struct coll_options *o)
{
    static const char *const phases[TOPOLOGY_DIMS][2] = {
        {N_("reduce x"), N_("gather x")},
        {N_("reduce y"), N_("gather y")},
        {N_("reduce z"), N_("gather z")},
    };

    build_stages(s, o, phases);
}

static void
nodes_build(struct schedule *s, const struct coll_options *o)
{
    static const char *const phases[TOPOLOGY_DIMS][2] = {
        {N_("reduce across"), N_("gather across")},
        {N_("reduce in nodes"), N_("gather in nodes")},
        {N_("reduce-scatter"), N_("all-gather")},
    };

    build_stages(s, o, phases);
}

static struct path
grid_path(const struct coll_options *o)
{
    double others = o->nranks - 1, steps = 0;

    for (int d = 0; d < TOPOLOGY_DIMS; d++)
        steps += 2 * (o->dims[d] - 1);
    return (struct path){steps, 2 * others, others};
}

const struct algorithm allreduce_torus2d = {
    .name = N_("torus2d"),
    .collective = "allreduce",
    .aliases = {"2d-torus"},
    .topology = TOPOLOGY_TORUS,
    .dims = 2,
    .pieces = coll_ranks,
    .build = grid_build,
    .path = grid_path,
    .formulas = {"2(X-1 + Y-1)", "2(N-1)/N S"},
    .idea = N_("rings along every row, then along every column on what each "
               "rank owns, and back"),
    .when = N_(
        "large data on many ranks: as few bytes as one ring, far fewer steps"),
    .source = "Mikami et al. 2018; Jain & Sabharwal 2010",
};

const struct algorithm allreduce_torus3d = {
    .name = N_("torus3d"),
    .collective = "allreduce",
    .aliases = {"3d-torus"},
    .topology = TOPOLOGY_TORUS,
    .dims = 3,
    .pieces = coll_ranks,
    .build = torus3d_build,
    .path = grid_path,
    .formulas = {"2(X-1 + Y-1 + Z-1)", "2(N-1)/N S"},
    .idea =
        N_("rings along z, then y, then x, on ever smaller parts, and back"),
    .when = N_("large data on very many ranks: as few bytes as one ring, far "
               "fewer steps"),
    .source = "Jain & Sabharwal 2010",
};

const struct algorithm allreduce_mesh2d = {
    .name = N_("mesh2d"),
    .collective = "allreduce",
    .aliases = {"2d-mesh"},
    .topology = TOPOLOGY_MESH,
    .dims = 2,
    .pieces = coll_ranks,
    .build = grid_build,
    .formulas = {"2(X-1 + Y-1)", "2(N+X)/N S"},
    .holds = HOLDS_SIDES_ABOVE_2,
    .otherwise = {"2(X-1 + Y-1)", NULL},
    .idea = N_(
        "chains from both ends of every row, then of every column, and back"),
    .when = N_("large data on meshes without wrap-around links"),
    .source = "Kumar & Jouppi 2020; Barnett et al. 1995",
};

const struct algorithm allreduce_hierarchical = {
    .name = N_("hierarchical"),
    .collective = "allreduce",
    .aliases = {"two-level", "2-level"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .pieces = coll_ranks,
    .build = nodes_build,
    .path = grid_path,
    .formulas = {"2(X-1 + Y-1)", "2(N-1)/N S"},
    .idea = N_("first inside the nodes, then every share across them, then "
               "inside again"),
    .when = N_("nodes of GPUs: only a share of the data leaves a node"),
    .source = "Jiang et al. 2020",
};
