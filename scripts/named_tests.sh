# shellcheck shell=bash
# Single tests by name, built with what they need and nothing else. Sourced by
# ./test after common.sh.
#
# build/<preset>/tests/targets.txt has a line for each test: its name and the
# targets that it needs, or `skipped`. tests/CMakeLists.txt writes it.

# test_names PRESET [OPTION...]: the names that ctest lists with these options.
test_names() {
  (cd "$root" && ctest --preset "$1" -N "${@:2}") | sed -n 's/^ *Test *#[0-9]*: //p'
}

# Configures preset $1, but only if it is new or a list of tests has changed.
prepare_names() {
  local options=()
  [[ -e $root/build/$1/build.ninja ]] || options=(-D PENUMBRA_WERROR=ON)
  build_preset "$1" build.ninja "${options[@]}"
}

# list_tests REGEX PRESET...: prints the names that match.
list_tests() {
  local preset
  for preset in "${@:2}"; do
    prepare_names "$preset" || return
    test_names "$preset"
  done | sort -u | grep -E -e "$1"
}

# matching_tests PRESET NAME: the test that is called NAME, or those whose name
# matches. Tests of ./test --full are in only if no other matches.
matching_tests() {
  local all usual
  all=$(test_names "$1")
  usual=$(test_names "$1" ${left_out:+--label-exclude "$left_out"})
  grep -xF -e "$2" <<<"$all" || grep -E -e "$2" <<<"$usual" || grep -E -e "$2" <<<"$all"
} 2>/dev/null

# closest_names NAME: of the names in the input, the five that need the fewest
# edits to become NAME, or whose last part does.
closest_names() {
  awk -v wanted="$1" '
    function least(a, b) { return a < b ? a : b }
    function edits(a, b,   i, j, row, above, corner) {
      for (j = 0; j <= length(b); j++) row[j] = j
      for (i = 1; i <= length(a); i++) {
        corner = row[0]; row[0] = i
        for (j = 1; j <= length(b); j++) {
          above = row[j]
          row[j] = least(least(above, row[j - 1]) + 1,
                         corner + (substr(a, i, 1) != substr(b, j, 1)))
          corner = above
        }
      }
      return row[length(b)]
    }
    { last = $0; sub(/.*\//, "", last)
      print least(edits(wanted, $0), edits(wanted, last)), $0 }' |
    sort -n | head -n 5 | cut -d' ' -f2
}

# choose_tests PRESET NAME...: prints the tests that the names mean. Fails when a
# name means none.
choose_tests() {
  local preset=$1 name known=1
  for name in "${@:2}"; do
    matching_tests "$preset" "$name" && continue
    known=
    say "the preset $preset has no test $name; these have similar names:"
    test_names "$preset" | closest_names "$name" | sed 's/^/    /' >&2
  done
  [[ $known ]]
}

# needed_targets PRESET TEST...
needed_targets() {
  printf '%s\n' "${@:2}" |
    awk 'NR == FNR { wanted[$1]; next }
         $1 in wanted { for (i = 2; i <= NF; i++) print $i }' \
      - "$root/build/$1/tests/targets.txt" | sort -u
}

# A pattern of ctest for exactly these names.
exact_pattern() {
  printf '%s\n' "$@" | sed 's/[][\\.*^$+?(){}|]/\\&/g' | paste -sd'|' | sed 's/.*/^(&)$/'
}

# build_needs PRESET TEST...: builds what the tests need. Where one cannot run,
# the reason may be gone by now: that is found out by configuring again.
build_needs() {
  local targets
  mapfile -t targets < <(needed_targets "$@")
  if [[ " ${targets[*]} " == *" skipped "* ]]; then
    configure_preset "$1" >/dev/null || return
    mapfile -t targets < <(needed_targets "$@" | grep -vx skipped)
  fi
  (( ${#targets[@]} == 0 )) || progress=1 build_preset "$1" "${targets[*]}"
}

# run_chosen PRESET TEST...: runs them; those that measure have three tries.
run_chosen() {
  local preset=$1 only
  only=(--tests-regex "$(exact_pattern "${@:2}")")
  if [[ $(test_names "$preset" "${only[@]}" --label-exclude "$measures") ]]; then
    run_tests "$preset" report "${ctest_options[@]}" "${only[@]}" --label-exclude "$measures"
  fi
  if [[ $(test_names "$preset" "${only[@]}" --label-regex "$measures") ]]; then
    run_tests "$preset" measures "${ctest_options[@]}" "${only[@]}" \
      --label-regex "$measures" --repeat until-pass:3
  fi
}

# run_named PRESET NAME...: builds and runs the tests that the names mean.
run_named() {
  local preset=$1 chosen
  echo "== $preset"
  if ! prepare_names "$preset" || ! chosen=$(choose_tests "$@"); then
    (( failed++ ))
    return
  fi
  mapfile -t chosen < <(sort -u <<<"$chosen")
  if build_needs "$preset" "${chosen[@]}"; then
    run_chosen "$preset" "${chosen[@]}"
  else
    (( failed++ ))
  fi
}
