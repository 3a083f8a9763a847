/* SPDX-License-Identifier: MIT */
/* The commands: each is a file cmd_<name>.c and a row in main.c, which prints
 * what went wrong.  A command returns the exit status; unless that is
 * EXIT_RIGHT, *err has the reason, "" if it has been printed already. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "play/build.h"
#include "term/screen.h"

typedef int command_run(const struct options *o, struct err *err);
command_run cmd_run, cmd_learn, cmd_list, cmd_check, cmd_compare, cmd_bench,
    cmd_chart, cmd_replay, cmd_export, cmd_doctor, cmd_practice, cmd_serve;

/* Opens a screen that browsers follow, and says where, if --serve was given;
 * else `screen` is NULL.  Returns false, with the reason in *err, on failure.
 * Call followed_close() in either case. */
struct followed {
    struct screen *screen;
    struct serve *serve;
};
bool followed_open(struct followed *f, const struct options *o,
                   struct err *err);
void followed_close(struct followed *f);

/* The status of a command that says in *err whether all went well. */
static inline int
command_status(bool ok, const struct err *err)
{
    return ok ? EXIT_RIGHT : err->typed ? EXIT_USAGE : EXIT_WRONG;
}

/* Refuses words that cannot be meant as they are: sets *err; is EXIT_USAGE. */
#define command_misuse(err, ...) \
    ((void)err_set(err, __VA_ARGS__), (int)EXIT_USAGE)

/* A run's own output has said why: empties *err; returns EXIT_WRONG. */
static inline int
command_wrong(struct err *err)
{
    err->text[0] = '\0';
    return EXIT_WRONG;
}

#endif
