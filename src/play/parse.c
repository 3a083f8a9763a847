/* SPDX-License-Identifier: MIT */
#include "play/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/language.h"
#include "base/mem.h"
#include "draw/layout.h"
#include "play/option_words.h"
#include "run/run_options.h"
#include "schedule/topology.h"
#include "text/bench_table.h"

bool
parse_number(const char *name, const char *text, int64_t least, int64_t most,
             int64_t *value, struct err *err)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *value < least ||
        *value > most || strchr(" \t\n+", *text) != NULL)
        return err_set(err, "%s '%s' must be a whole number from %" PRId64
                       " to %" PRId64, name, text, least, most);
    return true;
}

bool
parse_int(const char *name, const char *text, int least, int most, int *value,
          struct err *err)
{
    int64_t wide;

    if (!parse_number(name, text, least, most, &wide, err))
        return false;
    *value = (int)wide;
    return true;
}

/* RANK=MS */
bool
parse_delay(struct options *o, const char *text, struct err *err)
{
    enum { HOUR_MS = 3600 * 1000 };
    const char *equals = strchr(text, '=');
    struct delay delay = {0};
    int64_t ms = 0;
    char rank[16];

    if (equals == NULL || equals - text >= (int)sizeof rank)
        return err_set(err, "--delay '%s' must be RANK=MS, as in 1=200",
                       text);
    snprintf(rank, sizeof rank, "%.*s", (int)(equals - text), text);
    if (!parse_int("--delay's rank", rank, 0, SCHEDULE_RANKS_MAX - 1,
                   &delay.rank, err))
        return false;
    if (strcmp(equals + 1, "inf") == 0)
        delay.ns = DELAY_FOREVER;
    else if (parse_number("--delay's milliseconds", equals + 1, 0, HOUR_MS,
                          &ms, err))
        delay.ns = ms * 1000000;
    else
        return false;
    o->delays = mem_grow(o->delays, o->ndelays, &o->delays_capacity,
                         sizeof *o->delays);
    o->delays[o->ndelays++] = delay;
    return true;
}

/* KIND:STEP:SRC */
bool
parse_fault(struct options *o, const char *text, struct err *err)
{
    static const enum instr_fault faults[] = {FAULT_DROP, FAULT_REPEAT,
                                              FAULT_CORRUPT};
    const char *word;
    char kind[16], step[16], src[16], rest;

    o->fault.kind = FAULT_NONE;
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%15[^:]:%15[^:]:%15[^:]%c", kind, step, src, &rest) != 3)
        return err_set(err, "--fault '%s' must be KIND:STEP:SRC, as in "
                       "drop:1:2", text);
    for (int i = 0; (word = words_fault(i)) != NULL; i++)
        if (strcmp(word, kind) == 0)
            o->fault.kind = faults[i];
    if (o->fault.kind == FAULT_NONE)
        return words_refuse("--fault", kind, words_fault, err);
    return parse_int("--fault's step", step, 1, INT32_MAX, &o->fault.step,
                     err) &&
           parse_int("--fault's rank", src, 0, SCHEDULE_RANKS_MAX - 1,
                     &o->fault.src, err);
}

/* RANK=root:K, RANK=count:K or RANK=algorithm:NAME */
bool
parse_mismatch(struct options *o, const char *text, struct err *err)
{
    struct mismatch_option *m = &o->mismatch;
    char rank[16], kind[16], value[SCHEDULE_NAME_MAX], rest;

    m->kind = MISMATCH_NONE;
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%15[^=]=%15[^:]:%63[^\n]%c", rank, kind, value,
               &rest) != 3)
        return err_set(err, "--mismatch '%s' must be RANK=root:K, RANK=count:K "
                       "or RANK=algorithm:NAME, as in 2=root:1", text);
    if (!parse_int("--mismatch's rank", rank, 0, SCHEDULE_RANKS_MAX - 1,
                   &m->rank, err))
        return false;
    if (strcmp(kind, "root") == 0) {
        m->kind = MISMATCH_ROOT;
        return parse_int("--mismatch's root", value, 0, SCHEDULE_RANKS_MAX - 1,
                         &m->root, err);
    }
    if (strcmp(kind, "count") == 0) {
        m->kind = MISMATCH_COUNT;
        return parse_number("--mismatch's count", value, 0, INT64_C(1) << 40,
                            &m->count, err);
    }
    if (strcmp(kind, "algorithm") != 0)
        return words_refuse("--mismatch", kind, words_mismatch, err);
    m->kind = MISMATCH_ALGORITHM;
    snprintf(m->algorithm, sizeof m->algorithm, "%s", value);
    return true;
}

bool
parse_type(struct options *o, const char *text, struct err *err)
{
    return dtype_find(text, &o->type) ||
           words_refuse("--type", text, words_type, err);
}

bool
parse_op(struct options *o, const char *text, struct err *err)
{
    return redop_find(text, &o->op) ||
           words_refuse("--op", text, words_op, err);
}

bool
parse_pace(struct options *o, const char *text, struct err *err)
{
    o->free = strcmp(text, "free") == 0;
    return o->free || strcmp(text, "lockstep") == 0 ||
           words_refuse("--pace", text, words_pace, err);
}

/* COLSxROWS */
bool
parse_size(struct options *o, const char *text, struct err *err)
{
    enum { COLUMNS_MOST = 500, ROWS_MOST = 200 };
    const char *x = strchr(text, 'x');
    char columns[16];
    struct err why;

    snprintf(columns, sizeof columns, "%.*s",
             x != NULL ? (int)(x - text) : 0, text);
    o->sized = true;
    return (x != NULL &&
            parse_int("", columns, LAYOUT_COLUMNS_FULL, COLUMNS_MOST,
                      &o->columns, &why) &&
            parse_int("", x + 1, LAYOUT_ROWS_FULL, ROWS_MOST, &o->rows,
                      &why)) ||
           err_set(err, "--size '%s' must be COLSxROWS, %dx%d to "
                   "%dx%d", text, LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL,
                   COLUMNS_MOST, ROWS_MOST);
}

bool
parse_lang(struct options *o, const char *text, struct err *err)
{
    (void)o;
    return language_init(text, err);
}

/* XxY or XxYxZ */
bool
parse_shape(struct options *o, const char *text, struct err *err)
{
    char *copy = mem_string(text), *rest = copy, *word;
    struct err why;
    bool ok = true;
    int n = 0;

    memset(o->dims, 0, sizeof o->dims);
    while (ok && (word = strsep(&rest, "x")) != NULL)
        ok = n < TOPOLOGY_DIMS &&
             parse_int("", word, 1, SCHEDULE_RANKS_MAX, &o->dims[n++], &why);
    free(copy);
    return (ok && n > 1) ||
           err_set(err, "--shape '%s' must be two or three sizes, as in "
                   "2x4 or 2x2x2", text);
}

/* A number with K, M or G for powers of 1024, as nccl-tests reads it: "8",
 * "1.5M", "64 KB". */
static bool
parse_bytes(const char *name, const char *text, int64_t *bytes,
            struct err *err)
{
    static const char letters[] = "kmg";
    const char *unit = text + strspn(text, "0123456789.");
    double value, most = (double)(INT64_C(1) << 50);
    const char *letter;
    char *end;
    int power = 0;
    bool is_number;

    value = strtod(text, &end);
    is_number = end != text && end == unit; /* not so for "0x1" and "1.2.3" */
    if (is_number) {
        unit += strspn(unit, " ");
        letter = *unit != '\0' ? strchr(letters, *unit | 0x20) : NULL;
        if (letter != NULL) {
            power = (int)(letter - letters) + 1;
            unit++;
        }
        if (strcasecmp(unit, "b") == 0 || strcasecmp(unit, "ib") == 0)
            unit = "";
    }
    value = ldexp(value, 10 * power);
    if (!is_number || *unit != '\0' || !(value <= most))
        return err_set(err, "%s '%s' must be a number of bytes, as in 8, 64K, "
                       "1.5M or 1G, at most 2^50", name, text);
    *bytes = (int64_t)value;
    return true;
}

bool
parse_min_bytes(struct options *o, const char *text, struct err *err)
{
    return parse_bytes("--minbytes", text, &o->bench.min_bytes, err);
}

bool
parse_max_bytes(struct options *o, const char *text, struct err *err)
{
    return parse_bytes("--maxbytes", text, &o->bench.max_bytes, err);
}

bool
parse_step_bytes(struct options *o, const char *text, struct err *err)
{
    return parse_bytes("--stepbytes", text, &o->bench.step_bytes, err);
}

bool
parse_chart_bytes(struct options *o, const char *text, struct err *err)
{
    return parse_bytes("--bytes", text, &o->bytes, err);
}

bool
parse_bench_type(struct options *o, const char *text, struct err *err)
{
    o->bench.all_types = strcmp(text, "all") == 0;
    return o->bench.all_types || bench_type_find(text, &o->type) ||
           words_refuse("--datatype", text, words_bench_type, err);
}

bool
parse_bench_op(struct options *o, const char *text, struct err *err)
{
    o->bench.all_ops = strcmp(text, "all") == 0;
    return o->bench.all_ops || redop_find(text, &o->op) ||
           words_refuse("--op", text, words_bench_op, err);
}

/* -1: all of them */
bool
parse_bench_root(struct options *o, const char *text, struct err *err)
{
    o->bench.all_roots = strcmp(text, "-1") == 0;
    return o->bench.all_roots ||
           parse_int("--root", text, 0, SCHEDULE_RANKS_MAX - 1, &o->root, err);
}
