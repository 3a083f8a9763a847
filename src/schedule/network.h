/* SPDX-License-Identifier: MIT */
/* A network as a model: how long a message takes on it.
 *
 * A message of b bytes takes alpha + beta * b and occupies a port of its sender
 * and one of its receiver.  To add b received bytes to those that a rank has
 * takes gamma * b on the receiver.  (R. Hockney's alpha and beta, "The
 * communication challenge for MPP", Parallel Computing 20, 1994, with the gamma
 * of R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", IJHPCA 19, 2005.)
 *
 * | name       | alpha  | a byte every              | source                 |
 * |------------|--------|---------------------------|------------------------|
 * | nvlink     | 0.6 us | 1/450 ns: NVLink 4, 900   | alpha: (1), LL on      |
 * |            |        | GB/s, half of it each way | NVLink; rate: (2)      |
 * | pcie       | 1.0 us | 1/64 ns: PCIe 5.0 x16,    | alpha: (1), LL on PCI; |
 * |            |        | 128 GB/s, half each way   | rate: (2)              |
 * | infiniband | 2.7 us | 1/50 ns: NDR, 400 Gbit/s  | alpha: (1), LL on NET; |
 * |            |        | a port                    | rate: (3)              |
 * | ethernet   | 20 us  | 0.08 ns: 100 Gbit/s       | both: (4)              |
 *
 * gamma is that of one GPU for all of them: a byte that is added is read twice
 * and written once, at the 3350 GB/s of an H100's memory (2): 3/3350 ns.
 *
 * (1) NCCL 2.28, src/graph/tuning.cc, hwLatencies of the ring: what a hop adds
 *     to a small message.  torch/_inductor/comm_analysis.py of PyTorch takes
 *     the same figures.
 * (2) NVIDIA H100 Tensor Core GPU, data sheet: NVLink 900 GB/s, PCIe Gen5
 *     128 GB/s, memory 3.35 TB/s (SXM).  Copies between two such GPUs reach
 *     376 GB/s (NVIDIA/nccl on GitHub, issue 1264).
 * (3) NVIDIA ConnectX-7, data sheet: NDR, 400 Gbit/s a port.
 * (4) aws-ofi-nccl, src/tuner/nccl_ofi_model.cpp, on P5 instances: 20 us for a
 *     message between two nodes, 12.5 Gbyte/s a rail.
 *
 * Link rates are those of data sheets, without what protocols take of them.
 *
 * A network may be one of hosts with several GPUs each, which ranks fill in
 * their order, or are dealt to in turn.  A message inside a host takes alpha,
 * beta and the GPUs' ports.  One between hosts takes the alpha and beta of the
 * network between them and the NICs' ports.  A NIC sends one message at a time
 * and receives one at a time.  GPU i of a host uses its NIC i * nics / gpus,
 * rounded down.
 *
 * | name         | GPUs | inside      | NICs | between                       |
 * |--------------|------|-------------|------|-------------------------------|
 * | dgx-h100     | 8    | nvlink      | 8    | infiniband (5)                |
 * | g5.12xlarge  | 4    | 1 us,       | 1    | 20 us (4); 40 Gbit/s (7)      |
 * |              |      | 1/32 ns (6) |      |                               |
 * | laptops      | 1    | none        | 1    | Gigabit Ethernet: 48 us,      |
 * |              |      |             |      | 8 ns (8)                      |
 *
 * There is no Wi-Fi: no published measurement that has both the latency and the
 * rate between two laptops (802.11ac or ax) was found to cite.  What ping and
 * iperf say is a network of one's own.
 *
 * gamma: g5.12xlarge 3/600 ns, the 600 GB/s of an A10G's memory (6); laptops
 * 3/100 ns, the 100 GB/s of a MacBook Air's (9).
 *
 * (5) NVIDIA DGX H100/H200 User Guide: 8 GPUs, each with 18 NVLinks, 900 GB/s;
 *     8 ports of ConnectX-7 for the cluster, 400 Gbit/s each, one for each GPU.
 * (6) NVIDIA A10G data sheet, for AWS: PCIe Gen4, 64 GB/s, half of it each way;
 *     memory 600 GB/s.  alpha: (1), LL on PCI.
 * (7) AWS Batch User Guide, "GPU jobs": 4 A10G, 40 Gbit/s for all of them.
 * (8) SimGrid, examples/platforms/griffon.xml, a cluster of Grid'5000 on
 *     Gigabit Ethernet: two links of 24 us and 125 MB/s between two machines.
 * (9) Apple, MacBook Air (M2, 2022), technical specifications. */
#ifndef SCHEDULE_NETWORK_H
#define SCHEDULE_NETWORK_H

#include "base/buf.h"
#include "base/err.h"
#include "schedule/topology.h"

enum {
    NETWORK_NAME_MAX = 128,
    NETWORK_PORTS_MAX = 64, /* or links */
    NETWORK_CORES_MAX = 1024,
    NETWORK_HOSTS_MAX = 65536,
    NETWORK_GPUS_MAX = 1024 /* of a host */
};

struct network {
    char name[NETWORK_NAME_MAX]; /* "ethernet"; not escaped */
    double alpha; /* ns a message */
    double beta;  /* ns a byte moved */
    double gamma; /* ns a byte added */
    int ports;    /* of a rank: messages sent at once, and received at once */
    int links;    /* of each link of the schedule's topology (topology.h), each
                   * way: messages at once; 0: as many as come */
    int cores;    /* that ranks share, as threads do: messages at once in all,
                   * whatever the links; 0: each rank has its own ports */
    int gpus;     /* of a host; 0: there are no hosts, and the rest is 0 */
    int hosts;    /* so many at most; 0: as many as the ranks need */
    int nics;     /* of a host, 1 to gpus */
    bool cyclic;  /* ranks are dealt to the hosts in turn */
    int listed;   /* so many ranks have these places (struct hosts) */
    int places[HOSTS_LISTED_MAX];
    double between_alpha, between_beta; /* of a message between hosts */
};

/* Reads the value of --network:
 *
 *     ethernet                                   a name of the table
 *     alpha=2us,beta=0.08ns,gamma=1ps,ports=2    a network of one's own
 *     ethernet,alpha=5us,links=1                 the table's, but for these
 *     alpha=4ns,beta=0.02ns,cores=2              threads, as compare fits them
 *     dgx-h100                                   hosts, as many as are needed
 *     4x8,inside=nvlink,between=infiniband       4 hosts of 8 GPUs and 8 NICs
 *     dgx-h100,hosts=4,order=cyclic              rank 1 is on the second host
 *     gpus=8,inside=nvlink,between=ethernet,between-alpha=30us,nics=1
 *     lab.txt                                    a file: the same, a line each
 *
 * alpha, beta and gamma are times (ps, ns, us, ms, s): of a message, of a byte
 * moved, and of a byte added.  12.5 GB/s are beta=0.08ns.  Without a name from
 * the table, alpha and beta are required; gamma is 0, ports 1, links any number
 * and cores none by default.  4x8 is hosts=4,gpus=8; inside=... and between=...
 * name networks of the table, whose figures alpha, beta and gamma, or
 * between-alpha and between-beta, change; nics is as many as gpus by default,
 * and hosts any number.  order, as Slurm's --distribution has it, is block (the
 * default: ranks fill one host after the other), cyclic (they are dealt to the
 * hosts in turn), or the ranks host by host, 0,4,1,5: those that are not listed
 * follow.  name=... is what the network is called; by default that is the text
 * without the order, or the file's name.  In a file, # begins a comment.
 *
 * Returns false, with the reason in *err. */
bool network_parse(const char *text, struct network *n, struct err *err);

/* Places the ranks of a network with hosts in this order, of --order, instead
 * of its own. */
bool network_order(struct network *n, const char *order, struct err *err);

/* Whether such a text names a file. */
bool network_is_file(const char *text);

/* The tables' networks by index from 0, fastest first, those with hosts last.
 * Returns NULL after the last one. */
const struct network *network_at(int index);

/* The name of the table's network that joins the GPUs of a machine like this
 * one: nvlink if it has NVSwitches, else pcie. */
const char *network_here(void);

/* Whether so many ranks have a place on its hosts.  Returns false, with the
 * reason in *err, if not. */
bool network_holds(const struct network *n, int nranks, struct err *err);

/* Its hosts, and how many of them so many ranks use; 1 if there are none. */
struct hosts network_hosts(const struct network *n);
int network_host_count(const struct network *n, int nranks);

/* A rank's place among the GPUs of all hosts, which there are, host by host. */
int network_place(const struct network *n, int rank);

/* The NIC of a rank, of all NICs of all hosts. */
int network_nic(const struct network *n, int rank);

/* Appends its name and the order of its ranks: "4x8,nics=1,order=cyclic". */
void network_add_name(const struct network *n, struct buf *out);

/* Appends the figures: "alpha=20us,beta=0.08ns,gamma=0.8955ps", with ports and
 * links if they are not the default, and those of hosts. */
void network_figures(const struct network *n, struct buf *out);

/* A measured run: what follows one another on its critical path. */
struct network_fit_point {
    double messages;
    double bytes; /* in these messages */
    double added; /* those of them that were added */
    double ns;
};

/* Sets alpha, beta and gamma: of all that are not negative, those with the
 * least sum of squared relative errors of
 *
 *     alpha * messages + beta * bytes + gamma * added
 */
void network_fit(struct network *network,
                 const struct network_fit_point *points, size_t n);

#endif
