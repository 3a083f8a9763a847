/* SPDX-License-Identifier: MIT */
#include "play/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/language.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/print.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "coll/coll.h"
#include "play/build.h"
#include "play/option_table.h"
#include "play/parse.h"
#include "run/backend.h"
#include "text/bench_table.h"
#include "view/frame.h"

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
    o->given[row - option_rows] = true;
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
    const struct option_row *row;
    const struct command *c;
    const char *here = NULL; /* it is none of the command line */
    const char *other = NULL;
    unsigned elsewhere = 0;
    const char *names[COMMANDS_MAX];
    OWN(buf) list = {0}, name = {0};
    int n = 0;

    buf_addf(&name, "%.*s", length, word);
    for (row = option_rows; row->name != NULL; row++)
        if (is_long ? strcmp(row->name, buf_text(&name) + 2) == 0
                    : row->letter == word[1])
            elsewhere |= row->use & ~(unsigned)FOR_HOME;
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
        buf_addf(&list, "%s%s", near_before(i, n, _(" and ")), names[i]);
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
is_text(const char *text, const char *begun, size_t length)
{
    return strlen(text) == length && strncmp(text, begun, length) == 0;
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

/* Finds the option that another program's stands for: --gpus for -n 4, -n4 and
 * -n=4.  Sets *value to what the word has of it, or to NULL.  `next` comes
 * after it, or is NULL.  Returns NULL if no option for `use` means the same. */
static const struct option_row *
option_of_others(const char *word, const char *next, unsigned use,
                 const char **value)
{
    const char *name = word + 1 + (word[1] == '-');
    size_t length = strcspn(name, word[1] == '-' ? "=" : "=0123456789");
    const char *rest = name + length + (name[length] == '=');
    const struct option_row *row;

    *value = *rest != '\0' ? rest : NULL;
    if (is_output(name, length, *value != NULL ? *value : next))
        return NULL;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for (row = option_rows; row->name != NULL; row++)
            if (is_text(others[i].theirs, name, length) &&
                (row->use & use) == use &&
                strcmp(others[i].ours, row->name) == 0)
                return row;
    return NULL;
}

bool
options_sizes_bench(const char *word)
{
    const char *value;
    const struct option_row *row =
        is_option(word) ? option_find(word, FOR_BENCH, &value) : NULL;

    return row != NULL && row->kind == KIND_BYTES &&
           option_find(word, FOR_RUN, &value) == NULL;
}

/* Says why a word is no option here: it abbreviates several options, is for
 * other commands, or is misspelt.  `next` comes after it, or is NULL. */
static bool
refuse_word(const struct options *o, const char *word, const char *next,
            unsigned use, struct err *err)
{
    bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long;
    size_t length = strcspn(name, is_long ? "=" : "=0123456789");
    const struct option_row *row = option_rows;
    struct near n = {.word = name};
    OWN(buf) all = {0}, text = {0};

    for (; row->name != NULL; row++) {
        if ((row->use & use) != use)
            continue;
        near_try(&n, row->name);
        if (is_long && length > 0 && strncmp(row->name, name, length) == 0)
            buf_addf(&all, "%s--%s", all.length > 0 ? ", " : "", row->name);
    }
    if (is_output(name, length, name[length] == '=' ? name + length + 1
                                                     : next)) {
        err_set(err, "there is no option '%s'; what is printed goes into a "
                "file with > FILE (collviz --help)", word);
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
        row = option_find(argv[i], 0, &value);
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
            is_option(argv[i]) ? option_find(argv[i], FOR_ALL & ~FOR_CHANGE,
                                          &value) : NULL;
        if (row == NULL)
            continue;
        if (value == NULL && has_value(row, argc - i, argv + i))
            value = argv[++i];
        if (row->parse == parse_lang && value != NULL)
            language_init(value, &ignored);
    }
}

/* Whether a number that is no option's value can only be that of the ranks: it
 * comes after the algorithm of a command. */
static bool
counts_ranks(const struct options *o, unsigned use)
{
    enum {
        ALGORITHM_FIRST = FOR_RUN | FOR_CHECK | FOR_COMPARE | FOR_BENCH |
                          FOR_CHART | FOR_EXPORT
    };

    return (use & ALGORITHM_FIRST) != 0 && (use & (use - 1)) == 0 &&
           o->noperands > (use != FOR_RUN);
}

/* Adds the options in argv to *o, which may have some already, and moves the
 * operands to the front.  Only those are allowed that are for all of `use`.
 * A number alone is --gpus if a run is changed, or after an algorithm. */
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
        bool number = !only_operands && utf8_is_number(word) &&
                      (use == FOR_CHANGE || counts_ranks(o, use));
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
            continue;
        }
        if (!number && (only_operands || !is_option(word))) {
            o->operands[o->noperands++] = argv[i];
            continue;
        }
        row = option_find(number ? "--gpus" : word, use, &value);
        if (row == NULL)
            row = option_of_others(word, i + 1 < argc ? argv[i + 1] : NULL, use,
                                   &value);
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
        return true; /* plan_new() will report it */
    return o->launcher == NULL || b->launcher != NULL ||
           err_set(err, "--launcher is for --backend mpi, not for %s",
                   b->name);
}

bool
options_parse(struct options *o, int argc, char **argv, struct err *err)
{
    *o = (struct options){.backend = mem_string("auto"), .count = -1,
                          .step = -1, .view = -1,
                          .columns = LAYOUT_COLUMNS_FULL,
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
    for (const struct option_row *row = option_rows; row->name != NULL; row++) {
        char **text = field_of(o, row);
        if (row->kind == KIND_TEXT && *text != NULL)
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
    for (const struct option_row *row = option_rows; row->name != NULL; row++)
        if (row->kind == KIND_TEXT)
            free(*(char **)field_of(o, row));
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
    for (const struct option_row *row = option_rows; row->name != NULL; row++)
        if ((row->use & use) != 0 && strcmp(row->name, name) == 0)
            return o->given[row - option_rows];
    return false;
}

const char *
options_first(const struct options *o, unsigned use, unsigned but)
{
    for (const struct option_row *row = option_rows; row->name != NULL; row++)
        if ((row->use & use) != 0 && (row->use & but) == 0 &&
            o->given[row - option_rows])
            return row->name;
    return NULL;
}

int
options_dead_rank(const struct options *o)
{
    for (size_t i = 0; i < o->ndelays; i++)
        if (o->delays[i].ns == DELAY_FOREVER)
            return o->delays[i].rank;
    return -1;
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
        row = option_find(buf_text(&name), FOR_CHANGE, &value);
    if (row != NULL && row->value != NULL && value == NULL) {
        for (int i = 0; (word = words_at(row->words, i)) != NULL; i++)
            try_completion(c, begun, word);
        return;
    }
    for (row = option_rows; *begun == '-' && row->name != NULL; row++)
        if ((row->use & FOR_CHANGE) != 0) {
            buf_clear(&name);
            buf_addf(&name, "--%s", row->name);
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
    const char *heading = NULL;

    for (const struct option_row *row = option_rows; row->name != NULL; row++) {
        heading = row->heading != NULL ? row->heading : heading;
        if (use == FOR_ALL ? !row->first : (row->use & use) == 0)
            continue;
        if (use != FOR_ALL && heading != NULL)
            print_to(out, _("\n%s:\n"), _(heading));
        heading = NULL;
        buf_clear(&left);
        buf_clear(&words);
        /* People know some by their letters, as in nccl-tests. */
        if (row->letter != '\0' && row->letter != 'h')
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
