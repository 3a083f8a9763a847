/* SPDX-License-Identifier: MIT */
/* How much memory this process may have. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>

/* Returns bytes: the machine's memory or, if that is less, the lowest limit of
 * the control groups that the process is in (versions 1 and 2), as containers
 * and queueing systems set them; then *limited is true.  0: not known.  `root`
 * is a folder that has /proc and /sys, "" for those of the machine. */
double memory_most(const char *root, bool *limited);

#endif
