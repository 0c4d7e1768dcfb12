#!/usr/bin/python3
"""Restarts from a checkpoint in which one bit is another, many times: none may end with other results.

    flip_bits.py FOLDER [N] [SEED] -- run INPUT.xml ...

FOLDER holds an interrupted run of the same arguments. Each of the N (2000) flips is tried on a copy: a
restart either refuses the file (exit 2), or ends with the state_hash of the one from the sound file.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile


def restart(program, arguments, folder):
    done = subprocess.run([program] + arguments + ["-o", folder, "--restart", "--quiet"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600, check=False)
    state_hash = None
    if done.returncode in (0, 5):
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as stream:
            state_hash = json.load(stream)["state_hash"]
    return done.returncode, state_hash, done.stderr.decode(errors="replace").strip()


def main():
    at = sys.argv.index("--")
    folder, numbers, arguments = sys.argv[1], [int(word) for word in sys.argv[2:at]], sys.argv[at + 1:]
    program = os.path.join(os.environ.get("BUILD", "build"), "voussoir")
    flips, seed = (numbers + [2000, 1][len(numbers):])[:2]
    chance = random.Random(seed)
    counts, wrong = {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        copy = os.path.join(scratch, "copy")
        shutil.copytree(folder, copy)
        _, sound, _ = restart(program, arguments, copy)
        with open(os.path.join(folder, "checkpoint.h5"), "rb") as stream:
            image = stream.read()
        for _ in range(flips):
            shutil.rmtree(copy)
            shutil.copytree(folder, copy)
            bit = chance.randrange(8 * len(image))
            damaged = bytearray(image)
            damaged[bit // 8] ^= 1 << bit % 8
            with open(os.path.join(copy, "checkpoint.h5"), "wb") as stream:
                stream.write(damaged)
            code, found, said = restart(program, arguments, copy)
            counts[code] = counts.get(code, 0) + 1
            if not (code == 2 or found == sound):
                wrong += 1
                print("byte %d bit %d: exit %d, state %s: %s" % (bit // 8, bit % 8, code, found, said))
    print("%d flips: exit codes %s, %d wrong" % (flips, counts, wrong))
    sys.exit(1 if wrong or not sound else 0)


main()
