# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Runs on threads and over MPI that must report the same, for mpi.test and
# mpi_gpu.test.  A case is a line "MACHINE ARG..." in $lab/cases; $lab/machine, a
# script, sets what $machine is, and $lab/mixed launches those called mixed.
same=${srcdir:?}/tests/mpi/same.sed
export COLLVIZ lab same

# What is different in case K goes into $lab/K, but for what differs from run to
# run anyway, as the order of transfers that follow one another does: on a busy
# machine they are reported as they come (TURN_NS of run/reporter.c).  The first
# line over MPI goes into $lab/K.run.
cat >"$lab/both" <<'B'
k=$1 machine=$2
shift 2
. "$lab/machine"
for backend in threads mpi; do
  case $machine-$backend in mixed*-mpi) set -- "$@" --launcher "$lab/mixed" ;; esac
  {
    timeout $hung "$COLLVIZ" "$@" --json --backend $backend </dev/null \
      2>"$lab/$k.err"
    echo "exit status $?"
    cat "$lab/$k.err"
  } >"$lab/$k.all"
  head -n 1 "$lab/$k.all" >"$lab/$k.run"
  sed -E -f "$same" "$lab/$k.all" | awk '
    /"type":"transfer"/ { print | "LC_ALL=C sort"; next }
    { close("LC_ALL=C sort"); print; fflush() }' >"$lab/$k.$backend"
done
diff "$lab/$k.threads" "$lab/$k.mpi" >"$lab/$k"
B

is_same() { # K COMMAND..., which succeeds too
  head -n 6 "$lab/$1"
  if grep -x -A 1 'exit status 2' "$lab/$1.mpi"; then return 1; fi # it was refused
  [ -s "$lab/$1.mpi" ] && [ ! -s "$lab/$1" ] && shift && "$@"
}

check_cases() { # JOBS COMMAND..., which gets the number of a case, and the case
  # shellcheck disable=SC2016 # for the shell inside
  awk '{ print NR, $0 }' "$lab/cases" |
    xargs -P "$1" -d '\n' -I{} sh -c 'sh "$0" $1' "$lab/both" '{}'
  shift
  k=0
  while read -r line; do
    k=$((k + 1))
    check "$line" is_same $k "$@" $k "$line"
  done <"$lab/cases"
  check 'every fault was found' [ -z "$(awk '/--fault/ { print NR }' "$lab/cases" |
    while read -r faulty; do
      grep -q '"correct":false' "$lab/$faulty.mpi" || echo "$faulty"
    done)" ]
}
