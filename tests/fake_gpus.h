/* SPDX-License-Identifier: MIT */
/* Backends over the fakes of CUDA and NCCL (tests/fake_cuda,
 * tests/fake_nccl.c): what the fakes pretend, and what holds for both. */
#ifndef TESTS_FAKE_GPUS_H
#define TESTS_FAKE_GPUS_H

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "play.h"
#include "processes.h"
#include "timed.h"
#include "unwritten.h"

/* From now on the fakes pretend this, "CUDA_GPUS=2 CUDA_PEER=0" for
 * FAKE_CUDA_GPUS and so on, and nothing else. */
static void
pretend(const char *settings)
{
    char words[256], name[64], *rest = words;

    for (int i = 0; environ[i] != NULL;) {
        if (strncmp(environ[i], "FAKE_", 5) != 0) {
            i++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="),
                 environ[i]);
        unsetenv(name); /* and the others move up */
    }
    snprintf(words, sizeof words, "%s", settings);
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        char *value = strchr(word, '=');
        if (value == NULL)
            continue;
        *value = '\0';
        snprintf(name, sizeof name, "FAKE_%s", word);
        setenv(name, value + 1, 1);
    }
}

/* Every algorithm without switches on 2 to 9 ranks, or each on every `apart`-th
 * number of them, and up to 5 ranks with calls that are timed; on these
 * machines in turn. */
static void
test_algorithms(const struct backend *backend, void (*set)(const char *),
                const char *const machines[3], int apart)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        int wrong = 0, untimed = 0;
        struct err err;
        OWNS(schedule) *s = build_rooted(a, 4, false, &err);
        if (s->topology.switches > 0)
            continue;
        for (int n = 2 + i % apart, k = i; n <= 9; n += apart, k++) {
            set(machines[k % 3]);
            wrong += !algorithm_is_as_threads(backend, i, n);
            if (n <= 5)
                untimed += count_untimed(backend, i, n);
        }
        is_int(wrong, 0, "%s-%s is as on threads", a->name, a->collective);
        is_int(untimed, 0, "%s-%s, timed", a->name, a->collective);
    }
}

/* What a GPU's memory holds that nobody wrote shows in values and ledger, as on
 * threads. */
static void
test_unwritten(const struct backend *backend, void (*set)(const char *))
{
    for (int way = 0; way < UNWRITTEN_WAYS; way++) {
        set(way % 2 ? "CUDA_GPUS=2 CUDA_PEER=0" : "CUDA_GPUS=1");
        check_unwritten(backend, way);
    }
}

/* What collviz doctor lists, or why there is nothing to list. */
static void
lists(const struct backend *backend, const char *expected, const char *error)
{
    OWN(buf) lines = {0};
    struct err err = {.text = ""};

    ok(devices_ask(backend, &lines, &err) == (error[0] == '\0') &&
           strstr(err.text, error) != NULL,
       "devices: %s", err.text);
    is_str(buf_text(&lines), expected, "as they are listed");
}

#endif
