/* SPDX-License-Identifier: MIT */
/* collviz explain ALGORITHM: its schedule, step by step, in words. */
#include "app/command.h"
#include "base/buf.h"
#include "base/print.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "schedule/collective.h"
#include "schedule/network_curve.h"
#include "text/text.h"

static void
explain_transfer(const struct schedule *s, const struct transfer *t)
{
    /* A chunk's number is its slot in the output. */
    int chunk = t->dst_slot - schedule_outputs(s).first;
    bool adds = t->op == TRANSFER_REDUCE;

    if (t->nslots > 1)
        print(adds ? _("  GPU%1$d sends chunks %2$d to %3$d to GPU%4$d, "
                       "which adds them to its own\n")
                   : _("  GPU%1$d sends chunks %2$d to %3$d to GPU%4$d, "
                       "which keeps them\n"),
              t->src, chunk, chunk + t->nslots - 1, t->dst);
    else
        print(adds ? _("  GPU%1$d sends chunk %2$d to GPU%3$d, which adds it "
                       "to its own\n")
                   : _("  GPU%1$d sends chunk %2$d to GPU%3$d, which keeps "
                       "it\n"),
              t->src, chunk, t->dst);
}

/* The algorithm's row in the table. */
static void
explain_algorithm(const struct algorithm *a, const struct options *o)
{
    struct coll_options c = build_coll(o);
    struct err err;

    coll_complete(a, &c, &err); /* cannot fail: `s` was built from it */
    print(_("  idea: %s\n"), _(a->idea));
    print(_("  steps: %s = %d; each rank sends %s\n"), a->steps_formula,
          a->steps(&c), a->bytes_formula);
    print(_("  source: %s\n"), a->source);
}

/* How long it takes on the network that is asked for. */
static void
explain_times(const struct schedule *s, const struct network *n)
{
    static const int64_t sizes[] = {INT64_C(1) << 10, INT64_C(1) << 20,
                                    INT64_C(1) << 30};
    struct network_curve curve;
    struct buf text = {0};

    network_curve_of(s, n, &curve);
    utf8_add(&text, n->name);
    print(ngettext("  modelled: %1$d GPU on %2$s",
                   "  modelled: %1$d GPUs on %2$s", (unsigned long)s->nranks),
          s->nranks, buf_text(&text));
    buf_clear(&text);
    network_figures(n, &text);
    print(" (%s):\n   ", buf_text(&text));
    for (int i = 0; i < 3; i++) {
        double ns = network_curve_at(&curve, (double)sizes[i]);
        print(_("%1$s %2$s a rank takes %3$s"), i > 0 ? "," : "",
              text_of_bytes(sizes[i]).text, text_of_ns(whole(ns)).text);
    }
    print("\n");
    buf_done(&text);
}

static void
print_step(const struct schedule *s, int step)
{
    struct buf title = {0};

    text_step_title(s, step, &title);
    print("%s\n", buf_text(&title));
    buf_done(&title);
}

int
cmd_explain(const struct options *o)
{
    const struct algorithm *a;
    struct network network;
    struct buf name = {0};
    struct schedule *s;
    struct err err;
    const char *operand;
    int status;

    if (!command_operand(o, "explain", "ALGORITHM", &operand))
        return EXIT_USAGE;
    if (!options_network(o, &network, &err))
        return command_fail(EXIT_USAGE, &err);
    if ((s = command_schedule(operand, o, &a, &status)) == NULL)
        return status;
    build_name(operand, a, &name);
    print(ngettext("%s on %d rank\n", "%s on %d ranks\n",
                   (unsigned long)s->nranks),
          buf_text(&name), s->nranks);
    buf_done(&name);
    print(_("  what is promised: %s\n"), _(s->collective->what));
    if (s->collective->elsewhere != NULL)
        print(_("  its name: %s\n"), _(s->collective->elsewhere));
    if (a != NULL)
        explain_algorithm(a, o);
    if (network.name[0] != '\0')
        explain_times(s, &network);
    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        print_step(s, step);
        for (size_t i = 0; i < count; i++)
            explain_transfer(s, &t[i]);
    }
    schedule_free(s);
    return command_finish(EXIT_RIGHT);
}
