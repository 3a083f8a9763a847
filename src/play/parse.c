/* SPDX-License-Identifier: MIT */
#include "play/parse.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/language.h"
#include "base/mem.h"
#include "base/near.h"
#include "coll/coll.h"
#include "event/stream.h"
#include "play/build.h"
#include "run/backend.h"
#include "text/bench_table.h"
#include "view/frame.h"

const char *
words_at(enum word_list list, int i)
{
    static const char *const paces[] = {"lockstep", "free", NULL};
    static const char *const mismatches[] = { /* enum mismatch_kind */
        "root", "count", "algorithm", NULL};

    switch (list) {
    case WORDS_BACKEND:
        if (i > 0)
            return backend_at(i - 1) != NULL ? backend_at(i - 1)->name : NULL;
        return "auto";
    case WORDS_CHUNKS:
        return i == 0 ? "auto" : NULL;
    case WORDS_PACE:
        return paces[i];
    case WORDS_FAULT:
        return stream_faults[FAULT_DROP + i];
    case WORDS_MISMATCH:
        return mismatches[i];
    case WORDS_RULES:
        return mismatch_rules[i];
    case WORDS_BROKEN:
        return break_names[i];
    case WORDS_TYPE:
        return i < DTYPES ? dtype_name((enum dtype)i) : NULL;
    case WORDS_BENCH_TYPE:
        return i < DTYPES    ? bench_type_name((enum dtype)i)
               : i == DTYPES ? "all"
                             : NULL;
    case WORDS_OP:
    case WORDS_BENCH_OP:
        if (i < REDOPS)
            return redop_name((enum redop)i);
        return i == REDOPS && list == WORDS_BENCH_OP ? "all" : NULL;
    case WORDS_VIEW:
        return view_at(i) != NULL ? view_at(i)->name : NULL;
    default:
        return NULL;
    }
}

bool
parse_word(const char *name, const char *text, enum word_list words,
           int *value, struct err *err)
{
    enum { MOST = 16 };
    const char *list[MOST] = {NULL};
    OWN(buf) meant = {0};

    for (int i = 0; i < MOST - 1 && (list[i] = words_at(words, i)) != NULL; i++)
        if (strcmp(list[i], text) == 0) {
            *value = i;
            return true;
        }
    near_among(text, list, &meant);
    return err_set(err, "%s '%s': %s", name, text, buf_text(&meant));
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

static bool
parse_rank(const char *name, const char *text, int *rank, struct err *err)
{
    return parse_int(name, text, 0, SCHEDULE_RANKS_MAX - 1, rank, err);
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
    bool is_number;

    value = strtod(text, &end);
    is_number = end != text && end == unit; /* not so for "0x1" and "1.2.3" */
    if (is_number) {
        unit += strspn(unit, " ");
        letter = *unit != '\0' ? strchr(letters, *unit | 0x20) : NULL;
        if (letter != NULL) {
            value = ldexp(value, 10 * (int)(letter - letters + 1));
            unit++;
        }
        if (strcasecmp(unit, "b") == 0 || strcasecmp(unit, "ib") == 0)
            unit = "";
    }
    if (!is_number || *unit != '\0' || !(value <= most))
        return err_set(err, "%s '%s' must be a number of bytes, as in 8, 64K, "
                       "1.5M or 1G, at most 2^50", name, text);
    *bytes = (int64_t)value;
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
    if (!parse_rank("--delay's rank", rank, &delay.rank, err))
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
    char kind[16], step[16], src[16], rest;
    int i;

    o->fault.kind = FAULT_NONE;
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%15[^:]:%15[^:]:%15[^:]%c", kind, step, src, &rest) != 3)
        return err_set(err, "--fault '%s' must be KIND:STEP:SRC, as in "
                       "drop:1:2", text);
    if (!parse_word("--fault", kind, WORDS_FAULT, &i, err))
        return false;
    o->fault.kind = (enum instr_fault)(FAULT_DROP + i);
    return parse_int("--fault's step", step, 1, INT32_MAX, &o->fault.step,
                     err) &&
           parse_rank("--fault's rank", src, &o->fault.src, err);
}

/* KIND:SEED */
bool
parse_broken(struct options *o, const char *text, struct err *err)
{
    struct broken_option *b = &o->broken;
    char kind[16], seed[16], rest;
    int64_t number;
    int i;

    *b = (struct broken_option){.given = false};
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%15[^:]:%15[^:]%c", kind, seed, &rest) != 2)
        return err_set(err, "--broken '%s' must be KIND:SEED, as in lost:7",
                       text);
    if (!parse_word("--broken", kind, WORDS_BROKEN, &i, err))
        return false;
    b->kind = (enum break_kind)i;
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
        o->network = (struct network){.name = ""};
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
    struct purpose_mismatch *m = &o->mismatch;
    char rank[16], kind[16], value[SCHEDULE_NAME_MAX], rest;
    int i;

    m->kind = MISMATCH_NONE;
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%15[^=]=%15[^:]:%63[^\n]%c", rank, kind, value,
               &rest) != 3)
        return err_set(err, "--mismatch '%s' must be RANK=root:K, RANK=count:K "
                       "or RANK=algorithm:NAME, as in 2=root:1", text);
    if (!parse_rank("--mismatch's rank", rank, &m->rank, err) ||
        !parse_word("--mismatch", kind, WORDS_MISMATCH, &i, err))
        return false;
    m->kind = MISMATCH_ROOT + i;
    if (m->kind == MISMATCH_ROOT)
        return parse_number("--mismatch's root", value, 0,
                            SCHEDULE_RANKS_MAX - 1, &m->number, err);
    if (m->kind == MISMATCH_COUNT)
        return parse_number("--mismatch's count", value, 0, INT64_C(1) << 40,
                            &m->number, err);
    snprintf(m->algorithm, sizeof m->algorithm, "%s", value);
    return true;
}

/* N, or for check N..M. */
bool
parse_gpus(struct options *o, const char *text, struct err *err)
{
    const char *dots = strstr(text, "..");
    OWN_MEMORY char *first = mem_string(text);

    if (dots != NULL)
        first[dots - text] = '\0';
    o->last_ranks = 0;
    return parse_int("--gpus", first, 1, SCHEDULE_RANKS_MAX, &o->nranks,
                     err) &&
           (dots == NULL || parse_int("--gpus", dots + 2, o->nranks,
                                      SCHEDULE_RANKS_MAX, &o->last_ranks,
                                      err));
}

bool
parse_chunks(struct options *o, const char *text, struct err *err)
{
    struct err why;

    if (strcmp(text, "auto") == 0)
        o->chunks = CHUNKS_AUTO;
    else if (!parse_int("--chunks", text, 1, SCHEDULE_SLOTS_MAX, &o->chunks,
                        &why))
        return err_set(err, "%s, or auto", why.text);
    return true;
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

/* Messages are in this language from now on. */
bool
parse_lang(struct options *o, const char *text, struct err *err)
{
    (void)o;
    return language_init(text, err);
}

bool
parse_address(const char *text, char *host, size_t size, int *port,
              struct err *err)
{
    const char *from = text + (text[0] == '['), *rest = strrchr(text, ':');
    unsigned char address[16];
    size_t length;
    bool closed;

    if (text[0] == '[')
        rest = text + strcspn(text, "]");
    else if (rest == NULL || rest != strchr(text, ':'))
        rest = text + strlen(text); /* IPv6 without brackets has no port */
    length = (size_t)(rest - from);
    closed = text[0] != '[' || *rest == ']';
    rest += *rest == ']';
    if (*rest == ':' && !parse_int("--serve", rest + 1, 0, 65535, port, err))
        return false;
    snprintf(host, size, "%.*s", (int)length, from);
    if (length == 0 || strcmp(host, "localhost") == 0)
        snprintf(host, size, "127.0.0.1");
    if (!closed || (*rest != '\0' && *rest != ':') || length >= size ||
        inet_pton(strchr(host, ':') != NULL ? AF_INET6 : AF_INET, host,
                  address) != 1)
        return err_set(err, "--serve '%s' must be an address of this machine "
                       "and a port, as in 127.0.0.1:8017, [::1]:8017 or :8017",
                       text);
    return true;
}

bool
is_address(const char *text)
{
    char host[64];
    struct err ignored;
    int port;

    return text[0] != '\0' &&
           parse_address(text, host, sizeof host, &port, &ignored);
}

/* XxY or XxYxZ */
bool
parse_shape(struct options *o, const char *text, struct err *err)
{
    OWN_MEMORY char *copy = mem_string(text);
    char *rest = copy, *word;
    struct err why;
    bool ok = true;
    int n = 0;

    memset(o->dims, 0, sizeof o->dims);
    while (ok && (word = strsep(&rest, "x")) != NULL)
        ok = n < TOPOLOGY_DIMS &&
             parse_int("", word, 1, SCHEDULE_RANKS_MAX, &o->dims[n++], &why);
    return (ok && n > 1) ||
           err_set(err, "--shape '%s' must be two or three sizes, as in "
                   "2x4 or 2x2x2", text);
}

bool
parse_bench_type(struct options *o, const char *text, struct err *err)
{
    int type;

    if (bench_type_find(text, &o->type))
        return true;
    if (!parse_word("--datatype", text, WORDS_BENCH_TYPE, &type, err))
        return false;
    o->type = (enum dtype)type;
    return true;
}
