# Names from elsewhere: files, their contents, the environment.
shows() {
  echo "\$ collviz $2 EVIL$3 $4"
  collviz $2 "$evil$3" $4 >said 2>&1
  status=$?
  eval "$1" <said
  [ $status -eq 0 ] || echo "exit $status"
}
evil=$(printf 'e\342\200\256v\033[31mi\nl')
collviz export ring-allreduce --gpus 3 --msccl |
  sed '1s/name="[^"]*"/name="n\&#x202e;a\&#10;me"/' >"$evil.xml"
mkdir -p collviz/lessons
cat >"collviz/lessons/$evil.lua" <<'X'
lesson { number = 99, title = "t\u{202e}itle\nrest", idea = "i\u{200b}dea\27]0;window\7" }
say("a page\u{2066}\u{1b}[31m\nof two lines")
predict { "what\u{9b}?", choices = { "a\u{202e}", "b" },
  answer = function() return "b" end, hints = { "h\u{200b}" }, why = "w\u{2066}" }
X
shows 'head -n 1' check .xml
shows 'grep step' explain .xml
shows 'grep step' '' .xml
shows "grep -o '\"algorithm\":[^,]*'" '' .xml --json
shows "grep -o ' name=.*proto'" export .xml --msccl
shows cat replay .nowhere
shows cat '' ''
shows cat learn '' --answers
shows cat learn ''
shows "grep -o ' not tr.*\|：not tr.*'" 'learn --check' ''
echo '$ collviz learn'
collviz learn | grep 99
