/* SPDX-License-Identifier: MIT */
#include "schedule/bandwidth.h"

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
    return c->reduces && c->output_at == AT_ALL ? 2 * others : 1;
}
