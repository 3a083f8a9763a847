/* SPDX-License-Identifier: MIT */
/* The commands: one file each, cmd_<name>.c, and one row in main.c.  A command
 * prints its errors itself (command_fail) and returns the exit status. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "app/options.h"
#include "app/session.h"
#include "coll/coll.h"

int cmd_run(const struct options *o);
int cmd_list(const struct options *o);
int cmd_explain(const struct options *o);
int cmd_check(const struct options *o);
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

/* What the options say to algorithms. */
struct coll_options command_coll(const struct options *o);

/* Whether ALGORITHM is a file in MSCCL's XML. */
bool command_is_file(const char *name);

/* The schedule of such a file. `links` as msccl_read() says; *status is for
 * where it is NULL. */
struct schedule *command_import(const char *name, const struct options *o,
                                struct err *links, int *status,
                                struct err *err);

/* The schedule that ALGORITHM and the options ask for. NULL with the reason.
 * *algorithm is NULL for one from a file. */
struct schedule *command_build(const char *name, const struct options *o,
                               const struct algorithm **algorithm,
                               struct err *err);

/* The same; NULL after printing the reason. */
struct schedule *command_schedule(const char *name, const struct options *o,
                                  const struct algorithm **algorithm);

/* Ranks and elements, where the options leave them open. */
int command_ranks(const struct options *o);
int64_t command_count(const struct options *o, int nranks);

#endif
