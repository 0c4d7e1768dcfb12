#!/bin/sh
# packages.sh PACKAGE... [--optional PACKAGE...]: installs what is missing.
#
# Debian and Ubuntu: through apt, with sudo when not root. Elsewhere it names what is missing, by
# trying for it, and stops only then. Optional packages that cannot be had are only mentioned.
set -eu

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# What a package gives, tried on systems without apt: a header or a command.
present() {
  case $1 in
    libc6-dev) header stdio.h ;;
    libsuitesparse-dev) header suitesparse/cholmod.h ;;
    libmetis-dev) header metis.h ;;
    libopenblas-dev) header cblas.h ;;
    libxml2-dev) pkg-config --exists libxml-2.0 ;;
    libhdf5-dev) pkg-config --exists hdf5 ;;
    libmuparser-dev) header muParserDLL.h ;;
    libqhull-dev) header libqhull_r/qhull_ra.h ;;
    libcriterion-dev) header criterion/criterion.h ;;
    libfclib-dev) header fclib.h ;;
    python3-vtk9) /usr/bin/python3 -c 'import vtk' ;;
    python3-numpy) /usr/bin/python3 -c 'import numpy' ;;
    xvfb) command -v xvfb-run ;;
    libomp-dev) echo '#include <omp.h>' | clang -fopenmp -fsyntax-only -xc - ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}
header() {
  echo "#include <$1>" | "${CC:-cc}" -fsyntax-only -xc -
}

install_with_apt() {
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Not root, and no sudo. As root: apt-get install $*" >&2; return 1; }
    as_root=sudo
  fi
  echo "Installing $*"
  log=$(mktemp)
  # shellcheck disable=SC2086 # no sudo when root
  if ! { $as_root apt-get update -q && $as_root env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -q --no-install-recommends "$@"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  apt=1
  have=installed
else
  apt=0
  have=present
fi

needed='' wished='' optional=0
for package in "$@"; do
  if [ "$package" = --optional ]; then optional=1; continue; fi
  $have "$package" && continue
  if [ "$optional" = 1 ]; then wished="$wished $package"; else needed="$needed $package"; fi
done
[ -n "$needed$wished" ] || exit 0

if [ "$apt" = 1 ]; then
  # shellcheck disable=SC2086 # lists of words
  if [ -n "$needed" ]; then install_with_apt $needed; fi
  # shellcheck disable=SC2086
  if [ -n "$wished" ]; then install_with_apt $wished || echo "Going on without$wished"; fi
  exit 0
fi
echo "This system has no apt. Debian's names of what is missing:$needed$wished" >&2
if [ -n "$needed" ]; then exit 1; fi
