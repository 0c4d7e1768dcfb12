#!/bin/bash
# What a user is told without asking: doubts of an input with file and line, in check and in run; who touched
# nothing; where the fields are. What is written never changes the run.
. tests/support/fault_common.sh
PYTHON=${PYTHON:-/usr/bin/python3}
awk 'BEGIN { print "time,acc"; for (k = 0; k <= 100; k++) printf "%.2f,%.6f\n", k / 100, 0.3 * sin(k / 4) + 0.01 }' >"$TMP/record.csv"
cat >"$TMP/in.xml" <<'XML'
<voussoir title="two blocks, one of them far away">
<function name="quake" kind="accelerogram" file="record.csv" unit="g"/>
<material name="stone" density="2000" young="1e8" poisson="0.2"/>
<material name="wood" density="500" young="1e10" poisson="0.2"/>
<law name="dry" type="coulomb" friction="0.5"/>
<block name="low" material="stone" y="0.03" width="0.4" height="0.4"/>
<block name="far" material="stone" x="3" y="9" width="0.4" height="0.4"/>
<support name="base" shape="box" x="-1" y="-1" width="9" height="1" move_x="quake"/>
<contact candidate="all" antagonist="all base" law="dry"/>
<gravity y="-9.81"/>
<time end="0.3" step="1e-3" theta="1"/>
<probe name="base" quantity="reaction" of="base"/>
</voussoir>
XML
expect 0 $V check "$TMP/in.xml"
says "in.xml:2: warning: record 'quake' drifts"
says "in.xml:4: warning: material 'wood' is not used"
says "hanging     2 bodies rest on nothing at the start: low, far"
says "  weight      6278.4 N"
says "  expected    300 steps"

# the run tells what is grave, and at its end who was there for nothing
expect 0 $V run "$TMP/in.xml" -o "$TMP/whole"
says "in.xml:2: record 'quake' drifts"
says "in.xml:7: 'far' touched nothing in the whole run"
says "open bodies.vtk.series"
grep -q '"untouched_bodies": 1' "$TMP/whole/summary.json" || fail "the summary does not name the body"
grep -q '"warnings": 2' "$TMP/whole/summary.json" || fail "the warnings are not counted"
sed 's/kind="accelerogram"/& baseline="linear"/' "$TMP/in.xml" >"$TMP/mended.xml"
expect 0 $V run "$TMP/mended.xml" -o "$TMP/mended"
grep -q 'drifts' "$TMP/out" && fail "a record with a baseline drifts"

# an event that never came is told at the end, one outside the run before it, one that acts not at all
sed 's|<probe|<rest time="0.2"/>\n<rest probe="base_y" value="1e9"/>\n<rest time="9"/>\n&|' "$TMP/in.xml" >"$TMP/rest.xml"
expect 0 $V run "$TMP/rest.xml" -o "$TMP/rest"
says "velocities set to zero ($TMP/rest.xml:12)"
says "rest.xml:13: this <rest> did not act: its probe did not pass the value so often"
says "rest.xml:14: this rest has no effect: its time is not one of the run"
grep -q "rest.xml:12: this" "$TMP/out" && fail "an event that acted is told as one that did not"

# interrupted on its way and taken up, it says the same: who touched what is in the state. 0.02 s after the
# start the block has not landed yet.
for end in 0.02 0.15 0.3; do
  sed "s/end=\"0.3\"/end=\"$end\"/" "$TMP/in.xml" >"$TMP/part.xml"
  expect 0 $V run "$TMP/part.xml" -o "$TMP/parts" --restart
  [ $end = 0.02 ] && says "part.xml:6: 3 bodies and tools touched nothing in the whole run (low, far, base)" ||
    says "'far' touched nothing in the whole run"
done
[ "$(hash_of "$TMP/parts")" = "$(hash_of "$TMP/whole")" ] || fail "the state differs after restarts"

# about fifty sets of fields where the input does not say; none where it says none, with the same bits
n=$(ls "$TMP"/whole/bodies_*.vtk | wc -l)
[ "$n" -ge 45 ] && [ "$n" -le 55 ] || fail "$n sets of fields"
sed 's|<probe|<output every="0"/>&|' "$TMP/in.xml" >"$TMP/none.xml"
expect 0 $V run "$TMP/none.xml" -o "$TMP/none"
says 'no fields for ParaView'
[ -e "$TMP/none/bodies.vtk.series" ] && fail "fields were written"
[ "$(hash_of "$TMP/none")" = "$(hash_of "$TMP/whole")" ] || fail "fields changed the run"
cmp "$TMP/none/history.csv" "$TMP/whole/history.csv" || fail "fields changed the history"

# the line of the docs that reads a history, word for word
line=$(grep -F 'np.genfromtxt' docs/outputs.md | sed 's/^ *//')
expect 0 "$PYTHON" - "$TMP/whole" "$line" <<'PY'
import os, sys
import numpy as np
os.chdir(sys.argv[1])
exec(sys.argv[2])
assert history.dtype.names == ("time", "contacts", "iterations", "error", "penetration", "penetration_nodes", "base_x", "base_y"), history.dtype.names
assert len(history) == 300 and abs(history["time"][-1] - 0.3) < 1e-12
print("read")
PY
says read
line=$(grep -F 'pd.read_csv' docs/outputs.md | sed 's/^ *//')
if "$PYTHON" -c 'import pandas' 2>/dev/null; then
  expect 0 "$PYTHON" - "$TMP/whole" "$line" <<'PY'
import os, sys
import pandas as pd
os.chdir(sys.argv[1])
exec(sys.argv[2])
assert list(history.columns)[:2] == ["time", "contacts"] and len(history) == 300
PY
fi

# names, and the schema that editors are given
expect 0 $V check --names inputs/arch.xml
says "arch.keystone"
says "arch.1 .. arch.17"
if command -v xmllint >/dev/null; then
  for file in inputs/*.xml; do
    expect 0 xmllint --noout --schema src/input/voussoir.xsd "$file"
  done
  sed 's/young=/yuong=/' "$TMP/in.xml" >"$TMP/wrong.xml"
  expect 3 xmllint --noout --schema src/input/voussoir.xsd "$TMP/wrong.xml"
  says "wrong.xml:3:"
fi
sed '1s|^|<?xml-model href="voussoir.xsd"?>|' "$TMP/in.xml" >"$TMP/model.xml" # what tells editors
expect 0 $V check "$TMP/model.xml"
