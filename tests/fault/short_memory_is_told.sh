#!/bin/bash
# With too little memory (ulimit -v) a run ends with exit code 3 and says so: from the least with which the program can be
# loaded at all to the least with which it succeeds. HDF5, OpenBLAS and threads would crash, or wait for ever.
# FINE=20: twenty times as many limits (minutes).
. tests/support/fault_common.sh
case $BUILD in *asan*) exit 0 ;; esac # which takes all the address space there is
FINE=${FINE:-1}

# limited KB ARGUMENTS...: exit code of a short run with so much memory
limited() {
  (
    ulimit -v "$1"
    shift
    exec timeout -k 5 60 $V run "$@" --quiet --stop-after 2 -o "$TMP/r" --force
  ) >"$TMP/out" 2>&1
}

loads() { [ $code -ne 127 ]; }
starts() { [ $code -ne 127 ] && ! grep -q "OpenBLAS needs" "$TMP/out"; }
succeeds() { [ $code -eq 130 ]; }

# least LOW HIGH WHAT ARGUMENTS...: the least limit between them with which it does that, to 64 KB
least() {
  local low=$1 high=$2 what=$3
  shift 3
  while [ $((high - low)) -gt 64 ]; do
    middle=$(((low + high) / 2))
    limited $middle "$@"
    code=$?
    if $what; then high=$middle; else low=$middle; fi
  done
  echo $high
}

# told ARGUMENTS...: at a few limits where only loading matters, at many where libraries begin to take memory
told() {
  local loads starts succeeds
  loads=$(least 10000 2000000 loads "$@")
  starts=$(least "$loads" 2000000 starts "$@")
  succeeds=$(least "$starts" 2000000 succeeds "$@")
  [ "$succeeds" -lt 1900000 ] || fail "$* never succeeds"
  for limit in $(seq "$loads" 100 $((loads + 500))) $(seq "$loads" $(((starts - loads) / (5 * FINE) + 1)) "$starts") \
    $(seq $((starts - 1000)) $((200 / FINE)) $((starts + 1000))) $(seq "$starts" $((2000 / FINE)) $((succeeds + 2000))); do
    limited "$limit" "$@"
    code=$?
    [ $code -eq 130 ] && continue
    [ $code -eq 3 ] || { cat "$TMP/out"; fail "$* with $limit KB: exit code $code"; }
    grep -q memory "$TMP/out" || { cat "$TMP/out"; fail "$* with $limit KB: nothing is said of memory"; }
  done
  echo "$*: loads with $loads KB, starts with $starts KB, succeeds with $succeeds KB"
}

told inputs/masonry_wall.xml
told inputs/masonry_wall.xml --threads 3 # with stacks and buffers of their own
told inputs/springback.xml
# kernels that take no buffer for small matrices
if grep -q avx512vl /proc/cpuinfo && grep -q avx512dq /proc/cpuinfo; then
  export OPENBLAS_CORETYPE=SkylakeX
  told inputs/masonry_wall.xml
fi
