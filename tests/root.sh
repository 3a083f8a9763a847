# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Debian systems in folders of their own, for checks that need another system than
# this one.  To be sourced by bash, as root:
#
#     root_wanted                          ends with a skip where none can be made
#     root_make bookworm $lab/root git,gcc from the mirror that apt is set to
#     root_run $lab/root 'command' ARG...  in it, as a session of its own
#
# /proc is mounted, /sys is not.  Processes have a namespace and a session of their
# own: none stays, and no signal gets out.

root_skip() {
  echo "1..0 # SKIP $1"
  exit
}

root_wanted() {
  local program
  ((EUID == 0)) || root_skip 'only root may make a root folder'
  for program in debootstrap unshare "$@"; do
    command -v "$program" >/dev/null || root_skip "there is no $program on this machine"
  done
  unshare -mpf --kill-child true 2>/dev/null || root_skip 'namespaces cannot be made here'
}

# root_make RELEASE FOLDER [PACKAGE,...]
root_make() {
  local release=$1 root=$2 packages=${3-} mirror
  # shellcheck disable=SC2016 # apt's own words
  # Where apt is not set to this release, its mirror has it, or debootstrap knows
  # one.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    "Codename: $release" 'Component: main' 2>/dev/null | head -n 1)
  echo "making a Debian ($release) in $root"
  unshare -m debootstrap --variant=minbase ${packages:+--include="$packages"} \
    "$release" "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 ||
    { tail -n 5 "$root.log"; return 1; }
  apt-config dump | grep -E '^Acquire::(https?|Check|Retries)' \
    >"$root/etc/apt/apt.conf.d/90host"
  # Debian's installer does this.  Where a machine's own name is not known, Open
  # MPI takes 5 s more to start.
  echo "127.0.0.1 localhost $(uname -n)" >"$root/etc/hosts"
}

# root_run FOLDER COMMAND [ARG...]: the shell of the system runs it.
# shellcheck disable=SC2016 # for the shells inside
root_run() {
  local root=$1
  shift
  # A namespace does not hold signals to a group, a session of its own does.
  unshare -mpf --kill-child setsid --wait sh -c '
    root=$1
    shift
    mount -t proc proc "$root/proc" || exit
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
    exec chroot "$root" /usr/bin/env -i "$@"' sh "$root" \
    HOME=/root TERM=xterm PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    sh -c "$@"
}
