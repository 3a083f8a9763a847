-- SPDX-License-Identifier: MIT
lesson {
  number = 17,
  day = 5,
  minutes = 5,
  title = _"All-to-all",
  idea = _"Everyone has something different for everyone: a table is \z
           transposed.",
}

say {
  _"In a model with experts, each GPU hosts one expert. Each GPU also has \z
    tokens of its own, and every token must go to the expert that was chosen \z
    for it. So each GPU has something for each other GPU, and something \z
    different for each.\n\n\z
    A scatter is how one GPU hands out its shares, a gather is how one GPU \z
    collects. All-to-all is what you get when all GPUs scatter at the same \z
    time: then all of them gather, too.",
  notes = _"Draw a table on the board: a row for each sender, a column for \z
            each receiver. The class fills in A0 to D3.",
}

-- GPU r has 10r+c for GPU c.
local r = run "pairwise-alltoall --gpus 4 --out-of-place \z
               --input 0,1,2,3/10,11,12,13/20,21,22,23/30,31,32,33"
say(_"The letter says who has it, the number for whom it is: A2 is what GPU 0 \z
      has for GPU 2. Each GPU has four shares, one for each GPU; B1 is what \z
      GPU 1 has for itself. What comes in goes into a second buffer, so that \z
      no incoming share overwrites one not yet sent.")

r:step()
assert(r:sent(0) == 0 and r:holds(0, 0) == "A0" and r:holds(1, 1) == "B1")
r:step()
assert(r:holds(1, 0) == "A1" and r:holds(0, 3) == "D0")
say(_"First everyone copied its own share: no link is needed for that. Then \z
      everyone sent one share to the next GPU. In the output of GPU 1, A1 is \z
      in slot 0, the first, because it is from GPU 0.")

predict {
  _"In the next step everyone sends to the GPU that is two further on. What \z
    will GPU 1 receive?",
  kind = "label",
  at = { 1, 3 },
  hints = {
    _"Count back two from GPU 1: GPU 0, then GPU 3. That one sends.",
    _"GPU 3's letter is D. It sends what it has for GPU 1.",
  },
  wrong = {
    C1 = _"C1 comes from GPU 2. How far is it from there to GPU 1?",
    B3 = _"B3 is what GPU 1 sends in this step.",
    D3 = _"The number says for whom it is.",
  },
  answer = function() r:step() return r:holds(1, 3) end,
  why = _"GPU 3 sends what it has for GPU 1: D1. The sender is in the letter \z
          and in the slot, the receiver is in the number.",
  again = function(round)
    local rank, away = ({ 0, 2, 3 })[round], ({ 3, 1, 2 })[round]
    local from = (rank - away) % 4
    local other = run "pairwise-alltoall --gpus 4 --out-of-place"
    return {
      _"An all-to-all on 4 GPUs. In this step everyone sends to the GPU that is %d \z
        further on. What will GPU %d receive, in slot %d?"
      :format(away, rank, from),
      kind = "label",
      at = { rank, from },
      hints = { _"Who sends to it? The letter says who has it, the number for whom \z
                 it is." },
      wrong = {
        [string.char(65 + rank) .. from] = _"That is what it gives back to that GPU.",
        [string.char(65 + from) .. from] = _"The number says for whom it is.",
        [string.char(65 + rank) .. rank] = _"That is its own share for itself.",
      },
      answer = function() other:go(away + 1) return other:holds(rank, from) end,
      why = _"The sender is in the letter and in the slot, the receiver is in the \z
              number.",
    }
  end,
}

predict {
  _"And what will be in slot 0 of GPU 3, after the last step?",
  kind = "label",
  at = { 3, 0 },
  hints = { _"Slot 0 is for what comes from GPU 0." },
  wrong = {
    A0 = _"A0 is what GPU 0 has for itself.",
    D0 = _"D0 is what GPU 3 gives to GPU 0. Which way does it go?",
    D3 = _"D3 is GPU 3's own share, and in another slot.",
  },
  answer = function() r:finish() return r:holds(3, 0) end,
  why = _"What GPU 0 has for GPU 3. D0 sits in the mirrored place: slot 3 of \z
          GPU 0.",
  again = function(round)
    local rank, slot = ({ 1, 0, 2 })[round], ({ 3, 2, 1 })[round]
    local other = run "pairwise-alltoall --gpus 4 --out-of-place"
    return {
      _"An all-to-all. What will GPU %d hold in slot %d at its end?"
      :format(rank, slot),
      kind = "label",
      at = { rank, slot },
      wrong = {
        [("ABCD"):sub(rank + 1, rank + 1) .. slot] =
          _"That is what this GPU gives. Which way does it go?",
      },
      answer = function() other:finish() return other:holds(rank, slot) end,
      why = _"The slot says who sent it, the number for whom it is.",
    }
  end,
}
for rank = 0, r.ranks - 1 do
  for slot = 0, r.ranks - 1 do
    assert(r:holds(rank, slot) == string.char(65 + slot) .. rank)
    assert(r:values(rank, slot)[1] == 10 * slot + rank)
  end
end

say(_"GPU 1 began with B0 B1 B2 B3, the numbers 10 11 12 13: a row of the \z
      table. Now it has A1 B1 C1 D1, 1 11 21 31: a column. Rows have become \z
      columns: the table is transposed. Nothing was added, and every share is \z
      in one output, once.")

local function different(other)
  local seen, n = {}, 0
  for rank = 0, other.ranks - 1 do
    local row = ""
    for slot = 0, other.ranks - 1 do row = row .. other:holds(rank, slot) end
    if not seen[row] then n = n + 1 end
    seen[row] = true
  end
  return n
end
predict {
  _"Somebody wrote: \"all-to-all is a gather and then a broadcast\". These \z
    two would leave the same in every GPU. How many different outputs are \z
    there here, in the 4 GPUs?",
  kind = "number",
  hints = { _"Compare GPU 0 with GPU 1, slot by slot." },
  wrong = {
    [1] = _"Compare slot 0 of GPU 0 with slot 0 of GPU 1.",
    [16] = _"Those are the shares. Count whole outputs, one for each GPU.",
  },
  answer = function() return different(r) end,
  why = _"Each GPU has its own. A gather (or a reduce) and a broadcast give \z
          everyone the same: that is all-gather (or all-reduce).",
  again = function(round)
    local name = ({ "pairwise-alltoall", "ring-allgather", "ring-allreduce" })[round]
    local n = ({ 6, 4, 5 })[round]
    local other = run(("%s --gpus %d"):format(name, n))
    return {
      _"%s on %d GPUs. How many different outputs are there in the end, if one \z
        compares whole outputs?":format(name, n),
      kind = "number",
      hints = { _"Does everyone end with the same?" },
      wrong = {
        [round == 1 and 1 or n] = round == 1 and
          _"Compare slot 0 of GPU 0 with slot 0 of GPU 1." or
          _"All end with the same blocks or sums, in the same slots.",
        [n * n] = _"Those are the shares. Count whole outputs, one for each GPU.",
      },
      answer = function() other:finish() return different(other) end,
      why = _"An all-to-all gives each GPU its own output; an all-gather and an \z
              all-reduce give all the same.",
    }
  end,
}

-- The result is the next input.
local rows = {}
for rank = 0, r.ranks - 1 do
  local row = {}
  for slot = 0, r.ranks - 1 do
    row[slot + 1] = ("%d"):format(r:values(rank, slot)[1])
  end
  rows[rank + 1] = table.concat(row, ",")
end
assert(rows[2] == "1,11,21,31")
local back = run("pairwise-alltoall --gpus 4 --out-of-place --input " ..
                 table.concat(rows, "/"))
predict {
  _"A second all-to-all, on what came out of the first; the letters begin \z
    anew. GPU 1 puts in [1, 11, 21, 31]. Which number will be in its slot 2?",
  kind = "number",
  at = { 1, 2 },
  hints = {
    _"What becomes of a table that is transposed twice?",
    _"Slot 2 is for what comes from GPU 2, which puts in [2, 12, 22, 32].",
  },
  wrong = {
    [21] = _"That is what it puts in there: a row. It gets a column of the new table.",
    [2] = _"That is what GPU 2 has for GPU 0.",
    [32] = _"That is what GPU 2 has for GPU 3.",
    [22] = _"That is what GPU 2 has for itself.",
  },
  answer = function() back:finish() return back:values(1, 2)[1] end,
  why = _"What GPU 1 had at the very first: 10 11 12 13. That is how results come \z
          back from the experts to where their tokens live.",
  again = function(round)
    local rank, slot = ({ 3, 0, 2 })[round], ({ 0, 3, 1 })[round]
    local other = run("pairwise-alltoall --gpus 4 --out-of-place --input " ..
                      table.concat(rows, "/"))
    return {
      _"GPU r had r0, r1, r2 and r3, so GPU 1 had 10, 11, 12, 13. After an \z
        all-to-all GPU %d has [%s], and a second one is to come. Which number \z
        will be in its slot %d then?":format(rank, rows[rank + 1], slot),
      kind = "number",
      at = { rank, slot },
      hints = { _"What becomes of a table that is transposed twice?" },
      wrong = {
        [10 * slot + rank] = _"That is what it puts in there: a row. It gets a \z
                               column of the new table.",
        [11 * slot] = _"That is what the sender has for itself.",
      },
      answer = function() other:finish() return other:values(rank, slot)[1] end,
      why = _"A table that is transposed twice is what it was.",
    }
  end,
}
for rank = 0, 3 do
  for slot = 0, 3 do assert(back:values(rank, slot)[1] == 10 * rank + slot) end
end

local eight = run "pairwise-alltoall --gpus 8 --count 8 --out-of-place"
predict {
  _"8 GPUs, each with %d bytes: 8 shares. How many bytes does each GPU send \z
    over links?":format(eight.bytes),
  kind = "number",
  hints = { _"One of the eight shares is for the GPU itself." },
  wrong = {
    [eight.bytes] = _"That is all it has. Does every share leave the GPU?",
    [224] = _"That is what all 8 GPUs send together.",
    [4] = _"That is one share. How many other GPUs are there?",
  },
  answer = function()
    eight:finish()
    local messages = 0
    for k = 1, eight.steps do
      for _, t in ipairs(eight:transfers(k)) do
        if t.src ~= t.dst then messages = messages + 1 end
      end
    end
    assert(messages == 56 and eight.bytes == 32)
    return eight:sent(0)
  end,
  why = _"(N-1)/N S: 7 shares of 4 bytes. But they go to 7 different GPUs: \z
          N(N-1) = 56 messages in all, over links between all pairs.",
  again = function(round)
    local n = ({ 5, 4, 16 })[round]
    local other = run(("pairwise-alltoall --gpus %d --count %d --out-of-place")
                      :format(n, n))
    return {
      _"An all-to-all on %d GPUs, each with %d bytes. How many bytes does each GPU \z
        send over links?":format(n, other.bytes),
      kind = "number",
      hints = { _"One of the shares is for the GPU itself." },
      wrong = {
        [other.bytes] = _"That is all it has. Does every share leave the GPU?",
        [other.bytes // n] = _"That is one share. How many other GPUs are there?",
        [other.bytes * (n - 1)] = _"That is what all GPUs send together.",
      },
      answer = function() other:finish() return other:sent(0) end,
      why = _"(N-1)/N S.",
    }
  end,
}

local t = compare "pairwise-alltoall ring-alltoall bruck-alltoall \z
                   --gpus 8 --count 8"
say(_"The same promise, kept in three ways. On a ring all shares are passed \z
      on from neighbour to neighbour: %d bytes instead of %d. Bruck's \z
      algorithm needs only %d steps, but shares travel several times: %d \z
      bytes. It is for small messages. (Copying its own share is no step for \z
      the table.)"
    :format(t[2].sent, t[1].sent, t[3].steps, t[3].sent))

-- To wire, in place.  Each pair of GPUs swaps in a step of its own; or in 2 steps,
-- in which each GPU passes on what is for the GPU opposite.
local function in_pairs(pairs_of)
  local steps = {}
  for k, list in ipairs(pairs_of) do
    local moves = {}
    for _, p in ipairs(list) do
      local a, b = p[1], p[2]
      moves[#moves + 1] = ("%d>%d =%d@%d, %d>%d =%d@%d"):format(a, b, b, a, b, a, a, b)
    end
    steps[k] = table.concat(moves, ", ")
  end
  return steps
end
local function in_two_steps()
  local steps = {}
  for k, d in ipairs { 1, 2 } do
    local moves = {}
    for a = 0, 3 do
      local b, other = a ~ d, 3 - d
      moves[#moves + 1] = ("%d>%d =%d@%d, %d>%d =%d@%d"):format(
        a, b, b, a, a, b, b ~ other, a ~ other)
    end
    steps[k] = table.concat(moves, ", ")
  end
  return steps
end
local function wire(text, n, steps, chunks, links)
  return {
    text:format(n, #steps, chunks),
    kind = "wiring", of = "all-to-all", ranks = n, links = links,
    par = { steps = #steps, chunks = chunks },
    hints = { _"Two GPUs can swap: in one step each sends the other its share.",
              _"0>1 =1@0, 1>0 =0@1 is such a swap: slot 1 goes into slot 0, and \z
                back." },
    answer = function() return steps end,
    why = _"A swap needs no second buffer: a step sends what was there before it.",
  }
end
local made = wire(_"Make one yourself, in place: slot c of GPU r is for slot r of GPU c. \z
                    Wire an all-to-all of %d GPUs in %d steps; no GPU may send more \z
                    than %d shares.", 4,
                  in_pairs { { { 0, 1 }, { 2, 3 } }, { { 0, 2 }, { 1, 3 } },
                             { { 0, 3 }, { 1, 2 } } }, 3)
function made.again(round)
  if round == 1 then
    return wire(_"In place, slot c of GPU r is for slot r of GPU c. Wire an all-to-all \z
                  of %d GPUs in %d steps; no GPU may send more than %d shares.", 3,
                in_pairs { { { 0, 1 } }, { { 0, 2 } }, { { 1, 2 } } }, 2)
  elseif round == 2 then
    return wire(_"In place, slot c of GPU r is for slot r of GPU c. Wire an all-to-all \z
                  of %d GPUs in only %d steps; a GPU may send %d shares.", 4,
                in_two_steps(), 4)
  end
  return wire(_"%d GPUs in a square: GPU 0 and GPU 3 have no link. Slot c of GPU r is \z
                for slot r of GPU c. Wire an all-to-all in %d steps, %d shares a GPU.",
              4, in_two_steps(), 4, "cube")
end
predict(made)

r:show()
r:go(0)
play {
  _"Follow C0 to its place. With a, change the number of GPUs, or make \z
    GPU 3 slow with --delay 3=500: everyone needs something from it.",
  try = { "5", "--delay 3=500" },
}

remember {
  _"All-to-all: rank r's share for rank c ends in slot r of rank c.",
  _"It is a transpose: nothing is added, and everyone ends with other data.",
  _"Each sends (N-1)/N of its data, but to N-1 different ranks.",
}
used {
  nccl = _"ncclAlltoAll (from 2.28; before: ncclSend and ncclRecv in a group)",
  pytorch = _"torch.distributed.all_to_all_single; all_to_all (lists)",
  mpi = "MPI_Alltoall",
  text = _"Expert parallelism: one to the experts, one back, in each MoE \z
           layer. Shares differ in size there: MPI_Alltoallv, split sizes.",
}
