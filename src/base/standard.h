/* SPDX-License-Identifier: MIT */
/* Standard input, output and error of a program that was started without some
 * of them, as by `collviz ... >&-`. */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

/* Opens those of the descriptors 0 to 2 that are closed, for reading from
 * /dev/null: nothing else can land there, there is nothing to read, and to
 * write is an error.  First thing in main(). */
void standard_open(void);

#endif
