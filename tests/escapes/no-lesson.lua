-- expect: a lesson begins with lesson
say "x"
