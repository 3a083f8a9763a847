/* SPDX-License-Identifier: MIT */
/* collviz check ALGORITHM: proves its schedule, and counts what it costs. */
#include "app/command.h"
#include "base/buf.h"
#include "base/text.h"
#include "schedule/check.h"
#include "view/text.h"

static void
print_bytes(const char *what, int64_t elements, size_t size, int64_t count)
{
    struct buf text = {0};

    text_bytes(elements * (int64_t)size, &text);
    if (count > 0)
        buf_addf(&text, _(" = %.4g S"), (double)elements / (double)count);
    printf("  %s %s\n", what, buf_text(&text));
    buf_done(&text);
}

static void
print_proof(const struct algorithm *a, const struct schedule *s,
            const struct cost *cost, const struct options *o)
{
    int64_t count = command_count(o, s->nranks);
    size_t size = dtype_size(o->type);

    printf(ngettext("%s-%s on %d rank: proved\n",
                    "%s-%s on %d ranks: proved\n",
                    (unsigned long)s->nranks),
           a->name, a->collective, s->nranks);
    printf(_("  %s, every contribution exactly once\n"),
           _(s->collective->what));
    printf(_("  steps: %d (%s)\n"), cost->steps, a->steps_formula);
    print_bytes(_("sent by the busiest rank:"), cost->most_sent, size, count);
    print_bytes(_("received by the busiest rank:"), cost->most_received, size,
                count);
    print_bytes(_("over the busiest link:"), cost->busiest_link, size, count);
    print_bytes(_("over all links:"), cost->total, size, count);
    printf(_("  sends, or receives, of a rank in one step: at most %d\n"),
           cost->ports);
}

int
cmd_check(const struct options *o)
{
    const struct algorithm *a;
    struct schedule *s;
    struct cost cost;
    const char *name;
    struct err err;
    int status = EXIT_RIGHT;

    if (!command_operand(o, "check", "ALGORITHM", &name))
        return EXIT_USAGE;
    if ((s = command_schedule(name, o, &a)) == NULL)
        return EXIT_USAGE;
    if (schedule_check(s, command_count(o, s->nranks), &cost, &err)) {
        print_proof(a, s, &cost, o);
    } else {
        err_prefix(&err, "%s-%s is wrong", a->name, a->collective);
        status = command_fail(EXIT_WRONG, &err);
    }
    cost_done(&cost);
    schedule_free(s);
    return command_finish(status);
}
