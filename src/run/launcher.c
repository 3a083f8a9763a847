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
#include "run/platform.h"
#include "run/request.h"

#define LAUNCH "collviz-launch"

enum {
    WORDS_MAX = 24,
    END_MS = 1000, /* collviz-launch seldom needs longer (HACKING.md) */
};

struct launch_words {
    char *words[WORDS_MAX]; /* NULL after the last */
    int count;
    char ranks[16]; /* how many */
    char worker[PATH_MAX];
    struct buf platform, hosts; /* of smpirun */
};

static void
add(struct launch_words *w, const char *word)
{
    assert(w->count < WORDS_MAX - 1);
    w->words[w->count++] = (char *)word;
}

static bool
mpi_words(struct launch_words *w, const struct schedule *s,
          const struct run_options *o, struct err *err)
{
    (void)s, (void)o, (void)err;
    add(w, "-n");
    add(w, w->ranks);
    add(w, w->worker);
    return true;
}

/* Ranks are threads of one process.  Only messages take simulated time: not
 * computation, whose speed here says nothing of the simulated hosts, and not
 * looking for a message. */
static const char *const smpi_settings[] = {
    "-no-privatize",
    "-quiet",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/test:0",
    "--cfg=smpi/iprobe:0",
    "--log=root.thres:error",
};
enum { SMPI_SETTINGS = sizeof smpi_settings / sizeof *smpi_settings };

/* A text of more than one line stands for a file with it
 * (workers/launch/launch.c). */
static bool
smpi_words(struct launch_words *w, const struct schedule *s,
           const struct run_options *o, struct err *err)
{
    struct platform p;

    if (!platform_parse(o->platform, &p, err))
        return false;
    for (size_t i = 0; i < SMPI_SETTINGS; i++)
        add(w, smpi_settings[i]);
    add(w, "-np");
    add(w, w->ranks);
    add(w, "-platform");
    if (p.file == NULL) {
        platform_describe(&p, s, &w->platform, &w->hosts);
        add(w, buf_text(&w->platform));
        add(w, "-hostfile");
        add(w, buf_text(&w->hosts));
    } else {
        add(w, p.file);
    }
    add(w, w->worker);
    return true;
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

struct child *
launcher_start(const struct launcher *l, const char *worker,
               const struct schedule *s, const struct run_options *o,
               struct err *err)
{
    bool given = o->launcher != NULL && launcher_is_chosen(l);
    struct launch_words w = {.count = 0};
    struct child *c = NULL;

    if (!child_find(worker, w.worker, err) ||
        (!given && !launcher_there(l, err)))
        return NULL;
    snprintf(w.ranks, sizeof w.ranks, "%d", s->nranks);
    add(&w, LAUNCH);
    add(&w, given ? "anywhere" : "here");
    add(&w, given ? o->launcher : l->command);
    if (l->add_words(&w, s, o, err))
        c = child_open(LAUNCH, w.words, err);
    if (c != NULL) {
        child_give_time(c, END_MS);
        child_limit(c, REQUEST_AHEAD);
    }
    buf_done(&w.platform);
    buf_done(&w.hosts);
    return c;
}
