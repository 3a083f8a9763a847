/* SPDX-License-Identifier: MIT */
/* When each message of a schedule would be sent on a network: a simulation.
 *
 *  - A message is all that one rank moves to another in one step.  It may be
 *    sent as soon as its data is there: it waits for the messages that wrote
 *    what it moves, or adds to, and for those that read what it overwrites.
 *    It does not wait for other messages of its step.  It waits for earlier
 *    steps of both ranks only if they have one port each and the schedule does
 *    not need more: no rank ever has two messages to send in a step, or two to
 *    receive.  Ranks then go through their steps one after the other, as those
 *    that call MPI_Sendrecv do.
 *  - A message of b bytes takes alpha + beta * b (network.h).  That long it
 *    occupies a port of its sender, and one of its receiver from when it is
 *    sent or, if none is free then, later: the network holds what has been
 *    sent.  To add what was received takes gamma * b more at the receiver.
 *  - A port is never idle while a message waits for it.  Of those that wait,
 *    the first in the schedule's order comes first, but messages between hosts
 *    go by their step, then by how many hosts, and then by how many places
 *    there, their receiver is after their sender.  So of ranks that all send to
 *    all no two meet at a port.  A switch has ports for all, and adds at once.
 *  - If ranks are on hosts (network.h), a rank has a port of its own into the
 *    network between hosts, beside those inside its host, and a message between
 *    hosts takes these.  A NIC that several ranks share is one more port after
 *    the senders', and before the receivers'.
 *  - A network may have a limited number of links.  Messages from one rank to
 *    another then share the links between the two, and in a topology of nodes
 *    all messages that leave a node share its links, and so do those that
 *    enter it.  Topology "any" has no links.
 *  - Ranks may be threads that share a number of cores.  A rank then takes the
 *    messages that it receives in the schedule's order, and each occupies a
 *    core instead of ports, until it is added.
 *  - A rank that is delayed goes through its steps one after the other.
 *  - Copies within a rank take no time, additions gamma * b of a receiver's
 *    port.  A message of no bytes is not sent and takes no time.
 *
 * This is list scheduling with input and output queues; ports serve what is
 * ready, as NICs do that have a queue for each connection.  The order between
 * hosts is that of NCCL's point-to-point operations (2.28, src/init.cc,
 * p2pSchedule), which goes through the distances in another order.
 *
 * The same input gives the same times, on every machine.  Time is proportional
 * to the slots that are moved, times the logarithm of the messages. */
#ifndef SCHEDULE_SIMULATION_H
#define SCHEDULE_SIMULATION_H

#include "schedule/network.h"
#include "schedule/schedule.h"

/* A message.  Times are in ns since the start of the run. */
struct simulated {
    int32_t step;
    int32_t src, dst;   /* equal for what is moved within a rank */
    int32_t waited_for; /* the rank that kept the receiver waiting; -1: none */
    double begin, end;  /* at the receiver, with the addition */
    double wait; /* of the receiver, before begin, since it had done all that
                  * it could */
};

struct simulation {
    struct simulated *messages; /* in the schedule's order */
    size_t nmessages;
    double *rank_ends; /* by rank: of its last message, sent or received */
    double end;        /* of the last message */
};

struct simulation_spec {
    const struct schedule *schedule; /* valid */
    int64_t count; /* elements of a rank's input */
    double size;   /* bytes of an element */
    const struct network *network;
    const int64_t *delays; /* ns before each step, by rank, each from 0;
                            * NULL: no rank is delayed */
};

/* Whether a schedule fits on a network: its hosts have room for all ranks, and
 * a switch that joins them without nodes is in one host.  Returns false, with
 * the reason in *err, if not. */
bool simulation_holds(const struct schedule *s, const struct network *network,
                      struct err *err);

/* Runs a simulation.  Free it with simulation_free(). */
struct simulation *simulation_new(const struct simulation_spec *spec);

/* Runs one and returns its end alone. */
double simulation_time(const struct simulation_spec *spec);
void simulation_free(struct simulation *simulation);

/* The most elements that a NIC sends, of inputs of `count` elements; *in gets
 * the most that one receives.  The network has hosts. */
int64_t simulation_busiest_nic(const struct schedule *s, int64_t count,
                               const struct network *network, int64_t *in);

#endif
