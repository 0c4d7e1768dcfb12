#!/bin/bash
# A run killed with SIGKILL when its history has so many rows, ten times, and restarted ends with the bits of one not killed.
. tests/support/fault_common.sh
sed 's|<output |<output checkpoint="0.05" |' inputs/masonry_wall.xml >"$TMP/wall.xml"
ARGS="$TMP/wall.xml --quiet --set output_every=50"
seed=${SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed
# history FOLDER: rows on the disk
rows_of() { [ -f "$1/history.csv" ] && wc -l <"$1/history.csv" || echo 2; }
for kill in 1 2 3 4 5 6 7 8 9 10; do
  touch "$TMP/mark"
  rows=$(($(rows_of "$TMP/killed") + RANDOM % 400))
  echo "killed at row $rows"
  $V run $ARGS --set end=1e5 -o "$TMP/killed" --restart &
  pid=$!
  # four of five at a row and after a checkpoint of this run, the others at the first file that it writes
  if [ $((kill % 5)) -eq 0 ]; then
    wait_for test "$TMP/killed/input.xml" -nt "$TMP/mark"
  else
    wait_for test "$TMP/killed/checkpoint.h5" -nt "$TMP/mark"
    wait_for has_rows "$TMP/killed/history.csv" $rows
  fi
  kill -9 $pid || fail "the run has ended by itself"
  wait $pid 2>/dev/null
done
# the end is a little behind the last checkpoint; what comes later in the files is taken back
expect 130 $V run $ARGS --set end=1e5 -o "$TMP/killed" --restart --stop-after 1
end=$(sed -n 's/.*"time": \([0-9.e+-]*\).*/\1/p' "$TMP/killed/summary.json" | head -n 1 | awk '{ printf "%.3f", $1 + 0.02 }')
expect 0 $V run $ARGS --set end=$end -o "$TMP/killed" --restart
expect 0 $V run $ARGS --set end=$end -o "$TMP/whole"
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/killed")" ] || fail "the state differs"
cmp "$TMP/whole/history.csv" "$TMP/killed/history.csv" || fail "the history differs"
rows=$(wc -l <"$TMP/whole/history.csv")
[ "$rows" -gt 10 ] || fail "only $rows rows: what was tested?"
for file in "$TMP"/whole/*.vtk; do
  cmp "$file" "$TMP/killed/$(basename "$file")" || fail "$(basename "$file") differs"
done
for name in $(grep -o 'bodies_[0-9]*.vtk' "$TMP/whole/bodies.vtk.series"); do
  grep -q "$name" "$TMP/killed/bodies.vtk.series" || fail "$name is not in the series"
done
# a finished run is left alone
expect 0 $V run $ARGS --set end=$end -o "$TMP/killed" --restart
