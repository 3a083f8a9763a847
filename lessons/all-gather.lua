-- SPDX-License-Identifier: MIT
lesson {
  number = 6,
  day = 2,
  minutes = 4,
  lecture = 3,
  title = _"All-gather",
  idea = _"Everyone has a piece, and everyone ends with all the pieces.",
}

lecture()
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

lecture()
r:step()
say(_"Step 1: every GPU sent its piece to the next GPU, and GPU 3 to GPU 0, \z
      all at the same time. The piece is still at its sender, too: nothing \z
      was given away.")

local function data_of(rank)
  return ("ABCDEFGH"):sub(rank + 1, rank + 1) .. "0"
end

-- Which piece comes to a rank in a step that has not been taken.
local function comes(r, k, rank)
  return {
    _"A ring all-gather on %d GPUs: in each step every GPU passes on the piece \z
      that has just come in, its own in step 1. Which piece comes to GPU %d in \z
      step %d?":format(r.ranks, rank, k),
    kind = "label",
    hints = { _"GPU %d receives from GPU %d alone. What did GPU %d get in the \z
                step before?"
              :format(rank, (rank - 1) % r.ranks, (rank - 1) % r.ranks) },
    wrong = {
      [data_of((rank + 1) % r.ranks)] =
        _"That would have to come from the other side. Who sends to GPU %d?"
        :format(rank),
      [data_of((rank - k + 1) % r.ranks)] =
        _"That came one step earlier. What has the sender received since?",
      [data_of(rank)] = _"That is its own piece, which it has.",
    },
    notes = _"Ask first: is anything added here? Then let them say which piece \z
              comes from the left.",
    answer = function()
      r:go(k - 1)
      r:step()
      for _, t in ipairs(r:transfers(k)) do
        if t.dst == rank then return t.label end
      end
    end,
    why = _"The pieces come from behind, the nearest first: they do not come in \z
            rank order.",
  }
end
local question = comes(r, 2, 0)
question.again = function(round)
  return comes(run("ring-allgather --gpus " .. ({ 5, 6, 5 })[round]),
               ({ 3, 2, 2 })[round], ({ 1, 4, 3 })[round])
end
predict(question)

assert(filled(r, 3) == "B0 C0 D0" and filled(r, 2) == "A0 B0 C0")

-- From which GPU a rank gets the data of the next one.
local function sender(r, rank)
  local owner = (rank + 1) % r.ranks
  return {
    _"The last step of a ring all-gather on %d GPUs, in which GPU 0 sends to \z
      GPU 1, GPU 1 to GPU 2, and so on. GPU %d still lacks %s. Which GPU will \z
      send it?":format(r.ranks, rank, data_of(owner)),
    kind = "rank",
    hints = { _"From how many GPUs does a GPU receive in a ring?" },
    wrong = {
      [owner] = _"It is the data of GPU %d. But to whom does GPU %d send?"
                :format(owner, owner),
      [rank] = _"GPU %d is the one that lacks it.":format(rank),
    },
    answer = function()
      r:finish()
      for k = 1, r.steps do
        for _, t in ipairs(r:transfers(k)) do
          assert(t.dst == (t.src + 1) % r.ranks, "to the neighbour only")
        end
      end
      for _, t in ipairs(r:transfers(r.steps)) do
        if t.dst == rank and t.label == data_of(owner) then return t.src end
      end
    end,
    why = _"The GPU before it, as in every step: it got the piece in the step \z
            before. \"All\" is about the result, not about who sends to whom.",
  }
end
question = sender(r, 3)
question.again = function(round)
  return sender(run("ring-allgather --gpus " .. ({ 6, 5, 3 })[round]),
                ({ 2, 0, 1 })[round])
end
predict(question)
for rank = 0, r.ranks - 1 do
  assert(filled(r, rank) == "A0 B0 C0 D0")
end
assert(r.steps == r.ranks - 1)

say(_"The promise is kept: A0 B0 C0 D0 everywhere, in rank order, though the \z
      pieces came in another order. Each GPU started with %d bytes and now \z
      has %d: the output is N times as large as the input. Make room for it."
    :format(r.bytes, r.bytes * r.ranks))

-- In which order the others' pieces come to a rank.
local function order(r, rank)
  local items, item_of = {}, {}
  for other = 0, r.ranks - 1 do
    if other ~= rank then
      items[#items + 1] = data_of(other)
      item_of[other] = #items
    end
  end
  return {
    _"Ring all-gather, %d GPUs: in which order do the pieces come to GPU %d?"
    :format(r.ranks, rank),
    items = items,
    hints = { _"From whom does GPU %d receive, and what does that one have \z
                first?":format(rank) },
    answer = function()
      local order = {}
      r:finish()
      for k = 1, r.steps do
        for _, t in ipairs(r:transfers(k)) do
          if t.dst == rank then order[k] = item_of[t.src_slot] end
        end
      end
      return order
    end,
    why = _"The piece of the GPU before it comes after one step. That of the GPU \z
            after it has to go all the way round.",
  }
end
question = order(run "ring-allgather --gpus 5", 0)
question.again = function(round)
  return order(run("ring-allgather --gpus " .. ({ 5, 4, 5 })[round]),
               ({ 2, 1, 4 })[round])
end
lecture()
predict(question)

-- How many bytes each GPU sends.
local function sends(r)
  return {
    _"A ring all-gather on %d GPUs, %d bytes in each. How many bytes will each \z
      GPU send in all?":format(r.ranks, r.bytes),
    kind = "number",
    hints = { _"In every step each GPU sends one piece. After step 1 it has two \z
                pieces. How many steps?" },
    wrong = {
      [r.bytes] = _"That is one piece, in one step. How many steps are there?",
      [r.ranks * r.bytes] = _"That is one step too many: when does nobody lack \z
                              anything?",
      [r.ranks - 1] = _"That is the number of pieces. How many bytes are they?",
    },
    answer = function()
      r:finish()
      assert(r:received(0) == r:sent(0))
      return r:sent(0)
    end,
    why = _"N-1 pieces. Each GPU lacks so many, so they must come in. Every byte \z
            received was sent by some GPU, unless a switch copies it.",
  }
end
question = sends(run "ring-allgather --gpus 6 --count 8")
question.again = function(round)
  return sends(run(("ring-allgather --gpus %d --count %d")
                   :format(({ 4, 9, 3 })[round], ({ 8, 3, 10 })[round])))
end
predict(question)

local b = run "binomial-broadcast --gpus 4"
b:finish()
for rank = 0, b.ranks - 1 do assert(b:holds(rank, 0) == "A0") end
lecture "spare"
say(_"For comparison: after a broadcast from GPU 0, everyone holds A0 and \z
      nothing else, the data of one GPU. After the all-gather everyone held \z
      the data of all. Neither of the two adds anything up.")

local t = compare "ring-allgather bruck-allgather --gpus 8 --count 8"
assert(t[1].sent == t[2].sent and t[1].received == t[2].received)
say(_"All-gather is what is promised, the ring is one way to do it. Bruck's \z
      algorithm makes the same promise on 8 GPUs in %d steps instead of %d, \z
      with messages that double. The bytes are the same: %d."
    :format(t[2].steps, t[1].steps, t[1].sent))

-- To wire a ring: in each step every GPU passes on what came in the step before.
local function wire_ring(n)
  return {
    _"Make one yourself: wire an all-gather of %d GPUs in a ring, where a GPU can send \z
      to the next one only. It takes %d steps.":format(n, n - 1),
    kind = "wiring", of = "all-gather", ranks = n, links = "one-way ring",
    par = { steps = n - 1, chunks = n - 1 },
    hints = { _"In step 1 each GPU can send only its own piece. And then?" },
    answer = function()
      local wired = {}
      for k = 1, n - 1 do
        local step = {}
        for rank = 0, n - 1 do
          step[rank + 1] = ("%d>%d =%d"):format(rank, (rank + 1) % n,
                                               (rank - k + 1) % n)
        end
        wired[k] = table.concat(step, ", ")
      end
      return wired
    end,
    why = _"Every link is used in every step: it cannot be done in fewer.",
  }
end
question = wire_ring(4)
question.again = function(round)
  if round < 3 then return wire_ring(({ 3, 5 })[round]) end
  return {
    _"Wire an all-gather of 4 GPUs in 2 steps. Each GPU can send to any other, to \z
      one in a step, and as many pieces as it has.",
    kind = "wiring", of = "all-gather", ranks = 4,
    par = { steps = 2, chunks = 3 },
    hints = { _"After step 1 each GPU has two pieces, and can send both." },
    answer = function()
      return { "0>1 =0, 1>0 =1, 2>3 =2, 3>2 =3",
               "0>2 =0..1, 2>0 =2..3, 1>3 =0..1, 3>1 =2..3" }
    end,
    why = _"What a GPU has doubles with each step: 1, 2, 4 pieces.",
  }
end
predict(question)

r:show()
r:go(0)
play {
  _"Follow D0 from step to step. Then change the number of GPUs with a, or \z
    make GPU 2 slow with --delay 2=500: who has to wait for it?",
  try = { "5", "--delay 2=500" },
}

lecture()
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
