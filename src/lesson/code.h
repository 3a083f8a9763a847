/* SPDX-License-Identifier: MIT */
/* The program that a lesson is about: a text in the folder code/ beside the
 * lesson.  The lesson names it, and is not trusted with more. */
#ifndef LESSON_CODE_H
#define LESSON_CODE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Reads the file `name` in the folder code/ beside the file `lesson`, and
 * appends it to *text, whose characters may be any.  Returns false, with the
 * reason in *err, if `name` is not that of a file there, or it is too large. */
bool code_read(const char *lesson, const char *name, struct buf *text,
                  struct err *err);

#endif
