/* SPDX-License-Identifier: MIT */
#include "text/bench_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Those that have another name there. */
static const struct {
    enum dtype type;
    const char *name;
} type_names[] = {
    {DTYPE_FLOAT32, "float"},
    {DTYPE_FLOAT64, "double"},
    {DTYPE_FLOAT16, "half"},
};
enum { TYPE_NAMES = sizeof type_names / sizeof type_names[0] };

const char *
bench_type_name(enum dtype type)
{
    for (int i = 0; i < TYPE_NAMES; i++)
        if (type_names[i].type == type)
            return type_names[i].name;
    return dtype_name(type);
}

bool
bench_type_find(const char *name, enum dtype *type)
{
    for (int i = 0; i < TYPE_NAMES; i++)
        if (strcmp(type_names[i].name, name) == 0) {
            *type = type_names[i].type;
            return true;
        }
    return dtype_find(name, type);
}

static void
add_side(struct bench_total *t, const struct bench_side *side)
{
    if (!side->there)
        return;
    t->wrong += side->wrong > 0;
    t->busbw += side->busbw;
    t->nbusbw++;
}

void
bench_total_add(struct bench_total *t, const struct bench_row *row)
{
    t->nrows++;
    add_side(t, &row->out);
    add_side(t, &row->in);
}

double
bench_total_busbw(const struct bench_total *t)
{
    return t->nbusbw > 0 ? t->busbw / t->nbusbw : 0;
}

static void
add_ranks(const struct bench_head *h, struct buf *out)
{
    buf_puts(out, "# Using devices\n");
    for (int rank = 0; rank < h->nranks; rank++) {
        const struct bench_rank *r = &h->ranks[rank];
        buf_addf(out, "#  Rank %2d Group  0 Pid %6d on %10.*s device %2d "
                 "[0000:00:00] %s\n", rank, r->pid, r->host_length, r->host,
                 r->device, r->device_name);
    }
}

void
bench_table_head(const struct bench_head *h, struct buf *out)
{
    buf_addf(out, "# collviz version %s backend=%s, in the format of "
             "nccl-tests\n", PACKAGE_VERSION, h->backend);
    if (h->simulated)
        buf_puts(out, "# All times are simulated: messages take time, "
                 "computation takes none\n");
    buf_addf(out, "# Collective test starting: %s\n", h->name);
    buf_addf(out, "# nThread 1 nGpus %d minBytes %" PRId64 " maxBytes %" PRId64
             " step: %" PRId64 "(%s) warmup iters: %d iters: %d agg iters: 1 "
             "validation: %d graph: 0 unalign: 0\n#\n", h->nranks,
             h->min_bytes, h->max_bytes, h->step,
             h->factor ? "factor" : "bytes", h->warm_up, h->calls, h->checks);
    add_ranks(h, out);
    buf_addf(out, "#\n#%*sout-of-place%*sin-place          \n", 62, "", 23,
             "");
    for (int line = 0; line < 2; line++) {
        static const char *const row[2][5] = {
            {"size", "count", "type", "redop", "root"},
            {"(B)", "(elements)", "", "", ""}};
        static const char *const side[2][4] = {
            {"time", "algbw", "busbw", "#wrong"},
            {"(us)", "(GB/s)", "(GB/s)", ""}};
        buf_addf(out, "# %10s  %12s  %8s  %6s  %6s", row[line][0],
                 row[line][1], row[line][2], row[line][3], row[line][4]);
        for (int i = 0; i < 2; i++)
            buf_addf(out, "  %7s  %6s  %6s  %6s", side[line][0],
                     side[line][1], side[line][2], side[line][3]);
        buf_puts(out, " \n");
    }
}

void
bench_number(double value, int width, struct buf *out)
{
    char text[400];

    for (int decimals = 2; decimals >= 0; decimals--)
        if (snprintf(text, sizeof text, "%*.*f", width, decimals, value) <=
            width) {
            buf_puts(out, text);
            return;
        }
    buf_addf(out, "%*.*e", width, width >= 7 ? 1 : 0, value);
}

static void
add_columns(const struct bench_side *side, struct buf *out)
{
    if (!side->there) {
        buf_addf(out, "  %7s  %6s  %6s  %6s", "N/A", "N/A", "N/A", "N/A");
        return;
    }
    buf_puts(out, "  ");
    bench_number(side->us, 7, out);
    buf_puts(out, "  ");
    bench_number(side->algbw, 6, out);
    buf_puts(out, "  ");
    bench_number(side->busbw, 6, out);
    if (side->wrong == BENCH_NOT_CHECKED)
        buf_addf(out, "  %6s", "N/A");
    else
        buf_addf(out, "  %6g", (double)side->wrong);
}

void
bench_table_row(const struct bench_row *row, struct buf *out)
{
    buf_addf(out, "%12" PRId64 "  %12" PRId64 "  %8s  %6s  %6d", row->bytes,
             row->count, bench_type_name(row->type), row->redop, row->root);
    add_columns(&row->out, out);
    add_columns(&row->in, out);
    buf_putc(out, '\n');
}

void
bench_table_foot(const struct bench_head *h, const struct bench_total *t,
                 struct buf *out)
{
    buf_addf(out, "# %-20s : %d %s\n", "Out of bounds values", t->wrong,
             t->wrong > 0 ? "FAILED" : "OK");
    buf_addf(out, "# %-20s : %g \n", "Avg bus bandwidth",
             bench_total_busbw(t));
    if (t->alone_bytes > 0)
        buf_addf(out, "# Up to %" PRId64 " bytes one thread ran all ranks: "
                 "nothing went from core to core\n", t->alone_bytes);
    buf_addf(out, "#\n# Collective test concluded: %s\n#\n", h->name);
}
