#!/bin/bash
# Every input, every law of contacts, every material and rigid bodies, stopped after a few steps and within them and taken up again, gives the bits of a run that was not
# stopped: state, history, iterations, fields.
. tests/support/fault_common.sh

# own NAME: an input of our own, on stdin
mkdir "$TMP/own"
own() { cat >"$TMP/own/$1.xml"; }

# every law: a block that is thrown along and off another one and lands on it, on a support that shakes
law() { # law NAME ATTRIBUTES
  own "law_$1" <<XML
<voussoir><material name="m" density="2000" young="1e7" poisson="0.2" damping_stiffness="1e-4"/><law name="l" type="$1" friction="0.3" ${2:-}/>
<block name="a" material="m" width="1" height="0.5"/><block name="b" material="m" y="0.5" width="1" height="0.5"/>
<support name="s" shape="plane" move_x="0.01*sin(40*t)" turn="0.02*sin(30*t)"/><contact candidate="b" antagonist="a" law="l"/>
<contact candidate="a" antagonist="s" law="l"/><velocity of="b" x="0.1" y="0.1"/><gravity/>
<time end="0.1" step="2e-3"/><detection alert="0.05"/><output every="10"/><probe name="b" quantity="displacement" of="b.top"/></voussoir>
XML
}
law coulomb 'kinetic="0.2"'
law velocity_signorini
law quasi_inelastic
law restitution 'restitution="0.5" restitution_tangent="0.1"'
law elastic_joint 'normal_stiffness="1e8" tangent_stiffness="1e8"'
law mohr_coulomb 'tension="1e3" cohesion="2e3"'
law cohesive_zone 'normal_stiffness="1e8" tangent_stiffness="1e8" tension="5e3" energy="0.5"'

# every material that needs finite strains: a bar that hits a tool; and the schemes of Newton's method
material() { # material NAME ATTRIBUTES [NEWTON [TIME]]
  own "material_$1${3:+_$(echo "$3${4:-}" | tr -dc 'a-z0-9')}" <<XML
<voussoir><material name="m" law="$1" density="2000" $2/><law name="l" friction="0.3"/>
<block name="b" material="m" width="0.1" height="0.4" cells_x="2" cells_y="4" pattern="q4" b_bar="yes" kinematics="finite"/>
<tool name="floor" shape="plane"/><contact candidate="b" antagonist="floor" law="l" points="nodes"/>
<velocity of="b" y="-4"/><time end="0.02" step="2e-4" theta="1" ${4:-}/>${3:+<newton $3/>}<output every="10"/>
<probe name="b" quantity="displacement" of="b.top"/></voussoir>
XML
}
E='young="1e7" poisson="0.3"'
material elastic "$E"
material neo_hooke "$E"
material mooney_rivlin 'c10="1e6" c01="3e5" bulk="2e7"'
material kelvin_voigt "$E shear_viscosity=\"1e3\" bulk_viscosity=\"1e3\""
material j2 "$E yield=\"5e4\" modulus=\"1e5\" kinematic=\"2e5\""
material johnson_cook "$E yield=\"5e4\" strength=\"1e5\" exponent=\"0.5\" rate_factor=\"0.1\" melting=\"600\" heat_capacity=\"1\""
material drucker_prager "$E friction=\"0.5\" cohesion=\"3e4\" dilatancy=\"0.2\""
material damage "$E strength=\"3e4\" fracture_energy=\"50\""
for matrix in iteration kept mass corrected explicit; do material neo_hooke "$E" "matrix=\"$matrix\""; done
material neo_hooke "$E" 'geometry="updated"' 'step_min="1e-5"'

# rigid bodies: of a mesh and disks that fall on one another, with all laws that they may have
for law in coulomb velocity_signorini quasi_inelastic restitution; do
  own "rigid_$law" <<XML
<voussoir><material name="m" density="2000" young="1e7" poisson="0.2"/><law name="l" type="$law" friction="0.3"/>
<block name="a" material="m" width="1" height="0.5" kinematics="rigid"/>
<block name="b" material="m" x="0.1" y="0.52" angle="0.1" width="1" height="0.5" kinematics="rigid"/>
<block name="e" material="m" x="-1.5" width="1" height="0.5"/>
<disk name="d" material="m" radius="0.3" x="0.4" y="1.5"/><disk name="c" material="m" radius="0.2" x="-0.3" y="0.75"/>
<support name="s" shape="plane" move_y="0.01*sin(40*t)"/><contact candidate="all" antagonist="all s" law="l"/>
<velocity of="d" x="-0.5"/><gravity/><time end="0.5" step="5e-3" theta="0.5"/><output every="10"/>
<probe name="b" quantity="displacement" of="b"/></voussoir>
XML
done

# flat faces in space: points of bodies that deform stay until these have moved against each other
for kinematics in small corotational finite rigid; do
  own "space_$kinematics" <<XML
<voussoir><model space="solid"/><material name="m" density="1000" young="1e7" poisson="0.2"/><law name="l" friction="0.1"/>
<box name="a" material="m" size="1 2 0.5" cells="3 3 2" x="-0.5" y="-1" z="-0.5"/>
<box name="b" material="m" size="0.9 0.7 0.4" cells="5 4 2" x="-0.3" y="-0.2" kinematics="$kinematics"/>
<prescribe on="a.z0" x="0" y="0" z="0"/><velocity of="b" x="0.05" spin="0 0 0.05"/>
<contact candidate="a" antagonist="b" law="l"/><gravity y="0" z="-9.81"/>
<time end="0.1" step="1e-3" theta="1"/><output every="10"/><probe name="b" quantity="displacement" of="b"/></voussoir>
XML
done

# stones in space: parts, few points, two directions of friction that turn, a mass matrix, a tool that turns
own stones <<XML
<voussoir><model space="solid"/><material name="m" density="1000" young="1e7" poisson="0.2"/>
<law name="l" friction="0.2" friction_2="0.5" direction="1 0.5 0" direction_of="candidate"/>
<polyhedron name="u" material="m">
<part corners="0 0 0.005 1 0 0.005 1 0.7 0.005 0 0.7 0.005 0 0 0.3 1 0 0.3 1 0.7 0.3 0 0.7 0.3"/>
<part corners="0.8 0 0.3 1 0 0.3 1 0.7 0.3 0.8 0.7 0.3 0.8 0 1 1 0 1 1 0.7 1 0.8 0.7 1"/></polyhedron>
<box name="b" material="m" kinematics="corotational" mass="consistent" size="0.5 0.5 0.2" cells="2 2 1" x="0.1" y="0.1" z="0.302"/>
<tool name="t" shape="plane" axis_y="0" axis_z="1" turn="t" axis="0 0 1"/>
<contact candidate="u" antagonist="t" law="l"/><contact candidate="b" antagonist="u" law="l" points="reduced"/>
<gravity y="0" z="-10"/><time end="0.1" step="2e-3" theta="1"/><output every="10"/>
<probe name="b" quantity="displacement" of="b"/></voussoir>
XML

# none is forgotten that the program knows
for kind in law material; do
  for type in $($V list $kind | sed -n 's/^  \(type\|law\)="\([a-z0-9_]*\)".*/\2/p'); do
    [ -f "$TMP/own/${kind}_$type.xml" ] || grep -q "law=\"$type\"" inputs/*.xml || fail "no input has the $kind $type"
  done
done

steps_of() { sed -n 's/^  "steps": \([0-9]*\).*/\1/p' "$1/summary.json"; }

number=0
for input in inputs/*.xml "$TMP"/own/*.xml; do
  # the sanitizers look at memory, not at bits, and take their time: a third of the inputs will do
  number=$((number + 1))
  [ "$BUILD" = build-asan ] && [ $((number % 3)) -ne 0 ] && continue
  name=$(basename "$input" .xml)
  STEPS=6 later=
  [[ $input != "$TMP"/* ]] || STEPS=40 later=after\ 17 # when they have touched, slipped, yielded
  [ "$name" != taylor_bar_3d ] || STEPS=2 # its steps take longer than all others together
  $V run "$input" --quiet --stop-after $STEPS -o "$TMP/whole" >"$TMP/out" 2>&1
  code=$?
  [ $code -eq 130 ] || [ $code -eq 0 ] || [ $code -eq 5 ] || { cat "$TMP/out"; fail "$name: exit code $code"; }
  steps=$(steps_of "$TMP/whole")
  done=0
  for stop in after\ 1 at-question\ 5 after\ 2 at-question\ 2 "$later"; do
    [ -n "$stop" ] || continue
    [ $done -lt $steps ] || break
    $V run "$input" --quiet --stop-$stop -o "$TMP/broken" --restart >"$TMP/out" 2>&1
    code=$?
    [ $code -eq 130 ] || [ $code -eq 0 ] || [ $code -eq 5 ] || { cat "$TMP/out"; fail "$name: exit code $code after --stop-$stop"; }
    done=$(steps_of "$TMP/broken")
  done
  [ $done -lt $steps ] && $V run "$input" --quiet --stop-after $((steps - done)) -o "$TMP/broken" --restart >"$TMP/out" 2>&1
  [ "$(steps_of "$TMP/broken")" -eq "$steps" ] || fail "$name: other steps"
  [ "$(hash_of "$TMP/whole")" = "$(hash_of "$TMP/broken")" ] || fail "$name: the state differs ($done steps before the last part)"
  for file in history.csv newton.csv "bodies_$(printf %06d $steps).vtk" "contacts_$(printf %06d $steps).vtk"; do
    [ ! -f "$TMP/whole/$file" ] || cmp "$TMP/whole/$file" "$TMP/broken/$file" || fail "$name: $file differs"
  done
  [ -z "${TIMES:-}" ] || echo "$SECONDS s: $name ($steps steps)"
  rm -rf "$TMP/whole" "$TMP/broken"
done
