/* SPDX-License-Identifier: MIT */
/* collviz without an ALGORITHM: the home screen. */
#include "app/command.h"
#include "screen/home.h"

int
cmd_home(const struct options *o)
{
    struct err err;

    return home(o, &err) ? EXIT_RIGHT : command_fail(EXIT_WRONG, &err);
}
