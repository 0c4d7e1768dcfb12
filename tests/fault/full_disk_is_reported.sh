#!/bin/bash
# A full disk or an unwritable folder: exit 3, a message with the path, the last checkpoint intact.
. tests/support/fault_common.sh
expect 0 $V run $WALL --set end=0.05 -o "$TMP/r"
cp "$TMP/r/checkpoint.h5" "$TMP/good.h5"
# files may not grow beyond 100 blocks of 1024 bytes: the history and checkpoints of a longer run do
(ulimit -f 100; $V run $WALL --set end=3 -o "$TMP/r" --restart) >"$TMP/out" 2>&1
code=$?
[ $code -eq 3 ] || { cat "$TMP/out"; fail "exit code $code on a full disk, expected 3"; }
says "$TMP/r/"
cmp "$TMP/good.h5" "$TMP/r/checkpoint.h5" || fail "the last checkpoint is not intact"
ls "$TMP"/r/*.part 2>/dev/null && fail "half a file is left"
expect 0 $V run $WALL --set end=0.1 -o "$TMP/r" --restart
touch "$TMP/file"
expect 3 $V run $WALL --set end=0.01 -o "$TMP/file/below"
says "$TMP/file"
if [ "$(id -u)" -ne 0 ]; then
  mkdir "$TMP/locked" && chmod 500 "$TMP/locked"
  expect 3 $V run $WALL --set end=0.01 -o "$TMP/locked/r"
fi
