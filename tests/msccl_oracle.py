#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs an MSCCL program on symbols, as MSCCL's runtime would run it.

It shares no code with collviz, so that it can judge it: tests/msccl_mutants.py
compares the two.  How files are read, what a thread block does, and how steps
are cut into messages, follows msccl-executor-nccl (c6f6b36):
mscclGetAlgoFromXmlFile() in src/misc/msccl/msccl_parser.cc,
mscclRunInterpreter() in src/device/msccl_kernel.cu, mscclSetupCount() in
src/misc/msccl/msccl_setup.cc.

A chunk of memory holds a set of contributions, bit rank * chunks + chunk, or
None: memory that nobody wrote, or a sum with something in it twice.  Neither
can become right again.  Thread blocks run interleaved, chunk by chunk, reads
apart from writes, in random orders and with random blocks held back, so that
races show, though not every race in every run.  A file that says that it runs
in place and out of place is run both ways.

    tests/msccl_oracle.py FILE.xml [RUNS]

prints "right", or "wrong: " and the reason; and with how many bytes of data the
program ends.
"""

import functools
import heapq
import random
import re
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
WHOLE = 1 << 40  # chunks of a message: never cut

# Messages that a link holds, bytes of one, and whether the threads of a block
# send in order.  Simple: slices of a buffer of 4 MiB in 8 parts, 4 a message.
# LL: 8 lines of 16 bytes, half of them flags, for each of 512 threads; LL128:
# 120 words for each of 640 threads, a 16th of them flags.
LINKS = {'Simple': (2, 4 * (4 << 20) // 8, True),
         'LL': (8, 8 * 16 * 512 // 2, False),
         'LL128': (8, 120 * 8 * 640 * 15 // 16, False)}
ONE_SLICE_STEP = ('broadcast', 'reduce')  # ..._CHUNKSTEPS is 1, not 4


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


def integer(element, name, otherwise=None):
    """As strtol() with base 0 reads it."""
    value = element.attrib.get(name)
    if value is None and otherwise is not None:
        return otherwise
    form = re.fullmatch(r'([+-]?)(?:0[xX]([0-9a-fA-F]+)|(0[0-7]*)|([1-9]\d*))',
                        value or '')
    if not form:
        raise Refused('<%s> without %s' % (element.tag, name))
    sign, *digits = form.groups()
    number = next(int(d, base) for d, base in zip(digits, (16, 8, 10)) if d)
    return -number if sign == '-' else number


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
    """One of the ways to run a file; `ways` says which there are: in place
    (True), out of place (False)."""

    def __init__(self, path, in_place=None):
        try:
            algo = ElementTree.parse(path).getroot()
        except ElementTree.ParseError as e:
            raise Refused(str(e))
        self.coll = text(algo, 'coll')
        if self.coll not in COLLECTIVES:
            raise Refused('no such collective')
        if text(algo, 'proto') not in LINKS:
            raise Refused('no such protocol')
        self.depth, self.bytes, self.in_order = LINKS[algo.attrib['proto']]
        if algo.attrib['proto'] == 'Simple' and self.coll in ONE_SLICE_STEP:
            self.bytes //= 4
        self.most = integer(algo, 'maxBytes', -1)
        inside = integer(algo, 'inplace')
        self.ways = [way for way, may in
                     ((True, inside),
                      (False, integer(algo, 'outofplace', 1 - inside))) if may]
        if not self.ways:
            raise Refused('it may not run at all')
        self.in_place = self.ways[0] if in_place is None else in_place
        self.nranks = integer(algo, 'ngpus')
        self.channels = integer(algo, 'nchannels')
        self.root = integer(algo, 'root', 0)
        self.chunks = integer(algo, 'nchunksperloop')
        self.lay_out(self.chunks)
        gpus = sorted(algo, key=lambda gpu: integer(gpu, 'id'))
        if [integer(gpu, 'id') for gpu in gpus] != list(range(self.nranks)):
            raise Refused('not these GPUs')
        self.stated = [{b: integer(gpu, b + '_chunks') for b in 'ios'}
                       for gpu in gpus]
        self.blocks = [sorted((read_block(rank, tb) for tb in gpu),
                              key=lambda b: b.id)
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
            local = b.send < 0 and b.recv < 0
            if rank in (b.send, b.recv) or \
                    not -local <= b.chan < self.channels:
                raise Refused('no such peer or channel')
            for end in ('s', b.send, b.chan), ('r', b.recv, b.chan):
                if end in ends or end[1] >= self.nranks:
                    raise Refused('two blocks at one end of a link')
                if end[1] >= 0:
                    ends.add(end)
            for t in b.transmissions:
                if any(bid >= len(blocks) for bid, _ in t.needs):
                    raise Refused('no such thread block')

    def chunks_a_message(self, size):
        """With so many bytes of data, or 0: with any number."""
        return max(1, self.bytes // -(-size // self.chunks)) if size else 1

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
        self.chunks = {}  # that have come


def add(a, b):
    """Of two chunks: None where anything would be in the sum twice."""
    return None if a is None or b is None or a & b else a | b


class Run:
    """One run, in one order.  A thread block is a generator: it yields None
    where another one may come in between, or what it waits for."""

    def __init__(self, program, rng, most):
        self.p, self.rng, self.most = program, rng, most
        self.waits_for_all = rng.choice([0, 0.5, 1])
        self.backwards = rng.random() < 0.5
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
        for first in range(0, t.count, self.most):
            yield from self.pass_on(b, t, first,
                                    min(self.most, t.count - first))

    def pass_on(self, b, t, first, count):
        """One message of a step's, or what corresponds to one."""
        receives, _, _, sends = TYPES[t.kind]
        inward = (b.recv, b.rank, b.chan)
        outward = (b.rank, b.send, b.chan)
        while True:
            if receives and not self.links.get(inward):
                yield ('message', inward)
            elif sends and self.held.get(outward, 0) == self.p.depth:
                yield ('room', outward)
            else:
                break
        came = self.links[inward].pop(0) if receives else None
        left = Message(count)
        if receives and came.count != count:
            raise Wrong('a message of %d chunks for %d' % (came.count, count))
        if sends:
            self.links.setdefault(outward, []).append(left)
            self.held[outward] = self.held.get(outward, 0) + 1
            self.wake(('message', outward))
        yield from self.move(b, t, range(first, first + count), came, left)
        if receives:
            self.held[inward] -= 1
            self.wake(('room', inward))

    def move(self, b, t, chunks, came, left):
        """Either chunk by chunk, as they come, or once all are there in any
        order: the threads of a block have none among themselves.  Where they
        send what they have without waiting for each other, chunk by chunk may
        also be in any order."""
        _, reads, writes, _ = TYPES[t.kind]
        at_once = self.rng.random() < self.waits_for_all
        order, made = list(chunks), {}
        if at_once or not self.p.in_order:
            if self.backwards:
                order.reverse()
            else:
                self.rng.shuffle(order)
        for k in order:
            while came and (len(came.chunks) < came.count if at_once else
                            k - chunks[0] not in came.chunks):
                yield ('chunk', id(came))
            value = came.chunks[k - chunks[0]] if came else None
            if reads:
                value = self.read(b.rank, t, k, value)
                yield None
            if writes:
                self.memory[b.rank][self.p.cell(b.rank, t.dst, k)] = value
                yield None
            made[k - chunks[0]] = value
            if not at_once or len(made) == len(chunks):
                left.chunks.update(made)
                self.wake(('chunk', id(left)))
                yield None

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
    """None if it is right, or why it is wrong, with all sizes of data that the
    file allows.  One that says nothing of sizes need not be right with large
    ones, which are sent in several messages."""
    try:
        ways = Program(path).ways
        programs = [Program(path, way) for way in ways]
        for i in range(runs * len(programs)):
            program = programs[i % len(programs)]
            least = WHOLE if program.most < 0 else \
                program.chunks_a_message(program.most)
            rng = random.Random('%s %d' % (seed, i))
            run = Run(program, rng,
                      least if i < len(programs) else
                      rng.choice([least, least + 1, WHOLE]))
            run.run(uniform=i // len(programs) % 3 == 0)
            run.judge()
    except (Refused, Wrong) as e:
        return str(e)
    return None


def most_bytes(path):
    """With how many bytes of data at most a right program ends; None: any."""
    program = Program(path)
    longest = max((t.count for blocks in program.blocks for b in blocks
                   for t in b.transmissions), default=1)
    for chunks in range(1, longest + 1):
        run = Run(program, random.Random(0), chunks)
        run.run(uniform=True)
        if not run.waiting:
            return program.bytes // chunks * program.chunks \
                if chunks > 1 else None
    return 0


def main():
    path = sys.argv[1]
    why = verdict(path, int(sys.argv[2]) if len(sys.argv) > 2 else 6)
    print('right' if why is None else 'wrong: ' + why)
    if why is None:
        most = most_bytes(path)
        print('it ends with any amount of data' if most is None else
              'it ends with up to %d bytes' % most)
    sys.exit(why is not None)


if __name__ == '__main__':
    main()
