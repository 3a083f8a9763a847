/* SPDX-License-Identifier: MIT */
/* The words that an option's value may be.  A list is a function that returns
 * the word at an index from 0, and NULL after the last. */
#ifndef PLAY_OPTION_WORDS_H
#define PLAY_OPTION_WORDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

typedef const char *option_words(int i);

option_words words_backend, words_pace, words_type, words_op;

/* What stands first in the value of --fault, and after the rank in that of
 * --mismatch. */
option_words words_fault, words_mismatch;

/* nccl-tests' names, with "all" at the end. */
option_words words_bench_type, words_bench_op;

/* Appends "a, b, c". */
void words_add(option_words *words, struct buf *out);

/* Returns false, with an error that says which words the option takes. */
bool words_refuse(const char *option, const char *value, option_words *words,
                  struct err *err);

#endif
