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
#include "base/near.h"
#include "play/prediction.h"
#include "run/backend.h"
#include "schedule/topology.h"
#include "text/bench_table.h"
#include "view/frame.h"

const char *
words_backend(int i)
{
    const struct backend *b = i > 0 ? backend_at(i - 1) : NULL;

    return i == 0 ? "auto" : b != NULL ? b->name : NULL;
}

const char *
words_chunks(int i)
{
    return i == 0 ? "auto" : NULL;
}

const char *
words_pace(int i)
{
    static const char *const words[] = {"lockstep", "free", NULL};

    return words[i];
}

const char *
words_type(int i)
{
    return i < DTYPES ? dtype_name((enum dtype)i) : NULL;
}

const char *
words_op(int i)
{
    return i < REDOPS ? redop_name((enum redop)i) : NULL;
}

const char *
words_bench_type(int i)
{
    return i < DTYPES    ? bench_type_name((enum dtype)i)
           : i == DTYPES ? "all"
                         : NULL;
}

const char *
words_bench_op(int i)
{
    return i == REDOPS ? "all" : words_op(i);
}

void
words_add(option_words *words, struct buf *out)
{
    const char *word;

    for (int i = 0; (word = words(i)) != NULL; i++)
        buf_addf(out, "%s%s", i > 0 ? ", " : "", word);
}

/* Returns false, with an error that says which words of a list, which ends with
 * NULL, the option takes. */
static bool
refuse_word(const char *option, const char *value, const char *const *list,
            struct err *err)
{
    struct buf text = {0};

    near_among(value, list, &text);
    err_set(err, "%s '%s': %s", option, value, buf_text(&text));
    buf_done(&text);
    return false;
}

static bool
refuse(const char *option, const char *value, option_words *words,
       struct err *err)
{
    enum { MOST = 16 };
    const char *list[MOST] = {NULL};

    for (int i = 0; i < MOST - 1 && (list[i] = words(i)) != NULL; i++)
        continue;
    return refuse_word(option, value, list, err);
}

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
    static const char *const kinds[] = {"drop", "repeat", "corrupt", NULL};
    static const enum instr_fault faults[] = {FAULT_DROP, FAULT_REPEAT,
                                              FAULT_CORRUPT};
    char kind[16], step[16], src[16], rest;

    o->fault.kind = FAULT_NONE;
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%15[^:]:%15[^:]:%15[^:]%c", kind, step, src, &rest) != 3)
        return err_set(err, "--fault '%s' must be KIND:STEP:SRC, as in "
                       "drop:1:2", text);
    for (int i = 0; kinds[i] != NULL; i++)
        if (strcmp(kinds[i], kind) == 0)
            o->fault.kind = faults[i];
    if (o->fault.kind == FAULT_NONE)
        return refuse_word("--fault", kind, kinds, err);
    return parse_int("--fault's step", step, 1, INT32_MAX, &o->fault.step,
                     err) &&
           parse_int("--fault's rank", src, 0, SCHEDULE_RANKS_MAX - 1,
                     &o->fault.src, err);
}

/* KIND:SEED */
bool
parse_broken(struct options *o, const char *text, struct err *err)
{
    struct broken_option *b = &o->broken;
    char kind[16], seed[16], rest;
    int64_t number;

    *b = (struct broken_option){.given = false};
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%15[^:]:%15[^:]%c", kind, seed, &rest) != 2)
        return err_set(err, "--broken '%s' must be KIND:SEED, as in lost:7",
                       text);
    while (break_names[b->kind] != NULL &&
           strcmp(break_names[b->kind], kind) != 0)
        b->kind++;
    if (break_names[b->kind] == NULL)
        return refuse_word("--broken", kind, break_names, err);
    b->given = parse_number("--broken's seed", seed, 0, UINT32_MAX, &number,
                            err);
    b->seed = (uint32_t)number;
    return b->given;
}

/* A file is read here, once: it may be a pipe, or change. */
bool
parse_network(struct options *o, const char *text, struct err *err)
{
    if (strcmp(text, "none") == 0) {
        o->network.name[0] = '\0';
        return true;
    }
    if (o->scripted && network_is_file(text))
        return err_set(err, "--network %s: a lesson reads no files", text);
    return network_parse(text, &o->network, err);
}

/* RANK=root:K, RANK=count:K or RANK=algorithm:NAME */
bool
parse_mismatch(struct options *o, const char *text, struct err *err)
{
    static const char *const kinds[] = {"root", "count", "algorithm", NULL};
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
        return refuse_word("--mismatch", kind, kinds, err);
    m->kind = MISMATCH_ALGORITHM;
    snprintf(m->algorithm, sizeof m->algorithm, "%s", value);
    return true;
}

bool
parse_type(struct options *o, const char *text, struct err *err)
{
    return dtype_find(text, &o->type) ||
           refuse("--type", text, words_type, err);
}

bool
parse_op(struct options *o, const char *text, struct err *err)
{
    return redop_find(text, &o->op) ||
           refuse("--op", text, words_op, err);
}

bool
parse_gpus(struct options *o, const char *text, struct err *err)
{
    const char *dots = strstr(text, "..");
    char *first = mem_string(text);
    bool ok;

    if (dots != NULL)
        first[dots - text] = '\0';
    o->last_ranks = 0;
    ok = parse_int("--gpus", first, 1, SCHEDULE_RANKS_MAX, &o->nranks, err) &&
         (dots == NULL || parse_int("--gpus", dots + 2, o->nranks,
                                    SCHEDULE_RANKS_MAX, &o->last_ranks, err));
    free(first);
    return ok;
}

bool
parse_chunks(struct options *o, const char *text, struct err *err)
{
    struct err why;

    if (strcmp(text, words_chunks(0)) == 0)
        o->chunks = CHUNKS_AUTO;
    else if (!parse_int("--chunks", text, 1, SCHEDULE_SLOTS_MAX, &o->chunks,
                        &why))
        return err_set(err, "%s, or auto", why.text);
    return true;
}

bool
parse_pace(struct options *o, const char *text, struct err *err)
{
    o->free = strcmp(text, "free") == 0;
    return o->free || strcmp(text, "lockstep") == 0 ||
           refuse("--pace", text, words_pace, err);
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

bool
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
parse_bench_type(struct options *o, const char *text, struct err *err)
{
    o->bench.all_types = strcmp(text, "all") == 0;
    return o->bench.all_types || bench_type_find(text, &o->type) ||
           refuse("--datatype", text, words_bench_type, err);
}

bool
parse_bench_op(struct options *o, const char *text, struct err *err)
{
    o->bench.all_ops = strcmp(text, "all") == 0;
    return o->bench.all_ops || redop_find(text, &o->op) ||
           refuse("--op", text, words_bench_op, err);
}

/* -1: all of them */
bool
parse_bench_root(struct options *o, const char *text, struct err *err)
{
    o->bench.all_roots = strcmp(text, "-1") == 0;
    return o->bench.all_roots ||
           parse_int("--root", text, 0, SCHEDULE_RANKS_MAX - 1, &o->root, err);
}

/* Options that are refused. */

/* The names that mpirun, torchrun and nccl-tests use. */
static const struct {
    const char *theirs, *ours;
} others[] = {
    {"n", "gpus"},          {"np", "gpus"},         {"N", "gpus"},
    {"g", "gpus"},          {"ngpus", "gpus"},      {"nproc", "gpus"},
    {"nprocs", "gpus"},     {"num-gpus", "gpus"},   {"nranks", "gpus"},
    {"nproc-per-node", "gpus"}, {"nproc_per_node", "gpus"},
    {"world-size", "gpus"}, {"d", "type"},          {"dtype", "type"},
    {"datatype", "type"},   {"type", "datatype"},   {"dtype", "datatype"},
    {"o", "op"},            {"r", "root"},          {"v", "version"},
    {"V", "version"},
};

static bool
is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* The number in -n4, -n=4 and -n 4, or "N" if there is none.  `rest` is the
 * text after the name. */
static const char *
number_after(const char *rest, const char *next)
{
    rest += *rest == '=';
    if (is_number(rest))
        return rest;
    return *rest == '\0' && next != NULL && is_number(next) ? next : "N";
}

/* The one of `names` that another program's name means; NULL: there is none. */
static const char *
our_name(const char *name, size_t length, const char *const *names)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for (int k = 0; names[k] != NULL; k++)
            if (strlen(others[i].theirs) == length &&
                strncmp(others[i].theirs, name, length) == 0 &&
                strcmp(others[i].ours, names[k]) == 0)
                return names[k];
    return NULL;
}

/* How many names begin with this text; 1 if one of them equals it. */
static int
beginnings(const char *name, size_t length, const char *const *names,
           struct buf *all)
{
    int count = 0;

    for (int i = 0; names[i] != NULL; i++) {
        if (strncmp(names[i], name, length) != 0)
            continue;
        if (names[i][length] == '\0')
            return 1;
        buf_addf(all, "%s--%s", count++ > 0 ? ", " : "", names[i]);
    }
    return count;
}

/* Whether it names a file for the output, as in -o out.svg. */
static bool
is_output(const char *name, size_t length, const char *value)
{
    static const char *const theirs[] = {"o", "out", "output"};
    enum redop op;

    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++)
        if (strlen(theirs[i]) == length &&
            strncmp(theirs[i], name, length) == 0)
            return value == NULL || !redop_find(value, &op);
    return false;
}

bool
parse_hint(char *const *word, const char *const *names,
            const char *elsewhere, struct err *err)
{
    const char *name = *word + strspn(*word, "-");
    bool is_long = name - *word > 1;
    size_t length = strcspn(name, is_long ? "=" : "=0123456789");
    const char *ours = our_name(name, length, names);
    struct near n = {.word = name};
    struct buf all = {0}, meant = {0};
    int count = is_long ? beginnings(name, length, names, &all) : 0;

    for (int i = 0; names[i] != NULL; i++)
        near_try(&n, names[i]);
    near_add(&n, "--", &meant);
    if (is_output(name, length, name[length] == '=' ? name + length + 1
                                                     : word[1]))
        err_set(err, "there is no option '%s'; what is printed goes into a "
                "file with > FILE (collviz --help)", *word);
    else if (ours != NULL)
        err_set(err, "there is no option '%s'; say --%s%s%s (collviz --help)",
                *word,
                ours, strcmp(ours, "gpus") == 0 ? " " : "",
                strcmp(ours, "gpus") == 0
                    ? number_after(name + length, word[1]) : "");
    else if (count > 1)
        err_set(err, "'%s' stands for several options: %s", *word,
                buf_text(&all));
    else if (count == 1)
        err_set(err, "'%s': this option takes no value (collviz --help)",
                *word);
    else if (elsewhere != NULL)
        err_set(err, "%s", elsewhere);
    else
        err_set(err, "there is no option '%s'%s (collviz --help)", *word,
                buf_text(&meant));
    buf_done(&all);
    buf_done(&meant);
    return false;
}
