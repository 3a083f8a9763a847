/* SPDX-License-Identifier: MIT */
/* collviz explain ALGORITHM: its schedule, step by step, in words. */
#include "app/command.h"
#include "base/text.h"
#include "schedule/collective.h"

static void
explain_transfer(const struct schedule *s, const struct transfer *t)
{
    /* a chunk's name is its place in the buffer it will end up in */
    int first = schedule_output(s, t->dst).first;
    int chunk = t->dst_slot - first;

    if (t->nslots > 1)
        printf(_("  GPU%d sends chunks %d to %d to GPU%d, which "), t->src,
               chunk, chunk + t->nslots - 1, t->dst);
    else
        printf(_("  GPU%d sends chunk %d to GPU%d, which "), t->src, chunk,
               t->dst);
    puts(t->op == TRANSFER_REDUCE ? _("adds its own to it")
                                  : _("keeps it"));
}

int
cmd_explain(const struct options *o)
{
    const struct algorithm *a;
    struct schedule *s;
    const char *name;

    if (!command_operand(o, "explain", "ALGORITHM", &name))
        return EXIT_USAGE;
    if ((s = command_schedule(name, o, &a)) == NULL)
        return EXIT_USAGE;
    printf(_("%s-%s on %d ranks: %s\n"), a->name, a->collective, s->nranks,
           _(a->idea));
    printf(_("  what is promised: %s\n"), _(s->collective->what));
    printf(_("  steps: %s = %d; each rank sends %s\n"), a->steps_formula,
           a->steps(s->nranks), a->bytes_formula);
    printf(_("  source: %s\n"), a->source);
    for (int step = 1; step <= s->nsteps; step++) {
        const struct step *p = &s->steps[step - 1];
        printf(_("step %d/%d %s"), step, s->nsteps, _(p->phase));
        putchar('\n');
        for (size_t i = 0; i < p->count; i++)
            explain_transfer(s, &s->transfers[p->first + i]);
    }
    schedule_free(s);
    return command_finish(EXIT_RIGHT);
}
