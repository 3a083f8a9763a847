-- SPDX-License-Identifier: MIT
lesson {
  number = 3,
  day = 1,
  minutes = 5,
  title = _"Scatter",
  idea = _"One tensor is cut into chunks, and every rank gets one.",
}

say {
  _"GPU 0 has a batch of samples, and four GPUs are to work on it. A \z
    broadcast would give the whole batch to each of them. But each needs only \z
    its part.\n\n\z
    A scatter does that: the root's tensor is cut into as many chunks as \z
    there are ranks, and they are dealt out in rank order. The root is one of \z
    the ranks, so one chunk is its own.",
  notes = _"Broadcast and scatter are both one-to-many. The difference is \z
            what arrives: a copy of everything, or a part.",
}

local r = run "flat-scatter --gpus 4"
local chunk = r.bytes // r.ranks
say(_"GPU 0 has %d elements in %d chunks, A0 to A%d. The letter says whose \z
      data it is, the digit which chunk. The other GPUs have a place for \z
      each chunk, still empty."
    :format(r.count, r.ranks, r.ranks - 1))

predict {
  _"What will GPU 2 hold after the scatter?",
  choices = { "A0, A1, A2, A3", "C2", "A2", "A1" },
  hints = { _"Four chunks, four ranks, in rank order, and GPU 0 counts too." },
  wrong = {
    ["A0, A1, A2, A3"] = _"That is everything, as after a broadcast. Here \z
                           the tensor is cut up.",
    C2 = _"C is the letter of data that GPU 2 had itself. Whose tensor is it?",
    A1 = _"Ranks and chunks count from 0. Who gets A0?",
  },
  answer = function()
    r:finish()
    local has = {}
    for slot = 0, r.ranks - 1 do
      if r:holds(2, slot) ~= "" then has[#has + 1] = r:holds(2, slot) end
    end
    return table.concat(has, ", ")
  end,
  why = _"Rank r gets chunk r. It is still GPU 0's data, so the letter stays \z
          A: a scatter moves numbers and changes none.",
  again = function(round)
    local root = ({ 2, 3, 1 })[round]
    local other = run("flat-scatter --gpus 4 --root " .. root)
    return {
      _"A scatter from GPU %d. What will GPU 0 hold in its own slot \z
        afterwards?":format(root),
      kind = "label",
      at = { 0, 0 },
      wrong = { A0 = _"A is the letter of GPU 0. Whose tensor is it?" },
      answer = function() other:finish() return other:holds(0, 0) end,
      why = _"Rank r gets chunk r of the root's tensor, whoever the root is.",
    }
  end,
}
for rank = 0, r.ranks - 1 do
  assert(r:holds(rank, rank) == "A" .. rank, "rank r gets chunk r")
end

predict {
  _"The tensor has %d bytes. How many of them left GPU 0?":format(r.bytes),
  kind = "number",
  hints = { _"How large is a chunk, and how many of them were sent?" },
  wrong = {
    [chunk] = _"That is one chunk. How many GPUs wait for one?",
    [r.bytes] = _"Does every chunk have to travel?",
    [(r.ranks - 1) * r.bytes] = _"That is the whole tensor for each, as in a \z
                                  broadcast.",
  },
  answer = function() return r:sent(0) end,
  why = _"%d chunks of %d bytes. The root keeps its own chunk where it is, so \z
          it sends (N-1)/N of its tensor."
    :format(r.ranks - 1, chunk),
}

local cast = run "flat-broadcast --gpus 4"
cast:finish()
assert(cast.bytes == r.bytes and cast:sent(0) == r.ranks * r:sent(0))
say(_"For comparison a broadcast of the same %d bytes. Here A0 is the whole \z
      tensor, and %d bytes left GPU 0: N times as much as in the scatter. \z
      Send each rank only the part it needs."
    :format(cast.bytes, cast:sent(0)))

local tree = run "binomial-scatter --gpus 8"
local part = tree.bytes // tree.ranks
predict {
  _"Eight GPUs, along a tree. In step 1 GPU 0 sends to GPU 4, which needs A4 \z
    in the end. How many chunks does it receive in step 1?",
  kind = "number",
  hints = { _"GPU 0 will not send to GPUs 5, 6 and 7 itself. Then who will?" },
  wrong = {
    [1] = _"One is what it keeps. Who sends to GPUs 5, 6 and 7?",
    [3] = _"Those are for GPUs 5, 6 and 7. Is that all?",
    [7] = _"GPU 0 keeps those for the GPUs on its own side.",
    [8] = _"GPU 0 keeps those for the GPUs on its own side, and its own.",
  },
  answer = function()
    tree:step()
    local n = 0
    for slot = 0, tree.ranks - 1 do
      if tree:holds(4, slot) ~= "" then n = n + 1 end
    end
    assert(tree:received(4) == n * part)
    return n
  end,
  why = _"Half of the tensor. It deals the other three chunks out on its \z
          side, while GPU 0 does the same on its own.",
}

predict {
  _"The chunks go on along the tree. Do all links together carry fewer \z
    bytes than if GPU 0 sent each chunk to its GPU itself?",
  choices = { _"fewer", _"as many", _"more" },
  hints = { _"Follow A7 on its way from GPU 0 to GPU 7." },
  wrong = {
    [1] = _"The root sends fewer messages, but they are larger. Count all \z
            links.",
    [2] = _"That would be so if every chunk travelled once.",
  },
  answer = function()
    tree:finish()
    local all, flat = 0, (tree.ranks - 1) * part
    for rank = 0, tree.ranks - 1 do all = all + tree:sent(rank) end
    return all < flat and 1 or all == flat and 2 or 3
  end,
  why = _"A7 goes over GPU 4 and GPU 6, and is sent three times. If GPU 0 \z
          sends it, it is sent once.",
}
local total, a7, messages = 0, 0, 0
for rank = 0, tree.ranks - 1 do
  total = total + tree:sent(rank)
  if rank > 0 and tree:holds(rank, 7) == "A7" then a7 = a7 + 1 end
end
for k = 1, tree.steps do
  for _, t in ipairs(tree:transfers(k)) do
    if t.src == 0 then messages = messages + 1 end
  end
end
assert(a7 == 3 and tree:sent(0) == (tree.ranks - 1) * part)
say(_"%d bytes in all, instead of %d. The same %d bytes leave the root, but \z
      in %d messages instead of %d. So the tree is for small chunks, where \z
      the start of a message is what costs. A5 to A7 on GPU 4 were passing \z
      through: its result is A4."
    :format(total, (tree.ranks - 1) * part, tree:sent(0), messages,
            tree.ranks - 1))

local uneven = run "flat-scatter --gpus 4 --count 6"
predict {
  _"Six elements for four GPUs. How many elements does GPU 3 get?",
  kind = "number",
  hints = { _"Nothing may be lost, and no chunk is more than one element \z
              larger than another." },
  wrong = {
    [2] = _"Two for each would take 8 elements.",
    [1.5] = _"An element is not cut.",
    [0] = _"There are more elements than GPUs: nobody goes without.",
  },
  answer = function() uneven:finish() return #uneven:values(3, 3) end,
  why = _"The chunks have 2, 2, 1 and 1 elements. That is how collviz cuts; \z
          not every library cuts for you.",
}
assert(#uneven:values(0, 0) == 2 and #uneven:values(1, 1) == 2)
assert(#uneven:values(2, 2) == 1)

say(_"MPI_Scatter, ncclScatter and PyTorch's scatter want chunks of one size. \z
      MPI_Scatterv takes a list of sizes instead. Elsewhere one pads the \z
      tensor until N divides its length, and ignores the padding afterwards.")

play {
  _"Press a and try --root 2: which chunk stays where it is now? Then \z
    --count 3: fewer elements than GPUs.",
  try = { "--root 2", "--count 3" },
}

remember {
  _"Scatter: one tensor, cut into N chunks; rank r gets chunk r.",
  _"(N-1)/N of it leaves the root; in a flat broadcast N-1 times all of it.",
  _"A tree: fewer messages, but chunks travel more than once.",
}
used {
  nccl = _"ncclScatter (from 2.28; before, ncclSend and ncclRecv in a group)",
  pytorch = "torch.distributed.scatter",
  mpi = "MPI_Scatter, MPI_Scatterv",
  text = _"PyTorch's distribute_tensor cuts a weight for tensor parallelism \z
           this way. Tensor.scatter_ is something else: it writes by index \z
           inside one tensor.",
}
