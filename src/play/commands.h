/* SPDX-License-Identifier: MIT */
/* The commands by name: what each takes, is for and looks like.  What they do
 * is in app/main.c. */
#ifndef PLAY_COMMANDS_H
#define PLAY_COMMANDS_H

#include <stdbool.h>

enum { COMMANDS_MAX = 32 };

struct command {
    unsigned use;     /* its bit of enum option_use (options.h) */
    const char *name; /* as it is typed, or untranslated words for a run and
                       * the home screen, which have no name */
    const char *takes, *help; /* for the usage: "[LESSON]" */
    const char *example;      /* what follows "collviz", and works */
    const char *needs, *one;  /* operands: at least one of these, at most one;
                               * NULL: any number, or it looks itself; "":
                               * none */
};

/* In the order of the usage, and of errors; NULL after the last. */
const struct command *command_at(int index);

/* The command that is called so; "explain" is "check".  NULL: there is none. */
const struct command *command_find(const char *name);

/* Whether its name is what is typed. */
bool command_typed(const struct command *c);

/* What messages call it. */
const char *command_name(const struct command *c);

#endif
