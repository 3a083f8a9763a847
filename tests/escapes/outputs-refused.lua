-- expect: :63: outputs takes a string, "ring-allreduce --gpus 3", or a table
lesson { number = 1, title = "Escape", idea = "out" }
local ring = "ring-allreduce"
for _, case in ipairs {
  { {}, "or a table" },
  { { 5 }, "or a table" },
  { { ring, inputs = {} }, "does not know 'inputs'" },
  { { ring, input = 5 }, "input must be a list" },
  { { ring, input = {} }, ": input must be a list" },
  { { ring, input = { { 1 }, nil, { 2 } } }, "input must be a list" },
  { { ring, input = { { 1 }, { 2 }, x = { 3 } } }, "input must be a list" },
  { { ring, input = { 1, 2 } }, "input: rank 0 must have a list" },
  { { ring, input = { {}, {} } }, "input: rank 0 must have a list" },
  { { ring, input = { { 1, 2 }, { 1, nil, 2 } } }, "rank 1 must have a list" },
  { { ring, input = { { 1 }, { "1" } } }, "element 0 of rank 1 must be a fin" },
  { { ring, input = { { 1, 1 / 0 } } }, "element 1 of rank 0 must be a finit" },
  { { ring, input = { { 0 / 0 } } }, "element 0 of rank 0 must be a finite" },
  { { ring, input = { { 1 }, { 1, 2 } } }, "rank 1 has 2 elements, rank 0" },
  { { ring .. " --gpus 3", input = { { 1 }, { 2 } } }, "--gpus says 3" },
  { { ring .. " --type int32", input = { { 1 }, { 1.5 } } }, "'1.5' is not a" },
  { { ring, input = { { 1 }, { 1e300 } } }, "is not a valid float32" },
  { "nothing", "no algorithm is called 'nothing'" },
} do
  for name, verb in pairs { run = run, outputs = outputs } do
    local done, said = pcall(verb, case[1])
    assert(not done and said:find(case[2], 1, true), said)
    assert(case[2]:sub(1, 1) ~= ":" or said:find(name .. case[2], 1, true), said)
  end
end
for _, case in ipairs {
  { "ring-allreduce --gpus 2 --count 20", "a slot has 10 elements" },
  -- Refused before it is started, where it would take 1 GiB and seconds.
  { "ring-allreduce --gpus 64 --count 5000000", "a slot has 78125 elements" },
  { "ring-allreduce --gpus 2 --delay 1=inf", "outputs takes no --delay" },
  { "ring-allreduce --gpus 2 --delay 1=5", "outputs takes no --delay" },
  { "binomial-broadcast --gpus 4 --count 2 --mismatch 2=root:1",
    "outputs: the run hangs" },
} do
  local done, said = pcall(outputs, case[1])
  assert(not done and said:find(case[2], 1, true), said)
end

-- What they hold: as many runs as there are steps in a training, in no room.
local near = 0x1.000002p0
local given = { { 0.1, 2, near }, { 0.7, -2 ^ 31, 0 }, { 1e-40, 1 / 3, 0 } }
local function bits(list) return string.pack(("f"):rep(#list), table.unpack(list)) end
for _ = 1, 100 do
  local sums = outputs { ring, input = given }
  assert(#sums == 3 and bits(sums[1]) == bits(sums[3]))
  assert(bits(sums[1]) == bits { 0x1.99999ap-1, -2 ^ 31, near })
end
local shown = run { ring, input = given }
shown:finish()
assert(bits(shown:values(2)) == bits(outputs { ring, input = given }[3]))
local parts = outputs "ring-reduce-scatter --gpus 2 --input 1,2/30,40"
assert(parts[1][1] == 31 and parts[2][2] == 42)
local mean = outputs { "tree-allreduce --op avg", input = { { 1 }, { 2 } } }
assert(mean[1][1] == 1.5 and mean[2][1] == 1.5)
local far = outputs { ring, input = { { 3e38, 1 }, { 3e38, 1 } } }
assert(#far == 2 and far[1][1] == nil and far[1][2] == 2)
-- A run that nobody sees takes the place of no other.
assert(not pcall(shown.step, shown))
outputs(nil)
