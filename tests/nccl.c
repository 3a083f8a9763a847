/* SPDX-License-Identifier: MIT */
/* What collviz needs of NCCL, on a library that only counts its calls: finding
 * it and its errors, what it has no collective for (tests/nccl_run.c makes the
 * calls), the environment of ranks that share a GPU. */
#include <stdlib.h>

#include "schedules.h"
#include "tap.h"
#include "workers/nccl/nccl_api.h"
#include "workers/nccl/nccl_native.h"

/* The library. */
static struct {
    int version;
    const char *missing; /* a symbol that it lacks */
    int fail_at;         /* the call that fails, from 1; 0: none */
    enum nccl_result async; /* the asynchronous error */
    const char *last_error;
    int calls;
    int depth; /* of open groups */
} fake;

static enum nccl_result
called(void)
{
    return ++fake.calls == fake.fail_at ? NCCL_SYSTEM_ERROR : NCCL_SUCCESS;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define CALL(field, name, parameters)  \
    static enum nccl_result any_##field parameters \
    {                                  \
        return called();               \
    }
NCCL_NEEDED(CALL)
NCCL_OPTIONAL(CALL)

static enum nccl_result
get_version(int *version)
{
    *version = fake.version;
    return called();
}

static enum nccl_result
group_start(void)
{
    enum nccl_result result = called();

    fake.depth += result == NCCL_SUCCESS;
    return result;
}

static enum nccl_result
group_end(void)
{
    fake.depth--;
    return called();
}

static enum nccl_result
get_async_error(struct nccl_comm *comm, enum nccl_result *result)
{
    *result = fake.async;
    return called();
}

static const char *
get_error_string(enum nccl_result result)
{
    return result == NCCL_SYSTEM_ERROR   ? "unhandled system error"
           : result == NCCL_REMOTE_ERROR ? "remote process exited"
                                         : "another error";
}

static const char *
get_last_error(struct nccl_comm *comm)
{
    return fake.last_error;
}

/* The first symbol of a name counts. */
static void *
find(void *from, const char *name)
{
#define SYMBOL(field, name, parameters) {#name, (void *)any_##field},
    static const struct {
        const char *name;
        void *symbol;
    } symbols[] = {
        {"ncclGetVersion", (void *)get_version},
        {"ncclGroupStart", (void *)group_start},
        {"ncclGroupEnd", (void *)group_end},
        {"ncclCommGetAsyncError", (void *)get_async_error},
        {"ncclGetErrorString", (void *)get_error_string},
        {"ncclGetLastError", (void *)get_last_error},
        NCCL_NEEDED(SYMBOL) NCCL_OPTIONAL(SYMBOL)
    };

    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strcmp(name, symbols[i].name) == 0 &&
            (fake.missing == NULL || strcmp(name, fake.missing) != 0))
            return symbols[i].symbol;
    return NULL;
}

/* Binds a library of some version, without some symbol. */
static bool
binds(struct nccl *n, int version, const char *missing, struct err *err)
{
    memset(&fake, 0, sizeof fake);
    fake.version = version;
    fake.missing = missing;
    strcpy(err->text, "");
    return nccl_bind(n, find, NULL, err);
}

static void
test_bind(void)
{
    static const struct {
        int version;
        const char *missing, *error;
    } rows[] = {
        {22809, NULL, ""},
        {21805, NULL, ""},
        {21708, NULL,
         "NCCL 2.17.8 is too old: collviz needs 2.18 or later"},
        {2708, NULL, "NCCL 2.7.8 is too old: collviz needs 2.18 or later"},
        {22809, "ncclSend",
         "libnccl.so.2 has no ncclSend: collviz needs NCCL 2.18 or later"},
        {22809, "ncclAlltoAll", ""},
        {22809, "ncclGather", ""},
        {22809, "ncclScatter", ""},
    };
    struct nccl n;
    struct err err;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool bound = binds(&n, rows[i].version, rows[i].missing, &err);
        is_str(bound ? "" : err.text, rows[i].error, "%d without %s",
               rows[i].version, rows[i].missing != NULL ? rows[i].missing
                                                        : "gaps");
    }
    fake.fail_at = fake.calls + 1;
    ok(!nccl_bind(&n, find, NULL, &err),
       "a library without a version is refused");
    is_str(err.text, "ncclGetVersion failed: unhandled system error",
           "its version");
}

/* The library of this machine, if there is one: loading it needs no GPU. */
static void
test_library(void)
{
    struct nccl n;
    struct nccl_id id = {{0}};
    char version[NCCL_VERSION_TEXT_MAX];
    struct err err;

    if (!nccl_open(&n, &err)) {
        ok(strncmp(err.text, "NCCL ", 5) == 0 ||
               strncmp(err.text, "libnccl.so.2 ", 13) == 0,
           "no NCCL here: %s", err.text);
        skip("NCCL's library");
        return;
    }
    nccl_version_text(n.version, version);
    ok(n.version >= NCCL_OLDEST, "NCCL %s is here", version);
    ok(strstr(n.get_error_string(NCCL_SYSTEM_ERROR), "system") != NULL,
       "and calls errors as we do");
    setenv("NCCL_SOCKET_IFNAME", "=lo", 1);
    ok(n.get_unique_id(&id) != NCCL_SUCCESS ||
           memcmp(id.internal, (char[NCCL_ID_BYTES]){0}, NCCL_ID_BYTES) != 0,
       "an id, if it gives one, has something in it");
}

static void
test_errors(void)
{
    struct nccl n;
    struct err err;

    binds(&n, 22809, NULL, &err);
    ok(nccl_ok(&n, NCCL_SUCCESS, "ncclSend", NULL, &err),
       "success is not an error");
    nccl_ok(&n, NCCL_SYSTEM_ERROR, "ncclSend", NULL, &err);
    is_str(err.text, "ncclSend failed: unhandled system error", "an error");
    fake.last_error = "Duplicate GPU detected\nand a second line";
    nccl_ok(&n, NCCL_SYSTEM_ERROR, "ncclSend", NULL, &err);
    is_str(err.text, "ncclSend failed: unhandled system error: Duplicate GPU "
           "detected", "with NCCL's own text");
    fake.last_error = NULL;
    ok(nccl_healthy(&n, NULL, &err), "no asynchronous error");
    fake.async = NCCL_REMOTE_ERROR;
    ok(!nccl_healthy(&n, NULL, &err), "a rank is lost");
    is_str(err.text, "communication failed: remote process exited",
           "and the error says so");
}

/* Returns the error of nccl_native for a collective on 4 ranks; "" if there is
 * none. */
static const char *
refusal(const char *collective, int version, const char *missing,
        bool in_place, struct input in, struct err *err)
{
    struct nccl n;
    struct nccl_native call;
    OWNS(schedule) *s = build(
        collective, &(struct coll_options){.nranks = 4, .in_place = in_place});

    binds(&n, version, missing, err);
    if (nccl_native(&call, &n, s, &in, 1, err))
        strcpy(err->text, "");
    return err->text;
}

static struct input
sums(int64_t count)
{
    return (struct input){DTYPE_FLOAT32, REDOP_SUM, count, NULL, 0};
}

static void
test_refused(void)
{
    struct err err;

    is_str(refusal("scatter", 22703, "ncclScatter", false, sums(8), &err),
           "NCCL 2.27.3 has no scatter of its own: 2.28 was the first with "
           "ncclScatter", "an old library");
    is_str(refusal("allgather", 22809, NULL, true, sums(9), &err), "",
           "an uneven cut is allowed for a gather");
    for (int op = REDOP_LAND; op < REDOPS; op++) {
        struct input in = {DTYPE_INT32, (enum redop)op, 8, NULL, 0};
        char expected[64];
        snprintf(expected, sizeof expected, "NCCL has no %s of its own",
                 redop_name(in.op));
        is_str(refusal("allreduce", 22809, NULL, true, in, &err), expected,
               "an operator of MPI's");
        is_str(refusal("allgather", 22809, NULL, true, in, &err), "",
               "does not matter where nothing is reduced");
    }
}

static void
test_share(void)
{
    setenv("NCCL_SOCKET_IFNAME", "eth0", 1);
    setenv("NCCL_ALGO", "Tree", 1);
    nccl_share_gpu(22906, 2);
    is_str(getenv("NCCL_HOSTID"), "collviz-2",
           "2.29: each is a host of its own");
    is_str(getenv("NCCL_MULTI_RANK_GPU_ENABLE"), NULL,
           "because it has no switch");
    is_str(getenv("NCCL_SOCKET_IFNAME"), "=lo", "by sockets");
    is_str(getenv("NCCL_ALGO"), "Tree", "as the user wants it, if it works");
    unsetenv("NCCL_HOSTID");
    nccl_share_gpu(23000, 2);
    is_str(getenv("NCCL_MULTI_RANK_GPU_ENABLE"), "1", "2.30 has one");
    is_str(getenv("NCCL_HOSTID"), NULL, "and needs no other host");
}

int
main(void)
{
    test_bind();
    test_library();
    test_errors();
    test_refused();
    test_share();
    return done_testing();
}
