#!/usr/bin/python3
"""Checks that the rooms of src/ include only rooms above them, and use only their own libraries.

The order is that of the data flow: output/ sees the state of step/ and is called by app/.
"""

import glob
import os
import re
import sys

ROOMS = ["base", "algebra", "file", "input", "mesh", "material", "element", "shape", "solver", "body",
         "contact", "step", "output", "build", "app"]

# Each third-party library has one door.
DOORS = [(r"(suitesparse/)?(cholmod|umfpack|SuiteSparse_config)\.h|metis\.h|cblas\.h|lapacke?\.h", "algebra"),
         (r"hdf5(_hl)?\.h|H5\w+\.h|fclib\.h", "file"),
         (r"libxml/.*|muParser\w*\.h", "input"),
         (r"libqhull_r/.*", "mesh"),
         (r"valgrind/.*", "base")]

SYSTEM = set("""assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdalign
stdarg stdatomic stdbool stddef stdint stdio stdlib string time dirent fcntl fnmatch glob libgen
strings unistd sys/stat sys/types sys/resource sys/statvfs sys/time sys/file sys/mman sys/wait sys/ioctl omp""".split())

HEAP_USERS = {"src/base/mem.c",  # the door itself
              "src/app/run.c"}  # the run as a whole, which outlives what it counts
HEAP = re.compile(r"(?<!->)\b(malloc|calloc|realloc|free|strdup|strndup)\s*\(")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def door_of(header):
    for pattern, room in DOORS:
        if re.fullmatch(pattern, header):
            return room
    return None


def defects_of(path):
    room = path.split(os.sep)[1]
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            place = "%s:%d: " % (path, number)
            found = INCLUDE.match(line)
            if found and found.group(1) == '"':
                target = found.group(2).split("/")[0]
                if target not in ROOMS:
                    yield place + '"%s" is in no room: write "room/file.h"' % found.group(2)
                elif ROOMS.index(target) > ROOMS.index(room):
                    yield place + "%s/ may not include %s/, which is below it" % (room, target)
            elif found:
                header = found.group(2)
                door = door_of(header)
                if door is None and header[:-2] not in SYSTEM:
                    yield place + "<%s> has no door: name one in layers.py" % header
                elif door and door != room:
                    yield place + "<%s> is used by src/%s/ only" % (header, door)
            elif path not in HEAP_USERS and HEAP.search(line.split("//")[0]):
                yield place + "memory comes from base/mem.h or an arena"


def main():
    paths = sorted(glob.glob("src/*/*.[ch]"))
    unknown = [path for path in paths if path.split(os.sep)[1] not in ROOMS]
    defects = ["%s: a room that layers.py does not know" % path for path in unknown]
    for path in paths:
        if path not in unknown:
            defects += defects_of(path)
    for defect in defects:
        print(defect)
    print("layers: %d files, %d defects" % (len(paths), len(defects)))
    sys.exit(1 if defects or not paths else 0)


main()
