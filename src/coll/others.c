/* SPDX-License-Identifier: MIT */
/* Names that other programs give to collectives and algorithms. */
#include <string.h>

#include "coll/coll.h"

/* Words that have no letter of ours, squeezed, and what they mean here. */
static const struct {
    const char *theirs, *ours;
} words[] = {
    /* Kernels that read all peers, and those that do so for a share each. */
    {"oneshot", "naive-allreduce"},
    {"oneshotallreduce", "naive-allreduce"},
    {"twoshot", "sharded-server-allreduce"},
    {"twoshotallreduce", "sharded-server-allreduce"},
    {"hypercubeperf", "hypercube-allgather"}, /* of nccl-tests */
    {"send", "sendrecv"}, /* ncclSend */
    {"recv", "sendrecv"},
    {"psum", "allreduce"}, /* of JAX */
    {"psumscatter", "reduce-scatter"},
    {"ppermute", "sendrecv"},
    {"allgatherv", "allgather"},
    {"alltoallv", "alltoall"},
    {"gatherv", "gather"},
    {"scatterv", "scatter"},
    {"reducescatterv", "reduce-scatter"},
};

/* What stands before and after a collective's name there. */
static const char *const before[] = {"torchdistributed", "dist", "mpi", "nccl",
                                     "rccl", NULL};
static const char *const after[] = {"perf", "intotensor", "tensor", "single",
                                    "block", "init", NULL};

enum { SQUEEZED_MAX = 64 };
struct squeezed {
    char text[SQUEEZED_MAX];
};

/* The letters and digits alone, small; "" if there are too many. */
static struct squeezed
squeeze_name(const char *name)
{
    struct squeezed s = {""};
    size_t length = 0;

    for (; *name != '\0'; name++)
        if (strchr("-_.", *name) == NULL) {
            if (length + 1 == sizeof s.text)
                return (struct squeezed){""};
            s.text[length++] = (char)(*name >= 'A' && *name <= 'Z'
                                          ? *name - 'A' + 'a' : *name);
        }
    return s;
}

/* Finds a name that is squeezed already: an algorithm's, a collective's, or a
 * word of the table. */
static bool
find_squeezed(const char *name, const struct algorithm **algorithm)
{
    const struct collective *c;
    const struct algorithm *a;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].theirs, name) == 0)
            return coll_find(words[i].ours, algorithm, NULL);
    for (int i = 0; (c = collective_at(i)) != NULL; i++)
        if (strcmp(squeeze_name(c->name).text, name) == 0 ||
            (c->aliases[0] != NULL &&
             strcmp(squeeze_name(c->aliases[0]).text, name) == 0))
            return coll_find(c->name, algorithm, NULL);
    for (int i = 0; (a = coll_at(i)) != NULL; i++)
        if (strcmp(squeeze_name(coll_name(a).text).text, name) == 0) {
            *algorithm = a;
            return true;
        }
    return false;
}

bool
coll_find_other(const char *name, const struct algorithm **algorithm)
{
    struct squeezed s = squeeze_name(name);
    char *rest = s.text;
    size_t length;

    if (s.text[0] == '\0' || find_squeezed(rest, algorithm))
        return s.text[0] != '\0';
    for (int i = 0; before[i] != NULL; i++)
        if (strncmp(rest, before[i], strlen(before[i])) == 0)
            rest += strlen(before[i]);
    if (find_squeezed(rest, algorithm))
        return true;
    for (int i = 0; after[i] != NULL; i++) {
        length = strlen(rest);
        if (length > strlen(after[i]) &&
            strcmp(rest + length - strlen(after[i]), after[i]) == 0)
            rest[length - strlen(after[i])] = '\0';
    }
    return find_squeezed(rest, algorithm);
}

bool
coll_is_nccl_test(const char *name)
{
    const char *slash = strrchr(name, '/');
    const struct algorithm *ignored;
    size_t length;

    name = slash != NULL ? slash + 1 : name;
    length = strlen(name);
    return length > 5 && strcmp(name + length - 5, "_perf") == 0 &&
           coll_find_other(name, &ignored);
}
