#!/bin/bash
# A run killed with SIGKILL at ten random moments and restarted ends with the bits of one not killed.
. tests/support/fault_common.sh
sed 's|<output |<output checkpoint="0.05" |' inputs/masonry_wall.xml >"$TMP/wall.xml"
ARGS="$TMP/wall.xml --quiet --set output_every=50 --set end=1.5"
expect 0 $V run $ARGS -o "$TMP/whole"
seed=${SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed
kills=0
for attempt in $(seq 1 40); do
  [ $kills -lt 10 ] || break
  $V run $ARGS -o "$TMP/killed" --restart &
  pid=$!
  sleep 0.$(printf %03d $((RANDOM % 150 + 20)))
  kill -9 $pid 2>/dev/null && kills=$((kills + 1))
  wait $pid 2>/dev/null
  [ -f "$TMP/killed/summary.json" ] && rm -r "$TMP/killed" # finished before the blow: once more
done
[ $kills -ge 10 ] || fail "only $kills kills"
expect 0 $V run $ARGS -o "$TMP/killed" --restart
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/killed")" ] || fail "the state differs"
cmp "$TMP/whole/history.csv" "$TMP/killed/history.csv" || fail "the history differs"
for file in "$TMP"/whole/*.vtk "$TMP"/whole/*.series; do
  cmp "$file" "$TMP/killed/$(basename "$file")" || fail "$(basename "$file") differs"
done
# a finished run is left alone
expect 0 $V run $ARGS -o "$TMP/killed" --restart
