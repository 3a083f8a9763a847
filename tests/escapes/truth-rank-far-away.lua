-- expect: :4: answer\(\) gives 7, where a rank belongs
lesson { number = 9, title = "t", idea = "i" }
run "ring-allreduce --gpus 3"
predict { "?", kind = "rank", answer = function() return 7 end }
