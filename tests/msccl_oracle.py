#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs an MSCCL program on symbols, as MSCCL's runtime would run it.

It shares no code with collviz, so that it can judge it: tests/msccl_mutants.py
compares the two.  How files are read, and what a thread block does,
follows msccl-executor-nccl (c6f6b36): mscclGetAlgoFromXmlFile() in
src/misc/msccl/msccl_parser.cc, mscclRunInterpreter() in
src/device/msccl_kernel.cu.

A chunk of memory holds a set of contributions, bit rank * chunks + chunk, or
None: memory that nobody wrote, or a sum with something in it twice.  Neither
can become right again.  Thread blocks run interleaved, chunk by chunk, reads
apart from writes, in random orders and with random blocks held back, so that
races show, though not every race in every run.

    tests/msccl_oracle.py FILE.xml [RUNS]

prints "right", or "wrong: " and the reason; and whether the program ends if a
link holds one message.
"""

import functools
import heapq
import random
import sys
import xml.etree.ElementTree as ElementTree


class Refused(Exception):
    """The runtime would refuse the file, or access memory beyond its own."""


TYPES = {  # receives, reads, writes, sends
    's': (0, 1, 0, 1), 'r': (1, 0, 1, 0), 'rcs': (1, 0, 1, 1),
    'rrc': (1, 1, 1, 0), 'rrs': (1, 1, 0, 1), 'rrcs': (1, 1, 1, 1),
    'cpy': (0, 1, 1, 0), 're': (0, 1, 1, 0)}
FUSED_MAX = 16  # MSCCL_MAX_REDUCE_FUSION
NOTHING = -2    # published; deps="-1" waits for anything at all


# What is promised ------------------------------------------------------------

# Units of input and output (N: one for each rank), and what output chunk j of
# rank r holds, as rank and chunk, of P chunks a unit; 'all' is a sum.
COLLECTIVES = {
    'allreduce': ('1', '1', lambda r, j, p, n, root: ('all', j)),
    'broadcast': ('1', '1', lambda r, j, p, n, root: (root, j)),
    'reduce': ('1', '1', lambda r, j, p, n, root:
               ('all', j) if r == root else None),
    'scatter': ('N', '1', lambda r, j, p, n, root: (root, r * p + j)),
    'gather': ('1', 'N', lambda r, j, p, n, root:
               (j // p, j % p) if r == root else None),
    'allgather': ('1', 'N', lambda r, j, p, n, root: (j // p, j % p)),
    'reducescatter': ('N', '1', lambda r, j, p, n, root: ('all', r * p + j)),
    'alltoall': ('N', 'N', lambda r, j, p, n, root:
                 (j // p, r * p + j % p)),
    'sendrecv': ('1', '1', lambda r, j, p, n, root: ((r - 1) % n, j)),
}
ONLY_ROOT_HAS_INPUT = ('broadcast', 'scatter')


# Reading ---------------------------------------------------------------------

class Transmission:
    def __init__(self, kind, src, dst, count):
        self.kind, self.src, self.dst, self.count = kind, src, dst, count
        self.needs = []       # (thread block, step)
        self.publishes = False
        self.sources = [src]  # of re, as many as were fused


class Block:
    def __init__(self, rank, element):
        self.rank = rank
        self.id = integer(element, 'id')
        self.send = integer(element, 'send')
        self.recv = integer(element, 'recv')
        self.chan = integer(element, 'chan')
        self.transmissions = []


def integer(element, name):
    try:
        return int(element.attrib[name])
    except (KeyError, ValueError):
        raise Refused('<%s> without %s' % (element.tag, name))


def text(element, name):
    if name not in element.attrib:
        raise Refused('<%s> without %s' % (element.tag, name))
    return element.attrib[name]


def read_block(rank, element):
    block = Block(rank, element)
    needs, fused, reductions = [], None, 0
    for step in element:
        src = text(step, 'srcbuf'), integer(step, 'srcoff')
        dst = text(step, 'dstbuf'), integer(step, 'dstoff')
        count, kind = integer(step, 'cnt'), text(step, 'type')
        bid, deps = integer(step, 'depid'), integer(step, 'deps')
        publishes = integer(step, 'hasdep')
        if src[0] not in 'ios' or dst[0] not in 'ios':
            raise Refused('no such buffer')
        if publishes not in (0, 1):
            raise Refused('hasdep is neither 0 nor 1')
        if bid >= 0:
            needs.append((bid, deps))
        if kind == 'nop':
            continue
        if kind not in TYPES:
            raise Refused('no such type')
        if count < 1:
            raise Refused('a step of no chunks')
        if kind == 're' and fused == (src[0], dst) and bid == -1:
            last = block.transmissions[-1]
            last.sources.append(src)
            last.count = count
        else:
            last = Transmission(kind, src, dst, count)
            block.transmissions.append(last)
            last.needs, needs = needs, []
            if last.needs and bid < 0:
                raise Refused('a nop, and then no dependency')
        last.publishes = publishes == 1
        reductions += kind == 're'
        fused = None
        if kind == 're' and not publishes and reductions != FUSED_MAX:
            fused = (src[0], dst)
        receives, _, _, sends = TYPES[kind]
        if (sends and block.send < 0) or (receives and block.recv < 0):
            raise Refused('no peer')
    return block


class Program:
    def __init__(self, path):
        try:
            algo = ElementTree.parse(path).getroot()
        except ElementTree.ParseError as e:
            raise Refused(str(e))
        coll = text(algo, 'coll').replace('-', '').replace('_', '')
        if coll not in COLLECTIVES:
            raise Refused('no such collective')
        self.coll = coll
        text(algo, 'proto')
        self.nranks = integer(algo, 'ngpus')
        self.channels = integer(algo, 'nchannels')
        self.root = int(algo.attrib.get('root', 0))
        self.in_place = integer(algo, 'inplace') == 1
        self.lay_out(integer(algo, 'nchunksperloop'))
        gpus = list(algo)
        if [integer(gpu, 'id') for gpu in gpus] != list(range(self.nranks)):
            raise Refused('not these GPUs')
        self.stated = [{b: integer(gpu, b + '_chunks') for b in 'ios'}
                       for gpu in gpus]
        self.blocks = [[read_block(rank, tb) for tb in gpu]
                       for rank, gpu in enumerate(gpus)]
        for rank in range(self.nranks):
            self.look_at_blocks(rank)

    def lay_out(self, chunks):
        i, o, self.promise = COLLECTIVES[self.coll]
        units = {'1': 1, 'N': self.nranks}
        if chunks % max(units[i], units[o]) != 0:
            raise Refused('chunks can not be cut')
        self.pieces = chunks // max(units[i], units[o])
        self.inputs = self.pieces * units[i]
        self.outputs = self.pieces * units[o]

    def look_at_blocks(self, rank):
        blocks, ends = self.blocks[rank], set()
        if [b.id for b in blocks] != list(range(len(blocks))):
            raise Refused('thread blocks are missing')
        for b in blocks:
            kinds = [TYPES[t.kind] for t in b.transmissions]
            if rank in (b.send, b.recv) or not 0 <= b.chan < self.channels:
                raise Refused('no such peer or channel')
            for used, end in ((any(k[3] for k in kinds), ('s', b.send)),
                              (any(k[0] for k in kinds), ('r', b.recv))):
                if used and (end + (b.chan,) in ends or end[1] >= self.nranks):
                    raise Refused('two blocks at one end of a link')
                if used:
                    ends.add(end + (b.chan,))
            for t in b.transmissions:
                if any(bid >= len(blocks) for bid, _ in t.needs):
                    raise Refused('no such thread block')

    def cell(self, rank, place, k):
        buffer, first = place
        size = {'i': self.inputs, 'o': self.outputs}.get(
            buffer, self.stated[rank]['s'])
        if not 0 <= first + k < min(size, self.stated[rank][buffer]):
            raise Refused('outside of a buffer')
        if buffer == 'i':
            return self.input_cell(rank, first + k)
        if buffer == 'o':
            return self.output_cell(rank, first + k)
        return 's', first + k

    def input_cell(self, rank, k):
        """In place both buffers are one, the longer of them."""
        shorter = self.inputs < self.outputs
        return (('io', k + (rank * self.inputs if shorter else 0))
                if self.in_place else ('i', k))

    def output_cell(self, rank, k):
        shorter = self.outputs < self.inputs
        return (('io', k + (rank * self.outputs if shorter else 0))
                if self.in_place else ('o', k))

    def contribution(self, rank, chunk):
        return 1 << (rank * self.inputs + chunk)

    def promised(self, rank, chunk):
        what = self.promise(rank, chunk, self.pieces, self.nranks, self.root)
        if what is None:
            return None
        ranks = range(self.nranks) if what[0] == 'all' else [what[0]]
        return sum(self.contribution(r, what[1]) for r in ranks)


# Running ---------------------------------------------------------------------

class Wrong(Exception):
    pass


class Message:
    def __init__(self, count):
        self.count = count
        self.chunks = []  # that have come


def add(a, b):
    """Of two chunks: None where anything would be in the sum twice."""
    return None if a is None or b is None or a & b else a | b


class Run:
    """One run, in one order.  A thread block is a generator: it yields None
    where another one may come in between, or what it waits for."""

    def __init__(self, program, rng, depth=None):
        self.p, self.rng, self.depth = program, rng, depth
        self.memory = [self.inputs_of(r) for r in range(program.nranks)]
        self.links = {}    # (src, dst, chan): messages
        self.held = {}     # of the same: how many of them, and being received
        self.flags = {}    # (rank, thread block): the step it published last
        self.waiting = {}  # by what they wait for
        self.runnable = []
        self.priorities = {}

    def inputs_of(self, rank):
        p = self.p
        if p.coll in ONLY_ROOT_HAS_INPUT and rank != p.root:
            return {}
        return {p.input_cell(rank, k): p.contribution(rank, k)
                for k in range(p.inputs)}

    def wake(self, key):
        for generator in self.waiting.pop(key, []):
            self.put(generator)

    def put(self, generator):
        """In uniform runs the next is any block; in others a block goes on
        while it can, and those of a high number are held back."""
        if self.uniform or self.rng.random() < 0.01:
            self.priorities[generator] = self.rng.random()
        heapq.heappush(self.runnable, (self.priorities[generator],
                                       id(generator), generator))

    def run(self, uniform):
        self.uniform = uniform
        for blocks in self.p.blocks:
            for b in blocks:
                generator = self.block(b)
                self.priorities[generator] = self.rng.random()
                self.put(generator)
        while self.runnable:
            generator = heapq.heappop(self.runnable)[2]
            for key in generator:
                if key is not None:
                    self.waiting.setdefault(key, []).append(generator)
                else:
                    self.put(generator)
                break

    def block(self, b):
        step = 0
        for t in b.transmissions:
            for bid, deps in t.needs:
                while self.flags.get((b.rank, bid), NOTHING) < deps:
                    yield ('step', b.rank, bid)
            step += max(0, len(t.needs) - 1)
            yield from self.transmit(b, t)
            step += len(t.sources) - 1
            if t.publishes:
                self.flags[b.rank, b.id] = step
                self.wake(('step', b.rank, b.id))
            step += 1

    def transmit(self, b, t):
        receives, reads, writes, sends = TYPES[t.kind]
        inward = (b.recv, b.rank, b.chan)
        outward = (b.rank, b.send, b.chan)
        while True:
            if receives and not self.links.get(inward):
                yield ('message', inward)
            elif sends and self.held.get(outward, 0) == self.depth:
                yield ('room', outward)
            else:
                break
        came = self.links[inward].pop(0) if receives else None
        left = Message(t.count)
        if receives and came.count != t.count:
            raise Wrong('a message of %d chunks for %d' %
                        (came.count, t.count))
        if sends:
            self.links.setdefault(outward, []).append(left)
            self.held[outward] = self.held.get(outward, 0) + 1
            self.wake(('message', outward))
        yield from self.move(b, t, came, left)
        if receives:
            self.held[inward] -= 1
            self.wake(('room', inward))

    def move(self, b, t, came, left):
        """Either chunk by chunk, as they come, or once all are there in any
        order: the threads of a block have none among themselves."""
        _, reads, writes, _ = TYPES[t.kind]
        at_once = self.rng.random() < 0.5
        order, made = list(range(t.count)), {}
        if at_once:
            self.rng.shuffle(order)
        for k in order:
            while came and len(came.chunks) <= (t.count - 1 if at_once else k):
                yield ('chunk', id(came))
            value = came.chunks[k] if came else None
            if reads:
                value = self.read(b.rank, t, k, value)
                yield None
            if writes:
                self.memory[b.rank][self.p.cell(b.rank, t.dst, k)] = value
                yield None
            made[k] = value
            if not at_once or len(made) == t.count:
                left.chunks += [made[i] for i in range(len(left.chunks),
                                                       len(made))]
                self.wake(('chunk', id(left)))

    def read(self, rank, t, k, value):
        memory = self.memory[rank]
        chunks = [memory.get(self.p.cell(rank, source, k))
                  for source in t.sources]
        if t.kind == 're':
            chunks.append(memory.get(self.p.cell(rank, t.dst, k)))
        elif t.kind in ('rrc', 'rrs', 'rrcs'):
            chunks.append(value)
        return functools.reduce(add, chunks)

    def judge(self):
        p = self.p
        if self.waiting:
            raise Wrong('it hangs: %r' % sorted(map(str, self.waiting))[0])
        if any(self.links.values()):
            raise Wrong('a message is never received')
        for rank in range(p.nranks):
            for chunk in range(p.outputs):
                promised = p.promised(rank, chunk)
                cell = p.output_cell(rank, chunk)
                if promised is not None and \
                        self.memory[rank].get(cell) != promised:
                    raise Wrong('rank %d, output chunk %d' % (rank, chunk))
            for cell, value in self.inputs_of(rank).items():
                if not p.in_place and self.memory[rank].get(cell) != value:
                    raise Wrong('rank %d, its input is written' % rank)


def verdict(path, runs=6, seed=0):
    """None if it is right, or why it is wrong."""
    try:
        program = Program(path)
        for i in range(runs):
            run = Run(program, random.Random('%s %d' % (seed, i)))
            run.run(uniform=i % 3 == 0)
            run.judge()
    except (Refused, Wrong) as e:
        return str(e)
    return None


def ends_with_one(path):
    """Whether a right program ends where a link holds one message."""
    run = Run(Program(path), random.Random(0), depth=1)
    run.run(uniform=True)
    return not run.waiting


def main():
    path = sys.argv[1]
    why = verdict(path, int(sys.argv[2]) if len(sys.argv) > 2 else 6)
    print('right' if why is None else 'wrong: ' + why)
    if why is None:
        print('it %s where a link holds one message' %
              ('ends' if ends_with_one(path) else 'hangs'))
    sys.exit(why is not None)


if __name__ == '__main__':
    main()
