#!/bin/sh
# picture.sh DIR: draws the last step of the results in DIR to DIR/wall.png, if VTK is there, and
# says what to open.
set -eu
folder=$1
picture=$folder/wall.png
if command -v xvfb-run >/dev/null && /usr/bin/python3 -c 'import vtk, numpy' 2>/dev/null; then
  xvfb-run -a -s '-screen 0 1600x1200x24' /usr/bin/python3 tests/tools/render.py \
    "$folder" "$picture" --forces --color stress.yy
  echo "Picture:  $picture"
else
  echo "No picture: python3-vtk9, python3-numpy or xvfb is not installed."
fi
cat <<TEXT
ParaView: File, Open: $folder/bodies.vtk.series, Apply, colour by 'von_mises' or 'stress';
          then $folder/forces.vtk.series for the lines of force and
          $folder/contacts.vtk.series for gaps, statuses and reactions; press Play.
TEXT
