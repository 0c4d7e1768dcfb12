#!/bin/bash
# Ctrl-C, the signals of batch systems and a file named STOP end the run with a checkpoint, exit 130; the run goes on
# from there with the same bits. A second Ctrl-C ends it at once.
. tests/support/fault_common.sh
sed 's|<output |<output checkpoint="0.02" |' inputs/masonry_wall.xml >"$TMP/wall.xml"
ARGS="$TMP/wall.xml --quiet --set output_every=0 --set courses=4 --set blocks=4"
ENDLESS="$ARGS --set end=1e5"
restart=
for signal in INT TERM HUP USR1; do
  touch "$TMP/mark"
  env --default-signal=HUP $V run $ENDLESS -o "$TMP/r" $restart & # under nohup it would not be heeded
  pid=$!
  wait_for test "$TMP/r/checkpoint.h5" -nt "$TMP/mark"
  kill -$signal $pid
  wait $pid
  code=$?
  [ $code -eq 130 ] || fail "exit code $code after SIG$signal, expected 130"
  grep -q '"status": "interrupted"' "$TMP/r/summary.json" || fail "the summary does not say interrupted"
  restart=--restart
done
touch "$TMP/r/STOP"
expect 130 $V run $ENDLESS -o "$TMP/r" --restart
[ ! -e "$TMP/r/STOP" ] || fail "STOP is still there after it has stopped the run"
# to an end a little later, beside one that was never interrupted
end=$(sed -n 's/.*"time": \([0-9.e+-]*\).*/\1/p' "$TMP/r/summary.json" | head -n 1 | awk '{ printf "%.3f", $1 + 0.05 }')
expect 0 $V run $ARGS --set end=$end -o "$TMP/r" --restart
expect 0 $V run $ARGS --set end=$end -o "$TMP/whole"
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/r")" ] || fail "the state differs"
cmp "$TMP/whole/history.csv" "$TMP/r/history.csv" || fail "the history differs"

# a terminal that is closed is no reason to end under nohup
(trap '' HUP; exec $V run $ENDLESS -o "$TMP/nohup") &
pid=$!
wait_for test -f "$TMP/nohup/checkpoint.h5"
kill -HUP $pid
touch "$TMP/mark"
wait_for test "$TMP/nohup/checkpoint.h5" -nt "$TMP/mark"
kill -TERM $pid
wait $pid
[ $? -eq 130 ] || fail "no end after SIGHUP under nohup and SIGTERM"

# one that hangs (a checkpoint that nobody reads) is ended by the second signal
mkdir "$TMP/hang" && mkfifo "$TMP/hang/checkpoint.h5.part"
$V run $ENDLESS -o "$TMP/hang" &
pid=$!
wait_for has_rows "$TMP/hang/history.csv" 1
ended() {
  kill -TERM $pid
  ! grep -q 'State:.[^Z]' /proc/$pid/status
}
wait_for ended
wait $pid
code=$?
[ $code -eq 130 ] || fail "exit code $code after the second SIGTERM, expected 130"

# two that come together are one, as timeout(1) sends them; and a batch system's warning is none of the two
for signals in "TERM TERM" "INT INT" "USR1 TERM" "HUP TERM"; do
  touch "$TMP/mark"
  env --default-signal=HUP $V run $ENDLESS -o "$TMP/r2" --restart &
  pid=$!
  wait_for test "$TMP/r2/checkpoint.h5" -nt "$TMP/mark"
  for signal in $signals; do kill -$signal $pid; done
  wait $pid
  code=$?
  [ $code -eq 130 ] || fail "exit code $code after SIG$signals"
  grep -q '"status": "interrupted"' "$TMP/r2/summary.json" || fail "nothing was saved after SIG$signals"
  rm "$TMP/r2/summary.json"
done

# before there is anything to save, and in other commands: ended by the first, whoever started it has kept signals back
mkfifo "$TMP/fifo.xml"
for command in "run --restart -o $TMP/early" check "check --names"; do
  for signal in TERM INT HUP USR1; do
    env --default-signal=HUP --block-signal=$signal $V $command "$TMP/fifo.xml" 2>"$TMP/out" &
    pid=$!
    exec 3>"$TMP/fifo.xml" # there is a reader: it waits for its input
    kill -$signal $pid
    exec 3>&- # had it not heard, it would now find an empty input
    wait $pid
    code=$?
    [ $code -eq 130 ] || fail "exit code $code after SIG$signal before the first step: $command"
    says "interrupted"
  done
done
[ ! -e "$TMP/early" ] || fail "something was written"

# Within a step that takes long: heeded between the iterations, the state is that before the step.
cat >"$TMP/long.xml" <<'XML'
<voussoir><model space="solid"/><material name="m" density="1000" young="1e6" poisson="0.3"/>
<box name="b" material="m" size="1 1 1" cells="4 4 4" kinematics="finite"/>
<tool name="floor" shape="plane" axis_y="0" axis_z="1"/><law name="dry" friction="0"/>
<contact candidate="b" antagonist="floor" law="dry"/>
<prescribe on="b.z1" z="-0.03*t"/><time end="3" step="1" theta="1" max_cuts="0"/></voussoir>
XML
# stopped IN...: at question after question, until there are no more: as many restarts end with the same bits
stopped() {
  expect 0 $V run "$@" -o "$TMP/whole3" --quiet --force
  local stops=0
  for question in 2 3 5 7 4 11 6 13 9 17 8 23 29 31 37 41 43 47 53 59 61 67 71 73 79 83 89 97 1000000; do
    $V run "$@" -o "$TMP/l" --restart --stop-at-question $question --quiet >"$TMP/out" 2>&1
    code=$?
    [ $code -eq 0 ] && break
    [ $code -eq 130 ] || { cat "$TMP/out"; fail "exit code $code at question $question"; }
    stops=$((stops + 1))
  done
  [ $code -eq 0 ] && [ $stops -gt 2 ] || fail "$stops stops, exit code $code"
  [ "$(hash_of "$TMP/whole3")" = "$(hash_of "$TMP/l")" ] || fail "the state differs after $stops stops within steps: $*"
  cmp "$TMP/whole3/history.csv" "$TMP/l/history.csv" || fail "the history differs: $*"
  rm -r "$TMP/l"
}
stopped "$TMP/long.xml"
# and within a contact solution
stopped "$TMP/wall.xml" --set output_every=0 --set courses=4 --set blocks=4 --set end=0.02 --set solver=nsgs
stopped "$TMP/wall.xml" --set output_every=0 --set courses=4 --set blocks=4 --set end=0.02
