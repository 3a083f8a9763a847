-- expect: :4: answer\(\) gives 7, but the question needs a rank
lesson { number = 9, title = "t", idea = "i" }
run "ring-allreduce --gpus 3"
predict { "?", kind = "rank", answer = function() return 7 end }
