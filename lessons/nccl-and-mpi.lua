-- SPDX-License-Identifier: MIT
lesson {
  number = 21,
  day = 7,
  minutes = 10,
  picture = "ring-allreduce --gpus 4 --count 4",
  program = "allreduce_mpi_nccl.c",
  title = _"NCCL and MPI",
  idea = _"In a program a collective is one call, and seven chances to get it \z
           wrong.",
}

say {
  _"Nobody writes a ring for a training job. The libraries have the \z
    collectives: MPI on processors, NCCL on GPUs, and PyTorch calls NCCL.\n\n\z
    An all-reduce is one call there: MPI_Allreduce, ncclAllReduce. The library \z
    chooses the algorithm: a ring, a tree, or another one.\n\n\z
    First a call beside our own ring. Then a real program, line by line, and \z
    what goes wrong in such programs.",
  notes = _"The program is in lessons/code. It is complete: let the class build \z
            it where there are GPUs.",
}

-- Our ring, and the library of this machine if there is one; else a butterfly.
local function two_ways()
  for _, backend in ipairs { "nccl", "mpi" } do
    local ok, r = pcall(run, "ring-allreduce --gpus 4 --count 4 --native --backend "
                             .. backend)
    if ok then return r end
  end
  return run "ring-allreduce --gpus 4 --count 4"
end

-- How many elements of all ranks' results differ.
local function differences(a, b)
  local n = 0
  for rank = 0, a.ranks - 1 do
    local x, y = a:values(rank), b:values(rank)
    for i = 1, #x do n = n + (x[i] ~= y[i] and 1 or 0) end
  end
  return n
end

local r = two_ways()
local outcome
predict {
  _"Four ranks with four numbers each add up twice: by our ring, and by a library \z
    or another algorithm. The numbers are small and whole. In how many of the 16 \z
    results do the two differ, bit for bit?",
  kind = "number",
  wrong = {
    [16] = _"The numbers are small and whole. Is anything rounded?",
    [4] = _"Each rank has the whole sum. Is anything rounded?",
    [1] = _"The numbers are small and whole. Is anything rounded?",
  },
  hints = { _"When does the order of addition matter? (Lesson 18)" },
  answer = function()
    outcome = r:settle()
    assert(outcome.verdict == "correct")
    if outcome.native then return outcome.native.differ end
    local butterfly = run "butterfly-allreduce --gpus 4 --count 4"
    butterfly:settle()
    return differences(r, butterfly)
  end,
  why = _"These sums are exact, so their order makes no difference. Test \z
          programs use such numbers, to be able to compare with ==.",
  again = function(round)
    local list = ({ "1e8/-1e8/1/1", "3/1/4/1", "1e8/1/-1e8/1" })[round]
    local input = " --gpus 4 --input " .. list
    return {
      _"Four ranks hold %s, in float32. They add up by a ring and by a butterfly, on \z
        one number each. In how many of the 4 results do the two differ?"
      :format((list:gsub("/", ", "))),
      kind = "number",
      hints = { _"When does the order of addition matter? (Lesson 18)" },
      answer = function()
        local a = run("ring-allreduce" .. input)
        a:finish()
        local b = run("butterfly-allreduce" .. input)
        b:finish()
        return differences(a, b)
      end,
      why = _"Small whole numbers are exact. 1e8 + 1 is rounded, and then the order \z
              decides.",
    }
  end,
}
if outcome.native then
  say(_"The other one was %s: one call. It took %.0f us, and does not show its \z
        steps. Our ring stopped after every step, so its time cannot be \z
        compared."
      :format(outcome.native.call, outcome.native.us))
else
  say(_"The other one was our butterfly: neither NCCL nor MPI works on this \z
        machine (collviz doctor says why). What follows needs neither of them.")
end

-- No run answers a question about the program, so it is not judged: the next
-- page says whether the answer was the true one, if there was an answer.
local function verdict(said, truth, text)
  if said == nil then return text end
  return (said == truth and _"Right. %s" or _"No. %s"):format(text)
end
local file = "allreduce_mpi_nccl.c"

code { file, from = "type error_ = (call);", to = "return failed(#call" }
say(_"The program. Every call goes through this macro, which checks it (1). A call \z
      that fails and is not checked shows much later: as a wrong sum, or as a \z
      hang.")

code { file, from = "element(int rank, int i)", to = "}" }
say(_"Each rank fills its array with this (2): the number depends on the rank \z
      and on the index. Many programs use ones or zeros instead.")
local zeros = "ring-allreduce --input 0,0,0/0,0,0/0,0,0 --fault drop:1:2"
predict {
  _"A program tests with zeros only, and one message is lost. How many wrong \z
    elements will it find?",
  kind = "number",
  wrong = { [1] = _"What does an element hold that was not added to?" },
  hints = { _"What is 0 + 0, and what is 0 without the other 0?" },
  answer = function()
    local outcome = run(zeros):settle()
    assert(outcome.verdict == "wrong")
    return outcome.wrong
  end,
  why = _"Every value is right, and the sum is not: a contribution is missing. \z
          Only the letters in the blocks show it.",
  again = function(round)
    local row = ({ "1,1,1", "0,0,0,0", "1,1,1,1" })[round]
    local n, at = ({ 3, 4, 4 })[round], ({ "1:2", "2:1", "6:0" })[round]
    local command = ("ring-allreduce --input %s --fault drop:%s")
                    :format((row .. "/"):rep(n):sub(1, -2), at)
    local zeros = round == 2
    return {
      zeros and
      _"A ring of %d. All elements are 0, and a message of step %d is lost. How many \z
        wrong elements are found, on all ranks together?"
      :format(n, math.tointeger(at:match "%d")) or
      _"A ring of %d, %d elements each. All are 1, and a message of step %d is lost. \z
        How many wrong elements are found, on all ranks together?"
      :format(n, n, math.tointeger(at:match "%d")),
      kind = "number",
      hints = { _"What does an element hold that was not added to? And to whom is \z
                 it passed on?" },
      wrong = {
        [round == 3 and n or 1] = round == 3 and
          _"In the last step sums are complete, and go to one rank each." or
          zeros and _"What does an element hold that was not added to?" or
          _"That sum is passed on to all others.",
        [n * n] = _"One chunk is concerned. The other chunks are right.",
      },
      answer = function() return run(command):settle().wrong end,
      why = _"In the first half a lost message spoils a chunk on all ranks; in the \z
              last step on one. With zeros it does not show.",
    }
  end,
}

code { file, from = "MPI_Comm_split_type", to = "cudaSetDevice" }
local device = ask {
  _"(3) chooses the GPU. Two hosts with 4 GPUs each, ranks 0 to 3 and 4 to 7. \z
    With cudaSetDevice(rank), which GPU does rank 5 ask for? (It has 0 to 3.)",
  kind = "number",
  hints = { _"rank is the rank among all eight." },
}
say(verdict(device, 5, _"It asks for GPU 5, and there is none on that host: an \z
      error, if the call is checked. local_rank would be 1."))

code { file, from = "cudaStreamCreateWithFlags", to = "return true" }
local stream = ask {
  _"(4) Another program passes cudaStreamDefault, a flag, where a stream is \z
    asked for. What happens?",
  choices = { _"the compiler refuses it", _"it runs in another stream",
              _"NCCL returns an error" },
  hints = { _"The flag is the number 0. What is 0 as a pointer?" },
}
say(verdict(stream, 2, _"It runs: 0 is a null pointer, and that is the default \z
      stream. Copies in a stream like this one are not ordered with it."))

code { file, from = "ncclUniqueId id;", to = "ncclCommInitRank" }
say(_"(5) All ranks need the same id. Rank 0 makes it, and MPI_Bcast carries \z
      it to the others. If each made its own, all would wait for the others of \z
      its own group, for ever.")

code { file, from = "cudaMemcpyAsync(j->device", to = "cudaStreamSynchronize" }
local sum = ask {
  _"(6) ncclAllReduce has returned. Is the sum in j->device?",
  choices = { _"on every rank", _"perhaps not yet", _"only on rank 0" },
  hints = { _"When does this call return?" },
}
say(verdict(sum, 2, _"Perhaps not yet: it returns when the work is in the \z
      stream, not when it is done. The copy comes after it in the same stream, \z
      and the last line waits."))

code { file, from = "if (!ran)", to = "MPI_Finalize" }
local gone = run "ring-allreduce --gpus 4 --delay 1=inf --pace free"
code { file, from = "if (!ran)", to = "MPI_Finalize" }
predict {
  _"(7) A rank fails, calls MPI_Finalize and returns, without MPI_Abort. The \z
    three others are in the next all-reduce, a ring. How many of them wait for \z
    ever?",
  kind = "number",
  wrong = {
    [0] = _"Who would tell them? The number of ranks was fixed when the \z
            communicator was made.",
    [1] = _"The neighbour waits first. And which GPU waits for the neighbour?",
    [2] = _"Go round the ring: which GPU waits for which?",
    [4] = _"One of the four has returned: it does not wait.",
  },
  hints = { _"Whose data does its neighbour in the ring wait for?" },
  answer = function() return #gone:settle().waits end,
  why = _"All of them. In the picture GPU 1 is gone. A rank that fails has to end \z
          all of them, or the job stands still until its time limit.",
  again = function(round)
    local n = ({ 6, 3, 8 })[round]
    local other = run(("ring-allreduce --gpus %d --delay 2=inf --pace free")
                      :format(n))
    return {
      _"A ring of %d. GPU 2 has returned after an error, without MPI_Abort; the \z
        others are in the next all-reduce. How many of them wait for ever?"
      :format(n),
      kind = "number",
      hints = { _"Whose data does its neighbour in the ring wait for?" },
      wrong = {
        [1] = _"The neighbour waits first. And which GPU waits for the neighbour?",
        [0] = _"Who would tell them?",
        [n] = _"One of them has returned: it does not wait.",
      },
      answer = function() return #other:settle().waits end,
      why = _"All others: each needs data that has passed the missing one.",
    }
  end,
}

-- To diagnose: what the check of each rank prints after a message was lost.
local function lost(n, step, rank)
  local command = ("ring-allreduce --gpus %d --count %d"):format(n, n)
  local whole = outputs(command)
  local broken = outputs(("%s --fault drop:%d:%d"):format(command, step, rank))
  local rows, wrong = {}, {}
  for k = 0, n - 1 do
    wrong[k] = 0
    for i, value in ipairs(whole[k + 1]) do
      if broken[k + 1][i] ~= value then wrong[k] = wrong[k] + 1 end
    end
    rows[k + 1] = _"rank %d: %d of %d elements are wrong":format(k, wrong[k], n)
  end
  run(command) -- a question about a GPU needs a run
  lines(rows)
  return {
    _"Find the fault. A ring of %d; the program's check prints this. One message of the \z
      second half was lost, in which the sums are passed on. Which GPU had to send it?"
    :format(n),
    kind = "rank",
    hints = { _"Who misses the sum first, and who gets it from there?" },
    answer = function()
      for k = 0, n - 1 do
        if wrong[k] == 0 and wrong[(k + 1) % n] > 0 then return k end
      end
    end,
    reason = function(given)
      local next = (given + 1) % n
      if wrong[next] == 0 then
        return _"It sends to GPU %d, where all is right.":format(next)
      end
      return _"It passed on what it had: it misses the sum itself."
    end,
    why = _"Its own elements are right, and the next one's are not. All that come after \z
            that one got the old data from it.",
  }
end
local found = lost(4, 5, 2)
function found.again(round)
  return lost(table.unpack(({ { 4, 4, 1 }, { 5, 6, 3 }, { 6, 9, 5 } })[round]))
end
predict(found)

r:show()
say(_"Now read the whole program: s shows it.")
play(_"Build the program where there are GPUs: it says how. Then spoil it as \z
       the questions did, one at a time, and see what its check says.")

remember {
  _"One call does it; the library, not the caller, chooses the algorithm.",
  _"Check every call, choose the device by the local rank, then wait.",
  _"Test with numbers that differ by rank and by index, or errors stay hidden.",
}
used {
  nccl = "ncclCommInitRank, ncclAllReduce",
  pytorch = "torch.distributed.init_process_group, all_reduce",
  mpi = "MPI_Bcast, MPI_Allreduce, MPI_Abort",
  text = _"torchrun sets LOCAL_RANK: the device to choose, as (3) does.",
}
