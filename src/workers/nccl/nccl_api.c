/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    size_t at; /* offset of its field */
    bool needed;
};

#define NEEDED(field, name, parameters) \
    {#name, offsetof(struct nccl, field), true},
#define OPTIONAL(field, name, parameters) \
    {#name, offsetof(struct nccl, field), false},

static const struct entry entries[] = {
    NCCL_NEEDED(NEEDED) NCCL_OPTIONAL(OPTIONAL)
    NEEDED(get_error_string, ncclGetErrorString, )
    NEEDED(get_last_error, ncclGetLastError, )
};

bool
nccl_bind(struct nccl *n, void *(*find)(void *from, const char *name),
          void *from, struct err *err)
{
    char version[NCCL_VERSION_TEXT_MAX];

    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *symbol = find(from, entries[i].name);
        if (symbol == NULL && entries[i].needed)
            return err_set(err, "libnccl.so.2 has no %s: collviz needs NCCL "
                           "2.18 or later", entries[i].name);
        memcpy((char *)n + entries[i].at, &symbol, sizeof symbol);
    }
    if (!nccl_ok(n, n->get_version(&n->version), "ncclGetVersion", NULL, err))
        return false;
    nccl_version_text(n->version, version);
    return n->version >= NCCL_OLDEST ||
           err_set(err, "NCCL %s is too old: collviz needs 2.18 or later",
                   version);
}

bool
nccl_ok(const struct nccl *n, enum nccl_result result, const char *call,
        struct nccl_comm *comm, struct err *err)
{
    const char *more;

    if (result == NCCL_SUCCESS)
        return true;
    more = n->get_last_error(comm);
    if (more == NULL || *more == '\0')
        return err_set(err, "%s failed: %s", call,
                       n->get_error_string(result));
    return err_set(err, "%s failed: %s: %.*s", call,
                   n->get_error_string(result), (int)strcspn(more, "\n"),
                   more);
}

bool
nccl_healthy(const struct nccl *n, struct nccl_comm *comm, struct err *err)
{
    enum nccl_result result = NCCL_SUCCESS;

    return nccl_ok(n, n->comm_get_async_error(comm, &result),
                   "ncclCommGetAsyncError", comm, err) &&
           nccl_ok(n, result, "communication", comm, err);
}

void
nccl_version_text(int version, char text[NCCL_VERSION_TEXT_MAX])
{
    int thousands = version < 10000 ? 1000 : 10000; /* before 2.9, and since */

    snprintf(text, NCCL_VERSION_TEXT_MAX, "%d.%d.%d", version / thousands,
             version % thousands / 100, version % 100);
}

enum nccl_type
nccl_type_of(enum dtype type)
{
    static const enum nccl_type types[] = {
        [DTYPE_FLOAT32] = NCCL_FLOAT32, [DTYPE_FLOAT64] = NCCL_FLOAT64,
        [DTYPE_FLOAT16] = NCCL_FLOAT16, [DTYPE_BFLOAT16] = NCCL_BFLOAT16,
        [DTYPE_INT32] = NCCL_INT32,     [DTYPE_INT64] = NCCL_INT64,
        [DTYPE_UINT8] = NCCL_UINT8,
    };

    _Static_assert(sizeof types / sizeof types[0] == DTYPES, "all types");
    return types[type];
}

enum nccl_op
nccl_op_of(enum redop op)
{
    static const enum nccl_op ops[REDOP_LAND] = {
        [REDOP_SUM] = NCCL_SUM, [REDOP_PROD] = NCCL_PROD,
        [REDOP_MIN] = NCCL_MIN, [REDOP_MAX] = NCCL_MAX,
        [REDOP_AVG] = NCCL_AVG,
    };

    return op < REDOP_LAND ? ops[op] : NCCL_OPS;
}

enum { WITH_SWITCH = 23000 }; /* NCCL 2.30 */

/* What the settings are for:
 * - sockets on the loopback interface are the only way from rank to rank; all
 *   other ways within a host require a GPU for each rank;
 * - Simple, Ring and one channel: low-latency protocols would turn each of many
 *   small writes into a packet, and kernels that share a GPU must be small
 *   enough to run there at the same time;
 * - RAS, a service of NCCL, listens on a port that only one process gets. */
static const struct {
    const char *name, *value;
    bool needed; /* overrides the user's, with which it does not work */
} settings[] = {
    {"NCCL_NET", "Socket", true},
    {"NCCL_NET_PLUGIN", "none", true},
    {"NCCL_IB_DISABLE", "1", true},
    {"NCCL_SOCKET_IFNAME", "=lo", true}, /* "=": exactly this name */
    {"NCCL_SOCKET_FAMILY", "AF_INET", true},
    {"NCCL_P2P_DISABLE", "1", true},
    {"NCCL_SHM_DISABLE", "1", true},
    {"NCCL_MNNVL_ENABLE", "0", true},
    {"NCCL_NVLS_ENABLE", "0", true},
    {"NCCL_RAS_ENABLE", "0", true},
    {"NCCL_PROTO", "Simple", false},
    {"NCCL_ALGO", "Ring", false},
    {"NCCL_MIN_NCHANNELS", "1", false},
    {"NCCL_MAX_NCHANNELS", "1", false},
};

void
nccl_share_gpu(int version, int rank)
{
    char host[32];

    snprintf(host, sizeof host, "collviz-%d", rank);
    if (version >= WITH_SWITCH)
        setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
    else
        setenv("NCCL_HOSTID", host, 1);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i].name, settings[i].value, settings[i].needed);
}

/* Goes on with the group if a call in it has succeeded. */
static bool
in_group(struct nccl_carrier *n, enum nccl_result result, const char *call,
         struct err *err)
{
    if (nccl_ok(n->nccl, result, call, n->comm, err))
        return true;
    n->open = false;
    n->nccl->group_end(); /* its error repeats the one in *err */
    return false;
}

static bool
open_group(struct nccl_carrier *n, struct err *err)
{
    n->open = n->open || nccl_ok(n->nccl, n->nccl->group_start(),
                                 "ncclGroupStart", NULL, err);
    return n->open;
}

/* Sends bytes, whatever their type: only works interpret them. */
static bool
nccl_carrier_send(void *with, int peer, enum message_tag tag, const void *from,
                  size_t bytes, struct err *err)
{
    struct nccl_carrier *n = with;

    (void)tag;
    return open_group(n, err) &&
           in_group(n, n->nccl->send(from, bytes, NCCL_UINT8, peer, n->comm,
                                     n->stream), "ncclSend", err);
}

static bool
nccl_carrier_receive(void *with, int peer, enum message_tag tag, void *to,
                     size_t bytes, size_t room, struct err *err)
{
    struct nccl_carrier *n = with;

    (void)tag, (void)room;
    return open_group(n, err) &&
           in_group(n, n->nccl->recv(to, bytes, NCCL_UINT8, peer, n->comm,
                                     n->stream), "ncclRecv", err);
}

static bool
nccl_carrier_test(void *with, enum carried *how, struct err *err)
{
    struct nccl_carrier *n = with;
    bool open = n->open;

    *how = CARRIED_ALL;
    n->open = false;
    return !open ||
           nccl_ok(n->nccl, n->nccl->group_end(), "ncclGroupEnd", NULL, err);
}

static void
nccl_carrier_give_up(void *with)
{
    struct nccl_carrier *n = with;

    if (n->open)
        n->nccl->group_end();
    if (n->comm != NULL)
        n->nccl->comm_abort(n->comm);
}

struct carrier
nccl_carrier(struct nccl_carrier *n)
{
    return (struct carrier){n, nccl_carrier_send, nccl_carrier_receive,
                            nccl_carrier_test, nccl_carrier_give_up};
}
