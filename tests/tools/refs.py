#!/usr/bin/python3
"""Checks that every source cited in comments stands in docs/refs.bib.

A citation is "Jean 1999", "Jean 1999, eq. (34)", "Alart-Curnier 1991", "Hart and Anitescu 2003" or
"Renouf et al. 2005": the first name is an author of an entry of that year, further ones too.
"""

import glob
import re
import sys

BIB = "docs/refs.bib"
NAME = r"[A-Z][a-zà-ÿ]+(?:[A-Z][a-zà-ÿ]+)?"
CITATION = re.compile(r"\b(%s(?:(?:-|, | and | & )%s)*)(?: et al\.?)?,? \(?((?:18|19|20)\d\d)\b" % (NAME, NAME))
NO_AUTHORS = {"January", "February", "March", "April", "May", "June", "July", "August", "September",
              "October", "November", "December", "Debian", "Since", "In", "Year", "Ubuntu", "The"}


def entries():
    """[(set of surnames, year)] of the bibliography."""
    found = []
    with open(BIB, encoding="utf-8") as stream:
        for entry in re.split(r"^@", stream.read(), flags=re.M)[1:]:
            author = re.search(r"\b(?:author|editor)\s*=\s*\{(.*?)\}\s*,?\s*$", entry, re.M | re.S)
            year = re.search(r"\byear\s*=\s*\{?(\d{4})", entry)
            if not author or not year:
                sys.exit("%s: no author or year in @%s" % (BIB, entry.splitlines()[0]))
            names = [name.split(",")[0].strip() for name in re.split(r"\s+and\s+", author.group(1))]
            names = [re.sub(r"[{}\\'\"`^]", "", name).lower() for name in names]
            names = [part for name in names for part in name.split("-")]  # citations are split so
            names += [name.split()[-1] for name in names]  # "Saxce" for "De Saxce"
            found.append((set(names), year.group(1)))
    return found


def comments(path):
    """(line number, text) of the comments of a C file, of all lines of a Markdown file."""
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if path.endswith(".md"):
                yield number, line
            elif "//" in line:
                yield number, line[line.index("//"):]


def is_known(names, year, known):
    """"Gauss-Seidel, Jean" before 1999: words before a comma may belong to the sentence."""
    cited = names.split(", ")
    for first in range(len(cited)):
        joined = ", ".join(cited[first:]).lower()
        parts = re.split(r"-|, | and | & ", joined)
        if any(entry_year == year and (joined in authors or all(part in authors for part in parts))
               for authors, entry_year in known):
            return True
    return False


def main():
    known = entries()
    paths = glob.glob("src/*/*.[ch]") + glob.glob("tests/**/*.[ch]", recursive=True)
    paths += glob.glob("src/*/*.md") + glob.glob("docs/**/*.md", recursive=True)
    n_citations, defects = 0, []
    for path in sorted(paths):
        for number, text in comments(path):
            for names, year in CITATION.findall(text):
                if re.split(r"-|, | ", names)[0] in NO_AUTHORS:
                    continue
                n_citations += 1
                if not is_known(names, year, known):
                    defects.append("%s:%d: '%s %s' is not in %s" % (path, number, names, year, BIB))
    for defect in defects:
        print(defect)
    print("refs: %d citations, %d entries, %d defects" % (n_citations, len(known), len(defects)))
    sys.exit(1 if defects else 0)


main()
