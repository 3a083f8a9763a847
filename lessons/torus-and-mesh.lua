-- SPDX-License-Identifier: MIT
lesson {
  number = 16,
  day = 5,
  minutes = 6,
  title = _"Torus and mesh",
  idea = _"Short rings along the rows, then along the columns, and back.",
}

say {
  _"One long ring: 2(N-1) steps. Arrange the same GPUs in X rows of Y, and \z
    make a ring of every row and of every column. Such a grid with \z
    wrap-around links is a torus.\n\n\z
    The links may really be there, as in Blue Gene/P, which has three \z
    directions. Or the grid is only a logical one, as that on which Mikami \z
    and others (2018) trained.",
  notes = _"A sheet of paper rolled up in both directions makes a torus: that \z
            is what the wrap-around links do.",
}

local t = run "torus2d-allreduce --shape 2x3"
local chunk = t.bytes // t.ranks

local function sends(r, rank, k)
  local to, bytes, n = {}, 0, 0
  for _, x in ipairs(r:transfers(k)) do
    if x.src == rank then
      if not to[x.dst] then n = n + 1 end
      to[x.dst] = true
      bytes = bytes + x.bytes
    end
  end
  return n, bytes, to
end
local function busiest(r)
  local most = 0
  for rank = 0, r.ranks - 1 do most = math.max(most, r:sent(rank)) end
  return most
end

say(_"Six GPUs in 2 rows of 3, six chunks each. First each row does what you \z
      know, a reduce-scatter on its own ring. GPU 2, the last of its row, sends \z
      to GPU 0, the first: that is the wrap-around.")

predict {
  _"After the two steps of the rows: what will GPU 4 hold in slot 2?",
  kind = "label",
  at = { 4, 2 },
  hints = {
    _"Until now nothing has left a row.",
    _"GPU 4's row is GPU 3, GPU 4, GPU 5: the letters D, E, F.",
  },
  wrong = {
    ["D2+E2"] = _"That is how far it can be after one step.",
    S2 = _"Nothing from the other row has come here yet.",
    ["D2+E2+C2"] = _"C2 is in the other row.",
  },
  answer = function() t:step(2) return t:holds(4, 2) end,
  why = _"It is its row's sum. The other row has its own in the same column, in \z
          the same slot of GPU 1.",
  again = function(round)
    local rank = ({ 0, 5, 2 })[round]
    local other = run "torus2d-allreduce --shape 2x3"
    other:go(2)
    -- The first slot with its row's sum.
    local slot, first = 0, rank // 3 * 3
    local function letters(n)
      local list = {}
      for k = 0, n - 1 do list[k + 1] = string.char(65 + first + k) .. slot end
      return table.concat(list, "+")
    end
    while #other:holds(rank, slot) < 8 do slot = slot + 1 end
    other:go(0)
    return {
      _"A torus of 2 rows of 3 GPUs. The rows have taken their two steps of a \z
        reduce-scatter. GPU %d is complete in slot %d, as far as its row goes: \z
        what does it hold there?":format(rank, slot),
      kind = "label",
      at = { rank, slot },
      hints = { _"Until now nothing has left a row. Whose letters are in it?" },
      wrong = {
        ["S" .. slot] = _"Nothing from the other row has come here yet.",
        [string.char(65 + rank) .. slot] = _"That is what it began with.",
        [letters(2)] = _"A row has three GPUs.",
      },
      answer = function() other:step(2) return other:holds(rank, slot) end,
      why = _"It is its row's sum.",
    }
  end,
}
assert(select(2, sends(t, 4, 1)) == 2 * chunk)
assert(t:holds(1, 2) == "A2+B2+C2")

t:step()
assert(select(2, sends(t, 4, 3)) == chunk)
for rank = 0, t.ranks - 1 do
  local whole = 0
  for slot = 0, t.ranks - 1 do
    if t:holds(rank, slot) == "S" .. slot then whole = whole + 1 end
  end
  assert(whole == 1, "each GPU owns one chunk half way")
end

local function torus_steps(shape)
  local other = run(("torus%dd-allreduce --shape %s")
                    :format(select(2, shape:gsub("x", "x")) + 1, shape))
  other:finish()
  return other.steps
end
predict {
  _"Now the columns have done the same. This is half way: each GPU owns one \z
    whole sum. The all-gather goes back the same way, columns first, then \z
    rows. How many steps will it be altogether? A ring of 6 takes 10.",
  kind = "number",
  hints = {
    _"Half of it is done: count the steps so far.",
    _"Along a row of 3 a ring takes 3-1 steps, and as many back.",
  },
  wrong = {
    [10] = _"That is one long ring of all six.",
    [3] = _"That is half way.",
    [5] = _"Three steps so far. Does the way back take fewer?",
  },
  answer = function() t:finish() return t.steps end,
  why = _"2(X-1) + 2(Y-1): columns of X = 2 take 1 step and 1 back, rows of Y = \z
          3 take 2 and 2 back.",
  again = function(round)
    local x, y = ({ 3, 2, 5 })[round], ({ 4, 6, 3 })[round]
    return {
      _"GPUs in %d rows of %d, with wrap-around both ways. How many steps does an \z
        all-reduce on this torus take?":format(x, y),
      kind = "number",
      hints = { _"Along a row of Y a ring takes Y-1 steps, and as many back." },
      wrong = {
        [2 * (x * y - 1)] = _"That is one long ring of all of them.",
        [x + y - 2] = _"That is half way.",
        [2 * (x + y)] = _"A ring of Y takes Y-1 steps, not Y.",
      },
      answer = function() return torus_steps(x .. "x" .. y) end,
      why = _"2(X-1) + 2(Y-1).",
    }
  end,
}
assert(2 * (t.ranks - 1) == 10 and t.steps == 2 * (2 - 1) + 2 * (3 - 1))
assert(t:sent(0) * t.ranks == 2 * (t.ranks - 1) * t.bytes)
say(_"And the bytes? Each GPU has %d and sent %d: 2(N-1)/N S, exactly a \z
      ring's. Along its row it sent 2 chunks a step, along its column only 1, \z
      for only what it owns goes on. Row links and column links take turns, \z
      never both at once."
    :format(t.bytes, t:sent(0)))

predict {
  _"Three directions: 8 GPUs as 2 by 2 by 2. How many steps does that take?",
  kind = "number",
  hints = { _"A ring of 2 takes 1 step, and 1 back. There are three directions." },
  wrong = {
    [3] = _"That is the reduce-scatter. The sums have to come back.",
    [14] = _"That is one long ring of 8.",
  },
  answer = function()
    local cube = run "torus3d-allreduce --shape 2x2x2"
    cube:finish()
    return cube.steps
  end,
  why = _"2(X-1) + 2(Y-1) + 2(Z-1). With 2 in every direction the torus is the \z
          hypercube, and this is halving-doubling.",
  again = function(round)
    local shape = ({ "3x2x2", "2x3x3", "4x2x2" })[round]
    local x, y, z = shape:match "(%d)x(%d)x(%d)"
    return {
      _"GPUs as %d by %d by %d, a torus in three directions. How many steps does an \z
        all-reduce take?":format(x, y, z),
      kind = "number",
      hints = { _"Each direction is a ring: as many steps as its GPUs less one, and \z
                 as many back." },
      wrong = {
        [2 * (x * y * z - 1)] = _"That is one long ring of all of them.",
        [x + y + z - 3] = _"That is half way.",
        [2 * (x + y + z)] = _"A ring of Y takes Y-1 steps, not Y.",
      },
      answer = function() return torus_steps(shape) end,
      why = _"2(X-1) + 2(Y-1) + 2(Z-1).",
    }
  end,
}
local c = compare "ring-allreduce torus2d-allreduce torus3d-allreduce --gpus 64"
assert(c[1].sent == c[2].sent and c[2].sent == c[3].sent)
assert(c[1].steps > c[2].steps and c[2].steps > c[3].steps)

local m = run "mesh2d-allreduce --shape 2x3"
say(_"A mesh is the grid without the wrap-around: GPU 2 has no link to GPU 0. So \z
      no ring, but two chains in each row, one from each end. What moves right \z
      is summed for the GPUs on the right, what moves left for those on the \z
      left.")

predict {
  _"On the torus it took 6 steps. How many does the mesh take, without the \z
    wrap-around?",
  kind = "number",
  hints = { _"From one end of a row of 3 to the other it is 2 steps." },
  wrong = {
    [12] = _"Both chains of a row run at the same time.",
    [8] = _"Both chains of a row run at the same time. How far must data go?",
    [3] = _"That is half way: the sums have to come back.",
    [4] = _"The mesh has fewer links than the torus, not more.",
  },
  answer = function() m:finish() return m.steps end,
  why = _"As many: a chain takes as many steps as a ring of its length, and the \z
          chains from both ends run at the same time.",
  again = function(round)
    local shape = ({ "3x3", "2x5", "4x4" })[round]
    local x, y = shape:match "(%d)x(%d)"
    return {
      _"A mesh of %d rows of %d GPUs, without wrap-around: chains from both ends of \z
        each row and column. How many steps does an all-reduce take?"
      :format(x, y),
      kind = "number",
      hints = { _"From one end of a row of Y to the other it is Y-1 steps." },
      wrong = {
        [4 * (x + y - 2)] = _"Both chains of a row run at the same time.",
        [x + y - 2] = _"That is half way: the sums have to come back.",
        [2 * (x * y - 1)] = _"That is one long ring of all of them.",
      },
      answer = function()
        local other = run("mesh2d-allreduce --shape " .. shape)
        other:finish()
        return other.steps
      end,
      why = _"2(X-1) + 2(Y-1), as on a torus.",
    }
  end,
}
assert(t.steps == 6)
for k = 1, m.steps do
  for _, x in ipairs(m:transfers(k)) do
    local d = math.abs(x.src - x.dst)
    assert(d == 3 or d == 1 and x.src // 3 == x.dst // 3, "no wrap-around")
  end
end

m:go(1)
predict {
  _"This is the mesh after step 1. In the next step, to how many GPUs does GPU \z
    4, in the middle of its row, send at once?",
  kind = "number",
  hints = { _"It has received from its left and from its right." },
  wrong = {
    [1] = _"On the torus it was one. What has come in here, and from where?",
    [3] = _"This step is one of its row: the column has not begun.",
  },
  answer = function() m:step() return (sends(m, 4, 2)) end,
  why = _"Two: the chain to the left and the chain to the right both pass \z
          through it. The %d steps hold only if it can send two at a time."
        :format(m.steps),
  again = function(round)
    local shape, rank = ({ "3x3", "2x3", "2x3" })[round], ({ 4, 0, 1 })[round]
    local other = run("mesh2d-allreduce --shape " .. shape)
    other:go(1)
    return {
      _"A mesh of %d rows of 3 GPUs, after step 1. To how many GPUs does GPU %d send \z
        in step 2?":format(other.ranks // 3, rank),
      kind = "number",
      hints = { _"From how many sides has it received something?" },
      wrong = {
        [3] = _"This step is one of its row: the column has not begun.",
        [rank == 0 and 2 or 1] = rank == 0 and
          _"A chain begins or ends here. On how many sides has it a neighbour?" or
          _"Two chains pass through it, one each way.",
      },
      answer = function() other:step() return (sends(other, rank, 2)) end,
      why = _"One for each chain of its row that goes on from it.",
    }
  end,
}
for k = 1, t.steps do
  for rank = 0, t.ranks - 1 do assert(sends(t, rank, k) == 1) end
end
m:finish()
say(_"So keep count of the sends in a step, too: on the torus one a GPU, on the \z
      mesh two in the middle. GPU 4 sent %d bytes, %.3g S, and GPU 0 in its \z
      corner %d. A torus spreads the load evenly: %d each."
    :format(m:sent(4), m:sent(4) / m.bytes, m:sent(0), t:sent(0)))
assert(busiest(m) == m:sent(4))

-- To wire: chains from both ends of a row, at the same time.
local function row_gather(n)
  local steps = {}
  for k = 1, n - 1 do
    local list = {}
    for rank = 0, n - 1 do
      if rank + 1 < n and rank - k + 1 >= 0 then
        list[#list + 1] = ("%d>%d =%d"):format(rank, rank + 1, rank - k + 1)
      end
      if rank > 0 and rank + k - 1 < n then
        list[#list + 1] = ("%d>%d =%d"):format(rank, rank - 1, rank + k - 1)
      end
    end
    steps[k] = table.concat(list, ", ")
  end
  return steps
end
local function wire(text, n, steps, of, links)
  return {
    text:format(n, #steps),
    kind = "wiring", of = of or "all-gather", ranks = n, links = links or "line",
    ports = 2, par = { steps = #steps },
    hints = { _"Both neighbours can be sent to in the same step.",
              _"What came from one side goes on to the other side." },
    answer = function() return steps end,
    why = _"No data can cross more than one link in a step, and none has to wait.",
  }
end
local made = wire(_"Make one row of the mesh: %d GPUs in a line, GPU r begins with slot \z
                    r. Wire an all-gather in %d steps, with two sends a step.",
                  3, row_gather(3))
function made.again(round)
  if round == 1 then
    return wire(_"%d GPUs in a line; GPU r begins with slot r, and may send to both \z
                  neighbours in a step. Wire an all-gather in %d steps.",
                4, row_gather(4))
  elseif round == 2 then
    return wire(_"%d GPUs in a line; a GPU may send to both neighbours. Wire a \z
                  reduce-scatter in %d steps: slot r of GPU r becomes a sum.", 3,
                { "0>1 +2, 2>1 +0, 0>1 +1, 2>1 +1", "1>2 +2, 1>0 +0" },
                "reduce-scatter")
  end
  return wire(_"A mesh of 2 rows and 2 columns, %d GPUs; GPU r begins with slot r. \z
                Wire an all-gather in %d steps.", 4,
              { "0>1 =0, 1>0 =1, 2>3 =2, 3>2 =3",
                "0>2 =0..1, 1>3 =0..1, 2>0 =2..3, 3>1 =2..3" },
              "all-gather", "mesh 2x2")
end
predict(made)

t:show()
play {
  _"Press a and try --shape 2x8, then --shape 4x4: 16 GPUs both times. Which \z
    takes fewer steps, and why?",
  try = { "--shape 2x8", "--shape 4x4" },
}

remember {
  _"Reduce-scatter along rows, then columns; all-gather back.",
  _"2(X-1) + 2(Y-1) steps, and no more bytes than one ring.",
  _"A mesh has no wrap-around: chains both ways, two sends a step.",
}
used {
  nccl = nil,
  pytorch = "torch.distributed.all_reduce",
  mpi = _"MPI_Allreduce (grids: MPI_Cart_create)",
  text = _"NCCL has no torus; one can be made of its reduce-scatter and \z
           all-gather by row and column. 3D: Jain and Sabharwal, 2010. Meshes, \z
           routing round failed chips: Kumar and Jouppi, 2020.",
}
