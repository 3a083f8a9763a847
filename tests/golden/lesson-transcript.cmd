# Transcripts of lessons.
plays() {
  echo "== $1"
  { echo 'lesson { number = 9, title = "t", idea = "i" }'; cat; } >"$2.lua"
  shift
  collviz learn "$1.lua" --plain >"$1.out" 2>"$1.err" || echo "exit $?"
  cat "$1.err"
}
plays 'what pages speak of, in order; what nobody sees is not printed' row <<'END'
pcall(lesson, { number = 9, title = "t", idea = "i" })
pcall(say, { notes = "n" })
local r = run "ring-allreduce --gpus 3"
r:finish()
say "All hold S0."
local s = run "broadcast --gpus 2"
s:finish()
say "No picture."
compare "ring-allreduce naive-allreduce --gpus 2"
compare "ring-allreduce naive-allreduce --gpus 3"
say "A table."
compare "ring-allreduce naive-allreduce --gpus 2"
compare "ring-allreduce naive-allreduce --gpus 3"
say "The same table."
chart { title = "t", x = "x", y = "y", series = { { name = "a", points = { { 1, 2 } } } } }
for key in pairs { c = 1, a = 1, d = 1, b = 1, "list", [7] = 1 } do say("key " .. key) end
END
heads='.*, step [0-9]/[0-9]|^S = [0-9]* B|^t [(]y[)]|key .*|.*[.]$'
grep -oE "$heads" row.out | tee heads
for again in 2 3 4; do
  collviz learn row.lua --plain | grep -oE "$heads" | diff heads - && echo the same again
done

plays 'what ranks send and hold, side by side, the answer on a page of its own' long <<'END'
local r = run "ring-allreduce --gpus 6"
r:step(2)
say "two steps of this"
predict { "How many?", kind = "number", wrong = { [3] = "not so few" }, hints = { "so many" },
  answer = function() r:finish() return r.steps end }
ask { "What has GPU 5?", kind = "label" }
say "GPU 5 has S5."
local s = run "ring-allreduce --gpus 6"
say "A5 again"
run "ring-allreduce --gpus 20 --count 20"
say "Too many for A5."
local h = run "halving-doubling-allreduce --gpus 8"
h:step(3)
say "Too long for A0."
END
cat long.out
echo '== what is wrong, with the answers'
collviz learn long.lua --plain --answers | sed -n '/\f/,$p' | cat -A

plays 'a picture that a page comes back to, but not a page about a table' back <<'END'
local r = run "ring-allreduce --gpus 3"
r:step(2)
say "one: A0"
local s = run "flat-broadcast --gpus 2"
say "two: B0"
r:show()
say "three: A0"
ask { "four: B0?", kind = "number" }
r:go(1)
say "five: A0"
compare "ring-allreduce naive-allreduce --gpus 3"
say "six"
r:show()
say "seven: A0"
r:go(2)
play "eight: A0"
END
grep -oE '^.*, input|^.*, step [0-9]|^  [a-z]*:|^  six|[0-9][.] four|On paper' back.out

plays 'no control characters' colours <<'END'
say "one\27[2Jtwo\rthree"
END
cat colours.out

printf '== bytecode\n'
printf '\033LuaT\0\031\223\r\n\032\n' >bytecode.lua
collviz learn bytecode.lua --plain 2>&1

plays "a model's chart: the curves, and who is the fastest where" modelled <<'END'
local net = " --gpus 8 --network alpha=1us,beta=1ns"
local c = chart("butterfly-allreduce ring-allreduce" .. net)
local fly, ring = c.curves[1], c.curves[2]
assert(#c.curves == 2 and fly.name == "butterfly" and ring.name == "ring")
for _, size in ipairs { 1, #ring.points } do
  local bytes = 8 * 2 ^ (size - 1)
  local function is(point, steps, sent)
    assert(point[1] == bytes)
    assert(math.abs(point[2] / (steps + sent * bytes / 1e3) - 1) < 1e-3)
  end
  is(fly.points[size], 3, 3)
  is(ring.points[size], 14, 1.75)
end
for _, f in ipairs(c.fastest) do say(f.name .. " from " .. f.from) end
END
cat modelled.out
plays 'a comparison and a run with modelled times' times <<'END'
local c = compare "ring-allreduce butterfly-allreduce --gpus 16 --network alpha=1us,beta=1ns"
say "c"
local r = run "ring-allreduce --gpus 4 --count 4 --network alpha=1us,beta=1ns"
r:finish()
say(("times %.3f %.3f %.3f"):format(c[1].time, c[2].time, r:time()))
END
grep -E 'modelled|times' times.out
for options in '' '--gpus 1' '--gpus 2000' '--network ./f' ring-allgather '--svg' '--count 5'; do
  plays "a chart that is refused: $options" refused <<END
chart("${options:+ring-allreduce} $options")
END
done

plays 'a rank that holds a run up for good is found, in every algorithm' dead <<'END'
for _, name in ipairs { "ring-allreduce", "reduce-broadcast-allreduce",
                        "flat-broadcast", "binomial-broadcast",
                        "double-tree-allreduce", "chain-reduce" } do
  local pace = name:find "broadcast$" and "lockstep" or "free"
  local r = run(name .. " --gpus 4 --delay 2=inf --pace " .. pace)
  assert(not pcall(r.step, r) and not pcall(r.go, r, 1))
  local outcome, blamed = r:settle(), {}
  for _, rank in ipairs(outcome.guilty) do blamed[rank] = true end
  assert(outcome.verdict == "hangs" and blamed[2] and #outcome.guilty <= 2, name)
end
local guilty = run("ring-allreduce --gpus 4 --delay 1=2000 --delay 2=inf"):settle().guilty
assert(#guilty == 1 and guilty[1] == 2, "a rank that is only late is not dead")
run "ring-allreduce --gpus 3 --mismatch 1=root:2"
END

plays 'long replies, and a transfer in slices' replies <<'END'
local o = outputs 'tree-allreduce --gpus 64 --chunks 1024 --count 4096'
say(#o .. ' of ' .. #o[64] .. ' and ' .. #outputs 'ring-allreduce --gpus 3')
local r = run 'ring-allreduce --gpus 2 --count 1000000 --pace free'
r:go(r.steps)
say(r:transfers(1)[1].bytes .. ' bytes')
END
grep -E 'of 4096|bytes' replies.out

plays 'what may take long, or does not fit, is refused before it is measured' slow <<'END'
for _, command in ipairs {
  "ring-allreduce -g 2 -b 1M -e 1M -n 1",
  "ring-allreduce -g 64 -b 512K -e 512K -n 1 -w 0 -d uint8",
  "ring-allreduce -g 8 -b 512K -e 512K -n 500",
  "ring-allreduce -g 8 -b 480K -e 512K -i 4K -n 100",
  "ring-allreduce tree-allreduce -g 8 -b 496K -e 512K -i 4K -n 100",
  "ring-allreduce -g 2 -b 8 -e 1M -f 2",
} do
  local done, why = pcall(bench, command)
  say(tostring(why))
end
END
cat slow.out
