/* SPDX-License-Identifier: MIT */
/* What collviz needs of NCCL, on a library that only counts its calls: finding
 * it and its errors, the calls in place of ours (tests/nccl_run.c makes them),
 * the environment of ranks that share a GPU. */
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

/* The call of rank 1 of 4, root 2, on an input of 8 elements: as NCCL counts
 * them, and where input and output are, out of place and in place. */
static void
test_calls(void)
{
    static const struct {
        const char *collective, *name;
        size_t count;
        int64_t from_in_place, to_in_place; /* -1: there is none */
    } rows[] = {
        {"allreduce", "ncclAllReduce", 8, 0, 0},
        {"broadcast", "ncclBroadcast", 8, 0, 0},
        {"reduce", "ncclReduce", 8, 0, 0},
        {"allgather", "ncclAllGather", 8, 8, 0},
        {"reduce-scatter", "ncclReduceScatter", 2, 0, 2},
        {"gather", "ncclGather", 8, 8, 0},
        {"scatter", "ncclScatter", 2, 0, 2},
        {"alltoall", "ncclAlltoAll", 2, -1, -1},
        {"sendrecv", "ncclSend and ncclRecv", 8, -1, -1},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    struct nccl n;
    struct err err;

    binds(&n, 22809, NULL, &err);
    ok(collective_at(ROWS) == NULL, "these are all collectives");
    for (int i = 0; i < 2 * ROWS; i++) {
        const char *name = rows[i / 2].collective;
        bool in_place = i % 2;
        int root = collective_rooted(collective_find(name)) ? 2 : 0;
        OWNS(schedule) *s = build(
            name, &(struct coll_options){.nranks = 4, .root = root,
                                        .in_place = in_place});
        struct input in = {DTYPE_INT64, REDOP_MAX, 8, NULL, 0};
        struct nccl_native call = {.name = ""};
        bool there = nccl_native(&call, &n, s, &in, 1, &err);
        if (in_place && rows[i / 2].from_in_place < 0)
            ok(!there, "%s: none in place", name);
        else
            ok(there && strcmp(call.name, rows[i / 2].name) == 0 &&
                   call.count == rows[i / 2].count && call.root == root &&
                   call.from_at ==
                       (in_place ? rows[i / 2].from_in_place : 0) &&
                   call.to_at == (in_place ? rows[i / 2].to_in_place : 0) &&
                   call.next == 2 && call.previous == 0 &&
                   call.element == 8 && call.type == NCCL_INT64 &&
                   call.op == NCCL_MAX,
               "%s, %s place", name, in_place ? "in" : "out of");
    }
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
    is_str(refusal("alltoall", 22809, NULL, true, sums(8), &err),
           "NCCL has no all-to-all in place: add --out-of-place",
           "a collective that cannot be in place");
    is_str(refusal("alltoall", 22809, NULL, false, sums(8), &err), "",
           "works out of place");
    is_str(refusal("reduce-scatter", 22809, NULL, true, sums(9), &err),
           "ncclReduceScatter cuts evenly: --count must be a multiple of 4",
           "an uneven cut");
    is_str(refusal("allgather", 22809, NULL, true, sums(9), &err), "",
           "is allowed for a gather");
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

/* A step's messages. */
static bool
exchange(const struct nccl *n, struct err *err)
{
    struct nccl_carrier messages = {.nccl = n};
    struct carrier c = nccl_carrier(&messages);
    unsigned char data[4];
    enum carried how;

    return c.receive(c.with, 1, TAG_PAYLOAD, data, 4, 4, err) &&
           c.send(c.with, 1, TAG_PAYLOAD, data, 4, err) &&
           c.test(c.with, &how, err);
}

/* Each call fails once: the error has a function's name, and no group stays
 * open. */
static void
test_failures(void)
{
    static const struct {
        const char *collective; /* NULL: messages */
        int calls;
    } rows[] = {{"allreduce", 1}, {"sendrecv", 4}, {NULL, 4}};

    for (int i = 0; i < 3; i++) {
        bool own = rows[i].collective != NULL;
        OWNS(schedule) *s = build(own ? rows[i].collective : "allreduce",
                                  &(struct coll_options){.nranks = 1});
        struct input in = {DTYPE_INT32, REDOP_SUM, 1, NULL, 0};
        struct nccl n;
        struct nccl_native call;
        struct err err;
        unsigned char from[4], to[4];
        int silent = 0, open = 0, failing = 0;

        binds(&n, 22809, NULL, &err);
        nccl_native(&call, &n, s, &in, 0, &err);
        do {
            bool done;
            fake.calls = 0;
            fake.fail_at = ++failing;
            strcpy(err.text, "");
            done = own ? nccl_native_run(&call, &n, from, to, NULL, NULL, &err)
                       : exchange(&n, &err);
            silent += done != (fake.calls < failing) ||
                      (!done && strstr(err.text, " failed") == NULL) ||
                      (!done && own && strstr(err.text, call.name) == NULL);
            open += fake.depth != 0;
        } while (fake.calls >= failing);
        is_int(failing - 1, rows[i].calls, "%s: so many calls",
               own ? call.name : "messages");
        is_int(silent, 0, "every failure is reported, with a name");
        is_int(open, 0, "no group stays open");
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
    test_calls();
    test_refused();
    test_failures();
    test_share();
    return done_testing();
}
