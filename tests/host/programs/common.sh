# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Shared by the tests in this folder. Each gets the folder of our shared library
# and a folder of unpacked packages. It runs a program twice: with the system's
# library, and with ours, selected only by LD_LIBRARY_PATH.
set -uo pipefail
ours=$(realpath "$1") unpacked=$2   # /proc shows no symbolic links
here=$(cd "$(dirname "$0")" && pwd)

skip() { echo "SKIPPED: $1"; exit 77; }
fail() { echo "failed: $1"; exit 1; }

# find_program <path below the root>: sets $program
find_program() {
  for program in "$unpacked/$1" "/$1"; do
    [[ -x $program ]] && return
  done
  skip "$(basename "$1") is not installed, nor unpacked in $unpacked"
}

# Libraries that came with the unpacked programs.
beside=$unpacked/usr/lib/$(uname -m)-linux-gnu

# Prefixes that run a command with the system's library, or with ours.
on_system=(env "LD_LIBRARY_PATH=$beside")
on_ours=(env "LD_LIBRARY_PATH=$ours:$beside")

# check_mapped <pid> ours|system: which liblua5.4 the process has mapped
check_mapped() {
  local mapped
  mapped=$(sed -nE 's,.* (/.*liblua5\.4[^ ]*)$,\1,p' "/proc/$1/maps" | sort -u)
  [[ $mapped ]] || fail "process $1 has no liblua5.4 mapped"
  case $2:$mapped in
    ours:"$ours"/*) echo "mapped: liblua5.4.so.0 of the build" ;;
    system:/usr/* | system:/lib/*) echo "mapped: $mapped" ;;
    *) fail "mapped: $mapped" ;;
  esac
}

work=$(mktemp -d) || exit 1
server=
cleanup() {
  if [[ $server ]]; then
    kill "$server" 2>/dev/null
    wait "$server" 2>/dev/null
  fi
  rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1

# For programs that end: their script writes the library that it finds in
# /proc/self/maps to the file `mapped`.
cat >mapped.lua <<'END'
for line in io.lines("/proc/self/maps") do
  local path = line:match("/.*liblua5%.4.*")
  if path then
    local out = io.open("mapped", "w")
    out:write(path, "\n")
    out:close()
    break
  end
end
END

# run_both <command>...: runs it twice, each time in a fresh folder.  Its output
# and its files must be the same, and each run must use the right library.  The
# folder `files` has the files it needs.  Lines that match $volatile may differ.
volatile=${volatile:-^$}
run_both() {
  local library status
  for library in system ours; do
    local -n before=on_$library
    cp -r files run
    (cd run && timeout 600 "${before[@]}" "$@" >output 2>&1 </dev/null)
    status=$?
    mv run "$library"
    echo "status $status" >>"$library/output"
    case $library:$(cat "$library/mapped" 2>/dev/null) in
      system:/usr/* | system:/lib/* | ours:"$ours"/*) ;;
      *) cat "$library/output"; fail "$library: $(cat "$library/mapped")" ;;
    esac
    rm "$library/mapped"
    find "$library" -type f -exec sed -i -E "/$volatile/d" {} +
  done
  diff -r system ours || fail "the output differs"
  lines=$(find ours -type f -exec cat {} + | wc -l)
  (( lines > 3 )) || fail "next to no output"
  echo "the same on both libraries: $lines lines"
}
