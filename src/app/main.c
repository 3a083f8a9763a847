/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "base/language.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "screen/home.h"
#include "term/screen.h"

static command_run cmd_help;

static const struct {
    unsigned use;
    command_run *run;
} runs[] = {
    {FOR_LEARN, cmd_learn},
    {FOR_PRACTICE, cmd_practice}, {FOR_EXAM, cmd_practice},
    {FOR_LIST, cmd_list},       {FOR_CHECK, cmd_check},
    {FOR_COMPARE, cmd_compare}, {FOR_BENCH, cmd_bench},
    {FOR_CHART, cmd_chart},     {FOR_REPLAY, cmd_replay},
    {FOR_SERVE, cmd_serve},     {FOR_EXPORT, cmd_export},
    {FOR_DOCTOR, cmd_doctor},   {FOR_HELP, cmd_help},
};

static void
print_usage(FILE *out, const struct command *c)
{
    char left[64];

    snprintf(left, sizeof left, "collviz %s%s%s",
             command_typed(c) ? c->name : "", command_typed(c) ? " " : "",
             c->takes);
    print_to(out, "  %-32s %s\n", left, _(c->help));
}

/* On stderr: as much as fits on a screen. */
static void
print_help(FILE *out)
{
    print_to(out, _("collviz runs a collective for real, one step at a time, "
                    "and shows what every rank holds.\n"));
    print_to(out, _("usage:\n"));
    for (int i = 0; command_at(i) != NULL; i++)
        print_usage(out, command_at(i));
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
help_operands(const struct options *o)
{
    const struct command *c =
        o->noperands > 0 ? command_find(o->operands[0]) : NULL;

    if (o->noperands == 0 || (c != NULL && c->use == FOR_HELP)) {
        print_help(stdout);
        return EXIT_RIGHT;
    }
    for (int i = 0; c == NULL; i++)
        if (command_at(i)->use == FOR_RUN)
            c = command_at(i);
    print(_("usage:\n"));
    print_usage(stdout, c);
    options_help(stdout, c->use);
    print(_("\nfor example:\n  collviz %s\n"), c->example);
    return EXIT_RIGHT;
}

static int
cmd_help(const struct options *o, struct err *err)
{
    const char *names[COMMANDS_MAX + 1] = {NULL};
    OWN(buf) meant = {0};
    int count = 0;

    if (o->noperands == 0 || command_find(o->operands[0]) != NULL)
        return help_operands(o);
    for (int i = 0; command_at(i) != NULL; i++)
        if (command_typed(command_at(i)))
            names[count++] = command_at(i)->name;
    near_among(o->operands[0], names, &meant);
    err_set(err, "no command is called '%s': %s (collviz help)",
            o->operands[0], buf_text(&meant));
    return EXIT_USAGE;
}

/* Whether the word is nearer to a command than to an algorithm. */
static bool
is_misspelt_command(const char *word, struct err *err)
{
    struct near n = {.word = word};
    OWN(buf) meant = {0};

    for (int i = 0; command_at(i) != NULL; i++)
        if (command_typed(command_at(i)))
            near_try(&n, command_at(i)->name);
    coll_near(&n);
    if (n.count == 0 || command_find(n.found[0]) == NULL)
        return false;
    near_add(&n, "", &meant);
    err_set(err, "no command and no algorithm is called '%s'%s (collviz help)",
            word, buf_text(&meant));
    return true;
}

/* Whether the first operand cannot be meant as it is.  That is the error to
 * report then, even if there are others in the options. */
static bool
is_misnamed(const char *word, struct err *err)
{
    return command_find(word) == NULL && is_misspelt_command(word, err);
}

/* Refuses a word after the algorithm: "ring allreduce" was meant as one name.
 */
static void
refuse_second(const struct options *o, struct err *err)
{
    const char *word = o->operands[1];
    OWN(buf) name = {0}, meant = {0};
    struct near n;

    buf_addf(&name, "%s-%s", o->operands[0], word);
    n = (struct near){.word = buf_text(&name)};
    coll_near(&n);
    if (n.distance <= 1)
        near_add(&n, "", &meant);
    err_set(err, "'%s': one ALGORITHM at a time%s (collviz help)", word,
            buf_text(&meant));
}

static int
run_command(struct options *o, bool bare, struct err *err)
{
    const struct command *c = NULL;
    int i = 0;

    if (o->serve != NULL && (o->plain || o->json || o->paper || o->answers ||
                             o->check || o->reset || !screen_can(err)))
        return command_misuse(err, "--serve is for what is on a screen");
    if (o->noperands == 0 && !o->plain && !o->json && screen_can(err))
        return home(o, NULL, err) ? EXIT_RIGHT : EXIT_WRONG;
    if (bare) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (o->noperands == 0)
        return command_misuse(err,
                              "which ALGORITHM? collviz list has them all");
    if ((c = command_find(o->operands[0])) != NULL) {
        o->operands++;
        o->noperands--;
        if (o->noperands == 0 && c->needs != NULL)
            return command_misuse(err, "'collviz %s' needs %s", c->name,
                                  _(c->needs));
        if (o->noperands > 0 && c->one != NULL && c->one[0] == '\0')
            return command_misuse(err, "'%s': 'collviz %s' takes only options",
                                  o->operands[0], c->name);
        if (o->noperands > 1 && c->one != NULL)
            return command_misuse(err, "'%s': 'collviz %s' takes one %s",
                                  o->operands[1], c->name, c->one);
        while (runs[i].use != c->use)
            i++;
        return runs[i].run(o, err);
    }
    if (is_misnamed(o->command, err))
        return EXIT_USAGE;
    if (o->noperands > 1) {
        refuse_second(o, err);
        return EXIT_USAGE;
    }
    return cmd_run(o, err);
}

/* Prints why a command has failed, unless a signal, which then is the cause,
 * asks to end; and why its output could not be written.  Returns the exit
 * status. */
static int
finish_command(int status, struct err *err)
{
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    int error = errno;

    if (status != EXIT_RIGHT && err->text[0] != '\0' && signals_ending() == 0)
        print_to(stderr, "collviz: %s\n", err->text);
    if (written)
        return status;
    err_set(err, "cannot write to standard output: %s", strerror(error));
    if (error != EPIPE && signals_ending() == 0) /* else its reader is gone */
        print_to(stderr, "collviz: %s\n", err->text);
    return EXIT_WRONG;
}

/* Puts "bench" before what can mean nothing else: a program of nccl-tests, or
 * an algorithm with sizes to measure.  `words` has room for one more. */
static int
add_bench(int argc, char **words)
{
    bool measures = argc > 1 && words[1][0] != '-' &&
                    command_find(words[1]) == NULL;
    bool sized = false;

    for (int i = 2; i < argc; i++)
        sized |= options_sizes_bench(words[i]);
    if (!measures || !(sized || coll_is_nccl_test(words[1])))
        return argc;
    if (coll_is_nccl_test(words[1]))
        words[1] = (char *)load_name(words[1]);
    memmove(words + 2, words + 1, (size_t)argc * sizeof *words);
    words[1] = (char *)"bench";
    return argc + 1;
}

int
main(int argc, char **argv)
{
    struct options o;
    struct err err = {.text = ""};
    char **words = mem_new((size_t)argc + 2, sizeof *words);
    char **meant = mem_new((size_t)argc + 2, sizeof *meant);
    int status = EXIT_RIGHT;
    bool ok;

    print_open();
    language_init(NULL, &err);
    memcpy(words, argv, (size_t)argc * sizeof *words);
    memcpy(meant, argv, (size_t)argc * sizeof *meant);
    argc = add_bench(argc, meant);
    ok = options_parse(&o, argc, meant, &err); /* puts them in order */
    o.words = words;
    signal(SIGPIPE, SIG_IGN); /* write() fails instead */
    signal(SIGXFSZ, SIG_IGN); /* write() fails at the limit of a file's size */
    if (!ok) {
        if (o.command != NULL)
            is_misnamed(o.command, &err);
        status = EXIT_USAGE;
    } else if (o.help) {
        status = help_operands(&o);
    } else if (o.version) {
        print("collviz %s\n", PACKAGE_VERSION);
    } else {
        status = run_command(&o, argc == 1, &err);
    }
    status = finish_command(status, &err);
    options_done(&o);
    free(words);
    free(meant);
    signals_die();
    return status;
}
