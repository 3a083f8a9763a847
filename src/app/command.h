/* SPDX-License-Identifier: MIT */
/* The commands: one file each, cmd_<name>.c, and one row in main.c.  A command
 * prints its errors itself (command_fail) and returns the exit status. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "app/options.h"
#include "app/session.h"
#include "coll/coll.h"
#include "schedule/msccl.h"

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

/* What the options say to algorithms. */
struct coll_options command_coll(const struct options *o);

/* Whether ALGORITHM is a file of MSCCL's, by its name; and the schedule that is
 * in it. *notes: as msccl_read() has them. */
bool command_is_file(const char *name);
struct schedule *command_import(const char *name, const struct options *o,
                                struct msccl_notes *notes, struct err *err);

/* The schedule that ALGORITHM and the options ask for; *algorithm is NULL where
 * it comes from a file. NULL with the reason. */
struct schedule *command_build(const char *name, const struct options *o,
                               const struct algorithm **algorithm,
                               struct err *err);

/* "ring-allreduce", or the file's name. */
void command_name(const char *operand, const struct algorithm *a,
                  struct buf *out);

/* The same as command_build(); NULL after printing the reason. */
struct schedule *command_schedule(const char *name, const struct options *o,
                                  const struct algorithm **algorithm);

/* Ranks and elements, where the options leave them open. */
int command_ranks(const struct options *o);
int64_t command_count(const struct options *o, int nranks);

#endif
