/* SPDX-License-Identifier: MIT */
#include "app/command.h"

#include <errno.h>
#include <string.h>

#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"

int
command_fail(int status, const struct err *err)
{
    fflush(stdout);
    if (signals_ending() == 0)
        print_to(stderr, "collviz: %s\n", err->text);
    return status;
}

int
command_finish(int status)
{
    struct err err;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno == EPIPE) /* the reader has closed the pipe */
        return EXIT_WRONG;
    err_set(&err, "cannot write to standard output: %s", strerror(errno));
    return command_fail(EXIT_WRONG, &err);
}

bool
command_operand(const struct options *o, const char *command,
                const char *what, const char **operand)
{
    struct err err;

    if (o->noperands == 1) {
        *operand = o->operands[0];
        return true;
    }
    if (o->noperands == 0)
        err_set(&err, "'collviz %s' needs %s", command, _(what));
    else
        err_set(&err, "'%s': 'collviz %s' takes one %s", o->operands[1],
                command, _(what));
    command_fail(EXIT_USAGE, &err);
    return false;
}
