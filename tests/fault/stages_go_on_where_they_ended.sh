#!/bin/bash
# Stages: what follows one can be run again from its end; a killed run ends with the same bits; a stage
# that must end at rest and does not stops the run, which goes on when it is given more time.
. tests/support/fault_common.sh
ARGS="--quiet --set output_every=10"
IN=$TMP/springback.xml
cp inputs/springback.xml "$IN"
expect 0 $V run "$IN" $ARGS -o "$TMP/whole"
[ -f "$TMP/whole/stage_bend.h5" ] && [ -f "$TMP/whole/stage_release.h5" ] || fail "no checkpoints of stages"
head -n 2 "$TMP/whole/history.csv" | grep -q ',stage,' || fail "no column stage"
hash=$(hash_of "$TMP/whole")
# tools that are gone are not drawn
files=("$TMP"/whole/tools_*.vtk)
grep -aq '^CELLS 0 ' "${files[-1]}" || fail "the tools that were removed are drawn"
grep -aq '^CELLS 0 ' "${files[0]}" && fail "the tools are not drawn before"

# the last stage once more: the same bits, the same files
cp -r "$TMP/whole" "$TMP/again"
expect 0 $V run "$IN" $ARGS -o "$TMP/again" --after bend
[ "$(hash_of "$TMP/again")" = "$hash" ] || fail "the state differs"
cmp "$TMP/whole/history.csv" "$TMP/again/history.csv" || fail "the history differs"
cmp "$TMP/whole/bodies.vtk.series" "$TMP/again/bodies.vtk.series" || fail "the series differs"
# and with another end: the state is another one, what came before it is the same
sed 's/step="1e-3"/step="2e-3"/' "$IN" >"$TMP/slow.xml"
expect 0 $V run "$TMP/slow.xml" $ARGS -o "$TMP/again" --after bend
[ "$(hash_of "$TMP/again")" != "$hash" ] || fail "the input was not taken"
cmp <(head -n 52 "$TMP/whole/history.csv") <(head -n 52 "$TMP/again/history.csv") ||
  fail "the history before differs"

# what is refused takes nothing away: the checkpoint stays that of the end
sed 's/density="7800"/density="7000"/' "$IN" >"$TMP/other.xml"
cp -r "$TMP/again" "$TMP/kept"
expect 2 $V run "$TMP/other.xml" $ARGS -o "$TMP/again" --after bend
says "belongs to another model"
diff -r "$TMP/kept" "$TMP/again" || fail "a restart that was refused has changed the folder"

# only the first stage, then an input with both: restart at the boundary
sed '/<stage name="release"/d; s/ stage="release"//; /strip.centre" as="z"/d' "$IN" >"$TMP/first.xml"
expect 0 $V run "$TMP/first.xml" $ARGS -o "$TMP/two"
expect 0 $V run "$IN" $ARGS -o "$TMP/two" --restart
[ "$(hash_of "$TMP/two")" = "$hash" ] || fail "the state differs after a restart at the boundary"

# interrupted on its way, after any number of steps and within them
stops=0
for stop in after\ 1 at-question\ 3 after\ 7 at-question\ 12 after\ 2 after\ 19 at-question\ 50 after\ 5 at-question\ 41 after\ 30 after\ 1000000; do
  $V run "$IN" $ARGS -o "$TMP/cut" --restart --stop-$stop >"$TMP/out" 2>&1
  code=$?
  [ $code -eq 0 ] && break
  [ $code -eq 130 ] || { cat "$TMP/out"; fail "exit code $code with --stop-$stop"; }
  stops=$((stops + 1))
done
[ $code -eq 0 ] || fail "no end after $stops interruptions"
[ $stops -gt 5 ] || fail "only $stops interruptions"
[ "$(hash_of "$TMP/cut")" = "$hash" ] || fail "the state differs after $stops interruptions"

# no rest in time
sed 's/until="rest" duration="1"/until="rest" duration="2e-3"/' "$IN" >"$TMP/short.xml"
expect 4 $V run "$TMP/short.xml" $ARGS -o "$TMP/short"
says "stage 'release' declared at $TMP/short.xml:"
says "is not at rest after its 0.002 s"
grep -q '"stages_without_rest": 1' "$TMP/short/summary.json" || fail "the summary does not say so"
expect 4 $V run "$TMP/short.xml" $ARGS -o "$TMP/short" --restart
sed 's/until="rest"/until="rest" without_rest="continue"/' "$TMP/short.xml" >"$TMP/warn.xml"
expect 5 $V run "$TMP/warn.xml" -o "$TMP/warn" --set output_every=0
says "ended without rest"
expect 0 $V run "$IN" $ARGS -o "$TMP/short" --after bend
[ "$(hash_of "$TMP/short")" = "$hash" ] || fail "the state differs after more time"

# bad calls
expect 2 $V run "$IN" -o "$TMP/again" --after nothing
says "the input has no such stage"
expect 2 $V run "$IN" -o "$TMP/empty" --after bend
says "that stage has not ended yet"
expect 2 $V run "$IN" -o "$TMP/again" --after bend --force
says "--force excludes --restart and --after"
