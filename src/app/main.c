/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "base/language.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/standard.h"
#include "base/translate.h"
#include "screen/home.h"
#include "term/screen.h"

static int cmd_help(const struct options *o);

static const struct command {
    const char *name, *arguments, *help;
    unsigned use; /* its bit of enum option_use */
    int (*run)(const struct options *o);
} commands[] = {
    {"learn", "[LESSON]", N_("lessons, from the first on"), FOR_LEARN,
     cmd_learn},
    {"list", "[COLLECTIVE]", N_("collectives and their algorithms"), FOR_LIST,
     cmd_list},
    {"check", "ALGORITHM|FILE.xml",
     N_("prove it, count its bytes, explain its steps"), FOR_CHECK, cmd_check},
    {"compare", "ALGORITHM...", N_("a race on the same input; or a table"),
     FOR_COMPARE, cmd_compare},
    {"bench", "ALGORITHM...",
     N_("measure as nccl-tests does; or read its tables"), FOR_BENCH,
     cmd_bench},
    {"chart", "ALGORITHM...",
     N_("times on a network, by its model; or a table"), FOR_CHART,
     cmd_chart},
    {"replay", "FILE", N_("show a recording"), FOR_REPLAY, cmd_replay},
    {"export", "FILE|ALGORITHM",
     N_("write it as an SVG, a film or a trace; a schedule as XML"),
     FOR_EXPORT, cmd_export},
    {"doctor", "", N_("what works here, and why the rest does not"),
     FOR_DOCTOR, cmd_doctor},
    {"help", "[COMMAND]", N_("this help, or that of a command"), FOR_HELP,
     cmd_help},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char run_usage[] = "  collviz ALGORITHM [OPTION...]    %s\n";
static const char run_help[] =
    N_("run and watch, as in collviz ring-allreduce --gpus 3");

static const struct command *
find_command(const char *name)
{
    if (strcmp(name, "explain") == 0)
        name = "check";
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void
print_command(FILE *out, const struct command *c)
{
    char left[64];

    snprintf(left, sizeof left, "collviz %s %s", c->name, c->arguments);
    print_to(out, "  %-32s %s\n", left, _(c->help));
}

/* On stderr: as much as fits on a screen. */
static void
print_help(FILE *out)
{
    print_to(out, _("collviz runs a collective for real, one step at a time, "
                    "and shows what every rank holds.\n"));
    print_to(out, _("usage:\n"));
    print_to(out, "  %-32s %s\n", "collviz",
             _("lessons, algorithms and recordings to choose from"));
    print_to(out, run_usage, _(run_help));
    for (int i = 0; i < COMMANDS; i++)
        print_command(out, &commands[i]);
    if (out == stderr)
        return;
    print_to(out, _("options to begin with; collviz ALGORITHM --help and "
                    "collviz COMMAND --help have all:\n"));
    options_help(out, FOR_ALL);
    print_to(out, _("On the screen, ? explains the keys. The manual is "
                    "collviz(1).\n"));
}

/* Help for the command or the algorithm that the operands name, or for all. */
static int
help(const struct options *o)
{
    const struct command *c =
        o->noperands > 0 ? find_command(o->operands[0]) : NULL;

    if (o->noperands == 0 || (c != NULL && c->use == FOR_HELP)) {
        print_help(stdout);
        return command_finish(EXIT_RIGHT);
    }
    print(_("usage:\n"));
    if (c != NULL)
        print_command(stdout, c);
    else
        print(run_usage, _(run_help));
    options_help(stdout, c != NULL ? c->use : FOR_RUN);
    return command_finish(EXIT_RIGHT);
}

static int
cmd_help(const struct options *o)
{
    const char *names[COMMANDS + 1] = {NULL};
    struct buf meant = {0};
    struct err err;

    if (o->noperands == 0 || find_command(o->operands[0]) != NULL)
        return help(o);
    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    near_among(o->operands[0], names, &meant);
    err_set(&err, "no command is called '%s': %s (collviz help)",
            o->operands[0], buf_text(&meant));
    buf_done(&meant);
    return command_fail(EXIT_USAGE, &err);
}

/* Whether the word is nearer to a command than to an algorithm. */
static bool
is_misspelt_command(const char *word, struct err *err)
{
    struct near n = {.word = word};
    struct buf meant = {0};

    for (int i = 0; i < COMMANDS; i++)
        near_try(&n, commands[i].name);
    coll_near(&n);
    if (n.count == 0 || find_command(n.found[0]) == NULL)
        return false;
    near_add(&n, "", &meant);
    err_set(err, "no command and no algorithm is called '%s'%s (collviz help)",
            word, buf_text(&meant));
    buf_done(&meant);
    return true;
}

/* Whether the word is one of nccl-tests' programs: ./build/all_reduce_perf. */
static bool
is_nccl_test(const char *word, struct err *err)
{
    const char *slash = strrchr(word, '/');
    const char *name = slash != NULL ? slash + 1 : word;
    size_t length = strlen(name);
    const struct algorithm *a;
    struct buf stem = {0};
    bool ok;

    if (length <= 5 || strcmp(name + length - 5, "_perf") != 0)
        return false;
    if (strcmp(name, "hypercube_perf") == 0)
        buf_puts(&stem, "hypercube-allgather");
    else
        buf_addf(&stem, "%.*s", (int)length - 5, name);
    ok = coll_find(buf_text(&stem), &a, NULL);
    if (ok)
        err_set(err, "'%s' is a program of nccl-tests: say collviz bench %s, "
                "with its options (collviz help bench)", word,
                buf_text(&stem));
    buf_done(&stem);
    return ok;
}

/* Whether the first operand cannot be meant as it is.  That is the error to
 * report then, even if there are others in the options. */
static bool
is_misnamed(const char *word, struct err *err)
{
    return find_command(word) == NULL &&
           (is_nccl_test(word, err) || is_misspelt_command(word, err));
}

/* Refuses a word after the algorithm: a number was meant as --gpus, and "ring
 * allreduce" as one name. */
static void
refuse_second(const struct options *o, struct err *err)
{
    const char *word = o->operands[1];
    struct buf name = {0}, meant = {0};
    struct near n;

    buf_addf(&name, "%s-%s", o->operands[0], word);
    n = (struct near){.word = buf_text(&name)};
    coll_near(&n);
    if (word[0] != '\0' && word[strspn(word, "0123456789")] == '\0')
        buf_addf(&meant, _("; say --gpus %s"), word);
    else if (n.distance <= 1)
        near_add(&n, "", &meant);
    err_set(err, "'%s': one ALGORITHM at a time%s (collviz help)", word,
            buf_text(&meant));
    buf_done(&name);
    buf_done(&meant);
}

static int
run_command(struct options *o, bool bare)
{
    const struct command *command = NULL;
    struct err err;

    if (o->noperands == 0 && !o->plain && !o->json && screen_can(&err))
        return home(o, &err) ? EXIT_RIGHT : command_fail(EXIT_WRONG, &err);
    if (bare) {
        print_help(stderr);
        return command_fail(EXIT_USAGE, &err);
    }
    if (o->noperands == 0) {
        err_set(&err, "which ALGORITHM? collviz list has them all");
        return command_fail(EXIT_USAGE, &err);
    }
    if ((command = find_command(o->operands[0])) != NULL) {
        o->operands++;
        o->noperands--;
        return command->run(o);
    }
    if (is_misnamed(o->command, &err))
        return command_fail(EXIT_USAGE, &err);
    if (o->noperands > 1) {
        refuse_second(o, &err);
        return command_fail(EXIT_USAGE, &err);
    }
    return cmd_run(o);
}

int
main(int argc, char **argv)
{
    struct options o;
    struct err err;
    char **words = mem_new((size_t)argc + 1, sizeof *words);
    int status = EXIT_RIGHT;
    bool ok;

    standard_open();
    language_init(NULL, &err);
    memcpy(words, argv, (size_t)argc * sizeof *words);
    ok = options_parse(&o, argc, argv, &err); /* puts argv in order */
    o.words = words;
    signal(SIGPIPE, SIG_IGN); /* write() fails instead */
    signal(SIGXFSZ, SIG_IGN); /* write() fails at the limit of a file's size */
    if (!ok) {
        if (o.command != NULL)
            is_misnamed(o.command, &err);
        status = command_fail(EXIT_USAGE, &err);
    } else if (o.help) {
        status = help(&o);
    } else if (o.version) {
        print("collviz %s\n", PACKAGE_VERSION);
        status = command_finish(EXIT_RIGHT);
    } else {
        status = run_command(&o, argc == 1);
    }
    options_done(&o);
    free(words);
    signals_die();
    return status;
}
