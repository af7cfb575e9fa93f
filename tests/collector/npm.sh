# SPDX-License-Identifier: MIT
#
# npm.sh -- sourced by tests: tools from npm
#
# Needs $out, a folder to write to. Sets $npm, the folder for packages: the one
# that PENUMBRA_NPM names, or one in $out.
npm=${PENUMBRA_NPM:-$out/npm}

skip() { echo "SKIPPED: $1"; exit 77; }

# need FOLDER PACKAGE...: installs the packages unless the folder is there.
need() {
  command -v node >/dev/null && command -v npm >/dev/null ||
    skip "no node and npm"
  [ ! -d "$npm/node_modules/$1" ] || return 0
  shift
  mkdir -p "$npm"
  PUPPETEER_SKIP_DOWNLOAD=1 npm install --prefix "$npm" --ignore-scripts \
    --no-audit --no-fund "$@" >"$out/npm.log" 2>&1 || skip "npm cannot install $*"
}
