-- SPDX-License-Identifier: MIT
lesson {
  number = 19,
  day = 6,
  minutes = 3,
  lecture = 4,
  picture = "ring-allreduce --gpus 4 --count 4",
  title = _"Training on four GPUs",
  idea = _"Replicas that add up their gradients and all do the same with the sum \z
           stay equal, bit for bit.",
}

-- The data: 32 samples of three features and a constant, in order of the first
-- feature, so that each GPU sees another part of it.
local SAMPLES, WEIGHTS, STEPS, RATE = 32, 4, 30, 0.3
local samples = {}
for i = 1, SAMPLES do
  local a = 2 * (i - math.random()) / SAMPLES - 1
  local b, c = 2 * math.random() - 1, 2 * math.random() - 1
  local noise = 0.2 * (2 * math.random() - 1)
  samples[i] = { 1, a, b, c, y = 3 + 2 * a - b + c / 2 + a * a + noise }
end

local function error_at(w, s)
  local y = 0
  for j = 1, WEIGHTS do y = y + w[j] * s[j] end
  return y - s.y
end

-- The mean square error over samples[from..to], and its gradient.
local function loss(w, from, to)
  local sum = 0
  for i = from, to do sum = sum + error_at(w, samples[i]) ^ 2 end
  return sum / (to - from + 1)
end
local function gradient(w, from, to)
  local g = {}
  for j = 1, WEIGHTS do
    local sum = 0
    for i = from, to do
      sum = sum + 2 * error_at(w, samples[i]) * samples[i][j]
    end
    g[j] = sum / (to - from + 1)
  end
  return g
end

-- A gradient for each rank, on its own part of the samples.
local function gradients(weights)
  local list, part = {}, SAMPLES // #weights
  for k = 1, #weights do
    list[k] = gradient(weights[k], (k - 1) * part + 1, k * part)
  end
  return list
end

local function float32(x) return (string.unpack("f", string.pack("f", x))) end
local function bits(w) return string.pack("ffff", table.unpack(w)) end
local function word(x)
  return ("%08x"):format((string.unpack("I4", string.pack("f", x))))
end

local function count_different(weights)
  local seen, n = {}, 0
  for _, w in ipairs(weights) do
    if not seen[bits(w)] then n = n + 1 end
    seen[bits(w)] = true
  end
  return n
end

local function zeros(ranks)
  local list = {}
  for k = 1, ranks do list[k] = { 0, 0, 0, 0 } end
  return list
end

-- Trains replicas in float32.  sum(gradients) is what each rank has after it,
-- divisor(k) and rate(k) are what replica k uses.  Returns their weights, the
-- curve of each one's loss on all samples, and the first step after which they
-- were not all equal.
local function train(ranks, how)
  local weights, curves, differs = zeros(ranks), {}, nil
  local function note(step)
    for k, w in ipairs(weights) do
      curves[k] = curves[k] or {}
      curves[k][step + 1] = { step, loss(w, 1, SAMPLES) }
    end
  end
  note(0)
  for step = 1, STEPS do
    local sums = how.sum(gradients(weights))
    for k, w in ipairs(weights) do
      local by, rate = how.divisor(k), how.rate(k, step)
      for j = 1, WEIGHTS do
        w[j] = float32(w[j] - float32(rate * float32(float32(sums[k][j]) / by)))
      end
    end
    note(step)
    if not differs and count_different(weights) > 1 then differs = step end
  end
  return { weights = weights, curves = curves, differs = differs }
end
local function last(curve) return curve[#curve][2] end

lecture()
say {
  _"Data-parallel training: each GPU has a copy of the model, a replica, and its \z
    own part of the data. Here 4 GPUs have 8 samples each, and the model has 4 \z
    weights, which are 0 at first. A step of the training:\n\n\z
    1  Each GPU computes the gradient of the loss on its own 8 samples.\n\z
    2  An all-reduce adds up the four gradients.\n\z
    3  Each GPU divides the sum, and moves its weights: w = w - rate * mean.\n\n\z
    All of it happens here and now: the gradients are computed from the samples, \z
    and each sum comes from a run.",
  notes = _"Ask: which bytes cross the links, samples, weights or gradients? Only \z
            gradients; each replica computes its weights by itself.",
}

local algorithms = { "ring-allreduce", "tree-allreduce", "butterfly-allreduce",
                     "naive-allreduce" }
local algorithm = algorithms[ask {
  _"Which algorithm shall add up the gradients?",
  choices = algorithms,
} or 1]

local function all_reduce(list)
  return outputs { algorithm, input = list }
end
local function everybody(value)
  return function() return value end
end

local first = gradients(zeros(4))
local whole = gradient({ 0, 0, 0, 0 }, 1, SAMPLES)
local r = run { algorithm, input = first }
say(_"The first step. Each GPU holds the gradient of its 8 samples, one number for \z
      each weight. The first number on GPU 0, 1, 2, 3: %.2f, %.2f, %.2f, %.2f. \z
      Each GPU would like to go its own way.\n\z
      Now they are added up, by %s."
    :format(r:values(0)[1], r:values(1)[1], r:values(2)[1], r:values(3)[1],
            algorithm))

-- The number that makes the gradient of all samples of a sum of gradients.
local function divisor_of(sum)
  local n = math.floor(sum[1] / whole[1] + 0.5)
  for j = 1, WEIGHTS do
    assert(math.abs(sum[j] / n - whole[j]) < 1e-5, "the mean is not the gradient")
  end
  return n
end
predict {
  _"A gradient on 8 samples is a mean over these 8. Afterwards each GPU holds the \z
    sum of the four gradients. By which number must it divide that sum, to get \z
    the gradient on all 32 samples?",
  kind = "number",
  hints = { _"How many means have been added up?" },
  wrong = {
    [1] = _"Would a GPU that has all 32 samples get such a large gradient?",
    [8] = _"Each gradient is a mean over its 8 samples already.",
    [32] = _"Each gradient is a mean already. How many of them are in the sum?",
  },
  answer = function()
    r:finish()
    return divisor_of(r:values(0))
  end,
  why = _"The mean of the means is the mean of all, if all parts have the same \z
          size. Four GPUs do the work of one that has all the samples.",
  again = function(round)
    local n = ({ 8, 2, 16 })[round]
    local sums = outputs { "ring-allreduce", input = gradients(zeros(n)) }
    return {
      _"32 samples on %d GPUs. Each computes a gradient, the mean over its own \z
        samples, and an all-reduce adds up the gradients. By which number must \z
        the sum be divided?":format(n),
      kind = "number",
      hints = { _"How many means have been added up?" },
      wrong = {
        [1] = _"Would a GPU that has all 32 samples get such a large gradient?",
        [32] = _"Each gradient is a mean already. How many of them are in the sum?",
        [32 // n] = 32 // n ~= n and
          _"Each gradient is a mean over its own samples already." or nil,
      },
      answer = function() return divisor_of(sums[1]) end,
      why = _"The mean of the means is the mean of all, if all parts have the \z
              same size.",
    }
  end,
}
say(_"The first number of the sum, divided by 4: %.6f. The gradient on all 32 \z
      samples, computed at once: %.6f. They may differ in the last bits, since \z
      the numbers were added in another order (lesson 18)."
    :format(r:values(0)[1] / 4, whole[1]))

local function show_losses(title, series)
  chart { title = title, x = _"step", y = _"loss", series = series }
end

local good
lecture "spare"
predict {
  _"30 such steps, with %s. Each replica moves its weights by itself. How many \z
    different replicas will there be in the end, compared bit for bit?"
    :format(algorithm),
  kind = "number",
  hints = { _"All start with the same weights. What comes to them later, and is it \z
              the same for all?" },
  wrong = {
    [4] = _"They start alike. In which step would one of them do something else?",
    [2] = _"They start alike. In which step would one of them do something else?",
  },
  answer = function()
    good = train(4, { sum = all_reduce, divisor = everybody(4),
                      rate = everybody(RATE) })
    show_losses(_"Loss on all 32 samples, with the all-reduce",
                { { name = _"all four", points = good.curves[1] } })
    return count_different(good.weights)
  end,
  why = _"The same start, the same sum on each GPU, the same arithmetic: the \z
          replicas stay equal, although no weight was ever sent.",
  again = function(round)
    local n, groups = ({ 8, 8, 4 })[round], ({ 2, 1, 2 })[round]
    local function in_groups(list)
      local sums, size = {}, n // groups
      for g = 0, groups - 1 do
        local part = table.move(list, g * size + 1, (g + 1) * size, 1, {})
        table.move(outputs { "ring-allreduce", input = part }, 1, size,
                   g * size + 1, sums)
      end
      return sums
    end
    return {
      groups == 1 and
      _"%d GPUs train with an all-reduce of their gradients. They start alike and \z
        divide by %d. How many different replicas will there be after %d steps, \z
        compared bit for bit?":format(n, n // groups, STEPS) or
      _"%d GPUs train, but by mistake the all-reduce adds up in two halves, each on \z
        its own, and all divide by %d. How many different replicas will there be \z
        after %d steps, compared bit for bit?":format(n, n // groups, STEPS),
      kind = "number",
      hints = { _"Which GPUs always get the same sum?" },
      wrong = {
        [n] = _"Some get the same sum as others, and do the same with it.",
        [groups == 1 and 2 or 1] = groups == 1 and
          _"They start alike. In which step would one of them do something else?" or
          _"Do the two halves ever hear of each other?",
      },
      answer = function()
        return count_different(train(n, { sum = in_groups, rate = everybody(RATE),
                                          divisor = everybody(n // groups) })
                               .weights)
      end,
      why = _"Replicas that get the same sums stay equal.",
    }
  end,
}
assert(last(good.curves[1]) < good.curves[1][1][2] / 10)
say {
  _"The loss fell from %.2f to %.2f. The 32 bits of the first weight, on GPU 0 to \z
    3: %s %s %s %s.":format(
    good.curves[1][1][2], last(good.curves[1]), word(good.weights[1][1]),
    word(good.weights[2][1]), word(good.weights[3][1]), word(good.weights[4][1])),
  notes = _"Go back and choose another algorithm. Its sums may differ in their \z
            last bits (lesson 18), but they are the same on all GPUs.",
}

local alone
lecture()
predict {
  _"Again, without the all-reduce: each GPU takes its own gradient for the mean. \z
    How many different replicas will there be after 30 steps?",
  kind = "number",
  hints = { _"Does anything go from one GPU to another?" },
  wrong = {
    [1] = _"What keeps them equal, if nothing goes from one to another?",
    [2] = _"Do any two of them see the same samples?",
  },
  notes = _"Ask where one would notice this in a real training: the loss of \z
            one replica alone may look fine.",
  answer = function()
    alone = train(4, { sum = function(list) return list end,
                       divisor = everybody(1), rate = everybody(RATE) })
    local series = { { name = _"all-reduce", points = good.curves[1] } }
    for k = 1, 4 do
      series[k + 1] = { name = _"GPU %d alone":format(k - 1),
                        points = alone.curves[k] }
    end
    show_losses(_"Loss on all 32 samples, without the all-reduce", series)
    return count_different(alone.weights)
  end,
  why = _"Four trainings instead of one. Each knows 8 samples only, and ends \z
          worse on all 32 than the replicas with the sum.",
  again = function(round)
    local n = ({ 8, 2, 16 })[round]
    return {
      _"%d GPUs train, each on its own samples, and nobody calls the all-reduce. All \z
        start alike. How many different replicas will there be after %d steps?"
      :format(n, STEPS),
      kind = "number",
      hints = { _"Does anything go from one GPU to another?" },
      wrong = {
        [1] = _"What keeps them equal, if nothing goes from one to another?",
        [n == 2 and 0 or 2] = _"Do any two of them see the same samples?",
      },
      answer = function()
        return count_different(train(n, { sum = function(list) return list end,
                                          rate = everybody(RATE),
                                          divisor = everybody(1) }).weights)
      end,
      why = _"As many trainings as GPUs.",
    }
  end,
}
for k = 1, 4 do assert(last(alone.curves[k]) > last(good.curves[1])) end

local function length(v)
  local sum = 0
  for j = 1, WEIGHTS do sum = sum + v[j] ^ 2 end
  return math.sqrt(sum)
end
for k = 1, 3 do assert(length(first[4]) > length(first[k])) end
assert(alone.curves[4][3][2] < good.curves[1][3][2])
say(_"GPU 3 alone is better at first. Its samples have the largest values, so \z
      its gradient is the largest, %.1f long where the mean is %.1f long, and so \z
      are its first steps. Then it fits its own 8 samples only, and the loss on \z
      the others rises.":format(length(first[4]), length(whole)))

local slip
lecture "spare"
predict {
  _"A slip in many programs: only GPU 0 divides the sum by 4, all others take \z
    it as it is. How many different replicas will there be after 30 steps?",
  kind = "number",
  hints = { _"Which GPUs still do exactly the same as each other?" },
  wrong = {
    [1] = _"All have the same sum. Do all do the same with it?",
    [4] = _"GPU 1 and GPU 2 have the same sum. In what would they differ?",
  },
  answer = function()
    slip = train(4, { sum = all_reduce, rate = everybody(RATE),
                      divisor = function(k) return k == 1 and 4 or 1 end })
    show_losses(_"Loss on all 32 samples, only GPU 0 divides", {
      { name = _"all divide", points = good.curves[1] },
      { name = _"GPU 0", points = slip.curves[1] },
      { name = _"GPU 1, 2, 3", points = slip.curves[2] },
    })
    return count_different(slip.weights)
  end,
  notes = _"Ask who has an if rank == 0 in a training loop, and what is in it.",
  why = _"GPU 1, 2 and 3 stay equal, and take steps four times as long. Their \z
          gradients spoil those of GPU 0. No call reports an error.",
  again = function(round)
    local n, by = ({ 8, 4, 4 })[round], {
      function(k) return k <= 2 and 8 or 1 end,
      function(k) return k end,
      function(k) return k % 2 == 0 and 4 or 2 end,
    }
    local said = ({
      _"8 GPUs train: GPU 0 and GPU 1 divide the sum by 8, the others forget to.",
      _"4 GPUs train: by mistake GPU r divides the sum by r+1.",
      _"4 GPUs train: GPU 1 and 3 divide the sum by 4, GPU 0 and 2 by 2.",
    })[round]
    return {
      _"%s All start alike, and all have the same sum in each step. How many \z
        different replicas will there be after %d steps?":format(said, STEPS),
      kind = "number",
      hints = { _"Which GPUs still do exactly the same as each other?" },
      wrong = {
        [1] = _"All have the same sum. Do all do the same with it?",
        [round == 2 and 2 or n] = round == 2 and
          _"Which two of them divide by the same number?" or
          _"Some of them do the same as others.",
      },
      answer = function()
        return count_different(train(n, {
          rate = everybody(RATE / n), divisor = by[round],
          sum = function(list) return outputs { "ring-allreduce", input = list } end,
        }).weights)
      end,
      why = _"Replicas that do the same with the same sums stay equal.",
    }
  end,
}
assert(last(slip.curves[1]) > last(good.curves[1]))

local rates
predict {
  _"All divide again. But GPU 3 was started with another learning rate, %.1f \z
    instead of %.1f. After which of the 30 steps do the replicas differ for \z
    the first time?"
    :format(RATE / 3, RATE),
  kind = "number",
  hints = { _"All have the same sum after the first all-reduce. And then?" },
  wrong = {
    [2] = _"All have the same mean in step 1. Do they all move by the same amount?",
    [30] = _"All have the same mean in step 1. Do they all move by the same amount?",
    [0] = _"Before the first step all weights are 0.",
  },
  answer = function()
    rates = train(4, { sum = all_reduce, divisor = everybody(4),
                       rate = function(k) return k == 4 and RATE / 3 or RATE end })
    show_losses(_"Loss on all 32 samples, GPU 3 has another learning rate", {
      { name = _"one rate", points = good.curves[1] },
      { name = _"GPU 0, 1, 2", points = rates.curves[1] },
      { name = _"GPU 3", points = rates.curves[4] },
    })
    return rates.differs
  end,
  why = _"From then on GPU 3 computes gradients for weights that the others do \z
          not have. They spoil the mean, and again no call reports an error.",
  again = function(round)
    local from = ({ 5, 12, 20 })[round]
    return {
      _"4 GPUs train, and all divide. In step %d GPU 2 begins to use another learning \z
        rate. After which of the %d steps do the replicas differ for the first \z
        time?":format(from, STEPS),
      kind = "number",
      hints = { _"All have the same mean in that step. And then?" },
      wrong = {
        [from + 1] = _"All have the same mean. Do they all move by the same amount?",
        [from - 1] = _"Until then all do the same.",
        [1] = _"Until then all do the same.",
        [STEPS] = _"All have the same mean. Do they all move by the same amount?",
      },
      answer = function()
        return train(4, {
          divisor = everybody(4),
          rate = function(k, step)
            return k == 3 and step >= from and RATE / 3 or RATE
          end,
          sum = function(list) return outputs { "ring-allreduce", input = list } end,
        }).differs
      end,
      why = _"After that step: it is the first in which they move differently.",
    }
  end,
}
assert(count_different(rates.weights) == 2)
for k = 1, 4 do assert(last(rates.curves[k]) > last(good.curves[1])) end

-- To diagnose: what each GPU says of the first step, and by what one has divided.
local function divided(guilty, by)
  local sums, rows, weights = outputs { "ring-allreduce", input = first }, {}, {}
  for k = 1, 4 do
    weights[k] = float32(-RATE * sums[k][1] / (k == guilty + 1 and by or 4))
    rows[k] = _"GPU %d  sum of the gradients %8.4f  weight %8.4f"
              :format(k - 1, sums[k][1], weights[k])
  end
  lines(rows)
  return {
    _"Find the slip. All weights were 0, and the rate is %.1f; these are the first \z
      numbers after one step. GPU %d divided the sum by another number than 4. By \z
      which?":format(RATE, guilty),
    kind = "number",
    hints = { _"w = w - rate * sum / divisor. How large is rate * sum?",
              _"How many times as large as the others' is its weight?" },
    wrong = { [4] = _"That is what the others did." },
    answer = function()
      return math.floor(-RATE * sums[1][1] / weights[guilty + 1] + 0.5)
    end,
    reason = function(given)
      if given == 0 then return _"Nothing can be divided by 0." end
      return _"Then its weight would be %.4f.":format(-RATE * sums[1][1] / given)
    end,
    why = _"Compare what each rank has after one step: that shows a slip at once, and \z
            on which rank it is.",
  }
end
local found = divided(2, 8)
function found.again(round)
  return divided(table.unpack(({ { 1, 1 }, { 3, 2 }, { 0, 32 } })[round]))
end
predict(found)

r:show()
play {
  _"The first step again. With a: another algorithm, then --op avg, which divides \z
    in the collective. Then no \z
    rank can forget to divide: that slip is impossible.",
  try = { "halving-doubling-allreduce", "--op avg" },
  notes = _"With avg every rank gets the mean: none can forget to divide.",
}

lecture()
remember {
  _"Equal replicas need the same start, the same sums and the same arithmetic.",
  _"The mean of the gradients on equal parts is the gradient on all data.",
  _"A slip on one rank reports no error: compare the replicas' bits.",
}
used {
  nccl = "ncclAllReduce, ncclAvg",
  pytorch = "torch.nn.parallel.DistributedDataParallel",
  mpi = "MPI_Allreduce",
  text = _"DistributedDataParallel broadcasts the weights once, at the start; then \z
           it all-reduces the gradients, part by part, while others are computed.",
}
