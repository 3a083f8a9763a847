/* SPDX-License-Identifier: MIT */
/* Element types and reduction operators, shared by every room.  Their names are
 * NCCL's, as in nccl-tests and ncclDataType_t; those of the logical and bitwise
 * operators, which NCCL does not have, are MPI's.
 *
 * An operator is a row in dtype.c, its default input there, a case in the
 * reference (run/reference.c), kernels (run/kernels.c, workers/cuda/lanes.h),
 * and its names in the libraries (mpi_native.c, nccl_api.c). */
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

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

    /* For integers only.  Logical ones give 1 or 0; not 0 is true. */
    REDOP_LAND,
    REDOP_LOR,
    REDOP_BAND,
    REDOP_BOR,
    REDOP_BXOR,
    REDOPS
};

enum { DTYPE_SIZE_MAX = 8 };

const char *dtype_name(enum dtype type);
const char *redop_name(enum redop op);
bool dtype_find(const char *name, enum dtype *type);
bool redop_find(const char *name, enum redop *op);

/* What stands between two operands: "+", "&".  NULL if it is written as a
 * function: min(a,b). */
const char *redop_sign(enum redop op);
bool redop_adds(enum redop op);

/* How many operators a type has: operators 0 .. n-1. */
int redop_count(enum dtype type);

/* Returns false, with an error that names the types that have this operator, if
 * `type` does not. */
bool redop_check(enum redop op, enum dtype type, struct err *err);

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
 * Every type holds the sums of up to 8 ranks exactly.
 *
 * For the logical operators one rank decides each second element, and none the
 * others: for land A = 1 0 3 5 ..., B = 3 5 7 0 ..., so their result is 1 0 1 0
 * and a missing rank changes it.  For the bitwise ones each rank has bits of
 * its own, up to 7 ranks of uint8 and 30 of the others: for bor A = 1 2 4 ...,
 * B = 2 4 8 ...; for band these are the bits that it lacks, for bxor it has two
 * in a row. */
void dtype_default(enum dtype type, enum redop op, int rank, int64_t index,
                   void *element);

/* The same for `count` elements from `index` on; of sum, min, max and avg
 * millions of them quickly. */
void dtype_defaults(enum dtype type, enum redop op, int rank, int64_t index,
                    int64_t count, void *elements);

/* Elements of one class, less than DTYPE_CLASSES, have the same default on each
 * rank.  -1: nothing is known. */
enum { DTYPE_CLASSES = 251 };
int dtype_default_class(enum dtype type, enum redop op, int64_t index);

/* An element for unwritten memory, chosen so that a result made from it shows
 * that.  If one value wins against all others, it is that one: the smallest for
 * min, the largest for max (a NaN would lose), 0 for land
 * and band, all bits for lor and bor.  For the other operators it is NaN, or
 * for integers 0xab in every byte.  That is odd, so a sum stays wrong until it
 * was added 2^bits times, and it is 3 modulo 4, so a product changes unless all
 * of its bits but the highest are 0. */
void dtype_unwritten(enum dtype type, enum redop op, void *element);

#endif
