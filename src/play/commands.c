/* SPDX-License-Identifier: MIT */
#include "play/options.h"

#include <stddef.h>
#include <string.h>

#include "base/translate.h"

static const struct command commands[] = {
    {FOR_HOME, N_("the home screen"), "",
     N_("lessons, algorithms and recordings to choose from"), "", NULL, NULL},
    {FOR_RUN, N_("a run"), "ALGORITHM [OPTION...]",
     N_("run and watch, as in collviz ring-allreduce --gpus 3"),
     "ring-allreduce --gpus 3 --record ring.jsonl", NULL, NULL},
    {FOR_LEARN, "learn", "[LESSON]", N_("lessons, from the first on"),
     "learn trees", NULL, "LESSON"},
    {FOR_PRACTICE, "wire", "", N_("practise: make the steps of an algorithm"),
     "wire --seed 7F3A", NULL, ""},
    {FOR_PRACTICE, "repair", "",
     N_("practise: find and mend what breaks a run"), "repair --seed 7F3A",
     NULL, ""},
    {FOR_PRACTICE, "choose", "",
     N_("practise: which algorithm for which network"), "choose --seed 7F3A",
     NULL, ""},
    {FOR_PRACTICE, "diagnose", "", N_("practise: what happened to a run"),
     "diagnose --seed 7F3A", NULL, ""},
    {FOR_EXAM, "exam", "", N_("ten tasks, on the screen or on paper"),
     "exam --paper --seed 7F3A", NULL, ""},
    {FOR_LIST, "list", "[COLLECTIVE]", N_("collectives and their algorithms"),
     "list allreduce", NULL, "COLLECTIVE"},
    {FOR_CHECK, "check", "ALGORITHM|FILE",
     N_("prove it, count its bytes, explain its steps"),
     "check ring-allreduce --gpus 8", "ALGORITHM", "ALGORITHM"},
    {FOR_COMPARE, "compare", "ALGORITHM...",
     N_("a race on the same input; or a table"),
     "compare ring-allreduce tree-allreduce --network ethernet", NULL, NULL},
    {FOR_BENCH, "bench", "ALGORITHM...",
     N_("measure as nccl-tests does; or read its tables"),
     "bench ring-allreduce -g 4 -b 8 -e 1M -f 16", NULL, NULL},
    {FOR_CHART, "chart", "ALGORITHM...",
     N_("times on a network, by its model; or a table"),
     "chart ring-allreduce tree-allreduce --gpus 8 --network infiniband", NULL,
     NULL},
    {FOR_REPLAY, "replay", "FILE", N_("show a recording"), "replay ring.jsonl",
     "FILE", "FILE"},
    {FOR_SERVE, "serve", "[ADDRESS:PORT]",
     N_("the home screen, which browsers follow"), "serve 0.0.0.0:8017", NULL,
     "ADDRESS"},
    {FOR_EXPORT, "export", "FILE|NAME",
     N_("write it as a picture, a film, a page, a trace or XML"),
     "export ring-allreduce --gpus 3 --html -o ring.html",
     N_("FILE, ALGORITHM or LESSON"), NULL},
    {FOR_DOCTOR, "doctor", "", N_("what works here, and why the rest does not"),
     "doctor", NULL, NULL},
    {FOR_HELP, "help", "[COMMAND]", N_("this help, or that of a command"),
     "help bench", NULL, NULL},
};

const struct command *
command_at(int index)
{
    return index < (int)(sizeof commands / sizeof commands[0])
               ? &commands[index]
               : NULL;
}

bool
command_typed(const struct command *c)
{
    return (c->use & (FOR_HOME | FOR_RUN)) == 0;
}

const struct command *
command_find(const char *name)
{
    const struct command *c;

    if (strcmp(name, "explain") == 0)
        name = "check";
    for (int i = 0; (c = command_at(i)) != NULL; i++)
        if (command_typed(c) && strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

const char *
command_name(const struct command *c)
{
    return command_typed(c) ? c->name : _(c->name);
}
