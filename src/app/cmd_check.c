/* SPDX-License-Identifier: MIT */
/* collviz check ALGORITHM: a report on a schedule, without running it.  It is
 * proved, its steps and bytes are counted, and each step is told in words. */
#include <string.h>

#include "app/command.h"
#include "base/bounds.h"
#include "base/buf.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "schedule/check.h"
#include "schedule/simulation.h"
#include "schedule/sums.h"
#include "text/text.h"
#include "text/word.h"

enum { RANKS_TOLD = 16 }; /* the steps of more are told with --states */

/* A file may be right only with less data than it allows; most: bytes. */
static void
print_verdict(const char *name, int nranks, int64_t most)
{
    unsigned long n = (unsigned long)nranks;

    if (most == INT64_MAX)
        print(ngettext("%s on %d rank: proved\n", "%s on %d ranks: proved\n",
                       n), name, nranks);
    else
        print(ngettext("%s on %d rank: proved up to %lld bytes\n",
                       "%s on %d ranks: proved up to %lld bytes\n", n),
              name, nranks, (long long)most);
}

static void
print_counts(const struct schedule *s, const struct check_counts *counts,
             const struct network *network, const struct options *o)
{
    bool reduces = s->collective->reduces, hosts = network->gpus > 0;
    int64_t count = build_elements(o, s), in = 0;
    int64_t out = hosts ? simulation_busiest_nic(s, count, network, &in) : 0;
    const struct {
        bool there;
        const char *what;
        int64_t elements;
    } lines[] = {
        {true, _("sent by the busiest rank:"), counts->most_sent},
        {true, _("received by the busiest rank:"), counts->most_received},
        {true, _("over the busiest link:"), counts->busiest_link},
        {true, _("over all links:"), counts->total},
        {reduces, _("reduced by the busiest rank:"), counts->most_reduced},
        {reduces, s->topology.switches > 0
                      ? _("reduced by all ranks and switches:")
                      : _("reduced by all ranks:"), counts->reduced},
        {hosts, _("sent by the busiest NIC:"), out},
        {hosts, _("received by the busiest NIC:"), in},
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int64_t elements = lines[i].elements;
        if (!lines[i].there)
            continue;
        print("  %s %s", lines[i].what,
              word_bytes(elements * (int64_t)dtype_size(o->type)).text);
        if (count > 0 && s->counts == NULL)
            print(_(" = %.4g S"), (double)elements / (double)count);
        print("\n");
    }
    print(_("  peers of a rank in one step: at most %d\n"), counts->ports);
}

/* Prints with how much data the thread blocks of a file end. */
static void
print_links(const struct msccl_notes *notes)
{
    const char *proto = notes->protocol;
    int depth = notes->depth;

    if (notes->most_bytes == INT64_MAX)
        print(_("  no deadlock with any amount of data on %s's links, which "
                "hold %d messages\n"), proto, depth);
    else if (notes->is_bounded)
        print(_("  no deadlock up to its maxBytes on %s's links, which hold %d "
                "messages\n"), proto, depth);
    else
        print(_("  no deadlock up to %lld bytes on %s's links, which hold %d "
                "messages\n"
                "  with more it deadlocks, and the file has no maxBytes: %s\n"),
              (long long)notes->most_bytes, proto, depth, notes->beyond.text);
}

/* How long it takes on the network that is asked for, with chunks of equal
 * length: as many as suit each size, if they are `chosen`. */
static void
print_times(const struct schedule *s, const struct network *n,
            struct pipeline *chosen)
{
    static const int64_t sizes[] = {INT64_C(1) << 10, INT64_C(1) << 20,
                                    INT64_C(1) << 30};
    int members = schedule_members(s), chunks;
    int64_t count = s->nchunks;
    OWN(buf) text = {0};

    for (int rank = 0; s->counts != NULL && rank < members; rank++)
        count = most64(rank > 0 ? count : 1,
                       schedule_input_length(s, 0, rank));

    text_modelled(s, n->name, &text);
    buf_puts(&text, " (");
    network_figures(n, &text);
    print("  %s):\n   ", buf_text(&text));
    for (int i = 0; i < 3; i++) {
        double bytes = (double)sizes[i];
        double ns = chosen != NULL
            ? pipeline_ns(chosen, prediction_bytes(s->collective, members,
                                                   bytes), &chunks)
            : simulation_time(&(struct simulation_spec){
                  .schedule = s, .count = count, .size = bytes / (double)count,
                  .network = n});
        print(_("%1$s %2$s a rank takes %3$s"), i > 0 ? "," : "",
              word_bytes(sizes[i]).text, word_ns(whole(ns), false).text);
        if (chosen != NULL)
            print(_(" in %s"), word_chunks(chunks).text);
    }
    print("\n");
}

static void
print_modelled(const char *operand, const struct built *built,
               const struct schedule *s, const struct options *o)
{
    struct coll_options c = build_coll(o);
    const struct algorithm *a;
    struct algorithm own;
    struct pipeline p;
    struct err never;
    bool chosen = o->chunks == CHUNKS_AUTO && built->chunks > 0 &&
                  build_find(operand, o, &own, &a, &never) &&
                  pipeline_open(&p, a, &c, &o->network, &never);

    print_times(s, &o->network, chosen ? &p : NULL);
    if (chosen)
        pipeline_close(&p);
}

/* "GPU3", "the switch" */
static struct word
rank_name(const struct schedule *s, int rank)
{
    return rank < schedule_members(s) ? word_rank_id(s, rank)
                                      : word_rank(s, rank);
}

/* A chunk's number is its slot in the output.  What a rank keeps elsewhere, or
 * moves within its memory, is told by its slots. */
static void
print_transfer(const struct schedule *s, const struct transfer *t)
{
    struct region out = schedule_outputs(s);
    bool adds = t->op == TRANSFER_REDUCE, chunks = region_has(out, t->dst_slot);
    int first = t->dst_slot - (chunks ? out.first : 0);
    int last = first + t->nslots - 1;
    struct word from = rank_name(s, t->src), to = rank_name(s, t->dst);
    const char *src = from.text, *dst = to.text;

    if (t->src == t->dst)
        print(adds ? ngettext("  %1$s adds its slot %2$d to its slot %3$d\n",
                              "  %1$s adds its slots from %2$d on to its "
                              "slots from %3$d on, %4$d of them\n",
                              (unsigned long)t->nslots)
                   : ngettext("  %1$s copies its slot %2$d to its slot "
                              "%3$d\n",
                              "  %1$s copies its slots from %2$d on to its "
                              "slots from %3$d on, %4$d of them\n",
                              (unsigned long)t->nslots),
              src, t->src_slot, t->dst_slot, t->nslots);
    else if (!chunks)
        print(adds ? ngettext("  %1$s sends slot %2$d to %3$s, which adds it "
                              "to its own slot %4$d\n",
                              "  %1$s sends %5$d slots from %2$d on to %3$s, "
                              "which adds them to its own from %4$d on\n",
                              (unsigned long)t->nslots)
                   : ngettext("  %1$s sends slot %2$d to %3$s, which keeps it "
                              "in slot %4$d\n",
                              "  %1$s sends %5$d slots from %2$d on to %3$s, "
                              "which keeps them from slot %4$d on\n",
                              (unsigned long)t->nslots),
              src, t->src_slot, dst, t->dst_slot, t->nslots);
    else if (t->nslots > 1)
        print(adds ? _("  %1$s sends chunks %2$d to %3$d to %4$s, "
                       "which adds them to its own\n")
                   : _("  %1$s sends chunks %2$d to %3$d to %4$s, "
                       "which keeps them\n"),
              src, first, last, dst);
    else
        print(adds ? _("  %1$s sends chunk %2$d to %3$s, which adds it "
                       "to its own\n")
                   : _("  %1$s sends chunk %2$d to %3$s, which keeps "
                       "it\n"),
              src, first, dst);
}

/* A file that may also run out of place is checked so, too. */
static bool
right_out_of_place(const char *name, const struct options *in_place,
                   struct err *err)
{
    struct options o = *in_place;
    OWNS(schedule) *s = NULL;
    bool ok;

    o.out_of_place = true;
    s = build_schedule(name, &o, NULL, err);
    ok = s != NULL &&
         schedule_check(s, build_elements(&o, s), NULL, err);
    if (s != NULL && !ok)
        err_prefix(err, "%s is wrong", name);
    if (!ok)
        err_prefix(err, "out of place");
    err->typed = false; /* the words were right in place */
    return ok;
}

/* Says who sends how much.  A formula is for chunks of equal length.  If they
 * are not, it is about right for the busiest rank, which sends `most`. */
static void
print_sender(const struct schedule *s, const char *formula, int64_t count,
             int64_t most)
{
    OWN_MEMORY int64_t *sent = mem_new((size_t)s->nranks, sizeof *sent);
    int members = schedule_members(s), senders = 0, top = 0, alike = 0;
    OWN(buf) text = {0};

    for (size_t i = 0; i < s->ntransfers; i++)
        if (s->transfers[i].src != s->transfers[i].dst)
            sent[s->transfers[i].src] += s->transfers[i].nslots;
    for (int rank = 0; rank < members; rank++) {
        senders += sent[rank] > 0;
        top = sent[rank] > sent[top] ? rank : top;
    }
    for (int rank = 0; rank < members; rank++)
        alike += sent[rank] == sent[top];
    buf_addf(&text, sent[top] * count == most * s->nchunks ? "%s"
                                                           : _("about %s"),
             formula);
    if (senders == 1)
        print(_("; only %1$s sends: %2$s"), rank_name(s, top).text,
              buf_text(&text));
    else
        print(alike == members ? _("; each rank sends %s")
                                 : _("; the busiest rank sends %s"),
              buf_text(&text));
}

/* The titles of steps, "step 1/4", number those within ranks, too.  A formula
 * is not for uneven inputs, of which steps may have nothing to send. */
static void
print_steps(const struct schedule *s, const char *formula)
{
    int steps = schedule_count_steps(s), local = 0;
    OWN(buf) number = {0};

    for (int step = 1; step <= s->nsteps; step++)
        local += s->steps[step - 1].count > 0 &&
                 schedule_step_is_local(s, step);
    buf_addf(&number, "%d", steps);
    if (formula == NULL || s->counts != NULL ||
        strcmp(formula, buf_text(&number)) == 0)
        print(_("  steps: %d"), steps);
    else
        print(_("  steps: %1$s = %2$d"), formula, steps);
    if (local > 0)
        print(_(", and %d within ranks"), local);
}

/* Formulas, where they hold. */
static void
print_costs(const struct algorithm *a, const struct schedule *s,
            int64_t count, int64_t most)
{
    struct formulas f = coll_formulas(a, schedule_members(s),
                                      s->topology.dims);

    print_steps(s, f.steps);
    if (f.bytes != NULL && s->counts == NULL)
        print_sender(s, f.bytes, count, most);
    print("\n");
}

/* `counts` NULL: it is not proved. */
static void
print_report(const char *operand, const struct built *built,
             const struct schedule *s, const struct check_counts *counts,
             const struct options *o)
{
    const struct network *network = &o->network;
    const struct algorithm *a = built->algorithm;
    const struct msccl_notes *notes = &built->notes;

    print(counts != NULL ? _("  %s, every contribution exactly once\n")
                         : _("  what is promised: %s\n"),
          _(s->collective->what));
    if (s->collective->elsewhere != NULL)
        print(_("  its name: %s\n"), _(s->collective->elsewhere));
    if (a != NULL && counts != NULL) {
        print(_("  idea: %s\n"), _(a->idea));
        print_costs(a, s, build_elements(o, s),
                    counts->most_sent);
        if (o->chunks == CHUNKS_AUTO && built->chunks > 0)
            print("  %s\n", word_chunks(built->chunks).text);
    } else if (counts != NULL) {
        print_steps(s, NULL);
        print("\n");
    }
    if (counts != NULL && !sums_agree(s))
        print("  %s\n", _("ranks add in different orders: they may round "
                          "floats differently"));
    if (counts != NULL)
        print_counts(s, counts, network, o);
    if (counts != NULL && notes->both_ways && s->in_place)
        print(_("  in place and out of place\n"));
    if (counts != NULL && notes->protocol != NULL)
        print_links(notes);
    if (network->name[0] != '\0')
        print_modelled(operand, built, s, o);
    if (a != NULL)
        print(_("  source: %s\n"), a->source);
    for (int step = 1; step <= s->nsteps; step++) {
        OWN(buf) title = {0};
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        if (s->nranks > RANKS_TOLD && !o->states)
            break;
        text_step_title(s, step, &title);
        print("%s\n", buf_text(&title));
        for (size_t i = 0; i < count; i++)
            print_transfer(s, &t[i]);
    }
}

/* Proves a schedule for one number of ranks, of several. */
static bool
check_one(const char *operand, const struct options *o, struct err *err)
{
    struct check_counts counts;
    bool proved;
    OWNS(schedule) *s = build_schedule(operand, o, NULL, err);

    if (s == NULL)
        return false;
    proved = schedule_check(s, s->nchunks, &counts, err); /* equal chunks */
    if (proved)
        print(_("N = %1$d: proved; steps: %2$d; sent by the busiest rank: "
                "%3$.4g S\n"), schedule_members(s), counts.steps,
              (double)counts.most_sent / s->nchunks);
    return proved;
}

/* --gpus 1..33: goes on to the end, and reports the first error. */
static bool
check_range(const struct options *range, struct err *err)
{
    OWN(options) o = {0};
    int wrong = 0, total = range->last_ranks - range->nranks + 1;

    options_copy(&o, range);
    o.last_ranks = 0;
    for (; o.nranks <= range->last_ranks && signals_ending() == 0;
         o.nranks++) {
        struct err why = {.text = ""};
        if (check_one(range->operands[0], &o, &why) || signals_ending() != 0)
            continue;
        if (wrong++ == 0) {
            *err = why;
            err_prefix(err, "N = %d", o.nranks);
        }
        if (why.typed)
            break;
        print(_("N = %d: wrong\n"), o.nranks);
    }
    if (wrong == 0 && signals_ending() == 0) /* else main dies of it */
        print(ngettext("proved for %d number of ranks\n",
                       "proved for all %d numbers of ranks\n",
                       (unsigned long)total), total);
    return wrong == 0;
}

int
cmd_check(const struct options *o, struct err *err)
{
    const struct msccl_notes *notes;
    struct built built;
    OWN(buf) name = {0};
    OWNS(schedule) *s = NULL;
    struct check_counts counts;
    const char *operand = o->operands[0];
    int members;
    bool proved;

    if (o->last_ranks > 0 && build_is_file(operand) &&
        !build_is_script(operand))
        return command_misuse(err, "%s: the file says for how many ranks it "
                              "is: give --gpus one number", operand);
    if (o->last_ranks > 0)
        return command_status(check_range(o, err), err);
    s = build_schedule(operand, o, &built, err);
    if (s == NULL)
        return command_status(false, err);
    if (!simulation_holds(s, &o->network, err))
        return EXIT_USAGE;
    notes = &built.notes;
    build_name(operand, built.algorithm, &name);
    members = schedule_members(s);
    proved = schedule_check(s, build_elements(o, s), &counts, err);
    if (!proved && s->script == NULL) /* a script's line is named */
        err_prefix(err, "%s is wrong", buf_text(&name));
    else if (proved && notes->both_ways && s->in_place)
        proved = right_out_of_place(operand, o, err);
    if (proved)
        print_verdict(buf_text(&name), members,
                      notes->protocol == NULL || notes->is_bounded
                          ? INT64_MAX : notes->most_bytes);
    else
        print(ngettext("%s on %d rank\n", "%s on %d ranks\n",
                       (unsigned long)members), buf_text(&name), members);
    print_report(operand, &built, s, proved ? &counts : NULL, o);
    return proved ? EXIT_RIGHT : EXIT_WRONG;
}
