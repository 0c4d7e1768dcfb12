#!/bin/bash
# Ctrl-C and a file named STOP end the step, write a checkpoint, exit 130; the run goes on from there.
. tests/support/fault_common.sh
ARGS="$WALL --set end=3"
expect 0 $V run $ARGS -o "$TMP/whole"
$V run $ARGS -o "$TMP/r" &
pid=$!
sleep 0.3
kill -INT $pid
wait $pid
code=$?
[ $code -eq 130 ] || fail "exit code $code after SIGINT, expected 130"
grep -q '"status": "interrupted"' "$TMP/r/summary.json" || fail "the summary does not say interrupted"
mkdir -p "$TMP/r" && touch "$TMP/r/STOP"
expect 130 $V run $ARGS -o "$TMP/r" --restart
rm "$TMP/r/STOP"
expect 0 $V run $ARGS -o "$TMP/r" --restart
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/r")" ] || fail "the state differs"
