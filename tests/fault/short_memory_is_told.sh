#!/bin/bash
# short_memory.sh, run by hand from the top folder: with too little memory (ulimit -v) a run ends with exit code 3 and says so: from the least with which the program
# can be loaded at all to the least with which it succeeds. HDF5, OpenBLAS and its threads would crash, or wait for ever.
. tests/support/fault_common.sh
case $BUILD in *asan*) exit 0 ;; esac # which takes all the address space there is

# limited KB INPUT: exit code of a short run with so much memory
limited() {
  (
    ulimit -v "$1"
    exec timeout -k 5 120 $V run "$2" --quiet --stop-after 2 -o "$TMP/r" --force
  ) >"$TMP/out" 2>&1
}

# least LOW HIGH CODES INPUT: the least limit between them with one of the codes, to 64 KB
least() {
  low=$1 high=$2
  while [ $((high - low)) -gt 64 ]; do
    middle=$(((low + high) / 2))
    limited $middle "$4"
    case " $3 " in *" $? "*) high=$middle ;; *) low=$middle ;; esac
  done
  echo $high
}

for input in inputs/masonry_wall.xml inputs/springback.xml; do
  loads=$(least 10000 2000000 "0 3 5 130" $input)
  succeeds=$(least "$loads" 2000000 "0 5 130" $input)
  [ "$succeeds" -lt 1900000 ] || fail "$input never succeeds"
  # few where only loading matters, many where libraries begin to take memory
  for limit in $(seq "$loads" $(((succeeds - loads) / 12 + 1)) "$succeeds") $(seq $((succeeds - 30000)) 600 $((succeeds + 2000))); do
    [ "$limit" -ge "$loads" ] || continue
    limited "$limit" $input
    code=$?
    [ $code -eq 130 ] && continue
    [ $code -eq 3 ] || { cat "$TMP/out"; fail "$input with $limit KB: exit code $code"; }
    grep -q "out of memory\|memory" "$TMP/out" || { cat "$TMP/out"; fail "$input with $limit KB: nothing is said of memory"; }
  done
done
