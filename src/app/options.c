/* SPDX-License-Identifier: MIT */
#include "app/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/hint.h"
#include "app/print.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/text.h"
#include "run/backend.h"
#include "view/layout.h"

/* What makes a schedule, and a run of it. */
enum {
    FOR_STEPS = FOR_EXPLAIN | FOR_CHECK,
    FOR_RUNS = FOR_RUN | FOR_CHANGE | FOR_EXPORT,
    FOR_BOTH = FOR_STEPS | FOR_RUNS | FOR_COMPARE,
};

/* One line an option: its id, its name, what its value is called (NULL: it
 * takes none), which commands it is for, what it does. */
#define OPTIONS(X)                                                           \
    X(GPUS, "gpus", "N", FOR_BOTH | FOR_LEARN,                               \
      N_("ranks (default: 4, or as many as --input has)"))                   \
    X(RANKS, "ranks", "N", FOR_BOTH | FOR_LEARN, N_("the same"))             \
    X(BACKEND, "backend", "NAME", FOR_RUNS | FOR_LEARN,                      \
      N_("auto, threads, cuda, nccl, mpi, smpi"))                            \
    X(COUNT, "count", "N", FOR_RUNS | FOR_CHECK | FOR_COMPARE,               \
      N_("elements of each rank (default: 2N)"))                             \
    X(ROOT, "root", "RANK", FOR_BOTH,                                        \
      N_("of broadcast, reduce, scatter, gather"))                           \
    X(CHUNKS, "chunks", "C", FOR_BOTH,                                       \
      N_("what chains and trees cut the data into"))                         \
    X(SHAPE, "shape", "XxY[xZ]", FOR_BOTH,                                   \
      N_("of tori and meshes: rows x columns; nodes x GPUs"))                \
    X(TYPE, "type", "TYPE", FOR_RUNS | FOR_CHECK | FOR_COMPARE,              \
      N_("float32, float64, float16, bfloat16, int32, int64, uint8"))        \
    X(OP, "op", "OP", FOR_RUNS | FOR_COMPARE,                                \
      N_("sum, prod, min, max, avg"))                                        \
    X(INPUT, "input", "A,A/B,B/...", FOR_BOTH, N_("each rank's elements"))   \
    X(OUT_OF_PLACE, "out-of-place", NULL, FOR_BOTH,                          \
      N_("leave the input as it is"))                                        \
    X(PACE, "pace", "PACE", FOR_RUNS,                                        \
      N_("lockstep: all take a step, then the next; free: as they can"))     \
    X(DELAY, "delay", "RANK=MS", FOR_RUNS,                                   \
      N_("hold a rank up before each of its steps (inf: for good)"))         \
    X(NATIVE, "native", NULL, FOR_RUNS,                                      \
      N_("nccl: compare with the collective that NCCL has itself"))          \
    X(FAULT, "fault", "KIND:STEP:SRC", FOR_RUNS,                             \
      N_("drop, repeat or corrupt what SRC sends in STEP"))                  \
    X(RECORD, "record", "FILE", FOR_RUN,                                     \
      N_("write the run to a file, to replay"))                              \
    X(PLAIN, "plain", NULL, FOR_RUN | FOR_LEARN | FOR_COMPARE | FOR_REPLAY,  \
      N_("print the run as text"))                                           \
    X(JSON, "json", NULL, FOR_RUN | FOR_LIST | FOR_COMPARE | FOR_REPLAY,     \
      N_("print it as lines of JSON"))                                       \
    X(STATES, "states", NULL, FOR_RUN | FOR_REPLAY,                          \
      N_("show the slots of more than 16 ranks, too"))                       \
    X(SVG, "svg", NULL, FOR_EXPORT,                                          \
      N_("export a film, or one --step, as an SVG"))                         \
    X(ASCIICAST, "asciicast", NULL, FOR_EXPORT,                              \
      N_("export a film for asciinema"))                                     \
    X(TRACE, "trace", NULL, FOR_EXPORT,                                      \
      N_("export what took how long, for Perfetto"))                         \
    X(MSCCL, "msccl", NULL, FOR_EXPORT,                                      \
      N_("export an algorithm as MSCCL's XML"))                              \
    X(STEP, "step", "K", FOR_EXPORT,                                         \
      N_("the state after step K; 0: the input"))                            \
    X(SIZE, "size", "COLSxROWS", FOR_EXPORT,                                 \
      N_("of what is exported (default: 80x24)"))                            \
    X(ANSWERS, "answers", NULL, FOR_LEARN,                                   \
      N_("with --plain: a lesson's answers, too"))                           \
    X(LECTURE, "lecture", NULL, FOR_LEARN,                                   \
      N_("learn: the lessons for 45 minutes"))                               \
    X(PRESENT, "present", NULL, FOR_LEARN,                                   \
      N_("learn: for a projector, without a quiz"))                          \
    X(QUIZ, "quiz", NULL, FOR_LEARN, N_("with --present: with the quiz"))    \
    X(RESET, "reset", NULL, FOR_LEARN,                                       \
      N_("learn: forget what was learned"))                                  \
    X(CHECK, "check", NULL, FOR_LEARN,                                       \
      N_("learn: what is wrong with a lesson's file"))                       \
    X(ASCII, "ascii", NULL,                                                  \
      FOR_RUN | FOR_LEARN | FOR_COMPARE | FOR_REPLAY | FOR_EXPORT,           \
      N_("no characters but ASCII on the screen"))                           \
    X(LANG, "lang", "LANG", FOR_ALL,                                         \
      N_("en or zh_CN (default: the environment's)"))                        \
    X(HELP, "help", NULL, FOR_ALL, N_("this"))                               \
    X(VERSION, "version", NULL, FOR_ALL, N_("the version"))

#define ID(id, name, value, use, help) OPTION_##id,
enum option_id { OPTION_NONE = 0xff /* no character */, OPTIONS(ID) };

static const struct option_help {
    const char *name, *value;
    unsigned use; /* of enum option_use */
    const char *help;
} helps[] = {
#define HELP(id, name, value, use, help) {name, value, use, help},
    OPTIONS(HELP)
};
enum { COUNT = sizeof helps / sizeof helps[0] };

static bool
parse_number(const char *name, const char *text, int64_t least, int64_t most,
             int64_t *value, struct err *err)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *value < least ||
        *value > most || strchr(" \t\n+", *text) != NULL)
        return err_set(err, "%s '%s': a whole number from %" PRId64 " to %"
                       PRId64 " belongs there", name, text, least, most);
    return true;
}

static bool
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
static bool
parse_delay(struct options *o, const char *text, struct err *err)
{
    enum { HOUR_MS = 3600 * 1000 };
    const char *equals = strchr(text, '=');
    struct delay delay = {0};
    int64_t ms = 0;
    char rank[16];

    if (equals == NULL || equals - text >= (int)sizeof rank)
        return err_set(err, "--delay '%s': RANK=MS belongs there, as in 1=200",
                       text);
    snprintf(rank, sizeof rank, "%.*s", (int)(equals - text), text);
    if (!parse_int("--delay's rank", rank, 0, SCHEDULE_RANKS_MAX - 1,
                   &delay.rank, err))
        return false;
    if (strcmp(equals + 1, "inf") == 0)
        delay.ns = RUN_FOREVER;
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

/* Says which words the value could have been. */
static bool
refuse_value(const char *option, const char *value, const char *const *words,
             struct err *err)
{
    struct buf text = {0};

    near_among(value, words, &text);
    err_set(err, "%s '%s': %s", option, value, buf_text(&text));
    buf_done(&text);
    return false;
}

/* KIND:STEP:SRC */
static bool
parse_fault(struct options *o, const char *text, struct err *err)
{
    static const char *const kinds[] = {"drop", "repeat", "corrupt", NULL};
    static const enum instr_fault faults[] = {FAULT_DROP, FAULT_REPEAT,
                                              FAULT_CORRUPT};
    char kind[16], step[16], src[16], rest;

    o->fault = FAULT_NONE;
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%15[^:]:%15[^:]:%15[^:]%c", kind, step, src, &rest) != 3)
        return err_set(err, "--fault '%s': KIND:STEP:SRC belongs there, as in "
                       "drop:1:2", text);
    for (int i = 0; kinds[i] != NULL; i++)
        if (strcmp(kinds[i], kind) == 0)
            o->fault = faults[i];
    if (o->fault == FAULT_NONE)
        return refuse_value("--fault", kind, kinds, err);
    return parse_int("--fault's step", step, 1, INT32_MAX, &o->fault_step,
                     err) &&
           parse_int("--fault's rank", src, 0, SCHEDULE_RANKS_MAX - 1,
                     &o->fault_src, err);
}

static bool
parse_type(struct options *o, const char *text, struct err *err)
{
    const char *names[DTYPES + 1] = {NULL};

    for (int i = 0; i < DTYPES; i++)
        names[i] = dtype_name((enum dtype)i);
    return dtype_find(text, &o->type) ||
           refuse_value("--type", text, names, err);
}

static bool
parse_op(struct options *o, const char *text, struct err *err)
{
    const char *names[REDOPS + 1] = {NULL};

    for (int i = 0; i < REDOPS; i++)
        names[i] = redop_name((enum redop)i);
    return redop_find(text, &o->op) || refuse_value("--op", text, names, err);
}

static bool
parse_pace(struct options *o, const char *text, struct err *err)
{
    static const char *const names[] = {"lockstep", "free", NULL};

    o->free = strcmp(text, "free") == 0;
    return o->free || strcmp(text, "lockstep") == 0 ||
           refuse_value("--pace", text, names, err);
}

/* COLSxROWS */
static bool
parse_size(struct options *o, const char *text, struct err *err)
{
    enum { COLUMNS_MOST = 500, ROWS_MOST = 200 };
    const char *x = strchr(text, 'x');
    char columns[16];
    struct err why;

    snprintf(columns, sizeof columns, "%.*s",
             x != NULL ? (int)(x - text) : 0, text);
    return (x != NULL &&
            parse_int("", columns, LAYOUT_COLUMNS_LEAST, COLUMNS_MOST,
                      &o->columns, &why) &&
            parse_int("", x + 1, LAYOUT_ROWS_LEAST, ROWS_MOST, &o->rows,
                      &why)) ||
           err_set(err, "--size '%s': COLSxROWS belongs there, %dx%d to "
                   "%dx%d", text, LAYOUT_COLUMNS_LEAST, LAYOUT_ROWS_LEAST,
                   COLUMNS_MOST, ROWS_MOST);
}

/* XxY or XxYxZ */
static bool
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
           err_set(err, "--shape '%s': two or three sizes belong there, as in "
                   "2x4 or 2x2x2", text);
}

static bool
set_text(char **field, const char *text)
{
    free(*field);
    *field = mem_string(text);
    return true;
}

static bool
take(struct options *o, enum option_id option, const char *value,
     struct err *err)
{
    switch (option) {
    case OPTION_GPUS:
    case OPTION_RANKS:
        return parse_int("--gpus", value, 1, SCHEDULE_RANKS_MAX, &o->nranks,
                         err);
    case OPTION_ROOT:
        return parse_int("--root", value, 0, SCHEDULE_RANKS_MAX - 1, &o->root,
                         err);
    case OPTION_CHUNKS:
        return parse_int("--chunks", value, 1, SCHEDULE_SLOTS_MAX, &o->chunks,
                         err);
    case OPTION_SHAPE:
        return parse_shape(o, value, err);
    case OPTION_COUNT:
        return parse_number("--count", value, 0, INT64_C(1) << 40, &o->count,
                            err);
    case OPTION_TYPE:
        return parse_type(o, value, err);
    case OPTION_OP:
        return parse_op(o, value, err);
    case OPTION_PACE:
        return parse_pace(o, value, err);
    case OPTION_DELAY:
        return parse_delay(o, value, err);
    case OPTION_FAULT:
        return parse_fault(o, value, err);
    case OPTION_STEP:
        return parse_int("--step", value, 0, INT32_MAX, &o->step, err);
    case OPTION_SIZE:
        return parse_size(o, value, err);
    case OPTION_BACKEND:
        return set_text(&o->backend, value);
    case OPTION_INPUT:
        return set_text(&o->input, value);
    case OPTION_RECORD:
        return set_text(&o->record, value);
    case OPTION_LANG:
        return set_text(&o->lang, value);
    case OPTION_OUT_OF_PLACE:
        return o->out_of_place = true;
    case OPTION_NATIVE:
        return o->native = true;
    case OPTION_PLAIN:
        return o->plain = true;
    case OPTION_JSON:
        return o->json = true;
    case OPTION_STATES:
        return o->states = true;
    case OPTION_SVG:
        return o->svg = true;
    case OPTION_ASCIICAST:
        return o->asciicast = true;
    case OPTION_TRACE:
        return o->trace = true;
    case OPTION_MSCCL:
        return o->msccl = true;
    case OPTION_ASCII:
        return o->ascii = true;
    case OPTION_ANSWERS:
        return o->answers = true;
    case OPTION_LECTURE:
        return o->lecture = true;
    case OPTION_PRESENT:
        return o->present = true;
    case OPTION_QUIZ:
        return o->quiz = true;
    case OPTION_RESET:
        return o->reset = true;
    case OPTION_CHECK:
        return o->check = true;
    case OPTION_HELP:
        return o->help = true;
    case OPTION_VERSION:
        return o->version = true;
    case OPTION_NONE:
        break;
    }
    return false;
}

static const struct option_help *
help_of(int id)
{
    return &helps[id - OPTION_NONE - 1];
}

/* getopt_long() stays at a word of short options until it has seen the last of
 * them. */
static char **
refused_word(char **argv)
{
    char **word = &argv[optind - 1];
    bool is_short = optopt > 0 && optopt < OPTION_NONE;

    return is_short && (word[0][0] != '-' || strchr(word[0], optopt) == NULL)
               ? word + 1
               : word;
}

static bool
refuse(char **word, struct err *err)
{
    const char *names[COUNT + 1] = {NULL};

    for (int i = 0; i < COUNT; i++)
        names[i] = helps[i].name;
    return hint_option(word, names, err);
}

/* Adds what argv says to what *o says already. */
static bool
parse(struct options *o, int argc, char **argv, bool run_only,
      struct err *err)
{
    struct option longs[COUNT + 1] = {{0}};
    int id;

    for (int i = 0; i < COUNT; i++)
        longs[i] = (struct option){helps[i].name,
                                   helps[i].value != NULL ? required_argument
                                                          : no_argument,
                                   NULL, OPTION_NONE + 1 + i};
    opterr = 0;
    optind = 0; /* glibc: from the start, whatever was read before */
    while ((id = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        if (id == 'h')
            id = OPTION_HELP;
        if (id == ':')
            return err_set(err, "'%s' wants a value (collviz --help)",
                           argv[optind - 1]);
        if (id == '?')
            return refuse(refused_word(argv), err);
        if (run_only && (help_of(id)->use & FOR_CHANGE) == 0)
            return err_set(err, "--%s belongs on the command line",
                           help_of(id)->name);
        if (!take(o, (enum option_id)id, optarg, err))
            return false;
    }
    if (o->plain && o->json)
        return err_set(err, "--plain and --json: only one of them at a time");
    o->noperands = argc - optind;
    o->operands = argv + optind;
    return true;
}

bool
options_parse(struct options *o, int argc, char **argv, struct err *err)
{
    *o = (struct options){.backend = mem_string("auto"), .count = -1,
                          .step = -1, .columns = LAYOUT_COLUMNS_LEAST,
                          .rows = LAYOUT_ROWS_LEAST};
    return parse(o, argc, argv, false, err);
}

static char *
copy_of(const char *text)
{
    return text != NULL ? mem_string(text) : NULL;
}

bool
options_change(struct options *o, const struct options *base, int argc,
               char **argv, struct err *err)
{
    *o = *base;
    o->backend = copy_of(base->backend);
    o->input = copy_of(base->input);
    o->record = copy_of(base->record);
    o->lang = copy_of(base->lang);
    o->delays = NULL;
    o->ndelays = o->delays_capacity = 0;
    for (size_t i = 0; i < base->ndelays; i++) {
        o->delays = mem_grow(o->delays, i, &o->delays_capacity,
                             sizeof *o->delays);
        o->delays[o->ndelays++] = base->delays[i];
    }
    return parse(o, argc, argv, true, err);
}

void
options_done(struct options *o)
{
    free(o->backend);
    free(o->input);
    free(o->record);
    free(o->lang);
    free(o->delays);
    *o = (struct options){0};
}

void
options_help(FILE *out, unsigned use)
{
    for (int i = 0; i < COUNT; i++) {
        const struct option_help *h = &helps[i];
        struct buf left = {0};

        if ((h->use & use) == 0)
            continue;
        buf_addf(&left, "--%s%s%s", h->name, h->value != NULL ? " " : "",
                 h->value != NULL ? h->value : "");
        print_to(out, "  %-21s %s\n", buf_text(&left), _(h->help));
        buf_done(&left);
    }
}
