#!/usr/bin/env python3
"""Semicircular arches of rigid stones side by side, in space, as an input: rigid_arches.py ARCHES STONES >arches.xml

Mean radius 1 m, thickness 0.15 m, friction 0.6, four contacts a joint; twelve of 41 stones have 2016. They stand under
their weight, which acts from the first step on. Parameters: step, steps, tolerance.
"""
import sys

DEPTH, APART = 0.2, 0.5  # of an arch, and of their middles [m]


def main():
    arches, stones = (int(arg) for arg in sys.argv[1:3])
    print('<voussoir title="Arches of rigid stones"><parameter name="step" value="1e-3"/>'
          '<parameter name="steps" value="200"/><parameter name="tolerance" value="1e-4"/><model space="solid"/>'
          '<material name="stone" density="2000" young="1e10"/><law name="dry" type="coulomb" friction="0.6"/>')
    for k in range(arches):
        print(f'<arch name="arch{k}" material="stone" kinematics="rigid" span="1.85" thickness="0.15" voussoirs="{stones}" '
              f'straight="yes" depth="{DEPTH}" z="{k * APART:g}" cells_x="1" cells_y="1"/>')
    for name, x in (("left", -1.5), ("right", 0.5)):
        print(f'<support name="{name}" shape="box" x="{x}" y="-0.5" z="{-APART}" width="1" height="0.5" '
              f'depth="{APART * (arches + 1):g}"/>')
    for k in range(arches):
        print(f'<contact candidate="arch{k}" antagonist="left right arch{k}" law="dry"/>')
    print('<gravity y="-9.81"/><time end="${step}*${steps}" step="${step}" theta="1"/>'
          '<solver tolerance="${tolerance}"/><output every="0"/><probe name="energy" quantity="energy"/></voussoir>')


if __name__ == "__main__":
    main()
