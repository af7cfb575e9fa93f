# shellcheck shell=bash
# Shared by ./run and ./test: packages and builds.  Sourced by bash, with
# $root set to the top of the source tree.

jobs=${PENUMBRA_JOBS:-$(nproc 2>/dev/null || echo 2)}

say() { printf '%s\n' "$*" >&2; }

# refuse PROGRAM TEXT: ends PROGRAM because of its command line, with one line.
refuse() {
  say "${1##*/}: $2 (try '$1 --help')"
  exit 2
}

# Each package stands with a command, or a file, that shows it is there.
toolchain=(cmake=cmake ninja-build=ninja gcc=cc binutils=objcopy
           libc6-dev=/usr/include/stdio.h)

# missing_packages name=probe...: prints the names whose probe finds nothing.
missing_packages() {
  local pair probe
  for pair in "$@"; do
    probe=${pair#*=}
    [[ $probe == /* && -e $probe ]] || command -v "$probe" >/dev/null || echo "${pair%%=*}"
  done
}

# Sets `become` to what must stand before a command to run it as root.
find_root() {
  become=()
  if [[ $(id -u) == 0 ]]; then return 0; fi
  become=(sudo)
  command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }
}

apt_install() {
  "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get \
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
    -o Dpkg::Options::=--force-confold \
    -qq -y --no-install-recommends install "$@" </dev/null
}

# install_packages name...: installs what it can; the caller looks again.
install_packages() {
  local name
  command -v apt-get >/dev/null && find_root || return 0
  say "penumbra: installing $*"
  apt_install "$@" >/dev/null 2>&1 && return 0
  "${become[@]}" apt-get -qq update >/dev/null 2>&1 || true
  apt_install "$@" >/dev/null 2>&1 && return 0
  for name in "$@"; do apt_install "$name" >/dev/null 2>&1 || true; done
}

# require_packages name=probe...: ends the script when something stays missing.
require_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  (( ${#missing[@]} )) || return 0
  install_packages "${missing[@]}"
  mapfile -t missing < <(missing_packages "$@")
  (( ${#missing[@]} )) || return 0
  say "penumbra: these Debian packages are missing and could not be installed:"
  say "    ${missing[*]}"
  say "Install them as root, then try again:  apt-get install ${missing[*]}"
  exit 1
}

# copy_tree FOLDER: copies the source tree, without what is built. Of a clone, that
# is what belongs to it or will; of the unpacked source of a release, everything.
copy_tree() {
  if [[ -e $root/.git ]]; then
    (cd "$root" && git ls-files -z --cached --others --exclude-standard |
       xargs -0 tar -c --ignore-failed-read -f - 2>/dev/null)
  else
    tar -C "$root" --exclude=./build -c .
  fi | tar -x -C "$1"
}

# configure_preset preset [cmake-option...]
configure_preset() {
  cmake -S "$root" --preset "$@" && touch "$root/build/$1/.configured"
}

# Ninja configures again by itself when a list changes; the rest is this.
is_configured() {
  local dir=$root/build/$1
  [[ -e $dir/build.ninja && $dir/.configured -nt $root/CMakePresets.json ]]
}

# Copies the build's output to the file $1, and shows on stderr how far it is and
# how long it will take at this pace: on a terminal in one line that changes,
# otherwise a line for every tenth. A build that has next to nothing to do stays
# silent.
show_progress() {
  awk -v log_file="$1" -v tty="$([[ -t 2 ]] && echo 1)" '
    function now() { srand(); return srand() }
    function left(done, all,   seconds) {
      seconds = now() - begun
      if (seconds < 5 || done == all) return ""
      return sprintf(", about %d s left", seconds * (all - done) / done + 1)
    }
    BEGIN { begun = now(); if (tty) { printf "  building ..."; fflush() } }
    { print >>log_file; fflush(log_file) }
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), n, "/")
      if (n[2] < 5 && !tty) next
      line = sprintf("%3d %%  %d of %d%s", 100 * n[1] / n[2], n[1], n[2],
                     left(n[1], n[2]))
      if (tty) printf "\r  %-40s", line
      else if (int(10 * n[1] / n[2]) == tenth) next
      else printf "  %s\n", line
      tenth = int(10 * n[1] / n[2])
      fflush()
    }
    END { if (tty) printf "\r%44s\r", "" }' >&2
}

# build_preset preset targets [cmake-option...]: builds the targets, which are in
# one word; shows the compiler's output only if it fails. With `progress` set,
# says how far it is. Configures when options are given, or when it was never done.
build_preset() {
  local preset=$1 targets dir=$root/build/$1 log=$root/build/$1/build.log
  read -ra targets <<<"$2"
  shift 2
  mkdir -p "$dir"
  (
    flock 9
    : >"$log"
    if (( $# )) || ! is_configured "$preset"; then
      configure_preset "$preset" "$@" >>"$log" 2>&1 || exit 1
    fi
    if [[ ! ${progress-} ]]; then
      exec cmake --build "$dir" --target "${targets[@]}" -j "$jobs" >>"$log" 2>&1
    fi
    set -o pipefail
    cmake --build "$dir" --target "${targets[@]}" -j "$jobs" 2>&1 |
      show_progress "$log"
  ) 9>"$dir/.lock" && return 0
  cat "$log" >&2
  say "penumbra: building build/$preset failed"
  return 1
}
