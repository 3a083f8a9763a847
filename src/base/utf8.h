/* SPDX-License-Identifier: MIT */
/* UTF-8 text on its way to a terminal. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Reads one code point and moves *text behind it.  Returns 0 at the end, and
 * UTF8_BAD, one byte further on, for what is not UTF-8 (overlong forms and
 * surrogates among it). */
enum { UTF8_BAD = 0xfffd };
uint32_t utf8_next(const char **text);

/* Writes one code point; returns its bytes, 1 to 4. Not terminated. */
int utf8_put(char out[4], uint32_t code);

/* Columns that a code point takes on the screen: 0, 1 or 2 (East Asian wide).
 * A property of the character, not of the locale. */
int utf8_width(uint32_t code);

/* Columns of a text. */
int utf8_columns(const char *text);

/* Copies `text`, cut at whole characters to fit `size` bytes, with control
 * characters and bytes that are not UTF-8 written as \xNN. */
void utf8_clean(char *out, size_t size, const char *text);

#endif
