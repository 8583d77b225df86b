# shellcheck shell=bash disable=SC2034
# What the scripts share. Sourced, not run. Sets `top`, the source directory, and goes there.

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"

build_packages=(g++ cmake ninja-build pkg-config libevent-dev libc-ares-dev libspdlog-dev
                libcli11-dev libyaml-cpp-dev libcrypt-dev libxxhash-dev libssl-dev)
run_packages=("${build_packages[@]}" memcached)
test_packages=("${run_packages[@]}" ccache openssl libgtest-dev libgmock-dev libbenchmark-dev nutcracker
               libmemcached-tools ruby ruby-dalli python3 python3-pytest python3-pymemcache
               python3-pylibmc python3-binary-memcached
               sasl2-bin libsasl2-modules golang-go golang-github-bradfitz-gomemcache-dev nodejs npm
               strace php-cli php-memcached default-jdk-headless libspymemcached-java xz-utils)
clang_packages=(clang-19 libclang-rt-19-dev)
format_packages=(clang-format-19)
tidy_packages=(clang-tidy-19)
image_packages=(buildah debootstrap memcached procps)

say() { printf '\n== %s\n' "$*"; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }
jobs() { nproc; }

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# A package that was not installed from Debian under its own name may be there all the same.
provides_command() {
  case $1 in
    nodejs) command -v node >/dev/null ;;
    npm) command -v npm >/dev/null ;;
    default-jdk-headless) command -v javac >/dev/null ;;
    *) return 1 ;;
  esac
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# Installs those of the named packages that are not there yet.
install_missing() {
  local missing=() package
  for package in "$@"; do
    is_installed "$package" || provides_command "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    fail "these packages are missing, and installing them takes root or sudo: ${missing[*]}"
  fi
  say "Installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive bash -s -- "${missing[@]}" <<'INSTALL'
set -euo pipefail
install() { apt-get install -y -q --no-install-recommends "$@"; }
# memcached and nutcracker are here to be tested with: they are not to become services of this host.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
install "$@" || { apt-get update -q && install "$@"; }
for service in memcached nutcracker; do
  case " $* " in
    *" $service "*) systemctl disable "$service" >/dev/null 2>&1 || true ;;
  esac
done
INSTALL
}

# Whether something accepts connections at HOST PORT.
is_listening() {
  (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null
}

# Waits up to 10 s for the process PID to listen at HOST PORT. Fails when it is gone or late.
wait_until_listening() {
  local _
  for _ in $(seq 200); do
    is_listening "$2" "$3" && return 0
    kill -0 "$1" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}

# Starts a memcached on a port of 127.0.0.1 that the kernel picks; keeps what it needs in DIRECTORY.
# Sets memcached_pid and memcached_port. More words are options of memcached.
start_memcached() {
  local own="$1/memcached" user=() _
  shift
  mkdir "$own"
  if [ "$(id -u)" -eq 0 ]; then  # memcached refuses to be root
    user=(-u nobody)
    chmod 711 "$(dirname "$own")"
    chown nobody "$own"
  fi
  MEMCACHED_PORT_FILENAME="$own/port" memcached -l 127.0.0.1 -p -1 -U 0 "${user[@]}" "$@" &
  memcached_pid=$!
  for _ in $(seq 200); do
    memcached_port=$(sed -n 's/^TCP INET: //p' "$own/port" 2>/dev/null || true)
    [ -z "$memcached_port" ] || return 0
    kill -0 "$memcached_pid" 2>/dev/null || break
    sleep 0.05
  done
  fail "memcached did not start"
}
