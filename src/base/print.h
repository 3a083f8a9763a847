/* SPDX-License-Identifier: MIT */
/* Text for people, on standard output or another file.
 *
 * A text may hold names from files, the command line and the environment, so
 * all of it is escaped (base/utf8.h) but for its newlines.  Of a name that must
 * stay on its line the newlines are escaped before, by utf8_add(). */
#ifndef BASE_PRINT_H
#define BASE_PRINT_H

#include <stdio.h>

/* As printf() and fprintf(). command_finish() (app/command.h) says if nobody
 * could take it. */
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_to(FILE *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
