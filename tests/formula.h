/* SPDX-License-Identifier: MIT */
/* The value of a formula of an algorithm's row. */
#ifndef TESTS_FORMULA_H
#define TESTS_FORMULA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"

/* A row's formula, as people read it: "2 ceil(log2 N) + C-1", "(N-1)/N S". */
struct formula {
    const char *at;
    struct coll_options o;
    double s; /* S */
};

static inline bool
takes(struct formula *f, const char *word)
{
    const char *at = f->at + (*f->at == ' ');
    size_t length = strlen(word);
    bool found = strncmp(at, word, length) == 0;

    if (found)
        f->at = at + length;
    return found;
}

static inline double sum(struct formula *f);

/* What is in brackets: one value, or for min() the less of two. */
static inline double
argument(struct formula *f)
{
    double value = sum(f);

    if (takes(f, ","))
        value = fmin(value, sum(f));
    if (!takes(f, ")"))
        f->at = "?";
    return value;
}

static inline double
factor(struct formula *f)
{
    const struct coll_options *o = &f->o;
    const struct {
        const char *name;
        double value;
    } names[] = {{"N", o->nranks},  {"C", o->chunks},  {"X", o->dims[0]},
                 {"Y", o->dims[1]}, {"Z", o->dims[2]}, {"S", f->s}};

    if (takes(f, "log2"))
        return log2(factor(f));
    if (takes(f, "ceil("))
        return ceil(argument(f));
    if (takes(f, "floor("))
        return floor(argument(f));
    if (takes(f, "min(") || takes(f, "("))
        return argument(f);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (takes(f, names[i].name))
            return names[i].value;
    return strtod(f->at, (char **)&f->at);
}

static inline double
sum(struct formula *f)
{
    double value = 0, product;
    int sign = 1;

    do {
        product = factor(f);
        while (strspn(f->at + (*f->at == ' '), "(/0123456789NCXYZSlcfm") > 0)
            if (takes(f, "/"))
                product /= factor(f);
            else
                product *= factor(f);
        value += sign * product;
        sign = takes(f, "-") ? -1 : takes(f, "+");
    } while (sign != 0);
    return value;
}

/* The value of a whole formula; of anything else NAN. */
static inline double
evaluate(const char *text, const struct coll_options *o, double s)
{
    struct formula f = {text, *o, s};
    double value = sum(&f);

    return *f.at == '\0' ? value : NAN;
}

#endif
