/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>

#include "app/command.h"
#include "app/language.h"
#include "app/print.h"
#include "base/text.h"

static const struct command {
    const char *name, *arguments, *help;
    int (*run)(const struct options *o);
} commands[] = {
    {"learn", "[LESSON]", N_("lessons, from the first on"), cmd_learn},
    {"list", "[COLLECTIVE]", N_("what there is to run"), cmd_list},
    {"explain", "ALGORITHM", N_("its steps, in words"), cmd_explain},
    {"check", "ALGORITHM|FILE.xml",
     N_("prove it, count its steps and bytes"), cmd_check},
    {"compare", "ALGORITHM...", N_("a race on the same input; or a table"),
     cmd_compare},
    {"replay", "FILE", N_("show a recording"), cmd_replay},
    {"export", "FILE|ALGORITHM",
     N_("a recording as an SVG, a film or a trace; a schedule as XML"),
     cmd_export},
    {"doctor", "", N_("what works here, and why not"), cmd_doctor},
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
print_help(FILE *out)
{
    print_to(out, _("collviz runs a collective for real, one step at a time, and "
                    "shows what every rank holds.\n\n"));
    print_to(out, _("usage:\n"));
    print_to(out, "  %-29s %s\n", "collviz ALGORITHM [OPTION...]",
             _("run and watch, as in collviz ring-allreduce --gpus 3"));
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const struct command *c = &commands[i];
        char left[64];
        snprintf(left, sizeof left, "collviz %s %s", c->name, c->arguments);
        print_to(out, "  %-29s %s\n", left, _(c->help));
    }
    print_to(out, _("\noptions:\n"));
    options_help(out);
    print_to(out, _("\nOn the screen, ? tells the keys. The manual is "
                    "collviz(1).\n"));
}

static int
run_command(struct options *o, bool bare)
{
    const struct command *command = NULL;
    struct err err;

    if (bare) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (o->noperands == 0) {
        err_set(&err, "which ALGORITHM? collviz list tells what there is");
        return command_fail(EXIT_USAGE, &err);
    }
    if ((command = find_command(o->operands[0])) != NULL) {
        o->operands++;
        o->noperands--;
        return command->run(o);
    }
    if (o->noperands > 1) {
        err_set(&err, "'%s': one ALGORITHM at a time (collviz --help)",
                o->operands[1]);
        return command_fail(EXIT_USAGE, &err);
    }
    return cmd_run(o);
}

int
main(int argc, char **argv)
{
    struct options o;
    struct err err;
    int status = EXIT_RIGHT;
    bool ok = options_parse(&o, argc, argv, &err);
    struct err no_language;
    bool spoken = language_init(ok ? o.lang : NULL, &no_language);

    signal(SIGPIPE, SIG_IGN); /* a write to nobody is an error, not a death */
    if (!ok || !spoken) {
        status = command_fail(EXIT_USAGE, ok ? &no_language : &err);
    } else if (o.help) {
        print_help(stdout);
        status = command_finish(EXIT_RIGHT);
    } else if (o.version) {
        print("collviz %s\n", PACKAGE_VERSION);
        status = command_finish(EXIT_RIGHT);
    } else {
        status = run_command(&o, argc == 1);
    }
    options_done(&o);
    return status;
}
