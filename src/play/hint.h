/* SPDX-License-Identifier: MIT */
/* What somebody meant by an option that there is not. */
#ifndef PLAY_HINT_H
#define PLAY_HINT_H

#include "base/err.h"

/* Says what is wrong with word[0], an option that getopt_long() has refused:
 * it stands for several of `names`, which a NULL ends, or takes no value, or
 * is another program's name for one of ours (mpirun -n 4), or is misspelt.
 * word[1] is the word after it, or NULL.  Returns false. */
bool hint_option(char *const *word, const char *const *names, struct err *err);

#endif
