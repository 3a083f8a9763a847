/* SPDX-License-Identifier: MIT */
#include "view/text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "schedule/program.h"

/* Where to look at ranks: the output, which in place is the buffer. */
static struct region
shown_region(const struct world *w, int step)
{
    return step == 0 ? schedule_inputs(w->schedule)
                     : schedule_outputs(w->schedule);
}

static bool
in_full(const struct world *w, bool states)
{
    return states || w->schedule->nranks <= TEXT_RANKS;
}

static void
add_states(const struct world *w, int step, struct buf *out)
{
    bool sums = world_names_sums(w);

    for (int rank = 0; rank < w->schedule->nranks; rank++) {
        struct region shown = shown_region(w, step);
        buf_addf(out, "  GPU%d [", rank);
        for (int k = 0; k < shown.count; k++) {
            size_t before;
            buf_puts(out, k > 0 ? " | " : "");
            before = out->length;
            world_label(w, world_row(w, rank, shown.first + k), sums, out);
            if (out->length == before)
                buf_putc(out, '-');
        }
        buf_puts(out, "]\n");
    }
}

void
text_input(struct world *w, bool states, struct buf *out)
{
    world_seek(w, 0);
    buf_addf(out, "%s\n", _("input"));
    if (in_full(w, states))
        add_states(w, 0, out);
    else
        buf_addf(out, _("  %d ranks; --states shows them all\n"),
                 w->schedule->nranks);
}

static const char *
fault_text(int fault)
{
    switch (fault) {
    case FAULT_DROP:
        return _("  ! dropped on purpose");
    case FAULT_REPEAT:
        return _("  ! added twice on purpose");
    case FAULT_CORRUPT:
        return _("  ! corrupted on purpose");
    default:
        return "";
    }
}

static int
by_sender(const void *a, const void *b)
{
    const struct event *x = *(const struct event *const *)a;
    const struct event *y = *(const struct event *const *)b;

    if (x->src != y->src)
        return x->src - y->src;
    return x->dst != y->dst ? x->dst - y->dst : x->src_slot - y->src_slot;
}

/* The position must be the step before: labels say what was sent. */
static void
add_transfers(const struct world *w, int step, struct buf *out)
{
    const struct world_step *s = &w->steps[step];
    const struct event **sorted = mem_new(s->count, sizeof *sorted);
    bool sums = step >= w->sums_from;
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++)
        if (s->events[i].slice == 0)
            sorted[count++] = &s->events[i];
    qsort(sorted, count, sizeof *sorted, by_sender);
    for (size_t i = 0; i < count; i++) {
        const struct event *e = sorted[i];
        buf_addf(out, "  GPU%d =>(", e->src);
        for (int k = 0; k < e->nslots; k++) {
            buf_puts(out, k > 0 ? "," : "");
            world_label(w, world_row(w, e->src, e->src_slot + k), sums, out);
        }
        buf_addf(out, ") GPU%d%s\n", e->dst, fault_text(e->fault));
    }
    free(sorted);
}

static void
add_divisions(const struct world *w, struct buf *out)
{
    if (w->steps[w->nsteps + 1].count > 0)
        buf_addf(out, _("average: every rank divides its output by %d\n"),
                 w->schedule->nranks);
}

void
text_step(struct world *w, int step, bool states, struct buf *out)
{
    world_seek(w, step - 1);
    text_step_title(w->schedule, step, out);
    if (in_full(w, states)) {
        buf_putc(out, '\n');
        add_transfers(w, step, out);
        world_seek(w, step);
        add_states(w, step, out);
    } else {
        size_t count = w->schedule->steps[step - 1].count;
        buf_addf(out, ngettext(": %zu transfer\n", ": %zu transfers\n", count),
                 count);
        world_seek(w, step);
    }
}

void
text_title(const struct schedule *s, struct buf *out)
{
    utf8_add(out, translated(s->algorithm));
    buf_addf(out, " %s", _(s->collective->title));
}

void
text_step_title(const struct schedule *s, int step, struct buf *out)
{
    struct buf phase = {0};

    utf8_add(&phase, translated(s->steps[step - 1].phase));
    buf_addf(out, _("step %d/%d %s"), step, s->nsteps, buf_text(&phase));
    buf_done(&phase);
}

void
text_bytes(int64_t bytes, struct buf *out)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;

    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    if (unit == 0 || value == (double)(int64_t)value)
        buf_addf(out, "%.0f %s", value, units[unit]);
    else
        buf_addf(out, value < 10 ? "%.2f %s" : "%.1f %s", value, units[unit]);
}

void
text_ns(int64_t ns, bool brief, struct buf *out)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = (double)ns;
    int unit = 0, decimals = 0;

    while (value >= 999.5 && unit < 3) {
        value /= 1000;
        unit++;
    }
    if (!brief && unit > 0)
        decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    else if (unit > 0 && value < 9.95 && (int)(value * 10 + 0.5) % 10 != 0)
        decimals = 1;
    buf_addf(out, "%.*f %s", decimals, value, units[unit]);
}

void
text_where(const struct world *w, struct buf *out)
{
    int n = w->schedule->nranks, places = w->run->nplaces;

    buf_addf(out, ngettext("%d rank", "%d ranks", (unsigned long)n), n);
    buf_putc(out, ' ');
    switch (w->run->place) {
    case PLACE_GPU:
        buf_addf(out, ngettext("on %d GPU", "on %d GPUs",
                               (unsigned long)places), places);
        break;
    case PLACE_HOST:
        buf_addf(out, ngettext("on %d host", "on %d hosts",
                               (unsigned long)places), places);
        break;
    default:
        buf_addf(out, ngettext("on %d core", "on %d cores",
                               (unsigned long)places), places);
    }
    buf_puts(out, " (");
    utf8_add(out, w->run->backend);
    buf_putc(out, ')');
}

const char *
text_device(const struct run_info *run, int rank)
{
    int i = run->ndevices - 1;

    if (run->place == PLACE_CORE || i < 0)
        return NULL;
    while (i > 0 && run->first_rank[i] > rank)
        i--;
    return run->devices[i];
}

/* A line for each device that has ranks of its own. */
static void
add_devices(const struct world *w, struct buf *out)
{
    int n = w->schedule->nranks;
    struct buf name = {0};

    for (int rank = 0, first = 0; rank < n; rank++) {
        const char *device = text_device(w->run, rank);

        if (device == NULL ||
            (rank + 1 < n && device == text_device(w->run, rank + 1)))
            continue;
        buf_clear(&name);
        utf8_add(&name, device);
        if (rank > first)
            buf_addf(out, _("  ranks %d-%d: %s\n"), first, rank,
                     buf_text(&name));
        else
            buf_addf(out, _("  rank %d: %s\n"), rank, buf_text(&name));
        first = rank + 1;
    }
    buf_done(&name);
}

/* Elements of a rank's output; more than any limit where a slot has more than
 * are known. */
static int64_t
output_length(const struct world *w, int rank)
{
    struct region o = schedule_output(w->schedule, rank);
    int64_t length = 0;

    for (int k = 0; k < o.count; k++) {
        int64_t slot = world_length(w, rank, o.first + k);
        length += slot > EVENT_VALUES ? INT32_MAX : slot;
    }
    return length;
}

/* Short outputs in full: what the ranks have now, as numbers. */
static void
add_outputs(const struct world *w, struct buf *out)
{
    enum { ELEMENTS = 32 };
    const struct schedule *s = w->schedule;
    int64_t longest = 0;

    for (int rank = 0; rank < s->nranks; rank++) {
        int64_t length = output_length(w, rank);
        longest = length > longest ? length : longest;
    }
    if (longest == 0 || longest > ELEMENTS || s->nranks > TEXT_RANKS)
        return;
    buf_addf(out, "%s\n", _("output"));
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region o = schedule_output(s, rank);
        if (o.count == 0)
            continue;
        buf_addf(out, "  GPU%d", rank);
        for (int k = 0; k < o.count; k++)
            for (int i = 0; i < world_length(w, rank, o.first + k); i++) {
                char text[DTYPE_TEXT_MAX];
                dtype_format(w->run->type,
                             world_values(w, rank, o.first + k) + i, text);
                buf_addf(out, " %s", text);
            }
        buf_putc(out, '\n');
    }
}

static void
add_verdict(const struct world *w, struct buf *out)
{
    const struct run_result *r = &w->result;
    struct buf why = {0};

    utf8_add(&why, r->first_wrong);
    if (!w->has_result)
        buf_addf(out, "  %s\n", _("none: the run was ended before its end"));
    else if (r->correct)
        buf_addf(out, "  %s\n",
                 _("correct: every value, and every contribution exactly "
                   "once, on every rank"));
    else if (r->wrong == 0)
        buf_addf(out, _("  ! WRONG contributions; %s\n"), buf_text(&why));
    else
        buf_addf(out, ngettext("  ! WRONG: %" PRId64 " element; %s\n",
                               "  ! WRONG: %" PRId64 " elements; %s\n",
                               (unsigned long)r->wrong),
                 r->wrong, buf_text(&why));
    buf_done(&why);
}

/* What NCCL made of the same input. */
static void
add_native(const struct run_result *r, struct buf *out)
{
    const struct run_native *n = &r->native;
    struct buf name = {0}, inside = {0};

    utf8_add(&name, n->name);
    utf8_add(&inside, n->inside);
    buf_addf(out, _("  %s, whose inside is NCCL's own"), buf_text(&name));
    if (inside.length > 0)
        buf_addf(out, " (%s)", buf_text(&inside));
    buf_done(&name);
    buf_done(&inside);
    buf_puts(out, ": ");
    if (n->wrong > 0)
        buf_addf(out, ngettext("! %" PRId64 " element is WRONG",
                               "! %" PRId64 " elements are WRONG",
                               (unsigned long)n->wrong), n->wrong);
    else if (!r->correct)
        buf_puts(out, _("right, which ours is not"));
    else if (n->differ > 0)
        buf_addf(out, ngettext("%" PRId64 " element is rounded otherwise, for "
                               "it computes in a way of its own",
                               "%" PRId64 " elements are rounded otherwise, "
                               "for it computes in a way of its own",
                               (unsigned long)n->differ), n->differ);
    else
        buf_puts(out, _("the same, bit for bit"));
    buf_puts(out, _("; in "));
    text_ns(n->wall_ns, false, out);
    buf_puts(out, _(", ours, step by step and watched, in "));
    text_ns(r->wall_ns, false, out);
    buf_putc(out, '\n');
}

static void
add_traffic(const struct world *w, struct buf *out)
{
    int n = w->schedule->nranks;
    int64_t least = INT64_MAX, most = 0;

    for (int rank = 0; rank < n; rank++) {
        int64_t sent = w->result.bytes_sent[rank];
        least = sent < least ? sent : least;
        most = sent > most ? sent : most;
    }
    buf_addf(out, "  %s ", _("sent by each rank:"));
    text_bytes(least, out);
    if (most > least) {
        buf_addf(out, " %s ", _("to"));
        text_bytes(most, out);
    }
    buf_addf(out, "; %s ", _("its data:"));
    text_bytes(w->run->count * (int64_t)dtype_size(w->run->type), out);
    buf_putc(out, '\n');
}

void
text_result(struct world *w, struct buf *out)
{
    if (w->has_result) {
        world_seek(w, w->nsteps);
        add_divisions(w, out);
        add_outputs(w, out);
    }
    buf_addf(out, "%s\n", _("result"));
    add_verdict(w, out);
    if (w->has_result)
        add_traffic(w, out);
    if (w->has_result && w->result.native.name[0] != '\0')
        add_native(&w->result, out);
    buf_puts(out, "  ");
    text_where(w, out);
    if (w->schedule->collective->reduces)
        buf_addf(out,
                 ngettext(", %s %s of %" PRId64 " element\n",
                          ", %s %s of %" PRId64 " elements\n",
                          (unsigned long)w->run->count),
                 dtype_name(w->run->type), redop_name(w->run->op),
                 w->run->count);
    else
        buf_addf(out,
                 ngettext(", %s, %" PRId64 " element\n",
                          ", %s, %" PRId64 " elements\n",
                          (unsigned long)w->run->count),
                 dtype_name(w->run->type), w->run->count);
    add_devices(w, out);
}
