-- expect: :4: the lesson has used more than 100000 verbs
lesson { number = 9, title = "t", idea = "i" }
while true do
  pcall(_, "x" .. math.random(1000000))
end
