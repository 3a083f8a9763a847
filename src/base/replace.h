/* SPDX-License-Identifier: MIT */
/* Writing a file that may exist already: the data is written to a file beside
 * it, which takes its place once it is complete.  Until then the old file is
 * kept, however the process ends.  SIGKILL leaves the file beside it behind;
 * every other end removes it.
 *
 *     struct replace *r = replace_open("run.jsonl", 0666, &why);
 *     fputs(text, replace_file(r))
 *     replace_close(r, true, &why)
 *
 * If the path is a symbolic link, the file that it leads to is replaced.  The
 * new file gets the old one's permissions.  A path that is not a regular file,
 * such as a pipe or a device, is written to directly. */
#ifndef BASE_REPLACE_H
#define BASE_REPLACE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

struct replace;

/* `mode` is for a new file; the umask is applied.  Returns NULL with the
 * reason, a phrase without the path, such as "Permission denied". */
struct replace *replace_open(const char *path, mode_t mode, struct err *why);

/* What is written to the stream goes to the descriptor. */
FILE *replace_file(struct replace *r);
int replace_fd(const struct replace *r);

/* Puts the file in its place if `keep`, otherwise drops it.  Returns false,
 * with the reason, if it was not written completely or cannot be put there. */
bool replace_close(struct replace *r, bool keep, struct err *why);

#endif
