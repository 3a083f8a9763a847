# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# TAP for scripts, as tap.h is for programs:
#
#     . "${srcdir:=$(dirname "$0")/..}/tests/tap.sh"
#     check 'a run is right' grep -q correct "$lab/out"
#     done_testing
#
# $lab is a folder of the script's own.  Scripts write what a program says into
# $lab/out and $lab/err, whose ends are shown where a check fails.
set -u
: "${COLLVIZ:=$srcdir/src/collviz}"
if [ -n "${own_lab-}" ]; then # made, and removed, by the script
  lab=$own_lab
else
  lab=$(mktemp -d) || exit
  trap 'rm -rf "$lab"' EXIT
fi
n=0

# What must come is awaited for so many seconds, on a machine as busy as may be:
# after that it hangs.
export hung=300

await() { # COMMAND...: waits until it succeeds
  await_end=$(($(date +%s) + hung))
  until "$@"; do
    [ "$(date +%s)" -lt $await_end ] || { echo "# hangs after $hung s: $*" >&2; return 1; }
    sleep 0.1
  done
}

check() { # NAME COMMAND...
  n=$((n + 1)) checked=$1
  shift
  if "$@" >"$lab/said" 2>&1; then
    echo "ok $n - $checked"
  else
    echo "not ok $n - $checked"
    tail -n 40 "$lab/said" "$lab/out" "$lab/err" 2>/dev/null |
      cut -c 1-300 | sed 's/^/# /' >&2
  fi
}

equal() {
  [ "$1" = "$2" ] || { printf '%s\n' "$1"; false; }
}

is() { # NAME GOT [WANT]: they are the same; without WANT, there is nothing
  check "$1" equal "$2" "${3-}"
}

# shellcheck disable=SC2034 # for those that include this
no_terminal='there is no pseudo-terminal: is /dev/pts mounted?'

skip() { # NAME WHY
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
}

skip_all() { # WHY
  echo "1..0 # SKIP $1"
  exit
}

done_testing() {
  echo "1..$n"
}

has() { # BACKEND
  "$COLLVIZ" doctor | grep -q "^ok *$1 "
}

needs() { # BACKEND, or else nothing is checked
  has "$1" || skip_all "$("$COLLVIZ" doctor | sed -n "s/^-- $1 *//p")"
}

copy_programs() { # FOLDER PROGRAM...: where they find each other
  folder=$1
  shift
  for program; do
    cp "$(dirname "$COLLVIZ")/$program" "$folder"
  done
}

# The same, and a worker that gives scripts a tenth of the time.
copy_brief() { # FOLDER
  copy_programs "$1" collviz
  cp "$(dirname "$COLLVIZ")/../tests/brief/collviz-lesson" "$1"
}

algorithms() {
  "$COLLVIZ" list | grep -oE '^  [a-z0-9]+-[a-z0-9-]+' | tr -d ' '
}

# prints STATUS REGEX ARG...: on stdout and stderr together.
prints() {
  status=$1 regex=$2
  shift 2
  "$COLLVIZ" "$@" >"$lab/out" 2>&1 </dev/null
  got=$?
  [ $got -eq "$status" ] || { echo "exit status $got, expected $status"; return 1; }
  grep -Eq -- "$regex" "$lab/out" || { echo "no line has $regex"; return 1; }
}

has_catalogue() { LANGUAGE=zh_CN "$COLLVIZ" --lang zh_CN --help | grep -q 用法; }
