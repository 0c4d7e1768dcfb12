#!/bin/bash
# A restart goes on behind the rows that were written: a history or a list of Newton's iterations in which a byte is another
# is refused, and the folder stays as it was; --accept-changes takes it and tells.
. tests/support/fault_common.sh
cat >"$TMP/in.xml" <<'XML'
<voussoir><model space="solid"/><parameter name="end" value="0.4"/>
<material name="m" density="1000" young="1e6" poisson="0.3"/>
<box name="b" material="m" size="1 1 1" cells="1 1 1" kinematics="finite"/>
<tool name="floor" shape="plane" axis_y="0" axis_z="1"/><law name="dry" friction="0"/>
<contact candidate="b" antagonist="floor" law="dry"/><gravity y="0" z="-9.81"/>
<time step="0.01" theta="1"/><stage name="one" duration="0.2"/><stage name="two" duration="${end}-0.2"/><output every="0"/>
<probe name="top" quantity="displacement" of="b.z1"/></voussoir>
XML
IN=$TMP/in.xml
expect 130 $V run "$IN" --quiet -o "$TMP/r" --stop-after 30
expect 0 $V run "$IN" --quiet -o "$TMP/whole"

# edited FILE SED HOW: refused, and nothing is touched
edited() {
  rm -rf "$TMP/e" && cp -r "$TMP/r" "$TMP/e"
  sed -i "$2" "$TMP/e/$1"
  cmp -s "$TMP/r/$1" "$TMP/e/$1" && fail "nothing changed by $2"
  cp -r "$TMP/e" "$TMP/before"
  expect 2 $V run "$IN" --quiet -o "$TMP/e" $3
  says "$TMP/e/$1: its first"
  says "rows are not what was written"
  says "--accept-changes"
  diff -r "$TMP/before" "$TMP/e" || fail "a restart that was refused has changed the folder"
  rm -r "$TMP/before"
}
edited history.csv '7s/0/1/' --restart
edited history.csv '7s/$/ /' --restart
edited history.csv 's/$/\r/' --restart
edited history.csv '1s/m/k/' --restart
edited history.csv '7s/0/1/' '--after one'
edited newton.csv '9s/0/1/' --restart
edited newton.csv '9s/0/1/' '--after one'
# one that is gone, or too short
for how in 'rm "$TMP/e/history.csv"' 'sed -i 7d "$TMP/e/history.csv"' 'sed -i 20q "$TMP/e/history.csv"' 'rm "$TMP/e/newton.csv"'; do
  rm -rf "$TMP/e" && cp -r "$TMP/r" "$TMP/e"
  eval "$how"
  expect 2 $V run "$IN" --quiet -o "$TMP/e" --restart
  says "$TMP/e/"
done
# by the user's wish, and told
edited history.csv '7s/0/1/' --restart
expect 0 $V run "$IN" -o "$TMP/e" --restart --accept-changes
says "changed at step 30, t = 0.3 s: history.csv: the 30 rows before are not what was written (accepted)"
grep -q "history.csv: the 30 rows" "$TMP/e/summary.json" || fail "the summary does not tell"
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/e")" ] || fail "the state differs"
expect 0 $V run "$IN" --quiet -o "$TMP/e" --restart # it is what was written since

# what is behind the rows of the checkpoint may be anything: of a run that was killed
cp -r "$TMP/r" "$TMP/k"
printf '0.31,5,' >>"$TMP/k/history.csv"
printf '1,2\n3' >>"$TMP/k/newton.csv"
expect 0 $V run "$IN" --quiet -o "$TMP/k" --restart
for file in history.csv newton.csv; do cmp "$TMP/whole/$file" "$TMP/k/$file" || fail "$file differs"; done

# other probes write the rows before anew: a later restart takes them, from the end of a stage before them too
sed 's|<probe name="top"|<probe name="energy" quantity="energy"/>&|' "$IN" >"$TMP/probes.xml"
expect 130 $V run "$TMP/probes.xml" --quiet -o "$TMP/r" --restart --stop-after 3
[ -f "$TMP/r/history_until_row_30.csv" ] || fail "the history before is gone"
[ ! -e "$TMP/r/history.csv.part" ] || fail "half a history is left"
cp -r "$TMP/r" "$TMP/p"
expect 0 $V run "$TMP/probes.xml" --quiet -o "$TMP/p" --restart
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/p")" ] || fail "the state differs with other probes"
expect 0 $V run "$TMP/probes.xml" --quiet -o "$TMP/p" --after one
[ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/p")" ] || fail "the state differs after the first stage"
sed -i '7s/0/1/' "$TMP/r/history.csv"
expect 2 $V run "$TMP/probes.xml" --quiet -o "$TMP/r" --restart
says "rows are not what was written"
