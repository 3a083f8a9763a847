/* SPDX-License-Identifier: MIT */
/* Explains an option that getopt_long() has refused. */
#ifndef PLAY_HINT_H
#define PLAY_HINT_H

#include "base/err.h"

/* Puts into *err what is wrong with the option word[0]: it is another program's
 * name (mpirun -n 4) for one of `names` (an array that ends with NULL),
 * abbreviates several of them, takes no value, is for other commands, which
 * `elsewhere` says unless it is NULL, or is misspelt.  word[1] is the next
 * word, or NULL.  Returns false. */
bool hint_option(char *const *word, const char *const *names,
                 const char *elsewhere, struct err *err);

#endif
