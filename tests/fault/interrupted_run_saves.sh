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
[ ! -e "$TMP/r/STOP" ] || fail "STOP is still there after it has stopped the run"
expect 0 $V run $ARGS -o "$TMP/r" --restart
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/r")" ] || fail "the state differs"

# SIGTERM within a step that takes long: heeded between the iterations, the state is that before the step.
cat >"$TMP/long.xml" <<'XML'
<voussoir><model space="solid"/><material name="m" density="1000" young="1e6" poisson="0.3"/>
<box name="b" material="m" size="1 1 1" cells="10 10 10" kinematics="finite"/>
<tool name="floor" shape="plane" axis_y="0" axis_z="1"/><law name="dry" friction="0"/>
<contact candidate="b" antagonist="floor" law="dry"/>
<prescribe on="b.z1" z="-0.03*t"/><time end="3" step="1" theta="1" max_cuts="0"/></voussoir>
XML
expect 0 $V run "$TMP/long.xml" -o "$TMP/whole3" --quiet
start=$(date +%s%N)
expect 0 $V run "$TMP/long.xml" -o "$TMP/timed" --quiet
whole=$((($(date +%s%N) - start) / 1000000))
$V run "$TMP/long.xml" -o "$TMP/l" --quiet &
pid=$!
sleep "$(printf '0.%03d' $((whole / 2 < 900 ? whole / 2 : 900)))"
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 130 ] || fail "exit code $code after SIGTERM, expected 130"
expect 0 $V run "$TMP/long.xml" -o "$TMP/l" --restart --quiet
[ "$(hash_of "$TMP/whole3")" = "$(hash_of "$TMP/l")" ] || fail "the state differs after SIGTERM within a step"
