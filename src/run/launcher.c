/* SPDX-License-Identifier: MIT */
#include "run/launcher.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/launch_complaint.h"

#define LAUNCH "collviz-launch"

enum {
    WORDS_MAX = 16,
    END_MS = 1000, /* collviz-launch seldom needs longer (HACKING.md) */
};

struct launch_words {
    char *words[WORDS_MAX]; /* NULL after the last */
    int count;
    char ranks[16]; /* how many */
    char worker[PATH_MAX];
};

static void
add(struct launch_words *w, const char *word)
{
    assert(w->count < WORDS_MAX - 1);
    w->words[w->count++] = (char *)word;
}

static void
mpi_words(struct launch_words *w, const struct run_options *o)
{
    (void)o;
    add(w, "-n");
    add(w, w->ranks);
    add(w, w->worker);
}

static void
smpi_words(struct launch_words *w, const struct run_options *o)
{
    add(w, "-np");
    add(w, w->ranks);
    add(w, "-platform");
    add(w, o->platform);
    add(w, w->worker);
}

const struct launcher launcher_mpi = {
    .command = MPI_LAUNCHER,
    .add_words = mpi_words,
};

const struct launcher launcher_smpi = {
    .command = "smpirun",
    .has_platform = true,
    .add_words = smpi_words,
};

/* An empty folder in PATH is the current one. */
static bool
in_path(const char *program)
{
    const char *path = getenv("PATH");
    char *copy = mem_string(path != NULL ? path : "/bin:/usr/bin");
    char *rest = copy, *folder, file[PATH_MAX];
    bool found = false;

    while (!found && (folder = strsep(&rest, ":")) != NULL)
        found = snprintf(file, sizeof file, "%s/%s",
                         folder[0] != '\0' ? folder : ".", program) <
                    (int)sizeof file &&
                access(file, X_OK) == 0;
    free(copy);
    return found;
}

bool
launcher_there(const struct launcher *l, struct err *err)
{
    char program[64];

    snprintf(program, sizeof program, "%.*s", (int)strcspn(l->command, " "),
             l->command);
    return in_path(program) || launch_refuse_missing(program, err);
}

bool
launcher_is_chosen(const struct launcher *l)
{
    return l != NULL && !l->has_platform;
}

static bool
check_platform(const struct run_options *o, struct err *err)
{
    if (o->platform == NULL)
        return err_set(err, "--backend smpi needs the network to simulate: "
                       "--platform FILE");
    return access(o->platform, R_OK) == 0 ||
           err_set(err, "--platform %s: %s", o->platform, strerror(errno));
}

struct child *
launcher_start(const struct launcher *l, const char *worker, int nranks,
               const struct run_options *o, struct err *err)
{
    bool given = o->launcher != NULL && launcher_is_chosen(l);
    struct launch_words w = {.count = 0};
    struct child *c;

    if (!child_find(worker, w.worker, err) ||
        (l->has_platform && !check_platform(o, err)) ||
        (!given && !launcher_there(l, err)))
        return NULL;
    snprintf(w.ranks, sizeof w.ranks, "%d", nranks);
    add(&w, LAUNCH);
    add(&w, given ? "anywhere" : "here");
    add(&w, given ? o->launcher : l->command);
    l->add_words(&w, o);
    c = child_open(LAUNCH, w.words, err);
    if (c != NULL)
        child_give_time(c, END_MS);
    return c;
}
