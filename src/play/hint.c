/* SPDX-License-Identifier: MIT */
#include "play/hint.h"

#include <string.h>

#include "base/dtype.h"
#include "base/near.h"

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

/* The number in -n4, -n=4 and -n 4, or "N" if there is none.  `rest` is the
 * text after the name. */
static const char *
number_after(const char *rest, const char *next)
{
    rest += *rest == '=';
    if (is_number(rest))
        return rest;
    return *rest == '\0' && next != NULL && is_number(next) ? next : "N";
}

static bool
is_among(const char *word, const char *const *names)
{
    while (*names != NULL && strcmp(*names, word) != 0)
        names++;
    return *names != NULL;
}

static const char *
our_name(const char *name, size_t length, const char *const *names)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i].theirs) == length &&
            strncmp(others[i].theirs, name, length) == 0 &&
            is_among(others[i].ours, names))
            return others[i].ours;
    return NULL;
}

/* How many names begin with this text; 1 if one of them equals it. */
static int
beginnings(const char *name, size_t length, const char *const *names,
           struct buf *all)
{
    int count = 0;

    for (int i = 0; names[i] != NULL; i++) {
        if (strncmp(names[i], name, length) != 0)
            continue;
        if (names[i][length] == '\0')
            return 1;
        buf_addf(all, "%s--%s", count++ > 0 ? ", " : "", names[i]);
    }
    return count;
}

static bool
misspelt(const char *word, const char *name, const char *const *names,
         struct err *err)
{
    struct near n = {.word = name};
    struct buf meant = {0};

    for (int i = 0; names[i] != NULL; i++)
        near_try(&n, names[i]);
    near_add(&n, "--", &meant);
    err_set(err, "there is no option '%s'%s (collviz --help)", word,
            buf_text(&meant));
    buf_done(&meant);
    return false;
}

/* Whether it names a file for the output, as in -o out.svg. */
static bool
is_output(const char *name, size_t length, const char *value)
{
    static const char *const theirs[] = {"o", "out", "output"};
    enum redop op;

    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++)
        if (strlen(theirs[i]) == length &&
            strncmp(theirs[i], name, length) == 0)
            return value == NULL || !redop_find(value, &op);
    return false;
}

bool
hint_option(char *const *word, const char *const *names,
            const char *elsewhere, struct err *err)
{
    const char *name = *word + strspn(*word, "-");
    bool is_long = name - *word > 1;
    size_t length = strcspn(name, is_long ? "=" : "=0123456789");
    const char *ours = our_name(name, length, names);
    struct buf all = {0};
    int count = is_long ? beginnings(name, length, names, &all) : 0;

    if (is_output(name, length, name[length] == '=' ? name + length + 1
                                                     : word[1]))
        err_set(err, "there is no option '%s'; what is printed goes into a "
                "file with > FILE (collviz --help)", *word);
    else if (ours != NULL)
        err_set(err, "there is no option '%s'; say --%s%s%s (collviz --help)",
                *word,
                ours, strcmp(ours, "gpus") == 0 ? " " : "",
                strcmp(ours, "gpus") == 0
                    ? number_after(name + length, word[1]) : "");
    else if (count > 1)
        err_set(err, "'%s' stands for several options: %s", *word,
                buf_text(&all));
    else if (count == 1)
        err_set(err, "'%s': this option takes no value (collviz --help)",
                *word);
    else if (elsewhere != NULL)
        err_set(err, "%s", elsewhere);
    else
        misspelt(*word, name, names, err);
    buf_done(&all);
    return false;
}
