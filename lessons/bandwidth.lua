-- SPDX-License-Identifier: MIT
lesson {
  number = 12,
  day = 4,
  minutes = 5,
  lecture = 5,
  title = _"algbw and busbw",
  idea = _"Two bandwidths of one run: what the caller gets, and a scale for links.",
}

lecture()
say {
  _"A benchmark of collectives prints two bandwidths in every row, and they \z
    differ. Which one is to be compared with the speed of a link?\n\n\z
    algbw, the algorithm bandwidth, is what the caller sees: S bytes, done in \z
    time t, S/t.\n\z
    busbw, the bus bandwidth, is algbw times a factor. You will find the \z
    factor by counting bytes.",
  notes = _"Ask who has ever reported a busbw, and who could say what it is. \z
            1 GB is 10^9 bytes here, as in nccl-tests.",
}

local r = run "ring-allreduce --gpus 4 --count 262144"
say(_"Each of four GPUs has a tensor of S = %d bytes, in four chunks. It is to \z
      be summed up. The ranks are threads of this machine and the links its \z
      memory: the time will be real, but not that of GPUs.":format(r.bytes))

r:finish()
local factor = r:sent(0) / r.bytes
lecture()
say(_"It took %.0f us. algbw = S/t: %d bytes / %.0f us = %.3f GB/s. Meanwhile \z
      each link carried not S but %d bytes: that is what it was busy with. \z
      (One step at a time, as here, is slower than a benchmark.)"
    :format(r:time(), r.bytes, r:time(), r.bytes / r:time() / 1e3, r:sent(0)))

lecture()
predict {
  _"For busbw take the least that a link must carry, whatever the algorithm, and \z
    divide by t. A ring's links carry just that (lesson 11). How many times \z
    algbw is busbw, for an all-reduce of 4 GPUs?",
  kind = "number",
  hints = { _"Link bytes / S. A GPU sends 2(N-1) chunks of S/N to the next." },
  wrong = {
    [0.75] = _"That is one of the two halves.",
    [1] = _"Then a link would have carried S. How much did it carry?",
    [2] = _"Only for very many GPUs. How many chunks does each of 4 send?",
  },
  notes = _"Write algbw = S/t beside it. busbw is no measurement of a link: its \z
            factor knows only the collective and N.",
  answer = function() return factor end,
  why = _"2(N-1)/N: up to twice algbw. 0.75 is (N-1)/N, only one of the two \z
          halves.",
  again = function(round)
    local n = ({ 8, 5, 10 })[round]
    local other = run(("ring-allreduce --gpus %d --count %d"):format(n, n))
    return {
      _"For an all-reduce on %d GPUs, how many times algbw is busbw?":format(n),
      kind = "number",
      wrong = {
        [(n - 1) / n] = _"That is one of the two halves.",
        [1] = _"Then a link would carry S. It carries more.",
        [2] = _"Only for very many GPUs.",
      },
      answer = function() other:finish() return other:sent(0) / other.bytes end,
      hints = { _"A GPU sends 2(N-1) chunks of S/N." },
      why = _"2(N-1)/N.",
    }
  end,
}
assert(factor == 2 * (r.ranks - 1) / r.ranks)

local factors = {}
for i, n in ipairs { 2, 4, 16 } do
  local other = run(("ring-allreduce --gpus %d --count %d"):format(n, n))
  other:finish()
  factors[i] = other:sent(0) / other.bytes
end
r:show()
lecture "spare"
say(_"So the same links give the caller less as N grows. On links of 25 GB/s \z
      busbw is 25 GB/s at best, whatever N is; algbw is %.1f GB/s at N=2, %.1f \z
      at N=4, %.1f at N=16."
    :format(25 / factors[1], 25 / factors[2], 25 / factors[3]))

local ag = run "ring-allgather --gpus 4 --count 65536"
local whole = ag.ranks * ag.bytes
predict {
  _"An all-gather. S is by convention the whole output, %d bytes: each GPU \z
    brings a quarter. What is the factor here?":format(whole),
  kind = "number",
  hints = { _"How many of the four parts pass over one link?" },
  wrong = {
    [1] = _"Does a GPU need its own quarter over a link?",
    [1.5] = _"That is all-reduce, which has two halves like this one.",
    [3] = _"Three parts pass, but S is the whole output here.",
  },
  answer = function()
    ag:finish()
    return ag:sent(0) / whole
  end,
  why = _"(N-1)/N: three of four quarters come in, the own one is there. \z
          Reduce-scatter and all-to-all have the same factor.",
  again = function(round)
    local n = ({ 8, 5, 10 })[round]
    local other = run(("ring-allgather --gpus %d --count 8"):format(n))
    return {
      _"An all-gather on %d GPUs. S is the whole output. How many times algbw is \z
        busbw?":format(n),
      kind = "number",
      hints = { _"How many of the parts come over a link to each GPU?" },
      wrong = {
        [1] = _"Does a GPU need its own part over a link?",
        [2 * (n - 1) / n] = _"That is all-reduce, which has two halves like this \z
                              one.",
        [n - 1] = _"So many parts pass, but S is the whole output here.",
      },
      answer = function()
        other:finish()
        return other:sent(0) / (n * other.bytes)
      end,
      why = _"(N-1)/N: a GPU's own part is there already.",
    }
  end,
}
assert(ag:sent(0) / whole == (ag.ranks - 1) / ag.ranks)

local gather = run "flat-gather --gpus 4 --count 65536"
gather:finish()
assert(gather:received(0) / (gather.ranks * gather.bytes) == 3 / 4)
say(_"Gather has it too, and scatter: S is all that the root has in the end, \z
      %d bytes, of which %d came in by its one port. The bottleneck is the \z
      root's port."
    :format(gather.ranks * gather.bytes, gather:received(0)))

local bc = run "chain-broadcast --gpus 4 --count 262144"
predict {
  _"A broadcast, pipelined along a chain, so that all links are busy. And its \z
    factor?",
  kind = "number",
  hints = { _"All that the root has must leave it. How often?" },
  wrong = {
    [0.75] = _"Nobody but the root has a part of it beforehand.",
    [1.5] = _"There is only one way to go: nothing is added up first.",
    [3] = _"That is a flat broadcast. On a chain the root sends to one GPU \z
            only.",
  },
  answer = function()
    bc:finish()
    return bc:sent(0) / bc.bytes
  end,
  why = _"1: all S bytes leave the root once, and no link needs to carry more. \z
          The same for reduce and for send/recv.",
  again = function(round)
    local n = ({ 8, 5, 4 })[round]
    local other = run(({ "flat-gather", "chain-reduce", "flat-scatter" })[round] ..
                      " --gpus " .. n)
    local said = ({
      _"A gather on %d GPUs. S is all that the root has in the end.",
      _"A reduction on %d GPUs, pipelined along a chain.",
      _"A scatter on %d GPUs. S is all that the root has at first.",
    })[round]:format(n)
    return {
      _"%s How many times algbw is busbw?":format(said),
      kind = "number",
      hints = { _"How much must go through the root's port, in parts of S?" },
      wrong = {
        [round == 2 and (n - 1) / n or 1] = round == 2 and
          _"A sum is as large as one input: all of S has to come." or
          _"Does the root's own part go over a link?",
        [2 * (n - 1) / n] = _"That is an all-reduce.",
        [n - 1] = _"So many GPUs take part beside the root. Count bytes.",
      },
      answer = function()
        other:finish()
        if round == 1 then return other:received(0) / (n * other.bytes) end
        return round == 2 and other:received(0) / other.bytes or
               other:sent(0) / other.bytes
      end,
      why = _"What must go through the root's port at least, divided by S.",
    }
  end,
}
for rank = 0, bc.ranks - 2 do assert(bc:sent(rank) == bc.bytes) end

lecture()
say(_"So busbw = algbw times\n\z
      2(N-1)/N for all-reduce\n\z
      (N-1)/N for all-gather, reduce-scatter, all-to-all, gather, scatter\n\z
      1 for broadcast, reduce, send/recv\n\z
      and can be compared with a link's speed, whatever the collective and N.")

-- A published measurement.
local bytes, us, busbw, claimed = 33554432, 1332, 47.23, 8
local algbw = bytes / us / 1e3
local eight = run(("ring-allreduce --gpus %d --count 64"):format(claimed))
lecture()
predict {
  _"Published as an all-reduce on %d GPUs: %d B in %d us, so algbw is %.2f \z
    GB/s; busbw %.2f. That is %.3f times as much. For how many GPUs is \z
    this the factor?":format(claimed, bytes, us, algbw, busbw, busbw / algbw),
  kind = "number",
  hints = {
    _"2(N-1)/N is 2 - 2/N. What must 2/N be?",
    _"2/N = 0.125.",
  },
  wrong = {
    [8] = _"For 8 GPUs 2(N-1)/N is 1.75.",
    [32] = _"For 32 GPUs 2(N-1)/N is 1.9375.",
  },
  notes = _"This was really published. Let the class find the factor first, \z
            then N.",
  answer = function()
    local found = run "ring-allreduce --gpus 16 --count 64"
    found:finish()
    local ratio = found:sent(0) / found.bytes
    assert(("%.3f"):format(ratio) == ("%.3f"):format(busbw / algbw))
    return found.ranks
  end,
  why = _"2 * 15/16 = 1.875. The factor tells N: this row came from 16 ranks, \z
          or was computed for 16.",
  again = function(round)
    local n, algbw = ({ 8, 4, 32 })[round], ({ 20, 12, 32 })[round]
    local found = run(("ring-allreduce --gpus %d --count %d"):format(n, 2 * n))
    return {
      _"A row of an all-reduce says algbw %.2f and busbw %.2f GB/s. For how many \z
        GPUs is that?":format(algbw, algbw * 2 * (n - 1) / n),
      kind = "number",
      hints = { _"Divide the two. 2(N-1)/N is 2 - 2/N." },
      wrong = {
        [n // 2] = _"For half as many GPUs the factor is smaller.",
        [2 * n] = _"For twice as many GPUs the factor is larger.",
      },
      answer = function()
        found:finish()
        assert(found:sent(0) / found.bytes == 2 * (n - 1) / n)
        return found.ranks
      end,
      why = _"The factor tells N.",
    }
  end,
}

eight:finish()
local real = eight:sent(0) / eight.bytes
say(_"On %d GPUs the factor is %.2f, and the same time would have given a \z
      busbw of %.2f GB/s. So check a busbw before you compare it: divide by \z
      algbw, and see which N that is.":format(claimed, real, algbw * real))
assert(algbw * real < busbw)

local costs = compare "ring-allreduce server-allreduce --gpus 4 --count 64"
local ring, server = costs[1], costs[2]
predict {
  _"A server's busiest GPU sends %d bytes, a ring's %d. Both are all-reduces. \z
    Which factor does nccl-tests take for the server?"
    :format(server.sent, ring.sent),
  kind = "number",
  hints = { _"Does a benchmark know which algorithm ran?" },
  wrong = {
    [3] = _"That is what the server's port carried. Is it what the benchmark \z
            can know?",
  },
  answer = function() return factor end,
  why = _"The factor goes with the collective and N, not with the algorithm: \z
          it is the least that a port must carry. So look at link bytes, too.",
  again = function(round)
    local n = ({ 8, 4, 5 })[round]
    local name = ({ "butterfly-allreduce", "server-allreduce",
                    "naive-allreduce" })[round]
    local costs = compare(("ring-allreduce %s --gpus %d --count %d")
                          :format(name, n, 2 * n))
    local S = 2 * n * 4
    return {
      _"An all-reduce on %d GPUs by %s: the busiest GPU sends %d S. Which factor \z
        does nccl-tests take for busbw?":format(n, name, costs[2].sent // S),
      kind = "number",
      hints = { _"Does a benchmark know which algorithm ran?" },
      wrong = {
        [costs[2].sent // S] = _"That is what a port carried. Does a benchmark \z
                                know that?",
        [1] = _"That is the factor of a broadcast.",
        [(n - 1) / n] = _"That is the factor of one of the two halves.",
      },
      answer = function() return costs[1].sent / S end,
      why = _"2(N-1)/N, as for every all-reduce on N GPUs.",
    }
  end,
}
assert(server.sent == 2 * ring.sent and factor == 1.5)

-- To diagnose: rows of a report, one of them with another collective's factor.
local measured = { ["all-reduce"] = "ring-allreduce", broadcast = "chain-broadcast",
                   ["all-gather"] = "ring-allgather",
                   ["reduce-scatter"] = "ring-reduce-scatter" }
local function factor_of(collective, n)
  local other = run(("%s --gpus %d --count %d"):format(measured[collective], n, 4 * n))
  other:go(other.steps)
  return other:sent(0) / other.bytes / (collective == "all-gather" and n or 1)
end
local function report(list, as)
  local rows, ratios = {}, {}
  for i, row in ipairs(list) do
    local collective, n, algbw = table.unpack(row)
    ratios[i] = factor_of(i == as.line and as.collective or collective, n)
    rows[i] = ("%-14s  N = %-2d  algbw %6.2f  busbw %6.2f GB/s")
              :format(collective, n, algbw, algbw * ratios[i])
  end
  lines(rows)
  return {
    _"Find the mistake: in one of these rows busbw was computed with a wrong factor. \z
      In which line?",
    kind = "line",
    hints = { _"Divide busbw by algbw in each row. Which factor should it be?" },
    answer = function()
      for i, row in ipairs(list) do
        if ratios[i] ~= factor_of(row[1], row[2]) then return i end
      end
    end,
    reason = function(i)
      return _"There busbw is %.4g times algbw, and that is right for this \z
               collective.":format(ratios[i])
    end,
    why = _"Its busbw has the factor of another collective.",
  }
end
local rows = { { "all-reduce", 8, 24 }, { "all-gather", 8, 40 }, { "broadcast", 4, 20 },
               { "reduce-scatter", 4, 32 } }
local found = report(rows, { line = 3, collective = "all-reduce" })
function found.again(round)
  local as = ({ { line = 2, collective = "all-reduce" },
                { line = 1, collective = "all-gather" },
                { line = 4, collective = "broadcast" } })[round]
  return report({ { "all-reduce", 4, 30 }, { "reduce-scatter", 8, 16 },
                  { "broadcast", 8, 22 }, { "all-gather", 4, 36 } }, as)
end
predict(found)

r:show()
play {
  _"With a: 2 GPUs, then 16. What is sent, divided by S? Then \z
    ring-reduce-scatter and pairwise-alltoall. At a command line: collviz \z
    check ring-allreduce --gpus 16 shows the bytes of the busiest link.",
  try = { "2", "16", "ring-reduce-scatter", "pairwise-alltoall" },
}

lecture()
remember {
  _"algbw = S/t: what the caller gets. In an all-reduce it falls with N.",
  _"busbw = algbw x factor: comparable with the speed of a link.",
  _"The factor knows no algorithm: under a tree or NVLS links carry other \z
    amounts.",
}
used {
  nccl = "ncclAllReduce, ncclAllGather, ...",
  pytorch = "torch.distributed.all_reduce, all_gather_into_tensor, ...",
  mpi = "MPI_Allreduce, MPI_Allgather, ...",
  text = _"nccl-tests prints both. NVLS adds in the switch, so its busbw may \z
           exceed what a link can do: it is a scale, no measurement of a bus.",
}
