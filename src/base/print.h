/* SPDX-License-Identifier: MIT */
/* Text for people, on standard output or another file.
 *
 * A text may contain names from files, the command line and the environment, so
 * all of it is escaped (base/utf8.h) except for newlines.  Newlines in a name
 * are escaped before, by utf8_add().
 *
 * On a terminal a line that is longer than a row is broken between words
 * (base/wrap.h), if one call prints all of it. */
#ifndef BASE_PRINT_H
#define BASE_PRINT_H

#include <stdio.h>

/* Opens those of the descriptors 0 to 2 that are closed, as by `collviz >&-`,
 * as /dev/null, for reading only.  So no other file gets these numbers, reading
 * finds the end, and writing is an error.  Must be called first in main(). */
void print_open(void);

/* Like printf() and fprintf(). main() reports write errors. */
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_to(FILE *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Begins a page, where it is printed on paper. */
void print_page_break(void);

/* Prints a text at the right of so many columns. */
void print_right(const char *text, int columns);

/* If standard error is a terminal, shows a line of progress there, in place of
 * the last one; NULL removes it, which is to be done before other text. */
void print_progress(const char *text);

#endif
