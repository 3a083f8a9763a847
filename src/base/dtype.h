/* SPDX-License-Identifier: MIT */
/* Element types and reduction operators, shared by every room.  Their names are
 * NCCL's, as in nccl-tests and ncclDataType_t. */
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype {
    DTYPE_FLOAT32,
    DTYPE_FLOAT64,
    DTYPE_FLOAT16,
    DTYPE_BFLOAT16,
    DTYPE_INT32,
    DTYPE_INT64,
    DTYPE_UINT8,
    DTYPES
};

enum redop {
    REDOP_SUM,
    REDOP_PROD,
    REDOP_MIN,
    REDOP_MAX,
    REDOP_AVG, /* sum, then each holder of an output divides by N */
    REDOPS
};

enum { DTYPE_SIZE_MAX = 8 };

const char *dtype_name(enum dtype type);
const char *redop_name(enum redop op);
bool dtype_find(const char *name, enum dtype *type);
bool redop_find(const char *name, enum redop *op);

/* Bytes of one element. */
size_t dtype_size(enum dtype type);
bool dtype_is_float(enum dtype type);

/* Limits of a float type: the distance from 1.0 to the next value, the smallest
 * and the largest positive number. */
struct dtype_limits {
    double epsilon, least, most;
};
const struct dtype_limits *dtype_limits(enum dtype type);

/* Converts elements: floats to and from `real`, which is exact, integers to and
 * from `whole`.  Setting rounds to the nearest, or wraps modulo 2^bits. */
double dtype_real(enum dtype type, const void *element);
void dtype_set_real(enum dtype type, double value, void *element);
int64_t dtype_whole(enum dtype type, const void *element);
void dtype_set_whole(enum dtype type, int64_t value, void *element);

/* Parses all of `text` as one element.  Returns false if it is not a number of
 * this type or out of its range; floats accept "nan" and "inf". */
bool dtype_parse(enum dtype type, const char *text, void *element);

/* Formats one element so that dtype_parse gives the same bits back (except for
 * the payload of a NaN). */
enum { DTYPE_TEXT_MAX = 32 };
void dtype_format(enum dtype type, const void *element,
                  char text[DTYPE_TEXT_MAX]);

/* Element `index` of rank `rank`'s input if the user gave none.  These are
 * small whole numbers (for products, values near one), chosen so that a chunk
 * that is misplaced, repeated or missing changes the result:
 * A = 1 2 3 ..., B = 2 4 6 ..., C = 3 6 9 ...; their sum is 6 12 18 ...
 * Every type holds the sums of up to 8 ranks exactly. */
void dtype_default(enum dtype type, enum redop op, int rank, int64_t index,
                   void *element);

/* An element for unwritten memory, chosen so that a result made from it shows
 * that.  For min and max it is the smallest or the largest value, which wins
 * against all others; a NaN may lose, depending on its side.  For the other
 * operators it is NaN, or for integers 0xab in every byte.  That is odd, so a
 * sum stays wrong until it was added 2^bits times, and it is 3 modulo 4, so a
 * product changes unless all of its bits but the highest are 0. */
void dtype_unwritten(enum dtype type, enum redop op, void *element);

#endif
