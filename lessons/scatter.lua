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

-- What a rank holds in its own slot after a scatter from a root.
local function own_chunk(r, root, rank)
  local wrong = {
    [("ABCDEFGH"):sub(rank + 1, rank + 1) .. rank] =
      _"Its letter is that of data which GPU %d had itself. Whose tensor is \z
        it?":format(rank),
    [""] = _"Every rank gets a chunk, and this is the slot for its own.",
  }
  if rank > 0 then
    wrong[("ABCD"):sub(root + 1, root + 1) .. rank - 1] =
      _"Ranks and chunks count from 0. Who gets chunk 0?"
  end
  return {
    _"GPU %d scatters its tensor to %d GPUs, in rank order. What will be in slot \z
      %d of GPU %d?":format(root, r.ranks, rank, rank),
    kind = "label",
    at = { rank, rank },
    hints = { _"As many chunks as ranks, in rank order, and the root counts \z
                too." },
    wrong = wrong,
    answer = function() r:finish() return r:holds(rank, rank) end,
    why = _"Rank r gets chunk r. It is still the root's data and keeps its \z
            letter: a scatter moves numbers and changes none.",
  }
end
local question = own_chunk(r, 0, 2)
question.again = function(round)
  local root, rank = ({ 2, 3, 1 })[round], ({ 0, 1, 3 })[round]
  return own_chunk(run("flat-scatter --gpus 4 --root " .. root), root, rank)
end
predict(question)
for rank = 0, r.ranks - 1 do
  assert(r:holds(rank, rank) == "A" .. rank, "rank r gets chunk r")
  if rank > 0 then assert(r:received(rank) == chunk) end
end
say(_"Every GPU has its chunk of %d bytes and nothing else. GPU 0 still holds \z
      the whole tensor: to send is to copy. Its result is A0, and it can \z
      forget the rest.":format(chunk))

-- How many bytes leave the root.
local function leaves_root(r)
  local chunk = r.bytes // r.ranks
  return {
    _"A tensor of %d bytes, scattered to %d GPUs. How many of these bytes leave \z
      GPU 0, the root?":format(r.bytes, r.ranks),
    kind = "number",
    hints = { _"How large is a chunk, and how many of them are sent?" },
    wrong = {
      [chunk] = _"That is one chunk. How many GPUs wait for one?",
      [r.bytes] = _"Does every chunk have to travel?",
      [(r.ranks - 1) * r.bytes] = _"That is the whole tensor for each, as in a \z
                                    broadcast.",
    },
    answer = function() r:finish() return r:sent(0) end,
    why = _"%d chunks of %d bytes. The root keeps its own chunk where it is, so \z
            it sends (N-1)/N of its tensor.":format(r.ranks - 1, chunk),
  }
end
local flat = run "flat-scatter --gpus 8"
question = leaves_root(flat)
question.again = function(round)
  local n, count = ({ 4, 5, 10 })[round], ({ 20, 10, 50 })[round]
  return leaves_root(run(("flat-scatter --gpus %d --count %d"):format(n, count)))
end
predict(question)

local cast = run "flat-broadcast --gpus 8"
cast:finish()
assert(cast.bytes == flat.bytes and cast:sent(0) == flat.ranks * flat:sent(0))
say(_"For comparison a broadcast of the same %d bytes. Here A0 is the whole \z
      tensor, and %d bytes left GPU 0: N times as much as in the scatter. \z
      Send each rank only the part it needs."
    :format(cast.bytes, cast:sent(0)))

-- How many chunks go from GPU 0 to the first GPU of the other half of a tree.
local function first_message(r)
  local half = r.ranks // 2
  local part = r.bytes // r.ranks
  return {
    _"A scatter to %d GPUs along a tree. In step 1 GPU 0 sends to GPU %d, which \z
      needs A%d in the end. How many chunks does it receive in step 1?"
    :format(r.ranks, half, half),
    kind = "number",
    hints = { _"GPU 0 will not send to the GPUs after GPU %d itself. Then who \z
                will?":format(half) },
    wrong = {
      [half - 1] = _"Those are for the GPUs after it. Is that all?",
      [1] = _"One is what it keeps. Who sends to the GPUs after it?",
      [r.ranks - 1] = _"GPU 0 keeps those for the GPUs on its own side.",
      [r.ranks] = _"GPU 0 keeps those for the GPUs on its own side, and its \z
                    own.",
    },
    answer = function()
      r:step()
      local n = 0
      for slot = 0, r.ranks - 1 do
        if r:holds(half, slot) ~= "" then n = n + 1 end
      end
      assert(r:received(half) == n * part)
      return n
    end,
    why = _"Half of the tensor. It deals the other chunks out on its side, while \z
            GPU 0 does the same on its own.",
  }
end
local tree = run "binomial-scatter --gpus 8"
local part = tree.bytes // tree.ranks
question = first_message(tree)
question.again = function(round)
  return first_message(run("binomial-scatter --gpus " .. ({ 4, 16, 32 })[round]
                           .. " --count 32"))
end
predict(question)

-- How often a chunk is sent on its way down a tree.
local function hops(r, to)
  return {
    _"A scatter along a tree of %d GPUs: in step 1 GPU 0 sends half of the \z
      tensor to GPU %d, then both halve what they have. How many times is A%d \z
      sent until GPU %d has it?":format(r.ranks, r.ranks // 2, to, to),
    kind = "number",
    hints = { _"Follow A%d: over which GPUs does it go to GPU %d?"
              :format(to, to) },
    wrong = {
      [1] = _"Only if GPU 0 sent it to GPU %d itself.":format(to),
      [to] = _"It does not go over every GPU. Where are the halves cut?",
    },
    answer = function()
      local n = 0
      r:finish()
      for k = 1, r.steps do
        for _, t in ipairs(r:transfers(k)) do
          if ("," .. t.label .. ","):find(",A" .. to .. ",") then n = n + 1 end
        end
      end
      return n
    end,
    why = _"Once for each GPU on its way. If GPU 0 sends it to its GPU itself, \z
            it is sent once.",
  }
end
question = hops(tree, 7)
question.again = function(round)
  return hops(run("binomial-scatter --gpus " .. ({ 8, 16, 8 })[round]),
              ({ 5, 13, 3 })[round])
end
predict(question)

local total, messages = 0, 0
for rank = 0, tree.ranks - 1 do total = total + tree:sent(rank) end
for k = 1, tree.steps do
  for _, t in ipairs(tree:transfers(k)) do
    if t.src == 0 then messages = messages + 1 end
  end
end
assert(flat.bytes == tree.bytes and total > flat:sent(0))
assert(tree:sent(0) == flat:sent(0) and tree:holds(4, 7) == "A7")
say(_"All links together carried %d bytes, where GPU 0 alone sends %d. The same \z
      %d bytes leave the root, but in %d messages instead of %d. So the tree \z
      is for small chunks, where the start of a message is what costs. A5 to \z
      A7 on GPU 4 were passing through: its result is A4."
    :format(total, flat:sent(0), tree:sent(0), messages, tree.ranks - 1))

-- How many elements a rank gets where the tensor cannot be cut evenly.
local function elements(r, rank)
  local most = r.count // r.ranks + 1
  return {
    _"%d elements are scattered to %d GPUs. How many of them does GPU %d get?"
    :format(r.count, r.ranks, rank),
    kind = "number",
    hints = { _"Nothing may be lost, and no chunk is more than one element \z
                larger than another." },
    wrong = {
      [r.count / r.ranks] = _"An element is not cut.",
      [0] = _"There are more elements than GPUs: nobody goes without.",
      [most] = _"If each got so many, that would be %d elements."
               :format(most * r.ranks),
      [r.count - (r.ranks - 1) * (r.count // r.ranks)] =
        _"The last does not get all that is left over.",
    },
    answer = function() r:finish() return #r:values(rank, rank) end,
    why = _"First all get the same number; what is left over goes to the first \z
            GPUs, one each. That is how collviz cuts; not every library cuts for \z
            you.",
  }
end
local uneven = run "flat-scatter --gpus 4 --count 6"
question = elements(uneven, 3)
question.again = function(round)
  return elements(run(("flat-scatter --gpus %d --count %d")
                      :format(({ 4, 5, 3 })[round], ({ 7, 8, 11 })[round])),
                  ({ 3, 4, 2 })[round])
end
predict(question)
local sizes = {}
for rank = 0, 3 do sizes[rank + 1] = #uneven:values(rank, rank) end
assert(table.concat(sizes, " ") == "2 2 1 1")

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
