/* SPDX-License-Identifier: MIT */
#include "text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/language.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "schedule/collective.h"
#include "schedule/counts.h"
#include "schedule/program.h"
#include "text/word.h"
#include "text/words.h"

static bool
in_full(const struct world *w, bool states)
{
    return states || w->schedule->nranks <= TEXT_RANKS;
}

static struct step_row *
new_row(struct step_rows *rows)
{
    rows->rows = mem_grow(rows->rows, rows->count, &rows->room,
                          sizeof *rows->rows);
    rows->rows[rows->count] = (struct step_row){.holds = false};
    return &rows->rows[rows->count++];
}

/* Shows the input at first, then the output. In place both are the same
 * buffer. */
static void
add_states(const struct world *w, int step, struct step_rows *rows)
{
    struct region shown = step == 0 ? schedule_inputs(w->schedule)
                                    : schedule_outputs(w->schedule);
    bool sums = w->position >= w->sums_from;

    for (int rank = 0; rank < w->schedule->nranks; rank++) {
        struct step_row *row = new_row(rows);
        row->holds = true;
        buf_puts(&row->who, word_rank_id(w->schedule, rank).text);
        buf_putc(&row->what, '[');
        for (int k = 0; k < shown.count; k++) {
            size_t before;
            buf_puts(&row->what, k > 0 ? " | " : "");
            before = row->what.length;
            world_label(w, world_row(w, rank, shown.first + k), sums,
                        &row->what);
            if (row->what.length == before)
                buf_putc(&row->what, '-');
        }
        buf_putc(&row->what, ']');
    }
}

static int
compare_senders(const void *a, const void *b)
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
add_transfers(const struct world *w, int step, struct step_rows *rows)
{
    static const char *const faults[] = {
        [FAULT_NONE] = "",
        [FAULT_DROP] = N_("  ! dropped on purpose"),
        [FAULT_REPEAT] = N_("  ! added twice on purpose"),
        [FAULT_CORRUPT] = N_("  ! corrupted on purpose"),
    };
    const struct world_step *s = &w->steps[step];
    OWN_MEMORY const struct event **sorted = mem_new(s->count, sizeof *sorted);
    bool sums = step >= w->sums_from;
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++)
        if (s->events[i].slice == 0)
            sorted[count++] = &s->events[i];
    qsort(sorted, count, sizeof *sorted, compare_senders);
    for (size_t i = 0; i < count; i++) {
        const struct event *e = sorted[i];
        struct buf *who = &new_row(rows)->who;
        buf_addf(who, "%s %s(", word_rank_id(w->schedule, e->src).text,
                 run_leaves_host(w->run, w->schedule, e->src, e->dst) ? "~>"
                                                                      : "=>");
        for (int k = 0; k < e->nslots; k++) {
            buf_puts(who, k > 0 ? "," : "");
            world_label(w, world_row(w, e->src, e->src_slot + k), sums, who);
        }
        buf_addf(who, ") %s%s", word_rank_id(w->schedule, e->dst).text,
                 translated(faults[e->fault]));
    }
}

void
text_step_head(const struct world *w, int step, bool states, struct buf *out)
{
    OWN(buf) title = {0};

    if (step == 0) {
        buf_puts(out, _("input"));
        return;
    }
    text_step_title(w->schedule, step, &title);
    if (in_full(w, states)) {
        buf_puts(out, buf_text(&title));
    } else {
        size_t count = w->schedule->steps[step - 1].count;
        /* TRANSLATORS: %1$s is the step, "step 1/4 reduce-scatter" */
        buf_addf(out, ngettext("%1$s: %2$zu transfer",
                               "%1$s: %2$zu transfers", count),
                 buf_text(&title), count);
    }
}

void
text_step_rows(struct world *w, int step, bool states, struct step_rows *rows)
{
    if (step > 0 && in_full(w, states)) {
        world_seek(w, step - 1);
        add_transfers(w, step, rows);
    }
    world_seek(w, step);
    if (in_full(w, states))
        add_states(w, step, rows);
    else if (step == 0)
        buf_addf(&new_row(rows)->who,
                 _("%d ranks; --states shows them all"),
                 schedule_members(w->schedule));
}

void
step_rows_add(const struct step_rows *rows, struct buf *out)
{
    for (size_t i = 0; i < rows->count; i++)
        buf_addf(out, "  %s%s%s\n", buf_text(&rows->rows[i].who),
                 rows->rows[i].holds ? " " : "",
                 buf_text(&rows->rows[i].what));
}

void
step_rows_done(struct step_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        buf_done(&rows->rows[i].who);
        buf_done(&rows->rows[i].what);
    }
    free(rows->rows);
}

void
text_step(struct world *w, int step, bool states, struct buf *out)
{
    OWN(step_rows) rows = {0};

    text_step_head(w, step, states, out);
    buf_putc(out, '\n');
    text_step_rows(w, step, states, &rows);
    step_rows_add(&rows, out);
}

void
text_title(const struct schedule *s, struct buf *out)
{
    const char *algorithm = translated(s->algorithm), *p = algorithm;
    const char *collective = _(s->collective->title), *begin = collective;
    int width = 0; /* of the algorithm's last character */

    while (*p != '\0')
        width = utf8_width(utf8_next(&p));
    utf8_add(out, algorithm);
    /* Between two words of Chinese there is none. */
    if (width != 2 || utf8_width(utf8_next(&begin)) != 2)
        buf_putc(out, ' ');
    utf8_add(out, collective);
}

void
text_step_title(const struct schedule *s, int step, struct buf *out)
{
    utf8_addf(out, _("step %d/%d %s"), step, s->nsteps,
              translated(s->steps[step - 1].phase));
}

/* The time to read a text, at so much for a word and for a wide character. */
static int64_t
words_ns(const char *text, int64_t word_ns, int64_t wide_ns)
{
    int64_t ns = 0;
    bool in_word = false;
    uint32_t code;

    while ((code = utf8_next(&text)) != 0) {
        bool wide = utf8_width(code) == 2, blank = code == ' ' || code == '\n';
        ns += wide ? wide_ns : !blank && !in_word ? word_ns : 0;
        in_word = !wide && !blank;
    }
    return ns;
}

int64_t
text_reading_ns(const char *text)
{
    return words_ns(text, 250000000, 250000000);
}

int64_t
text_speaking_ns(const char *text)
{
    return words_ns(text, 60000000000 / 130, 60000000000 / 240);
}

static struct word
places_of(const struct run_info *run)
{
    unsigned long n = (unsigned long)run->nplaces;

    if (run->place == PLACE_GPU)
        return word_gpus(run->nplaces);
    return word_of(run->place == PLACE_HOST
                       ? ngettext("%d host", "%d hosts", n)
                       : ngettext("%d core", "%d cores", n), run->nplaces);
}

void
text_modelled(const struct schedule *s, const char *network, struct buf *out)
{
    int n = schedule_members(s);

    utf8_addf(out,
              ngettext("modelled: %1$d GPU on %2$s",
                       "modelled: %1$d GPUs on %2$s", (unsigned long)n),
              n, network);
}

void
text_network(const struct world *w, struct buf *out)
{
    if (!run_is_modelled(w->run))
        return;
    text_modelled(w->schedule, w->run->network, out);
    if (strstr(w->run->network, ",order=") == NULL) /* an older recording's */
        hosts_order(&w->run->hosts, out);
}

/* Says first whether the times are modelled: the screen may not have room for
 * all of it. */
void
text_where(const struct world *w, struct buf *out)
{
    const struct run_info *run = w->run;

    text_network(w, out);
    if (run_is_modelled(run))
        /* TRANSLATORS: "; run on 2 cores (threads)" */
        utf8_addf(out, _("; run on %1$s (%2$s)"), places_of(run).text,
                  run->backend);
    else
        /* TRANSLATORS: "3 GPUs (threads on 2 cores)" */
        utf8_addf(out, _("%1$s (%2$s on %3$s)"),
                  word_gpus(schedule_members(w->schedule)).text, run->backend,
                  places_of(run).text);
}

const char *
text_device(const struct run_info *run, int rank)
{
    return run->place == PLACE_CORE || run->ndevices == 0
               ? NULL
               : run->devices[run->device_of[rank]];
}

/* Appends the ranks on a device, "0-1, 4", and returns how many they are. */
static int
list_ranks(const struct run_info *run, int nranks, int device, struct buf *out)
{
    enum { PIECES = 16 };
    int pieces = 0, count = 0;

    for (int rank = 0, last; rank < nranks; rank = last + 1) {
        for (last = rank; last + 1 < nranks &&
             run->device_of[last] == run->device_of[last + 1];)
            last++;
        if (run->device_of[rank] != device)
            continue;
        count += last - rank + 1;
        if (++pieces > PIECES)
            continue;
        buf_addf(out, last > rank ? "%s%d-%d" : "%s%d",
                 pieces > 1 ? ", " : "", rank, last);
    }
    buf_puts(out, pieces > PIECES ? ", ..." : "");
    return count;
}

/* A line for each device that has ranks of its own. */
static void
add_devices(const struct world *w, struct buf *out)
{
    for (int i = 0; w->run->place != PLACE_CORE && i < w->run->ndevices; i++) {
        OWN(buf) ranks = {0};
        int count = list_ranks(w->run, w->schedule->nranks, i, &ranks);

        if (count > 0)
            utf8_addf(out,
                      count == 1 ? _("  rank %1$s: %2$s\n")
                                 : _("  ranks %1$s: %2$s\n"),
                      buf_text(&ranks), w->run->devices[i]);
    }
}

/* The values in the output of every rank, or how many there are, if that is too
 * many or a slot has more than the world keeps. */
static void
add_outputs(const struct world *w, struct buf *out)
{
    enum { ELEMENTS = 32 };
    const struct schedule *s = w->schedule;
    bool shown = s->nranks <= TEXT_RANKS;
    int64_t longest = 0;

    for (int rank = 0; rank < s->nranks; rank++) {
        struct region o = schedule_output(s, rank);
        int64_t length = 0;
        for (int k = 0; k < o.count; k++) {
            int64_t slot = world_length(w, rank, o.first + k);
            length = slot > INT64_MAX - length ? INT64_MAX : length + slot;
            shown &= slot <= EVENT_VALUES;
        }
        longest = length > longest ? length : longest;
    }
    if (longest == 0)
        return;
    buf_addf(out, "%s\n", _("output"));
    if (!shown || longest > ELEMENTS) {
        buf_addf(out, _("  not shown: up to %lld elements a rank\n"),
                 (long long)longest);
        return;
    }
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region o = schedule_output(s, rank);
        if (o.count == 0)
            continue;
        buf_addf(out, "  GPU%d", rank);
        for (int k = 0; k < o.count; k++) {
            buf_puts(out, world_length(w, rank, o.first + k) > 0 ? " " : "");
            world_add_values(w, world_row(w, rank, o.first + k), out);
        }
        buf_putc(out, '\n');
    }
}

/* Floats may be right on every rank, and yet not what one expects. */
static void
add_correct_lines(const struct world *w, struct buf *out)
{
    const struct run_result *r = &w->result;

    if (r->unequal > 0)
        buf_addf(out,
                 ngettext("  correct within rounding; ranks differ in %1$"
                          PRId64 " of %2$" PRId64 " element: this algorithm "
                          "adds in another order on each rank\n",
                          "  correct within rounding; ranks differ in %1$"
                          PRId64 " of %2$" PRId64 " elements: this algorithm "
                          "adds in another order on each rank\n",
                          (unsigned long)w->run->count),
                 r->unequal, w->run->count);
    else
        buf_addf(out, "  %s\n",
                 _("correct: every value, and every contribution exactly "
                   "once, on every rank"));
    if (r->overflowed > 0)
        buf_addf(out,
                 ngettext("  %" PRId64 " element overflowed: it is infinite or "
                          "NaN, though every input is a finite number\n",
                          "  %" PRId64 " elements overflowed: they are "
                          "infinite or NaN, though every input is a finite "
                          "number\n",
                          (unsigned long)r->overflowed),
                 r->overflowed);
}

/* English has the sentence of --json, other languages that of the screen. */
static void
add_first_wrong(const struct world *w, struct buf *out)
{
    if (language_has_catalogue())
        words_wrong(w->schedule, &w->result.first_wrong, out);
    else
        wrong_text(&w->result.first_wrong, out);
}

static void
add_verdict_lines(const struct world *w, struct buf *out)
{
    const struct run_result *r = &w->result;
    OWN(buf) why = {0};

    add_first_wrong(w, &why);
    if (!w->has_result)
        buf_addf(out, "  %s\n",
                 _("none: the run was stopped before it finished"));
    else if (r->correct)
        add_correct_lines(w, out);
    else if (r->hangs)
        utf8_addf(out, "  ! %s\n", buf_text(&why));
    else if (r->wrong == 0 && run_mismatched(w->run))
        utf8_addf(out, _("  ! WRONG: %s\n"), buf_text(&why));
    else if (r->wrong == 0)
        utf8_addf(out, _("  ! WRONG contributions; %s\n"), buf_text(&why));
    else
        utf8_addf(out,
                  ngettext("  ! WRONG: %" PRId64 " element; %s\n",
                           "  ! WRONG: %" PRId64 " elements; %s\n",
                           (unsigned long)r->wrong),
                  r->wrong, buf_text(&why));
}

/* Whether the library's own collective computed the same output. */
static void
add_native_verdict(const struct run_result *r, struct buf *out)
{
    const struct run_native *n = &r->native;

    if (n->wrong > 0)
        utf8_addf(out,
                  ngettext("  ! %1$s computed %2$" PRId64 " WRONG element\n",
                           "  ! %1$s computed %2$" PRId64 " WRONG elements\n",
                           (unsigned long)n->wrong),
                  n->name, n->wrong);
    else if (!r->correct)
        utf8_addf(out, _("  %s computed the correct output; this run did "
                         "not\n"), n->name);
    else if (n->apart.elements > 0)
        utf8_addf(out,
                  ngettext("  %1$s computed %2$" PRId64 " element otherwise: "
                           "%3$s on rank %4$d, chunk %5$d, element %6$" PRId64
                           ", where this run has %7$s\n",
                           "  %1$s computed %2$" PRId64 " elements otherwise: "
                           "%3$s on rank %4$d, chunk %5$d, element %6$" PRId64
                           ", where this run has %7$s\n",
                           (unsigned long)n->apart.elements),
                  n->name, n->apart.elements, n->apart.own, n->apart.rank,
                  n->apart.chunk, n->apart.element, n->apart.ours);
    else if (n->differ > 0)
        utf8_addf(out,
                  ngettext("  %1$s computed the same output, but rounded %2$"
                           PRId64 " element differently\n",
                           "  %1$s computed the same output, but rounded %2$"
                           PRId64 " elements differently\n",
                           (unsigned long)n->differ),
                  n->name, n->differ);
    else
        utf8_addf(out, _("  %s computed the same output, bit for bit\n"),
                  n->name);
}

static void
add_native(const struct world *w, struct buf *out)
{
    const struct run_result *r = &w->result;
    const struct run_native *n = &r->native;
    OWN(buf) why = {0};

    add_first_wrong(w, &why);
    add_native_verdict(r, out);
    if (r->correct && n->wrong > 0)
        utf8_addf(out, "  ! %s\n", buf_text(&why));
    buf_addf(out,
             n->wall_ns < r->wall_ns
                 ? _("  it took %1$s; the run shown here took %2$s, because it "
                     "runs step by step and reports every transfer\n")
                 : _("  it took %1$s; the run shown here took %2$s\n"),
             word_ns(n->wall_ns, false).text, word_ns(r->wall_ns, false).text);
    if (n->inside[0] != '\0') /* "RING, SIMPLE, 1 channel" */
        utf8_addf(out, _("  it used %s; its steps cannot be shown\n"),
                  n->inside);
    else
        utf8_addf(out, _("  the steps of %s cannot be shown\n"), n->name);
}

static void
add_traffic_line(const struct world *w, struct buf *out)
{
    struct word data = word_input_bytes(w->schedule, w->run->count,
                                        w->run->type);
    int64_t least = INT64_MAX, most = 0;

    for (int rank = 0; rank < schedule_members(w->schedule); rank++) {
        int64_t sent = w->result.bytes_sent[rank];
        least = sent < least ? sent : least;
        most = sent > most ? sent : most;
    }
    if (most > least)
        buf_addf(out,
                 _("  sent by each rank: %1$s to %2$s; its data: %3$s\n"),
                 word_bytes(least).text, word_bytes(most).text,
                 data.text);
    else
        buf_addf(out, _("  sent by each rank: %1$s; its data: %2$s\n"),
                 word_bytes(most).text, data.text);
}

void
text_elements(const struct world *w, struct buf *out)
{
    enum { SHOWN = 8 }; /* counts */
    const struct schedule *s = w->schedule;
    size_t n = s->counts != NULL ? counts_number(s) : 0;
    OWN(buf) number = {0};

    for (size_t i = 0; i < n && n <= SHOWN; i++)
        buf_addf(&number, "%s%" PRId64, i > 0 ? "," : "", s->counts[i]);
    if (number.length == 0)
        buf_addf(&number, n > 0 ? _("up to %lld") : "%lld",
                 (long long)w->run->count);
    buf_addf(out, ngettext("%s element", "%s elements",
                           (unsigned long)w->run->count), buf_text(&number));
}

/* "  3 GPUs (threads on 2 cores), float32 sum of 6 elements" */
static void
add_run_lines(const struct world *w, struct buf *out)
{
    static const char *const lines[PURPOSE_PARTS] = {
        N_("  mismatch on purpose: %s\n"), N_("  fault on purpose: %s\n"),
        N_("  delay on purpose: %s\n")};
    OWN(buf) where = {0}, what = {0}, elements = {0};

    text_where(w, &where);
    for (int part = 0; part < PURPOSE_PARTS; part++, buf_clear(&what)) {
        purpose_show(&w->run->purpose, (enum purpose_part)part, &what);
        if (what.length > 0)
            utf8_addf(out, _(lines[part]), buf_text(&what));
    }
    text_elements(w, &elements);
    if (w->schedule->collective->reduces)
        buf_addf(out, _("  %1$s, %2$s %3$s of %4$s\n"), buf_text(&where),
                 dtype_name(w->run->type), redop_name(w->run->op),
                 buf_text(&elements));
    else
        buf_addf(out, _("  %1$s, %2$s, %3$s\n"), buf_text(&where),
                 dtype_name(w->run->type), buf_text(&elements));
}

void
text_result(struct world *w, struct buf *out)
{
    if (w->has_result) {
        world_seek(w, w->nsteps);
        if (w->steps[w->nsteps + 1].count > 0)
            buf_addf(out, _("average: every rank divides its output by %d\n"),
                     schedule_members(w->schedule));
        add_outputs(w, out);
    }
    buf_addf(out, "%s\n", _("result"));
    add_verdict_lines(w, out);
    if (w->has_result)
        add_traffic_line(w, out);
    if (w->has_result && w->result.native.name[0] != '\0')
        add_native(w, out);
    add_run_lines(w, out);
    if (run_is_modelled(w->run) && w->result.here_ns > 0)
        utf8_addf(out,
                  _("  all times are modelled: on %1$s the run takes %2$s; "
                    "here it took %3$s\n"),
                  w->run->network, word_ns(w->result.wall_ns, false).text,
                  word_ns(w->result.here_ns, false).text);
    add_devices(w, out);
}

/* Appends a row of the table of collectives. */
static void
add_promise(const char *title, const char *from, const char *to,
            const char *parts, const char *adds, struct buf *out)
{
    utf8_pad(out, title, -18);
    utf8_pad(out, from, -11);
    utf8_pad(out, to, -11);
    utf8_pad(out, parts, -10);
    buf_addf(out, "%s\n", adds);
}

void
text_promises(struct buf *out)
{
    const struct collective *c;

    add_promise("", _("from"), _("to"), _("parts"), _("adds up"), out);
    for (int i = 0; (c = collective_at(i)) != NULL; i++) {
        static const char *const parts[2][2] = {{"N -> N", "N -> 1"},
                                                {"1 -> N", "1 -> 1"}};
        add_promise(_(c->title),
                    c->input_at == AT_ROOT ? _("the root") : _("all ranks"),
                    c->output_at == AT_ROOT              ? _("the root")
                    : c->output_at == AT_ALL_BUT_FIRST ? _("all but 0")
                                                       : _("all ranks"),
                    parts[c->input == UNITS_ONE][c->output == UNITS_ONE],
                    c->reduces ? "+" : "-", out);
        buf_addf(out, "    %s\n", _(c->what));
    }
    buf_addf(out, "%s\n", _("1 -> N: a rank that gives puts in one part, a "
                            "rank that gets ends with N."));
}
