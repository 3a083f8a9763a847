/* SPDX-License-Identifier: MIT */
/* Splits ranks among workers, so that each has about the same work.  A worker's
 * ranks follow one another: in a ring, most data then stays with one worker. */
#ifndef RUN_SPLIT_H
#define RUN_SPLIT_H

#include <stdint.h>

#include "schedule/program.h"

/* Fills first[0 .. nworkers]: worker w has the ranks first[w] .. first[w+1]-1,
 * at least one.  work[r] is that of rank r, in any unit.  nworkers is at most
 * nranks. */
void split_work(const int64_t *work, int nranks, int nworkers, int *first);

/* The same for a program: the work of a rank is the elements that it copies and
 * adds.  `lengths` are those of the chunks. */
void split_program(const struct program *p, const int64_t *lengths,
                   int nworkers, int *first);

#endif
