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
 * Link rates are those of data sheets, without what protocols take of them. */
#ifndef SCHEDULE_NETWORK_H
#define SCHEDULE_NETWORK_H

#include "base/buf.h"
#include "base/err.h"

enum {
    NETWORK_NAME_MAX = 128,
    NETWORK_PORTS_MAX = 64, /* or links */
    NETWORK_CORES_MAX = 1024
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
};

/* Reads the value of --network:
 *
 *     ethernet                                   a name of the table
 *     alpha=2us,beta=0.08ns,gamma=1ps,ports=2    a network of one's own
 *     ethernet,alpha=5us,links=1                 the table's, but for these
 *     alpha=4ns,beta=0.02ns,cores=2              threads, as compare fits them
 *     lab.txt                                    a file: the same, a line each
 *
 * alpha, beta and gamma are times (ps, ns, us, ms, s): of a message, of a byte
 * moved, and of a byte added.  12.5 GB/s are beta=0.08ns.  Without a name from
 * the table, alpha and beta are required; gamma is 0, ports 1, links any number
 * and cores none by default.  name=... is what the network is called; by
 * default that is the text, or the file's name.  In a file, # begins a comment.
 *
 * Returns false, with the reason in *err. */
bool network_parse(const char *text, struct network *n, struct err *err);

/* Whether such a text names a file. */
bool network_is_file(const char *text);

/* The table's networks by index from 0, fastest first.  Returns NULL after the
 * last one. */
const struct network *network_at(int index);

/* The name of the table's network that joins the GPUs of a machine like this
 * one: nvlink if it has NVSwitches, else pcie. */
const char *network_here(void);

/* Appends the figures: "alpha=20us,beta=0.08ns,gamma=0.8955ps", with ports and
 * links if they are not the default. */
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
