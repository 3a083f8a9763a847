#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes MSCCL programs in small ways, and asks both `collviz check` and an
interpreter that shares no code with it (tests/msccl_oracle.py).

    tests/msccl_mutants.py COLLVIZ [MUTANTS [FOLDER]]

Prints TAP.  The programs are our exports, those of the fuzzer's corpus, and, if
MSCCL_SAMPLES names a folder, published ones.  A program that collviz proves must
be right.  One that it refutes must be wrong, except for the kinds in PERMITTED.
The same numbers give the same mutants; FOLDER gets those that fail.
"""

import collections
import concurrent.futures
import copy
import functools
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import msccl_oracle

# Algorithms and numbers of ranks, each in place and out of place.
EXPORTS = [
    ('ring-allreduce', 2), ('ring-allreduce', 3), ('ring-allreduce', 5),
    ('naive-allreduce', 3), ('server-allreduce', 4),
    ('sharded-server-allreduce', 4), ('butterfly-allreduce', 4),
    ('butterfly-allreduce', 5), ('halving-doubling-allreduce', 8),
    ('tree-allreduce', 5), ('double-tree-allreduce', 4),
    ('torus2d-allreduce', 6), ('mesh2d-allreduce', 6),
    ('circulant-allreduce', 7), ('hierarchical-allreduce', 4), ('chain-broadcast', 4),
    ('scatter-allgather-broadcast', 5), ('binomial-reduce', 5),
    ('binomial-scatter', 6), ('binomial-gather', 6), ('flat-gather', 3),
    ('ring-allgather', 4), ('bruck-allgather', 5), ('pat-allgather', 4),
    ('recursive-doubling-allgather', 4), ('ring-reduce-scatter', 4),
    ('recursive-halving-reduce-scatter', 4), ('pairwise-reduce-scatter', 4),
    ('pat-reduce-scatter', 4), ('pairwise-alltoall', 4),
    ('ring-alltoall', 4), ('bruck-alltoall', 4), ('direct-allgather', 4),
    ('direct-reduce-scatter', 4), ('direct-alltoall', 4),
    ('hierarchical-allgather', 4), ('hierarchical-reduce-scatter', 4),
    ('hierarchical-alltoall', 4), ('pxn-alltoall', 4), ('shift-sendrecv', 3)]

# Kinds of refusals, by collviz's error; the first pattern that matches.
KINDS = [
    ('race', r'races with thread block'),
    ('unwritten', r'was never written'),
    ('threads', r'the threads of a block have no order'),
    ('hang', r'waits for ever'),
    ('lost message', r'is never received'),
    ('size of a message', r'receives \d+ chunks, but'),
    ('one end, two blocks', r'have the same peer'),
    ('result', r'is wrong: .*(ends as|again|is missing|input is written)'),
    ('outside', r'but the buffer has'),
    ('number', r'must be a whole number'),
    ('empty nop', r'a nop before it waits for nothing'),
    ('after a nop', r'the step after a nop'),
    ('fused', r'one step, with one cnt'),
    ('deps of -1', r'deps="-1"'),
    ('dependency', r'(depid|deps)="'),
    ('attribute', r'lacks the attribute|belongs|there is|its own peer|'
                  r'has (send|recv)=|cannot be divided|neither in place|'
                  r'the ids of GPU|calls it'),
]

# Reasons to refute a program though no run went wrong: two steps without an
# order, of which these runs saw one; the same for threads of one block; memory
# that nobody wrote is read, even if nothing depends on it; and files that the
# runtime reads differently from what they say (src/msccl/README.md).
PERMITTED = {'race', 'threads', 'unwritten', 'empty nop', 'deps of -1',
             'after a nop', 'fused'}

# Mutations: each changes the tree, or returns False if it cannot. -------------

def blocks_of(root):
    return [(gpu, tb) for gpu in root for tb in gpu]

def steps_of(root):
    return [(gpu, tb, step) for gpu, tb in blocks_of(root) for step in tb]

def value_of(element, name):
    try:
        return msccl_oracle.integer(element, name, 0)
    except msccl_oracle.Refused:
        return 0

def put(element, name, value):
    changed = element.get(name) != str(value)
    element.set(name, str(value))
    return changed

def number(gpu, tb, move):
    """Counts a block's steps anew; move says where step k, which others wait
    for, is now."""
    for k, step in enumerate(tb):
        step.set('s', str(k))
    for step in (step for other in gpu for step in other):
        if step.get('depid') == tb.get('id') and value_of(step, 'deps') >= 0:
            step.set('deps', str(move(value_of(step, 'deps'))))

def steps(root):
    return [step for _, _, step in steps_of(root)]

def waiting(root):
    return [step for step in steps(root) if step.get('depid') != '-1']

def publishing(root):
    return [step for step in steps(root) if step.get('hasdep') == '1']

def blocks(root):
    return [tb for _, tb in blocks_of(root)]

def by(*steps_, least=None):
    """A value that is changed by one of these."""
    def changed(value, rng, _):
        value += rng.choice(steps_)
        return value if least is None else max(least, value)
    return changed

def in_another_base(value, rng, _):
    """The same offset, or another one for numbers above 7."""
    return rng.choice(['0%o', '0%d', '0x%x']) % value

# Changes of one attribute: of which elements, which attributes, and to what.
CHANGES = {
    'offset': (steps, 'srcoff dstoff', by(-1, 1, 1, 2)),
    'octal': (steps, 'srcoff dstoff', in_another_base),
    'buffer': (steps, 'srcbuf dstbuf', lambda _, rng, root: rng.choice('ios')),
    'count': (steps, 'cnt', by(-1, 1, least=0)),
    'dependency': (waiting, 'depid deps deps', by(-1, 1)),
    'clear hasdep': (publishing, 'hasdep', lambda *_: 0),
    'set hasdep': (steps, 'hasdep', lambda *_: 1),
    'peer': (blocks, 'send recv',
             lambda _, rng, root: rng.randrange(-1, len(root))),
    'channel': (blocks, 'chan', by(-1, 1)),
    'chunks': (list, 'i_chunks o_chunks s_chunks', by(-1, 1, least=0)),
    'algo': (lambda root: [root], 'nchunksperloop nchannels root',
             by(-1, 1, least=0)),
    'place': (lambda root: [root], 'inplace outofplace',
              lambda value, *_: 1 - value),
}

def change(name, root, rng):
    elements, attributes, changed = CHANGES[name]
    found = elements(root)
    if not found:
        return False
    element, attribute = rng.choice(found), rng.choice(attributes.split())
    return put(element, attribute,
               changed(value_of(element, attribute), rng, root))

def change_type(root, rng):
    pairs = {'r': 'rrc', 'rrc': 'r', 'rcs': 'rrcs', 'rrcs': 'rcs',
             'rrs': 'rrcs', 'cpy': 're', 're': 'cpy', 's': 's', 'nop': 'nop'}
    step = rng.choice(steps(root))
    kind = pairs[step.get('type')]
    if rng.random() < 0.2:
        kind = rng.choice(sorted(pairs))
    return put(step, 'type', kind)

def shift_both(root, rng):
    step = rng.choice(steps(root))
    by = rng.choice([-1, 1])
    for name in ('srcoff', 'dstoff'):
        put(step, name, value_of(step, name) + by)
    return True

def change_count_of_link(root, rng):
    """The same at both ends, so that messages fit."""
    k = rng.choice(range(min(len(tb) for _, tb in blocks_of(root)) or 1))
    by = rng.choice([-1, 1])
    for _, tb in blocks_of(root):
        if k < len(tb):
            put(tb[k], 'cnt', max(0, value_of(tb[k], 'cnt') + by))
    return True

def cut_dependency(root, rng):
    if not waiting(root):
        return False
    step = rng.choice(waiting(root))
    put(step, 'deps', -1)
    return put(step, 'depid', -1)

def add_dependency(root, rng):
    gpu, _, step = rng.choice(steps_of(root))
    tb = rng.choice(list(gpu))
    if len(tb) == 0:
        return False
    k = rng.randrange(len(tb))
    if rng.random() < 0.7:
        tb[k].set('hasdep', '1')
    put(step, 'depid', tb.get('id'))
    return put(step, 'deps', k)

def clear_block(root, rng):
    tb = rng.choice(blocks(root))
    return any([put(step, 'hasdep', 0) for step in tb])

def exchange_peers(root, rng):
    """Two blocks of a GPU send to, or receive from, each other's peer."""
    gpu = rng.choice(list(root))
    if len(gpu) < 2:
        return False
    a, b = rng.sample(list(gpu), 2)
    name = rng.choice(['send', 'recv'])
    x, y = a.get(name), b.get(name)
    put(a, name, y)
    return put(b, name, x)

def lose_step(root, rng):
    gpu, tb, step = rng.choice(steps_of(root))
    at = list(tb).index(step)
    tb.remove(step)
    stays = rng.random() < 0.5
    number(gpu, tb, lambda k: k - (k > at or k == at and not stays))
    return True

def double_step(root, rng):
    gpu, tb, step = rng.choice(steps_of(root))
    at = list(tb).index(step)
    tb.insert(at, copy.deepcopy(step))
    number(gpu, tb, lambda k: k + (k > at))
    return True

def exchange_steps(root, rng):
    gpu, tb, step = rng.choice(steps_of(root))
    at = list(tb).index(step)
    if at + 1 == len(tb):
        return False
    tb.remove(step)
    tb.insert(at + 1, step)
    follow = rng.random() < 0.5
    number(gpu, tb, lambda k: {at: at + 1, at + 1: at}.get(k, k) if follow
           else k)
    return True

def move_step(root, rng):
    """To the end of another block of the GPU."""
    gpu, tb, step = rng.choice(steps_of(root))
    other = rng.choice(list(gpu))
    if other is tb:
        return False
    at = list(tb).index(step)
    tb.remove(step)
    other.append(step)
    number(gpu, tb, lambda k: k - (k > at))
    number(gpu, other, lambda k: k)
    return True

def copy_onto_itself(root, rng):
    """A block of its own, that waits for nothing, beside a step that reads or
    writes the chunk: right, if no step writes it meanwhile."""
    gpu, _, step = rng.choice(steps_of(root))
    tb = ElementTree.SubElement(gpu, 'tb', {
        'id': str(len(gpu)), 'send': '-1', 'recv': '-1', 'chan': '0'})
    copy_ = ElementTree.SubElement(tb, 'step', dict(
        step.attrib, s='0', type='cpy', depid='-1', deps='-1', hasdep='0'))
    for name in ('buf', 'off'):
        copy_.set('dst' + name, step.get('src' + name))
    return True

def split_step(root, rng):
    """One of several chunks becomes two: right, if both ends do it."""
    wide = [x for x in steps_of(root) if value_of(x[2], 'cnt') > 1]
    if not wide:
        return False
    gpu, tb, step = rng.choice(wide)
    at, first = list(tb).index(step), copy.deepcopy(step)
    first.set('cnt', '1')
    first.set('hasdep', '0')
    tb.insert(at, first)
    put(step, 'cnt', value_of(step, 'cnt') - 1)
    for name in ('srcoff', 'dstoff'):
        put(step, name, value_of(step, name) + 1)
    number(gpu, tb, lambda k: k + (k >= at))
    return True

def units_of(tb):
    """A block's steps, each with the nops that belong to it."""
    units = [[]]
    for step in tb:
        units[-1].append(step)
        if step.get('type') != 'nop':
            units.append([])
    return [unit for unit in units if unit]

def join_blocks(root, rng):
    """Of a block that sends and one that receives, one that does both."""
    gpu = rng.choice(list(root))
    pairs = [(a, b) for a in gpu for b in gpu
             if a.get('send') != '-1' and a.get('recv') == '-1' and
             b.get('send') == '-1' and b.get('recv') != '-1' and
             a.get('chan') == b.get('chan')]
    if not pairs:
        return False
    a, b = rng.choice(pairs)
    steps = {(tb.get('id'), step.get('s')): step for tb in gpu for step in tb}
    awaited = [(step, steps.get((step.get('depid'), step.get('deps'))))
               for step in steps.values()]
    queues, joined = [units_of(a), units_of(b)], []
    while any(queues):
        joined += rng.choice([q for q in queues if q]).pop(0)
    a[:] = joined
    a.set('recv', b.get('recv'))
    gpu.remove(b)
    for i, tb in enumerate(gpu):
        tb.set('id', str(i))
        for k, step in enumerate(tb):
            step.set('s', str(k))
    for step, other in awaited:
        for tb in gpu:
            if other in list(tb):
                step.set('depid', tb.get('id'))
                step.set('deps', other.get('s'))
    return True

def shuffle(root, rng):
    """GPUs and thread blocks: nothing changes."""
    for element in [root] + list(root):
        children = list(element)
        rng.shuffle(children)
        element[:] = children
    return True

def end_with_nop(root, rng):
    """Nothing changes."""
    tb = rng.choice(blocks(root))
    ElementTree.SubElement(tb, 'step', {
        's': str(len(tb)), 'type': 'nop', 'srcbuf': 'i', 'srcoff': '-1',
        'dstbuf': 'o', 'dstoff': '-1', 'cnt': '0',
        'depid': str(rng.randrange(-1, 3)), 'deps': str(rng.randrange(-1, 3)),
        'hasdep': '0'})
    return True

def change_links(root, rng):
    most = rng.choice(['', 0, 0, 1 << 12, 1 << 16, 1 << 20, 1 << 24])
    put(root, 'proto', rng.choice(['Simple', 'LL', 'LL128']))
    put(root, 'maxBytes', most)
    if most == '':
        del root.attrib['maxBytes']
    return True

MUTATIONS = [functools.partial(change, name) for name in CHANGES] + [
    change_type, change_type, functools.partial(change, 'offset'), shift_both,
    change_count_of_link, cut_dependency, cut_dependency, add_dependency,
    clear_block, exchange_peers, lose_step, double_step, exchange_steps,
    move_step, copy_onto_itself, split_step, join_blocks, join_blocks, shuffle, end_with_nop,
    change_links]

def mutant(root, rng):
    """The tree spoiled, once or twice, and how."""
    root, names = copy.deepcopy(root), []
    for _ in range(rng.choice([1, 1, 1, 2])):
        for mutation in rng.sample(MUTATIONS, len(MUTATIONS)):
            if mutation(root, rng):
                names.append(getattr(mutation, '__name__', '') or mutation.args[0])
                break
    return root, ' '.join(names)

# Judges ----------------------------------------------------------------------

# Ours and the interpreter's; most, ends: bytes of data with which it ends.
Verdict = collections.namedtuple('Verdict', 'ours kind text most wrong ends')

def judge(collviz, path, runs=6):
    done = subprocess.run([collviz, 'check', path], capture_output=True,
                          text=True, check=False)
    text = done.stderr.strip()
    most = re.search(r'no deadlock (.*) on ', done.stdout)
    ours = {0: 'proved', 1: 'refuted', 2: 'too large'}.get(
        done.returncode, 'crashed')
    kind = next((k for k, pattern in KINDS if re.search(pattern, text)),
                'other') if ours == 'refuted' else ''
    wrong = msccl_oracle.verdict(path, runs)
    ends = expected_words(path) if ours == 'proved' and wrong is None else ''
    return Verdict(ours, kind, text, most.group(1) if most else '', wrong, ends)

def expected_words(path):
    """What check has to say of the amount of data with which it ends."""
    most = msccl_oracle.most_bytes(path)
    allowed = msccl_oracle.Program(path).most
    if most is None:
        return 'with any amount of data'
    if 0 < allowed <= most:
        return 'up to its maxBytes'
    return 'up to %d bytes' % most

def make_programs(collviz, folder):
    """Paths of the programs to start from."""
    paths = []
    for name, ranks in EXPORTS:
        for options in ([], ['--out-of-place']):
            path = '%s/%s-%d%s.xml' % (folder, name, ranks,
                                       '-out' if options else '')
            with open(path, 'wb') as out:
                subprocess.run([collviz, 'export', name, '--msccl', '--gpus',
                                str(ranks)] + options, stdout=out, check=True)
            paths.append(path)
    samples = os.environ.get('MSCCL_SAMPLES', '')
    return paths + sorted(glob.glob(samples + '/*.xml'))

def corpus():
    here = os.path.dirname(os.path.abspath(__file__))
    return sorted(glob.glob(here + '/corpus-msccl/*.xml'))

# TAP -------------------------------------------------------------------------

class Tap:
    def __init__(self):
        self.count, self.failed = 0, False

    def ok(self, good, what):
        self.count += 1
        self.failed = self.failed or not good
        print('%sok %d - %s' % ('' if good else 'not ', self.count, what))

    def skip(self, why):
        self.count += 1
        print('ok %d # SKIP %s' % (self.count, why))

    @staticmethod
    def say(text):
        for line in text.splitlines():
            print('# ' + line)

def is_sound(v):
    """What is proved is right, with as much data as said; what is refuted is
    wrong."""
    if v.ours == 'proved':
        return v.wrong is None and v.most == v.ends
    return v.ours == 'refuted' and (v.wrong is not None or
                                    v.kind in PERMITTED)

def check_programs(tap, collviz, pool, paths):
    verdicts = list(pool.map(functools.partial(judge, collviz), paths))
    bad = [(path, v) for path, v in zip(paths, verdicts)
           if v.ours != 'proved' or not is_sound(v)]
    for path, v in bad:
        tap.say('%s: %r' % (path, v))
    tap.ok(not bad, '%d programs: proved, and right' % len(paths))

def check_hasdep(tap, paths):
    """Our exports publish what somebody waits for, and nothing else."""
    bad = 0
    for path in paths:
        steps = steps_of(ElementTree.parse(path).getroot())
        awaited = {(gpu.get('id'), step.get('depid'), step.get('deps'))
                   for gpu, _, step in steps if step.get('depid') != '-1'}
        bad += awaited != {(gpu.get('id'), tb.get('id'), step.get('s'))
                           for gpu, tb, step in steps
                           if step.get('hasdep') == '1'}
    tap.ok(not bad, 'hasdep="1" exactly where a step waits')

def check_corpus(tap, collviz):
    """Where the fuzzer begins: right and wrong ones. The right ones."""
    verdicts = [(path, judge(collviz, path, 50)) for path in corpus()]
    for path, v in verdicts:
        if not is_sound(v):
            tap.say('%s: %r' % (path, v))
    tap.ok(verdicts and all(is_sound(v) for _, v in verdicts),
           "%d of the fuzzer's: proved or refuted, and so they are" %
           len(verdicts))
    return [path for path, v in verdicts if v.ours == 'proved']

# Programs that were called right or wrong for the wrong reasons: the amount of
# data with which each ends, or the kind of its fault.  Those in "faulty" were
# called proved.
JUDGED = {'deep_d1_cnt8': 'up to 4194304 bytes', 'deep_d6_ipoop': 'result',
          'deep_fwshift2': 'race', 'deep_idle_same_link': 'one end, two blocks',
          'deep_octal': 'result', 'deep_order': 'up to 4194304 bytes'}

def check_judged(tap, collviz):
    samples = os.environ.get('MSCCL_SAMPLES', '')
    paths = sorted(glob.glob(samples + '/faulty/*.xml')) + \
        ['%s/judged/%s.xml' % (samples, name) for name in JUDGED]
    if not os.path.isdir(samples):
        tap.skip("others' programs are not here (MSCCL_SAMPLES)")
        return
    for path in paths:
        name = os.path.basename(path)[:-len('.xml')]
        v = judge(collviz, path, 50)
        expected = JUDGED.get(name, v.kind)
        good = expected in (v.most, v.kind) and \
            (v.most == v.ends if v.ours == 'proved' and name in JUDGED
             else v.ours == 'refuted' and v.wrong is not None)
        if not good:
            tap.say('%s: %r' % (name, v))
        tap.ok(good, '%s: %s' % (name, expected))

def write_mutants(paths, count, folder):
    trees = [ElementTree.parse(path).getroot() for path in paths]
    for i in range(count):
        rng = random.Random('mutant %d' % i)
        which = rng.randrange(len(trees))
        root, names = mutant(trees[which], rng)
        path = '%s/mutant-%d.xml' % (folder, i)
        ElementTree.ElementTree(root).write(path)
        yield path, os.path.basename(paths[which]) + ': ' + names

def report(tap, verdicts):
    table = collections.Counter()
    for v in verdicts:
        table[v.ours + (' (%s)' % v.kind if v.kind else ''),
              'wrong' if v.wrong else 'right'] += 1
    for (ours, oracle), n in sorted(table.items()):
        tap.say('%5d %s, by the interpreter %s' % (n, ours, oracle))

def check_mutants(tap, collviz, pool, paths, count, keep, folder):
    mutants = list(write_mutants(paths, count, folder))
    verdicts = list(pool.map(functools.partial(judge, collviz),
                             [path for path, _ in mutants], chunksize=8))
    report(tap, verdicts)
    lies = [(m, v) for m, v in zip(mutants, verdicts)
            if v.ours == 'proved' and not is_sound(v)]
    doubts = [(m, v) for m, v in zip(mutants, verdicts)
              if v.ours != 'proved' and not is_sound(v)]
    for (path, names), v in lies + doubts:
        tap.say('%s, %s: %r' % (os.path.basename(path), names, v))
        if keep:
            shutil.copy(path, keep)
    tap.ok(not lies, 'of %d mutants none is proved and wrong' % count)
    tap.ok(not doubts, 'and none refuted and right')

def main():
    collviz = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    keep = sys.argv[3] if len(sys.argv) > 3 else None
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ProcessPoolExecutor() as pool:
        paths = make_programs(collviz, folder)
        check_programs(tap, collviz, pool, paths)
        check_hasdep(tap, [p for p in paths if p.startswith(folder)])
        check_judged(tap, collviz)
        paths += check_corpus(tap, collviz)
        check_mutants(tap, collviz, pool, paths, count, keep, folder)
    print('1..%d' % tap.count)
    sys.exit(tap.failed)

if __name__ == '__main__':
    main()
