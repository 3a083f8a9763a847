#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second simulation of schedules on networks, from what `collviz` prints.

    second_simulation.py COLLVIZ

Reads the steps of a run from --json, and its network from the name that it has
there; works out when each message would be sent, as src/schedule/simulation.h
and network.h say it in words; and compares that with the times of collviz, message
by message with those of runs, in all with those of chart and compare.  Times are
whole numbers here: a network's figures are fractions, which are brought to one
denominator.  So what is ready at the same time is exactly that.  Speaks TAP.
"""
import heapq
import itertools
import json
import multiprocessing
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from math import lcm

# The figures of the tables in src/schedule/network.h, in ns.
ADD = Fraction(3, 3350)
FLAT = {
    "nvlink": (600, Fraction(1, 450), ADD),
    "pcie": (1000, Fraction(1, 64), ADD),
    "infiniband": (2700, Fraction(1, 50), ADD),
    "ethernet": (20000, Fraction(8, 100), ADD),
}
HOSTS = {
    "dgx-h100": "gpus=8,inside=nvlink,between=infiniband",
    "g5.12xlarge": "gpus=4,alpha=1us,beta=31.25ps,gamma=5ps,"
                   "between-alpha=20us,between-beta=0.2ns,nics=1",
    "laptops": "gpus=1,alpha=48us,beta=8ns,gamma=30ps,"
               "between-alpha=48us,between-beta=8ns",
}
UNITS = {"ps": Fraction(1, 1000), "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
WIDTH = {"float32": 4, "float16": 2, "int64": 8, "uint8": 1}


COLLVIZ = sys.argv[1]


class Network:
    """The value of --network."""

    def __init__(self, text):
        self.alpha = self.beta = self.gamma = Fraction(0)
        self.between_alpha = self.between_beta = Fraction(0)
        self.ports, self.links, self.cores = 1, 0, 0
        self.hosts, self.gpus, self.nics = 0, 0, None
        self.cyclic, self.order = False, []
        for item in text.split(","):
            if item in HOSTS:
                self.__init__(HOSTS[item])
            elif item in FLAT:
                self.alpha, self.beta, self.gamma = map(Fraction, FLAT[item])
            elif re.fullmatch(r"\d+x\d+", item):
                self.hosts, self.gpus = map(int, item.split("x"))
            elif item.isdigit():
                self.order.append(int(item))
            else:
                self.set(*item.split("="))
        if self.nics is None:
            self.nics = self.gpus

    def set(self, key, value):
        if key == "inside":
            self.alpha, self.beta, self.gamma = map(Fraction, FLAT[value])
        elif key == "between":
            self.between_alpha, self.between_beta = map(Fraction, FLAT[value][:2])
        elif key == "order":
            self.cyclic = value == "cyclic"
            self.order = [int(value)] if value.isdigit() else []
        elif key in ("ports", "links", "cores", "hosts", "gpus", "nics"):
            setattr(self, key, int(value))
        else:
            number, unit = re.fullmatch(r"([\d.]+)([a-z]+)", value).groups()
            setattr(self, key.replace("-", "_"), Fraction(number) * UNITS[unit])

    def place(self, rank):
        """Its host, and its number there."""
        if rank < len(self.order):
            return divmod(self.order.index(rank), self.gpus)
        if self.cyclic:
            return rank % self.hosts, rank // self.hosts
        return divmod(rank, self.gpus)

    def nic(self, rank):
        host, gpu = self.place(rank)
        return host, gpu * self.nics // self.gpus


class Run:
    """A schedule, and the times of its messages by collviz, from --json."""

    def __init__(self, lines):
        self.steps, self.lengths, self.times = [], {}, {}
        for line in map(json.loads, lines):
            kind = line["type"]
            if kind == "run":
                self.info = line
            elif kind == "step":
                self.steps.append(line["transfers"])
            elif kind == "input":
                for i, length in enumerate(line["length"]):
                    self.lengths[line["rank"], line["slot"] + i] = length
            elif kind == "transfer":
                key = line["step"], line["src"], line["dst"]
                self.times[key] = line["begin_ns"], line["end_ns"]
            elif kind == "result":
                self.end = line["wall_ns"]

    def node(self, rank):
        """Each node has a switch, or one switch joins them and is in none."""
        switches = self.info.get("switches", 0)
        number = rank - (self.info["ranks"] - switches)
        nodes, size, _ = self.info.get("shape", (1, self.info["ranks"], 1))
        if number < 0:
            return rank // size
        return number if switches == nodes else None

    def host(self, network, rank):
        """A switch stands in the host of its node's first rank."""
        switches = self.info.get("switches", 0)
        if rank >= self.info["ranks"] - switches:
            node = self.node(rank)
            if node is None:
                return None
            rank = node * self.info.get("shape", (1, 0, 1))[1]
        return network.place(rank)[0]


class Message:
    def __init__(self, step, src, dst):
        self.key = step, src, dst
        self.bytes = self.added = 0
        self.waits = set()  # for these
        self.begin = self.end = None


def messages_of(run, length_of):
    """What one rank moves to another in a step, in the schedule's order.
    `length_of` makes bytes of the length of an input's slot."""
    messages = []
    lengths = {slot: length_of(n) for slot, n in run.lengths.items()}
    writers, readers = {}, {}  # by slot: of its last step, and since
    for number, transfers in enumerate(run.steps, 1):
        mine, reads, writes, after = {}, {}, {}, {}
        for src, src_slot, dst, dst_slot, slots, op, add in transfers:
            message = mine.get((src, dst))
            if message is None:
                message = mine[src, dst] = Message(number, src, dst)
                messages.append(message)
            for k in range(slots):
                source, target = (src, src_slot + k), (dst, dst_slot + k)
                message.bytes += lengths[source]
                after[target] = lengths[source]
                reads.setdefault(source, set()).add(message)
                if op == "reduce":
                    message.added += lengths[source]
                    reads.setdefault((dst, add + k), set()).add(message)
                writes.setdefault(target, set()).add(message)
        for slot, some in reads.items():
            for message in some:
                message.waits |= writers.get(slot, set())
        for slot, some in writes.items():
            for message in some:
                message.waits |= writers.get(slot, set()) | readers.get(slot, set())
        for slot, some in writes.items():
            writers[slot], readers[slot] = some, set()
        for slot, some in reads.items():
            readers[slot] = readers.get(slot, set()) | some
        lengths.update(after)
    return messages


def delays_of(run):
    """The ranks that are delayed, and by how many ms."""
    return dict(map(int, delay.split("=")) for delay in run.info.get("delay", "").split())


def gates(messages, rank, wait):
    """Of these, which are a delayed rank's: what those of each step wait for, so long
    after all that it has received before."""
    gate, received = None, set()
    for number, step in itertools.groupby(messages, lambda m: m.key[0]):
        before, gate = gate, Message(number, rank, rank)
        gate.received, gate.waits = wait, received | ({before} if before else set())
        yield gate
        for message in step:
            message.waits.add(gate)
            if message.key[2] == rank:
                received = received | {message}


def has_one_port(messages):
    """Whether no rank sends, or receives, more than one message in a step."""
    ends = [(step, way, end) for step, *both in (m.key for m in messages)
            for way, end in enumerate(both) if both[0] != both[1]]
    return len(ends) == len(set(ends))


def take_turns(messages):
    """Ranks go through their steps one after the other."""
    over, open_step = {}, {}  # by rank: messages of its steps before, and of its last
    for m in messages:
        for rank in set(m.key[1:]):
            step, mine = open_step.get(rank, (0, set()))
            if step != m.key[0]:
                over[rank], mine = mine, set()
                open_step[rank] = m.key[0], mine
            mine.add(m)
            m.waits |= over[rank]


class Port:
    """Takes so many messages at once; of those that wait the first comes first."""

    def __init__(self, stage, at_once):
        self.stage, self.free, self.queue = stage, at_once, []


SENDS, LEAVES, ENTERS, RECEIVES = range(4)


class Simulation:
    """Sets begin and end of all messages, as whole numbers of ns / unit."""

    def __init__(self, run, network, length_of=lambda n: n):
        self.run, self.network, self.ports = run, network, {}
        self.messages = messages_of(run, length_of)
        self.gates = [gate for rank, ms in delays_of(run).items() for gate in gates(
            [m for m in self.messages if rank in m.key[1:]], rank, ms * UNITS["ms"])]
        figures = (network.alpha, network.beta, network.gamma,
                   network.between_alpha, network.between_beta)
        if network.ports == 1 and not network.cores and has_one_port(self.messages):
            take_turns(self.messages)
        self.unit = (lcm(*(f.denominator for f in figures)) *
                     lcm(*(Fraction(m.bytes).denominator for m in self.messages)))
        self.members = run.info["ranks"] - run.info.get("switches", 0)
        self.followers = {m: [] for m in self.messages + self.gates}
        last = {}  # by rank: what it receives; a thread does so in order
        for m in self.messages:
            if network.cores and m.key[2] in last:
                m.waits.add(last[m.key[2]])
            last[m.key[2]] = m
            m.way, (m.sent, m.received) = self.way(m), self.takes(m)
        for gate in self.gates:
            gate.way, gate.received = [None] * 4, gate.received * self.unit
        for m in self.followers:
            for before in m.waits:
                self.followers[before].append(m)
        self.end = Fraction(self.play(), self.unit)

    def across(self, message):
        if self.network.gpus == 0:
            return False
        sender, receiver = (self.run.host(self.network, r) for r in message.key[1:])
        return sender != receiver

    def busiest_nic(self):
        """The most bytes that one sends."""
        sums = Counter()
        for m in filter(self.across, self.messages):
            if m.key[1] < self.members:
                sums[self.network.nic(m.key[1])] += m.bytes
        return max(sums.values(), default=0)

    def port(self, stage, at_once, *name):
        return self.ports.setdefault((stage, *name), Port(stage, at_once))

    def way(self, message):
        """Its port of each stage; None where there is no limit."""
        n, (_, src, dst), across = self.network, message.key, self.across(message)
        way = [None] * 4
        if n.cores:
            way[RECEIVES] = self.port(RECEIVES, n.cores)
            return way
        at_once = 1 if across else n.ports
        if src < self.members and src != dst:
            way[SENDS] = self.port(SENDS, at_once, src, across)
        if dst < self.members:
            way[RECEIVES] = self.port(RECEIVES, at_once, dst, across)
        if across and n.nics < n.gpus:
            for stage, rank in ((LEAVES, src), (ENTERS, dst)):
                if rank < self.members:
                    way[stage] = self.port(stage, 1, *n.nic(rank))
        topology = self.run.info.get("topology", "any")
        if n.links and src != dst and topology != "any":
            nodes = [self.run.node(rank) for rank in (src, dst)]
            if topology != "nodes" or nodes[0] == nodes[1]:
                way[LEAVES] = self.port(LEAVES, n.links, src, dst)
            else:
                way[LEAVES] = self.port(LEAVES, n.links, nodes[0])
                way[ENTERS] = self.port(ENTERS, n.links, nodes[1])
        return way

    def takes(self, message):
        """How long it occupies the ports before the receiver's, and that."""
        n, (_, src, dst) = self.network, message.key
        alpha, beta = n.alpha, n.beta
        if self.across(message):
            alpha, beta = n.between_alpha, n.between_beta
        sent = alpha + beta * message.bytes
        if src == dst or message.bytes == 0:
            sent = 0
        added = n.gamma * message.added if dst < self.members else 0
        return int(sent * self.unit), int((sent + added) * self.unit)

    def turn(self, message):
        """Between hosts first the next host, first the same place there."""
        step, *ends = message.key
        if not self.across(message) or max(ends) >= self.members:
            return step, 0, 0
        n, (host, place) = self.network, self.network.place(ends[0])
        to_host, to_place = n.place(ends[1])
        if n.cyclic:
            hosts = min(self.members, n.hosts)
        else:
            hosts = -(-self.members // n.gpus)
        return step, (to_host - host) % hosts, (to_place - place) % n.gpus

    def play(self):
        place = {m: (*self.turn(m), i) for i, m in enumerate(self.messages)}
        waits = {m: len(m.waits) for m in self.followers}
        ready = [m for m in self.followers if waits[m] == 0]
        events, now = [], 0  # (time, number, what is over then)
        numbers = itertools.count()

        def at(time, what):
            heapq.heappush(events, (time, next(numbers), what))

        while True:
            todo = [set() for _ in range(4)]  # ports that may begin something
            over = []
            while events and events[0][0] == now:
                what = heapq.heappop(events)[-1]
                if isinstance(what, Port):
                    what.free += 1
                    todo[what.stage].add(what)
                else:
                    over.append(what)
            going = []
            while over or ready:
                if over:
                    for m in self.followers[over.pop()]:
                        waits[m] -= 1
                        if waits[m] == 0:
                            ready.append(m)
                    continue
                m = ready.pop()
                if m.received > 0:
                    going.append(m)
                else:
                    m.begin = m.end = now
                    over.append(m)
            for stage in range(4):
                begun = []
                for m in going:
                    port = m.way[stage]
                    if port is None:
                        begun.append(m)
                    else:
                        heapq.heappush(port.queue, (place[m], m))
                        todo[stage].add(port)
                for port in todo[stage]:
                    while port.free > 0 and port.queue:
                        m = heapq.heappop(port.queue)[1]
                        port.free -= 1
                        at(now + (m.received if stage == RECEIVES else m.sent), port)
                        begun.append(m)
                going = begun
            for m in going:
                m.begin, m.end = now, now + m.received
                at(m.end, m)
            if not events:
                return now
            now = events[0][0]


def collviz(*words):
    """Its output, line by line; None if it refuses the words."""
    done = subprocess.run([COLLVIZ, *words], stdout=subprocess.PIPE, check=False,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode == 2:
        return None
    if done.returncode not in (0, 1 if words[0].endswith(".lua") else 0):
        raise RuntimeError(f"{words}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode().splitlines()


def run_of(name, network, *words):
    """A run of an algorithm; None if the network does not hold it."""
    lines = collviz(name, "--json", "--pace", "free", "--network", network, *words)
    return lines and Run(lines)


def random_script(seed, folder):
    """An algorithm on five ranks that moves anything anywhere, and keeps no promise."""
    rng, path = random.Random(seed), f"{folder}/{seed}.lua"
    chunks, scratch = rng.randint(1, 4), rng.randint(0, 2)
    lines = [f"algorithm {{ collective='allreduce', chunks={chunks}, scratch={scratch} }}"]
    has = {(rank, slot) for rank in range(5) for slot in range(chunks)}
    for _ in range(rng.randint(1, 8)):
        written = {}  # how, by slot
        lines.append("step 'random'")
        for _ in range(15):
            src, dst, op = rng.randrange(5), rng.randrange(5), rng.choice(["add", "copy"])
            first, into, count = (rng.randrange(chunks + scratch) for _ in range(3))
            pairs = [((src, first + k), (dst, into + k)) for k in range(count + 1)]
            if all(a in has and b[1] < chunks + scratch and
                   (written.get(b) in (None, op) and b in has if op == "add"
                    else b not in written) for a, b in pairs):
                written.update((b, op) for _, b in pairs)
                lines += [f"{op} {{ from={src}, to={dst}, chunk={a}, into={b} }}"
                          for (_, a), (_, b) in pairs]
        has.update(written)
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines))
    return path


def simulate(run, network, words):
    width = WIDTH[run.info["type_name"]]
    order = re.search(r"--order (\S+)", words)
    network += f",order={order[1]}" if order else ""
    return Simulation(run, Network(network), lambda n: n * width)


def compare_messages(job):
    """Each message begins and ends as in the run, to the nearest ns."""
    name, network, words = job
    run = run_of(name, network, *words.split())
    if run is None:
        return None
    ours, differ = simulate(run, network, words), []
    if len(ours.messages) != len(run.times):
        differ.append(f"{len(ours.messages)} messages, not {len(run.times)}")
    for m in ours.messages:
        here = Fraction(m.begin, ours.unit), Fraction(m.end, ours.unit)
        there = run.times.get(m.key, (-1, -1))
        if any(abs(a - b) > 0.501 for a, b in zip(here, there)):
            differ.append("step {}, {} to {}: ".format(*m.key) +
                          "{:.3f} to {:.3f}".format(*map(float, here)) +
                          ", collviz: {} to {}".format(*there))
    if abs(ours.end - run.end) > 0.501:
        differ.append(f"{float(ours.end)} ns in all, collviz: {run.end}")
    return differ


def compare_sizes(job):
    """The points of a chart, whose chunks are equally long."""
    name, network, words = job
    lines, differ, runs = collviz("chart", name, "--json", "--network", network,
                                  *words.split()), [], {}
    for point in map(json.loads, lines or []):
        if point["bytes"] not in SIZES:
            continue
        chunks = point.get("chunks", 0)
        if chunks not in runs:
            more = ["--chunks", str(chunks)] if chunks else []
            runs[chunks] = run_of(name, network, "--gpus", str(point["ranks"]), *more)
        run = runs[chunks]
        units = point["ranks"] if run.info["collective"] in DEALT else 1
        chunk = max(Fraction(point["bytes"], units * run.info["pieces"]), 1)
        ours = Simulation(run, Network(network), lambda _, chunk=chunk: chunk).end
        if abs(ours / Fraction(point["ns"]) - 1) > 5e-5:  # chunks of whole bytes
            differ.append(f"{point['bytes']} bytes, {chunks} chunks: {float(ours)} ns, "
                          f"collviz: {point['ns']}")
    return differ if runs else None


def compare_models(job):
    """The model's times in a comparison, and the bytes over the busiest NIC."""
    names, network, words = job
    differ, seen = [], 0
    for line in map(json.loads, collviz("compare", *names, "--json", "--network",
                                        network, *words.split())):
        if line["type"] != "compared":
            continue
        seen += 1
        name = f"{line['algorithm']}-{line['collective']}"
        chunks = ["--chunks", str(line["chunks"])] if "chunks" in line else []
        ours = simulate(run_of(name, network, *words.split(), *chunks), network, words)
        here = round(ours.end), ours.busiest_nic()
        there = line["modelled_ns"], line.get("busiest_nic_bytes", 0)
        if abs(here[0] - there[0]) > 1 or here[1] != there[1]:
            differ.append(f"{name}: {here[0]} ns and {here[1]} bytes, "
                          f"collviz: {there[0]} and {there[1]}")
    return differ if seen == len(names) else differ + [f"{names}: {seen} compared"]


def compare_crossings(network):
    """Charts over GPUs, up to 10^5: a ring and a butterfly by their closed forms, a
    double tree by what each doubling of a few GPUs adds, and where it is first faster
    than the ring."""
    names = ["ring-allreduce", "butterfly-allreduce", "double-tree-allreduce"]
    words = ["chart", *names, "--over-gpus", "--bytes", "1G", "--network", network]
    alpha, beta, gamma = map(float, FLAT[network])
    size, differ, few, seen = 1 << 30, [], {}, Counter()
    first = [None, None]  # GPUs from which the tree is faster: 8 % faster, 8 % slower

    def ring(n):
        return (2 * (n - 1) * (alpha + beta * size / n) +
                (n - 1) * gamma * size / n)

    def butterfly(n):
        steps, more = n.bit_length() - 1, n & (n - 1) > 0  # one before, one after
        return (steps * (alpha + (beta + gamma) * size) +
                more * (2 * (alpha + beta * size) + gamma * size))

    def tree(n, chunks):
        if n <= 64:
            if (n, chunks) not in few:
                run = run_of(names[2], network, "--gpus", str(n), "--chunks", str(chunks))
                chunk = Fraction(size, run.info["pieces"])
                few[n, chunks] = float(Simulation(run, Network(network), lambda _: chunk).end)
            return few[n, chunks]
        doublings = (n // 33).bit_length()
        base, twice = (tree((n >> doublings) << i, chunks) for i in (0, 1))
        return base + doublings * (twice - base)

    for point in map(json.loads, collviz(*words, "--json")):
        name, n, there = point["algorithm"], point["ranks"], point["ns"]
        seen[name] += n >= 1000
        if name == "ring":
            here, far = ring(n), 1e-5
        elif name == "butterfly":
            here, far = butterfly(n), 1e-5
        elif n <= 64:
            continue
        else:
            here, far = tree(n, point["chunks"]), 0.08
            for i, part in enumerate((1 - far, 1 + far)):
                if first[i] is None and part * here < ring(n):
                    first[i] = n
        if abs(there / here - 1) > far:
            differ.append(f"{name} on {n}: {here} ns, collviz: {there}")
    said = re.search(r"fastest is ring; from (\d+) GPUs on it is double-tree",
                     "\n".join(collviz(*words, "--plain")))
    if said is None or not first[0] <= int(said[1]) <= first[1]:
        differ.append(f"faster from {first} on, collviz: {said and said[0]}")
    if len(seen) != 3 or min(seen.values()) < 10:
        differ.append(f"points from 1000 GPUs on: {dict(seen)}")
    return differ


# Networks, and options of a run on them.
RUNS = [
    ("ethernet", "--gpus 2 --count 5"),
    ("nvlink", "--gpus 13 --count 1000 --chunks auto"),
    ("infiniband", "--gpus 12 --count 10000"),
    ("pcie,ports=3", "--gpus 7 --count 3"),
    ("alpha=1009ns,beta=731ps,gamma=217ps,links=1", "--gpus 8 --count 999"),
    ("pcie,ports=2,links=2", "--gpus 12 --count 4096"),
    ("pcie,ports=2", "--gpus 4 --count 50000 --chunks auto"),
    ("alpha=10us,beta=0ns,gamma=1ns,cores=3", "--gpus 6 --count 600"),
    ("4x8,inside=nvlink,between=infiniband,nics=8", "--gpus 17 --count 8000"),
    ("4x8,inside=nvlink,between=infiniband,nics=1", "--gpus 16 --count 777"),
    ("dgx-h100,gpus=4,nics=2", "--gpus 12 --count 100"),
    ("g5.12xlarge", "--gpus 8 --count 5000"),
    ("laptops", "--gpus 5 --count 50"),
    ("gpus=16,inside=pcie,between=ethernet,between-alpha=30us", "--gpus 9"),
    ("3x4,inside=nvlink,between=infiniband,nics=2,order=cyclic", "--gpus 11 --count 5000"),
    ("2x4,inside=pcie,between=infiniband,nics=1", "--gpus 8 --order 0,4,1,5,2,6,3,7"),
    ("4x4,inside=pcie,between=infiniband,nics=2", "--gpus 13 --order 0,5,1,4,2,3"),
]
SLOW = "alpha=1009us,beta=731ns,gamma=217ns"
DELAYS = "--delay 1=1 --delay 2=4 --delay 4=13"
RANDOM = [
    (SLOW, "--count 1000"), (SLOW + ",ports=2", "--count 1000"), (SLOW, "--count 3"),
    (SLOW, "--count 1000 " + DELAYS), (SLOW + ",cores=2", "--count 1000"),
    (SLOW + ",gpus=3,nics=2,between-alpha=2503us,between-beta=1311ns", "--count 1000"),
    (SLOW + ",ports=2,gpus=3,between-alpha=2503us,between-beta=1311ns", "--count 1000 " + DELAYS),
]
CHARTS = [("ethernet", "--gpus 8"), ("dgx-h100,gpus=4,nics=1", "--gpus 7 --chunks 3")]
COMPARED = "2x4,inside=nvlink,between=infiniband,nics=1", "--gpus 8 --count 20000"
SIZES = {64, 65536, 64 << 20}
DEALT = {"allgather", "alltoall", "gather", "reduce-scatter", "scatter"}
SWITCHED = 9  # algorithms with switches, for which hosts may not be right
IN_HOST = {"nvls-allreduce", "multicast-allreduce", "nvls-allgather", "nvls-reduce-scatter"}


def say(good, name, differ=()):
    say.number += 1
    print(f"{'ok' if good else 'not ok'} {say.number} - {name}", flush=True)
    for line in itertools.islice(differ, 10):
        print(f"# {line}", file=sys.stderr)


say.number = 0


def in_groups(rows):
    """Two to six algorithms of a collective."""
    for collective in {row["collective"] for row in rows}:
        # their switch is in one host
        names = [row["name"] for row in rows
                 if row["collective"] == collective and row["name"] not in IN_HOST]
        for i in range(0, len(names) - 1, 5):
            yield names[i:i + 6]


def main():
    rows = [json.loads(line) for line in collviz("list", "--json")]
    names = [row["name"] for row in rows]
    compared = Counter()
    # Each algorithm is taken on every other network; to the address sanitizer
    # networks differ little.
    with open(COLLVIZ, "rb") as program:
        share = 8 if b"__asan_init" in program.read() else 2
    with multiprocessing.Pool() as pool, tempfile.TemporaryDirectory() as folder:
        scripts = [random_script(seed, folder) for seed in range(80 // share)]
        for network, words in RANDOM:
            found = pool.map(compare_messages, [(script, network, "--gpus 5 " + words)
                                                for script in scripts], 3)
            say(not any(found) and None not in found, f"random scripts: {network} {words}",
                [f"{seed}: {f[0]}" for seed, f in enumerate(found) if f])
        for i, (network, words) in enumerate(RUNS + CHARTS):
            of = compare_messages if (network, words) in RUNS else compare_sizes
            part = names[i % share::share]
            found = pool.map(of, [(name, network, words) for name in part], 3)
            compared.update(n for n, f in zip(part, found) if f is not None)
            differ = [f"{n}: {f[0]} (of {len(f)})" for n, f in zip(part, found) if f]
            say(not differ and found.count(None) <= SWITCHED,
                f"{len(part) - found.count(None)} algorithms, "
                f"{'runs' if of is compare_messages else 'charts'}: {network} {words}",
                differ)
        jobs = [(group, *COMPARED) for group in in_groups(rows)]
        differ = sum(pool.map(compare_models, jobs, 1), [])
        say(not differ and len(jobs) > 8, "comparisons: " + " ".join(COMPARED), differ)
        differ = compare_crossings("infiniband")
        say(not differ, "where curves cross, up to 10^5 GPUs", differ)
    least = min(compared[name] for name in names)
    say(least >= 4 or share > 2,
        f"each of {len(names)} algorithms in at least 4 of them: {least}")
    print(f"1..{say.number}")


if __name__ == "__main__":
    main()
