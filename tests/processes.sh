# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Processes, as proc(5) shows them, and signals to them, for scripts.  pgrep and
# its like are not installed everywhere.  tests/processes.h is the same for C.

# Tests send every signal through this: signal NAME PID...  0 and -1, which stand
# for a process that was not found, are many processes to kill: the tests, make
# and whatever started them.
signal() (
  name=$1
  shift
  for pid in "${@:-none}"; do
    case $pid in
      0* | *[!0-9]* | '') echo "# signal $name to process '$pid'" >&2; exit 1 ;;
    esac
  done
  kill -s "$name" "$@"
)

# lives PID: a zombie does not.
lives() {
  grep -qs '^State:.[^Z]' "/proc/$1/status"
}

# Those that run the program at this path.
processes_of() { # PROGRAM
  find /proc/[0-9]*/exe -maxdepth 0 -lname "$(realpath "$1")" 2>/dev/null |
    cut -d / -f 3
}

# Those whose command line has a word that matches.  The processes of this very
# function do not: the regex is in no command line.
processes_with() { # REGEX
  # shellcheck disable=SC2062 # files, not a pattern
  printf '%s\n' "$1" | grep -Eslzf - /proc/[0-9]*/cmdline | cut -d / -f 3
}

children_of() { # PID
  cat /proc/[0-9]*/stat 2>/dev/null | sed -nE "s/^([0-9]+) .*\) . $1 .*/\1/p"
}

session_of() { # ITS LEADER
  cat /proc/[0-9]*/stat 2>/dev/null |
    sed -nE "s/^([0-9]+) .*\) . [0-9]+ [0-9]+ $1 .*/\1/p"
}
