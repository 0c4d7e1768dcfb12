#!/bin/bash
# Bad input: one message per defect with file and line, what was found and what is allowed, exit code
# 2, and nothing written. Each line below: a change of a good input, then what must be said.
. tests/support/fault_common.sh
plain() { # the good input, in the plane
  cat >"$TMP/good.xml" <<'XML'
<voussoir title="two blocks">
<material name="stone" density="2000" young="1e8" poisson="0.2"/>
<law name="dry" type="coulomb" friction="0.5"/>
<block name="low" material="stone" width="1" height="0.5"/>
<block name="high" material="stone" y="0.5" width="1" height="0.5"/>
<support name="base" shape="box" x="-1" y="-1" width="3" height="1" move_x="0"/>
<contact candidate="all" antagonist="all base" law="dry"/>
<gravity y="-9.81"/>
<time end="0.01" step="1e-3" theta="0.5"/>
<probe name="base" quantity="reaction" of="base"/>
</voussoir>
XML
}
plain
expect 0 $V run "$TMP/good.xml" -o "$TMP/good" --quiet

count=0
# bad LINE TEXT SED...: the good input changed by sed must be refused with FILE:LINE and TEXT
bad() {
  line=$1 text=$2
  shift 2
  count=$((count + 1))
  sed "$@" "$TMP/good.xml" >"$TMP/bad.xml"
  cmp -s "$TMP/good.xml" "$TMP/bad.xml" && fail "the change did nothing: $*"
  expect 2 $V check "$TMP/bad.xml"
  expect 2 $V run "$TMP/bad.xml" -o "$TMP/refused" --quiet
  says "bad.xml:$line:"
  says "$text"
  [ -e "$TMP/refused" ] && fail "something was written for: $*"
  return 0
}

bad 4 "did you mean <block>" -e '4s/<block/<blok/'
bad 4 "did you mean 'width'" -e '4s/width/widht/'
bad 4 "did you mean \"stone\"" -e '4s/"stone"/"stoen"/'
bad 5 'already taken' -e '5s/"high"/"low"/'
bad 2 "]0,inf[" -e '2s/"2000"/"-2000"/'
bad 2 "]0,inf[" -e '2s/"2000"/"0"/'
bad 2 "]0,inf[" -e '2s/"1e8"/"0"/'
bad 2 "]-1,0.5[" -e '2s/"0.2"/"0.5"/'
bad 3 "[0,inf[" -e '3s/"0.5"/"-0.5"/'
bad 3 "[0,1]" -e '3s/type="coulomb"/type="restitution" restitution="1.5"/'
bad 9 "[0.5,1]" -e '9s/theta="0.5"/theta="2"/'
bad 9 "]0,inf[" -e '9s/step="1e-3"/step="0"/'
bad 9 "start" -e '9s/end="0.01"/end="-1"/'
bad 9 "NaN" -e '9s/step="1e-3"/step="0\/0"/'
bad 1 "no bodies" -e '/<block/d; /<contact/d; /<probe/d'
bad 7 "did you mean 'base'" -e '7s/all base/all bse/'
bad 7 "names no body" -e '7s/"all"/"nothing"/'
bad 4 "no contact names it" -e '7d'
bad 4 "(2 such: low, high)" -e '7d'
bad 6 "no contact names the support" -e '7s/all base/all/'
bad 5 "'low' and 'high' lie 0.1 m inside one another" -e '5s/y="0.5"/y="0.4"/'
bad 5 "'low' and 'high' lie 0.1 m inside one another at the start, more than the 0.05 m tolerated" -e '5s/y="0.5"/y="0.4"/' -e '5s|$|<detection tolerated="0.05"/>|'
bad 5 "'low' and 'high' lie 0.5 m inside one another" -e '5s/y="0.5"/y="0"/'
bad 6 "'low' and 'base' lie 0.1 m inside one another" -e '6s/y="-1"/y="-0.9"/'
bad 6 "'low' and 'base' lie" -e '6s/shape.*move_x/shape="plane" y="0.1" move_x/'
bad 6 "exclude each other" -e '6s/move_x="0"/move_x="0" velocity_x="1"/'
bad 10 "names no body" -e '10s/of="base"/of="floor"/'
bad 6 "move_x" -e '6s/move_x="0"/move_x="sqrt(0.005-t)"/'
bad 6 "move_x" -e '6s/move_x="0"/move_x="3 + "/'
bad 6 "move_x" -e '6s/move_x="0"/move_x="t = 5"/'
bad 4 "absent.msh" -e '4s/<block.*/<body name="low" material="stone" mesh="absent.msh"\/>/'
bad 2 "missing.xml" -e '1s/$/<include href="missing.xml"\/>/; 1s/<include/\n<include/'
bad 12 'not well-formed' -e '11d; 10s/$/\n<open>/'

# several defects at once are all named
sed -e '2s/"2000"/"-1"/; 3s/"0.5"/"-1"/; 9s/step="1e-3"/step="-1"/' "$TMP/good.xml" >"$TMP/bad.xml"
expect 2 $V check "$TMP/bad.xml"
for line in 2 3 9; do says "bad.xml:$line:"; done

# in space: bodies, sheets and tools in one another, tools that leave no room, materials out of range
cat >"$TMP/good.xml" <<'XML'
<voussoir><model space="solid"/>
<material name="steel" law="sheet" density="7850" young="2e11" poisson="0.3" yield="2e8"/>
<material name="copper" law="j2" density="8900" young="1.17e11" poisson="0.35" yield="4e8"/>
<sheet name="blank" material="steel" shape="rectangle" width="0.1" size="0.02" thickness="1e-3"/>
<box name="low" material="copper" size="0.1 0.1 0.1" z="-0.1005" cells="2 2 2" kinematics="finite"/>
<tool name="punch" shape="sphere" radius="0.05" at_z="0.0505" at_x="0.05" at_y="0.05"/>
<tool name="holder" shape="plane" at_z="0.5e-3" axis_y="0" axis_z="-1"/>
<tool name="die" shape="plane" at_z="-0.1005" axis_y="0" axis_z="1"/>
<law name="dry" friction="0.1"/>
<contact candidate="blank" antagonist="low punch holder die" law="dry"/>
<contact candidate="low" antagonist="die" law="dry"/>
<time end="1e-3" step="1e-3" theta="1"/>
</voussoir>
XML
expect 0 $V check "$TMP/good.xml"
bad 5 "'blank' and 'low' lie 0.0005 m inside one another" -e '5s/z="-0.1005"/z="-0.1"/'
bad 5 "'blank' and 'low' lie 0.0305 m inside one another" -e '5s/z="-0.1005"/z="-0.07"/'
bad 6 "'blank' and 'punch' lie 0.001 m inside one another" -e '6s/at_z="0.0505"/at_z="0.0495"/'
bad 7 "'blank' and 'holder' lie 0.0003 m inside one another" -e '7s/0.5e-3/0.2e-3/'
bad 8 "'low' and 'die' lie 0.01 m inside one another" -e '8s/-0.1005/-0.0905/'
bad 8 "the tools 'holder' and 'die' leave 0.0009 m for the sheet 'blank', which is 0.001 m thick" -e '8s/-0.1005/-0.4e-3/; 5s/z="-0.1005"/z="-0.4"/'
bad 3 "[0,inf[" -e '3s/yield="4e8"/yield="-1"/'
bad 3 "]-1,0.5[" -e '3s/poisson="0.35"/poisson="0.5"/'
bad 2 "material 'steel': hardening needs a yield stress above 0" -e '2s/yield="2e8"/yield="0"/'
bad 4 "]0,inf[" -e '4s/thickness="1e-3"/thickness="0"/'

# mesh files: truncated, garbage, unknown version
plain
head -c 300 meshes/two_blocks.msh >"$TMP/cut.msh"
head -c 4096 /dev/urandom >"$TMP/garbage.msh"
sed '2s/^4.1/9.9/' meshes/two_blocks.msh >"$TMP/version.msh"
for mesh in cut garbage version; do
  sed "4s|<block.*|<body name=\"low\" material=\"stone\" mesh=\"$TMP/$mesh.msh\"/>|" "$TMP/good.xml" >"$TMP/bad.xml"
  expect 2 $V check "$TMP/bad.xml"
  says "bad.xml:4:"
  says "$mesh.msh"
done

# an accelerogram with unequal columns
printf '0, 0\n0.1, 1\n0.2\n' >"$TMP/quake.csv"
sed -e '6s|^|<function name="quake" kind="accelerogram" file="quake.csv"/>\n|; 6s/move_x="0"/move_x="quake"/' "$TMP/good.xml" >"$TMP/bad.xml"
expect 2 $V check "$TMP/bad.xml"
says "quake.csv:3"

# hardening that softens without a length is doubtful, not wrong: the run says so
cat >"$TMP/soft.xml" <<'XML'
<voussoir><material name="weak" law="j2" density="1000" young="1e6" yield="1e3" modulus="-10"/>
<block name="b" material="weak" width="0.4" height="0.2" kinematics="finite"/>
<tool name="floor" shape="plane"/><law name="dry" friction="0.3"/>
<contact candidate="b" antagonist="floor" law="dry" points="nodes"/>
<gravity/><time end="2e-4" step="1e-4" theta="1"/></voussoir>
XML
expect 0 $V run "$TMP/soft.xml" -o "$TMP/soft"
says "material 'weak': the yield stress falls"

# calls
expect 2 $V run
expect 2 $V run "$TMP/absent.xml"
says "absent.xml"
expect 2 $V run "$TMP/good.xml" --frobnicate
expect 2 $V run "$TMP/good.xml" --threads 0 -o "$TMP/refused"
expect 2 $V run "$TMP/good.xml" --set nothing=1 -o "$TMP/refused"
says "nothing"
expect 2 $V frobnicate
expect 2 $V
echo "$count inputs refused"
