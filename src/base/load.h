/* SPDX-License-Identifier: MIT */
/* Reads a whole file, or a pipe to its end. */
#ifndef BASE_LOAD_H
#define BASE_LOAD_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends at most `most` bytes to `text`.  Returns false, with the reason in
 * *err, if there are more or they cannot be read. */
bool load(const char *path, size_t most, struct buf *text, struct err *err);

/* The same for a regular file alone: a pipe without a writer would stop a
 * screen. */
bool load_file(const char *path, size_t most, struct buf *text,
               struct err *err);

#endif
