/* SPDX-License-Identifier: MIT */
/* Writing a file that may be there already: what is written lies beside it,
 * and takes its place once it is whole.  Until then, and if it never is, the
 * old file stands, whatever ends the process but SIGKILL or a crash, which
 * leave the other file behind.
 *
 *     struct replace *r = replace_open("run.jsonl", 0666, &why);
 *     fputs(text, replace_file(r))
 *     replace_close(r, true, &why)
 *
 * Where the path is a symbolic link, the file that it leads to is replaced.
 * The new file has the old one's permissions.  What is no regular file, a pipe
 * or a device, is written to directly. */
#ifndef BASE_REPLACE_H
#define BASE_REPLACE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

struct replace;

/* `mode` is for a file that is new, less the umask.  NULL with the reason, a
 * phrase without the path, as "Permission denied". */
struct replace *replace_open(const char *path, mode_t mode, struct err *why);

FILE *replace_file(struct replace *r);

/* Puts the file in its place if `keep`, else gives it up. False, with the
 * reason, if it can not be put there or was not written in full. */
bool replace_close(struct replace *r, bool keep, struct err *why);

#endif
