/* SPDX-License-Identifier: MIT */
/* Explains an option that getopt_long() has refused. */
#ifndef PLAY_HINT_H
#define PLAY_HINT_H

#include "base/err.h"

/* Puts into *err what is wrong with the option word[0]: it abbreviates several
 * of `names` (an array that ends with NULL), takes no value, is another
 * program's name for one of ours (mpirun -n 4), or is misspelt.  word[1] is
 * the next word, or NULL.  Returns false. */
bool hint_option(char *const *word, const char *const *names, struct err *err);

#endif
