-- expect: :45: chart: point 2 of 'a' is not finite: leave it out
lesson { number = 1, title = "Escape", idea = "out" }
local function of(points, name)
  return { title = "t", x = "x", y = "y",
           series = { { name = name or "a", points = points } } }
end
local good, many = { { 1, 2 } }, {}
for i = 1, 20000 do many[i] = { i, i } end
for _, case in ipairs {
  { nil, "chart takes a table" },
  { "rong-allreduce --gpus 8", "no algorithm is called 'rong-allreduce'" },
  { "ring-allreduce --shape 300x300", "--gpus 90000: a lesson's chart has at" },
  { {}, "chart: title must be a string" },
  { { titel = "t" }, "chart does not know 'titel'" },
  { { title = "t", x = "x", y = 5 }, "chart: y must be a string" },
  { { title = "t", x = "x", y = "y" }, "chart takes 1 to 6 series" },
  { { title = "t", x = "x", y = "y", series = "s" }, "chart takes 1 to 6" },
  { { title = "t", x = "x", y = "y", series = { 1, 2, 3, 4, 5, 6, 7 } },
    "chart takes 1 to 6 series" },
  { { title = "t", x = "x", y = "y", series = { 1 } },
    "chart: a series: name must be a string" },
  { of(nil), "chart: 'a' has no points" },
  { of({}), "chart: 'a' has no points" },
  { of(5), "chart: 'a' has no points" },
  { of({ 1, 2 }), "chart: point 1 of 'a' must be {x, y}, two numbers" },
  { of({ { 1 } }), "chart: point 1 of 'a' must be {x, y}, two numbers" },
  { of({ { 1, 2, 3 } }), "chart: point 1 of 'a' must be {x, y}" },
  { of({ { 1, 2 }, { 2, "3" } }), "chart: point 2 of 'a' must be {x, y}" },
  { of({ { 1, 1e101 } }), "chart: point 1 of 'a' is too large" },
  { of({ { -1e101, 1 } }), "chart: point 1 of 'a' is too large" },
  { of({ { 1, 2 }, { 1, 3 } }), "point 2 of 'a' must have a greater x than" },
  { of({ { 1, 0 / 0 } }), "chart: point 1 of 'a' is not finite" },
  { of(many), "this is more than 64 KiB" },
  { of(good, ("n"):rep(70)), "x and the series need 81 columns" },
  { of(good, ("n"):rep(5000)), "chart: a series: name is longer than 4096 bytes" },
  { { title = ("t"):rep(76), x = "x", y = "y", series = of(good).series },
    "chart: the title and the name of y need 80 columns, and there are 79" },
} do
  local done, said = pcall(chart, case[1])
  assert(not done and said:find(case[2], 1, true), said)
end
chart(of(good))
chart(of({ { 1, -1e100 }, { 2, 1e100 } }))
chart(of({ { -1e100, 1e-100 }, { 2, 1e100 } }, "\27[2J"))
chart(of { { 1, 2 }, { 2, 1 / 0 } })
