/* SPDX-License-Identifier: MIT */
/* JSON: reading members of jansson's objects, with errors that say what is
 * wrong, and writing strings.  Objects are written by hand, because our lines
 * keep their keys in a documented order. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends a JSON string with its quotes.  A reader gets the original text back;
 * in the line itself, characters that are not shown (base/utf8.h) are
 * escaped. */
void json_add_string(struct buf *out, const char *text);

/* Required members. Errors read: "step" is missing; "step" is 9, it must be
 * 1 to 4. */
bool json_get_integer(const json_t *object, const char *key, int64_t least,
                      int64_t most, int64_t *value, struct err *err);
bool json_get_int(const json_t *object, const char *key, int least, int most,
                  int *value, struct err *err);
bool json_get_boolean(const json_t *object, const char *key, bool *value,
                      struct err *err);

/* A string of at most `most` bytes without NUL; it belongs to the object. */
bool json_get_string(const json_t *object, const char *key, size_t most,
                     const char **value, struct err *err);

/* Copies a string of at most size - 1 bytes, as it is: whoever shows it escapes
 * it. */
bool json_get_text(const json_t *object, const char *key, char *text,
                   size_t size, struct err *err);

/* Finds a string in a table of `count` words, and sets *index. */
bool json_get_word(const json_t *object, const char *key,
                   const char *const *words, int count, int *index,
                   struct err *err);
#define JSON_GET_WORD(object, key, words, index, err)                         \
    json_get_word(object, key, words, (int)(sizeof(words) / sizeof *(words)), \
                  index, err)

/* The integer at `index` of a list; false if there is none from `least` to
 * `most`. */
bool json_at(const json_t *list, size_t index, int64_t least, int64_t most,
             int64_t *value);

/* An array of `least` to `most` items; it belongs to the object. */
bool json_get_array(const json_t *object, const char *key, size_t least,
                    size_t most, const json_t **value, struct err *err);

#endif
