-- SPDX-License-Identifier: MIT
lesson {
  number = 9,
  day = 3,
  minutes = 4,
  lecture = 4,
  title = _"Everyone to everyone, and one server",
  idea = _"Where all data goes through one node, that node's link decides.",
}

lecture()
say {
  _"Every GPU has S bytes, and every GPU needs the sum: an all-reduce. Two \z
    ways come to mind at once.\n\n\z
    Everyone to everyone: each sends all it has to all others and adds up \z
    for itself.\n\z
    One server: all send to one, it adds up and sends the sum back. Also \z
    called master and worker, or parameter server.\n\n\z
    Count one thing with each: the bytes into and out of the busiest GPU. \z
    They all pass through its link, and everybody waits for the last of them.",
  notes = _"Let the class vote first which of the two moves more bytes in all, \z
            and which has the busier node.",
}

local naive = run "naive-allreduce --gpus 4 --count 8"
say(_"Everyone to everyone. Nothing is cut here: a block is all the data that \z
      a GPU has, S = %d bytes. Each GPU has its own block and room for what \z
      the others send, before it is added.":format(naive.bytes))

-- How many bytes a GPU sends to all others.
local function to_all(r)
  return {
    _"%d GPUs with %d bytes each, and everyone sends all it has to each of the \z
      others. How many bytes does GPU 0 send?":format(r.ranks, r.bytes),
    kind = "number",
    hints = { _"How many others are there?" },
    wrong = {
      [r.bytes] = _"That is what goes to one of the others.",
      [r.ranks * r.bytes] = _"Does it send to itself, too?",
      [r.ranks * (r.ranks - 1) * r.bytes] = _"That is what all of them send.",
    },
    answer = function() r:finish() return r:sent(0) end,
    why = _"(N-1) S out of every GPU, and as much into it. It was sent in one \z
            step; the second step only adds up, and tables do not count it.",
  }
end
local question = to_all(naive)
question.again = function(round)
  return to_all(run(("naive-allreduce --gpus %d --count %d")
                    :format(({ 6, 3, 8 })[round], ({ 5, 6, 3 })[round])))
end
lecture()
predict(question)
for rank = 0, naive.ranks - 1 do
  assert(naive:sent(rank) == (naive.ranks - 1) * naive.bytes)
  assert(naive:holds(rank, 0) == "A0+B0+C0+D0")
end

local server = run "server-allreduce --gpus 4 --count 8"
server:finish()
local function total(r)
  local bytes = 0
  for rank = 0, r.ranks - 1 do bytes = bytes + r:sent(rank) end
  return bytes
end
lecture()
say(_"One server: GPU 0, which has data of its own as well. It received %d \z
      bytes, (N-1) S, and sent %d. Each of the others sent %d and received as \z
      many. Over all links that is %d bytes; before it was %d. Less in all, \z
      but GPU 0 has no less to do than before."
    :format(server:received(0), server:sent(0), server:sent(1), total(server),
            total(naive)))
assert(server:received(0) == (server.ranks - 1) * server.bytes)
assert(server:sent(0) == naive:sent(0) and server:sent(1) == server.bytes)
assert(server:received(1) == server.bytes)

-- How many times its own data the server sends.
local function out_of_server(r)
  local n = r.ranks
  return {
    _"%d GPUs, and GPU 0 serves: it adds up what all have, S bytes each, and \z
      sends the sum back. How many times S goes out of it?":format(n),
    kind = "number",
    hints = { _"To how many GPUs does it send the sum?" },
    wrong = {
      [n] = _"One of the %d GPUs is the server itself.":format(n),
      [1] = _"That is what each worker sends.",
      [2 * (n - 1)] = _"That is in and out together.",
    },
    answer = function()
      r:finish()
      assert(r:received(0) == r:sent(0))
      assert(r:sent(1) == r.bytes and r:received(1) == r.bytes)
      return r:sent(0) // r.bytes
    end,
    why = _"N-1 times out, and N-1 times in. A worker still sends and receives S \z
            once: its link is idle most of the time.",
  }
end
local eight = run "server-allreduce --gpus 8 --count 8"
question = out_of_server(eight)
question.again = function(round)
  return out_of_server(run("server-allreduce --gpus " .. ({ 6, 12, 5 })[round]))
end
predict(question)

local costs = compare "server-allreduce ring-allreduce --gpus 8 --count 8"
say(_"On the same 8 GPUs a ring, which is the next lesson, sends %d bytes from \z
      each GPU, 2(N-1)/N S. The server sends %d. In both, all links together \z
      carry the same; but with a server all of it passes one port."
    :format(costs[2].sent, costs[1].sent))
assert(costs[2].sent * eight.ranks == 2 * (eight.ranks - 1) * eight.bytes)
assert(costs[2].received == costs[2].sent)
assert(costs[2].sent * eight.ranks == total(eight))

-- How many times as much the busiest GPU sends with a server.
local function ratio(n)
  return {
    _"All-reduce on %d GPUs. With a ring each GPU sends 2(N-1)/N S. How many \z
      times as much does the busiest GPU send with a server?":format(n),
    kind = "number",
    hints = { _"(N-1) S, divided by 2(N-1)/N S. The (N-1) S goes away." },
    wrong = {
      [n - 1] = _"The server sends so many S, and a GPU of the ring more than S.",
      [n] = _"A GPU of the ring sends more than S, the server less than N S.",
      [(n - 1) / 2] = _"Close: a GPU of the ring sends a little less than 2 S.",
    },
    notes = _"Ask for the number first, then for a formula in N.",
    answer = function()
      local c = compare(("server-allreduce ring-allreduce --gpus %d --count %d")
                        :format(n, n))
      return c[1].sent / c[2].sent
    end,
    why = _"N/2. At N=2 they are the same; with 64 GPUs it would be 32 times.",
  }
end
question = ratio(16)
question.again = function(round) return ratio(({ 4, 10, 12 })[round]) end
lecture "spare"
predict(question)
assert(costs[1].sent / costs[2].sent == eight.ranks / 2)

-- How many pairs of numbers each rank adds. What arrives has been added to what
-- was there if the slot holds something else than what was sent.
local function additions(r)
  local adds = {}
  for rank = 0, r.ranks - 1 do adds[rank] = 0 end
  for k = 1, r.steps do
    r:go(k)
    for _, t in ipairs(r:transfers(k)) do
      if r:holds(t.dst, t.dst_slot) ~= t.label then
        adds[t.dst] = adds[t.dst] + t.bytes * r.count // r.bytes
      end
    end
  end
  return adds
end

-- How many additions GPU 0 of a ring makes, of those that a server makes.
local function adds_in_ring(r)
  local n, count = r.ranks, r.count
  local all = (n - 1) * count
  return {
    _"Bytes are not all: somebody has to add, too. On %d GPUs a server makes all \z
      %d additions, %d vectors of %d numbers, and the others none. How many does \z
      GPU 0 make in a ring?":format(n, all, n - 1, count),
    kind = "number",
    hints = { _"In each step of the first half one chunk comes in: %d of the %d \z
                numbers.":format(count // n, count) },
    wrong = {
      [all] = _"That is all of them. Who else adds in a ring?",
      [2 * (n - 1) * count // n] = _"In the second half nothing is added.",
      [count] = _"One of the chunks is its own, and is in place.",
      [count // n] = _"That is one step of the first half.",
    },
    answer = function()
      local adds = additions(r)
      for rank = 0, n - 1 do assert(adds[rank] == adds[0]) end
      assert(adds[0] * n == all)
      return adds[0]
    end,
    why = _"As many as every other GPU: together as many as the server made. A \z
            ring balances the additions as well as the bytes.",
  }
end
local at_server = additions(eight)
assert(at_server[0] == 7 * eight.count)
question = adds_in_ring(run "ring-allreduce --gpus 8 --count 8")
question.again = function(round)
  return adds_in_ring(run(("ring-allreduce --gpus %d --count %d")
                          :format(({ 5, 4, 6 })[round], ({ 10, 12, 6 })[round])))
end
predict(question)
for rank = 1, eight.ranks - 1 do assert(at_server[rank] == 0) end

local sharded = run "sharded-server-allreduce --gpus 4 --count 8"
sharded:step()
local peers = #sharded:transfers(1) // sharded.ranks
say(_"But nobody says that one GPU has to serve it all. Here each is the \z
      server of one chunk: GPU 2 has added up chunk 2 for everyone. This is \z
      sharding, and it is what real parameter servers do.")

say(_"A parameter server keeps the weights, too. Training with it has five \z
      steps: workers get the weights; each computes gradients; they send \z
      these to the server; it adds them up; it updates the weights. With an \z
      all-reduce every rank has the weights, and updates them itself.")
say(_"An asynchronous server does not wait: it updates as soon as one worker's \z
      gradients come, and this worker goes on. Nobody is held up. But others \z
      computed theirs with older weights, and who was fast decides the result. \z
      (Dean et al. 2012; with a bounded delay: Li et al. 2014)")

-- How many bytes a GPU sends in both steps.
local function both_steps(r)
  local n, S = r.ranks, r.bytes
  return {
    _"%d GPUs, S = %d, and each serves one chunk. In step 1 it receives its chunk \z
      from all others and adds it up, in step 2 it sends the sum to all. How many \z
      bytes does each GPU send in both steps?":format(n, S),
    kind = "number",
    hints = {
      _"A chunk is S/%d.":format(n),
      _"Each GPU sends %d chunks in step 1 and %d in step 2."
      :format(n - 1, n - 1),
    },
    wrong = {
      [S * (n - 1) // n] = _"That is one of the two steps.",
      [S] = _"Count the chunks: how many does a GPU send in each step?",
      [2 * S] = _"It sends nothing to itself.",
      [S * (n - 1)] = _"That is a GPU that serves everything alone.",
    },
    answer = function() r:finish() return r:sent(0) end,
    why = _"2(N-1)/N S, just what a ring sends. The trouble was not the server, \z
            but that there was only one.",
  }
end
question = both_steps(sharded)
question.again = function(round)
  return both_steps(run(("sharded-server-allreduce --gpus %d --count %d")
                        :format(({ 5, 8, 6 })[round], ({ 10, 8, 12 })[round])))
end
predict(question)
assert(sharded.bytes == 32 and sharded.ranks == 4)
assert(sharded:received(0) == sharded:sent(0))

local ring = run "ring-allreduce --gpus 4 --count 8"
ring:finish()
assert(ring:sent(0) == sharded:sent(0))
assert(#ring:transfers(1) == ring.ranks)
local starts = compare "ring-allreduce sharded-server-allreduce --gpus 4 --count 8 \z
                        --network alpha=20us,beta=0ns"
assert(starts[1].time == starts[2].time and starts[1].time == 20 * ring.steps)
say(_"So compare the ring with sharded servers. Bytes: %d each, with both. \z
      Steps: %d against %d. But a GPU in the ring sends to 1 in a step, here to \z
      %d: that needs links between any two, or a switch that does not jam, and \z
      as many starts: %.0f us each if a start takes 20."
    :format(ring:sent(0), ring.steps, sharded.steps, peers, starts[1].time))

-- How many ranks send data that is not only their own.
local function relays(r)
  local does, count = {}, 0
  for k = 1, r.steps do
    for _, t in ipairs(r:transfers(k)) do
      if t.label:find("[+S]") and not does[t.src] then
        does[t.src], count = true, count + 1
      end
    end
  end
  return count
end

-- How many ranks hand on what others need.
local function needed(r, text)
  return {
    text:format(r.ranks),
    kind = "number",
    hints = { _"Look for a GPU that passes nothing on." },
    answer = function() r:finish() return relays(r) end,
  }
end
ring:show()
local why_all = _"All N of them. With a server, one missing worker stops the \z
                  sum too, unless the server is asynchronous."
question = needed(ring, _"\"If the server fails, all stops. So take a ring.\" In \z
                          a ring all-reduce on %d GPUs, how many hand on what \z
                          others need, so that all stops without them?")
question.wrong = {
  [0] = _"Take one GPU out of the ring. Does its next still get all it needs?",
  [1] = _"Which one would that be? No GPU of a ring is special.",
}
question.why = why_all
question.again = function(round)
  local n = ({ 6, 5, 3 })[round]
  if round == 2 then
    local q = needed(run("server-allreduce --gpus " .. n),
                     _"%d GPUs, one of which serves: it adds up and sends the sum \z
                       back. How many of them hand on what others need?")
    q.wrong = { [n] = _"A worker sends its own data, and hands on nothing." }
    q.why = _"Only the server. But one missing worker stops the sum too."
    return q
  end
  local q = needed(run("ring-allreduce --gpus " .. n),
                   _"A ring all-reduce on %d GPUs. How many of them hand on what \z
                     others need, so that all stops without them?")
  q.wrong = question.wrong
  q.why = why_all
  return q
end
predict(question)
assert(relays(server) == 1)

-- To wire: every GPU serves one chunk.
local function wire(n, text, steps)
  return {
    text:format(n),
    kind = "wiring", of = "all-reduce", ranks = n, chunks = n, ports = n - 1,
    par = { steps = 2, chunks = 2 * (n - 1) },
    hints = { _"Step 1: each GPU sends chunk 1 to GPU 1, which adds it, and so on. \z
                Step 2: each sends its sum to all." },
    answer = function() return steps end,
    why = _"Two steps, and 2(N-1)/N S out of each GPU.",
  }
end
question = wire(3, _"Make one yourself: wire sharded servers, where each of %d GPUs \z
                     adds up one chunk for all, in 2 steps. A GPU can send to \z
                     both others in one step.",
                { "0>1 +1, 0>2 +2, 1>0 +0, 1>2 +2, 2>0 +0, 2>1 +1",
                  "0>1 =0, 0>2 =0, 1>0 =1, 1>2 =1, 2>0 =2, 2>1 =2" })
question.again = function(round)
  local n = ({ 3, 5, 4 })[round]
  local up, down = {}, {}
  for rank = 1, n - 1 do
    up[rank], down[rank] = rank .. ">0 +0", "0>" .. rank .. " =0"
  end
  return {
    _"Wire one server: GPU 0 adds up the data of %d GPUs and sends the sum back."
      :format(n),
    kind = "wiring", of = "all-reduce", ranks = n, links = "star", ports = n - 1,
    par = { steps = 2, chunks = n - 1 },
    hints = { _"Step 1: all send to GPU 0, which adds." },
    answer = function()
      return { table.concat(up, ", "), table.concat(down, ", ") }
    end,
    why = _"Two steps as well, but (N-1) S out of one GPU.",
  }
end
predict(question)

server:show()
play {
  _"With a: 8 GPUs. Then --delay 0=300 holds up the server; --delay 3=300 a \z
    worker, and all wait just the same. Take ring-allreduce with a delay, \z
    too. Add --pace free and look at the timeline (v).",
  try = { "8", "--delay 0=300", "--delay 0=0 --delay 3=300", "ring-allreduce", "--pace free" },
}

lecture()
remember {
  _"One server: (N-1) S in and out of one GPU, N/2 times what a ring needs.",
  _"Sharded servers: 2(N-1)/N S each, like a ring; 2 steps, N-1 peers each.",
  _"An all-reduce needs all N, with a server or without: any one can stop it.",
}
used {
  nccl = "ncclAllReduce",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"Within one machine small tensors are often summed everyone to \z
           everyone (\"one-shot\"), larger ones by shards (\"two-shot\").",
}
