-- expect: :4: answer\(\) gives "\\u001B\]0;x\\u0007", but the question needs a label
lesson { number = 9, title = "t", idea = "i" }
local r = run "ring-allreduce --gpus 2"
predict { "?", kind = "label", answer = function() return "\27]0;x\7" end }
