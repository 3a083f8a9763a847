-- SPDX-License-Identifier: MIT
lesson {
  number = 2,
  day = 1,
  minutes = 4,
  lecture = 4,
  title = _"Broadcast",
  idea = _"One has it, all get it: one after the other, or along a tree.",
}

lecture()
say {
  _"Eight processes start to train one model, each on its own GPU with its \z
    own copy. Each has drawn its initial weights at random, so the copies \z
    differ. As long as they do, it makes no sense to add up their \z
    gradients.\n\n\z
    So one rank, the root, gives its weights to all. That is a broadcast. \z
    Two GPUs are enough to see what it promises.",
  notes = _"Someone will say: use the same seed everywhere. It works until \z
            one process has drawn one more number, or has loaded a file.",
}

local two = run "flat-broadcast --gpus 2"
predict {
  _"GPU 1 had B0, weights of its own. A broadcast never reads them, so the \z
    picture leaves them out. GPU 0 broadcasts A0. What has GPU 1 then?",
  kind = "label",
  at = { 1, 0 },
  hints = { _"There is room for one set of weights." },
  wrong = {
    B0 = _"Then nothing would have changed, and the copies would still differ.",
    ["A0+B0"] = _"Nothing is added, and there is no room for two sets of \z
                  weights.",
    [""] = _"The root gives its weights to all. GPU 1 is one of them.",
  },
  answer = function() two:finish() return two:holds(1, 0) end,
  why = _"The root's data is written over what was there. Nothing is put \z
          beside it and nothing is added.",
  again = function(round)
    local n, root, rank = 4, ({ 1, 2, 3 })[round], ({ 3, 0, 2 })[round]
    local had, gets = ({ "D0", "A0", "C0" })[round], ({ "B0", "C0", "D0" })[round]
    local other = run(("flat-broadcast --gpus %d --root %d"):format(n, root))
    return {
      _"Before a broadcast from GPU %d the four GPUs had A0, B0, C0 and D0, each \z
        data of its own. What has GPU %d afterwards?":format(root, rank),
      kind = "label",
      at = { rank, 0 },
      wrong = {
        [had] = _"Then nothing would have changed, and the copies would still \z
                  differ.",
        [had .. "+" .. gets] = _"Nothing is added, and there is no room for two \z
                                 sets of weights.",
      },
      answer = function() other:finish() return other:holds(rank, 0) end,
      why = _"The root's data is written over what was there. Nothing is put \z
              beside it and nothing is added.",
    }
  end,
}
assert(two:holds(0, 0) == two:holds(1, 0))

say(_"Many texts write \"D0\" for the data of rank 0 and \"D1\" for that of rank \z
      1. After a broadcast from rank 0 every rank holds \"D0\". A figure that \z
      shows \"[D0, D1]\" is wrong: that is an all-gather, lesson 6.")

say {
  _"Three words are used from here on. N is the number of GPUs, S the bytes \z
    that one GPU has, its data. Flat is the plain way: the root sends to every \z
    other GPU itself, without help.",
  terms = { "N", "S", "flat" },
}

-- Why answers that nobody foresaw are wrong: of bytes, steps and messages.
local function of_copies(copy)
  return function(given)
    return _"A copy has %d bytes: so many bytes are %.4g copies."
      :format(copy, given / copy)
  end
end
local function of_steps(given, steps)
  if given > steps then
    return _"It takes fewer: in every step all GPUs that have it can send."
  end
  local k = math.max(0, given // 1)
  return _"After %d steps at most %d GPUs can have it.":format(k, 2 ^ k)
end
local function of_messages(given, all)
  return given < all and
    _"So few do not reach all: each message gives the data to one GPU." or
    _"Then some GPU would receive what it has already."
end

-- How many bytes leave the root if it sends to all others itself.
local function leaves_root(r)
  return {
    _"%d GPUs. The weights are %d bytes here, and GPU 0 sends them to each of \z
      the others itself. How many bytes leave GPU 0?":format(r.ranks, r.bytes),
    kind = "number",
    hints = { _"How many GPUs does it send to?" },
    wrong = {
      [r.bytes] = _"That is one copy. How many GPUs want one?",
      [r.ranks * r.bytes] = _"One copy too many: does GPU 0 send to itself?",
      [r.ranks - 1] = _"That is the number of copies. How many bytes are they?",
    },
    reason = of_copies(r.bytes),
    answer = function() r:finish() return r:sent(0) end,
    why = _"N-1 copies. It counts as one step, but all of them have to go out \z
            through the root's link.",
  }
end
local flat = run "flat-broadcast --gpus 8"
local question = leaves_root(flat)
question.again = function(round)
  return leaves_root(run("flat-broadcast --count 10 --gpus " ..
                         ({ 6, 16, 4 })[round]))
end
lecture()
predict(question)

local tree = run "binomial-broadcast --gpus 8"
lecture()
say(_"The other GPUs sent nothing. Now they help: whoever has the data \z
      passes it on, and in one step a GPU sends to one other at most. This \z
      is a binomial tree. Step 1 is GPU 0 to GPU 4.")

lecture()
predict {
  _"How many steps does it take until all 8 GPUs have A0?",
  kind = "number",
  hints = {
    _"After step 1 two GPUs have it. How many of them can send in step 2?",
    _"The number of GPUs that have it doubles with every step.",
  },
  wrong = {
    [7] = _"That is one message in each step. Who else can send in step 2?",
    [8] = _"GPU 0 has it before the first step, and it is not the only sender.",
    [1] = _"Then GPU 0 would have sent to all. Here it sends to one in a step.",
  },
  reason = of_steps,
  notes = _"Most say 7. Draw eight circles, and let the class say in each \z
            step what every GPU that has the data does.",
  answer = function()
    for k = 1, tree.steps do
      tree:step()
      local have = 0
      for rank = 0, tree.ranks - 1 do
        if tree:holds(rank, 0) == "A0" then have = have + 1 end
      end
      assert(have == 2 ^ k, "the number that has it doubles")
    end
    return tree.steps
  end,
  why = _"1, 2, 4, 8 GPUs have it: log2 N steps. It would be 7 if only the \z
          root sent, one message a step.",
  again = function(round)
    local n = ({ 16, 4, 32 })[round]
    local other = run("binomial-broadcast --gpus " .. n)
    return {
      _"A binomial tree on %d GPUs. How many steps does it take until all have \z
        the data of GPU 0?":format(n),
      kind = "number",
      wrong = {
        [n - 1] = _"That is one message in each step. Who else can send in step \z
                    2?",
        [n // 2] = n > 4 and _"In so many steps far more GPUs can have it: \z
                               count 1, 2, 4, ..." or nil,
      },
      reason = of_steps,
      answer = function() other:finish() return other.steps end,
      why = _"The number of GPUs that have it doubles with each step: log2 N, \z
              rounded up.",
    }
  end,
}
assert(tree:transfers(1)[1].dst == 4 and #flat:transfers(1) == 7)

local function messages(r)
  local n = 0
  for k = 1, r.steps do n = n + #r:transfers(k) end
  return n
end
predict {
  _"And how many messages were sent in all, in these %d steps?"
  :format(tree.steps),
  kind = "number",
  hints = { _"Each message gave the data to one GPU that did not have it." },
  wrong = {
    [tree.steps] = _"Those are the steps. More than one message is sent in a \z
                     step.",
    [tree.ranks] = _"One too many: who needed no message?",
    [tree.ranks * tree.steps] = _"Not every GPU sends in every step: most have \z
                                  nothing yet.",
  },
  reason = of_messages,
  answer = function()
    assert(messages(tree) == messages(flat), "as many as without a tree")
    return messages(tree)
  end,
  why = _"N-1, as without a tree: every GPU but the root has to receive once. \z
          A tree saves time, because many send at once. It saves no bytes.",
  again = function(round)
    local n = ({ 16, 6, 12 })[round]
    local other = run("binomial-broadcast --gpus " .. n)
    return {
      _"A broadcast along a binomial tree of %d GPUs takes %d steps. How many \z
        messages are sent in all?":format(n, other.steps),
      kind = "number",
      wrong = {
        [other.steps] = _"Those are the steps. More than one message is sent in \z
                          a step.",
        [n] = _"One too many: who needed no message?",
        [n * other.steps] = _"Not every GPU sends in every step: most have \z
                              nothing yet.",
      },
      reason = of_messages,
      answer = function() other:finish() return messages(other) end,
      why = _"N-1, as without a tree: every GPU but the root has to receive \z
              once.",
    }
  end,
}

say(_"What it does save is work for the root: %d bytes left GPU 0, log2 N \z
      times its data, where the flat broadcast took %d. GPU 4, which got it \z
      first, has sent twice, and GPU 2 and GPU 6 once."
    :format(tree:sent(0), flat:sent(0)))
assert(tree:sent(0) == 3 * tree.bytes and tree:sent(4) == 2 * tree.bytes)
assert(tree:sent(2) == tree.bytes and tree:sent(6) == tree.bytes)

local nine = run "binomial-broadcast --gpus 9"
lecture "spare"
predict {
  _"One GPU more: 9. How many steps now?",
  kind = "number",
  hints = { _"How many can have it after 3 steps?" },
  wrong = {
    [3] = _"In 3 steps the number of GPUs that have it doubles three times, \z
            from 1.",
    [8] = _"That is one message in each step. In a tree many send at once.",
  },
  reason = of_steps,
  answer = function() nine:finish() return nine.steps end,
  why = _"After 3 steps at most 8 have it, and the ninth needs one more: \z
          log2 N, rounded up. This step would be enough for 16.",
  again = function(round)
    local n, k = ({ 5, 17, 7 })[round], ({ 2, 4, 2 })[round]
    local other = run("binomial-broadcast --gpus " .. n)
    return {
      _"A binomial tree reaches %d GPUs in %d steps. How many steps does it take \z
        for %d?":format(2 ^ k, k, n),
      kind = "number",
      wrong = {
        [k] = _"In so many steps the number of GPUs that have it doubles as \z
                often, from 1.",
        [n - 1] = _"That is one message in each step. In a tree many send at \z
                    once.",
        [k + n - 2 ^ k] = n - 2 ^ k > 1 and
          _"In one more step each GPU that has it sends, not only one." or nil,
      },
      reason = of_steps,
      answer = function() other:finish() return other.steps end,
      why = _"The number of GPUs that have it doubles with each step: log2 N, \z
              rounded up.",
    }
  end,
}

-- What a step costs: with next to no data each message of a port, one after
-- another; a rank that sends one and receives one in a step pays once.
local algorithms = "flat-broadcast binomial-broadcast chain-broadcast --gpus 8"
local small = compare(algorithms .. " --network alpha=20us,beta=0ns")
for i, sends in ipairs { flat.ranks - 1, tree.steps } do
  assert(math.abs(small[i].time - 20 * sends) < 1e-6)
  assert(small[i].sent == sends * flat.bytes)
end
say(_"Is one step quicker than three? With next to no data only starts count, \z
      20 us each here: one for each message that a port sends after another. \z
      Flat: %d from one port, %.0f us. Tree: %d, %.0f us. So time is steps x \z
      20 us only where no GPU sends or receives more than one in a step."
    :format(flat.ranks - 1, small[1].time, tree.steps, small[2].time))

local large = compare(algorithms .. " --count 4194304 --network ethernet")
local chunks = large[3].steps - (tree.ranks - 1) + 1 -- steps: N-1 + C-1
assert(large[3].sent == 4 * 4194304 and large[3].time < large[2].time)
say(_"Large data, 16 MiB: the chain cuts it into chunks that follow one another \z
      from GPU to GPU. With %d chunks it takes N-1 + %d-1 = %d steps, but short \z
      ones, and no GPU sends more than its data once: %.1f ms on ethernet, \z
      where the tree takes %.1f."
    :format(chunks, chunks, large[3].steps, large[3].time / 1e3,
            large[2].time / 1e3))

-- To wire a tree: in each step each GPU that has the data sends to one more.
local function wire(n, root, steps)
  return {
    _"Make one yourself: wire a broadcast from GPU %d to %d GPUs that takes %d steps. \z
      In a step a GPU sends to one other at most.":format(root, n, steps),
    kind = "wiring", of = "broadcast", ranks = n, root = root,
    par = { steps = steps },
    hints = {
      _"Who can send in step 2? Let all of them send.",
      _"No GPU needs the data twice: send to GPUs that have nothing yet.",
    },
    answer = function()
      local have, wired = { root }, {}
      while #have < n do
        local step = {}
        for i = 1, math.min(#have, n - #have) do
          have[#have + 1] = (have[#have] + 1) % n
          step[i] = ("%d>%d 0"):format(have[i], have[#have])
        end
        wired[#wired + 1] = table.concat(step, ", ")
      end
      return wired
    end,
    why = _"It does not matter who sends to whom, as long as every GPU that has it \z
            sends.",
  }
end
question = wire(8, 0, 3)
question.again = function(round)
  return wire(({ 4, 5, 6 })[round], ({ 1, 2, 0 })[round], ({ 2, 3, 3 })[round])
end
predict(question)

tree:show()
play {
  _"Press a and try 16 GPUs, then 17. Then --root 3: who sends in step 1 \z
    now, and to whom?",
  try = { "16", "17", "--root 3" },
}

lecture()
remember {
  _"Broadcast: the root's data on every rank, and no other data anywhere.",
  _"Flat: N-1 messages, one link. Binomial tree: log2 N steps, rounded up.",
  _"N-1 messages in both: a tree saves time, not bytes.",
}
used {
  nccl = "ncclBroadcast",
  pytorch = "torch.distributed.broadcast",
  mpi = "MPI_Bcast",
  text = _"For initial weights: in DDP, in FSDP1 with sync_module_states, in \z
           FSDP2 with broadcast_from_rank0. NCCL's broadcast is a chain along \z
           its ring.",
}
