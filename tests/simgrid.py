#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A network, as collviz's option takes it, in SimGrid's words.

    simgrid.py RANKS NETWORK [ORDER] >PLATFORM
    simgrid.py RANKS hosts >HOSTFILE

Written from what src/schedule/network.h says, so that SimGrid's times check
the model's.  NETWORK has alpha, beta and perhaps hosts: "alpha=10us,beta=1ns"
or "2x4,alpha=1us,beta=0.1ns,between-alpha=10us,between-beta=1ns,nics=1".  ORDER
is a rank for each place, host after host, as --order has it.  switches=2 says
that the last two of the ranks are switches, which have a port for each rank: one
on each host, or one alone between hosts.  gamma has no counterpart, and messages
share a link: SimGrid has no queues.
"""
import sys

UNITS = {"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6}
HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="collviz" routing="Floyd">"""


def ns(figure):
    """"10us" in nanoseconds."""
    return float(figure[:-2]) * UNITS[figure[-2:]]


def link(name, alpha, beta, ports=1):
    """Half of a message's way; it carries messages both ways at once."""
    print(f'<link id="{name}" bandwidth="{ports / ns(beta):.9g}GBps" '
          f'latency="{ns(alpha) / 2:.9g}ns" sharing_policy="SPLITDUPLEX"/>')


def route(rank, to, by):
    print(f'<route src="gpu-{rank}" dst="{to}">'
          f'<link_ctn id="{by}" direction="UP"/></route>')


def places(ranks, per_host, order):
    """The place of each rank, where host h has the places from h * per_host on."""
    hosts = ranks // per_host
    if order is None:
        return list(range(ranks))
    if order == "cyclic":
        return [r % hosts * per_host + r // hosts for r in range(ranks)]
    listed = [int(rank) for rank in order.split(",")]
    return [listed.index(r) for r in range(ranks)]


def platform(ranks, network, order):
    """Every GPU has a port to its host's switch and, if there are several hosts,
    a NIC to the switch between them.  SimGrid takes the route of the fewest
    links: no message inside a host goes over NICs."""
    first, _, rest = network.partition(",")
    hosts = 1
    if "=" not in first:
        hosts, network = int(first.partition("x")[0]), rest
    figures = dict(item.split("=") for item in network.split(","))
    switches = int(figures.get("switches", 0))
    ranks -= switches
    per_host = ranks // hosts
    nics = int(figures.get("nics", per_host))
    outside = "" if hosts in (1, switches) else "between-"
    place = places(ranks, per_host, order or figures.get("order"))

    print(HEAD)
    for rank in range(ranks):
        print(f'<host id="gpu-{rank}" speed="1Gf"/>')
    for host in range(hosts):
        print(f'<router id="host-{host}"/>')
    for rank in range(ranks):
        link(f"port-{rank}", figures["alpha"], figures["beta"])
    if hosts > 1:
        print('<router id="between"/>')
        for nic in range(hosts * nics):
            link(f"nic-{nic}", figures["between-alpha"], figures["between-beta"])
    for switch in range(ranks, ranks + switches):
        print(f'<host id="gpu-{switch}" speed="1Gf"/>')
        link(f"port-{switch}", figures[outside + "alpha"], figures[outside + "beta"], ranks)
    for switch in range(switches):
        route(ranks + switch, "between" if outside else f"host-{switch % hosts}",
              f"port-{ranks + switch}")
    for rank in range(ranks):
        host, turn = divmod(place[rank], per_host)
        route(rank, f"host-{host}", f"port-{rank}")
        if hosts > 1:
            route(rank, "between", f"nic-{host * nics + turn * nics // per_host}")
    print("</zone>\n</platform>")


def main():
    ranks, network = int(sys.argv[1]), sys.argv[2]
    if network == "hosts":
        for rank in range(ranks):
            print(f"gpu-{rank}")
    else:
        platform(ranks, network, sys.argv[3] if len(sys.argv) > 3 else None)


main()
