/* SPDX-License-Identifier: MIT */
/* collviz list: what there is to run. */
#include "app/command.h"
#include "base/buf.h"
#include "base/text.h"

int
cmd_list(const struct options *o)
{
    const struct algorithm *a;
    struct err err;

    if (o->noperands > 0) {
        err_set(&err, "'%s': 'collviz list' takes nothing", o->operands[0]);
        return command_fail(EXIT_USAGE, &err);
    }
    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        struct buf name = {0};
        buf_addf(&name, "%s-%s", a->name, a->collective);
        printf("%-16s %s\n", buf_text(&name), _(a->idea));
        printf("%-16s ", "");
        printf(_("%s steps, each rank sends %s (N ranks, S bytes each)\n"),
               a->steps_formula, a->bytes_formula);
        buf_done(&name);
    }
    return command_finish(EXIT_RIGHT);
}
