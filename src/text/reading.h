/* SPDX-License-Identifier: MIT */
/* How long it takes to read a text. */
#ifndef TEXT_READING_H
#define TEXT_READING_H

#include <stdint.h>

/* In ns.  People read 228 words of English or 255 characters of Chinese a
 * minute (Trauzettel-Klosinski & Dietz 2012), so each takes about 250 ms.  A
 * word is what stands between blanks, or a character two columns wide. */
int64_t reading_ns(const char *text);

#endif
