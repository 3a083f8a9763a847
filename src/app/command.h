/* SPDX-License-Identifier: MIT */
/* The commands: each is a file cmd_<name>.c and a row in main.c.  A command
 * prints its own errors (command_fail) and returns the exit status. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "play/build.h"

int cmd_run(const struct options *o);
int cmd_learn(const struct options *o);
int cmd_list(const struct options *o);
int cmd_check(const struct options *o);
int cmd_compare(const struct options *o);
int cmd_bench(const struct options *o);
int cmd_chart(const struct options *o);
int cmd_replay(const struct options *o);
int cmd_export(const struct options *o);
int cmd_doctor(const struct options *o);

/* Prints "collviz: MESSAGE" on stderr, unless a signal asks to end, which then
 * is the cause; returns `status`. */
int command_fail(int status, const struct err *err);

/* Flushes stdout and returns `status`.  If stdout cannot be written, prints the
 * reason and returns EXIT_WRONG. */
int command_finish(int status);

/* The only operand of a command.  Returns false, after printing the reason,
 * unless there is exactly one; `what` is its name in messages. */
bool command_operand(const struct options *o, const char *command,
                     const char *what, const char **operand);

#endif
