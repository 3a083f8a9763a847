/* SPDX-License-Identifier: MIT */
/* Standard input, output and error of a program that was started without some
 * of them, as by `collviz ... >&-`. */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

/* Opens those of the descriptors 0 to 2 that are closed as /dev/null, for
 * reading only.  So no other file gets these numbers, reading finds the end,
 * and writing is an error.  Must be called first in main(). */
void standard_open(void);

#endif
