#!/bin/bash
# What cannot be computed ends with exit code 4 and a saved state, and says where: the element, the body, the
# step and its time; the contact that is worst; two tools that leave a sheet too little room. The step is cut first.
. tests/support/fault_common.sh

run() { # run CODE NAME: the input on stdin
  cat >"$TMP/$2.xml"
  expect "$1" $V run "$TMP/$2.xml" -o "$TMP/$2"
}
saved() { # saved NAME: status, checkpoint and the step in the summary
  grep -q '"status": "failed"' "$TMP/$1/summary.json" || fail "$1: the summary does not say failed"
  [ -s "$TMP/$1/checkpoint.h5" ] || fail "$1: no checkpoint"
}

# A block whose top jumps through its bottom in the third step: the upper elements invert.
squash='<voussoir><material name="m" density="1000" young="1e6" poisson="0.3"/>
<block name="squashed" material="m" width="0.4" height="0.2" cells_x="2" cells_y="2" pattern="q4" kinematics="finite"/>
<prescribe on="squashed.bottom" x="0" y="0"/>
<prescribe on="squashed.top" x="0" y="t &gt; 2 ? -0.5 : -0.01*t"/>'
run 4 inverted <<XML
$squash
<time end="4" step="1" theta="1" max_cuts="3"/><newton statics="yes" max_iterations="8"/></voussoir>
XML
says "is cut"
says "det F ="
says "element 3 of body 'squashed' declared at $TMP/inverted.xml:2"
says "step 3, t = 2 s"
saved inverted

run 4 shortest <<XML
$squash
<time end="4" step="1" theta="1" step_min="0.2"/><newton statics="yes" max_iterations="8"/></voussoir>
XML
says "cannot be cut below step_min = 0.2 s"
saved shortest

# A step that would need an iteration more than it may have: the worst body and the worst contact are named.
run 4 worst <<'XML'
<voussoir><material name="m" density="1000" young="1e6" poisson="0.3"/>
<block name="low" material="m" width="0.4" height="0.2" cells_x="4" cells_y="2" pattern="q4" kinematics="finite"/>
<tool name="head" shape="sphere" radius="0.2" at_x="0.2" at_y="0.4" move_y="-0.08*t"/>
<prescribe on="low.bottom" x="0" y="0"/>
<law name="dry" friction="0.3"/><contact candidate="low" antagonist="head" law="dry" points="nodes"/>
<time end="1" step="0.5" theta="1" step_min="0.4"/><newton statics="yes" max_iterations="1"/></voussoir>
XML
says "worst in body 'low'"
says "of 'low' with 'head'"
says "cannot be cut below step_min = 0.4 s"
saved worst

# A contact solver that may not iterate, in a step that may not be missed and in statics; numbers that overflow: the
# bodies are named here too.
two='<voussoir><material name="m" density="2000" young="1e8" poisson="0.2"/><law name="dry" friction="0.5"/>
<column name="c" material="m" width="0.4" height="0.4" drums="4"/><support name="base" shape="plane"/>
<contact candidate="c" antagonist="c base" law="dry"/><force on="c.top" x="2e3"/>'
run 4 missed <<XML
$two
<gravity/><time end="0.1" step="1e-2" theta="1" on_miss="stop"/><solver type="nsgs" tolerance="1e-12" max_iterations="1"/></voussoir>
XML
says "the contact solver missed the tolerance"
grep -q "worst of 12 contacts: node [0-9]* of 'c\.[1-4]' with" "$TMP/out" || fail "no body is named"
says "step 1, t = 0 s"
run 4 lost <<XML
$two
<gravity/><time end="0.1" step="1e-2" theta="1" max_cuts="0"/><newton statics="yes"/>
<solver type="nsgs" measure="scaled" tolerance="1e-12" max_iterations="1"/></voussoir>
XML
says "the contact solver found no solution"
grep -q "worst of 12 contacts: node [0-9]* of 'c\.[1-4]' with" "$TMP/out" || fail "no body is named"
run 4 overflow <<XML
$two
<block name="d" material="m" x="3" y="1" width="0.4" height="0.4"/><gravity of="c" y="-1e305"/>
<time end="1" step="1" theta="1" max_cuts="0"/></voussoir>
XML
says "not finite numbers in body 'c."
says "declared at $TMP/overflow.xml:2"

# A holder that is closed further than the sheet is thick.
run 4 squeezed <<'XML'
<voussoir><model space="solid"/><material name="steel" law="sheet" density="7850" young="2e11" poisson="0.3" yield="2e8"/>
<sheet name="blank" material="steel" shape="rectangle" width="0.1" size="0.02" thickness="1e-3" z="0.5e-3"/>
<tool name="die" shape="plane" axis_y="0" axis_z="1"/>
<tool name="holder" shape="plane" at_z="1.2e-3" axis_y="0" axis_z="-1" move_z="-0.3e-3*t"/>
<law name="dry" friction="0.1"/><contact candidate="blank" antagonist="die holder" law="dry"/>
<time end="1" step="0.25" theta="1" max_cuts="1"/><newton contact="primal"/></voussoir>
XML
says "the tools 'die' and 'holder' leave"
says "for the sheet 'blank', which is 0.001 m thick"
saved squeezed

# Statics of a body that nothing holds.
loose='<voussoir><material name="m" density="1000" young="1e6" poisson="0.3"/>
<block name="loose" material="m" y="0.1" width="0.4" height="0.2" cells_x="2" cells_y="2" pattern="q4" kinematics="finite"/>
<tool name="floor" shape="plane"/><law name="dry" friction="0.3"/>
<contact candidate="loose" antagonist="floor" law="dry" points="nodes"/><gravity y="-9.81"/><time end="1" step="1" theta="1"/>'
run 2 falls <<XML
$loose<newton statics="yes"/></voussoir>
XML
says "body 'loose' declared at $TMP/falls.xml:2: loads act on it, but it touches nothing"
echo "all of it was said"
