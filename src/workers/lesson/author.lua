-- SPDX-License-Identifier: MIT
-- The verbs of algorithms that are scripts (lessons/algorithms/README.md), in
-- terms of three functions: request(verb, table) as for lessons; line(), the
-- number of the script's line that runs; blame(text), which raises an error in
-- that line.  Loaded after verbs.lua, whose verbs the front end refuses here.
--
-- A move is a row of numbers, which the front end gets by the hundred and
-- judges (play/author.c).  Returns the function that sends the last ones.
local request, line, blame, only, set, given = ...
local setmetatable, type = setmetatable, type
local tointeger, math_type = math.tointeger, math.type

local ROWS = 200 -- of as many numbers as fit into a request
local rows, count, moves, step_number = {}, 0, 0, 0
local name, names, new_names = nil, 0, {} -- of steps
local way -- "steps" or "chunks"

local function wrong(text, ...)
  blame(text:format(...))
end

local function flush()
  if count > 0 then
    request("moves", { rows = rows, names = new_names,
                       follows = way == "chunks" })
  end
  rows, count, new_names = {}, 0, {}
end

local function whole(verb, key, value, default)
  if value == nil then value = default end
  if not math_type(value) or not tointeger(value) then
    wrong("%s: '%s' must be a whole number", verb, key)
  end
  return tointeger(value)
end

local function write_by(which, verb)
  if way and way ~= which then
    wrong("%s: this script goes by %s; it must do so in all its lines", verb,
          way)
  end
  way = which
end

-- Steps are called so from now on.
local function call(verb, text)
  if type(text) ~= "string" or text == "" then
    wrong("%s takes a name: %s \"reduce\"", verb, verb)
  end
  if #text > 63 then wrong("%s: a name has at most 63 bytes", verb) end
  if text ~= name then
    name, names = text, names + 1
    new_names[#new_names + 1] = text
  end
end

-- `when` is the number of the step, or that of the move which brought the
-- chunk.
local function move(verb, when, from, slot, to, into, slots)
  local at = #rows
  to, into = whole(verb, "to", to), whole(verb, "into", into)
  moves = moves + 1
  rows[at + 1], rows[at + 2] = verb == "add" and 1 or 0, when
  rows[at + 3], rows[at + 4] = from, slot
  rows[at + 5], rows[at + 6] = to, into
  rows[at + 7], rows[at + 8], rows[at + 9] = slots, names, line()
  count = count + 1
  if count == ROWS then flush() end
end

local promise = set("collective", "title", "chunks", "pipeline", "scratch",
                    "topology", "shape")

function algorithm(t)
  only("algorithm", t, promise)
  return request("algorithm", t)
end

-- By steps ------------------------------------------------------------------

function step(text)
  write_by("steps", "step")
  call("step", text)
  step_number = step_number + 1
end

local members = set("from", "to", "chunk", "into", "count")

for _, verb in ipairs { "add", "copy" } do
  _ENV[verb] = function(t)
    only(verb, t, members)
    write_by("steps", verb)
    if step_number == 0 then wrong("%s: begin a step before it", verb) end
    move(verb, step_number, whole(verb, "from", t.from),
         whole(verb, "chunk", t.chunk), t.to, t.into or t.chunk,
         whole(verb, "count", t.count, 1))
  end
end

-- By following a chunk ------------------------------------------------------

local methods = {}
local chunks = { __metatable = false, __name = "chunk" }
local held = setmetatable({}, { __mode = "k" }) -- by chunk; hidden

local function hold(rank, slot, slots)
  local c = setmetatable({}, chunks)
  held[c] = { rank = rank, slot = slot, slots = slots, when = moves }
  return c
end

function chunks.__index(_, key)
  return methods[key] or wrong("a chunk has no '%s'", key)
end

function chunks.__newindex()
  wrong("a chunk cannot be written to")
end

for _, verb in ipairs { "add", "copy" } do
  methods[verb] = function(c, to, into)
    local from = held[c]
    if not from then
      wrong("call this on a chunk, with a colon: c:%s(1)", verb)
    end
    if into == nil then into = from.slot end
    move(verb, from.when, from.rank, from.slot, to, into, from.slots)
    return hold(tointeger(to), tointeger(into), from.slots)
  end
end

function chunk(rank, slot, slots)
  write_by("chunks", "chunk")
  if not name then call("chunk", "step") end
  return hold(whole("chunk", "rank", rank), whole("chunk", "slot", slot),
              whole("chunk", "count", slots, 1))
end

function phase(text)
  write_by("chunks", "phase")
  call("phase", text)
end

n, root = given.n, given.root

return flush
