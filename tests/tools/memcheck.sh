#!/bin/bash
# memcheck.sh: valgrind over short runs of inputs that reach small strains, finite strains and sheets; nothing may be
# read that was never set, nothing beyond its end. `make memcheck` builds what valgrind understands (build-plain).
set -u
V=build-plain/voussoir
command -v valgrind >/dev/null || { echo "valgrind is missing: apt install valgrind"; exit 2; }
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
failed=0
for run in "masonry_wall 30" "springback 10" "taylor_bar 8" "deep_drawing 4" "wall_with_openings 5" "extrusion 2" "wall_settlement 208"; do
  set -- $run
  valgrind -q --error-exitcode=9 --num-callers=20 $V run "inputs/$1.xml" --stop-after "$2" -o "$TMP/$1" --quiet >"$TMP/log" 2>&1
  code=$?
  [ $code -eq 0 ] || [ $code -eq 5 ] || [ $code -eq 130 ] || { cat "$TMP/log"; failed=1; }
  echo "$1, $2 steps: exit code $code"
done
exit $failed
