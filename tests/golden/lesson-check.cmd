# What --check finds, one lesson for each mistake.
finds() {
  echo "== $1"
  { echo 'lesson { number = 1, title = "t", idea = "i" }'; cat; } >lesson.lua
  LANGUAGE=en collviz learn --check lesson.lua >said
  status=$?
  grep -v zh_CN said
  [ $status -eq 1 ] || ! grep -qv zh_CN said || echo "exit $status"
}
finds 'a choice without a line' <<'END'
predict { "?", choices = { "cat", "dog", "cow" }, wrong = { cow = "no" },
  answer = function() return "cat" end }
END
finds 'a line for the truth' <<'END'
predict { "?", choices = { "cat", "dog" }, wrong = { "no", "no" },
  answer = function() return "cat" end }
END
finds 'a line for no choice' <<'END'
predict { "?", choices = { "cat", "dog" }, wrong = { cow = "no" },
  answer = function() return "cat" end }
END
finds 'a right choice that is too long' <<'END'
predict { "?", choices = { "cat", "a dog with a long tail and one ear" },
  wrong = { "no" }, answer = function() return 2 end }
END
finds 'a line that is too long' <<'END'
predict { "?", kind = "number", wrong = { ("xx "):rep(60) },
  answer = function() return 2 end }
END
finds 'a term that no page has explained' <<'END'
say "Two links."
say { "A link is this.", terms = { "link" } }
END
finds 'nothing: a term that one has' <<'END'
say { "A link is this, and S0 is none of the terms.", terms = { "link" } }
say "Two links."
END
finds 'a mistake in a review' <<'END'
predict { "?", kind = "number", answer = function() return 1 end,
  again = function(round) return { "?", kind = "number", wrong = { [3] = "" },
    answer = function() return round end } end }
END
finds 'a review of no question' <<'END'
predict { "?", kind = "number", answer = function() return 1 end, again = 5 }
END
finds 'a line for a question without an answer' <<'END'
ask { "?", kind = "number", wrong = { [3] = "" } }
END
finds 'what is to be typed and cannot be' <<'END'
run "broadcast --gpus 3"
play { "Go.", try = { "--gpus 4", "--root 3", "--root 9" } }
END
finds 'seven things to type' <<'END'
run "broadcast --gpus 3"
play { "Go.", try = { "3", "3", "3", "3", "3", "3", "3" } }
END
finds 'a page that takes no such thing' <<'END'
run "broadcast --gpus 3"
play { "Go.", tries = { "3" } }
END
