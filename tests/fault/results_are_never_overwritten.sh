#!/bin/bash
# A folder that holds results is refused; --force replaces them, --restart without checkpoint starts.
. tests/support/fault_common.sh
expect 0 $V run $WALL --set end=0.01 -o "$TMP/r"
before=$(cat "$TMP/r/summary.json")
expect 2 $V run $WALL --set end=0.02 -o "$TMP/r"
says "--force"
[ "$before" = "$(cat "$TMP/r/summary.json")" ] || fail "the refused run changed the results"
expect 2 $V run $WALL -o "$TMP/r" --force --restart
expect 0 $V run $WALL --set end=0.02 -o "$TMP/r" --force
expect 0 $V run $WALL --set end=0.01 -o "$TMP/fresh" --restart
[ "$(echo "$before" | sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p')" = "$(hash_of "$TMP/fresh")" ] || fail "--restart without a checkpoint is not a fresh run"
# a pipe or a folder in the place of a checkpoint is no run to go on from
for make in mkfifo mkdir; do
  rm -rf "$TMP/odd" && mkdir "$TMP/odd" && $make "$TMP/odd/checkpoint.h5"
  expect 2 $V run $WALL --set end=0.01 -o "$TMP/odd" --restart
  says "is no file"
done
# a checkpoint of another model is refused
expect 2 $V run $WALL --set young=2e6 --set end=0.02 -o "$TMP/r" --restart
says "another model"
head -c 1000 "$TMP/r/checkpoint.h5" >"$TMP/cut" && mv "$TMP/cut" "$TMP/r/checkpoint.h5"
expect 2 $V run $WALL --set end=0.03 -o "$TMP/r" --restart
says "checkpoint.h5"
