#!/bin/bash
# A restart with another model is refused with what has changed; --accept-changes takes it and writes it down; ends,
# outputs, probes and the solver may change and are told.
. tests/support/fault_common.sh
cat >"$TMP/in.xml" <<'XML'
<voussoir><description>blocks</description>
<parameter name="end" value="0.02"/><parameter name="density" value="7800"/>
<function name="push" kind="table" file="push.csv"/>
<material name="m" density="${density}" young="1e7" poisson="0.2"/><law name="dry" friction="0.5"/>
<block name="a" material="m" width="1" height="0.5"/>
<block name="b" material="m" y="0.5" width="1" height="0.5"/>
<support name="s" shape="plane"/>
<contact candidate="b" antagonist="a" law="dry"/><contact candidate="a" antagonist="s" law="dry"/>
<gravity/><force on="b.top" x="push"/>
<time end="${end}" step="1e-3"/><output every="0"/>
<probe name="top" quantity="displacement" of="b.top"/>
</voussoir>
XML
printf '0,0\n1,1000\n' >"$TMP/push.csv"
IN=$TMP/in.xml
expect 0 $V run "$IN" --quiet -o "$TMP/r"
expect 0 $V run "$IN" --quiet --set end=0.04 -o "$TMP/whole"

# refused TEXT SED...: another model, and it says so
refused() {
  sed "$2" "$IN" >"$TMP/other.xml"
  cmp -s "$IN" "$TMP/other.xml" && fail "nothing changed by $2"
  expect 2 $V run "$TMP/other.xml" --quiet --set end=0.04 -o "$TMP/r" --restart
  says "belongs to another model"
  says "$1"
}
refused "material 'm': density 78, was 7800" 's/density" value="7800/density" value="78/'
refused "law 'dry': friction 0.4, was 0.5" 's/friction="0.5"/friction="0.4"/'
refused "law 'dry': type mohr_coulomb, was coulomb" 's/<law name="dry"/& type="mohr_coulomb"/'
refused "gravity 1: y -1, was -9.81" 's|<gravity/>|<gravity y="-1"/>|'
refused "force 1: x 2*t, was push" 's/x="push"/x="2*t"/'
refused "force 2 added" 's|<gravity/>|&<force on="a.top" y="-1"/>|'
refused "contact 1: points nodes, was overlap" 's/antagonist="a" law="dry"/& points="nodes"/'
refused "time: step 0.002, was 0.001" 's/step="1e-3"/step="2e-3"/'
refused "block 'b': x 0.1, was 0" 's/name="b" material="m"/& x="0.1"/'
printf '0,0\n1,2000\n' >"$TMP/push.csv" # a file that the input names
expect 2 $V run "$IN" --quiet --set end=0.04 -o "$TMP/r" --restart
says "function 'push': file hash"
printf '0,0\n1,1000\n' >"$TMP/push.csv"

# two tools in the other order: the state knows them by their place
cat >"$TMP/tools.xml" <<'XML'
<voussoir><model space="solid"/><material name="m" density="1000" young="1e6" poisson="0.3"/>
<box name="b" material="m" size="1 1 1" cells="1 1 1" kinematics="finite"/>
<tool name="p" shape="sphere" at_z="2" radius="0.3" free="z" mass="5"/>
<tool name="q" shape="sphere" at_z="3" radius="0.3" free="z" mass="5"/>
<law name="dry" friction="0"/><contact candidate="b" antagonist="p q" law="dry"/>
<force on="p" z="-20"/><force on="q" z="-50"/>
<parameter name="end" value="0.01"/><time end="${end}" step="5e-3"/><output every="0"/></voussoir>
XML
sed '/<tool name="p"/{h;d}; /<tool name="q"/G' "$TMP/tools.xml" >"$TMP/swapped.xml"
cmp -s "$TMP/tools.xml" "$TMP/swapped.xml" && fail "the tools have kept their order"
expect 0 $V run "$TMP/tools.xml" --quiet -o "$TMP/t"
expect 2 $V run "$TMP/swapped.xml" --quiet --set end=0.02 -o "$TMP/t" --restart
says "other bodies, or in another order"
expect 0 $V run "$TMP/swapped.xml" --quiet --set end=0.02 -o "$TMP/t" --restart --accept-changes
grep -q "or in another order, .*(accepted)" "$TMP/t/summary.json" || fail "the summary tells no order"

# what may change is told, and the run is that without the break
sed 's|<output |<probe name="energy" quantity="energy"/>&|; s|<probe name="top".*||; s|<gravity/>|&<solver tolerance="1e-4"/>|' \
  "$IN" >"$TMP/probes.xml"
cp -r "$TMP/r" "$TMP/p"
expect 0 $V run "$TMP/probes.xml" --set end=0.04 -o "$TMP/p" --restart
says "changed at step 20, t = 0.02 s: time: end 0.04, was 0.02"
says "probe 'energy' added"
says "probe 'top' removed"
[ "$(wc -l <"$TMP/p/history.csv")" -eq 42 ] || fail "the history has not all rows"
[ -f "$TMP/p/history_until_row_20.csv" ] || fail "the history with the columns before is gone"
grep -q "step 20, t = 0.02 s: solver: tolerance 0.0001, added" "$TMP/p/summary.json" || fail "the summary tells no change"
cp -r "$TMP/r" "$TMP/e"
expect 0 $V run "$IN" --quiet --set end=0.04 -o "$TMP/e" --restart
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/e")" ] || fail "another end changed the state"
cmp "$TMP/whole/history.csv" "$TMP/e/history.csv" || fail "the history differs"

# of a run that is over, too
expect 0 $V run "$IN" --set end=0.01 -o "$TMP/e" --restart
says "time: end 0.01, was 0.04"
says "nothing to do"

# bits belong to a build and a processor: another one is told
cp -r "$TMP/r" "$TMP/c"
core=$(sed -n 's/.*"openblas": "\(.*\)".*/\1/p' "$TMP/c/summary.json")
[ -n "$core" ] || fail "the summary does not name the kernels of OpenBLAS"
other=Prescott
[ "$core" = Prescott ] && other=Core2
expect 0 env OPENBLAS_CORETYPE=$other $V run "$IN" --set end=0.04 -o "$TMP/c" --restart --threads 2
if [ "$(uname -m)" = x86_64 ]; then says "program: openblas $other, was $core"; fi
says "program: threads 2, was 1"

# taken by the user's wish: in the log, in the summary, and in those of later restarts; energies of two models do not
# balance, which is told (5)
sed 's/density" value="7800/density" value="78/; s|<gravity/>|<gravity y="-1"/>|' "$IN" >"$TMP/light.xml"
expect 5 $V run "$TMP/light.xml" --set end=0.04 -o "$TMP/r" --restart --accept-changes
says "changed at step 20, t = 0.02 s: material 'm': density 78, was 7800 (accepted)"
grep -q "gravity 1: y -1, was -9.81 (accepted)" "$TMP/r/summary.json" || fail "not in the summary"
expect 5 $V run "$TMP/light.xml" --quiet --set end=0.05 -o "$TMP/r" --restart
grep -q "step 20, .*density 78, was 7800 (accepted)" "$TMP/r/summary.json" || fail "forgotten by a second restart"
grep -q "step 40, .*end 0.05, was 0.04" "$TMP/r/summary.json" || fail "the second restart is not told"
expect 2 $V run "$IN" --quiet --set end=0.06 -o "$TMP/r" --restart
says "density 7800, was 78"
expect 2 $V run "$TMP/light.xml" -o "$TMP/r" --accept-changes
says "--accept-changes needs --restart"

# a probe may change, unless a rest waits for it: then it drives the run
cat >"$TMP/rest.xml" <<END
<voussoir><material name="m" density="7800" young="1e7" poisson="0.3"/><law name="l" friction="0.3"/>
<block name="b" material="m" width="1" height="0.5" y="0.2"/><support name="s" shape="plane"/>
<contact candidate="b" antagonist="s" law="l"/><gravity/><time end="0.4" step="1e-3"/><output every="0"/>
<probe name="low" quantity="displacement" of="b.bottom" component="y"/>
<probe name="free" quantity="displacement" of="b.top" component="y"/>
<rest probe="low" value="-0.1" direction="down"/></voussoir>
END
expect 130 $V run "$TMP/rest.xml" --quiet -o "$TMP/rest" --stop-after 20
sed 's/name="low" quantity/name="low" scale="-1" quantity/' "$TMP/rest.xml" >"$TMP/turned.xml"
expect 2 $V run "$TMP/turned.xml" --quiet -o "$TMP/rest" --restart
says "probe 'low': scale -1, was 1"
sed 's/name="free" quantity/name="free" scale="-1" quantity/' "$TMP/rest.xml" >"$TMP/turned.xml"
expect 0 $V run "$TMP/turned.xml" --quiet -o "$TMP/rest" --restart
