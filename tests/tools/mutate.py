#!/usr/bin/python3
"""Changes a function of src/ a little and asks whether any test that reaches it notices.

    mutate.py map [new]              builds unit and verify once more, notes which tests reach which function; new:
                                     only of tests that the map does not know
    mutate.py run SEED FROM TO       changes number FROM to TO - 1 of those that SEED draws; run it in parts
    mutate.py try FILE OLD NEW       one change by hand: the text OLD, which FILE holds once, becomes NEW

Only the changed object is compiled. Its tests run quickest suite first until one fails: "killed". What
no unit or verify test notices "survives" and is to be looked at: it may change nothing (equivalent), or
a test is missing. --cases lets the whole cases try too. Lines go to BUILD/mutants/log as well. Needs `make`, then
build/unit and build/verify; nothing in src/ is touched.
"""

import collections
import glob
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from check import listed_tests
from sizes import functions, strip

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SOURCES = [path for path in sorted(glob.glob("src/*/*.c")) if path != "src/app/main.c"]
MAP = "build/mutants/reach.json"
BINARIES = ("unit", "verify")
FLOOR, SLOWER = 20, 20  # a test hangs that takes so many seconds more, times longer, than it did
MEMORY = 6 << 30  # [bytes] a change may ask for any


def flags():
    with open("build/flags", encoding="utf-8") as stream:
        return stream.read().strip().replace("'\"", '"\\"').replace("\"'", '\\""')


def shell(command, **more):
    return subprocess.run(command, shell=isinstance(command, str), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **more)


def must(command, **more):
    done = shell(command, **more)
    if done.returncode:
        sys.exit("%s\n%s" % (command, done.stdout.decode(errors="replace")[-2000:]))
    return done.stdout.decode(errors="replace")


LIBRARIES = "-fopenmp -lcriterion -lcholmod -lumfpack -lsuitesparseconfig -lmetis -lopenblas $(pkg-config --libs libxml-2.0 hdf5) " \
            "-lmuparser -lqhull_r -lm"


def link(program, library, more=""):
    tests = {"unit": "build/tests/unit/*/*.o", "verify": "build/tests/verify/*.o", "voussoir": "build/src/app/main.o"}
    objects = sorted(glob.glob(tests[os.path.basename(program)])) + ["build/libsupport.a"] + library
    with open(program + ".objects", "w", encoding="utf-8") as stream:
        stream.write("\n".join(objects))
    must("gcc -o %s %s @%s.objects %s" % (program, more, program, LIBRARIES))


# ---- which tests reach a function ----

def make_map(known):
    os.makedirs("build/mutants/map", exist_ok=True)
    slow = "-O1 -fno-inline -finstrument-functions -fno-pie"
    with open("build/mutants/map/rules", "w", encoding="utf-8") as rules:
        for path in SOURCES + ["tests/tools/reached.c"]:
            own = slow if path in SOURCES else "-O1 -fno-pie"
            target = "build/mutants/map/" + path.replace("/", "_")[:-2] + ".o"
            rules.write("all: %s\n%s: %s\n\t@%s %s -c -o $@ %s\n" % (target, target, path, flags().replace("$", "$$"),
                                                                      own, path))
    must("make -s -f build/mutants/map/rules -j%d all" % os.cpu_count())
    reach, seconds = collections.defaultdict(list, known["reach"]), known["seconds"]
    for name in BINARIES:
        program = "build/mutants/map/" + name
        link(program, glob.glob("build/mutants/map/*.o"), "-no-pie")
        address = {}
        listed = listed_tests(must([program, "--list", "--ascii"]))
        for test in sorted(test for test in listed if "%s %s" % (name, test) not in seconds):
            found = os.path.abspath("build/mutants/map/reached")
            if os.path.exists(found):
                os.remove(found)
            start = time.monotonic()
            shell([program, "--filter", test.replace("::", "/"), "--ascii"], env=dict(os.environ, REACHED=found))
            seconds["%s %s" % (name, test)] = round(time.monotonic() - start, 3)
            if os.path.exists(found):
                with open(found, "rb") as stream:
                    for (at,) in struct.iter_unpack("Q", stream.read()):
                        address.setdefault(at, set()).add("%s %s" % (name, test))
        entered = sorted(address)
        lines = must(["addr2line", "-f", "-e", program], input="\n".join("%x" % at for at in entered).encode()).split("\n")
        for at, function, place in zip(entered, lines[0::2], lines[1::2]):
            path = re.search(r"src/\w+/\w+\.c", place)
            if path:
                reach["%s:%s" % (path.group(), function)] += sorted(address[at])
    with open(MAP, "w", encoding="utf-8") as stream:
        json.dump({"reach": reach, "seconds": seconds}, stream, indent=0)
    print("%d functions, %d tests" % (len(reach), len(seconds)))


# ---- changes ----

# (what, pattern, replacements): each match of the pattern can become each of the replacements.
OPERATORS = [
    ("operator", r"(?<=[\w\])]) \+ (?=[\w(])", [" - "]),
    ("operator", r"(?<=[\w\])]) - (?=[\w(])", [" + "]),
    ("operator", r"(?<=[\w\])]) \* (?=[\w(])", [" / "]),
    ("operator", r"(?<=[\w\])]) / (?=[\w(])", [" * "]),
    ("operator", r" \+= ", [" -= ", " = "]),
    ("operator", r" -= ", [" += ", " = "]),
    ("operator", r" \*= ", [" = "]),
    ("comparison", r" < ", [" <= ", " > "]),
    ("comparison", r" > ", [" >= ", " < "]),
    ("comparison", r" <= ", [" < ", " > "]),
    ("comparison", r" >= ", [" > ", " < "]),
    ("comparison", r" == ", [" != "]),
    ("comparison", r" != ", [" == "]),
    ("logic", r" && ", [" || "]),
    ("logic", r" \|\| ", [" && "]),
    ("condition", r"\bif \((?=[^;]*\))", ["if (!"]),
    ("function", r"\bfmin\(", ["fmax("]),
    ("function", r"\bfmax\(", ["fmin("]),
    ("function", r"\bfabs\(", ["("]),
    ("sign", r"(?<=[=(,] )(?=[a-z]\w*[\[.>\w ]* [*/] )", ["-"]),
    ("sign", r"(?<=return )(?=[a-z]\w* [*/] )", ["-"]),
    ("sign", r"(?<=[=(,] )-(?=[a-z(])", [""]),
    ("constant", r"(?<![\w.])0(?![\w.])", ["1"]),
    ("constant", r"(?<![\w.])1(?![\w.])", ["0", "2"]),
    ("constant", r"(?<![\w.])[2-9](?![\w.])", ["1"]),
    ("constant", r"(?<![\w.])0\.5(?!\d)", ["0.25", "1.0"]),
    ("constant", r"(?<![\w.])\d+\.\d+(?:e-?\d+)?(?![\w.])", ["3.0"]),
    ("index", r"(?<=\[)\w+(?=\])", ["0", "{} + 1"]),
    ("index", r"(?<=\[)\w+ \+ \d(?=\])", ["0"]),
]
STATEMENT = re.compile(r"^\s+(?!return|break|continue|goto|case|default|else|for|while|TRY|MEM_NEW|ARENA_NEW)"
                       r"(?!(?:const |static |int |double |size_t |int\d+_t |uint\d+_t |char )|[A-Z]\w+ \*?\w+)"
                       r"[a-z][^{}]*;$")


def sites(path, start, size):
    """(line number, column, end, new text, what) of all changes of a function."""
    with open(path, encoding="utf-8") as stream:
        lines = stream.read().split("\n")
    skip = 0
    for number in range(start, start + size - 1):
        line = lines[number - 1]
        if number == start or skip:  # the head, of one line or more
            skip = not line.endswith("{")
            continue
        bare = strip(line).rstrip()
        masked = re.sub(r'"(?:\\.|[^"\\])*"', lambda m: '"' + "~" * (len(m.group()) - 2) + '"', line).split("//")[0]
        for what, pattern, news in OPERATORS:
            for match in re.finditer(pattern, masked):
                if re.match(r"\s*(static const|enum|err_|return err_|assert)", masked) and what != "constant":
                    continue
                if "for (int" in masked and what == "constant" and "= 0" in masked[:match.end()][-4:]:
                    pass  # loops that begin one later are changes worth a test
                for new in news:
                    yield number, match.start(), match.end(), new.format(match.group()), what
        if STATEMENT.match(bare) and strip(lines[number - 2]).rstrip().endswith((";", "{", "}", ":")):
            yield number, len(line) - len(line.lstrip()), len(line), ";", "dropped"


def draw(seed, known):
    """An endless list of (path, function, site): rooms take turns, by chance within them."""
    chance = random.Random(seed)
    rooms = collections.defaultdict(list)
    for path in SOURCES:
        for size, _, _, name, start in functions(path):
            rooms[path.split("/")[1]].append((path, name, start, size))
    taken = set()
    while True:
        for room in sorted(rooms):
            path, name, start, size = chance.choices(rooms[room], [f[3] for f in rooms[room]])[0]
            found = list(sites(path, start, size))
            if not found:
                continue
            kind = chance.choice(sorted({site[4] for site in found}))
            site = chance.choice([site for site in found if site[4] == kind])
            if (path, site) in taken:
                continue
            taken.add((path, site))
            yield path, name, site


# ---- a changed program and its tests ----

def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.setsid()


def fails(command, seconds):
    """What the tests said that failed, or None."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limits)
    try:
        text, _ = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        child.communicate()
        return "no end after %.0f s" % seconds
    if child.returncode == 0:
        return None
    text = text.decode(errors="replace")
    return ", ".join(re.findall(r"^\[(?:FAIL|CRASH)\] (\w+::\w+)", text, re.M)[:2]) or "exit code %d" % child.returncode


def suites(tests, seconds, stem):
    groups = collections.defaultdict(list)
    for test in tests:
        binary, name = test.split()
        groups[binary, name.split("::")[0]].append(test)

    def cost(group):
        return (group[1] != stem, sum(seconds[test] for test in groups[group]))
    for binary, suite in sorted(groups, key=cost):
        yield binary, suite, groups[binary, suite]


def judge(path, function, changed, known, cases):
    """(verdict, who): of the file `path` with the text `changed`."""
    folder = tempfile.mkdtemp(prefix="mutant_", dir="build/mutants")
    try:
        source, target = folder + "/" + os.path.basename(path), folder + "/new/" + os.path.basename(path)[:-2] + ".o"
        os.makedirs(folder + "/new")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(changed)
        place = os.path.dirname(path)
        done = shell("%s -w -iquote %s -fmacro-prefix-map=%s=%s -c -o %s %s"
                     % (flags(), place, folder, place, target, source))
        if done.returncode:
            return "no program", ""
        if must("objdump -d --no-show-raw-insn %s | tail -n +4 | md5sum" % target) == \
           must("objdump -d --no-show-raw-insn build/%s.o | tail -n +4 | md5sum" % path[:-2]) and \
           must("objdump -s -j .rodata -j .rodata.cst8 -j .rodata.cst16 %s 2>/dev/null | tail -n +4 | md5sum; true" % target) == \
           must("objdump -s -j .rodata -j .rodata.cst8 -j .rodata.cst16 build/%s.o 2>/dev/null | tail -n +4 | md5sum; true" % path[:-2]):
            return "equivalent", "the same instructions"
        library = [target if other == path else "build/%s.o" % other[:-2] for other in SOURCES]
        tests = known["reach"].get("%s:%s" % (path, function), [])
        if function == "?":  # beside functions: whatever reaches the file
            tests = sorted({test for name, own in known["reach"].items() if name.startswith(path + ":") for test in own})
        linked = set()
        for binary, suite, own in suites(tests, known["seconds"], os.path.basename(path)[:-2]):
            if binary not in linked:
                link("%s/%s" % (folder, binary), library)
                linked.add(binary)
            names = "|".join(test.split("::")[1] for test in own)
            said = fails([os.path.abspath("%s/%s" % (folder, binary)), "--ascii", "--fail-fast", "--filter",
                          "%s/@(%s)" % (suite, names)], FLOOR + SLOWER * sum(known["seconds"][test] for test in own))
            if said:
                return "killed", said
        if cases:
            link(folder + "/voussoir", library)
            done = shell(["tests/tools/run_cases.sh"], env=dict(os.environ, BUILD=folder))
            failed = re.findall(r"^fail (\w+)", done.stdout.decode(errors="replace"), re.M)
            if failed:
                return "killed", "cases: " + ", ".join(failed)
        return "SURVIVED", "%d tests reach it" % len(tests)
    finally:
        shutil.rmtree(folder)


def say(line):
    print(line, flush=True)
    with open("build/mutants/log", "a", encoding="utf-8") as log:
        log.write(line + "\n")


def run(seed, first, last, known, cases):
    for count, (path, function, site) in enumerate(draw(seed, known)):
        if count >= last:
            break
        if count < first:
            continue
        number, begin, end, new, what = site
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().split("\n")
        old = lines[number - 1]
        lines[number - 1] = old[:begin] + new + old[end:]
        verdict, who = judge(path, function, "\n".join(lines), known, cases)
        say("%d.%d %s %s:%d %s, %s\n    -%s\n    +%s\n    %s" % (seed, count, verdict, path, number, function, what,
                                                          old.strip(), lines[number - 1].strip(), who))


def one(path, old, new, known, cases):
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    if text.count(old) != 1:
        sys.exit("%s holds that text %d times" % (path, text.count(old)))
    number = text[:text.index(old)].count("\n") + 1
    function = next((name for size, _, _, name, start in functions(path) if start <= number < start + size), "?")
    verdict, who = judge(path, function, text.replace(old, new), known, cases)
    say("%s %s:%d %s, by hand\n    -%s\n    +%s\n    %s" % (verdict, path, number, function, old, new, who))


def main():
    words = [word for word in sys.argv[1:] if word != "--cases"]
    cases = "--cases" in sys.argv
    if words == ["map"]:
        make_map({"reach": {}, "seconds": {}})
        return
    if words != ["map", "new"] and (len(words) != 4 or words[0] not in ("run", "try")):
        sys.exit(__doc__)
    with open(MAP, encoding="utf-8") as stream:
        known = json.load(stream)
    if words[0] == "map":
        make_map(known)
        return
    if words[0] == "run":
        run(int(words[1]), int(words[2]), int(words[3]), known, cases)
    else:
        one(words[1], words[2], words[3], known, cases)


if __name__ == "__main__":
    main()
