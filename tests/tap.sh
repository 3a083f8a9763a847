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
checks=0

check() { # NAME COMMAND...
  checks=$((checks + 1)) checked=$1
  shift
  if "$@" >"$lab/said" 2>&1; then
    echo "ok $checks - $checked"
  else
    echo "not ok $checks - $checked"
    tail -n 12 "$lab/said" "$lab/out" "$lab/err" 2>/dev/null |
      cut -c 1-300 | sed 's/^/# /' >&2
  fi
}

skip() { # NAME WHY
  checks=$((checks + 1))
  echo "ok $checks - $1 # SKIP $2"
}

skip_all() { # WHY
  echo "1..0 # SKIP $1"
  exit
}

done_testing() {
  echo "1..$checks"
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

algorithms() {
  "$COLLVIZ" list | grep -oE '^  [a-z0-9]+-[a-z0-9-]+' | tr -d ' '
}
