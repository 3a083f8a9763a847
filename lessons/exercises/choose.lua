-- SPDX-License-Identifier: MIT
lesson {
  skill = "choose",
  title = _"Choose",
  idea = _"Which algorithm suits a network, how long it takes there, and what \z
           holds it up.",
}

local names = { "ring-allreduce", "butterfly-allreduce",
                "halving-doubling-allreduce", "hierarchical-allreduce" }
local sizes = { 64 << 10, 4 << 20, 256 << 20 }

local function pick(...)
  local list = { ... }
  return list[math.random(#list)]
end

local function bytes(n)
  return n >= 1 << 20 and ("%d MiB"):format(n >> 20) or ("%d KiB"):format(n >> 10)
end

local function time(us)
  return us < 1000 and ("%.0f us"):format(us) or ("%.1f ms"):format(us / 1000)
end

-- The network as the option takes it; `faster` are figures that are halved.
local function option(c, faster)
  local function ns(key, unit) return c[key] * unit / (faster == key and 2 or 1) end
  local start = faster == "alpha" and 2 or 1
  return ("--network %dx%d,alpha=%.6gns,beta=%.6gns,between-alpha=%.6gns,\z
           between-beta=%.6gns,nics=%d,name=cluster"):format(c.hosts, c.gpus,
    c.alpha * 1000 / start, ns("inside", 1), c.between_alpha * 1000 / start,
    ns("between", 1), c.nics)
end

-- The times of algorithms: times[name][bytes], in microseconds.
local known = {}
local function times(c, list, faster)
  local all = {}
  local command = ("%s --gpus %d --shape %dx%d %s"):format(
    table.concat(list, " "), c.n, c.hosts, c.gpus, option(c, faster))
  if known[command] then return known[command] end
  known[command] = all
  for i, curve in ipairs(chart(command).curves) do
    all[list[i]] = {}
    for j, point in ipairs(curve.points) do all[list[i]][point[1]] = point[2] end
  end
  return all
end

local function show_chart(c)
  known = {}
  times(c, names)
end

local function fastest(c, size)
  local best
  for i, name in ipairs(names) do
    if not best or c.times[name][size] < c.times[names[best]][size] then best = i end
  end
  return best, c.times[names[best]][size]
end

-- A network, which the learner sees as lines, some figures of which may be fixed.
local function draw_cluster(fixed)
  local c = { hosts = pick(2, 4), gpus = pick(2, 4), alpha = pick(0.6, 1, 2),
              rate = pick(450, 64, 32), between_alpha = pick(2.7, 20, 48),
              nic = pick(50, 12.5, 5) }
  c.nics = pick(1, c.gpus)
  for key, value in pairs(fixed or {}) do c[key] = value end
  c.n = c.hosts * c.gpus
  c.inside, c.between = 1 / c.rate, 1 / c.nic
  c.times = times(c, names)
  return c
end

-- That of a round.
local function cluster(round)
  math.randomseed(round)
  return draw_cluster()
end

-- A size at which this one is the fastest and each other takes more than 20 % longer;
-- nil if there is none.
local function clear_size(c, name)
  local list = {}
  for _, size in ipairs(sizes) do
    local best, us = fastest(c, size)
    local clear = names[best] == name
    for _, other in ipairs(names) do
      clear = clear and (other == name or c.times[other][size] > 1.2 * us)
    end
    if clear then list[#list + 1] = size end
  end
  return #list > 0 and pick(table.unpack(list)) or nil
end

-- The columns of a text: Chinese characters have two.
local function columns(text)
  local n = 0
  for _, code in utf8.codes(text) do n = n + (code >= 0x2e80 and 2 or 1) end
  return n
end

-- Puts a text into a row of single characters, from a column on or around it.
local function put(row, at, text)
  for _, code in utf8.codes(text) do
    row[at] = utf8.char(code)
    if columns(row[at]) == 2 then row[at + 1] = "" end
    at = at + columns(row[at])
  end
end

local function around(row, middle, text)
  put(row, middle - columns(text) // 2, text)
end

-- Hosts, their GPUs on a bus, NICs, and the network between them, with figures:
--
--     ╭─ host 0 ──────╮ ╭─ host 1 ──────╮
--     │ 64 GB/s  1 us │ │ 64 GB/s  1 us │
--     │  0   1   2  3 │ │  4   5   6  7 │
--     │  ╰───┴┬──┴──╯ │ │  ╰───┴┬──┴──╯ │
--     ╰───────┬───────╯ ╰───────┬───────╯
--     ━━━━━━━━┷━━━━━━━━━━━━━━━━━┷━━━━━━━━
--            50 GB/s a NIC  20 us
local function draw(c)
  local inner = c.hosts > 2 and 15 or 25
  local width, rows = c.hosts * (inner + 3) - 1, {}
  for y = 1, 7 do
    rows[y] = {}
    for x = 1, width do rows[y][x] = y == 6 and "━" or " " end
  end
  for host = 0, c.hosts - 1 do
    local left = host * (inner + 3) + 1
    local middle = left + 1 + inner // 2
    local function gpu(i) return left + 1 + (2 * i + 1) * inner // (2 * c.gpus) end
    put(rows[1], left, "╭" .. ("─"):rep(inner) .. "╮")
    put(rows[1], left + 2, _" host %d ":format(host))
    put(rows[5], left, "╰" .. ("─"):rep(inner) .. "╯")
    for y = 2, 4 do rows[y][left], rows[y][left + inner + 1] = "│", "│" end
    around(rows[2], middle, ("%g GB/s %g us"):format(c.rate, c.alpha))
    put(rows[4], gpu(0), ("─"):rep(gpu(c.gpus - 1) - gpu(0)))
    if c.nics == 1 then rows[4][middle] = "┬" end
    for i = 0, c.gpus - 1 do
      around(rows[3], gpu(i), ("%d"):format(host * c.gpus + i))
      rows[4][gpu(i)] = c.nics > 1 and (i == 0 and "├" or i < c.gpus - 1 and "┼" or "┤")
                        or i == 0 and "╰" or i < c.gpus - 1 and "┴" or "╯"
      local nic = c.nics == 1 and middle or gpu(i)
      rows[5][nic], rows[6][nic] = "┬", "┷"
    end
  end
  around(rows[7], width // 2, _"%g GB/s a NIC  %g us":format(c.nic, c.between_alpha))
  for y, row in ipairs(rows) do rows[y] = table.concat(row) end
  return rows
end

local function show(c)
  local rows = draw(c)
  for _, text in ipairs {
    " ",
    (c.nics == 1 and _"%d hosts of %d GPUs each, with one NIC for all GPUs of a host"
     or _"%d hosts of %d GPUs each, with a NIC for each GPU"):format(c.hosts, c.gpus),
    _"inside a host: %g GB/s a GPU, and %g us to start a message"
      :format(c.rate, c.alpha),
    _"between hosts: %g GB/s a NIC, and %g us to start a message"
      :format(c.nic, c.between_alpha),
  } do rows[#rows + 1] = text end
  drawing(rows)
end

-- Where one of them is more often the fastest by far.
local suits = {
  ["ring-allreduce"] = { rate = 64, nic = 50, nics = 1 },
  ["halving-doubling-allreduce"] = { hosts = 4, gpus = 4 },
}

local function which(round)
  math.randomseed(round)
  local wanted = pick("ring-allreduce", "butterfly-allreduce",
                      "halving-doubling-allreduce")
  local c, size
  repeat
    c = draw_cluster(suits[wanted])
    size = clear_size(c, wanted)
  until size
  show(c)
  return {
    _"An all-reduce of %s. Which algorithm is the fastest here? Each of the others takes \z
      more than 20 %% longer.":format(bytes(size)),
    choices = names,
    hints = { _"Small data: how many messages follow one another? Large data: \z
                how many bytes does a NIC send?" },
    answer = function()
      show_chart(c)
      return (fastest(c, size))
    end,
    reason = function(given)
      return _"It takes %s.":format(time(c.times[names[given]][size]))
    end,
    why = _"The chart has the times of all four on this network.",
  }
end

-- What the bytes of a message, and its start, cost where they cost most.
local function how_long(round)
  local c = cluster(round)
  local name = pick("ring-allreduce", "butterfly-allreduce")
  local size = pick(16 << 10, 64 << 10, 256 << 10)
  show(c)
  return {
    _"%s of %s here: how many microseconds does it take? Within 20 %% is right."
      :format(name, bytes(size)),
    kind = "number",
    unit = "us",
    within = 0.2,
    hints = {
      name == names[1] and
        _"2(N-1) steps with S/N each; in every step some GPU sends to another host."
        or _"log2 N steps with S each; in the last ones every GPU sends to another host.",
      _"In each step a NIC needs the start and the bytes of every message that it sends, \z
        one message after another.",
    },
    answer = function()
      local r = run(("%s --gpus %d --count %d %s"):format(name, c.n, size // 4,
                                                           option(c)))
      r:go(r.steps)
      c.steps = r.steps
      return math.floor(r:time() * 10 + 0.5) / 10
    end,
    reason = function(given, us)
      if given > us then
        return _"It is less. There are %d steps, and to send all data of one GPU takes a \z
                 NIC %.0f us.":format(c.steps, size * c.between / 1000)
      end
      return _"It is more. There are %d steps, and a message between hosts takes %g us to \z
               start.":format(c.steps, c.between_alpha)
    end,
    why = _"That is what the run takes by the clock of this network.",
  }
end

-- What of a network, twice as fast, helps how much.
local parts = { "between", "inside", "alpha" }
local choices = { _"the NICs between the hosts", _"the GPUs' ports inside a host",
                  _"the start of each message" }

local function gains(c, name, size)
  local was, list, best, second = c.times[name][size], {}, 0, 0
  for i, part in ipairs(parts) do
    list[i] = was - times(c, { name }, part)[name][size]
    if list[i] > (list[best] or 0) then best, second = i, best
    elseif list[i] > (list[second] or 0) then second = i end
  end
  return list, best, list[best] >= 2 * (list[second] or 0)
end

local function bottleneck(round)
  local c = cluster(round)
  local name, size, list, best, clear
  repeat
    name = names[math.random(#names)]
    size = pick(64 << 10, 1 << 20, 16 << 20, 256 << 20)
    list, best, clear = gains(c, name, size)
  until clear
  show(c)
  return {
    _"%s of %s takes %s here. What holds it up most: what should be made twice as fast, to \z
      gain the most?"
      :format(name, bytes(size), time(c.times[name][size])),
    choices = choices,
    hints = { _"How long would the starts of all its messages take, and how long \z
                the bytes of the busiest port?" },
    answer = function() return best end,
    reason = function(given)
      return _"With that twice as fast it would still take %s."
        :format(time(c.times[name][size] - list[given]))
    end,
    why = _"With that twice as fast it takes %s."
      :format(time(c.times[name][size] - list[best])),
  }
end

local function budget(round)
  local c = cluster(round)
  local best = {}
  for i, size in ipairs(sizes) do best[i] = select(2, fastest(c, size)) end
  local fit = math.random(0, #sizes)
  local low, high = best[fit] or best[1] / 9, best[fit + 1] or best[#sizes] * 9
  local us = math.sqrt(low * high)
  us = us < 1000 and us // 1 or us // 100 * 100
  assert(low * 1.2 < us and us * 1.2 < high)
  show(c)
  return {
    _"A training step leaves %s for its all-reduce. Of %s, %s and %s, how many \z
      can be all-reduced in that time by the best of ring, butterfly, \z
      halving-doubling and hierarchical?"
      :format(time(us), bytes(sizes[1]), bytes(sizes[2]), bytes(sizes[3])),
    kind = "number",
    hints = { _"At least 2(N-1)/N S leaves each GPU. How long does that take?" },
    answer = function()
      show_chart(c)
      return fit
    end,
    reason = function(given) -- the largest that it has, or has not
      local i = math.floor(given) + (given < fit and 1 or 0)
      if i < 1 or i > #sizes then return _"There are three of them." end
      return _"The best for %s takes %s.":format(bytes(sizes[i]), time(best[i]))
    end,
    why = _"The chart has the times of all four on this network.",
  }
end

for i, ask in ipairs { which, how_long, bottleneck, budget } do
  local question = ask(1)
  question.again = ask
  predict(question)
end
