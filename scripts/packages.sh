# shellcheck shell=bash
# Packages of Debian's that only tests need: modules and programs made for
# Lua 5.4. Sourced by ./test after common.sh. Without one of them a test is
# skipped, and says so.

multiarch=/usr/lib/$(uname -m)-linux-gnu
modules54=$multiarch/lua/5.4

# Modules, each with a file that shows it is there.
module_packages=(
  lua-bitop="$modules54/bit.so"
  lua-cjson="$modules54/cjson.so"
  lua-cqueues="$modules54/_cqueues.so"
  lua-cyrussasl="$modules54/cyrussasl.so"
  lua-dbi-mysql="$modules54/dbd/mysql.so"
  lua-dbi-postgresql="$modules54/dbd/postgresql.so"
  lua-dbi-sqlite3="$modules54/dbd/sqlite3.so"
  lua-event="$modules54/luaevent/core.so"
  lua-expat="$modules54/lxp.so"
  lua-filesystem="$modules54/lfs.so"
  lua-geoip="$modules54/geoip.so"
  lua-ldap="$modules54/lualdap.so"
  lua-lpeg="$modules54/lpeg.so"
  lua-luaossl="$modules54/_openssl.so"
  lua-luv="$modules54/luv.so"
  lua-readline="$modules54/C-readline.so"
  lua-rex-gnu="$modules54/rex_gnu.so"
  lua-rex-onig="$modules54/rex_onig.so"
  lua-rex-pcre2="$modules54/rex_pcre2.so"
  lua-rex-posix="$modules54/rex_posix.so"
  lua-rex-tre="$modules54/rex_tre.so"
  lua-sec="$modules54/ssl.so"
  lua-socket="$modules54/socket/core.so"
  lua-sql-mysql="$modules54/luasql/mysql.so"
  lua-sql-odbc="$modules54/luasql/odbc.so"
  lua-sql-postgres="$modules54/luasql/postgres.so"
  lua-sql-sqlite3="$modules54/luasql/sqlite3.so"
  lua-system="$modules54/system/core.so"
  lua-term="$modules54/term/core.so"
  lua-unbound="$modules54/lunbound.so"
  lua-yaml="$modules54/yaml.so"
  lua-zlib="$modules54/zlib.so"
)

# Programs, libraries of those below, and tools.
program_packages=(
  gringo=clingo gnuplot-nox=gnuplot mle=mle neomutt=neomutt
  zsh=zsh fish=fish mandoc=mandoc python3=python3 libedit2="$multiarch/libedit.so.2"
  lua-busted=busted lua-check=luacheck lua-ldoc=ldoc
  apache2-utils=ab luarocks=luarocks pkg-config=pkg-config g++=c++
  libnetfilter-conntrack3="$multiarch/libnetfilter_conntrack.so.3"
  libnftables1="$multiarch/libnftables.so.1"
)

# Compilers and C libraries for other machines, an emulator, another C library,
# and what the clean root for our own packages takes.
foreign_packages=(
  gcc-i686-linux-gnu=i686-linux-gnu-gcc
  gcc-arm-linux-gnueabihf=arm-linux-gnueabihf-gcc
  gcc-riscv64-linux-gnu=riscv64-linux-gnu-gcc
  gcc-s390x-linux-gnu=s390x-linux-gnu-gcc
  gcc-powerpc64le-linux-gnu=powerpc64le-linux-gnu-gcc
  libc6-dev-i386-cross=/usr/i686-linux-gnu/include/stdio.h
  libc6-dev-armhf-cross=/usr/arm-linux-gnueabihf/include/stdio.h
  libc6-dev-riscv64-cross=/usr/riscv64-linux-gnu/include/stdio.h
  libc6-dev-s390x-cross=/usr/s390x-linux-gnu/include/stdio.h
  libc6-dev-ppc64el-cross=/usr/powerpc64le-linux-gnu/include/stdio.h
  qemu-user=qemu-s390x musl-tools=musl-gcc
  golang-go=go chromium=chromium nodejs=node npm=npm
  gcc-mingw-w64-x86-64=x86_64-w64-mingw32-gcc
  curl=curl mkdocs=mkdocs mkdocs-material=/usr/share/doc/mkdocs-material
  debhelper=dh lintian=lintian fakeroot=fakeroot mmdebstrap=mmdebstrap
)
case $(uname -m) in
  aarch64) foreign_packages+=(
    gcc-x86-64-linux-gnu=x86_64-linux-gnu-gcc
    libc6-dev-amd64-cross=/usr/x86_64-linux-gnu/include/stdio.h) ;;
  x86_64) foreign_packages+=(
    gcc-aarch64-linux-gnu=aarch64-linux-gnu-gcc
    libc6-dev-arm64-cross=/usr/aarch64-linux-gnu/include/stdio.h
    wine64=/usr/lib/wine/wine64 wine=wine) ;;
esac

# Packages that would start a service, or replace another one: unpacked only.
unpacked=$root/build/debian
unpacked_packages=(
  lighttpd="$unpacked/usr/sbin/lighttpd"
  lighttpd-modules-lua="$unpacked/usr/lib/lighttpd/mod_magnet.so"
  dnsmasq-base-lua="$unpacked/usr/sbin/dnsmasq"
  dovecot-core="$unpacked/usr/sbin/dovecot"
  dovecot-auth-lua="$unpacked/usr/lib/dovecot/modules/auth/libauthdb_lua.so"
  prosody="$unpacked/usr/bin/prosody"
)

# unpack_packages name...: fetches them and unpacks them below $unpacked
unpack_packages() {
  local folder
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 0
  folder=$(mktemp -d) || return 0
  say "penumbra: unpacking $*"
  (cd "$folder" && apt-get -o Acquire::Retries=3 -qq download "$@" \
     </dev/null >/dev/null 2>&1)
  mkdir -p "$unpacked"
  for package in "$folder"/*.deb; do
    [[ ! -e $package ]] || dpkg -x "$package" "$unpacked"
  done
  rm -rf "$folder"
}
