/* SPDX-License-Identifier: MIT */
/* What collviz needs of NCCL: the library and errors in finding it, NCCL's own
 * collectives beside ours, the environment of ranks that share a GPU. */
#include <stdlib.h>

#include "base/mem.h"
#include "coll/coll.h"
#include "fake_nccl.h"
#include "run/engine.h"
#include "tap.h"
#include "workers/nccl/nccl_api.h"
#include "workers/nccl/nccl_native.h"

static void
test_bind(void)
{
    static const char *const optional[] = {"ncclAlltoAll", "ncclGather",
                                           "ncclScatter"};
    struct nccl n;
    struct err err;

    fake_nccl_reset();
    ok(nccl_bind(&n, fake_nccl_symbol, NULL, &err), "2.28.9 is accepted");
    fake_nccl.version = 21805;
    ok(nccl_bind(&n, fake_nccl_symbol, NULL, &err), "2.18.5 is accepted");
    fake_nccl.version = 21708;
    ok(!nccl_bind(&n, fake_nccl_symbol, NULL, &err), "2.17.8 is too old");
    is_str(err.text, "NCCL 2.17.8 is too old: collviz needs 2.18 or later",
           "and the error says so");
    fake_nccl.version = 2708;
    nccl_bind(&n, fake_nccl_symbol, NULL, &err);
    is_str(err.text, "NCCL 2.7.8 is too old: collviz needs 2.18 or later",
           "also in the old numbering");
    fake_nccl_reset();
    fake_nccl.missing = "ncclSend";
    ok(!nccl_bind(&n, fake_nccl_symbol, NULL, &err), "a symbol is missing");
    is_str(err.text, "libnccl.so.2 has no ncclSend: collviz needs NCCL 2.18 "
           "or later", "and the error says so");
    for (int i = 0; i < 3; i++) {
        fake_nccl.missing = optional[i];
        ok(nccl_bind(&n, fake_nccl_symbol, NULL, &err), "%s may be missing",
           optional[i]);
    }
    fake_nccl_reset();
    fake_nccl.fail_at = 1;
    ok(!nccl_bind(&n, fake_nccl_symbol, NULL, &err),
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

    fake_nccl_reset();
    nccl_bind(&n, fake_nccl_symbol, NULL, &err);
    ok(nccl_ok(&n, NCCL_SUCCESS, "ncclSend", NULL, &err),
       "success is not an error");
    nccl_ok(&n, NCCL_SYSTEM_ERROR, "ncclSend", NULL, &err);
    is_str(err.text, "ncclSend failed: unhandled system error", "an error");
    fake_nccl.last_error = "Duplicate GPU detected\nand a second line";
    nccl_ok(&n, NCCL_SYSTEM_ERROR, "ncclSend", NULL, &err);
    is_str(err.text, "ncclSend failed: unhandled system error: Duplicate GPU "
           "detected", "with NCCL's own text");
    fake_nccl.last_error = NULL;
    ok(nccl_healthy(&n, NULL, &err), "no asynchronous error");
    fake_nccl.async = NCCL_REMOTE_ERROR;
    ok(!nccl_healthy(&n, NULL, &err), "a rank is lost");
    is_str(err.text, "communication failed: remote process exited",
           "and the error says so");
}

/* One rank's call of a collective, and its buffers. */
struct party {
    struct nccl_native call;
    struct nccl_comm *comm;
    unsigned char *from, *to; /* the same in place */
};

static void
party_fill(struct party *p, const struct schedule *s, const struct input *in,
           int rank)
{
    /* in place, either may be N shares, one of which is the other */
    size_t most = (size_t)in->count * (size_t)s->nranks + 1;

    p->from = mem_new(most, p->call.element);
    p->to = s->in_place ? p->from : mem_new(most, p->call.element);
    for (int64_t i = 0; i < p->call.from_length; i++)
        input_element(in, rank, i,
                      p->from +
                          (size_t)(p->call.from_at + i) * p->call.element);
}

/* Counts bytes of outputs that differ from the engine's. The output slots lie
 * one after the other. */
static int
count_differing(const struct schedule *s, const struct input *in,
                const struct party *parties)
{
    struct engine_options o = {.run.input = *in, .threads = 1};
    struct err err;
    struct engine *e = engine_new(s, &o, &err);
    struct rank_slots found = engine_slots(e);
    int differing = 0;

    engine_run(e);
    for (int rank = 0; rank < s->nranks; rank++) {
        const struct party *p = &parties[rank];
        struct region out = schedule_output(s, rank);
        size_t bytes = (size_t)p->call.to_length * p->call.element;
        differing +=
            memcmp(found.slots[rank * found.nslots + out.first].data,
                   p->to + (size_t)p->call.to_at * p->call.element, bytes) !=
            0;
    }
    engine_free(e);
    return differing;
}

static bool
is_ours(const struct nccl *n, const struct schedule *s,
        const struct input *in)
{
    struct party *parties = mem_new((size_t)s->nranks, sizeof *parties);
    struct nccl_id id;
    struct err err;
    bool right = true;

    n->get_unique_id(&id);
    n->group_start();
    for (int rank = 0; rank < s->nranks; rank++) {
        struct party *p = &parties[rank];
        n->comm_init_rank(&p->comm, s->nranks, id, rank);
        right &= nccl_native(&p->call, n, s, in, rank, &err);
        party_fill(p, s, in, rank);
        right &= nccl_native_run(&p->call, n, p->from, p->to, p->comm, NULL,
                                 &err);
    }
    n->group_end();
    right = right && fake_nccl.pending == 0 && fake_nccl.mismatched == 0 &&
            count_differing(s, in, parties) == 0;
    for (int rank = 0; rank < s->nranks; rank++) {
        n->comm_abort(parties[rank].comm);
        if (parties[rank].to != parties[rank].from)
            free(parties[rank].to);
        free(parties[rank].from);
    }
    free(parties);
    return right;
}

/* Integers, whose sums are the same in any order. */
static void
test_native(void)
{
    static const enum redop ops[] = {REDOP_SUM, REDOP_MIN, REDOP_MAX,
                                     REDOP_AVG};
    const struct collective *c;
    struct nccl n;
    struct err err;

    fake_nccl_reset();
    nccl_bind(&n, fake_nccl_symbol, NULL, &err);
    for (int i = 0; (c = collective_at(i)) != NULL; i++) {
        const struct algorithm *a;
        int runs = 0, wrong = 0;
        coll_find(c->name, &a, &err);
        for (int nranks = 1; nranks <= 9; nranks++)
            for (int kind = 0; kind < 16; kind++) {
                struct coll_options o = {.nranks = nranks,
                                         .in_place = kind % 2};
                struct input in = {kind % 8 < 4 ? DTYPE_INT32 : DTYPE_INT64,
                                   ops[kind / 4], nranks * INT64_C(5), NULL,
                                   0};
                struct nccl_native call;
                struct schedule *s;
                if (collective_rooted(c))
                    o.root = kind % nranks;
                s = coll_build(a, &o, &err);
                if (nccl_native(&call, &n, s, &in, 0, &err)) {
                    runs++;
                    wrong += !is_ours(&n, s, &in);
                }
                schedule_free(s);
            }
        ok(wrong == 0 && runs >= 9 * 8, "NCCL's %s is ours, in %d runs",
           c->title, runs);
    }
    is_int(fake_nccl.comms, 0, "no communicator is left");
}

/* Returns the error of nccl_native for a collective on 4 ranks; "" if there is
 * none. */
static const char *
refusal(const char *collective, int version, const char *missing,
        bool in_place, struct input in, struct err *err)
{
    struct nccl n;
    struct nccl_native call;
    const struct algorithm *a;
    struct coll_options o = {.nranks = 4, .in_place = in_place};
    struct schedule *s;

    fake_nccl_reset();
    fake_nccl.version = version;
    fake_nccl.missing = missing;
    coll_find(collective, &a, err);
    s = coll_build(a, &o, err);
    nccl_bind(&n, fake_nccl_symbol, NULL, err);
    if (nccl_native(&call, &n, s, &in, 1, err))
        strcpy(err->text, "");
    schedule_free(s);
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

/* A native call fails: the error has its name. */
static void
test_native_fails(void)
{
    static const char *const names[] = {"allreduce", "sendrecv"};

    for (int i = 0; i < 2; i++) {
        const struct algorithm *a;
        struct coll_options o = {.nranks = 1};
        struct nccl n;
        struct nccl_native call;
        struct nccl_id id;
        struct nccl_comm *comm;
        struct err err;
        unsigned char from[4], to[4];
        int first, silent = 0, open = 0;
        fake_nccl_reset();
        nccl_bind(&n, fake_nccl_symbol, NULL, &err);
        n.get_unique_id(&id);
        n.comm_init_rank(&comm, 1, id, 0);
        coll_find(names[i], &a, &err);
        struct schedule *s = coll_build(a, &o, &err);
        struct input in = {DTYPE_INT32, REDOP_SUM, 1, NULL, 0};
        nccl_native(&call, &n, s, &in, 0, &err);
        first = fake_nccl.calls;
        nccl_native_run(&call, &n, from, to, comm, NULL, &err);
        for (int calls = fake_nccl.calls - first; calls > 0; calls--) {
            fake_nccl_reset();
            fake_nccl.fail_at = calls;
            silent += nccl_native_run(&call, &n, from, to, comm, NULL, &err) ||
                      strstr(err.text, call.name) == NULL;
            open += fake_nccl.depth != 0;
        }
        is_int(silent, 0,
               "%s: every failure is reported: %s", names[i], err.text);
        is_int(open, 0, "no group stays open");
        fake_nccl_reset();
        n.comm_abort(comm);
        schedule_free(s);
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
    test_native();
    test_refused();
    test_native_fails();
    test_share();
    return done_testing();
}
