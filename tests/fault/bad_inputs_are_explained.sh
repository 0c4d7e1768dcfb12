#!/bin/bash
# Bad input: one message per defect with file and line, what was found and what is allowed, exit code
# 2, and nothing written. Each line below: a change of a good input, then what must be said.
. tests/support/fault_common.sh
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
bad 6 "no contact names the support" -e '7s/all base/all/'
bad 5 "'low' and 'high' lie 0.1 m inside one another" -e '5s/y="0.5"/y="0.4"/'
bad 5 "'low' and 'high' lie 0.25 m inside one another" -e '5s/y="0.5"/y="0"/'
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

# mesh files: truncated, garbage, unknown version
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
