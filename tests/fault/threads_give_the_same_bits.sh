#!/bin/bash
# 1, 2 and 4 threads give the same state, for a wall that is large enough to wake them.
. tests/support/fault_common.sh
for n in 1 2 4; do
  expect 0 $V run $WALL --set courses=24 --set blocks=36 --set end=0.02 --threads $n -o "$TMP/t$n"
done
[ "$(hash_of "$TMP/t1")" = "$(hash_of "$TMP/t2")" ] || fail "2 threads differ from 1"
[ "$(hash_of "$TMP/t1")" = "$(hash_of "$TMP/t4")" ] || fail "4 threads differ from 1"
