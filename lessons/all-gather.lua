-- SPDX-License-Identifier: MIT
lesson {
  number = 6,
  day = 2,
  minutes = 4,
  lecture = true,
  title = _"All-gather",
  idea = _"Everyone has a piece, and everyone ends with all the pieces.",
}

say {
  _"Four GPUs share a layer of a model: each stores a quarter of its \z
    weights. To compute with that layer, each of them needs all four \z
    quarters.\n\n\z
    A gather would bring the quarters to one GPU, the root. All-gather has \z
    no root. It promises that afterwards every GPU holds the pieces of all \z
    GPUs, in rank order.\n\n\z
    All GPUs make the same call, and each of them both gives and gets.",
  notes = _"Let the class say how they would do it before the run starts. \z
            Many propose that everyone sends to everyone.",
}

local r = run "ring-allgather --gpus 4"
assert(r:holds(0, 1) == "" and r:holds(3, 3) == "D0")

-- What a GPU holds, without the slots that are still empty.
local function filled(run, rank)
  local names = {}
  for slot = 0, run.ranks - 1 do
    local name = run:holds(rank, slot)
    if name ~= "" then names[#names + 1] = name end
  end
  return table.concat(names, " ")
end

say(_"Every GPU has room for four pieces. Its own is already in place, in the \z
      slot with its number; the other slots are empty. Many texts call the \z
      pieces \"D0, D1, D2, D3\", after their ranks. Here the letter tells the \z
      rank: A0 is from GPU 0, B0 from GPU 1, C0 from GPU 2.")

r:step()
say(_"Step 1: every GPU sent its piece to the next GPU, and GPU 3 to GPU 0, \z
      all at the same time. The piece is still at its sender, too: nothing \z
      was given away.")

predict {
  _"In step 2 every GPU passes on the piece that has just come in. What will \z
    GPU 0 hold then?",
  choices = { "A0 B0 C0", "A0 C0 D0", "A0 B0 D0" },
  hints = {
    _"GPU 0 receives from GPU 3 alone. What did GPU 3 get in step 1?",
    _"C0 has come to GPU 3, and goes to the same slot in GPU 0.",
  },
  wrong = {
    ["A0 B0 C0"] = _"That would need B0 from GPU 1. Who sends to GPU 0?",
    ["A0 B0 D0"] = _"D0 came in step 1. What has GPU 3 received since?",
  },
  notes = _"Ask first: is anything added here? Then let them say which piece \z
            comes from the left.",
  answer = function() r:step() return filled(r, 0) end,
  why = _"The pieces come from behind: first D0, then C0, and last B0, which \z
          has the longest way. They do not come in rank order.",
}

assert(filled(r, 3) == "B0 C0 D0" and filled(r, 2) == "A0 B0 C0")
predict {
  _"One step is left. GPU 3 is the only one without A0. To which GPU does \z
    GPU 0 send in this step?",
  kind = "rank",
  hints = { _"Which GPU besides GPU 0 has A0 and stands next to GPU 3?" },
  wrong = {
    [3] = _"GPU 3 lacks A0. But has GPU 0 ever sent to GPU 3?",
    [2] = _"In a ring GPU 0 has no link to GPU 2.",
  },
  answer = function()
    r:step()
    for k = 1, r.steps do
      for _, t in ipairs(r:transfers(k)) do
        assert(t.dst == (t.src + 1) % r.ranks, "to the neighbour only")
      end
    end
    for _, t in ipairs(r:transfers(r.steps)) do
      if t.src == 0 then return t.dst end
    end
  end,
  why = _"To its neighbour, as in every step: it passes on C0. A0 comes from \z
          GPU 2. \"All\" is about the result, not about who sends to whom.",
}
for rank = 0, r.ranks - 1 do
  assert(filled(r, rank) == "A0 B0 C0 D0")
end
assert(r.steps == r.ranks - 1)

say(_"The promise is kept: A0 B0 C0 D0 everywhere, in rank order, though the \z
      pieces came in another order. Each GPU started with %d bytes and now \z
      has %d: the output is N times as large as the input. Make room for it."
    :format(r.bytes, r.bytes * r.ranks))

local five = run "ring-allgather --gpus 5 --count 8"
predict {
  _"5 GPUs. In which order do the others' pieces come to GPU 0?",
  items = { "B0", "C0", "D0", "E0" },
  hints = { _"From whom does GPU 0 receive, and what does that one have \z
              first?" },
  answer = function()
    local order = {}
    for k = 1, five.steps do
      five:step()
      for _, t in ipairs(five:transfers(k)) do
        if t.dst == 0 then order[k] = t.src_slot end
      end
    end
    return order -- slot 1 is B0, item 1
  end,
  why = _"E0 is the nearest upstream: it comes after one step. What stands \z
          next to GPU 0 downstream has to go all the way round.",
}

predict {
  _"5 GPUs, and again %d bytes in each. How many bytes will each GPU send in \z
    all?":format(five.bytes),
  kind = "number",
  hints = {
    _"In every step each GPU sends one piece of 32 bytes. How many steps?",
    _"After step 1 a GPU has two pieces of five.",
  },
  wrong = {
    [five.bytes] = _"That is one piece, in one step. How many steps are there?",
    [five.ranks * five.bytes] = _"That is one step too many: when does \z
                                  nobody lack anything?",
  },
  answer = function()
    assert(five.steps == 4 and five.bytes == 32)
    assert(five:received(0) == five:sent(0))
    return five:sent(0)
  end,
  why = _"N-1 = 4 pieces. Each GPU lacks 4, so 4 must come in. Every byte \z
          received was sent by some GPU, unless a switch copies it.",
  again = function(round)
    local n = ({ 4, 6, 3 })[round]
    local other = run(("ring-allgather --gpus %d --count 8"):format(n))
    return {
      _"A ring all-gather on %d GPUs, %d bytes in each. How many bytes will each \z
        GPU send in all?":format(n, other.bytes),
      kind = "number",
      wrong = {
        [other.bytes] = _"That is one piece, in one step. How many steps are \z
                          there?",
        [n * other.bytes] = _"That is one step too many: when does nobody lack \z
                              anything?",
      },
      answer = function() other:finish() return other:sent(0) end,
      why = _"N-1 pieces: each GPU lacks so many.",
    }
  end,
}

local b = run "binomial-broadcast --gpus 4"
b:finish()
for rank = 0, b.ranks - 1 do assert(b:holds(rank, 0) == "A0") end
say(_"For comparison: after a broadcast from GPU 0, everyone holds A0 and \z
      nothing else, the data of one GPU. After the all-gather everyone held \z
      the data of all. Neither of the two adds anything up.")

local t = compare "ring-allgather bruck-allgather --gpus 8 --count 8"
assert(t[1].sent == t[2].sent and t[1].received == t[2].received)
say(_"All-gather is what is promised, the ring is one way to do it. Bruck's \z
      algorithm makes the same promise on 8 GPUs in %d steps instead of %d, \z
      with messages that double. The bytes are the same: %d."
    :format(t[2].steps, t[1].steps, t[1].sent))

r:show()
r:go(0)
play {
  _"Follow D0 from step to step. Then change the number of GPUs with a, or \z
    make GPU 2 slow with --delay 2=500: who has to wait for it?",
  try = { "5", "--delay 2=500" },
}

remember {
  _"All-gather: everyone ends with the pieces of all, in rank order.",
  _"In the ring each GPU sends to its neighbour only, N-1 times.",
  _"Every GPU must receive N-1 pieces; in the ring it sends as many.",
}
used {
  nccl = "ncclAllGather",
  pytorch = _"torch.distributed.all_gather_into_tensor; all_gather (a list)",
  mpi = "MPI_Allgather",
  text = _"FSDP and ZeRO stage 3 all-gather a layer's weights just before they \z
           are needed; sequence parallelism does it with activations.",
}
