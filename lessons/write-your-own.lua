-- SPDX-License-Identifier: MIT
lesson {
  number = 24,
  day = 7,
  minutes = 8,
  program = "star.lua",
  title = _"Write your own",
  idea = _"An algorithm is a text of ten lines: who sends what to whom, in which \z
           step.",
}

say {
  _"You have seen some twenty algorithms. None of them is magic: each is a list of \z
    steps, and each step a list of transfers. In this lesson you read two that are \z
    written as a script, in Lua, and then you write one.\n\n\z
    collviz takes such a file wherever it takes the name of an algorithm: it runs \z
    it, draws it, measures it, and proves it for as many GPUs as you like.",
  notes = _"lessons/algorithms/README.md is the whole language, on a page. Let the \z
            class write on their own machines, in pairs.",
}

local star = run "./code/star.lua --gpus 4"
code { "star.lua", from = "algorithm {", to = "copy { from = 0" }
say(_"This is star.lua. n is the number of GPUs. add sends a chunk to another \z
      GPU, which adds it to its own; copy replaces. What a step sends is what was \z
      there before the step, so the order of its lines does not matter.")

local function transfers(r)
  local n = 0
  for k = 1, r.steps do n = n + #r:transfers(k) end
  return n
end
code { "star.lua", from = "algorithm {", to = "copy { from = 0" }
predict {
  _"Read the two loops. How many transfers does star.lua make with 4 GPUs, in both \z
    steps together?",
  kind = "number",
  hints = { _"r runs from 1 to n - 1. How many turns are that?" },
  wrong = {
    [3] = _"That is one of the two loops.",
    [8] = _"r begins with 1: GPU 0 sends nothing to itself.",
    [2] = _"Those are the steps. Each loop makes several transfers in its step.",
    [4] = _"r begins with 1, and there are two loops.",
  },
  answer = function() star:finish() return transfers(star) end,
  why = _"n - 1 to GPU 0, and n - 1 back: all of them in two steps.",
  again = function(round)
    local n = ({ 6, 3, 9 })[round]
    local other = run("./code/star.lua --gpus " .. n)
    return {
      _"for r = 1, n - 1 do add { from = r, to = 0, chunk = 0 } end, and the same loop \z
        back with copy. How many transfers are that with n = %d?":format(n),
      kind = "number",
      hints = { _"r runs from 1 to n - 1. How many turns are that?" },
      wrong = {
        [n - 1] = _"That is one of the two loops.",
        [2 * n] = _"r begins with 1: GPU 0 sends nothing to itself.",
        [2] = _"Those are the steps. Each loop makes several transfers in its step.",
      },
      answer = function() other:finish() return transfers(other) end,
      why = _"n - 1 to GPU 0, and n - 1 back.",
    }
  end,
}

local early = run "./code/early.lua --gpus 4"
predict {
  _"early.lua is star.lua with a slip: its first loop runs from 1 to n - 2. 4 GPUs. \z
    What does GPU 2 hold in the end?",
  kind = "label",
  at = { 2, 0 },
  hints = { _"Which values does r take? Whose data does GPU 0 add, and what does it \z
             hand out?" },
  wrong = {
    S0 = _"Somebody's data has not come to GPU 0.",
    C0 = _"The second loop is as it was: GPU 0 sends to it.",
    ["A0+B0"] = _"r takes two values, and GPU 0 has its own data as well.",
  },
  answer = function() early:settle() return early:holds(2, 0) end,
  why = _"GPU 3 never sends its data: the loop ends before its turn.",
  again = function(round)
    local n = ({ 3, 5, 3 })[round]
    local rank = ({ 1, 1, 2 })[round]
    local other = run("./code/early.lua --gpus " .. n)
    return {
      _"A script has %d GPUs send their data to GPU 0, which adds, and then back. But \z
        the first loop is for r = 1, n - 2. What does GPU %d hold in the end?"
      :format(n, rank),
      kind = "label",
      at = { rank, 0 },
      hints = { _"Which values does r take? Whose data does GPU 0 add?" },
      wrong = {
        S0 = _"Somebody's data has not come to GPU 0.",
        [string.char(65 + rank) .. "0"] =
          _"The second loop is as it was: GPU 0 sends to it.",
        A0 = _"The loop takes at least one turn.",
      },
      answer = function() other:settle() return other:holds(rank, 0) end,
      why = _"The data of the last GPU is missing: its turn never comes.",
    }
  end,
}

say(_"This is what collviz check says of early.lua with 4 GPUs:\n\n%s\n\nThe number after \z
      the name is the line that wrote this slot last."
    :format(early:proof()))

local ring = run "./code/turns.lua --gpus 5"
code { "turns.lua", from = "algorithm {", to = "copy { from" }
say(_"A star has one busy GPU. turns.lua is a ring: an all-gather, in which chunk r is \z
      what GPU r begins with. (r + 1) % n is the next GPU round the ring, and \z
      (r - k) % n is never negative: with n = 5, (0 - 1) % 5 is 4.")

local function sends(r, rank, k)
  for _, t in ipairs(r:transfers(k)) do
    if t.src == rank then return t.src_slot end
  end
end
predict {
  _"k is 0 in the first step. 5 GPUs: which chunk does GPU 1 send in the third step? \z
    (Its number.)",
  kind = "number",
  hints = {
    _"k is 2 then. What is (r - k) % n for r = 1?",
    _"(1 - 2) % 5: count back two from 1, round the ring.",
  },
  wrong = {
    [-1] = _"% makes it a number from 0 to n - 1.",
    [3] = _"k counts from 0: in the third step it is 2.",
    [1] = _"That is the first step, with k = 0.",
    [0] = _"That is the second step, with k = 1.",
  },
  answer = function() ring:step(3) return sends(ring, 1, 3) end,
  why = _"What came in one step goes on in the next: the rule says it with one k.",
  again = function(round)
    local n, rank, k = ({ 4, 6, 7 })[round], ({ 0, 2, 3 })[round],
                       ({ 2, 4, 6 })[round]
    local other = run("./code/turns.lua --gpus " .. n)
    return {
      _"copy { from = r, to = (r + 1) %% n, chunk = (r - k) %% n }, with k = 0 in the \z
        first step. Which chunk does GPU %d send in step %d, with n = %d?"
      :format(rank, k, n),
      kind = "number",
      hints = { _"What is k in that step? Count back so many, round the ring." },
      wrong = {
        [(rank - k) % n] = _"k counts from 0: in step 1 it is 0.",
        [rank] = _"That is the first step.",
      },
      answer = function() other:step(k) return sends(other, rank, k) end,
      why = _"(r - k) % n, with k one less than the step.",
    }
  end,
}
ring:finish()

play(_"Now you. The key s shows star.lua: leave the lesson, write such a text into \z
       mine.lua, and type: collviz mine.lua --gpus 4. Change it, and press r. Then: \z
       collviz check mine.lua --gpus 1..9. A goal: an all-reduce of 8 in 3 steps. \z
       lessons/algorithms/README.md has all verbs.")

remember {
  _"A script says in each step who sends which chunk to whom: add or copy.",
  _"Rules are numbers modulo n; check proves them for a range of GPUs.",
  _"A file works where a name does: run, compare, chart, bench, --backend.",
}
used {
  nccl = "ncclSend, ncclRecv",
  pytorch = "torch.distributed.batch_isend_irecv",
  mpi = "MPI_Isend, MPI_Irecv",
  text = _"MSCCL's runtime takes algorithms as XML files: collviz export mine.lua \z
           --msccl writes one. MSCCLang: Cowan and others, 2023.",
}
