#!/usr/bin/python3
"""Sizes that tell where the code grows hard to read; exit 1 beyond the hard limits.

With --limits it prints only what is beyond them.

Hard: 120 lines and 8 arguments a function, 1000 lines a file, 150 lines for main.c, 100 columns a comment. The sources are
as clang-format leaves them: a function starts and ends in column 0.
"""

import glob
import re
import sys

HARD_LINES, HARD_ARGUMENTS, HARD_FILE, HARD_MAIN = 120, 8, 1000, 150
WIDTH = 100  # of code, where clang-format wraps it
WORST = 10
CALLED_BY_OTHERS = {"on_start": "libxml2"}  # whose arguments are not ours to choose


def strip(line):
    """The line without texts, characters and its // comment: braces in them do not count."""
    line = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
    line = re.sub(r"'(?:\\.|[^'\\])+'", "' '", line)
    return line.split("//")[0]


def count_arguments(head):
    """Arguments in the first parentheses of a head such as 'static int f(int a, void (*g)(int))'."""
    # attribute macros such as PRINTF_LIKE(2, 3) stand before the name and are in capitals
    head = re.sub(r"\b[A-Z][A-Z_]+\([^()]*\)", "", head)
    inside = head[head.index("(") + 1:]
    depth, commas, text = 0, 0, ""
    for character in inside:
        if character == ")" and depth == 0:
            break
        depth += (character in "([{") - (character in ")]}")
        commas += character == "," and depth == 0
        text += character
    return 0 if text.strip() in ("", "void") else commas + 1


def functions(path):
    """(lines, arguments, nesting, name, line number) of the functions of a file."""
    head, start, depth, deepest, number = "", 0, 0, 0, 0
    inside = False
    with open(path, encoding="utf-8") as stream:
        lines = [strip(line.rstrip("\n")) for line in stream]
    for number, line in enumerate(lines, 1):
        if not inside:
            if re.match(r"[A-Za-z_]", line) and not re.match(r"(typedef|struct|enum|union|#)\b", line):
                head, start = "", number
            elif not line.strip() or not re.match(r"\s", line):
                head, start = "", 0
            head = head + " " + line if start else ""
            if start and line.endswith("{") and "=" not in head.split("(")[0] and "(" in head:
                inside, depth, deepest = True, 0, 0
            elif start and line.endswith(";"):
                head, start = "", 0
        if inside:
            if line == "}":
                name = re.search(r"(\w+)\s*\(", re.sub(r"\b[A-Z][A-Z_]+\([^()]*\)", "", head))
                yield (number - start + 1, count_arguments(head),
                       deepest - 1, name.group(1) if name else "?", start)
                inside, head, start = False, "", 0
            else:
                for character in line:
                    depth += (character == "{") - (character == "}")
                    deepest = max(deepest, depth)


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0


def report(found, files, n_test_lines):
    for title, column in (("lines of a function", 0), ("arguments", 1), ("nesting", 2)):
        print("%s, worst %d of %d:" % (title, WORST, len(found)))
        for entry in sorted(found, key=lambda f, c=column: -f[c])[:WORST]:
            print("  %4d  %s" % (entry[column], entry[3]))
    print("lines of a file, worst %d of %d:" % (WORST, len(files)))
    for size, path in sorted(files, reverse=True)[:WORST]:
        print("  %4d  %s" % (size, path))
    n_lines = sum(size for size, _ in files)
    print("functions: half have at most %d lines, nine of ten at most %d; source %d lines, tests %d (%.2f)"
          % (share([f[0] for f in found], 0.5), share([f[0] for f in found], 0.9), n_lines, n_test_lines,
             n_test_lines / max(n_lines, 1)))


def wide_comments(path):
    """Comments beyond the width of code, but in tables that are not formatted."""
    table = False
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            table = ("clang-format off" in line or table) and "clang-format on" not in line
            if not table and len(line) > WIDTH + 1 and re.search(r"(^|\s)// (?!-)", line):
                yield "%s:%d: a comment of %d columns, at most %d" % (path, number, len(line) - 1, WIDTH)


def main():
    paths = sorted(glob.glob("src/*/*.[ch]"))
    tests = glob.glob("tests/**/*.[ch]", recursive=True)
    found = [(size, arguments, nesting, "%s  %s:%d" % (name, path, line))
             for path in paths if path.endswith(".c")
             for size, arguments, nesting, name, line in functions(path)]
    files = []
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            files.append((sum(1 for _ in stream), path))
    n_test_lines = sum(len(open(path, encoding="utf-8").readlines()) for path in tests)

    if "--limits" not in sys.argv:
        report(found, files, n_test_lines)
    defects = ["%s: %d lines, at most %d" % (f[3], f[0], HARD_LINES) for f in found if f[0] > HARD_LINES]
    defects += ["%s: %d arguments, at most %d" % (f[3], f[1], HARD_ARGUMENTS)
                for f in found if f[1] > HARD_ARGUMENTS and f[3].split()[0] not in CALLED_BY_OTHERS]
    defects += ["%s: %d lines, at most %d" % (path, size, HARD_FILE) for size, path in files
                if size > (HARD_MAIN if path == "src/app/main.c" else HARD_FILE)]
    defects += [defect for path in paths + tests for defect in wide_comments(path)]
    for defect in defects:
        print("too large: " + defect)
    sys.exit(1 if defects or not found else 0)


if __name__ == "__main__":
    main()
