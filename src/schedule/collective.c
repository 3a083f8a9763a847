/* SPDX-License-Identifier: MIT */
#include "schedule/collective.h"

#include <stddef.h>
#include <string.h>

#include "base/translate.h"

static const struct collective collectives[] = {
    {"allreduce", {"all-reduce", "all_reduce"}, N_("all-reduce"), SUM_ALL,
     UNITS_ONE, UNITS_ONE, AT_ALL, AT_ALL, "2(N-1)/N",
     N_("every rank ends with the sum of all ranks' inputs"), NULL},
    {"broadcast", {"bcast"}, N_("broadcast"), SUM_NONE, UNITS_ONE, UNITS_ONE,
     AT_ROOT, AT_ALL, "1", N_("every rank ends with the root's input"), NULL},
    {"reduce", {NULL}, N_("reduce"), SUM_ALL, UNITS_ONE, UNITS_ONE,
     AT_ALL, AT_ROOT, "1",
     N_("the root ends with the sum of all ranks' inputs"), NULL},
    {"scatter", {"scatterv"}, N_("scatter"), SUM_NONE, UNITS_RANKS, UNITS_ONE,
     AT_ROOT, AT_ALL, "(N-1)/N",
     N_("every rank ends with its own share of the root's input"), NULL},
    {"gather", {"gatherv"}, N_("gather"), SUM_NONE, UNITS_ONE, UNITS_RANKS,
     AT_ALL, AT_ROOT, "1",
     N_("the root ends with the inputs of all ranks, in rank order"), NULL},
    {"allgather", {"all-gather", "all_gather", "all-gatherv", "allgatherv"},
     N_("all-gather"), SUM_NONE, UNITS_ONE, UNITS_RANKS, AT_ALL, AT_ALL, "N-1",
     N_("every rank ends with the inputs of all ranks, in rank order"), NULL},
    {"reduce-scatter",
     {"reducescatter", "reduce_scatter", "scatter-reduce", "scatter_reduce",
      "reduce-scatterv"},
     N_("reduce-scatter"), SUM_ALL, UNITS_RANKS, UNITS_ONE, AT_ALL, AT_ALL,
     "(N-1)/N",
     N_("every rank ends with its own share of the sum of all ranks' "
        "inputs"),
     N_("as the first half of a ring all-reduce it is often called "
        "scatter-reduce, since shares are scattered over the ranks and "
        "reduced on their way")},
    {"alltoall", {"all-to-all", "all_to_all", "alltoallv"}, N_("all-to-all"),
     SUM_NONE,
     UNITS_RANKS, UNITS_RANKS, AT_ALL, AT_ALL, "(N-1)/N",
     N_("every rank ends with its own share of every rank's input"), NULL},
    {"sendrecv", {"send-recv", "sendreceive"}, N_("send and receive"), SUM_NONE,
     UNITS_ONE, UNITS_ONE, AT_ALL, AT_ALL, "1",
     N_("every rank ends with the input of the rank before it"), NULL},
    {"scan", {"prefix-sum", "prefix_sum"}, N_("scan"), SUM_UP_TO, UNITS_ONE,
     UNITS_ONE, AT_ALL, AT_ALL, "1",
     N_("every rank ends with the sum of the inputs up to its own, in rank "
        "order"), NULL},
    {"exscan", {"exclusive-scan", "exclusive_scan"}, N_("exclusive scan"),
     SUM_BEFORE, UNITS_ONE, UNITS_ONE, AT_ALL, AT_ALL_BUT_FIRST, "1",
     N_("every rank but the first ends with the sum of the inputs before its "
        "own"), NULL},
};

const struct collective *
collective_at(int index)
{
    const int count = sizeof collectives / sizeof collectives[0];

    return index >= 0 && index < count ? &collectives[index] : NULL;
}

static bool
is_collective_called(const struct collective *c, const char *name)
{
    for (int i = 0; c->aliases[i] != NULL; i++)
        if (strcmp(c->aliases[i], name) == 0)
            return true;
    return strcmp(c->name, name) == 0;
}

const struct collective *
collective_find(const char *name)
{
    const struct collective *c;

    for (int i = 0; (c = collective_at(i)) != NULL; i++)
        if (is_collective_called(c, name))
            return c;
    return NULL;
}

bool
collective_named(const char *name, const struct collective **c,
                 struct err *err)
{
    struct near n = {.word = name};
    OWN(buf) meant = {0};

    *c = collective_find(name);
    if (*c != NULL)
        return true;
    collective_near(&n);
    near_add(&n, "", &meant);
    return err_set(err, "no collective is called '%s'%s (collviz list)", name,
                   buf_text(&meant));
}

void
collective_near(struct near *n)
{
    const struct collective *c;

    for (int i = 0; (c = collective_at(i)) != NULL; i++) {
        near_try(n, c->name);
        for (int k = 0; c->aliases[k] != NULL; k++)
            near_try_as(n, c->aliases[k], c->name);
    }
}

double
collective_least_sent(const struct collective *c, int nranks)
{
    double others = nranks - 1.0;

    if (c->input == UNITS_RANKS) /* everything but a rank's own share */
        return others / nranks;
    if (c->output_at == AT_ALL && c->output == UNITS_RANKS)
        return others; /* on average, since each must receive as many */
    if (c->output_at == AT_ALL && c->reduces == SUM_ALL)
        return 2 * others / nranks; /* Patarasuk & Yuan 2009, theorem 1 */
    return nranks > 1; /* all data leaves the root, or ranks that alone have it
                        * for others */
}

bool
collective_rooted(const struct collective *c)
{
    return c->input_at == AT_ROOT || c->output_at == AT_ROOT;
}

int
collective_units(enum collective_units units, int nranks)
{
    return units == UNITS_RANKS ? nranks : 1;
}

const char *
label_rank(int rank, char text[LABEL_RANK_MAX])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRTUVWXYZ";
    char reversed[LABEL_RANK_MAX];
    int length = 0;

    do {
        reversed[length++] = letters[rank % LABEL_LETTERS];
        rank = rank / LABEL_LETTERS - 1;
    } while (rank >= 0);
    for (int i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    text[length] = '\0';
    return text;
}

static bool
deals_out(const struct collective *c)
{
    return c->input == UNITS_RANKS || c->output == UNITS_RANKS;
}

struct bandwidth_size
bandwidth_size(const struct collective *c, int nranks, size_t element,
               int64_t bytes)
{
    int64_t size = (int64_t)element, count = bytes / size;
    struct bandwidth_size b = {count, count, count * size};

    if (deals_out(c)) {
        b.count = count / nranks & ~(16 / size - 1);
        b.input = b.count * collective_units(c->input, nranks);
        b.bytes = b.count * nranks * size;
    }
    return b;
}

double
bandwidth_factor(const struct collective *c, int nranks)
{
    double others = (double)(nranks - 1) / nranks;

    if (deals_out(c))
        return others;
    return c->reduces == SUM_ALL && c->output_at == AT_ALL ? 2 * others : 1;
}
