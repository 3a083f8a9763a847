-- expect: :4: tables are nested too deep|too deep
lesson { number = 1, title = "Escape", idea = "out" }
local t = {} t[1] = t
remember { t, t, t }
