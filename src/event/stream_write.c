/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "event/stream.h"

static void
add_key(struct buf *out, const char *key, const char *text)
{
    buf_addf(out, ",\"%s\":", key);
    json_add_string(out, text);
}

static void
write_list(const char *key, const int *numbers, int count, struct buf *out)
{
    buf_addf(out, ",\"%s\":[", key);
    for (int i = 0; i < count; i++)
        buf_addf(out, "%s%d", i > 0 ? "," : "", numbers[i]);
    buf_putc(out, ']');
}

static void
write_run(const struct run_info *run, const struct schedule *s,
          struct buf *out)
{
    buf_addf(out, "{\"type\":\"run\",\"version\":%d", STREAM_VERSION);
    add_key(out, "collective", s->collective->name);
    add_key(out, "algorithm", s->algorithm);
    buf_addf(out, ",\"ranks\":%d", s->nranks);
    add_key(out, "backend", run->backend);
    buf_puts(out, ",\"devices\":[");
    for (int i = 0; i < run->ndevices; i++) {
        buf_puts(out, i > 0 ? "," : "");
        json_add_string(out, run->devices[i]);
    }
    buf_putc(out, ']');
    add_key(out, "type_name", dtype_name(run->type));
    add_key(out, "op", redop_name(run->op));
    buf_addf(out, ",\"root\":%d,\"count\":%" PRId64 ",\"steps\":%d", s->root,
             run->count, s->nsteps);
    buf_addf(out, ",\"in_place\":%s,\"pieces\":%d,\"scratch\":%d",
             s->in_place ? "true" : "false", s->pieces, s->scratch);
    add_key(out, "topology", topology_name(s->topology.kind));
    if (s->topology.dims[0] > 0)
        buf_addf(out, ",\"shape\":[%d,%d,%d]", s->topology.dims[0],
                 s->topology.dims[1], s->topology.dims[2]);
    if (s->topology.switches > 0)
        buf_addf(out, ",\"switches\":%d", s->topology.switches);
    add_key(out, "pace", run->free ? "free" : "lockstep");
    add_key(out, "place", stream_places[run->place]);
    buf_addf(out, ",\"places\":%d", run->nplaces);
    if (run->ndevices > 1)
        write_list("rank_devices", run->device_of, s->nranks, out);
    for (int rank = 0; rank < s->nranks; rank++)
        if (run->core_of[rank] >= 0) {
            write_list("cores", run->core_of, s->nranks, out);
            break;
        }
    if (run->mismatch[0] != '\0')
        add_key(out, "mismatch", run->mismatch);
    if (run->fault[0] != '\0')
        add_key(out, "fault", run->fault);
    if (run->delay[0] != '\0')
        add_key(out, "delay", run->delay);
    if (run->clock_ns > 0)
        buf_addf(out, ",\"clock_ns\":%" PRId64, run->clock_ns);
    if (run->network[0] != '\0')
        add_key(out, "network", run->network);
    if (run->hosts.gpus > 0)
        buf_addf(out, ",\"host_ranks\":%d", run->hosts.gpus);
    if (run->hosts.turn > 0)
        buf_addf(out, ",\"host_turn\":%d", run->hosts.turn);
    if (run->hosts.listed > 0)
        write_list("host_places", run->hosts.places, run->hosts.listed, out);
    buf_puts(out, "}\n");
}

static void
write_step(const struct schedule *s, int step, struct buf *out)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    buf_addf(out, "{\"type\":\"step\",\"step\":%d", step);
    add_key(out, "phase", s->steps[step - 1].phase);
    buf_puts(out, ",\"transfers\":[");
    for (size_t i = 0; i < count; i++, t++)
        buf_addf(out, "%s[%d,%d,%d,%d,%d,\"%s\",%d]", i > 0 ? "," : "",
                 t->src, t->src_slot, t->dst, t->dst_slot, t->nslots,
                 stream_ops[t->op == TRANSFER_REDUCE ? EVENT_REDUCE
                                                     : EVENT_COPY],
                 t->add_slot);
    buf_puts(out, "]}\n");
}

static void
write_row(const uint64_t *row, int nranks, struct buf *out)
{
    const struct ledger_entry *entries = (const struct ledger_entry *)row;
    const char *comma = "";

    buf_putc(out, '[');
    if (nranks > LEDGER_RANKS)
        buf_addf(out, "%" PRIu64 ",\"0x%" PRIx64 "\"", row[0], row[1]);
    for (int rank = 0; nranks <= LEDGER_RANKS && rank < nranks; rank++) {
        if (entries[rank].times == 0)
            continue;
        buf_addf(out, "%s[%d,%d,%d]", comma, rank, entries[rank].chunk,
                 entries[rank].times);
        comma = ",";
    }
    buf_putc(out, ']');
}

/* JSON has no NaN and no infinities: those become strings. */
static void
write_all_values(const struct stream_writer *w, const uint64_t *contents,
                 int nslots, struct buf *out)
{
    int n = w->schedule->nranks;
    int at = ledger_words(n), words = content_words(n);
    char text[DTYPE_TEXT_MAX];

    buf_puts(out, ",\"values\":[");
    for (int k = 0; k < nslots; k++) {
        const uint64_t *c = contents + (size_t)k * (size_t)words + at;
        buf_puts(out, k > 0 ? ",[" : "[");
        for (int i = 0; i < EVENT_VALUES && i < (int64_t)c[0]; i++) {
            dtype_format(w->run->type, &c[1 + i], text);
            buf_puts(out, i > 0 ? "," : "");
            if (strpbrk(text, "ni") != NULL)
                json_add_string(out, text);
            else
                buf_puts(out, text);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void
write_contents(const struct stream_writer *w, const uint64_t *contents,
               int nslots, struct buf *out)
{
    int n = w->schedule->nranks;
    size_t words = (size_t)content_words(n);

    buf_puts(out, ",\"ledger\":[");
    for (int k = 0; k < nslots; k++) {
        buf_puts(out, k > 0 ? "," : "");
        write_row(contents + (size_t)k * words, n, out);
    }
    buf_puts(out, "],\"length\":[");
    for (int k = 0; k < nslots; k++)
        buf_addf(out, "%s%" PRIu64, k > 0 ? "," : "",
                 contents[(size_t)k * words + (size_t)ledger_words(n)]);
    buf_putc(out, ']');
    write_all_values(w, contents, nslots, out);
}

static void
write_transfer(const struct stream_writer *w, const struct event *e,
               struct buf *out)
{
    if (e->op == EVENT_DIVIDE) {
        buf_addf(out, "{\"type\":\"divide\",\"rank\":%d,\"by\":%d,\"slot\":%d,"
                 "\"slots\":%d", e->dst, schedule_members(w->schedule),
                 e->dst_slot, e->nslots);
    } else {
        buf_addf(out, "{\"type\":\"transfer\",\"step\":%d", e->step);
        add_key(out, "phase", w->schedule->steps[e->step - 1].phase);
        buf_addf(out, ",\"src\":%d,\"dst\":%d,\"src_slot\":%d,"
                 "\"dst_slot\":%d,\"slots\":%d", e->src, e->dst, e->src_slot,
                 e->dst_slot, e->nslots);
        add_key(out, "op", stream_ops[e->op]);
        buf_addf(out, ",\"bytes\":%" PRId64, e->bytes);
    }
    buf_addf(out, ",\"begin_ns\":%" PRId64 ",\"end_ns\":%" PRId64
             ",\"slice\":%d,\"wait_ns\":%" PRId64 ",\"waited_for\":%d",
             e->begin_ns, e->end_ns, e->slice, e->wait_ns, e->waited_for);
    if (e->fault != FAULT_NONE)
        add_key(out, "fault", stream_faults[e->fault]);
    if (e->content != NULL)
        write_contents(w, e->content, e->nslots, out);
    buf_puts(out, "}\n");
}

static void
write_result(const struct stream_writer *w, const struct run_result *r,
             struct buf *out)
{
    const struct run_native *n = &r->native;

    buf_addf(out, "{\"type\":\"result\",\"correct\":%s,\"wrong\":%" PRId64
             ",\"steps\":%d,\"bytes_sent\":[", r->correct ? "true" : "false",
             r->wrong, w->schedule->nsteps);
    for (int rank = 0; rank < r->nranks; rank++)
        buf_addf(out, "%s%" PRId64, rank > 0 ? "," : "", r->bytes_sent[rank]);
    buf_addf(out, "],\"wall_ns\":%" PRId64, r->wall_ns);
    if (r->timed_ns > 0)
        buf_addf(out, ",\"timed_ns\":%" PRId64, r->timed_ns);
    if (r->here_ns > 0)
        buf_addf(out, ",\"here_ns\":%" PRId64, r->here_ns);
    if (r->first_wrong[0] != '\0')
        add_key(out, "first_wrong", r->first_wrong);
    if (r->hangs)
        buf_puts(out, ",\"hangs\":true");
    if (n->name[0] != '\0') {
        buf_puts(out, ",\"native\":{\"name\":");
        json_add_string(out, n->name);
        add_key(out, "inside", n->inside);
        buf_addf(out, ",\"wall_ns\":%" PRId64 ",\"wrong\":%" PRId64
                 ",\"differ\":%" PRId64, n->wall_ns, n->wrong, n->differ);
        if (n->timed_ns > 0)
            buf_addf(out, ",\"timed_ns\":%" PRId64, n->timed_ns);
        buf_putc(out, '}');
    }
    buf_puts(out, "}\n");
}

void
stream_write(struct stream_writer *w, const struct item *item,
             struct buf *out)
{
    struct region in;

    w->lines++;
    switch (item->type) {
    case ITEM_RUN:
        w->run = item->run;
        w->schedule = item->schedule;
        write_run(w->run, w->schedule, out);
        for (int step = 1; !w->steps_known && step <= w->schedule->nsteps;
             step++, w->lines++)
            write_step(w->schedule, step, out);
        return;
    case ITEM_INPUT:
        in = stream_input(w->run, w->schedule, item->rank);
        buf_addf(out, "{\"type\":\"input\",\"rank\":%d,\"slot\":%d,"
                 "\"slots\":%d", item->rank, in.first, in.count);
        write_contents(w,
                       item->content +
                           (size_t)in.first *
                               (size_t)content_words(w->schedule->nranks),
                       in.count, out);
        buf_puts(out, "}\n");
        return;
    case ITEM_TRANSFER:
        write_transfer(w, &item->event, out);
        return;
    case ITEM_RESULT:
        write_result(w, item->result, out);
        return;
    case ITEM_END:
        buf_addf(out, "{\"type\":\"end\",\"complete\":%s,\"lines\":%" PRId64
                 "}\n", item->complete ? "true" : "false", w->lines);
        return;
    }
}

void
stream_write_state(struct stream_writer *w, int step, int rank,
                   const uint64_t *contents, int nslots, struct buf *out)
{
    size_t words = (size_t)content_words(w->schedule->nranks);

    w->lines++;
    buf_addf(out, "{\"type\":\"state\",\"step\":%d,\"rank\":%d,\"slots\":[",
             step, rank);
    for (int k = 0; k < nslots; k++) {
        buf_puts(out, k > 0 ? ",\"" : "\"");
        ledger_text(out, contents + (size_t)k * words, w->schedule->nranks,
                    schedule_members(w->schedule));
        buf_putc(out, '"');
    }
    buf_putc(out, ']');
    write_all_values(w, contents, nslots, out);
    buf_puts(out, "}\n");
}
