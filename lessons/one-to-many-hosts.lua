-- SPDX-License-Identifier: MIT
lesson {
  number = 23,
  day = 7,
  minutes = 9,
  title = _"From one host to many",
  idea = _"Most of the work inside a host, where links are fast; little between \z
           hosts.",
}

say {
  _"Until now all links were alike. In a cluster they are not: the GPUs of a \z
    host are joined by NVLink, and hosts by a network, which a GPU reaches \z
    through a network card, a NIC.\n\n\z
    In a DGX H100, NVLink moves 450 GB/s from each GPU. Its eight NICs move 50 \z
    GB/s each, nine times less, and a message takes longer to begin.\n\n\z
    How should an all-reduce use two levels of links?",
  notes = _"The figures are NVIDIA's: data sheets of the H100 and of ConnectX-7. \z
            All times of this lesson are modelled, on two hosts of four GPUs.",
}

local net = " --count 1000000 --network 2x4,inside=nvlink,between=infiniband"
local ring = run("ring-allreduce --gpus 8" .. net)
local function host(rank) return rank // 4 end

-- The pairs of GPUs of different hosts that a step joins, and the bytes that
-- `rank` sends to another host in all steps.
local function crossing(r, k)
  local pairs, n = {}, 0
  for _, x in ipairs(r:transfers(k)) do
    local pair = x.src .. ">" .. x.dst
    if host(x.src) ~= host(x.dst) and not pairs[pair] then
      pairs[pair] = true
      n = n + 1
    end
  end
  return n
end
local function leaving(r, rank)
  local bytes = 0
  for k = 1, r.steps do
    for _, x in ipairs(r:transfers(k)) do
      if x.src == rank and host(x.dst) ~= host(rank) then
        bytes = bytes + x.bytes
      end
    end
  end
  return bytes
end

say(_"Two hosts: GPUs 0 to 3 and GPUs 4 to 7, each with a NIC of its own. First \z
      the ring that you know, in the order of the ranks: from GPU 3 it goes on \z
      to GPU 4, in the other host.")

predict {
  _"In each step all 8 GPUs send to the next one. How many of these 8 messages \z
    leave their host?",
  kind = "number",
  hints = { _"A ring comes back to where it began." },
  wrong = {
    [1] = _"That is from GPU 3 to GPU 4. And how does data come back?",
    [4] = _"GPUs 0, 1 and 2 send to a GPU of their own host.",
    [8] = _"GPU 0 sends to GPU 1, which is in its own host.",
  },
  answer = function() ring:step() return crossing(ring, 1) end,
  why = _"Two: GPU 3 sends to GPU 4, and GPU 7 to GPU 0.",
  again = function(round)
    local hosts, gpus = ({ 3, 4, 2 })[round], ({ 4, 2, 5 })[round]
    return {
      _"A ring over %d hosts of %d GPUs, in the order of the ranks. How many of \z
        a step's messages leave their host?":format(hosts, gpus),
      kind = "number",
      answer = function()
        local r = run("ring-allreduce --gpus " .. hosts * gpus)
        r:step()
        local n = 0
        for _, x in ipairs(r:transfers(1)) do
          if x.src // gpus ~= x.dst // gpus then n = n + 1 end
        end
        return n
      end,
      why = _"One for each host: the ring enters and leaves each once.",
    }
  end,
}

local flat = run "ring-allreduce --gpus 8 --count 1000000 --network nvlink"
flat:go(flat.steps)
local alone = flat:time()
local function longer() return ring:time() / alone end
predict {
  _"On NVLink alone this ring takes %.0f us. On two hosts 2 of its 8 links are nine \z
    times slower. How much longer does it take?":format(alone),
  choices = { _"about twice as long", _"over 6 times",
              _"a quarter longer" },
  hints = { _"In the next step, what does GPU 4 send?" },
  wrong = {
    [1] = _"That would be so if the steps shared the cost evenly.",
    [3] = _"GPU 4 can only send on what has come to it over the slow link.",
  },
  answer = function()
    ring:show()
    ring:finish()
    return longer() > 6 and 2 or longer() > 1.5 and 1 or 3
  end,
  why = _"Every chunk goes over the slow links, and what waits for a chunk waits \z
          for them: a ring is as fast as its slowest link.",
  again = function(round)
    local slower = ({ 4, 10, 20 })[round]
    local function of(hosts)
      local r = run(("ring-allreduce --gpus 8 --count 8000 --network \z
                      %salpha=0us,beta=%dns%s")
                    :format(hosts and "hosts=2,gpus=4," or "", 1, hosts and
                            (",between-alpha=0us,between-beta=%dns"):format(slower)
                            or ""))
      r:go(r.steps)
      return r:time()
    end
    return {
      _"A ring of 8 GPUs on two hosts, in the order of the ranks. 2 of its 8 links \z
        are %d times as slow, and starting a message costs nothing. How many times \z
        as long does it take as with 8 fast links?":format(slower),
      kind = "number",
      hints = { _"Every chunk goes over the slow links, one after another." },
      wrong = {
        [(2 * slower + 6) / 8] = _"That is the mean of the links. Do the fast ones \z
                                   help?",
        [slower / 4] = _"Every step uses the slow links, not one in four.",
        [2 * slower] = _"The two slow links work at the same time.",
      },
      answer = function() return math.floor(of(true) / of(false) * 10 + 0.5) / 10 end,
      why = _"A ring is as fast as its slowest link.",
    }
  end,
}
assert(leaving(ring, 3) * 4 == 7 * ring.bytes)
say(_"It took %.0f us: %.1f times as long. Over the NIC of GPU 3 went %.2f S, as \z
      much as over any link of the ring, and the NICs of four GPUs had nothing \z
      to do.":format(ring:time(), longer(), leaving(ring, 3) / ring.bytes))

local two = run("hierarchical-allreduce --shape 2x4" .. net)
say(_"So do it in two levels. First a reduce-scatter inside each host: GPU r ends \z
      with its host's sum of a quarter. Then each GPU adds its quarter with that \z
      of its counterpart in the other host. An all-gather inside ends it.")
predict {
  _"After the 3 steps of the reduce-scatter inside the hosts: what will GPU 1 \z
    hold in slot 2?",
  kind = "label",
  at = { 1, 2 },
  hints = {
    _"Nothing has left a host yet.",
    _"The letters of the first host are A, B, C and D.",
  },
  wrong = {
    S2 = _"A complete sum has the other host's data in it, too.",
    B2 = _"That is what it began with.",
    ["B2+F2"] = _"GPU 5, with F, is in the other host.",
  },
  answer = function() two:step(3) return two:holds(1, 2) end,
  why = _"The sum of its host. GPU 5 has that of the other one, in the same slot.",
  again = function(round)
    local rank, slot = ({ 6, 3, 0 })[round], 0
    local other = run "hierarchical-allreduce --shape 2x4"
    other:go(3)
    while #other:holds(rank, slot) < 11 do slot = slot + 1 end
    other:go(0)
    return {
      _"Two hosts of 4 GPUs. The hosts have done their reduce-scatter inside, 3 \z
        steps, and nothing has left them. GPU %d is complete in slot %d, as far as \z
        its host goes: what does it hold there?":format(rank, slot),
      kind = "label",
      at = { rank, slot },
      hints = { _"Whose letters are in it? GPU 0 to 3 are A to D, GPU 4 to 7 E to H." },
      wrong = {
        ["S" .. slot] = _"A complete sum has the other host's data in it, too.",
        [string.char(65 + rank) .. slot] = _"That is what it began with.",
      },
      answer = function() other:step(3) return other:holds(rank, slot) end,
      why = _"The sum of its host.",
    }
  end,
}
assert(two:holds(5, 2) == "E2+F2+G2+H2")

predict {
  _"Next the hosts exchange. How much does each GPU send through its NIC, in \z
    parts of S? (On the ring GPU 3 sent 1.75.)",
  kind = "number",
  hints = {
    _"What a GPU has to add is a quarter of S.",
    _"An all-reduce on 2 GPUs sends 2(2-1)/2 of its data.",
  },
  wrong = {
    [1.75] = _"That is the ring's. Here only a quarter has to be added.",
    [1] = _"That is all of S. A GPU takes care of a quarter only.",
    [0.5] = _"That counts what comes, too. How much of it goes?",
  },
  answer = function()
    two:finish()
    return leaving(two, 1) / two.bytes
  end,
  why = _"2(X-1)/X of S/Y for X hosts of Y GPUs: all NICs share the work.",
  again = function(round)
    local x, y = ({ 4, 2, 4 })[round], ({ 4, 8, 2 })[round]
    return {
      _"A hierarchical all-reduce on %d hosts of %d GPUs. How much does each GPU \z
        send through its NIC, in parts of S?":format(x, y),
      kind = "number",
      answer = function()
        local r = run(("hierarchical-allreduce --shape %dx%d"):format(x, y))
        local bytes = 0
        r:finish()
        for k = 1, r.steps do
          for _, t in ipairs(r:transfers(k)) do
            if t.src == 0 and t.dst // y > 0 then bytes = bytes + t.bytes end
          end
        end
        return bytes / r.bytes
      end,
      why = _"2(X-1)/X of S/Y for X hosts of Y GPUs.",
    }
  end,
}
say(_"%.0f us instead of %.0f. GPU 1 has exchanged with GPU 5 alone, GPU 2 with \z
      GPU 6: such sets of counterparts are called rails, and in large clusters \z
      each rail has switches of its own."
    :format(two:time(), ring:time()))
assert(two:time() < ring:time() / 3)

local one = net .. ",nics=1"
local slower = run("ring-allreduce --gpus 8" .. one)
slower:go(slower.steps)
local shared = run("hierarchical-allreduce --shape 2x4" .. one)
shared:go(shared.steps)
two:show()
predict {
  _"A cheaper machine: one NIC for all four GPUs of a host. Which takes longer \z
    than before, the ring or the hierarchical all-reduce?",
  choices = { _"the ring alone", _"the hierarchical", _"both of them",
              _"neither of them" },
  hints = { _"How many GPUs of a host sent through their NICs at the same time?" },
  wrong = {
    [1] = _"In the ring one GPU of each host sent through its NIC.",
    [3] = _"In one of them only one GPU of each host sends to the other host.",
    [4] = _"In one of them the four GPUs of a host sent at the same time.",
  },
  answer = function()
    local r = slower:time() > ring:time() * 1.01
    local h = shared:time() > two:time() * 1.01
    return r and h and 3 or r and 1 or h and 2 or 4
  end,
  why = _"Four quarters in turn: all of S goes through one NIC. That is still \z
          less than the ring's 1.75 S.",
  again = function(round)
    local nics, gpus = ({ 2, 1, 4 })[round], ({ 4, 2, 8 })[round]
    return {
      _"Two hosts of %d GPUs, which share the NICs of their host: it has %d. In a \z
        hierarchical all-reduce every GPU sends its share of S between the hosts. How much goes \z
        out of a NIC, in parts of S?":format(gpus, nics),
      kind = "number",
      hints = { _"Each GPU sends S divided by the GPUs of a host. How many of them \z
                 share a NIC?" },
      wrong = {
        [1 / gpus] = nics < gpus and _"So much sends one GPU. How many GPUs share a \z
                                       NIC?" or nil,
        [1.75] = _"That is the ring's.",
      },
      answer = function()
        local r = run(("hierarchical-allreduce --shape 2x%d"):format(gpus))
        r:finish()
        local most, sent = 0, {}
        for rank = 0, gpus - 1 do
          local nic = rank * nics // gpus
          for k = 1, r.steps do
            for _, x in ipairs(r:transfers(k)) do
              if x.src == rank and x.dst >= gpus then
                sent[nic] = (sent[nic] or 0) + x.bytes
              end
            end
          end
          most = math.max(most, sent[nic])
        end
        return most / r.bytes
      end,
      why = _"All S go out of a host, and its NICs share them.",
    }
  end,
}
say(_"With one NIC a host the hierarchical all-reduce takes %.0f us instead of \z
      %.0f, the ring %.0f as before. Count the NICs, not only their rate."
    :format(shared:time(), two:time(), slower:time()))

local nvls = run "nvls-allreduce --gpus 4"
say(_"Inside a host there is one more way. The switch that joins the GPUs can \z
      add: all send it the same part, and it gives the sum to one, which sends \z
      it back; and what comes back the switch sends to all at once. NCCL calls \z
      this NVLS.")
predict {
  _"Each of 4 GPUs sends all of its S to the switch, and later the share whose \z
    sum it got. How much does it send, in parts of S? (On a ring it is 1.5.)",
  kind = "number",
  hints = { _"Its share is a quarter." },
  wrong = {
    [1] = _"That is what it gives for the sums. Then its share goes back.",
    [2] = _"It sends back its share alone, not everybody's.",
    [1.5] = _"That is the ring's.",
  },
  answer = function()
    nvls:finish()
    return nvls:sent(0) / nvls.bytes
  end,
  why = _"(N+1)/N S. A ring's 2(N-1)/N is the least without such a switch: with \z
          one, the copies are made on the way.",
  again = function(round)
    local n = ({ 8, 16, 5 })[round]
    return {
      _"An all-reduce by a switch that adds (NVLS), on %d GPUs. How much does a \z
        GPU send, in parts of S?":format(n),
      kind = "number",
      answer = function()
        local r = run(("nvls-allreduce --gpus %d --count %d"):format(n, 2 * n))
        r:finish()
        return r:sent(0) / r.bytes
      end,
      why = _"(N+1)/N S: all of S, and then its share.",
    }
  end,
}
assert(nvls:sent(0) * 4 == 5 * nvls.bytes)

local all = compare("ring-allreduce hierarchical-allreduce nvls-tree-allreduce \z
                     collnet-direct-allreduce --gpus 8" .. net)
assert(all[2].time < all[1].time and all[3].time < all[1].time)
say(_"NVLS tree has such a switch in each host and a tree between hosts. CollNet \z
      lets a switch of the network add (SHARP). Both send less, or take fewer \z
      steps: which of them is the fastest depends on S, as always (lesson 22).")

-- To choose: an algorithm for a network, said before the chart shows the times.
local names = { "ring-allreduce", "butterfly-allreduce", "hierarchical-allreduce" }
local function choose(hosts, gpus, nics, kib)
  local size = kib * 1024
  local times
  local function at(i)
    local command = ("%s --gpus %d --shape %dx%d --network \z
                      %dx%d,alpha=0.6us,beta=0.0022ns,between-alpha=2.7us,\z
                      between-beta=0.02ns,nics=%d,name=cluster"):format(
      table.concat(names, " "), hosts * gpus, hosts, gpus, hosts, gpus, nics)
    if not times then
      times = {}
      for k, curve in ipairs(chart(command).curves) do
        for _, point in ipairs(curve.points) do
          if point[1] == size then times[k] = point[2] end
        end
      end
    end
    return times[i]
  end
  return {
    (nics == 1 and
     _"You choose: an all-reduce of %d KiB on %d hosts of %d GPUs, with one NIC a \z
       host. To start a message takes 0.6 us inside a host and 2.7 us between two. \z
       Which is the fastest?" or
     _"You choose: an all-reduce of %d KiB on %d hosts of %d GPUs, each with its own \z
       NIC. To start a message takes 0.6 us inside a host and 2.7 us between two. \z
       Which is the fastest?"):format(kib, hosts, gpus),
    choices = names,
    hints = { _"Small data: how many messages follow one another? Large data: how \z
                much goes through a NIC?" },
    answer = function()
      local best = 1
      for i = 2, #names do
        if at(i) < at(best) then best = i end
      end
      for i = 1, #names do assert(i == best or at(i) > 1.2 * at(best)) end
      return best
    end,
    reason = function(given, best)
      return _"It takes %.1f times as long as the fastest."
        :format(at(given) / at(best))
    end,
    why = _"Small data pays for messages that wait for one another: the butterfly \z
            has the fewest. Large data pays for the bytes of a NIC.",
  }
end
local chosen = choose(2, 4, 1, 64)
function chosen.again(round)
  return choose(table.unpack(({ { 2, 4, 4, 16384 }, { 4, 4, 1, 16 },
                                { 4, 2, 2, 1024 } })[round]))
end
predict(chosen)

two:show()
play {
  _"Press a and change the network: other NICs, other hosts. When is a plain \z
    ring good enough?",
  try = { "--network 2x4,inside=pcie,between=infiniband", "--network nvlink" },
}

remember {
  _"A ring over hosts is as fast as its slowest link.",
  _"Two levels: inside, across, inside; each NIC carries 2(X-1)/X S/Y.",
  _"From 4 GPUs on a switch that adds saves bytes: (N+1)/N S are sent.",
}
used {
  nccl = "NCCL_ALGO=NVLS,NVLSTree,CollNetDirect; NCCL_CROSS_NIC",
  pytorch = "torch.distributed.all_reduce",
  mpi = _"MPI_Allreduce (--mca coll_han_priority 100)",
  text = _"NCCL's log says which rings and trees it built, and which NICs it \z
           uses (NCCL_DEBUG=INFO). Hierarchical: Jiang and others, 2020.",
}
