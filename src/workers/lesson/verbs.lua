-- SPDX-License-Identifier: MIT
-- The verbs of lessons (lessons/README.md), in terms of one function:
-- request(verb, table) sends a request to the front end, which replies, or has
-- an error raised in the author's line.  Loaded before the lesson, which sees
-- only the globals that are set here.
local request = ...
local error, next, pairs, rawget = error, next, pairs, rawget
local setmetatable, type = setmetatable, type
local math_type, sort = math.type, table.sort

-- Raises an error in the author's line: where the caller of this was called.
local function wrong(text, ...)
  error(text:format(...), 3)
end

-- Checks that a table has only members of these names.
local function only(verb, value, known)
  if type(value) ~= "table" then
    error(("%s takes a table: %s { ... }"):format(verb, verb), 3)
  end
  for key in pairs(value) do
    if not known[key] then
      error(("%s does not know '%s'"):format(verb, key), 3)
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

function run(command)
  if type(command) ~= "string" then
    wrong("run takes a string: run \"ring-allreduce --gpus 3\"")
  end
  local r = setmetatable({}, run_meta)
  fields[r] = request("run", { command = command })
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
  while request("position", { run = id }) < r.steps do
    request("step", { run = id })
  end
end

function run_methods.go(r, k)
  request("go", { run = id_of(r), to = k })
end

-- Requests that are answered at once.
for _, name in pairs { "holds", "values", "order" } do
  run_methods[name] = function(r, rank, slot)
    return request(name, { run = id_of(r), rank = rank, slot = slot })
  end
end
for _, name in pairs { "sent", "received" } do
  run_methods[name] = function(r, rank)
    return request(name, { run = id_of(r), rank = rank })
  end
end
function run_methods.transfers(r, k)
  return request("transfers", { run = id_of(r), to = k })
end
function run_methods.settle(r)
  return request("settle", { run = id_of(r) })
end
function run_methods.time(r)
  return request("time", { run = id_of(r) })
end
function run_methods.show(r)
  request("show", { run = id_of(r) })
end

-- Questions ----------------------------------------------------------------

local question = set(1, "kind", "choices", "items", "hints", "at", "wrong", "answer",
                     "why", "again")

-- { [answer] = text } as a list of { answer, text }.
local function lines(wrong)
  local list = {}
  for answer, text in _ENV.pairs(wrong) do
    list[#list + 1] = { answer, text }
  end
  return list
end

local function put(verb, q)
  return request("ask", {
    text = q[1], kind = q.kind, choices = q.choices, items = q.items,
    hints = q.hints, at = q.at, wrong = q.wrong and lines(q.wrong),
    predicts = verb == "predict",
  })
end

function ask(q)
  only("ask", q, question)
  for _, key in pairs { "answer", "wrong", "again" } do
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
  put("predict", q)
  return request("reveal", { truth = q.answer(), why = q.why })
end

-- Pages --------------------------------------------------------------------

local header = set("number", "day", "minutes", "lecture", "title", "idea",
                   "gpus", "program")

-- An optional whole number of a lesson's header.
local function whole(t, key, most)
  if t[key] ~= nil and not
     (math_type(t[key]) == "integer" and t[key] >= 1 and t[key] <= most) then
    error(("%s must be a whole number from 1 to %d"):format(key, most), 3)
  end
end

function lesson(t)
  only("lesson", t, header)
  whole(t, "day", 99)
  whole(t, "minutes", 45)
  if t.lecture ~= nil and (t.lecture ~= true or t.minutes == nil) then
    wrong("lecture must be true, and needs minutes")
  end
  gpus = request("lesson", t)
end

function say(t)
  if type(t) ~= "table" then t = { t } end
  only("say", t, set(1, "notes", "follow", "terms"))
  request("say", { text = t[1], notes = t.notes, follow = t.follow,
                   terms = t.terms })
end

function play(text)
  request("play", { text = text })
end

function compare(command)
  return request("compare", { command = command })
end

function code(t)
  only("code", t, set(1, "from", "to"))
  request("code", { name = t[1], from = t.from, to = t.to })
end

function remember(t)
  only("remember", t, set(1, 2, 3))
  request("remember", { lines = t })
end

function used(t)
  only("used", t, set("nccl", "pytorch", "mpi", "text"))
  request("used", t)
end

function _(text)
  return request("_", { text = text })
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
    error(("'%s' is neither a verb nor defined by the lesson")
      :format(key), 2)
  end,
})
