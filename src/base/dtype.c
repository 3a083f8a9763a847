/* SPDX-License-Identifier: MIT */
#include "base/dtype.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    double epsilon;
} types[DTYPES] = {
    [DTYPE_FLOAT32] = {"float32", 4, FLT_EPSILON},
    [DTYPE_FLOAT64] = {"float64", 8, DBL_EPSILON},
    [DTYPE_INT32] = {"int32", 4, 0},
    [DTYPE_INT64] = {"int64", 8, 0},
    [DTYPE_UINT8] = {"uint8", 1, 0},
};

static const char *const ops[REDOPS] = {
    [REDOP_SUM] = "sum", [REDOP_PROD] = "prod", [REDOP_MIN] = "min",
    [REDOP_MAX] = "max", [REDOP_AVG] = "avg",
};

const char *
dtype_name(enum dtype type)
{
    return types[type].name;
}

const char *
redop_name(enum redop op)
{
    return ops[op];
}

bool
dtype_find(const char *name, enum dtype *type)
{
    for (int i = 0; i < DTYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return *type = (enum dtype)i, true;
    return false;
}

bool
redop_find(const char *name, enum redop *op)
{
    for (int i = 0; i < REDOPS; i++)
        if (strcmp(ops[i], name) == 0)
            return *op = (enum redop)i, true;
    return false;
}

size_t
dtype_size(enum dtype type)
{
    return types[type].size;
}

bool
dtype_is_float(enum dtype type)
{
    return types[type].epsilon > 0;
}

double
dtype_epsilon(enum dtype type)
{
    return types[type].epsilon;
}

static bool
parse_integer(const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0' && *value >= least && *value <= most;
}

/* Infinity only where it says so. */
static bool
parse_float(const char *text, bool single, double *value)
{
    char *end;

    *value = single ? (double)strtof(text, &end) : strtod(text, &end);
    return *end == '\0' && (!isinf(*value) || strpbrk(text, "iI") != NULL);
}

bool
dtype_parse(enum dtype type, const char *text, void *element)
{
    int64_t whole = 0;
    double real = 0;

    if (*text == '\0' || strchr(" \t\n\r\v\f", *text) != NULL)
        return false;
    switch (type) {
    case DTYPE_FLOAT32:
        if (!parse_float(text, true, &real))
            return false;
        return memcpy(element, &(float){(float)real}, 4), true;
    case DTYPE_FLOAT64:
        if (!parse_float(text, false, &real))
            return false;
        return memcpy(element, &real, 8), true;
    case DTYPE_INT32:
        if (!parse_integer(text, INT32_MIN, INT32_MAX, &whole))
            return false;
        return memcpy(element, &(int32_t){(int32_t)whole}, 4), true;
    case DTYPE_INT64:
        if (!parse_integer(text, INT64_MIN, INT64_MAX, &whole))
            return false;
        return memcpy(element, &whole, 8), true;
    case DTYPE_UINT8:
        if (!parse_integer(text, 0, UINT8_MAX, &whole))
            return false;
        return memcpy(element, &(uint8_t){(uint8_t)whole}, 1), true;
    case DTYPES:
        break;
    }
    assert(!"no such type");
    return false;
}

/* The shortest of the forms with 6 digits (15 for float64) and with enough
 * digits to be read back exactly. */
static void
format_float(double value, int few, int all, bool single,
             char text[DTYPE_TEXT_MAX])
{
    snprintf(text, DTYPE_TEXT_MAX, "%.*g", few, value);
    double back = strtod(text, NULL);
    if (single ? (float)back != (float)value : back != value)
        snprintf(text, DTYPE_TEXT_MAX, "%.*g", all, value);
}

void
dtype_format(enum dtype type, const void *element, char text[DTYPE_TEXT_MAX])
{
    float f;
    double d;
    int32_t i;
    int64_t l;

    switch (type) {
    case DTYPE_FLOAT32:
        memcpy(&f, element, sizeof f);
        format_float((double)f, 6, 9, true, text);
        return;
    case DTYPE_FLOAT64:
        memcpy(&d, element, sizeof d);
        format_float(d, 15, 17, false, text);
        return;
    case DTYPE_INT32:
        memcpy(&i, element, sizeof i);
        snprintf(text, DTYPE_TEXT_MAX, "%" PRId32, i);
        return;
    case DTYPE_INT64:
        memcpy(&l, element, sizeof l);
        snprintf(text, DTYPE_TEXT_MAX, "%" PRId64, l);
        return;
    case DTYPE_UINT8:
        snprintf(text, DTYPE_TEXT_MAX, "%u", *(const uint8_t *)element);
        return;
    case DTYPES:
        break;
    }
    assert(!"no such type");
}

void
dtype_default(enum dtype type, enum redop op, int rank, int64_t index,
              void *element)
{
    /* A multiplication table modulo a prime.  The two further terms break its
     * period, so that chunks whose starts are 251 elements apart differ too. */
    int64_t row = rank % 250 + 1;
    int64_t column = (1 + index + index / 251 + index / 63001) % 251;
    int64_t value = row * column % 251;

    if (op == REDOP_PROD)
        /* Odd: a factor that is wrong stays visible modulo 2^bits. */
        value |= 1;
    double real = op == REDOP_PROD ? 1 + (double)(value - 125) / 1024
                                   : (double)value;
    switch (type) {
    case DTYPE_FLOAT32:
        memcpy(element, &(float){(float)real}, 4);
        return;
    case DTYPE_FLOAT64:
        memcpy(element, &real, 8);
        return;
    case DTYPE_INT32:
        memcpy(element, &(int32_t){(int32_t)value}, 4);
        return;
    case DTYPE_INT64:
        memcpy(element, &value, 8);
        return;
    case DTYPE_UINT8:
        memcpy(element, &(uint8_t){(uint8_t)value}, 1);
        return;
    case DTYPES:
        break;
    }
    assert(!"no such type");
}
