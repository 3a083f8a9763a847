/* SPDX-License-Identifier: MIT */
#include "play/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/language.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/print.h"
#include "base/translate.h"
#include "coll/coll.h"
#include "play/build.h"
#include "play/parse.h"
#include "run/backend.h"
#include "text/bench_table.h"
#include "view/frame.h"

enum {
    FOR_STEPS = FOR_SCHEDULE | FOR_CHECK,
    FOR_HOMES = FOR_HOME | FOR_SERVE,
    FOR_RUNS = FOR_RUN | FOR_HOMES | FOR_CHANGE | FOR_EXPORT,
    FOR_BOTH = FOR_STEPS | FOR_RUNS | FOR_COMPARE,
    FOR_MEASURES = FOR_BENCH | FOR_MEASURE,
    FOR_TASKS = FOR_PRACTICE | FOR_EXAM,
};

/* Groups of options, each a heading of --help. */
enum group {
    GROUP_RUN,
    GROUP_BENCH,
    GROUP_PLACE,
    GROUP_TROUBLE,
    GROUP_OUTPUT,
    GROUP_LESSON,
    GROUP_ALWAYS,
    GROUPS
};

static const char *const group_names[GROUPS] = {
    [GROUP_RUN] = N_("the run"),
    [GROUP_BENCH] = N_("bench"),
    [GROUP_PLACE] = N_("where it runs"),
    [GROUP_TROUBLE] = N_("slow or wrong"),
    [GROUP_OUTPUT] = N_("output"),
    [GROUP_LESSON] = N_("lessons"),
    [GROUP_ALWAYS] = N_("always"),
};

/* An option.  Its value goes into a field of struct options, or to a function
 * of its own. */
struct option_row {
    enum group group;
    const char *name, *value; /* what --help calls the value; NULL: no value */
    unsigned use;             /* of enum option_use */
    const char *help;         /* NULL: the words */
    enum word_list words;     /* that the value may be */
    enum {
        KIND_SAID, KIND_FLAG, KIND_INT, KIND_INT64, KIND_BYTES, KIND_TEXT,
        KIND_WORD, KIND_OWN
    } kind;
    size_t field;        /* its offset; KIND_SAID, KIND_OWN: unused */
    int64_t least, most; /* of KIND_INT and KIND_INT64 */
    int64_t chart_most;  /* of the command chart; 0: the same */
    option_parse *parse;
    char letter; /* the short option; 0: none */
    bool first;  /* one of those that `collviz --help` shows */
};

#define FIELD(name) .field = offsetof(struct options, name)
#define FLAG(name) .kind = KIND_FLAG, FIELD(name)
#define SAID .kind = KIND_SAID /* a flag that options_given() knows */
#define TEXT(name) .kind = KIND_TEXT, FIELD(name)
#define INT(name, from, to) \
    .kind = KIND_INT, FIELD(name), .least = from, .most = to
#define INT64(name, from, to) \
    .kind = KIND_INT64, FIELD(name), .least = from, .most = to
#define BYTES(name) .kind = KIND_BYTES, FIELD(name)
#define WORD(name, list) .kind = KIND_WORD, FIELD(name), WORDS(list)
#define READ(function) .kind = KIND_OWN, .parse = function
#define CHART_MOST(number) .chart_most = number
#define LETTER(c) .letter = c
#define WORDS(list) .words = WORDS_##list
#define FIRST .first = true

/* The rows are in the order in which --help shows them. */
static const struct option_row rows[] = {
    {GROUP_RUN, "gpus", "N",
     (FOR_BOTH & ~FOR_CHECK) | FOR_LEARN | FOR_MEASURES | FOR_CHART,
     N_("ranks (default: 4, or as many as --input has)"),
     INT(nranks, 1, SCHEDULE_RANKS_MAX),
     CHART_MOST(COLL_RANKS_MODELLED), FIRST},
    {GROUP_RUN, "gpus", "N[..M]", FOR_CHECK,
     N_("ranks (default: 4); 1..33 proves it for each of them"),
     READ(parse_gpus)},
    {GROUP_RUN, "ranks", "N", FOR_BOTH | FOR_LEARN | FOR_MEASURES | FOR_CHART,
     N_("the same as --gpus"), INT(nranks, 1, SCHEDULE_RANKS_MAX),
     CHART_MOST(COLL_RANKS_MODELLED)},
    {GROUP_RUN, "count", "N", FOR_RUNS | FOR_CHECK | FOR_COMPARE,
     N_("elements of each rank (default: 2N)"),
     INT64(count, 0, INT64_C(1) << 40), FIRST},
    {GROUP_RUN, "root", "RANK", FOR_BOTH | FOR_CHART,
     N_("of broadcast, reduce, scatter, gather"),
     INT(root, 0, SCHEDULE_RANKS_MAX - 1), FIRST},
    {GROUP_RUN, "chunks", "C", FOR_BOTH | FOR_MEASURES | FOR_CHART,
     N_("chunks in chains and trees; auto: as many as are best"),
     READ(parse_chunks), WORDS(CHUNKS)},
    {GROUP_RUN, "shape", "XxY[xZ]", FOR_BOTH | FOR_MEASURES | FOR_CHART,
     N_("of tori and meshes: rows x columns; nodes x GPUs"), READ(parse_shape)},
    {GROUP_RUN, "type", "TYPE", FOR_RUNS | FOR_CHECK | FOR_COMPARE, NULL,
     WORD(type, TYPE), FIRST},
    {GROUP_RUN, "op", "OP", FOR_RUNS | FOR_COMPARE, NULL,
     WORD(op, OP), FIRST},
    {GROUP_RUN, "input", "A,A/B,B/...", FOR_BOTH,
     N_("each rank's elements"), TEXT(input)},
    {GROUP_RUN, "out-of-place", NULL, FOR_BOTH,
     N_("leave the input as it is"), FLAG(out_of_place)},
    {GROUP_RUN, "bytes", "SIZE", FOR_CHART,
     N_("chart: of the data, to begin with (default: 1M)"),
     BYTES(bytes)},
    {GROUP_BENCH, "minbytes", "SIZE", FOR_MEASURES,
     N_("the first size: 8, 64K, 1M, 1G (default: 32M)"),
     BYTES(bench.min_bytes), LETTER('b')},
    {GROUP_BENCH, "maxbytes", "SIZE", FOR_MEASURES,
     N_("the last size (default: 32M)"), BYTES(bench.max_bytes), LETTER('e')},
    {GROUP_BENCH, "stepbytes", "SIZE", FOR_MEASURES,
     N_("from one size to the next (default: 1M)"), BYTES(bench.step_bytes),
     LETTER('i')},
    {GROUP_BENCH, "stepfactor", "N", FOR_MEASURES,
     N_("each size is this many times the one before"),
     INT(bench.factor, 1, INT32_MAX), LETTER('f')},
    {GROUP_BENCH, "ngpus", "N", FOR_MEASURES, N_("the same as --gpus"),
     INT(nranks, 1, SCHEDULE_RANKS_MAX), LETTER('g')},
    {GROUP_BENCH, "iters", "N", FOR_MEASURES,
     N_("calls that are timed together (default: 20)"),
     INT(bench.calls, 1, INT32_MAX), LETTER('n')},
    {GROUP_BENCH, "warmup_iters", "N", FOR_MEASURES,
     N_("calls before them (default: 1)"), INT(bench.warm_up, 0, INT32_MAX),
     LETTER('w')},
    {GROUP_BENCH, "check", "N", FOR_MEASURES,
     N_("0: do not check the results"), INT(bench.checks, 0, INT32_MAX),
     LETTER('c')},
    {GROUP_BENCH, "op", "OP", FOR_MEASURES, NULL, WORD(op, BENCH_OP),
     LETTER('o')},
    {GROUP_BENCH, "datatype", "TYPE", FOR_MEASURES, NULL,
     READ(parse_bench_type), WORDS(BENCH_TYPE), LETTER('d')},
    {GROUP_BENCH, "root", "RANK", FOR_MEASURES,
     N_("of broadcast, reduce, scatter, gather; -1: each in turn"),
     INT(root, -1, SCHEDULE_RANKS_MAX - 1), LETTER('r')},
    {GROUP_BENCH, "output_file", "OUT", FOR_BENCH,
     N_("write the results as nccl-tests' JSON, too"), TEXT(bench.output),
     LETTER('J')},
    {GROUP_BENCH, "read", NULL, FOR_BENCH,
     N_("chart tables of nccl-tests instead of measuring"),
     FLAG(bench.read)},
    {GROUP_PLACE, "backend", "NAME",
     FOR_RUNS | FOR_LEARN | FOR_COMPARE | FOR_MEASURES,
     NULL, TEXT(backend), WORDS(BACKEND), FIRST},
    {GROUP_PLACE, "launcher", "CMD",
     FOR_RUN | FOR_HOMES | FOR_EXPORT | FOR_LEARN | FOR_BENCH,
     N_("mpi: what starts the ranks, as in 'srun -N 2'"),
     TEXT(launcher)},
    {GROUP_PLACE, "network", "NETWORK",
     FOR_RUNS | FOR_STEPS | FOR_COMPARE | FOR_LEARN | FOR_CHART | FOR_BENCH,
     N_("times as on nvlink, ethernet, dgx-h100, FILE or 4x8,..."),
     READ(parse_network), FIRST},
    {GROUP_PLACE, "order", "ORDER",
     FOR_RUNS | FOR_STEPS | FOR_COMPARE | FOR_LEARN | FOR_CHART | FOR_BENCH,
     N_("on its hosts: block, cyclic, or ranks, as in 0,4,1,5"),
     TEXT(order)},
    {GROUP_PLACE, "native", NULL, FOR_RUNS | FOR_BENCH,
     N_("mpi, nccl: compare with the library's own collective"),
     FLAG(native)},
    {GROUP_PLACE, "native-algorithm", "A", FOR_RUNS | FOR_BENCH,
     N_("mpi: the algorithm that Open MPI's own takes, as in 'ring'"),
     TEXT(native_algorithm)},
    {GROUP_TROUBLE, "pace", "PACE", FOR_RUNS,
     N_("lockstep: all take a step, then the next; free: as they can"),
     WORD(pace, PACE)},
    {GROUP_TROUBLE, "delay", "RANK=MS", FOR_RUNS,
     N_("hold a rank up before each of its steps (inf: for good)"),
     READ(parse_delay)},
    {GROUP_TROUBLE, "fault", "KIND:STEP:SRC", FOR_RUNS,
     N_("drop, repeat or corrupt what rank SRC sends in STEP"),
     READ(parse_fault)},
    {GROUP_TROUBLE, "mismatch", "RANK=WHAT", FOR_RUNS,
     N_("give a rank another root:K, count:K or algorithm:NAME"),
     READ(parse_mismatch)},
    {GROUP_TROUBLE, "rules", "RULES", FOR_RUNS,
     N_("of a mismatch: which messages meet, as MPI or NCCL has it"),
     WORD(rules, RULES)},
    {GROUP_TROUBLE, "broken", "KIND:SEED", FOR_RUNS,
     N_("break the schedule by one change, as in lost:7"),
     READ(parse_broken)},
    {GROUP_TROUBLE, "timeout", "S", FOR_RUN,
     N_("without a screen: end a run that takes more than S seconds"),
     INT(timeout, 1, 86400)},
    {GROUP_OUTPUT, "record", "FILE", FOR_RUN,
     N_("write the run to a file, to replay"), TEXT(record), FIRST},
    {GROUP_OUTPUT, "over-gpus", NULL, FOR_CHART,
     N_("chart: over the number of GPUs, not over the size"),
     FLAG(over_gpus)},
    {GROUP_OUTPUT, "busbw", NULL, FOR_CHART | FOR_BENCH,
     N_("chart: the bus bandwidth instead of the time"), FLAG(busbw)},
    {GROUP_OUTPUT, "plain", NULL,
     FOR_RUN | FOR_HOME | FOR_LEARN | FOR_COMPARE | FOR_REPLAY | FOR_CHART |
         FOR_BENCH | FOR_TASKS,
     N_("print the run as text"), FLAG(plain), FIRST},
    {GROUP_OUTPUT, "watch", NULL, FOR_RUN,
     N_("on the screen: run the file again when it is saved"), FLAG(watch)},
    {GROUP_OUTPUT, "serve", "[ADDR:PORT]",
     FOR_RUN | FOR_LEARN | FOR_REPLAY | FOR_TASKS,
     N_("browsers follow the screen (default: 127.0.0.1:8017)"),
     TEXT(serve)},
    {GROUP_OUTPUT, "json", NULL,
     FOR_RUN | FOR_HOME | FOR_LIST | FOR_COMPARE | FOR_REPLAY | FOR_CHART,
     N_("print it as lines of JSON"), FLAG(json)},
    {GROUP_OUTPUT, "states", NULL, FOR_RUN | FOR_REPLAY | FOR_CHECK,
     N_("show the slots, or steps, of more than 16 ranks, too"),
     FLAG(states)},
    {GROUP_OUTPUT, "svg", NULL, FOR_EXPORT | FOR_CHART | FOR_BENCH,
     N_("export a film, or one --step, or a chart, as an SVG"), FLAG(svg)},
    {GROUP_OUTPUT, "asciicast", NULL, FOR_EXPORT,
     N_("export a film for asciinema"), SAID},
    {GROUP_OUTPUT, "gif", NULL, FOR_EXPORT,
     N_("export a film as a GIF"), SAID},
    {GROUP_OUTPUT, "trace", NULL, FOR_EXPORT,
     N_("export when each transfer took place, for Perfetto"), SAID},
    {GROUP_OUTPUT, "msccl", NULL, FOR_EXPORT,
     N_("export an algorithm as MSCCL's XML"), SAID},
    {GROUP_OUTPUT, "html", NULL, FOR_EXPORT,
     N_("export a run, or a LESSON, as a page to step through"), SAID},
    {GROUP_OUTPUT, "output", "FILE", FOR_EXPORT | FOR_CHART,
     N_("write the export to a file (default: standard output)"),
     TEXT(output), LETTER('o')},
    {GROUP_OUTPUT, "step", "K", FOR_EXPORT,
     N_("the state after step K; 0: the input"), INT(step, 0, INT32_MAX)},
    {GROUP_OUTPUT, "size", "COLSxROWS", FOR_EXPORT | FOR_CHART | FOR_BENCH,
     N_("of the export, in characters (default: 80x24)"), READ(parse_size)},
    {GROUP_LESSON, "seed", "HEX", FOR_TASKS,
     N_("4 to 8 hexadecimal digits: the same tasks everywhere"), TEXT(seed)},
    {GROUP_LESSON, "skills", "LIST", FOR_EXAM,
     N_("of wire,repair,predict,choose,diagnose (default: all)"),
     TEXT(skills)},
    {GROUP_LESSON, "minutes", "M", FOR_EXAM,
     N_("end the exam after M minutes"), INT(minutes, 1, 999)},
    {GROUP_LESSON, "paper", NULL, FOR_TASKS,
     N_("print the tasks as a sheet; --answers: their key"), FLAG(paper)},
    {GROUP_LESSON, "answers", NULL, FOR_LEARN | FOR_TASKS,
     N_("with --plain or --paper: the answers"), FLAG(answers)},
    {GROUP_LESSON, "lecture", NULL, FOR_LEARN | FOR_HOMES | FOR_EXPORT,
     N_("lessons: the pages for a lecture of 45 minutes"), FLAG(lecture)},
    {GROUP_LESSON, "present", NULL, FOR_LEARN | FOR_HOMES,
     N_("learn: the class answers aloud; Enter reveals"),
     FLAG(present)},
    {GROUP_LESSON, "quiz", NULL, FOR_LEARN | FOR_HOMES,
     N_("with --present: take the answers at the keys"), FLAG(quiz)},
    {GROUP_LESSON, "review", NULL, FOR_LEARN,
     N_("learn: what was missed, after 1, 3 and 7 days"), FLAG(review)},
    {GROUP_LESSON, "reset", NULL, FOR_LEARN,
     N_("learn: forget the progress made"), FLAG(reset)},
    {GROUP_LESSON, "check", NULL, FOR_LEARN,
     N_("learn: find errors in a lesson's file"), FLAG(check)},
    {GROUP_ALWAYS, "ascii", NULL,
     FOR_RUN | FOR_HOMES | FOR_LEARN | FOR_COMPARE | FOR_REPLAY | FOR_EXPORT |
         FOR_CHART | FOR_BENCH | FOR_TASKS,
     N_("use only ASCII characters on the screen"), FLAG(ascii)},
    {GROUP_ALWAYS, "lang", "LANG", FOR_ALL & ~FOR_CHANGE,
     N_("en or zh_CN (default: the environment's)"), READ(parse_lang), FIRST},
    {GROUP_ALWAYS, "help", NULL, FOR_ALL,
     N_("print this help"), FLAG(help), LETTER('h')},
    {GROUP_ALWAYS, "version", NULL, FOR_ALL,
     N_("print the version"), FLAG(version)},
};
enum { ROWS = sizeof rows / sizeof rows[0] };
_Static_assert((int)ROWS <= (int)OPTIONS_MAX, "one for each row");

/* The option that a word names, for all of `use`; 0: for any command, and if
 * several have the name, the last one: --check takes no value, unless bench is
 * known to be the command.  A long name may be cut short.  *value is what
 * stands after it in the same word, or NULL.  Returns NULL if there is none, or
 * if several begin so. */
static const struct option_row *
find_row(const char *word, unsigned use, const char **value)
{
    bool is_long = word[1] == '-', several = false;
    const char *name = word + 1 + is_long;
    size_t length = is_long ? strcspn(name, "=") : 1;
    const struct option_row *found = NULL;

    *value = name[length] != '\0' ? name + length + is_long : NULL;
    for (const struct option_row *row = rows + ROWS; row-- > rows;) {
        if ((row->use & use) != use ||
            (is_long ? strncmp(row->name, name, length) != 0
                     : row->letter != name[0]))
            continue;
        if (!is_long || row->name[length] == '\0')
            return row;
        several = several || (found != NULL &&
                              strcmp(row->name, found->name) != 0);
        found = found != NULL ? found : row;
    }
    return several ? NULL : found;
}

/* Whether the word after an option is its value; one that may be left out, only
 * if the word can be nothing else. */
static bool
has_value(const struct option_row *row, int count, char **words)
{
    return row->value != NULL && count > 1 &&
           (row->value[0] != '[' || is_address(words[1]));
}

static bool
is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0;
}

static void *
field_of(struct options *o, const struct option_row *row)
{
    return (char *)o + row->field;
}

/* Reads an option's value, NULL for a flag, into *o. */
static bool
take_option(struct options *o, const struct option_row *row, const char *value,
            unsigned use, struct err *err)
{
    bool of_chart = (use & FOR_CHART) != 0 && row->chart_most != 0;
    int64_t most = of_chart ? row->chart_most : row->most;
    char name[32];

    snprintf(name, sizeof name, "--%s", row->name);
    o->given[row - rows] = true;
    switch (row->kind) {
    case KIND_SAID:
        break;
    case KIND_FLAG:
        *(bool *)field_of(o, row) = true;
        break;
    case KIND_TEXT:
        free(*(char **)field_of(o, row));
        *(char **)field_of(o, row) = mem_string(value != NULL ? value : "");
        break;
    case KIND_INT:
        return parse_int(name, value, (int)row->least, (int)most,
                         field_of(o, row), err);
    case KIND_INT64:
        return parse_number(name, value, row->least, most,
                            field_of(o, row), err);
    case KIND_BYTES:
        return parse_bytes(name, value, field_of(o, row), err);
    case KIND_WORD:
        return parse_word(name, value, row->words, field_of(o, row), err);
    case KIND_OWN:
        return row->parse(o, value, err);
    }
    return true;
}

/* Says which commands the option is for, if it is one of other commands. */
static bool
is_elsewhere(const struct options *o, const char *word, unsigned use,
             struct err *err)
{
    bool is_long = word[1] == '-';
    int length = is_long ? (int)strcspn(word, "=") : 2;
    const struct command *c;
    const char *here = NULL; /* it is none of the command line */
    const char *other = NULL;
    unsigned elsewhere = 0;
    const char *names[COMMANDS_MAX];
    OWN(buf) list = {0}, name = {0};
    int n = 0;

    buf_addf(&name, "%.*s", length, word);
    for (int i = 0; i < ROWS; i++)
        if (is_long ? strcmp(rows[i].name, buf_text(&name) + 2) == 0
                    : rows[i].letter == word[1])
            elsewhere |= rows[i].use & ~(unsigned)FOR_HOME;
    if (elsewhere == 0)
        return false;
    for (int i = 0; (c = command_at(i)) != NULL; i++) {
        if (c->use == use)
            here = use == FOR_PRACTICE ? o->command : command_name(c);
        if ((c->use & elsewhere) == 0)
            continue;
        other = n == 0 ? c->name : other;
        names[n++] = command_name(c);
    }
    for (int i = 0; i < n; i++)
        buf_addf(&list, "%s%s",
                 i == 0 ? "" : i + 1 < n ? _(", ") : _(" and "), names[i]);
    if (here == NULL)
        err_set(err, "%s belongs on the command line", buf_text(&name));
    else
        err_set(err, "%1$s is for %2$s, not for %3$s (collviz help %4$s)",
                buf_text(&name), buf_text(&list), here,
                use == FOR_RUN || use == FOR_HOME ? other : here);
    return true;
}

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

static bool
is_text(const char *text, const char *begun, size_t length)
{
    return strlen(text) == length && strncmp(text, begun, length) == 0;
}

/* Adds what stands for another program's option here: --gpus 4 for -n4, -n=4
 * and -n 4, which has the name begun[0 .. length-1].  Returns false if no
 * option for `use` means the same. */
static bool
add_ours(const char *begun, size_t length, const char *next, unsigned use,
         struct buf *out)
{
    const char *value = begun + length, *ours = NULL;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for (int k = 0; k < ROWS && ours == NULL; k++)
            if (is_text(others[i].theirs, begun, length) &&
                (rows[k].use & use) == use &&
                strcmp(others[i].ours, rows[k].name) == 0)
                ours = rows[k].name;
    if (ours == NULL)
        return false;
    buf_addf(out, "--%s", ours);
    value += *value == '=';
    if (*value == '\0' && next != NULL)
        value = next;
    if (strcmp(ours, "gpus") == 0)
        buf_addf(out, " %s", is_number(value) ? value : "N");
    return true;
}

/* Whether it names a file for the output, as in -o out.svg. */
static bool
is_output(const char *name, size_t length, const char *value)
{
    enum redop op;

    return (is_text("o", name, length) || is_text("out", name, length) ||
            is_text("output", name, length)) &&
           (value == NULL || !redop_find(value, &op));
}

/* Says why a word is no option here: it is another program's name (mpirun
 * -n 4), abbreviates several options, is for other commands, or is misspelt.
 * `next` comes after it, or is NULL. */
static bool
refuse_word(const struct options *o, const char *word, const char *next,
            unsigned use, struct err *err)
{
    bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long;
    size_t length = strcspn(name, is_long ? "=" : "=0123456789");
    struct near n = {.word = name};
    OWN(buf) all = {0}, text = {0};

    for (int i = 0; i < ROWS; i++) {
        if ((rows[i].use & use) != use)
            continue;
        near_try(&n, rows[i].name);
        if (is_long && length > 0 && strncmp(rows[i].name, name, length) == 0)
            buf_addf(&all, "%s--%s", all.length > 0 ? ", " : "", rows[i].name);
    }
    if (is_output(name, length, name[length] == '=' ? name + length + 1
                                                     : next)) {
        err_set(err, "there is no option '%s'; what is printed goes into a "
                "file with > FILE (collviz --help)", word);
    } else if (add_ours(name, length, next, use, &text)) {
        err_set(err, "there is no option '%s'; say %s (collviz --help)", word,
                buf_text(&text));
    } else if (all.length > 0) {
        err_set(err, "'%s' stands for several options: %s", word,
                buf_text(&all));
    } else if (!is_elsewhere(o, word, use, err)) {
        near_add(&n, "--", &text);
        err_set(err, "there is no option '%s'%s (collviz --help)", word,
                buf_text(&text));
    }
    return false;
}

/* The command of a command line; sets o->command. */
static unsigned
find_use(struct options *o, int argc, char **argv)
{
    const struct option_row *row;
    const struct command *c;
    const char *value;
    int i = 1;

    for (; i < argc && is_option(argv[i]); i++) {
        row = find_row(argv[i], 0, &value);
        i += row != NULL && value == NULL && has_value(row, argc - i, argv + i);
    }
    i += i < argc && strcmp(argv[i], "--") == 0;
    o->command = i < argc ? argv[i] : NULL;
    if (o->command == NULL)
        return FOR_HOME;
    c = command_find(o->command);
    return c != NULL ? c->use : FOR_RUN;
}

/* What is wrong with an option is said in the language that one after it asks
 * for. */
static void
take_language(int argc, char **argv)
{
    const char *value;
    struct err ignored; /* parse_argv() reports it */

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const struct option_row *row =
            is_option(argv[i]) ? find_row(argv[i], FOR_ALL & ~FOR_CHANGE,
                                          &value) : NULL;
        if (row == NULL)
            continue;
        if (value == NULL && has_value(row, argc - i, argv + i))
            value = argv[++i];
        if (row->parse == parse_lang && value != NULL)
            language_init(value, &ignored);
    }
}

/* Adds the options in argv to *o, which may have some already, and moves the
 * operands to the front.  Only those are allowed that are for all of `use`.
 * A number alone is --gpus if a run is changed. */
static bool
parse_argv(struct options *o, int argc, char **argv, unsigned use,
           struct err *err)
{
    bool only_operands = false;
    char host[64];
    int port;

    memset(o->given, 0, sizeof o->given);
    o->noperands = 0;
    o->operands = argv + 1;
    for (int i = 1; i < argc; i++) {
        const struct option_row *row;
        const char *value, *word = argv[i];
        bool number = use == FOR_CHANGE && is_number(word);
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
            continue;
        }
        if (!number && (only_operands || !is_option(word))) {
            o->operands[o->noperands++] = argv[i];
            continue;
        }
        row = find_row(number ? "--gpus" : word, use, &value);
        if (row == NULL)
            return refuse_word(o, word, i + 1 < argc ? argv[i + 1] : NULL, use,
                               err);
        if (value != NULL && row->value == NULL)
            return err_set(err, "'%s': this option takes no value (collviz "
                           "--help)", word);
        if (number)
            value = word;
        else if (value == NULL && has_value(row, argc - i, argv + i))
            value = argv[++i];
        if (value == NULL && row->value != NULL && row->value[0] != '[')
            return err_set(err, "'%s' needs a value (collviz --help)", word);
        if (!take_option(o, row, value, use, err))
            return false;
    }
    if (o->plain && o->json)
        return err_set(err, "--plain and --json: only one of them at a time");
    if (o->serve != NULL &&
        !parse_address(o->serve, host, sizeof host, &port, err))
        return false;
    if (o->quiz && !o->present)
        return err_set(err, "--quiz needs --present");
    return !options_given(o, use, "order") ||
           network_order(&o->network, o->order, err);
}

/* Checked on the command line alone: a run on the screen and a lesson may go to
 * another backend and back. */
static bool
check_launch(const struct options *o, struct err *err)
{
    struct err ignored;
    const struct backend *b = backend_find(o->backend, &ignored);

    if (b == NULL)
        return true; /* the job will report it */
    return o->launcher == NULL || b->launcher != NULL ||
           err_set(err, "--launcher is for --backend mpi, not for %s",
                   b->name);
}

bool
options_parse(struct options *o, int argc, char **argv, struct err *err)
{
    *o = (struct options){.backend = mem_string("auto"), .count = -1,
                          .step = -1, .columns = LAYOUT_COLUMNS_FULL,
                          .rows = LAYOUT_ROWS_FULL,
                          .bytes = 1 << 20,
                          .bench = {32 << 20, 32 << 20, 1 << 20, 1, 20, 1, 1,
                                    .read = false}};
    take_language(argc, argv);
    return parse_argv(o, argc, argv, find_use(o, argc, argv), err) &&
           (o->help || check_launch(o, err));
}

void
options_copy(struct options *o, const struct options *from)
{
    *o = *from;
    o->typed = NULL;
    o->argv = o->files = NULL;
    o->nfiles = o->files_capacity = 0;
    for (int i = 0; i < ROWS; i++) {
        char **text = field_of(o, &rows[i]);
        if (rows[i].kind == KIND_TEXT && *text != NULL)
            *text = mem_string(*text);
    }
    o->delays = mem_new(from->ndelays, sizeof *o->delays);
    o->delays_capacity = from->ndelays;
    for (size_t i = 0; i < from->ndelays; i++)
        o->delays[i] = from->delays[i];
}

/* Makes paths of the operands that are files of o->folder. */
static bool
find_files(struct options *o, struct err *err)
{
    for (int i = 0; i < o->noperands; i++) {
        const char *name = o->operands[i];
        OWN(buf) path = {0};

        if (!build_is_file(name))
            continue;
        if (strncmp(name, "./", 2) != 0 || strstr(name + 1, "/.") != NULL)
            return err_set(err, "%s: a lesson runs files of its own folder: "
                           "./mine.lua, ./code/mine.lua", name);
        buf_addf(&path, "%s/%s", o->folder, name + 2);
        o->files = mem_grow(o->files, o->nfiles, &o->files_capacity,
                            sizeof *o->files);
        o->operands[i] = o->files[o->nfiles++] = mem_string(buf_text(&path));
    }
    return true;
}

bool
options_add(struct options *o, const struct options *base, unsigned use,
            const char *text, struct err *err)
{
    char *word, *rest = NULL;
    int n = 1;

    options_copy(o, base);
    o->typed = mem_string(text);
    o->argv = mem_new(strlen(text) + 2, sizeof *o->argv);
    for (word = strtok_r(o->typed, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest))
        o->argv[n++] = word;
    return parse_argv(o, n, o->argv, use, err) &&
           (o->folder == NULL || find_files(o, err));
}

void
options_done(struct options *o)
{
    for (int i = 0; i < ROWS; i++)
        if (rows[i].kind == KIND_TEXT)
            free(*(char **)field_of(o, &rows[i]));
    for (size_t i = 0; i < o->nfiles; i++)
        free(o->files[i]);
    free(o->files);
    free(o->delays);
    free(o->typed);
    free(o->argv);
    *o = (struct options){0};
}

bool
options_given(const struct options *o, unsigned use, const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if ((rows[i].use & use) != 0 && strcmp(rows[i].name, name) == 0)
            return o->given[i];
    return false;
}

const char *
options_first(const struct options *o, unsigned use, unsigned but)
{
    for (int i = 0; i < ROWS; i++)
        if ((rows[i].use & use) != 0 && (rows[i].use & but) == 0 &&
            o->given[i])
            return rows[i].name;
    return NULL;
}

static void
try_completion(struct completion *c, const char *begun, const char *word)
{
    if (strncmp(word, begun, strlen(begun)) != 0)
        return;
    c->words = mem_grow(c->words, c->count, &c->capacity, sizeof *c->words);
    c->words[c->count++] = mem_string(word);
}

void
options_complete(const char *text, struct completion *c)
{
    const char *space = strrchr(text, ' '), *word;
    const char *begun = space != NULL ? space + 1 : text;
    const char *end = begun, *value = NULL;
    const struct option_row *row = NULL;
    const struct algorithm *a;
    OWN(buf) name = {0};

    *c = (struct completion){.from = (size_t)(begun - text)};
    while (end > text && end[-1] == ' ')
        end--;
    for (word = end; word > text && word[-1] != ' ';)
        word--;
    buf_addf(&name, "%.*s", (int)(end - word), word);
    if (is_option(buf_text(&name)))
        row = find_row(buf_text(&name), FOR_CHANGE, &value);
    if (row != NULL && row->value != NULL && value == NULL) {
        for (int i = 0; (word = words_at(row->words, i)) != NULL; i++)
            try_completion(c, begun, word);
        return;
    }
    for (int i = 0; *begun == '-' && i < ROWS; i++)
        if ((rows[i].use & FOR_CHANGE) != 0) {
            buf_clear(&name);
            buf_addf(&name, "--%s", rows[i].name);
            try_completion(c, begun, buf_text(&name));
        }
    for (int i = 0; *begun != '-' && (a = coll_at(i)) != NULL; i++) {
        buf_clear(&name);
        buf_addf(&name, "%s-%s", a->name, a->collective);
        try_completion(c, begun, buf_text(&name));
    }
}

void
completion_done(struct completion *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->words[i]);
    free(c->words);
}

void
options_help(FILE *out, unsigned use)
{
    OWN(buf) left = {0}, words = {0};
    int group = -1;

    for (const struct option_row *row = rows; row < rows + ROWS; row++) {
        if (use == FOR_ALL ? !row->first : (row->use & use) == 0)
            continue;
        if (use != FOR_ALL && (int)row->group != group)
            print_to(out, _("\n%s:\n"), _(group_names[row->group]));
        group = (int)row->group;
        buf_clear(&left);
        buf_clear(&words);
        /* People know some by their letters, as in nccl-tests. */
        if (row->letter != '\0' && row->group != GROUP_ALWAYS)
            buf_addf(&left, "-%c, ", row->letter);
        buf_addf(&left, "--%s%s%s", row->name, row->value != NULL ? " " : "",
                 row->value != NULL ? row->value : "");
        for (int i = 0; row->help == NULL && words_at(row->words, i) != NULL;
             i++)
            buf_addf(&words, "%s%s", i > 0 ? ", " : "",
                     words_at(row->words, i));
        print_to(out, "  %-21s %s\n", buf_text(&left),
                 row->help != NULL ? _(row->help) : buf_text(&words));
    }
}
