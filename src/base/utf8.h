/* SPDX-License-Identifier: MIT */
/* UTF-8 text that goes to a terminal. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Reads one code point and moves *text past it.  Returns 0 at the end.  A byte
 * that belongs to no code point (also one of an overlong form or a surrogate)
 * is returned alone, as UTF8_BAD + the byte. */
enum { UTF8_BAD = 0x110000 }; /* above Unicode */
uint32_t utf8_next(const char **text);

/* Writes one code point; returns its number of bytes, 1 to 4. No terminator. */
int utf8_put(char out[4], uint32_t code);

/* Whether a code point is shown unchanged.  All others are escaped, because
 * they could control a terminal or hide in a text: control characters, marks
 * that change the direction of writing, characters without width (except
 * combining marks and joiners, which many languages need), tags, and codes that
 * are not characters. */
bool utf8_is_shown(uint32_t code);

/* Writes a code point in the form in which it is shown: unchanged, or as \x1b,
 * \u202e or \U000e0041; a byte that is not UTF-8 as \xff.  Returns the number
 * of bytes.  No terminator.  Everything collviz prints or draws goes through
 * this function. */
enum { UTF8_SHOWN_MAX = 10 };
int utf8_show(char out[UTF8_SHOWN_MAX], uint32_t code);

/* The number of columns of a code point as shown: 0, 1, 2 (East Asian wide), or
 * the length of its escape.  Depends on the character and on the Unicode that
 * libunistring knows, not on the locale. */
int utf8_width(uint32_t code);

/* The number of columns of a text. */
int utf8_columns(const char *text);

/* Appends a line of text as it is shown; formatted as by printf(), where a
 * newline that ends the format stays. */
void utf8_add(struct buf *out, const char *text);
void utf8_addf(struct buf *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same into XML, as content or as the value of an attribute in double
 * quotes; or as content of several lines. */
void utf8_add_xml(struct buf *out, const char *text);
void utf8_add_xml_lines(struct buf *out, const char *text);

/* Appends a text in so many columns, to the right of them as "%9s" is, or to
 * the left as "%-9s" is if they are negative. */
void utf8_pad(struct buf *out, const char *text, int columns);

/* Whether a text is digits alone, and at least one. */
bool utf8_is_number(const char *text);

/* Copies a line of text as it is shown, cut at whole characters and escapes to
 * fit `size` bytes. */
void utf8_clean(char *out, size_t size, const char *text);

/* Appends what is typed with the keyboard of another language as it is meant:
 * full-width forms as narrow ones, "第2步" as "step 2". */
void utf8_add_narrow(struct buf *out, const char *text);

/* The number of parts that a separator cuts the text into. */
size_t utf8_parts(const char *text, size_t length, char separator);

#endif
