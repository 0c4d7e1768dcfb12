#!/bin/sh
# picture.sh DIR: draws the last step of the results in DIR to DIR/wall.png, if VTK is there, and
# says what to open.
set -eu
folder=$1
picture=$folder/wall.png
if command -v xvfb-run >/dev/null && /usr/bin/python3 -c 'import vtk, numpy' 2>/dev/null; then
  xvfb-run -a -s '-screen 0 1600x1200x24' /usr/bin/python3 tests/tools/render.py \
    "$folder" "$picture" --forces --color stress.yy --warp 10
  echo "Picture:  $picture"
else
  echo "No picture: python3-vtk9, python3-numpy or xvfb is not installed."
fi
cat <<TEXT
ParaView: File, Open: $folder/bodies.vtk.series, forces.vtk.series, contacts.vtk.series; Apply; go to
          the last time; Warp By Vector on each with 'displacement', factor 10; Tube on the warped
          forces by 'force', radius 0.0007. The README has every click.
TEXT
