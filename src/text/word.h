/* SPDX-License-Identifier: MIT */
/* Figures and names as values, to be arguments of a format:
 *
 *     buf_addf(&line, _("in %s"), word_ns(ns, false).text);
 */
#ifndef TEXT_WORD_H
#define TEXT_WORD_H

#include <stdbool.h>
#include <stdint.h>

struct event;

struct word {
    char text[48];
};

/* As text_bytes() and text_ns() write them. */
struct word word_bytes(int64_t bytes);
struct word word_ns(int64_t ns, bool brief);

/* "GPU 3" */
struct word word_rank(int rank);

/* "2.00 us for GPU 0": how long a transfer waited, and for whom; "" if it did
 * not. */
struct word word_wait(const struct event *e);

#endif
