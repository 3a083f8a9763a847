/* SPDX-License-Identifier: MIT */
/* When each transfer of a program would happen on a network: a simulation.
 *
 * The ranks run the lowered program (program.h), with its order and its waits:
 *
 *  - A message of b bytes takes alpha + beta * b (network.h).  That long it
 *    occupies one of its sender's ports to send and one of its receiver's ports
 *    to receive.  A message is a pull, or several in a row from the same rank
 *    in the same step, which go one after the other.
 *  - A reduction takes gamma * b more.  The receiver's port is occupied until
 *    then: a rank receives and adds, then receives the next.
 *  - Messages of a port begin in program order, both where they are sent and
 *    where they are received.  A rank with several ports receives the messages
 *    of one step side by side, then goes on to the next step.
 *  - A network may have a limited number of links.  Messages from one rank to
 *    another then share the links between the two, and in a topology of nodes
 *    all messages that leave a node share its links, and so do those that
 *    enter it; who asks first comes first.  Topology "any" has no links.
 *  - Ranks may be threads that share a number of cores.  A message then takes a
 *    core, from its begin until it is added, and no port of its sender.
 *  - Copies within a rank take no time, reductions gamma * b.  A message of no
 *    bytes is not sent and takes no time.
 *
 * The same input gives the same times, on every machine.  A simulation always
 * ends: programs have no cycles of waits (src/HACKING.md), and the orders of
 * the ports all agree with that of the schedule's transfers.
 *
 * Time is proportional to the transfers, times the logarithm of the ranks. */
#ifndef SCHEDULE_SIMULATION_H
#define SCHEDULE_SIMULATION_H

#include "schedule/network.h"
#include "schedule/program.h"

/* An instruction.  Times are in ns since the start of the run. */
struct simulated {
    double begin, end;  /* of the message and of its addition */
    double wait;        /* before begin, from when the rank came to it */
    int32_t waited_for; /* the rank that kept it waiting first; -1: none */
};

struct simulation {
    struct simulated *instrs; /* by their indices in the program */
    double *rank_ends;        /* by rank: when it is through (INSTR_END) */
    double end;               /* of the last instruction */
};

struct simulation_spec {
    const struct schedule *schedule;
    const struct program *program; /* the schedule's */
    int64_t count; /* elements of a rank's input */
    double size;   /* bytes of an element */
    const struct network *network;
    const int64_t *delays; /* ns before each step, by rank, each from 0;
                            * NULL: no rank is delayed */
};

/* Runs a simulation.  Free it with simulation_free(). */
struct simulation *simulation_new(const struct simulation_spec *spec);

/* Runs one and returns its end alone. */
double simulation_time(const struct simulation_spec *spec);
void simulation_free(struct simulation *simulation);

#endif
