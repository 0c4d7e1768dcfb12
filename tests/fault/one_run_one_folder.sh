#!/bin/bash
# A folder belongs to the run that writes into it, as long as that lives; results that vanish are an error.
. tests/support/fault_common.sh
ARGS="$WALL --set courses=3 --set blocks=3"
sed 's|<output |<output checkpoint="0.01" |' inputs/masonry_wall.xml >"$TMP/wall.xml"
ENDLESS="$TMP/wall.xml --quiet --set output_every=0 --set courses=3 --set blocks=3 --set end=1e5"
$V run $ENDLESS -o "$TMP/r" 2>"$TMP/first" &
pid=$!
wait_for test -f "$TMP/r/checkpoint.h5"
for how in --force --restart ""; do
  expect 2 $V run $ENDLESS -o "$TMP/r" $how
  says "another run writes into the folder '$TMP/r'"
done
kill -0 $pid || fail "the first run was disturbed"
# a lock dies with its process
kill -9 $pid
wait $pid 2>/dev/null
touch "$TMP/r/STOP"
expect 130 $V run $ENDLESS -o "$TMP/r" --restart

# a file system without locks is told, and no more
if [[ $BUILD != *asan* ]]; then # whose runtime wants to be loaded first
  echo '#include <errno.h>
int flock(int file, int how);
int flock(int file, int how) { return (void)file, (void)how, errno = ENOLCK, -1; }' >"$TMP/flock.c"
  ${CC:-cc} -shared -fPIC -o "$TMP/flock.so" "$TMP/flock.c" || fail "no compiler"
  expect 0 env LD_PRELOAD="$TMP/flock.so" $V run ${ARGS/--quiet/} --set end=0.01 -o "$TMP/nolock"
  says "the folder '$TMP/nolock' cannot be locked (No locks available): a second run"
fi

# all results, or the folder, removed while it runs; or made again
rm -r "$TMP/r"
for what in "$TMP/r/*" "$TMP/r"; do
  $V run $ENDLESS -o "$TMP/r" 2>"$TMP/out" &
  pid=$!
  wait_for test -f "$TMP/r/checkpoint.h5"
  rm -r $what
  wait $pid
  code=$?
  [ $code -eq 3 ] || { cat "$TMP/out"; fail "exit code $code after rm -r $what"; }
  says "$TMP/r/"
  rm -rf "$TMP/r"
done
$V run $ENDLESS -o "$TMP/r" 2>"$TMP/out" &
pid=$!
wait_for test -f "$TMP/r/checkpoint.h5"
mv "$TMP/r" "$TMP/old" && mkdir "$TMP/r"
wait $pid
code=$?
[ $code -eq 3 ] || fail "exit code $code after the folder was replaced"
says "$TMP/r/"
