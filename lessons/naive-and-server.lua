-- SPDX-License-Identifier: MIT
lesson {
  number = 9,
  day = 3,
  minutes = 4,
  lecture = true,
  title = _"Everyone to everyone, and one server",
  idea = _"Where all data goes through one node, that node's link decides.",
}

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

predict {
  _"Each GPU sends all it has to each of the others. How many bytes does GPU 0 \z
    send?",
  kind = "number",
  hints = { _"How many others are there?" },
  wrong = {
    [naive.bytes] = _"That is what goes to one of the others.",
    [naive.ranks * naive.bytes] = _"Does it send to itself, too?",
  },
  answer = function() naive:finish() return naive:sent(0) end,
  why = _"(N-1) S out of every GPU, and as much into it. It was sent in one \z
          step; the second step only adds up, and tables do not count it.",
}
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
say(_"One server: GPU 0, which has data of its own as well. It received %d \z
      bytes, (N-1) S, and sent %d. Each of the others sent %d and received as \z
      many. Over all links that is %d bytes; before it was %d. Less in all, \z
      but GPU 0 has no less to do than before."
    :format(server:received(0), server:sent(0), server:sent(1), total(server),
            total(naive)))
assert(server:received(0) == (server.ranks - 1) * server.bytes)
assert(server:sent(0) == naive:sent(0) and server:sent(1) == server.bytes)
assert(server:received(1) == server.bytes)

local eight = run "server-allreduce --gpus 8 --count 8"
predict {
  _"Now 8 GPUs with the same S each. How many times S will go out of the \z
    server?",
  kind = "number",
  hints = { _"To how many GPUs does it send the sum?" },
  wrong = {
    [8] = _"One of the 8 GPUs is the server itself.",
    [1] = _"That is what each worker sends.",
    [14] = _"That is in and out together.",
  },
  answer = function()
    eight:finish()
    assert(eight:received(0) == eight:sent(0))
    assert(eight:sent(1) == eight.bytes and eight:received(1) == eight.bytes)
    return eight:sent(0) // eight.bytes
  end,
  why = _"N-1 times out, and N-1 times in. A worker still sends and receives S \z
          once: its link is idle most of the time.",
}

local costs = compare "server-allreduce ring-allreduce --gpus 8 --count 8"
say(_"On the same 8 GPUs a ring, which is the next lesson, sends %d bytes from \z
      each GPU, 2(N-1)/N S. The server sends %d. In both, all links together \z
      carry the same; but with a server all of it passes one port."
    :format(costs[2].sent, costs[1].sent))
assert(costs[2].sent * eight.ranks == 2 * (eight.ranks - 1) * eight.bytes)
assert(costs[2].received == costs[2].sent)
assert(costs[2].sent * eight.ranks == total(eight))

predict {
  _"So the busiest GPU moves how many times as much with a server as with a \z
    ring, on 8 GPUs?",
  kind = "number",
  hints = { _"(N-1) S, divided by 2(N-1)/N S. The (N-1) S goes away." },
  wrong = {
    [7] = _"7 S is what the server moves. And a GPU of the ring moves more \z
            than S.",
    [8] = _"Divide the two numbers of the table.",
    [3.5] = _"Close: a GPU of the ring moves a little less than 2 S.",
  },
  notes = _"Ask for the number first, then for a formula in N.",
  answer = function()
    return costs[1].sent / costs[2].sent
  end,
  why = _"N/2. At N=2 they are the same; with 64 GPUs it would be 32 times.",
  again = function(round)
    local n = ({ 4, 16, 12 })[round]
    return {
      _"All-reduce on %d GPUs. How many times as much as in a ring does the \z
        busiest GPU send with a server?":format(n),
      kind = "number",
      wrong = {
        [n - 1] = _"A GPU of the ring sends more than S.",
        [n] = _"A GPU of the ring sends more than S, the server less than N S.",
      },
      answer = function()
        local c = compare(("server-allreduce ring-allreduce --gpus %d --count %d")
                          :format(n, n))
        return c[1].sent / c[2].sent
      end,
      why = _"(N-1) S against 2(N-1)/N S: N/2.",
    }
  end,
}
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

local at_server = additions(eight)
local eight_ring = run "ring-allreduce --gpus 8 --count 8"
predict {
  _"Bytes are not all: somebody has to add, too. With the server GPU 0 made \z
    all %d additions, 7 vectors of 8 numbers, and the others none. How many \z
    does GPU 0 make in this ring?":format(at_server[0]),
  kind = "number",
  hints = { _"In each step of the first half one chunk comes in: one number." },
  wrong = {
    [56] = _"That is all of them. Who else adds here?",
    [14] = _"In the second half nothing is added.",
    [8] = _"One of the numbers is its own, and is in place.",
    [1] = _"One in each step of the first half.",
  },
  answer = function()
    local adds = additions(eight_ring)
    for rank = 0, eight_ring.ranks - 1 do assert(adds[rank] == adds[0]) end
    assert(adds[0] * eight_ring.ranks == at_server[0])
    return adds[0]
  end,
  why = _"7, and every other GPU as many: together 56 again. A ring balances \z
          the additions as well as the bytes.",
}
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

predict {
  _"In step 2 each server sends its chunk to all. How many bytes does each GPU \z
    send, both steps together? S = 32, N = 4.",
  kind = "number",
  hints = {
    _"A chunk is a quarter of S.",
    _"Each GPU sends three chunks in step 1 and three in step 2.",
  },
  wrong = {
    [24] = _"That is one of the two steps.",
    [32] = _"Count the chunks: how many does a GPU send in each step?",
    [64] = _"It sends nothing to itself.",
    [96] = _"That is a GPU that serves everything alone.",
  },
  answer = function()
    sharded:finish()
    return sharded:sent(0)
  end,
  why = _"2(N-1)/N S, just what a ring sends. The trouble was not the server, \z
          but that there was only one.",
}
assert(sharded.bytes == 32 and sharded.ranks == 4)
assert(sharded:received(0) == sharded:sent(0))

local ring = run "ring-allreduce --gpus 4 --count 8"
ring:finish()
assert(ring:sent(0) == sharded:sent(0))
assert(#ring:transfers(1) == ring.ranks)
say(_"So compare the ring with sharded servers. Bytes: %d each, with both. \z
      Steps: %d against %d. Peers: a GPU in the ring sends to 1, here to %d \z
      at once, which needs links between any two, or a switch that does not \z
      jam.":format(ring:sent(0), ring.steps, sharded.steps, peers))

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

predict {
  _"\"If the server fails, all stops. So take a ring.\" In this ring, how many \z
    of the 4 GPUs hand on what others need, so that all stops without them?",
  kind = "number",
  hints = { _"Look for a GPU that passes nothing on." },
  wrong = {
    [0] = _"Take one GPU out of the ring. Does its next still get all it \z
            needs?",
    [1] = _"Which one would that be? No GPU of a ring is special.",
  },
  answer = function() return relays(ring) end,
  why = _"All N of them. With a server, one missing worker stops the sum too, \z
          unless the server is asynchronous.",
}
assert(relays(server) == 1)

server:show()
play {
  _"With a: 8 GPUs. Then --delay 0=300 holds up the server; --delay 3=300 a \z
    worker, and all wait just the same. Take ring-allreduce with a delay, \z
    too. Add --pace free and look at the timeline (v).",
  try = { "8", "--delay 0=300", "--delay 0=0 --delay 3=300", "ring-allreduce", "--pace free" },
}

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
