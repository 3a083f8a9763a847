/* SPDX-License-Identifier: MIT */
#include "text/bench_table.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/json.h"
#include "base/utf8.h"

/* The types that have another name in nccl-tests. */
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

void
bench_table_count(struct bench_table *t, const struct bench_row *row)
{
    const struct bench_side *const sides[] = {&row->out, &row->in};

    for (int i = 0; i < 2; i++)
        if (sides[i]->there) {
            t->wrong += sides[i]->wrong > 0;
            t->busbw += sides[i]->busbw;
            t->nbusbw++;
        }
    if (row->alone && t->nranks > 1 && row->bytes > t->alone_bytes)
        t->alone_bytes = row->bytes;
}

static double
average_busbw(const struct bench_table *t)
{
    return t->nbusbw > 0 ? t->busbw / t->nbusbw : 0;
}

/* The columns of a table, each with `gap` blanks before it: those on the left,
 * then those of a placement, of which there are two. */
enum { SIZE, COUNT, TYPE, REDOP, ROOT, TIME, ALGBW, BUSBW, WRONG, COLUMNS };
struct columns {
    int width[COLUMNS], gap;
};

static const char *const names[COLUMNS] = {
    "size", "count", "type", "redop", "root", "time", "algbw", "busbw",
    "#wrong"};

/* A line of heads. */
static void
add_heads(const struct columns *c, const char *const heads[COLUMNS],
          struct buf *out)
{
    buf_putc(out, '#');
    for (int i = 0; i < COLUMNS; i++)
        buf_addf(out, "%*s", c->width[i] + (i > 0 ? c->gap : -1), heads[i]);
    for (int i = TIME; i < COLUMNS; i++)
        buf_addf(out, "%*s", c->width[i] + c->gap, heads[i]);
}

/* A number as nccl-tests writes it: with two decimals, one or none, as fits
 * `width`, or else with an exponent. */
static void
add_bench_number(double value, int width, struct buf *out)
{
    int decimals = 2;

    while (decimals >= 0 &&
           snprintf(NULL, 0, "%.*f", decimals, value) > width)
        decimals--;
    if (decimals >= 0)
        buf_addf(out, "%*.*f", width, decimals, value);
    else
        buf_addf(out, "%*.*e", width, width >= 7 ? 1 : 0, value);
}

static void
add_side(const struct columns *c, const struct bench_side *side,
         struct buf *out)
{
    const double values[] = {side->us, side->algbw, side->busbw};

    for (int i = 0; i < 3; i++) {
        buf_addf(out, "%*s", c->gap, "");
        if (side->there)
            add_bench_number(values[i], c->width[TIME + i], out);
        else
            buf_addf(out, "%*s", c->width[TIME + i], "N/A");
    }
    if (side->there && side->wrong != BENCH_NOT_CHECKED)
        buf_addf(out, "%*g", c->gap + c->width[WRONG], (double)side->wrong);
    else
        buf_addf(out, "%*s", c->gap + c->width[WRONG], "N/A");
}

static void
add_bench_row(const struct columns *c, const struct bench_row *row,
              struct buf *out)
{
    buf_addf(out, "%*" PRId64 "%*" PRId64 "%*s%*s%*d", c->width[SIZE],
             row->bytes, c->gap + c->width[COUNT], row->count,
             c->gap + c->width[TYPE], bench_type_name(row->type),
             c->gap + c->width[REDOP], row->redop, c->gap + c->width[ROOT],
             row->root);
    add_side(c, &row->out, out);
    add_side(c, &row->in, out);
}

static const struct columns wide = {{12, 12, 8, 6, 6, 7, 6, 6, 6}, 2};

/* Lists where ranks ran: as lines of a table, or in JSON.  Only the ranks of
 * threads are in this process. */
static void
add_ranks(const struct bench_table *t, bool json, struct buf *out)
{
    int nranks = run_is_modelled(t->where) ? 0 : t->nranks;
    const struct run_info *where = t->where;
    int pid = !where->messages && where->place == PLACE_CORE ? getpid() : 0;
    char here[HOST_NAME_MAX + 1] = "", name[RUN_NAME_MAX];
    OWN(buf) device = {0}, host = {0};

    gethostname(here, sizeof here - 1);
    for (int rank = 0; rank < nranks; rank++) {
        int at = where->device_of[rank];
        buf_clear(&device);
        buf_clear(&host);
        utf8_add(&device, where->devices[at]);
        run_host_name(where, rank, name);
        utf8_add(&host, where->place == PLACE_HOST ? name : here);
        if (!json) {
            buf_addf(out, "#  Rank %2d Group  0 Pid %6d on %10s device %2d "
                     "[0000:00:00] %s\n", rank, pid, buf_text(&host), at,
                     buf_text(&device));
            continue;
        }
        buf_addf(out, "%s{\"rank\":%d,\"group\":0,\"pid\":%d,\"hostname\":",
                 rank > 0 ? "," : "", rank, pid);
        json_add_string(out, buf_text(&host));
        buf_addf(out, ",\"device\":%d,\"device_hex\":\"0000:00:00\","
                 "\"device_info\":", at);
        json_add_string(out, buf_text(&device));
        buf_putc(out, '}');
    }
}

static const char *
backend_of(const struct bench_table *t)
{
    return run_is_modelled(t->where) ? "model" : t->where->backend;
}

void
bench_table_head(const struct bench_table *t, struct buf *out)
{
    static const char *const units[COLUMNS] = {
        "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", ""};

    buf_addf(out, "# collviz version %s backend=%s, in the format of "
             "nccl-tests\n", PACKAGE_VERSION, backend_of(t));
    buf_addf(out, "# Collective test starting: %s\n", t->name);
    buf_addf(out, "# nThread 1 nGpus %d minBytes %" PRId64 " maxBytes %" PRId64
             " step: %" PRId64 "(%s) warmup iters: %d iters: %d agg iters: 1 "
             "validation: %d graph: 0 unalign: 0\n#\n", t->nranks,
             t->min_bytes, t->max_bytes, t->step,
             t->factor ? "factor" : "bytes", t->warm_up, t->calls, t->checks);
    if (run_is_modelled(t->where)) {
        utf8_addf(out, "# All times are modelled, on %s", t->where->network);
        hosts_order(&t->where->hosts, out);
        buf_puts(out, ": nothing was run\n");
    } else {
        buf_puts(out, "# Using devices\n");
    }
    add_ranks(t, false, out);
    buf_addf(out, "#\n#%*sout-of-place%*sin-place          \n", 62, "", 23,
             "");
    add_heads(&wide, names, out);
    buf_puts(out, " \n");
    add_heads(&wide, units, out);
    buf_puts(out, " \n");
}

void
bench_table_row(struct bench_table *t, const struct bench_row *row,
                struct buf *out)
{
    if (row->chunks != t->chunks) /* a comment, for programs that read it */
        buf_addf(out, "# Chunks: %d\n", row->chunks);
    t->chunks = row->chunks;
    add_bench_row(&wide, row, out);
    buf_putc(out, '\n');
    bench_table_count(t, row);
}

void
bench_table_foot(const struct bench_table *t, struct buf *out)
{
    buf_addf(out, "# %-20s : %d %s\n", "Out of bounds values", t->wrong,
             t->wrong > 0 ? "FAILED" : "OK");
    buf_addf(out, "# %-20s : %g \n", "Avg bus bandwidth", average_busbw(t));
    if (t->alone_bytes > 0)
        buf_addf(out, "# Up to %" PRId64 " bytes one thread ran all ranks: "
                 "nothing went from core to core\n", t->alone_bytes);
    buf_addf(out, "#\n# Collective test concluded: %s\n#\n", t->name);
}

static int
table_width(const struct columns *c)
{
    int width = -c->gap;

    for (int i = 0; i < COLUMNS; i++)
        width += (c->gap + c->width[i]) * (i < TIME ? 1 : 2);
    return width;
}

/* The columns of a narrow table, which depend on its rows. */
static struct columns
measure_columns(const struct bench_part *parts, size_t nparts)
{
    static const char foot[] =
        "# , Avg bus bandwidth: 1.23e+05, #wrong: 12 FAILED";
    struct columns c = {{6, 5, 5, 5, 4, 5, 5, 5, 6}, 1};
    int line = 0; /* the longest below the heads */

    for (size_t i = 0; i < nparts; i++) {
        line = most((int)strlen(foot) + utf8_columns(parts[i].name), line);
        for (size_t k = 0; k < parts[i].nrows; k++) {
            const struct bench_row *row = &parts[i].rows[k];
            c.width[SIZE] = most(
                snprintf(NULL, 0, "%" PRId64, row->bytes), c.width[SIZE]);
            c.width[COUNT] = most(
                snprintf(NULL, 0, "%" PRId64, row->count), c.width[COUNT]);
            c.width[TYPE] = most((int)strlen(bench_type_name(row->type)),
                                     c.width[TYPE]);
        }
    }
    c.width[COUNT] += most(line - table_width(&c), 0);
    return c;
}

static void
add_part(const struct bench_part *part, const struct columns *c,
         struct buf *out)
{
    struct bench_table total = {0};
    OWN(buf) line = {0};
    bool checked = false;

    for (size_t i = 0; i < part->nrows; i++) {
        bench_table_count(&total, &part->rows[i]);
        checked = checked || part->rows[i].out.wrong != BENCH_NOT_CHECKED ||
                  part->rows[i].in.wrong != BENCH_NOT_CHECKED;
    }
    buf_addf(&line, "# %s, Avg bus bandwidth: %.3g, #wrong: ", part->name,
             average_busbw(&total));
    if (checked)
        buf_addf(&line, "%d %s", total.wrong,
                 total.wrong > 0 ? "FAILED" : "OK");
    else
        buf_puts(&line, "N/A");
    buf_putc(out, '\n');
    utf8_pad(out, buf_text(&line), -table_width(c));
    for (size_t i = 0; i < part->nrows; i++) {
        buf_putc(out, '\n');
        add_bench_row(c, &part->rows[i], out);
    }
}

void
bench_narrow(const char *title, const struct bench_part *parts,
             size_t nparts, struct buf *out)
{
    static const char *const units[COLUMNS] = {
        "(B)", "", "", "", "", "(us)", "(GB/s)", "(GB/s)", ""};
    static const char *const sides[] = {"out-of-place", "in-place"};
    struct columns c = measure_columns(parts, nparts);
    int side = 3 * (c.width[TIME] + c.gap) + c.width[WRONG] + c.gap;
    OWN(buf) left = {0};

    buf_addf(&left, "# %s", title);
    utf8_pad(out, buf_text(&left), 2 * side - table_width(&c));
    for (int i = 0; i < 2; i++) {
        int end = (side + (int)strlen(sides[i])) / 2 + 1;
        buf_addf(out, "%*s%*s", end, sides[i], side - end, "");
    }
    buf_putc(out, '\n');
    add_heads(&c, names, out);
    buf_putc(out, '\n');
    add_heads(&c, units, out);
    for (size_t i = 0; i < nparts; i++)
        add_part(&parts[i], &c, out);
}

void
bench_json_begin(const struct bench_table *t, char *const *words,
                 const char *time, struct buf *out)
{
    buf_puts(out, "{\"version\":3,\"start_time\":");
    json_add_string(out, time);
    buf_puts(out, ",\"args\":[");
    for (int i = 0; words[i] != NULL; i++) {
        buf_puts(out, i > 0 ? "," : "");
        json_add_string(out, words[i]);
    }
    buf_addf(out, "],\"env\":[],\"nccl_version\":0,\"collviz_version\":\"%s\","
             "\"backend\":\"%s\",\"config\":{\"nthreads\":1,\"ngpus\":%d,"
             "\"minimum_bytes\":%" PRId64 ",\"maximum_bytes\":%" PRId64
             ",\"step_%s\":%" PRId64 ",\"warmup_iters\":%d,\"iterations\":%d,"
             "\"aggregated_iterations\":1,\"validation\":%d,\"graph\":0,"
             "\"blocking_collectives\":\"false\",\"per_iter_timing\":\"false\","
             "\"per_iter_skip\":0,\"parallel_init\":\"false\",\"devices\":[",
             PACKAGE_VERSION, backend_of(t), t->nranks, t->min_bytes,
             t->max_bytes, t->factor ? "factor" : "bytes", t->step, t->warm_up,
             t->calls, t->checks);
    add_ranks(t, true, out);
    buf_puts(out, "]},\"results\":[");
}

static void
add_json_side(const char *key, const struct bench_side *side, struct buf *out)
{
    buf_addf(out, ",\"%s\":", key);
    if (!side->there) {
        buf_puts(out, "null");
        return;
    }
    buf_addf(out, "{\"time\":%.6f,\"alg_bw\":%.6f,\"bus_bw\":%.6f,"
             "\"nwrong\":", side->us, side->algbw, side->busbw);
    if (side->wrong == BENCH_NOT_CHECKED)
        buf_puts(out, "null}");
    else
        buf_addf(out, "%.6f}", (double)side->wrong);
}

void
bench_json_row(const struct bench_table *t, const struct bench_row *row,
               struct buf *out)
{
    bool first = out->length > 0 && out->data[out->length - 1] == '[';

    buf_addf(out, "%s\n{\"size\":%" PRId64 ",\"count\":%" PRId64
             ",\"type\":\"%s\",\"redop\":\"%s\",\"root\":\"%6d\"",
             first ? "" : ",", row->bytes, row->count,
             bench_type_name(row->type), row->redop, row->root);
    add_json_side("out_of_place", &row->out, out);
    add_json_side("in_place", &row->in, out);
    if (row->chunks > 0)
        buf_addf(out, ",\"chunks\":%d", row->chunks);
    buf_addf(out, ",\"actual_iterations\":%d,\"experiment_name\":", t->calls);
    json_add_string(out, t->name);
    buf_putc(out, '}');
}

void
bench_json_end(const struct bench_table *all, const char *time,
               struct buf *out)
{
    buf_addf(out, "\n],\"out_of_bounds\":{\"count\":%d,\"okay\":\"%s\"},"
             "\"average_bus_bandwidth\":{\"bandwidth\":%.6f,"
             "\"okay\":\"unchecked\"},\"errors\":[],\"end_time\":", all->wrong,
             all->wrong == 0 ? "true" : "false", average_busbw(all));
    json_add_string(out, time);
    buf_puts(out, "}\n");
}
