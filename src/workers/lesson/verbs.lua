-- SPDX-License-Identifier: MIT
-- The verbs of lessons (lessons/README.md), in terms of one function:
-- request(verb, table) sends a request to the front end, which replies, or has
-- an error raised in the author's line.  Loaded before the lesson, which sees
-- only the globals that are set here.
local request = ...
local error, ipairs, next, pairs = error, ipairs, next, pairs
local rawget, setmetatable = rawget, setmetatable
local tostring, type = tostring, type
local concat, math_type, sort = table.concat, math.type, table.sort
local randomseed = math.randomseed

-- Raises an error in the author's line: where the caller of this was called.
local function wrong(text, ...)
  error(text:format(...), 3)
end

-- Checks that a table has only members of these names.
local function only(verb, value, known, level)
  if type(value) ~= "table" then
    error(("%s takes a table: %s { ... }"):format(verb, verb), level or 3)
  end
  for key in pairs(value) do
    if not known[key] then
      error(("%s does not know '%s'"):format(verb, key), level or 3)
    end
  end
end

local function set(...)
  local s = {}
  for _, key in pairs { ... } do s[key] = true end
  return s
end

-- Runs ---------------------------------------------------------------------

local run_methods = {}
local run_meta = { __metatable = false, __name = "run" }
local fields = setmetatable({}, { __mode = "k" }) -- by run; hidden

function run_meta.__index(r, key)
  local value = run_methods[key] or fields[r][key]
  if value == nil then
    error(("a run has no '%s'"):format(key), 2)
  end
  return value
end

function run_meta.__newindex()
  error("a run cannot be written to", 2)
end

local function id_of(r)
  local f = fields[r]
  if not f then
    error("call this on a run, with a colon: r:step()", 3)
  end
  return f.id
end

local commands = set(1, "input", "broken")

-- Whether a table has the keys 1, 2, ... #t, and no others.
local function is_list(t)
  if type(t) ~= "table" then return false end
  for key in pairs(t) do
    if math_type(key) ~= "integer" or key < 1 or key > #t then return false end
  end
  for i = 1, #t do
    if t[i] == nil then return false end
  end
  return true
end

-- Each rank's elements, as the option --input takes them; nil and a reason if
-- they are not lists of finite numbers.
local function input_text(input)
  local rows = {}
  if not is_list(input) or #input == 0 then
    return nil, "input must be a list with a list of numbers for each rank"
  end
  for rank, row in ipairs(input) do
    local texts = {}
    if not is_list(row) or #row == 0 then
      return nil, ("input: rank %d must have a list of numbers"):format(rank - 1)
    end
    for i, v in ipairs(row) do
      if not math_type(v) or v - v ~= 0 then
        return nil, ("input: element %d of rank %d must be a finite number")
          :format(i - 1, rank - 1)
      end
      texts[i] = (math_type(v) == "integer" and "%d" or "%.17g"):format(v)
    end
    rows[rank] = concat(texts, ",")
  end
  return concat(rows, "/")
end

-- A command, or a table of a command and its input, as a command.
local function command_of(verb, t)
  local command, text, why = t
  if type(t) == "table" then
    only(verb, t, commands, 4)
    command = t[1]
  end
  if type(command) ~= "string" then
    error(verb .. " takes a string, \"ring-allreduce --gpus 3\", or a table", 3)
  end
  if type(t) == "table" and t.broken ~= nil then
    only("broken", t.broken, set("kind", "seed"), 4)
    command = ("%s --broken %s:%s"):format(command, tostring(t.broken.kind),
                                           tostring(t.broken.seed))
  end
  if type(t) ~= "table" or t.input == nil then return command end
  text, why = input_text(t.input)
  if not text then error(verb .. ": " .. why, 3) end
  return command .. " --input " .. text
end

function run(t)
  local r = setmetatable({}, run_meta)
  fields[r] = request("run", { command = command_of("run", t) })
  return r
end

function run_methods.step(r, n)
  local id = id_of(r)
  n = n or 1
  if math_type(n) ~= "integer" or n < 1 then
    wrong("step takes a whole number of steps")
  end
  for _ = 1, n do
    request("step", { run = id })
  end
end

function run_methods.finish(r)
  local id = id_of(r)
  repeat
    local at = request("step", { run = id, all = true })
  until at == r.steps
end

-- The learner does not see this run.
function outputs(t)
  return request("outputs", { command = command_of("outputs", t) })
end

-- Requests of a run, and what is passed on with them.
for name, keys in pairs {
  go = { "step" }, show = {}, settle = {}, holds = { "rank", "slot" },
  values = { "rank", "slot" }, order = { "rank", "slot" }, sent = { "rank" },
  received = { "rank" }, transfers = { "step" }, time = {}, proof = {},
  broken = {}, mends = { "place", "change" },
} do
  run_methods[name] = function(r, ...)
    local with, said = { run = id_of(r) }, { ... }
    for i, key in ipairs(keys) do with[key] = said[i] end
    return request(name, with)
  end
end

-- Questions ----------------------------------------------------------------

local passed_on = { "kind", "choices", "items", "hints", "at", "why", "notes",
                    "within", "unit", "of", "ranks", "root", "chunks", "links",
                    "ports", "par" }
local question = set(1, "wrong", "answer", "again", "reason",
                     table.unpack(passed_on))

-- { [answer] = text } as a list of { answer, text }.
local function pairs_of(wrong)
  local list = {}
  for answer, text in _ENV.pairs(wrong) do
    list[#list + 1] = { answer, text }
  end
  return list
end

local function put(verb, q)
  local with = { text = q[1], wrong = q.wrong and pairs_of(q.wrong),
                 predicts = verb == "predict", reasons = q.reason ~= nil }
  for _, key in ipairs(passed_on) do with[key] = q[key] end
  return request("ask", with)
end

function ask(q)
  only("ask", q, question)
  for _, key in pairs { "answer", "wrong", "again", "reason", "within" } do
    if q[key] ~= nil then
      wrong("ask takes no '%s', only predict does", key)
    end
  end
  return put("ask", q)
end

function predict(q)
  only("predict", q, question)
  if q.again ~= nil and type(q.again) ~= "function" then
    wrong("again must be a function that returns a question")
  end
  local round = q.again and request("again", {})
  if round then
    q = q.again(round)
    only("again", q, question)
  end
  if type(q.answer) ~= "function" then
    wrong("predict needs 'answer', a function that reads it from the run")
  end
  if q.wrong ~= nil and type(q.wrong) ~= "table" then
    wrong("wrong takes a table: wrong = { [7] = _\"...\" }")
  end
  if q.reason ~= nil and type(q.reason) ~= "function" then
    wrong("reason must be a function of the answer and the truth")
  end
  local given = put("predict", q)
  local truth = q.answer(given)
  local reason
  if q.reason and given ~= nil and given ~= truth then
    reason = q.reason(given, truth)
  end
  return request("reveal", { truth = truth, reason = reason })
end

-- Pages --------------------------------------------------------------------

local header = set("number", "day", "minutes", "lecture", "title", "idea",
                   "gpus", "program", "skill", "picture")

function lesson(t)
  only("lesson", t, header)
  gpus = request("lesson", t)
end

-- The other verbs, each with what it takes: first what stands without a name,
-- which may stand alone.
for verb, keys in pairs {
  say = { "text", "notes", "follow", "terms" }, play = { "text", "notes", "try" },
  lecture = { "how" }, compare = { "command" }, bench = { "command" },
  code = { "name", "from", "to" }, _ = { "text" },
} do
  local known = set(1, table.unpack(keys, 2))
  _ENV[verb] = function(t)
    if type(t) ~= "table" then t = { t } end
    only(verb, t, known)
    local with = {}
    for i = 2, #keys do with[keys[i]] = t[keys[i]] end
    with[keys[1]] = t[1]
    if type(with.try) == "string" then with.try = { with.try } end
    return request(verb, with)
  end
end

local function each(list)
  return ipairs(type(list) == "table" and list or {})
end

-- The front end checks the rest, but no request can carry an infinite number.
function chart(t)
  if type(t) == "string" then return request("chart", { command = t }) end
  only("chart", t, set("title", "x", "y", "series"))
  for _, s in each(t.series) do
    for i, point in each(type(s) == "table" and s.points) do
      for _, v in each(point) do
        if math_type(v) and v - v ~= 0 then
          wrong("chart: point %d of '%s' is not finite: leave it out", i,
                tostring(s.name))
        end
      end
    end
  end
  request("chart", t)
end

function lines(t)
  request("lines", { lines = t })
end

function drawing(t)
  request("drawing", { lines = t })
end

function remember(t)
  only("remember", t, set(1, 2, 3, "notes"))
  request("remember", { lines = { t[1], t[2], t[3] }, notes = t.notes })
end

function used(t)
  only("used", t, set("nccl", "pytorch", "mpi", "text", "notes"))
  request("used", t)
end

-- Without a seed Lua would take one that differs each time.
function math.randomseed(seed)
  if math_type(seed) ~= "integer" then
    wrong("math.randomseed takes a whole number: the round")
  end
  randomseed(seed)
end

-- Lua's order differs from process to process, but a lesson must do the same
-- every time.  So keys are sorted by kind, and numbers and texts by value.
function _ENV.pairs(t)
  if type(t) ~= "table" then wrong("pairs takes a table") end
  local keys, i = {}, 0
  for key in next, t do keys[#keys + 1] = key end
  sort(keys, function(a, b)
    local x, y = type(a), type(b)
    if x ~= y then return x < y end
    return (x == "number" or x == "string") and a < b
  end)
  return function()
    i = i + 1
    local key = keys[i]
    if key ~= nil then return key, rawget(t, key) end
  end
end
_ENV.next = nil

-- A misspelt name is an error, not nil.
setmetatable(_G, {
  __metatable = false,
  __index = function(_, key)
    if key == "gpus" then return nil end
    error(("'%s' is neither a verb nor defined in this file")
      :format(key), 2)
  end,
})

return only, set -- to author.lua
