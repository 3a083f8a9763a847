-- expect: :4: tables are nested too deeply
lesson { number = 1, title = "Escape", idea = "out" }
local t = {} t[1] = t
remember { t, t, t }
