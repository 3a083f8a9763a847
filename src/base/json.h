/* SPDX-License-Identifier: MIT */
/* JSON: the members of our lines, in tables by which they are written and read,
 * with errors that say what is wrong.
 *
 *     static bool
 *     pass_point(struct json_line *l, struct point *p)
 *     {
 *         return JSON_PASS(l, JSON_INT("x", &p->x, 0, 9),
 *                          JSON_BOOL("?far", &p->far));
 *     }
 *
 *     buf_puts(&out, "{\"type\":\"point\"");
 *     pass_point(&(struct json_line){.to = &out}, &p);
 *     buf_puts(&out, "}\n");
 *     ...
 *     pass_point(&(struct json_line){.from = object, .err = &err}, &p)
 *
 * So a line has the same keys both ways.  They are written in the order of the
 * table, which is documented. */
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

struct json_line {
    const json_t *from; /* the object that is read; NULL: the line is written */
    struct buf *to;     /* it has the line's beginning */
    struct err *err;    /* of reading */
};

/* A member of a line.  If its key begins with '?' it may be missing: it is left
 * out where it is 0, false or "", and its value stays where it is not there. */
struct json_member {
    const char *key; /* NULL: after the last */
    enum {
        JSON_IS_INT,
        JSON_IS_INT64,
        JSON_IS_BOOL,
        JSON_IS_BORROWED,
        JSON_IS_TEXT,
        JSON_IS_WORD
    } kind;
    union {
        int *ints;
        int64_t *int64s;
        bool *boolean;
        const char **borrowed;
        char *text;
    } at;
    int64_t least, most;
    size_t count; /* of a list; 0: it is none */
    const char *const *words;
};

/* Whole numbers from `least` to `most`, and lists of `count` of them. */
#define JSON_INTS(key, at, count, least, most) \
    {key, JSON_IS_INT, {.ints = at}, least, most, count, NULL}
#define JSON_INT64S(key, at, count, least, most) \
    {key, JSON_IS_INT64, {.int64s = at}, least, most, count, NULL}
#define JSON_INT(key, at, least, most) JSON_INTS(key, at, 0, least, most)
#define JSON_INT64(key, at, least, most) JSON_INT64S(key, at, 0, least, most)
#define JSON_BOOL(key, at) {key, JSON_IS_BOOL, {.boolean = at}, 0, 0, 0, NULL}

/* A string of less than `size` bytes without NUL.  It is copied as it is
 * (whoever shows it escapes it), or belongs to the object that is read. */
#define JSON_TEXT(key, at, size) \
    {key, JSON_IS_TEXT, {.text = at}, 0, size, 0, NULL}
#define JSON_BORROWED(key, at, size) \
    {key, JSON_IS_BORROWED, {.borrowed = at}, 0, size, 0, NULL}

/* An index of a table of words, which ends with NULL. */
#define JSON_WORD(key, at, words) \
    {key, JSON_IS_WORD, {.ints = at}, 0, JSON_WORD_SIZE, 0, words}
enum { JSON_WORD_SIZE = 64 };

/* Passes members.  Writing always succeeds and changes nothing.  Errors of
 * reading: "step" is missing; "step" is 9, it must be 1 to 4. */
bool json_pass(const struct json_line *l, const struct json_member *members);
#define JSON_PASS(l, ...)                                     \
    json_pass(l, (const struct json_member[]){__VA_ARGS__,    \
                                              JSON_BOOL(NULL, NULL)})

/* Whether a line has a member; one that is written has it if it is `there`. */
bool json_has(const struct json_line *l, const char *key, bool there);

/* The integer at `index` of a list; false if there is none from `least` to
 * `most`. */
bool json_at(const json_t *list, size_t index, int64_t least, int64_t most,
             int64_t *value);

/* Reads an array of `least` to `most` items; it belongs to the object. */
bool json_get_array(const json_t *object, const char *key, size_t least,
                    size_t most, const json_t **value, struct err *err);

#endif
