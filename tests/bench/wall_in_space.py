#!/usr/bin/env python3
"""A wall of boxes of stone in running bond, in space, as an input: wall_in_space.py BLOCKS COURSES >wall.xml

Boxes of 0.2 x 0.1 x 0.1 m with 2 x 2 x 2 elements, half boxes at the ends of odd courses; pushed a little along and
across. Parameters: young, theta, along, across.
"""
import sys

LENGTH, DEPTH, HEIGHT = 0.2, 0.1, 0.1  # of a box [m]


def boxes(blocks, courses):
    """Course, place in it, x and length of each box."""
    for course in range(courses):
        lengths = [LENGTH] * blocks if course % 2 == 0 else [LENGTH / 2] + [LENGTH] * (blocks - 1) + [LENGTH / 2]
        x = 0.0
        for place, length in enumerate(lengths):
            yield course, place, x, length
            x += length


def main():
    blocks, courses = (int(arg) for arg in sys.argv[1:3])
    wall = list(boxes(blocks, courses))
    print('<voussoir title="A wall of boxes in space"><parameter name="young" value="5e10"/>'
          '<parameter name="theta" value="0.5"/><parameter name="along" value="0.5"/>'
          '<parameter name="across" value="0.2"/><model space="solid"/>'
          '<material name="stone" density="2000" young="${young}" poisson="0.2"/><law name="dry" friction="0.5"/>'
          '<tool name="floor" shape="plane" axis_y="0" axis_z="1"/>')
    for course, place, x, length in wall:
        cells = 2 if length == LENGTH else 1
        print(f'<box name="b{course}_{place}" material="stone" size="{length:g} {DEPTH:g} {HEIGHT:g}" x="{x:g}" '
              f'z="{course * HEIGHT:g}" cells="{cells} 2 2"/>')
    for course, place, x, length in wall:
        for below, other, from_x, its_length in wall:
            over = below == course - 1 and x < from_x + its_length - 1e-9 and from_x < x + length - 1e-9
            if over or (below == course and other == place - 1):
                print(f'<contact candidate="b{course}_{place}" antagonist="b{below}_{other}" law="dry"/>')
        if course == 0:
            print(f'<contact candidate="b{course}_{place}" antagonist="floor" law="dry"/>')
    print('<gravity x="${along}" y="${across}" z="-9.81"/><time end="0.02" step="1e-3" theta="${theta}"/>'
          '<output every="0"/><probe name="energy" quantity="energy"/></voussoir>')


if __name__ == "__main__":
    main()
