/* SPDX-License-Identifier: MIT */
#include "text/text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "schedule/program.h"

/* The slots to show: the input at first, then the output. In place both are
 * the same buffer. */
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

/* The world must be at the step before, so that the labels name the data that
 * was sent. */
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
        buf_addf(out, "  GPU%d %s(", e->src,
                 run_leaves_host(w->run, e->src, e->dst) ? "~>" : "=>");
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
    struct buf title = {0};

    world_seek(w, step - 1);
    text_step_title(w->schedule, step, &title);
    if (in_full(w, states)) {
        buf_addf(out, "%s\n", buf_text(&title));
        add_transfers(w, step, out);
        world_seek(w, step);
        add_states(w, step, out);
    } else {
        size_t count = w->schedule->steps[step - 1].count;
        /* TRANSLATORS: %1$s is the step, "step 1/4 reduce-scatter" */
        buf_addf(out, ngettext("%1$s: %2$zu transfer\n",
                               "%1$s: %2$zu transfers\n", count),
                 buf_text(&title), count);
        world_seek(w, step);
    }
    buf_done(&title);
}

void
text_title(const struct schedule *s, struct buf *out)
{
    struct buf algorithm = {0};

    utf8_add(&algorithm, translated(s->algorithm));
    /* TRANSLATORS: an algorithm and its collective, "ring all-reduce" */
    buf_addf(out, _("%1$s %2$s"), buf_text(&algorithm),
             _(s->collective->title));
    buf_done(&algorithm);
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
text_rate(double bytes_a_second, bool brief, struct buf *out)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s",
                                        "TB/s"};
    double value = bytes_a_second;
    int unit = 0;

    while (value >= 999.5 && unit < 4) {
        value /= 1000;
        unit++;
    }
    if (brief)
        buf_addf(out, "%.3g %s", value, units[unit]);
    else
        buf_addf(out, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0,
                 value, units[unit]);
}

static void
add_places(const struct run_info *run, struct buf *out)
{
    int n = run->nplaces;
    unsigned long count = (unsigned long)n;

    switch (run->place) {
    case PLACE_GPU:
        buf_addf(out, ngettext("%d GPU", "%d GPUs", count), n);
        break;
    case PLACE_HOST:
        buf_addf(out, ngettext("%d host", "%d hosts", count), n);
        break;
    default:
        buf_addf(out, ngettext("%d core", "%d cores", count), n);
    }
}

void
text_network(const struct world *w, struct buf *out)
{
    int n = w->schedule->nranks;
    struct buf network = {0};

    if (run_times(w->run) != TIMES_MODELLED)
        return;
    utf8_add(&network, w->run->network);
    buf_addf(out,
             ngettext("modelled: %1$d GPU on %2$s",
                      "modelled: %1$d GPUs on %2$s", (unsigned long)n),
             n, buf_text(&network));
    buf_done(&network);
}

void
text_gpus(const struct world *w, struct buf *out)
{
    int n = w->schedule->nranks;

    buf_addf(out, ngettext("%d GPU", "%d GPUs", (unsigned long)n), n);
}

/* What the times are comes first, since the screen may have no room for all of
 * it. */
void
text_where(const struct world *w, struct buf *out)
{
    struct buf ranks = {0}, places = {0}, backend = {0};

    text_gpus(w, &ranks);
    add_places(w->run, &places);
    utf8_add(&backend, w->run->backend);
    text_network(w, out);
    if (run_times(w->run) == TIMES_SIMULATED)
        buf_puts(out, _("simulated: "));
    if (run_times(w->run) == TIMES_MODELLED)
        /* TRANSLATORS: "; run on 2 cores (threads)" */
        buf_addf(out, _("; run on %1$s (%2$s)"), buf_text(&places),
                 buf_text(&backend));
    else
        /* TRANSLATORS: "3 GPUs (threads on 2 cores)" */
        buf_addf(out, _("%1$s (%2$s on %3$s)"), buf_text(&ranks),
                 buf_text(&backend), buf_text(&places));
    buf_done(&ranks);
    buf_done(&places);
    buf_done(&backend);
}

const char *
text_device(const struct run_info *run, int rank)
{
    return run->place == PLACE_CORE || run->ndevices == 0
               ? NULL
               : run->devices[run->device_of[rank]];
}

static int
count_ranks(const struct run_info *run, int nranks, int device)
{
    int count = 0;

    for (int rank = 0; rank < nranks; rank++)
        count += run->device_of[rank] == device;
    return count;
}

/* "0-1, 4": the ranks on a device. */
static void
list_ranks(const struct run_info *run, int nranks, int device, struct buf *out)
{
    enum { PIECES = 16 };
    int pieces = 0;

    for (int rank = 0, last; rank < nranks; rank = last + 1) {
        for (last = rank; last + 1 < nranks &&
             run->device_of[last] == run->device_of[last + 1];)
            last++;
        if (run->device_of[rank] != device)
            continue;
        if (++pieces > PIECES)
            continue;
        buf_addf(out, last > rank ? "%s%d-%d" : "%s%d",
                 pieces > 1 ? ", " : "", rank, last);
    }
    buf_puts(out, pieces > PIECES ? ", ..." : "");
}

/* A line for each device that has ranks of its own. */
static void
add_devices(const struct world *w, struct buf *out)
{
    struct buf name = {0}, ranks = {0};

    for (int i = 0; w->run->place != PLACE_CORE && i < w->run->ndevices; i++) {
        int count = count_ranks(w->run, w->schedule->nranks, i);

        buf_clear(&name);
        buf_clear(&ranks);
        utf8_add(&name, w->run->devices[i]);
        list_ranks(w->run, w->schedule->nranks, i, &ranks);
        if (count == 1)
            buf_addf(out, _("  rank %1$s: %2$s\n"), buf_text(&ranks),
                     buf_text(&name));
        else if (count > 1)
            buf_addf(out, _("  ranks %1$s: %2$s\n"), buf_text(&ranks),
                     buf_text(&name));
    }
    buf_done(&name);
    buf_done(&ranks);
}

/* The number of elements in a rank's output. It exceeds any limit if a slot has
 * more elements than the world knows. */
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

/* The values in the output of every rank, if they are few. */
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
        buf_addf(out, "  %s\n",
                 _("none: the run was stopped before it finished"));
    else if (r->correct)
        buf_addf(out, "  %s\n",
                 _("correct: every value, and every contribution exactly "
                   "once, on every rank"));
    else if (r->hangs)
        buf_addf(out, "  ! %s\n", buf_text(&why));
    else if (r->wrong == 0 && w->run->mismatch[0] != '\0')
        buf_addf(out, _("  ! WRONG: %s\n"), buf_text(&why));
    else if (r->wrong == 0)
        buf_addf(out, _("  ! WRONG contributions; %s\n"), buf_text(&why));
    else
        buf_addf(out, ngettext("  ! WRONG: %" PRId64 " element; %s\n",
                               "  ! WRONG: %" PRId64 " elements; %s\n",
                               (unsigned long)r->wrong),
                 r->wrong, buf_text(&why));
    buf_done(&why);
}

/* Whether the library's own collective, `name`, computed the same output. */
static void
add_native_verdict(const struct run_result *r, const char *name,
                   struct buf *out)
{
    const struct run_native *n = &r->native;

    if (n->wrong > 0)
        buf_addf(out,
                 ngettext("  ! %1$s computed %2$" PRId64 " WRONG element\n",
                          "  ! %1$s computed %2$" PRId64 " WRONG elements\n",
                          (unsigned long)n->wrong),
                 name, n->wrong);
    else if (!r->correct)
        buf_addf(out, _("  %s computed the correct output; this run did "
                        "not\n"), name);
    else if (n->differ > 0)
        buf_addf(out,
                 ngettext("  %1$s computed the same output, but rounded %2$"
                          PRId64 " element differently\n",
                          "  %1$s computed the same output, but rounded %2$"
                          PRId64 " elements differently\n",
                          (unsigned long)n->differ),
                 name, n->differ);
    else
        buf_addf(out, _("  %s computed the same output, bit for bit\n"), name);
}

static void
add_native(const struct run_result *r, struct buf *out)
{
    const struct run_native *n = &r->native;
    struct buf name = {0}, inside = {0}, time = {0}, own_time = {0};

    utf8_add(&name, n->name);
    utf8_add(&inside, n->inside);
    text_ns(n->wall_ns, false, &time);
    text_ns(r->wall_ns, false, &own_time);
    add_native_verdict(r, buf_text(&name), out);
    if (r->correct && n->wrong > 0) {
        buf_puts(out, "  ! ");
        utf8_add(out, r->first_wrong);
        buf_putc(out, '\n');
    }
    buf_addf(out,
             n->wall_ns < r->wall_ns
                 ? _("  it took %1$s; the run shown here took %2$s, because it "
                     "runs step by step and reports every transfer\n")
                 : _("  it took %1$s; the run shown here took %2$s\n"),
             buf_text(&time), buf_text(&own_time));
    if (inside.length > 0) /* "RING, SIMPLE, 1 channel" */
        buf_addf(out, _("  it used %s; its steps cannot be shown\n"),
                 buf_text(&inside));
    else
        buf_addf(out, _("  the steps of %s cannot be shown\n"),
                 buf_text(&name));
    buf_done(&name);
    buf_done(&inside);
    buf_done(&time);
    buf_done(&own_time);
}

static void
add_traffic(const struct world *w, struct buf *out)
{
    int n = w->schedule->nranks;
    int64_t least = INT64_MAX, most = 0;
    struct buf from = {0}, to = {0}, data = {0};

    for (int rank = 0; rank < n; rank++) {
        int64_t sent = w->result.bytes_sent[rank];
        least = sent < least ? sent : least;
        most = sent > most ? sent : most;
    }
    text_bytes(least, &from);
    text_bytes(most, &to);
    text_bytes(w->run->count * (int64_t)dtype_size(w->run->type), &data);
    if (most > least)
        buf_addf(out,
                 _("  sent by each rank: %1$s to %2$s; its data: %3$s\n"),
                 buf_text(&from), buf_text(&to), buf_text(&data));
    else
        buf_addf(out, _("  sent by each rank: %1$s; its data: %2$s\n"),
                 buf_text(&to), buf_text(&data));
    buf_done(&from);
    buf_done(&to);
    buf_done(&data);
}

/* "  3 GPUs (threads on 2 cores), float32 sum of 6 elements" */
static void
add_wrong(const char *format, const char *on_purpose, struct buf *out)
{
    struct buf name = {0};

    utf8_add(&name, on_purpose);
    if (name.length > 0)
        buf_addf(out, format, buf_text(&name));
    buf_done(&name);
}

static void
add_run(const struct world *w, struct buf *out)
{
    unsigned long count = (unsigned long)w->run->count;
    struct buf where = {0};

    text_where(w, &where);
    add_wrong(_("  mismatch on purpose: %s\n"), w->run->mismatch, out);
    add_wrong(_("  fault on purpose: %s\n"), w->run->fault, out);
    add_wrong(_("  delay on purpose: %s\n"), w->run->delay, out);
    if (w->schedule->collective->reduces)
        buf_addf(out,
                 ngettext("  %1$s, %2$s %3$s of %4$" PRId64 " element\n",
                          "  %1$s, %2$s %3$s of %4$" PRId64 " elements\n",
                          count),
                 buf_text(&where), dtype_name(w->run->type),
                 redop_name(w->run->op), w->run->count);
    else
        buf_addf(out,
                 ngettext("  %1$s, %2$s, %3$" PRId64 " element\n",
                          "  %1$s, %2$s, %3$" PRId64 " elements\n", count),
                 buf_text(&where), dtype_name(w->run->type), w->run->count);
    buf_done(&where);
}

/* What the times are, if they are not measured. */
static void
add_times(const struct world *w, struct buf *out)
{
    struct buf network = {0}, time = {0}, here = {0};

    if (run_times(w->run) == TIMES_SIMULATED)
        buf_puts(out, _("  all times are simulated: messages take time, "
                        "computation takes none\n"));
    if (run_times(w->run) != TIMES_MODELLED || !w->has_result)
        return;
    utf8_add(&network, w->run->network);
    text_ns(w->result.wall_ns, false, &time);
    text_ns(w->result.here_ns, false, &here);
    buf_addf(out, _("  all times are modelled: on %1$s the run takes %2$s; "
                    "here it took %3$s\n"),
             buf_text(&network), buf_text(&time), buf_text(&here));
    buf_done(&network);
    buf_done(&time);
    buf_done(&here);
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
    add_run(w, out);
    add_times(w, out);
    add_devices(w, out);
}
