/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_share.h"

#include <stdio.h>

enum { WITH_SWITCH = 23000 }; /* NCCL 2.30 */

/* What the settings are for:
 * - sockets on the loopback interface are the only way from rank to rank; all
 *   other ways within a host require a GPU for each rank;
 * - Simple, Ring and one channel: low-latency protocols would turn each of many
 *   small writes into a packet, and kernels that share a GPU must be small
 *   enough to run there at the same time;
 * - RAS, a service of NCCL, listens on a port that only one process gets. */
static const struct nccl_setting common[] = {
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

enum { COMMON = sizeof common / sizeof common[0] };

int
nccl_share_settings(struct nccl_setting set[NCCL_SETTINGS_MAX], int version,
                    int rank)
{
    int n = 0;

    if (version >= WITH_SWITCH) {
        set[n++] = (struct nccl_setting){"NCCL_MULTI_RANK_GPU_ENABLE", "1",
                                         true};
    } else {
        set[n] = (struct nccl_setting){.name = "NCCL_HOSTID", .needed = true};
        snprintf(set[n++].value, NCCL_SETTING_MAX, "collviz-%d", rank);
    }
    for (int i = 0; i < COMMON; i++)
        set[n++] = common[i];
    return n;
}
