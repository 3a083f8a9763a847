/* SPDX-License-Identifier: MIT */
#include "text/bench_json.h"

#include <inttypes.h>

#include "base/json.h"

static void
add_list(char *const *words, struct buf *out)
{
    buf_putc(out, '[');
    for (int i = 0; words[i] != NULL; i++) {
        buf_puts(out, i > 0 ? "," : "");
        json_add_string(out, words[i]);
    }
    buf_putc(out, ']');
}

static void
add_host(const struct bench_rank *r, struct buf *out)
{
    struct buf host = {0};

    buf_add(&host, r->host, (size_t)r->host_length);
    json_add_string(out, buf_text(&host));
    buf_done(&host);
}

static void
add_devices(const struct bench_head *h, struct buf *out)
{
    buf_puts(out, "\"devices\":[");
    for (int rank = 0; rank < h->nranks; rank++) {
        const struct bench_rank *r = &h->ranks[rank];
        buf_addf(out, "%s{\"rank\":%d,\"group\":0,\"pid\":%d,\"hostname\":",
                 rank > 0 ? "," : "", rank, r->pid);
        add_host(r, out);
        buf_addf(out, ",\"device\":%d,\"device_hex\":\"0000:00:00\","
                 "\"device_info\":", r->device);
        json_add_string(out, r->device_name);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static void
add_config(const struct bench_head *h, struct buf *out)
{
    buf_addf(out, "\"config\":{\"nthreads\":1,\"ngpus\":%d,"
             "\"minimum_bytes\":%" PRId64 ",\"maximum_bytes\":%" PRId64
             ",\"step_%s\":%" PRId64 ",\"warmup_iters\":%d,\"iterations\":%d,"
             "\"aggregated_iterations\":1,\"validation\":%d,\"graph\":0,"
             "\"blocking_collectives\":\"false\",\"per_iter_timing\":\"false\","
             "\"per_iter_skip\":0,\"parallel_init\":\"false\",",
             h->nranks, h->min_bytes, h->max_bytes,
             h->factor ? "factor" : "bytes", h->step, h->warm_up, h->calls,
             h->checks);
    add_devices(h, out);
    buf_putc(out, '}');
}

void
bench_json_begin(const struct bench_head *h, char *const *words,
                 const char *time, struct buf *out)
{
    buf_puts(out, "{\"version\":3,\"start_time\":");
    json_add_string(out, time);
    buf_puts(out, ",\"args\":");
    add_list(words, out);
    buf_addf(out, ",\"env\":[],\"nccl_version\":0,\"collviz_version\":\"%s\","
             "\"backend\":\"%s\",", PACKAGE_VERSION, h->backend);
    add_config(h, out);
    buf_puts(out, ",\"results\":[");
}

static void
add_side(const char *key, const struct bench_side *side, struct buf *out)
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
bench_json_row(const struct bench_row *row, const char *name, int calls,
               struct buf *out)
{
    bool first = out->length > 0 && out->data[out->length - 1] == '[';

    buf_addf(out, "%s\n{\"size\":%" PRId64 ",\"count\":%" PRId64
             ",\"type\":\"%s\",\"redop\":\"%s\",\"root\":\"%6d\"",
             first ? "" : ",", row->bytes, row->count,
             bench_type_name(row->type), row->redop, row->root);
    add_side("out_of_place", &row->out, out);
    add_side("in_place", &row->in, out);
    buf_addf(out, ",\"actual_iterations\":%d,\"experiment_name\":", calls);
    json_add_string(out, name);
    buf_putc(out, '}');
}

void
bench_json_end(const struct bench_total *t, const char *time, struct buf *out)
{
    buf_addf(out, "\n],\"out_of_bounds\":{\"count\":%d,\"okay\":\"%s\"},"
             "\"average_bus_bandwidth\":{\"bandwidth\":%.6f,"
             "\"okay\":\"unchecked\"},\"errors\":[],\"end_time\":", t->wrong,
             t->wrong == 0 ? "true" : "false", bench_total_busbw(t));
    json_add_string(out, time);
    buf_puts(out, "}\n");
}
