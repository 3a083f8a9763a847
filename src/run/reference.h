/* SPDX-License-Identifier: MIT */
/* The reference of an element: what the inputs of some ranks may give, in any
 * order, computed from these inputs in wider precision.
 *
 * Integers, min and max are exact, and so is the input of one rank.  A sum or
 * product of floats is right
 *
 *   - as a number, within N * eps * sum|x| of the exact sum: N-1 additions in
 *     any order stay within that (N. Higham, Accuracy and Stability of
 *     Numerical Algorithms, 4.2).  Products: within N * eps * |product|, and
 *     what partial products may lose below the type's least normal number.
 *     The sign of a product is exact;
 *   - as an infinity or NaN, if some order gives it.  A sum is inf if the
 *     positive numbers alone overflow, or one of them is inf; -inf likewise;
 *     and NaN if both may meet.  A product overflows by the numbers above 1,
 *     and is NaN if an infinity may meet a zero, or a partial product that
 *     vanishes. */
#ifndef RUN_REFERENCE_H
#define RUN_REFERENCE_H

#include "run/rank_memory.h"

struct reference {
    uint64_t whole;   /* integers: the element's bits, sign-extended */
    long double real; /* floats */
    long double slack; /* of rounding */
    long double lost;  /* by partial products that are too small */
    bool number, plus, minus, nan; /* what some order gives */
    bool is_signed; /* a number, also 0, has the sign of `real` */
    bool is_finite; /* all inputs are; what is not has overflowed */
    bool has_nan;   /* among the inputs */
    int round;      /* 0: not known; for the caller */
};

/* The reduction of ranks first to last; for avg, divided by their number. */
struct reference reference_of(const struct input *in, int first, int last,
                              int64_t index);

/* Whether an element is right. */
bool reference_holds(const struct reference *r, enum dtype type,
                     const void *element);

/* The same for that of a library, whose min and max may have rules of their own
 * for the signs of zeros and for NaNs: a NaN may win, or hide the least number
 * from the others. */
bool reference_allows(const struct reference *r, const struct input *in,
                      const void *element);

/* Whether two right elements differ by no more than rounding. */
bool reference_joins(const struct reference *r, enum dtype type, const void *a,
                     const void *b);

/* Whether two elements have the same bits, or both are NaN. */
bool reference_same(enum dtype type, const void *a, const void *b);

#endif
