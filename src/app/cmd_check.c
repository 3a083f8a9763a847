/* SPDX-License-Identifier: MIT */
/* collviz check ALGORITHM|FILE.xml: proves its schedule, and counts what it
 * costs. */
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
           s->algorithm, s->collective->name, s->nranks);
    printf(_("  %s, every contribution exactly once\n"),
           _(s->collective->what));
    if (a != NULL)
        printf(_("  steps: %d (%s)\n"), cost->steps, a->steps_formula);
    else
        printf(_("  steps: %d\n"), cost->steps);
    print_bytes(_("sent by the busiest rank:"), cost->most_sent, size, count);
    print_bytes(_("received by the busiest rank:"), cost->most_received, size,
                count);
    print_bytes(_("over the busiest link:"), cost->busiest_link, size, count);
    print_bytes(_("over all links:"), cost->total, size, count);
    printf(_("  sends, or receives, of a rank in one step: at most %d\n"),
           cost->ports);
}

/* What only a program of thread blocks can do wrong. */
static void
print_links(const struct err *links)
{
    puts(_("  links that hold any number of messages: no deadlock"));
    if (links->text[0] == '\0')
        puts(_("  links that hold one message: no deadlock"));
    else
        printf(_("  links that hold one message: deadlock, %s\n"),
               links->text);
}

/* NULL, after printing the reason, with the exit status. */
static struct schedule *
find_schedule(const char *name, const struct options *o,
              const struct algorithm **a, struct err *links, int *status)
{
    struct schedule *s;
    struct err err;

    *a = NULL;
    *status = EXIT_USAGE;
    if (!command_is_file(name))
        return command_schedule(name, o, a);
    s = command_import(name, o, links, status, &err);
    if (s == NULL)
        command_fail(*status, &err);
    return s;
}

int
cmd_check(const struct options *o)
{
    const struct algorithm *a;
    struct schedule *s;
    struct cost cost;
    const char *name;
    struct err links, err;
    int status;

    if (!command_operand(o, "check", "ALGORITHM", &name))
        return EXIT_USAGE;
    if ((s = find_schedule(name, o, &a, &links, &status)) == NULL)
        return status;
    status = EXIT_RIGHT;
    if (schedule_check(s, command_count(o, s->nranks), &cost, &err)) {
        print_proof(a, s, &cost, o);
        if (a == NULL)
            print_links(&links);
    } else {
        err_prefix(&err, "%s-%s is wrong", s->algorithm, s->collective->name);
        status = command_fail(EXIT_WRONG, &err);
    }
    cost_done(&cost);
    schedule_free(s);
    return command_finish(status);
}
