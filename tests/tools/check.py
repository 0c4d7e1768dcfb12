#!/usr/bin/python3
"""Runs the stages of `make check` and counts what passed, failed and was skipped.

    check.py [--strict] [--verbose] [--fuzz-seconds N] STAGE...

Stages: format layers refs sizes docs lint (one test each), unit verify (Criterion), cases (whole
runs), fault (scripts), long (long cases), fuzz. With the prefix asan- a stage runs what is in
build-asan, and whatever a sanitizer reports, leaks too, is a failure. --strict: a tool that is
missing is a failure, not a skip. What fails is said at once. What a stage printed is kept in BUILD/check/STAGE.log.

The last line is "N passed, N failed, N skipped"; exit 1 if any test failed or none ran.
"""

import argparse
import glob
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time

TOOLS = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 600  # [s] for one script, one binary
TEST_TIMEOUT = 120  # [s] for one Criterion test, and the longest time without a line of its program
ALL_TIMEOUT = 3600  # [s] for all of them: under sanitizers, on a machine that has other work


def watched(command, env, timeout, each_line):
    """Runs a command in a process group of its own, which ends as a whole when it takes too long in all, or says nothing
    for too long. Returns (exit code, output); each_line sees lines as they come."""
    try:
        child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 start_new_session=True)
    except OSError as error:
        return 127, str(error)
    os.set_blocking(child.stdout.fileno(), False)
    start = last = time.monotonic()
    output, rest, late = [], b"", ""
    while True:
        ready = select.select([child.stdout], [], [], 0.2)[0]
        piece = child.stdout.read() if ready else None
        now = time.monotonic()
        if piece:
            last = now
            output.append(piece)
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                each_line(line.decode(errors="replace"))
        elif ready and piece == b"" or (not ready and child.poll() is not None):
            break  # its end, whatever children of it still hold the pipe
        if now - start > timeout[0] or now - last > timeout[1]:
            late = "\nno end after %.0f s, the last line was %.0f s before\n" % (now - start, now - last)
            break
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    code = child.wait()
    return (124 if late else code), b"".join(output).decode(errors="replace") + late


class Stage:
    """Where a stage runs, and what came of it: lists of (test, detail)."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.asan = name.startswith("asan-")
        self.build = "build-asan" if self.asan else "build"
        self.folder = os.path.join(self.build, "check")
        self.log_path = os.path.join(self.folder, name.replace("asan-", "") + ".log")
        self.passed, self.failed, self.skipped = [], [], []
        self.undefined = {}  # lines "file:line: runtime error: ..." and how often they came

    def fail(self, test, detail):
        """Kept, and said at once: who waits for the rest can already look."""
        self.failed.append((test, detail))
        print("  FAILED %s" % test)
        print("".join("    %s\n" % line for line in detail.rstrip().splitlines()), end="", flush=True)

    def call(self, command, each_line=None, timeout=None, **environment):
        """Runs a command; returns (exit code, output), 124 when it took too long. timeout: (in all, without a line) [s]."""
        timeout = timeout or (TIMEOUT, TIMEOUT)
        # threads of tests that wait for one another do not spin: on a busy machine that takes seconds
        env = dict(os.environ, BUILD=self.build, VOUSSOIR=os.path.abspath(self.build + "/voussoir"),
                   OMP_WAIT_POLICY="passive", **environment)
        if self.asan:
            reports = os.path.abspath(os.path.join(self.folder, "report"))
            env["ASAN_OPTIONS"] = ("detect_leaks=1:fast_unwind_on_malloc=0:"  # whole stacks, for leaks.supp
                                   "allocator_may_return_null=1:log_path=" + reports)
            env["UBSAN_OPTIONS"] = "print_stacktrace=1:log_path=" + reports
            env["LSAN_OPTIONS"] = "suppressions=%s/leaks.supp:print_suppressions=0" % TOOLS
        code, text = watched(command, env, timeout, each_line or (lambda line: None))
        if self.asan:  # undefined behaviour is reported on the terminal whatever log_path says
            for line in re.findall(r"^.*: runtime error: .*$", text, re.M):
                self.undefined[line] = self.undefined.get(line, 0) + 1
        with open(self.log_path, "a", encoding="utf-8") as log:
            log.write("$ %s\n%s\n" % (" ".join(command), text))
        return code, text

    def missing(self, test, reason):
        (self.failed if self.options.strict else self.skipped).append((test, reason))

    def sanitizer_reports(self):
        """What sanitizers reported is a failure, whatever the test thought of it; equal ones once."""
        for line, n in sorted(self.undefined.items()):
            self.fail("undefined behaviour (%d times)" % n, line)
        found = {}
        for path in sorted(glob.glob(os.path.join(self.folder, "report.*"))):
            with open(path, encoding="utf-8", errors="replace") as stream:
                lines = stream.read().strip().splitlines()
            # who and where: the kind of report and the first functions of ours, without addresses
            kind = next((line for line in lines if "ERROR:" in line or "runtime error" in line), path)
            places = [line.split(" in ", 1)[1] for line in lines if re.search(r"#\d+ .* in .* (src|tests)/", line)]
            key = (re.sub(r"==\d+==|0x[0-9a-f]+", "", kind).split(" at pc")[0], tuple(places[:3]))
            if lines:
                found.setdefault(key, []).append((path, lines))
        for reports in found.values():
            path, lines = reports[0]
            self.fail("sanitizer report (%d times)" % len(reports), "\n".join(lines[:15] + ["see " + path]))


# ---- stages of one test ----

def sources():
    return sorted(glob.glob("src/*/*.[ch]") + glob.glob("tests/**/*.[ch]", recursive=True))


def clang_format_14():
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], stdout=subprocess.PIPE, check=False).stdout
            if b"version 14." in version:
                return name
    return None


def one_test(stage, name, command):
    code, text = stage.call(command)
    if code == 0:
        stage.passed.append((name, text))
    else:
        stage.fail(name, text)


def stage_format(stage):
    tool = clang_format_14()
    if not tool:
        stage.missing("format", "clang-format 14 is not installed")
        return
    one_test(stage, "format", [tool, "--dry-run", "-Werror", "--ferror-limit=3"] + sources())


def stage_tool(stage):
    brief = ["--limits"] if stage.name == "sizes" and not stage.options.verbose else []
    one_test(stage, stage.name, [sys.executable, os.path.join(TOOLS, stage.name + ".py")] + brief)


def stage_docs(stage):
    """What is made from the tables of the program is up to date in the repository."""
    for path, option in (("docs/reference.md", "--markdown"), ("src/input/voussoir.xsd", "--xsd")):
        if not os.path.exists(path):
            continue
        code, text = stage.call(["build/voussoir", "list", option])
        with open(path, encoding="utf-8") as stream:
            fresh = code == 0 and text == stream.read()
        if fresh:
            stage.passed.append((path, ""))
        else:
            stage.fail(path, "differs from `voussoir list %s`: run `make docs`" % option)


def stage_lint(stage):
    """No warning of clang either."""
    if not shutil.which("clang"):
        stage.missing("lint", "clang is not installed")
        return
    flags = ("-std=c11 -fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion "
             "-Wno-sign-conversion -Wdouble-promotion -Wundef -Wstrict-prototypes "
             "-Wmissing-prototypes -Wformat=2 -Wvla -Wcast-qual -fopenmp -Isrc").split()
    found = subprocess.run(["pkg-config", "--cflags", "libxml-2.0", "hdf5"], stdout=subprocess.PIPE,
                           check=False).stdout.decode().replace("-I", "-isystem ").split()
    version = ["-DVOUSSOIR_VERSION=\"0\""]
    one_test(stage, "lint", ["clang"] + flags + version + found +
             [path for path in sources() if path.endswith(".c")])


# ---- Criterion ----

def listed_tests(text):
    """{suite::test} of the output of --list --ascii."""
    tests, suite = set(), None
    for line in text.splitlines():
        head = re.match(r"(\w+): \d+ tests?$", line)
        leaf = re.match(r"[|`]--\s+(\w+)", line)
        if head:
            suite = head.group(1)
        elif leaf and suite:
            tests.add("%s::%s" % (suite, leaf.group(1)))
    return tests


class CriterionLines:
    """Reads what Criterion prints with --verbose, line by line: a report of its own is lost when a test hangs."""

    def __init__(self, stage, only=None):
        self.stage, self.only = stage, only  # of a filter, which calls all others skipped
        self.running, self.ran, self.said = set(), set(), []

    def __call__(self, line):
        match = re.match(r"\[(RUN |PASS|FAIL|SKIP)\] (\w+::\w+):?(.*)", line)
        if line.startswith("[----]"):
            self.said.append(line[6:].rstrip())
        if not match:
            return
        word, test, more = match.group(1), match.group(2), match.group(3).strip()
        if test != (self.only or test):
            return
        said = "\n".join(part for part in self.said if part)
        self.said = []
        if word == "RUN ":
            self.running.add(test)
            return
        self.ran.add(test)
        if word == "PASS":
            self.stage.passed.append((test, ""))
        elif word == "SKIP":
            self.stage.skipped.append((test, more or "skipped by itself"))
        else:
            self.stage.fail(test, "%s\n%s" % (more, said))


def criterion(stage, name):
    binary = os.path.join(stage.build, name)
    code, text = stage.call([binary, "--list", "--ascii"])
    listed = listed_tests(text)
    if code != 0 or not listed:
        stage.fail(name, "%s lists no tests:\n%s" % (binary, text))
        return
    # Its own --timeout does not end a test that sleeps.
    lines = CriterionLines(stage)
    code, text = stage.call([binary, "--ascii", "--verbose"], lines, (ALL_TIMEOUT, TEST_TIMEOUT))
    for test in sorted(lines.running - lines.ran if code == 124 else ()):
        lines.ran.add(test)
        stage.fail(test, "no end: no test of %s said anything for %d s" % (name, TEST_TIMEOUT))
    # What did not get its turn, because another test hung or took the program with it, runs by itself.
    for test in sorted(listed - lines.ran):
        one = CriterionLines(stage, test)
        code, text = stage.call([binary, "--ascii", "--verbose", "--filter", test.replace("::", "/")], one,
                                (TEST_TIMEOUT, TEST_TIMEOUT))
        if test not in one.ran:
            stage.fail(test, "did not run to its end: exit code %d\n%s" % (code, text[-1000:]))
    if code != 0 and not stage.failed:
        stage.fail(name, "exit code %d:\n%s" % (code, text[-3000:]))


def stage_unit(stage):
    criterion(stage, "unit")


def stage_verify(stage):
    if glob.glob("tests/verify/*.c"):
        criterion(stage, "verify")
    scripts(stage, "verify")


# ---- scripts and whole runs ----

def scripts(stage, folder):
    """tests/FOLDER/*.sh: exit code 0 passed, 77 skipped. Each has a folder SCRATCH of its own."""
    for path in sorted(glob.glob("tests/%s/*.sh" % folder)):
        name = os.path.basename(path)[:-3]
        scratch = os.path.abspath(os.path.join(stage.build, "scratch", name))
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        code, text = stage.call(["bash", path], SCRATCH=scratch)
        if code == 0:
            stage.passed.append((name, ""))
        elif code == 77:
            stage.skipped.append((name, text.strip().splitlines()[-1] if text.strip() else ""))
        else:
            stage.fail(name, "exit code %d\n%s" % (code, text[-3000:]))


def stage_fault(stage):
    scripts(stage, "fault")


class CaseLines:
    """Reads what run_cases.sh says: a line for each case, the reason of a failure above it."""

    def __init__(self, stage):
        self.stage, self.above, self.ran = stage, [], set()

    def __call__(self, line):
        word = line.split(" ", 2)
        if word[0] not in ("pass", "fail", "skip"):
            self.above.append(line)
            return
        self.ran.add(word[1])
        if word[0] == "pass":
            self.stage.passed.append((word[1], ""))
        elif word[0] == "fail":
            self.stage.fail(word[1], "\n".join(self.above))
        else:
            self.stage.skipped.append((word[1], " ".join(word[2:])))
        self.above = []


def stage_cases(stage):
    long = ["--long"] if stage.name == "long" else []
    lines = CaseLines(stage)
    code, text = stage.call([os.path.join(TOOLS, "run_cases.sh")] + long, lines, (ALL_TIMEOUT, TIMEOUT))
    expected = {os.path.basename(folder[:-1]) for folder in glob.glob("tests/cases/*/")
                if os.path.exists(folder + "long") == bool(long)}
    for name in sorted(expected - lines.ran):
        stage.fail(name, "did not run to its end: exit code %d\n%s" % (code, text[-1000:]))
    if code != 0 and not stage.failed:
        stage.fail("cases", "exit code %d:\n%s" % (code, text[-3000:]))


def stage_fuzz(stage):
    for path in sorted(glob.glob("tests/fault/fuzz_*.c")):
        name = os.path.basename(path)[:-2]
        corpus = os.path.abspath(os.path.join("build-fuzz", "corpus", name))
        os.makedirs(corpus, exist_ok=True)
        seeds = ["tests/fault/%s_seeds" % name[len("fuzz_"):]]
        if name == "fuzz_gmsh":
            seeds.append("meshes")
        # a fuzzer may work in a folder of its own: all paths are absolute
        seeds = [os.path.abspath(folder) for folder in seeds if os.path.isdir(folder)]
        code, text = stage.call(["build-fuzz/" + name, "-print_final_stats=1", "-timeout=20",
                                 "-artifact_prefix=" + os.path.abspath("build-fuzz/" + name) + "-",
                                 "-max_total_time=%d" % stage.options.fuzz_seconds, corpus] + seeds)
        runs = re.search(r"number_of_executed_units:\s*(\d+)", text)
        if code == 0:
            stage.passed.append((name, "%s inputs" % (runs.group(1) if runs else "?")))
        else:
            stage.fail(name, text[-3000:])


STAGES = {"format": stage_format, "layers": stage_tool, "refs": stage_tool, "sizes": stage_tool,
          "docs": stage_docs, "lint": stage_lint, "unit": stage_unit, "verify": stage_verify,
          "cases": stage_cases, "fault": stage_fault, "long": stage_cases, "fuzz": stage_fuzz}


def run(name, options):
    stage = Stage(name, options)
    os.makedirs(stage.folder, exist_ok=True)
    for old in glob.glob(os.path.join(stage.folder, "report.*")) + [stage.log_path]:
        if os.path.exists(old):
            os.remove(old)
    start = time.monotonic()
    STAGES[name.replace("asan-", "")](stage)
    if stage.asan:
        stage.sanitizer_reports()
    counts = ["%d %s" % (len(tests), word) for tests, word in
              ((stage.passed, "passed"), (stage.failed, "FAILED"), (stage.skipped, "skipped")) if tests]
    print("%-12s %-40s %6.1f s" % (name, ", ".join(counts) or "nothing to run",
                                   time.monotonic() - start))
    for test, reason in stage.skipped:
        print("  skipped %s: %s" % (test, reason))
    for test, detail in stage.passed:
        if detail and (options.verbose or name == "fuzz"):
            print("  %s: %s" % (test, detail.strip()) if name == "fuzz" else detail.rstrip())
    sys.stdout.flush()
    return stage


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--fuzz-seconds", type=int, default=60)
    parser.add_argument("stages", nargs="+", metavar="STAGE",
                        choices=list(STAGES) + ["asan-" + name for name in STAGES])
    options = parser.parse_args()
    os.chdir(os.path.join(TOOLS, "..", ".."))
    stages = [run(name, options) for name in options.stages]
    passed, failed, skipped = (sum(len(getattr(stage, kind)) for stage in stages)
                               for kind in ("passed", "failed", "skipped"))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    sys.exit(1 if failed or passed == 0 else 0)


if __name__ == "__main__":
    main()
