/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>

#include "app/command.h"
#include "base/language.h"
#include "base/near.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/standard.h"
#include "base/translate.h"
#include "screen/watch.h"

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
    {"explain", "ALGORITHM", N_("its steps, in words"), FOR_EXPLAIN,
     cmd_explain},
    {"check", "ALGORITHM|FILE.xml",
     N_("prove it, count its steps and bytes"), FOR_CHECK, cmd_check},
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
    {"help", "[COMMAND]", N_("this help, or that of a command"), FOR_ALL,
     cmd_help},
};

static const struct command *
find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
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

/* Leaves out `help` unless `all`: --help says the same. */
static void
print_commands(FILE *out, bool all)
{
    print_to(out, _("usage:\n"));
    print_to(out, "  %-32s %s\n", "collviz",
             _("lessons, algorithms and recordings to choose from"));
    print_to(out, "  %-32s %s\n", "collviz ALGORITHM [OPTION...]",
             _("run and watch, as in collviz ring-allreduce --gpus 3"));
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (all || commands[i].use != FOR_ALL)
            print_command(out, &commands[i]);
}

/* What fits on a screen. */
static void
print_usage(FILE *out)
{
    print_to(out, _("collviz runs a collective for real, one step at a time, "
                    "and shows what every rank holds.\n"));
    print_commands(out, false);
    print_to(out, _("options (collviz --help explains them):\n"));
    options_list(out);
}

static void
print_help(FILE *out)
{
    print_to(out, _("collviz runs a collective for real, one step at a time, "
                    "and shows what every rank holds.\n\n"));
    print_commands(out, true);
    options_help(out, FOR_ALL);
    print_to(out, _("\nOn the screen, ? explains the keys. The manual is "
                    "collviz(1).\n"));
}

/* Help for the command named in the operands, or for all of collviz. */
static int
help(const struct options *o)
{
    const struct command *c =
        o->noperands > 0 ? find_command(o->operands[0]) : NULL;

    if (c == NULL || c->use == FOR_ALL) {
        print_help(stdout);
    } else {
        print(_("usage:\n"));
        print_command(stdout, c);
        options_help(stdout, c->use);
    }
    return command_finish(EXIT_RIGHT);
}

static void
try_commands(struct near *n)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        near_try(n, commands[i].name);
}

static int
cmd_help(const struct options *o)
{
    struct near n = {.word = o->noperands > 0 ? o->operands[0] : ""};
    struct buf meant = {0};
    struct err err;
    int status;

    if (o->noperands == 0 || find_command(n.word) != NULL)
        return help(o);
    try_commands(&n);
    near_add(&n, "; ", "", &meant);
    err_set(&err, "no command is called '%s'%s (collviz help)", n.word,
            buf_text(&meant));
    status = command_fail(EXIT_USAGE, &err);
    buf_done(&meant);
    return status;
}

/* Whether the word is nearer to a command than to an algorithm. */
static bool
is_misspelt_command(const char *word, struct err *err)
{
    struct near n = {.word = word};
    struct buf meant = {0};

    try_commands(&n);
    coll_near(&n);
    if (n.count == 0 || find_command(n.found[0]) == NULL)
        return false;
    near_add(&n, "; ", "", &meant);
    err_set(err, "no command and no algorithm is called '%s'%s (collviz help)",
            word, buf_text(&meant));
    buf_done(&meant);
    return true;
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
        buf_addf(&meant, "; say --gpus %s", word);
    else if (n.distance <= 1)
        near_add(&n, "; ", "", &meant);
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

    if (o->noperands == 0 && !o->plain && !o->json && watch_can())
        return cmd_home(o);
    if (bare) {
        print_usage(stderr);
        return EXIT_USAGE;
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
    if (is_misspelt_command(o->operands[0], &err))
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
    struct err err, no_language;
    int status = EXIT_RIGHT;
    bool ok, spoken;

    standard_open();
    ok = options_parse(&o, argc, argv, &err);
    spoken = language_init(ok ? o.lang : NULL, &no_language);
    signal(SIGPIPE, SIG_IGN); /* write() fails instead */
    signal(SIGXFSZ, SIG_IGN); /* write() fails at the limit of a file's size */
    if (!ok || !spoken) {
        status = command_fail(EXIT_USAGE, ok ? &no_language : &err);
    } else if (o.help) {
        status = help(&o);
    } else if (o.version) {
        print("collviz %s\n", PACKAGE_VERSION);
        status = command_finish(EXIT_RIGHT);
    } else {
        status = run_command(&o, argc == 1);
    }
    options_done(&o);
    signals_die();
    return status;
}
