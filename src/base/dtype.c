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

#include "base/buf.h"
#include "base/half.h"
#include "base/mem.h"

/* A number on its way to 16 bits, as a float; it must not be rounded twice.  If
 * it is between two floats, the one with an odd fraction is on the number's
 * side of any middle between two 16-bit neighbours, so rounding it again gives
 * the right result. */
static float
nearby_odd(double value)
{
    float f = (float)value;

    if ((double)f != value && (float_bits(f) & 1) == 0)
        f = nextafterf(f, value > (double)f ? INFINITY : -INFINITY);
    return f;
}

static uint16_t
float16_from_double(double value)
{
    return float16_from_float(nearby_odd(value));
}

static uint16_t
bfloat16_from_double(double value)
{
    return bfloat16_from_float(nearby_odd(value));
}

/* How an element of `type` is converted to a number and back. */
#define NUMBER(prefix, type, number, read, write)                             \
    static number prefix##_get(const void *element)                           \
    {                                                                         \
        type x;                                                               \
        memcpy(&x, element, sizeof x);                                        \
        return (number)read(x);                                               \
    }                                                                         \
    static void prefix##_set(number value, void *element)                     \
    {                                                                         \
        type x = write(value);                                                \
        memcpy(element, &x, sizeof x);                                        \
    }

NUMBER(float32, float, double, , (float))
NUMBER(float64, double, double, , )
NUMBER(float16, uint16_t, double, float16_to_float, float16_from_double)
NUMBER(bfloat16, uint16_t, double, bfloat16_to_float, bfloat16_from_double)
NUMBER(int32, int32_t, int64_t, , (int32_t))
NUMBER(int64, int64_t, int64_t, , )
NUMBER(uint8, uint8_t, int64_t, , (uint8_t))

static const struct {
    const char *name;
    size_t size;

    /* floats */
    struct dtype_limits limits;
    int digits, digits_exact; /* in text: usually enough, always enough */
    double (*real)(const void *element);
    void (*set_real)(double value, void *element);

    /* integers */
    int64_t least, most;
    int64_t (*whole)(const void *element);
    void (*set_whole)(int64_t value, void *element);
} types[DTYPES] = {
#define FLOAT(type, bytes, epsilon, tiny, huge, few, all)                     \
    {.name = #type, .size = bytes, .limits = {epsilon, tiny, huge},           \
     .digits = few, .digits_exact = all,                                      \
     .real = type##_get, .set_real = type##_set}
#define INTEGER(type, bytes, low, high)                                       \
    {.name = #type, .size = bytes, .least = low, .most = high,                \
     .whole = type##_get, .set_whole = type##_set}
    [DTYPE_FLOAT32] =
        FLOAT(float32, 4, FLT_EPSILON, FLT_TRUE_MIN, FLT_MAX, 6, 9),
    [DTYPE_FLOAT64] =
        FLOAT(float64, 8, DBL_EPSILON, DBL_TRUE_MIN, DBL_MAX, 15, 17),
    [DTYPE_FLOAT16] = FLOAT(float16, 2, 0x1p-10, 0x1p-24, 65504, 6, 6),
    [DTYPE_BFLOAT16] =
        FLOAT(bfloat16, 2, 0x1p-7, 0x1p-133, 0x1.fep127, 6, 6),
    [DTYPE_INT32] = INTEGER(int32, 4, INT32_MIN, INT32_MAX),
    [DTYPE_INT64] = INTEGER(int64, 8, INT64_MIN, INT64_MAX),
    [DTYPE_UINT8] = INTEGER(uint8, 1, 0, UINT8_MAX),
};

/* The value that wins against all others, if there is one. */
enum winner {
    WINNER_NONE,
    WINNER_LEAST,
    WINNER_MOST,
    WINNER_ZERO,
    WINNER_ONES
};

static const struct {
    const char *name;
    const char *sign; /* NULL: it is written as a function */
    enum winner winner;
} ops[REDOPS] = {
    [REDOP_SUM] = {"sum", "+", WINNER_NONE},
    [REDOP_PROD] = {"prod", "*", WINNER_NONE},
    [REDOP_MIN] = {"min", NULL, WINNER_LEAST},
    [REDOP_MAX] = {"max", NULL, WINNER_MOST},
    [REDOP_AVG] = {"avg", "+", WINNER_NONE},
    [REDOP_LAND] = {"land", "&&", WINNER_ZERO},
    [REDOP_LOR] = {"lor", "||", WINNER_ONES},
    [REDOP_BAND] = {"band", "&", WINNER_ZERO},
    [REDOP_BOR] = {"bor", "|", WINNER_ONES},
    [REDOP_BXOR] = {"bxor", "^", WINNER_NONE},
};

const char *
dtype_name(enum dtype type)
{
    return types[type].name;
}

const char *
redop_name(enum redop op)
{
    return ops[op].name;
}

const char *
redop_sign(enum redop op)
{
    return ops[op].sign;
}

bool
redop_adds(enum redop op)
{
    return op == REDOP_SUM || op == REDOP_AVG;
}

int
redop_count(enum dtype type)
{
    return dtype_is_float(type) ? REDOP_LAND : REDOPS;
}

bool
redop_check(enum redop op, enum dtype type, struct err *err)
{
    OWN(buf) names = {0};

    if ((int)op < redop_count(type))
        return true;
    for (int i = 0; i < DTYPES; i++)
        if ((int)op < redop_count((enum dtype)i))
            buf_addf(&names, "%s%s", names.length > 0 ? ", " : "",
                     dtype_name((enum dtype)i));
    return err_set(err, "%s is not for %s: the types that have it are %s",
                   redop_name(op), dtype_name(type), buf_text(&names));
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
        if (strcmp(ops[i].name, name) == 0)
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
    return types[type].real != NULL;
}

const struct dtype_limits *
dtype_limits(enum dtype type)
{
    assert(dtype_is_float(type));
    return &types[type].limits;
}

double
dtype_real(enum dtype type, const void *element)
{
    return types[type].real(element);
}

void
dtype_set_real(enum dtype type, double value, void *element)
{
    types[type].set_real(value, element);
}

int64_t
dtype_whole(enum dtype type, const void *element)
{
    return types[type].whole(element);
}

void
dtype_set_whole(enum dtype type, int64_t value, void *element)
{
    types[type].set_whole(value, element);
}

static bool
parse_integer(enum dtype type, const char *text, void *element)
{
    char *end;
    int64_t value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < types[type].least ||
        value > types[type].most)
        return false;
    return dtype_set_whole(type, value, element), true;
}

/* Accepts an infinity only if the text says so; overflow is refused. */
static bool
parse_float(enum dtype type, const char *text, void *element)
{
    char *end;
    double value = type == DTYPE_FLOAT32 ? (double)strtof(text, &end)
                                         : strtod(text, &end);

    dtype_set_real(type, value, element);
    return *end == '\0' && (!isinf(dtype_real(type, element)) ||
                            strpbrk(text, "iI") != NULL);
}

bool
dtype_parse(enum dtype type, const char *text, void *element)
{
    if (*text == '\0' || strchr(" \t\n\r\v\f", *text) != NULL)
        return false;
    return dtype_is_float(type) ? parse_float(type, text, element)
                                : parse_integer(type, text, element);
}

static void
format_float(enum dtype type, const void *element, char text[DTYPE_TEXT_MAX])
{
    unsigned char back[DTYPE_SIZE_MAX];
    double value = dtype_real(type, element);

    /* The same text, faster: screens show many such numbers in each frame. */
    if (value > 0 && value < 1e6 && value == floor(value)) {
        snprintf(text, DTYPE_TEXT_MAX, "%ld", (long)value);
        return;
    }
    if (isnan(value)) { /* without its sign */
        snprintf(text, DTYPE_TEXT_MAX, "nan");
        return;
    }
    snprintf(text, DTYPE_TEXT_MAX, "%.*g", types[type].digits, value);
    dtype_set_real(type, strtod(text, NULL), back);
    if (memcmp(back, element, dtype_size(type)) != 0)
        snprintf(text, DTYPE_TEXT_MAX, "%.*g", types[type].digits_exact,
                 value);
}

void
dtype_format(enum dtype type, const void *element, char text[DTYPE_TEXT_MAX])
{
    if (dtype_is_float(type))
        format_float(type, element, text);
    else
        snprintf(text, DTYPE_TEXT_MAX, "%" PRId64,
                 dtype_whole(type, element));
}

void
dtype_unwritten(enum dtype type, enum redop op, void *element)
{
    const struct {
        double real;
        int64_t whole;
    } values[] = {
        [WINNER_NONE] = {NAN, (int64_t)0xabababababababab},
        [WINNER_LEAST] = {-INFINITY, types[type].least},
        [WINNER_MOST] = {INFINITY, types[type].most},
        [WINNER_ZERO] = {NAN, 0},
        [WINNER_ONES] = {NAN, -1},
    }, *value = &values[ops[op].winner];

    if (dtype_is_float(type))
        dtype_set_real(type, value->real, element);
    else
        dtype_set_whole(type, value->whole, element);
}

/* A column of a multiplication table modulo a prime.  Two more terms break its
 * period, so that chunks that start `prime` elements apart differ too. */
static inline int64_t
table_column(int64_t prime, int64_t other, int64_t index)
{
    return (1 + index + index / prime + index / other) % prime;
}

static inline int64_t
from_table(int64_t prime, int64_t other, int rank, int64_t index)
{
    int64_t row = rank % (prime - 1) + 1;

    return row * table_column(prime, other, index) % prime;
}

/* The same, but odd: so never 0, and a wrong factor stays visible modulo
 * 2^bits. */
static inline int64_t
odd_from_table(int rank, int64_t index)
{
    return from_table(251, 63001, rank, index) | 1;
}

/* Whether the rank decides this element: each second one, in turn. */
static bool
is_decided_by(int rank, int64_t index)
{
    enum { TURNS = 125, CYCLE = 2 * TURNS + 1 };

    return (index + index / CYCLE) % CYCLE == rank % TURNS * 2 + 1;
}

/* A bit that goes from one place to the next with the rank and the index. */
static int64_t
own_bit(enum dtype type, int rank, int64_t index)
{
    int places = dtype_size(type) == 1 ? 7 : 30;

    return INT64_C(1) << (rank + index + index / places) % places;
}

static int64_t
default_whole(enum dtype type, enum redop op, int rank, int64_t index)
{
    switch (op) {
    case REDOP_SUM:
    case REDOP_MIN:
    case REDOP_MAX:
    case REDOP_AVG:
        return from_table(251, 63001, rank, index);
    case REDOP_PROD:
        return odd_from_table(rank, index);
    case REDOP_LAND:
        return is_decided_by(rank, index) ? 0 : odd_from_table(rank, index);
    case REDOP_LOR:
        return is_decided_by(rank, index) ? odd_from_table(rank, index) : 0;
    case REDOP_BAND:
        return ~own_bit(type, rank, index);
    case REDOP_BOR:
        return own_bit(type, rank, index);
    case REDOP_BXOR:
        return 3 * own_bit(type, rank, index);
    case REDOPS:
        break;
    }
    assert(!"an operator");
    return 0;
}

static double
default_real(enum dtype type, enum redop op, int rank, int64_t index)
{
    bool coarse = type == DTYPE_BFLOAT16; /* exact up to 256 only */
    int64_t value = coarse ? from_table(31, 37, rank, index)
                           : from_table(251, 63001, rank, index);

    if (op != REDOP_PROD)
        return (double)value;
    value |= 1;
    return 1 + (coarse ? (double)(value - 15) / 128
                       : (double)(value - 125) / 1024);
}

int
dtype_default_class(enum dtype type, enum redop op, int64_t index)
{
    if (op > REDOP_AVG)
        return -1; /* not from the table alone */
    return (int)(type == DTYPE_BFLOAT16 ? table_column(31, 37, index)
                                        : table_column(251, 63001, index));
}

void
dtype_default(enum dtype type, enum redop op, int rank, int64_t index,
              void *element)
{
    if (dtype_is_float(type))
        dtype_set_real(type, default_real(type, op, rank, index), element);
    else
        dtype_set_whole(type, default_whole(type, op, rank, index), element);
}

void
dtype_defaults(enum dtype type, enum redop op, int rank, int64_t index,
               int64_t count, void *elements)
{
    bool coarse = type == DTYPE_BFLOAT16;
    int64_t prime = coarse ? 31 : 251, other = coarse ? 37 : 63001;
    bool by_class = dtype_default_class(type, op, 0) >= 0 && count > prime;
    unsigned char of_class[2 * DTYPE_CLASSES * DTYPE_SIZE_MAX];
    unsigned char *to = elements;
    size_t size = dtype_size(type);

    for (int64_t i = 0; !by_class && i < count; i++)
        dtype_default(type, op, rank, index + i, to + (size_t)i * size);
    /* Two periods: a stretch may begin anywhere in the first. */
    for (int64_t i = 0; by_class && i < 2 * prime; i++)
        dtype_default(type, op, rank, (i + prime - 1) % prime,
                      of_class + (size_t)i * size);
    for (int64_t length; by_class && count > 0; count -= length) {
        /* Columns follow one another until index / prime or index / other
         * grows. */
        length = prime - index % prime;
        length = length < other - index % other ? length
                                                : other - index % other;
        length = length < count ? length : count;
        memcpy(to, of_class + (size_t)table_column(prime, other, index) * size,
               (size_t)length * size);
        to += (size_t)length * size;
        index += length;
    }
}
