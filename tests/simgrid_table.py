#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every algorithm's time by the model, compared with SimGrid's, on networks.

    simgrid_table.py COLLVIZ SIMGRID.SH RANKS [COLLECTIVE [NETWORK]]

COLLVIZ runs each twice: on a network, and with RANKS (tests/collviz-smpi), as
SimGrid simulates them on that network.  Messages are so large that bytes count,
not latencies, which overlap in SimGrid where a rank receives several messages.
The model's additions take no time, as SimGrid's.

Prints by how many per cent the model says more than SimGrid, and why where that is
far.  Fails where it is far and CAUSES does not say why, or says why where nothing is
far, and where the fastest three algorithms of a collective are others.
"""
import itertools
import json
import multiprocessing
import subprocess
import sys
import tempfile
import textwrap

INSIDE, BETWEEN = "alpha=10ns,beta=0.1ns", "between-alpha=100ns,between-beta=1ns"
NETWORKS = {
    "flat": "alpha=100ns,beta=1ns",
    **{f"{shape}{nics and ' 1 NIC'}": f"{shape},{INSIDE},{BETWEEN}{nics}"
       for shape in ("2x8", "4x4", "4x8") for nics in ("", ",nics=1")},
}
COUNT = 80000  # float32 of a rank
FAR, SAME = 5, 1  # per cent: too far; times that are taken to be the same
STEPS = ("SimGrid's ranks end a step before the next one.  By the model a rank that has "
         "several messages in a step sends each as soon as its data is there, so that "
         "chunks catch up with each other")
SHARED = ("In SimGrid messages that are at a port or a NIC at once share it, and all of them "
          "end late.  By the model one comes after the other, and what has come is passed on "
          "meanwhile")
CAUSES = {
    "tree-allreduce": [STEPS],
    "mesh2d-allreduce": [STEPS, SHARED],
    "nvls-tree-allreduce": [SHARED],
    "collnet-direct-allreduce": [STEPS],
    "collnet-direct-allgather": [STEPS],
    "collnet-direct-reduce-scatter": [STEPS],
    "binary-broadcast": [SHARED],
    "binary-reduce": [SHARED],
}

COLLVIZ, SIMGRID, RANKS = sys.argv[1:4]


def run(name, words):
    """What a run says of itself, and when it ends; None if it is refused."""
    done = subprocess.run([COLLVIZ, name, "--count", str(COUNT), "--json", "--pace", "free",
                           *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode == 2:
        return None
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    ends = [line["wall_ns"] for line in lines if line["type"] == "result"]
    if done.returncode != 0 or len(ends) != 1:
        raise RuntimeError(f"{name} {words}: {done.returncode}: {done.stderr}")
    return lines[0], ends[0]


def measure(job):
    """The times by SimGrid and by the model; None if the network does not hold it."""
    row, network = job
    shape, text = network.split()[0].replace("flat", "4x4"), NETWORKS[network]
    hosts, size = map(int, shape.split("x"))
    words = ["--gpus", str(hosts * size)]
    if row["topology"] == "nodes":
        words += ["--shape", shape]
    ours = run(row["name"], [*words, "--network", text])
    if ours is None:
        return None
    if ours[0].get("switches", 0) > 0:
        text += f",switches={ours[0]['switches']}"
    with tempfile.TemporaryDirectory() as folder:
        theirs = run(row["name"], [*words, "--backend", "mpi", "--launcher",
                                   f"'{SIMGRID}' '{folder}' '{RANKS}' '{text}'"])
    return theirs[1], ours[1]


def more(times):
    return 100 * (times[1] / times[0] - 1)


def fastest(rows, found, network):
    """What differs in the order of the fastest three of each collective."""
    for collective in dict.fromkeys(row["collective"] for row in rows):
        times = {row["name"]: found[row["name"], network] for row in rows
                 if row["collective"] == collective and found[row["name"], network]}
        for first in sorted(times, key=times.get)[:3]:
            for name, (theirs, ours) in times.items():
                if (theirs * (100 - SAME) > times[first][0] * 100 and
                        ours * 100 < times[first][1] * (100 - SAME)):
                    yield first, name


def main():
    listed = subprocess.run([COLLVIZ, "list", "--json"], capture_output=True, text=True,
                            check=True)
    rows = [json.loads(line) for line in listed.stdout.splitlines()]
    collective, network = (sys.argv[4:] + [None, None])[:2]
    rows = [row for row in rows if collective in (None, row["collective"])]
    networks = [name for name in NETWORKS if network in (None, name)]
    jobs = list(itertools.product(rows, networks))
    with multiprocessing.Pool() as pool:
        measured = pool.map(measure, jobs, 1)
    found = {(row["name"], name): times for (row, name), times in zip(jobs, measured)}

    wrong, why = [], [STEPS, SHARED]

    def causes(*names):
        """Their numbers; "" if none is known."""
        return "".join(f"  ({why.index(cause) + 1})" for name in names
                       for cause in CAUSES.get(name, []))

    print("The model's time beside SimGrid's: so many per cent more.\n")
    print(f"{'':<33}" + "".join(f"{name:>11}" for name in networks))
    for row in rows:
        name, far, cells = row["name"], False, ""
        for times in (found[name, network] for network in networks):
            here = times is not None and abs(more(times)) > FAR
            cells += f"{'-' if times is None else f'{more(times):+.1f}':>10}{' *'[here]}"
            far = far or here
        if far and name not in CAUSES:
            wrong.append(f"{name}: not within {FAR} %, and no cause is known")
        if not far and name in CAUSES and len(networks) == len(NETWORKS):
            wrong.append(f"{name}: within {FAR} %, and yet there is a cause")
        print((f"{name:<33}{cells}" + (causes(name) if far else "")).rstrip())
    print("\n-   the network does not hold it: its switch is in one host\n*   because:")
    for number, cause in enumerate(why, 1):
        print(textwrap.fill(f"({number}) {cause}.", 96, subsequent_indent="    "))
    print()
    for network in networks:
        for first, name in fastest(rows, found, network):
            line = f"{network}: by SimGrid {first} is faster than {name}, by the model slower"
            print(line + causes(first, name))
            if causes(first, name) == "":
                wrong.append(line)
    print(f"{len(rows)} algorithms, {len(found) - measured.count(None)} comparisons, "
          f"{sum(t is not None and abs(more(t)) <= FAR for t in measured)} within {FAR} %")
    for line in wrong:
        print(f"not as it should be: {line}", file=sys.stderr)
    sys.exit(len(wrong) > 0)


main()
