/* SPDX-License-Identifier: MIT */
/* collviz list [COLLECTIVE]: what collectives promise, and their algorithms. */
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/print.h"
#include "base/translate.h"
#include "schedule/sums.h"
#include "text/text.h"

/* " (a, b)": the names in an array that ends with NULL. */
static void
add_aliases(const char *const *names, struct buf *out)
{
    for (int i = 0; names[i] != NULL; i++)
        buf_addf(out, "%s%s%s", i > 0 ? ", " : " (", names[i],
                 names[i + 1] == NULL ? ")" : "");
}

/* Whether all ranks add in the same order, whatever their number. */
static bool
adds_alike(const struct algorithm *a)
{
    enum { MOST = 9 }; /* no power of 2, and one more than one */
    bool alike = !a->differ;

    for (int n = 2; n <= MOST && a->script == NULL && alike; n++) {
        struct err ignored;
        OWNS(schedule) *s = coll_build(
            a, &(struct coll_options){.nranks = n}, &ignored);
        alike = s == NULL || sums_agree(s);
    }
    return alike;
}

static void
print_algorithm(const struct algorithm *a)
{
    OWN(buf) text = {0};

    buf_addf(&text, "  %s-%s", a->name, a->collective);
    add_aliases(a->aliases, &text);
    if (a->nccl != NULL)
        buf_addf(&text, "; NCCL: %s", a->nccl);
    if (a->mpi != NULL)
        buf_addf(&text, "; Open MPI: %s", a->mpi);
    buf_addf(&text, "\n      %s\n      ", _(a->idea));
    build_costs(a, &text);
    if (a->chunks > 0)
        buf_addf(&text, _("; --chunks C (default: %d)"), a->chunks);
    if (a->dims > 0)
        buf_addf(&text, "; --shape %s", a->dims == 2 ? "XxY" : "XxYxZ");
    if (!adds_alike(a))
        buf_addf(&text, "\n      %s",
                 _("ranks add in different orders: they may round floats "
                   "differently"));
    buf_puts(&text, "\n      ");
    buf_addf(&text, _("for %s"), _(a->when));
    print("%s\n      %s\n", buf_text(&text), a->source);
}

static void
print_algorithm_json(const struct algorithm *a)
{
    json_auto_t *o = NULL;
    json_t *aliases = json_array();
    OWN_MEMORY char *text = NULL;

    for (int i = 0; a->aliases[i] != NULL; i++)
        json_array_append_new(aliases, json_string(a->aliases[i]));
    o = json_pack("{ss ss++ ss ss so ss si si ss ss ss? ss? ss? sb ss ss ss? "
                  "ss? ss? ss}",
                  "type", "algorithm", "name", a->name, "-", a->collective,
                  "collective", a->collective, "algorithm", a->name,
                  "aliases", aliases, "topology", topology_name(a->topology),
                  "chunks", a->chunks, "shape", a->dims,
                  "steps", a->formulas.steps, "bytes", a->formulas.bytes,
                  "holds", coll_holds(a), "other_steps", a->otherwise.steps,
                  "other_bytes", a->otherwise.bytes,
                  "adds_alike", adds_alike(a),
                  "idea", _(a->idea), "when", _(a->when), "nccl", a->nccl,
                  "open_mpi", a->mpi, "script", a->script,
                  "source", a->source);
    text = json_dumps(o, JSON_COMPACT);
    print("%s\n", text);
}

int
cmd_list(const struct options *o, struct err *err)
{
    const struct collective *c, *only = NULL;
    const struct algorithm *a;
    OWN(buf) promises = {0};

    if (o->noperands > 0 && collective_find(o->operands[0]) == NULL &&
        coll_find_other(o->operands[0], &a))
        only = collective_find(a->collective);
    else if (o->noperands > 0 && !collective_named(o->operands[0], &only, err))
        return EXIT_USAGE;
    if (only == NULL && !o->json) {
        text_promises(&promises);
        print("%s\n", buf_text(&promises));
    }
    for (int i = 0; (c = collective_at(i)) != NULL; i++) {
        if (only != NULL && c != only)
            continue;
        if (!o->json) {
            OWN(buf) names = {0};
            add_aliases(c->aliases, &names);
            print("%s%s: %s\n", c->name, buf_text(&names), _(c->what));
            if (c->elsewhere != NULL)
                print("  %s\n", _(c->elsewhere));
        }
        for (int k = 0; (a = coll_at(k)) != NULL; k++)
            if (strcmp(a->collective, c->name) == 0)
                (o->json ? print_algorithm_json : print_algorithm)(a);
    }
    if (!o->json)
        print("%s\n",
              _("N ranks, two or more; S bytes of a rank's input (scatter: the "
                "root's); C chunks; X, Y, Z: the shape; NCCL, Open MPI: the "
                "nearest there"));
    return EXIT_RIGHT;
}
