# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# What shell tests begin with: the program, a folder for their files, and TAP.
#
#     : "${srcdir:=$(dirname "$0")/..}"
#     . "$srcdir/tests/tap.sh"
#     check 'three ranks' "$COLLVIZ" check ring-allreduce --gpus 3
#     echo "1..$n"
set -u
: "${COLLVIZ:=$srcdir/src/collviz}"
lab=$(mktemp -d) || exit
trap 'rm -rf "$lab"' EXIT
n=0

# check NAME COMMAND...: prints the output of a command that fails.
check() {
  n=$((n + 1))
  tap_name=$1
  shift
  if "$@" >"$lab/said" 2>&1; then
    echo "ok $n - $tap_name"
  else
    echo "not ok $n - $tap_name"
    tail -n 20 "$lab/said" "$lab/out" "$lab/err" 2>/dev/null | sed 's/^/# /' >&2
  fi
}

skip() { # NAME REASON
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
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
