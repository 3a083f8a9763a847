-- SPDX-License-Identifier: MIT
-- Schedules to wire.  Each answer is one way that takes just the par.  For two GPUs
-- a ring is none: they swap in one step.

lesson {
  skill = "wire",
  title = _"Wire",
  idea = _"An algorithm is a list of steps: make one.",
}

-- The lines of a step: transfers of slots from one GPU to another.
local function line(list)
  return table.concat(list, ", ")
end

local function log2(n)
  local k = 0
  while 2 ^ k < n do k = k + 1 end
  return k
end

-- Whoever has it passes it on: 1, 2, 4, ... GPUs have it.
local function tree(n, root)
  local steps, have = {}, 1
  while have < n do
    local list = {}
    for i = 0, math.min(have, n - have) - 1 do
      list[#list + 1] = ("%d>%d =0"):format((root + i) % n, (root + i + have) % n)
    end
    steps[#steps + 1] = line(list)
    have = 2 * have
  end
  return steps
end

local function broadcast(n, root)
  return {
    _"GPU %d has the data, and all %d GPUs want it. Wire the broadcast in as few steps as \z
      possible.":format(root, n),
    kind = "wiring",
    of = "broadcast", ranks = n, root = root, par = { steps = log2(n) },
    hints = {
      _"In a step each GPU that has the data can pass it on, not only the first.",
      _"How many GPUs can have it after one step, after two, after three?",
    },
    answer = function() return tree(n, root) end,
    why = _"With every step twice as many GPUs have it: log2 N steps, rounded up.",
  }
end

-- The same tree the other way round: the last step of a broadcast is the first.
local function reduce(n, root)
  return {
    _"Add up the data of %d GPUs at GPU %d, in as few steps as possible.":format(n, root),
    kind = "wiring",
    of = "reduce", ranks = n, root = root, par = { steps = log2(n) },
    hints = {
      _"Half of the GPUs can send in the same step, each to another one: then half as many sums \z
        are left.",
      _"It is a broadcast backwards: where a GPU would receive, it sends, and its data is \z
        added.",
    },
    answer = function()
      local steps, down = {}, tree(n, root)
      for i = #down, 1, -1 do
        steps[#steps + 1] = down[i]:gsub("(%d+)>(%d+) =", "%2>%1 +")
      end
      return steps
    end,
    why = _"With every step half as many sums are left: log2 N steps, rounded up.",
  }
end

-- Bruck's: after k steps GPU r has the slots r, r+1, ... 2^k of them.
local function bruck(n)
  local steps, have = {}, 1
  while have < n do
    local list = {}
    for r = 0, n - 1 do
      for i = 0, math.min(have, n - have) - 1 do
        list[#list + 1] = ("%d>%d =%d"):format(r, (r - have) % n, (r + i) % n)
      end
    end
    steps[#steps + 1] = line(list)
    have = 2 * have
  end
  return steps
end

local function all_gather(n)
  return {
    _"All-gather on %d GPUs: GPU r begins with slot r, and all want all of them. One send \z
      may carry several slots.":format(n),
    kind = "wiring",
    of = "all-gather", ranks = n, par = { steps = log2(n), chunks = n - 1 },
    hints = {
      _"After a step each GPU has two slots, and can send both.",
      _"Let each GPU send all it has to the GPU before it, then to the one 2 before it, then 4.",
    },
    answer = function() return bruck(n) end,
    why = _"What a GPU has doubles with every step, and nothing comes to it twice.",
  }
end

-- Butterfly: partners at distances 1, 2, 4, ...; on a hypercube these are linked.
local function butterfly(n, links)
  return {
    (links == "cube" and
      _"All-reduce on a hypercube of %d GPUs, one slot each: numbers that differ in one bit are \z
        linked. All want the sum, in as few steps as possible." or
      _"All-reduce on %d GPUs, each with one slot: all of them want the sum, in as few steps as \z
        possible."):format(n),
    kind = "wiring",
    of = "all-reduce", ranks = n, links = links, par = { steps = log2(n) },
    hints = {
      _"Two GPUs may send to each other in the same step: then both have the sum of the two.",
      _"In the next step choose partners whose sums have nothing in common.",
    },
    answer = function()
      local steps, d = {}, 1
      while d < n do
        local list = {}
        for r = 0, n - 1 do
          list[#list + 1] = ("%d>%d +0"):format(r, r // d % 2 == 0 and r + d or r - d)
        end
        steps[#steps + 1] = line(list)
        d = 2 * d
      end
      return steps
    end,
    why = _"After each step a sum has twice as many terms, and none of them twice.",
  }
end

-- The ring: in step k GPU r sends chunk r-k to GPU r+1.
local function ring(n, first, last, sign, shift)
  local steps = {}
  for k = first, last do
    local list = {}
    for r = 0, n - 1 do
      list[#list + 1] = ("%d>%d %s%d"):format(r, (r + 1) % n, sign, (r - k + shift) % n)
    end
    steps[#steps + 1] = line(list)
  end
  return steps
end

local function ring_all_gather(n)
  return {
    _"All-gather on a ring of %d GPUs that sends one way. GPU r begins with slot r, and all \z
      want all slots.":format(n),
    kind = "wiring",
    of = "all-gather", ranks = n, links = "one-way ring",
    par = { steps = n - 1, chunks = n - 1 },
    hints = {
      _"In the first step each GPU has only its own slot to send.",
      _"In each step send on what came in the step before.",
    },
    answer = function() return ring(n, 1, n - 1, "=", 1) end,
    why = _"N-1 steps: the data of each GPU moves on by one GPU a step, until it has been at \z
            all the others.",
  }
end

local function ring_reduce_scatter(n)
  return {
    _"Reduce-scatter on a ring of %d GPUs that sends one way: in the end slot r of GPU r \z
      holds the sum of all slots r.":format(n),
    kind = "wiring",
    of = "reduce-scatter", ranks = n, links = "one-way ring",
    par = { steps = n - 1, chunks = n - 1 },
    hints = {
      _"The sum of the slots r comes to GPU r last. At which GPU does it begin?",
      _"In the first step GPU r sends slot r-1. After that each GPU sends on the sum that it \z
        has just made.",
    },
    answer = function() return ring(n, 1, n - 1, "+", 0) end,
    why = _"Each sum goes round the ring once, and every GPU that it comes to adds its own \z
            data.",
  }
end

-- All that a ring all-reduce of n GPUs does.
local function ring_all_reduce(n)
  return {
    _"All-reduce on a ring of %d GPUs that sends one way. Each has %d slots; no GPU may send \z
      more than %d slots in all.":format(n, n, 2 * (n - 1)),
    kind = "wiring",
    of = "all-reduce", ranks = n, chunks = n, links = "one-way ring",
    par = { steps = 2 * (n - 1), chunks = 2 * (n - 1) },
    hints = {
      _"First a reduce-scatter: the sum of each slot goes round, and ends complete at one GPU.",
      _"Then an all-gather: the complete sums go round, and replace what is there.",
    },
    answer = function()
      local steps = ring(n, 1, n - 1, "+", 0)
      for _, step in ipairs(ring(n, n, 2 * n - 2, "=", 0)) do
        steps[#steps + 1] = step
      end
      return steps
    end,
    why = _"2(N-1)/N of the data is the least that a GPU can send in an all-reduce.",
  }
end

-- Halves: each of two GPUs adds up one of them for both.
local function all_reduce_halves()
  return {
    _"All-reduce on %d GPUs, each with %d slots, in as few steps as possible; no GPU may \z
      send more than %d slots in all.":format(4, 2, 3),
    kind = "wiring",
    of = "all-reduce", ranks = 4, chunks = 2, par = { steps = 3, chunks = 3 },
    hints = {
      _"In step 1 two GPUs share the work: each sends the other one slot, and adds up the \z
        other one.",
      _"In the last step they give each other the complete slots.",
    },
    answer = function()
      return { "0>1 +1, 1>0 +0, 2>3 +1, 3>2 +0", "0>2 +0, 2>0 +0, 1>3 +1, 3>1 +1",
               "0>1 =0, 1>0 =1, 2>3 =0, 3>2 =1" }
    end,
    why = _"2(N-1)/N of the data is the least that a GPU can send in an all-reduce.",
  }
end

-- Both ways at once: what comes from one side goes on to the other.
local function line_all_gather(n)
  return {
    _"All-gather on a line of %d GPUs; a GPU may send to both neighbours in a step, and \z
      receive from both.":format(n),
    kind = "wiring",
    of = "all-gather", ranks = n, links = "line", ports = 2,
    par = { steps = n - 1 },
    hints = {
      _"The data of GPU 0 has to come to the other end. How many links is that?",
      _"Send on to the right what came from the left, and to the left what came from the right.",
    },
    answer = function()
      local steps = {}
      for k = 1, n - 1 do
        local list = {}
        for r = 0, n - 1 do
          if r + 1 < n and r - k + 1 >= 0 then
            list[#list + 1] = ("%d>%d =%d"):format(r, r + 1, r - k + 1)
          end
          if r > 0 and r + k - 1 < n then
            list[#list + 1] = ("%d>%d =%d"):format(r, r - 1, r + k - 1)
          end
        end
        steps[#steps + 1] = line(list)
      end
      return steps
    end,
    why = _"N-1 steps, as many as there are links between the two ends.",
  }
end

-- Halving: who holds many slots for others sends half of them away.
local function scatter(n, root)
  return {
    _"GPU %d has %d slots, slot r for GPU r. Scatter them in as few steps as possible; no GPU \z
      may send more than %d slots.":format(root, n, n - 1),
    kind = "wiring",
    of = "scatter", ranks = n, root = root, par = { steps = log2(n), chunks = n - 1 },
    hints = {
      _"Another GPU can deal out a part of the slots.",
      _"In the first step send half of the slots to one of the GPUs that they are for.",
    },
    answer = function()
      local steps, half = {}, n
      while half > 1 do
        local list = {}
        half = half // 2
        for i = 0, n - 1, 2 * half do
          for j = 0, half - 1 do
            list[#list + 1] = ("%d>%d =%d"):format((root + i) % n,
              (root + i + half) % n, (root + i + half + j) % n)
          end
        end
        steps[#steps + 1] = line(list)
      end
      return steps
    end,
    why = _"The root sends half of what it has left in each step: N/2 + N/4 + ... slots, N-1 in \z
      all.",
  }
end

-- Rules: the same for any number of GPUs.  `by` is the way round the ring.
local function ring_rule(of, by)
  local texts = {
    ["all-gather"] = {
      [1] = _"A ring all-gather: GPU r begins with slot r and sends to GPU r+1, in N-1 steps. \z
        What is the rule?",
      [-1] = _"A ring all-gather: GPU r begins with slot r and sends to GPU r-1, in N-1 \z
        steps. What is the rule?",
    },
    ["reduce-scatter"] = {
      [1] = _"A ring reduce-scatter: GPU r sends to GPU r+1. After N-1 steps it has the sum of \z
        all slots r. What is the rule?",
      [-1] = _"A ring reduce-scatter: GPU r sends to GPU r-1. After N-1 steps it has the sum of \z
        all slots r. What is the rule?",
    },
  }
  local gathers = of == "all-gather"
  return {
    texts[of][by], kind = "rule", of = of, links = "ring",
    ranks = { 3, 5, 8 },
    hints = gathers and {
      _"In step 1 GPU r sends slot r. What came in then goes on in step 2.",
    } or {
      _"The last step brings slot r to GPU r. What came in one step goes on in the next.",
    },
    answer = function()
      return ("k=1..n-1: chunk r%sk%s to r%+d"):format(by > 0 and "-" or "+",
        gathers and ("%+d"):format(by) or "", by)
    end,
    why = _"What came in one step goes on in the next: one step later, one GPU further, the \z
      same slot.",
  }
end

local function tree_rule()
  return {
    _"A broadcast from GPU 0 in log2 N steps, N a power of two: in step k all GPUs that have it \z
      send it on. What is the rule?",
    kind = "rule", of = "broadcast", ranks = { 4, 8, 16 },
    hints = {
      _"A rule may have log2(n) and 2^k, and a condition: k=1..log2(n): if r < 4: ...",
      _"Before step k, GPUs 0 to 2^(k-1)-1 have it.",
    },
    answer = function()
      return "k=1..log2(n): if r < 2^(k-1): chunk 0 to r+2^(k-1)"
    end,
    why = _"Before step k, 2^(k-1) GPUs have it, and each sends it on to one.",
  }
end

local function butterfly_rule()
  return {
    _"An all-reduce in log2 N steps, each GPU with one slot, N a power of two. What is the rule?",
    kind = "rule", of = "all-reduce", ranks = { 2, 4, 8, 16 },
    hints = {
      _"Each GPU can send to the next one, then to the one 2 after it, then 4. How many terms \z
        has its sum then?",
    },
    answer = function() return "k=1..log2(n): chunk 0 to r+2^(k-1), add" end,
    why = _"Before step k a GPU has the sum of 2^(k-1) GPUs, and in step k it gets that of as \z
            many others.",
  }
end

-- One of each in the lesson; in a round, another one by its number.
local function ask(make)
  local q = make(0)
  q.again = make
  predict(q)
end

-- A number from 1 to `of` for a round; 1 for the lesson's own.
local function pick(round, of)
  if round == 0 then return 1 end
  math.randomseed(round)
  return math.random(of)
end

ask(function(round)
  local n = ({ 4, 8, 5, 6, 7, 3, 10, 12, 16 })[pick(round, 9)]
  return broadcast(n, round == 0 and 0 or math.random(0, n - 1))
end)
ask(function(round)
  local n = ({ 4, 8, 5, 6, 7, 3 })[pick(round, 6)]
  return reduce(n, round == 0 and 0 or math.random(0, n - 1))
end)
ask(function(round)
  local which = pick(round, 4)
  if which < 4 then return all_gather(({ 4, 3, 5 })[which]) end
  return line_all_gather(math.random(3, 5))
end)
ask(function(round)
  local which = pick(round, 4)
  return butterfly(which % 2 == 1 and 4 or 8, which > 2 and "cube" or "any")
end)
ask(function(round)
  local which = pick(round, 6)
  local make = which % 2 == 1 and ring_all_gather or ring_reduce_scatter
  return make(({ 4, 4, 3, 3, 5, 5 })[which])
end)
ask(function(round)
  local which = pick(round, 3)
  return which == 3 and all_reduce_halves() or ring_all_reduce(which + 2)
end)
ask(function(round)
  local n = ({ 4, 8 })[pick(round, 2)]
  return scatter(n, round == 0 and 0 or math.random(0, n - 1))
end)
ask(function(round)
  local which = pick(round, 6)
  if which == 5 then return tree_rule() end
  if which == 6 then return butterfly_rule() end
  return ring_rule(which % 2 == 1 and "all-gather" or "reduce-scatter",
                   which <= 2 and 1 or -1)
end)
