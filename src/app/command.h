/* SPDX-License-Identifier: MIT */
/* The commands: one file each, cmd_<name>.c, and one row in main.c.  A command
 * prints its errors itself (command_fail) and returns the exit status. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "play/build.h"

int cmd_run(const struct options *o);
int cmd_learn(const struct options *o);
int cmd_list(const struct options *o);
int cmd_explain(const struct options *o);
int cmd_check(const struct options *o);
int cmd_compare(const struct options *o);
int cmd_replay(const struct options *o);
int cmd_export(const struct options *o);
int cmd_doctor(const struct options *o);

/* Prints "collviz: MESSAGE" on stderr; returns `status`. */
int command_fail(int status, const struct err *err);

/* Flushes stdout; what could not be written is an error. Returns `status`, or
 * EXIT_WRONG after printing why. */
int command_finish(int status);

/* The one operand that a command takes. False, after printing, without it. */
bool command_operand(const struct options *o, const char *command,
                     const char *what, const char **operand);

/* The same as build_schedule(); NULL after printing the reason. */
struct schedule *command_schedule(const char *name, const struct options *o,
                                  const struct algorithm **algorithm);

#endif
