"""Fails where a file breaks a rule of the house that a script can see: style.py ROOT | --self-test."""
import re
import sys

import tree

ROOMS = ("engine/", "bridges/", "viewer/", "samples/", "tests/", "cmake/")
CODE = (".h", ".cpp", ".inl", ".py", ".sh", ".cmake", "CMakeLists.txt")
HEADERS = (".h", ".inl")
WIDE = (".h", ".cpp", ".inl")  # what clang-format formats
LONGEST = 600  # lines; past that a file no longer reads from top to bottom
WIDEST = 110  # columns, as .clang-format has it
# Every op passes through these rooms: a std::function there may allocate and is called through two pointers.
HOT = ("engine/core/", "engine/ops/", "engine/tape/")
# Said in a comment on the line or the line above, it allows one for what users hand in once, such as a custom gradient.
EXCUSE = "per-op path"

# Folders that exist on the machine of an author and nowhere else. As part of a longer path or of an address
# the same words are harmless.
MACHINE_PATH = re.compile(r"(?:(?<![\w.})\]*-])|(?<=-[IL]))/(?:work|root|home/\w+|Users/\w+)/")

# Words that say less than report, record, notify, return, own, separate or a plain passive do. In programs that are data, and
# in their approved answers, people write as they like.
VAGUE = re.compile(r"\b(tol[d]|tel[l]s?|nobod[y]|somebod[y]|whoeve[r]|of (?:its|their) ow[n])\b", re.IGNORECASE)
WORDED = (".h", ".cpp", ".inl", ".py", ".sh", ".cmake", ".md", "CMakeLists.txt")
SPOKEN = ("tests/programs/", "tests/bridges/programs/", "tests/goldens/", "tests/data/", "CHANGELOG.md")


def has_top_comment(name, lines):
    # An interpreter's line or the include guard may come first.
    start = [line for line in lines[:3] if line.strip() and not line.startswith(("#!", "#pragma once"))][:1]
    return bool(start) and start[0].startswith(("//", "/*") if name.endswith((".h", ".cpp", ".inl")) else ("#", '"""'))


# The name of a test case, which may be several literals. The sanitized tests are one binary, where two of a name end all.
CASE = re.compile(r'\bTEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')


def cases_of(content):
    """(line, name) of each test case."""
    for found in CASE.finditer(content):
        name = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[1]))
        yield content.count("\n", 0, found.start()) + 1, name


def check(root):
    complaints, cases = [], {}
    for name in tree.files(root):
        content = tree.text(root, name)
        if content is None:
            continue
        lines = content.splitlines()
        for number, case in cases_of(content) if name.startswith("tests/") and name.endswith(".cpp") else ():
            first = cases.setdefault(case, f"{name}:{number}")
            if first != f"{name}:{number}":
                complaints.append(f"{name}:{number}: a test case of the name of that at {first}; sanitized they are in one binary")
        if name.startswith(ROOMS) and name.endswith(CODE):
            if len(lines) > LONGEST:
                complaints.append(f"{name}: has {len(lines)} lines; split it, {LONGEST} is the most")
            if not has_top_comment(name, lines):
                complaints.append(f"{name}:1: does not begin with a comment that says what the file is for")
        for number, line in enumerate(lines, 1):
            place = f"{name}:{number}"
            if name.startswith(ROOMS) and name.endswith(WIDE) and len(line) > WIDEST:
                complaints.append(f"{place}: has {len(line)} columns, {WIDEST} is the most; run clang-format")
            vague = VAGUE.search(line) if name.endswith(WORDED) and not name.startswith(SPOKEN) else None
            if vague:
                complaints.append(f"{place}: says '{vague[0]}'; report, record, return, own, separate or a passive says it plainly")
            if MACHINE_PATH.search(line):
                complaints.append(f"{place}: names a path of one machine: {line.strip()}")
            if not name.endswith(HEADERS) or not name.startswith(ROOMS):
                continue
            if re.match(r"\s*#\s*include\s*<iostream>", line):
                complaints.append(f"{place}: <iostream> in a header; include <iosfwd>, or <ostream> in the source file")
            above = lines[number - 2] if number > 1 else ""
            if (name.startswith(HOT) and re.search(r"\bstd::(move_only_)?function\s*<", line.split("//")[0])
                    and EXCUSE not in line and EXCUSE not in above):
                complaints.append(f"{place}: std::function in a header of the per-op path; use a template or a plain "
                                  f"pointer, or say in a comment why it is not on the {EXCUSE}")
    return complaints


# Written so that this file itself names none.
PLACE, HOME = "/" + "work/", "/" + "home/ada/"
TELLING, OWNING = "tel" + "ls", "of its " + "own"
PASSING = {
    "engine/core/shape.h": "// Shapes.\n#pragma once\n#include <vector>\nusing F = int;  // no std::function<void()>\n",
    "engine/core/names.h": "#pragma once\n// Names.\n",
    "engine/tape/custom.h": "// Custom gradients.\n// Called once, not on the per-op path.\nstd::function<void()> f;\n",
    "engine/graph/pass.h": "// Passes.\nstd::function<void()> f;\n",
    "engine/ops/op.cpp": "// Ops.\n#include <iostream>\nstd::function<void()> f;\n",
    "tests/long.cpp": "// As long as may be.\n" + "\n" * (LONGEST - 1),
    "tests/b.cpp": '// B.\nTEST_CASE("a") {}\nTEST_CASE("b") {}\n',
    "run": "#!/bin/sh\n", "tests/a.sh": "#!/bin/sh\n# A.\n", "tests/a.py": '"""A."""\n',
    "tests/programs/none/a.cpp": f"// {TELLING} {OWNING}.\n", "engine/words.cpp": "// Foretells a storyteller.\n",
    "README.md": "https://example.org/work/a and graph" + PLACE + "b and ../root/c\n" + "\n" * LONGEST,
}
FAILING = [
    ("tests/long.cpp", "// Too long.\n" + "\n" * LONGEST, "601 lines"),
    ("engine/core/wide.cpp", "// Wide.\n// " + "x" * (WIDEST - 2) + "\n", f"has {WIDEST + 1} columns"),
    ("engine/core/shape.h", "#pragma once\nint a;\n", "does not begin with a comment"),
    ("viewer/app/main.cpp", "", "does not begin with a comment"),
    ("tests/a.py", "import sys\n", "does not begin with a comment"),
    ("engine/core/pool.h", "// Pool.\nstd::function<void()> f;\n", "std::function"),
    ("engine/ops/op.h", "// Op.\n#include <functional>\nusing F = std::function <void()>;  // why\n", "std::function"),
    ("engine/tape/tape.h", "// Tape.\nstd::function<void()> f;\n", "std::function"),
    ("viewer/store/a.h", "// A.\n# include <iostream>\n", "<iostream>"),
    ("README.md", f"see {PLACE}main\n", "one machine"),
    ("docs/a.md", f"It {TELLING} why.\n", f"says '{TELLING}'"),
    ("engine/a.h", f"// A thread {OWNING}.\n", f"says '{OWNING}'"),
    ("tests/a.py", f'"""Who{"ever"} asks."""\n', "says 'Who" "ever'"),
    ("engine/a.cpp", f'// A.\nauto p = "{HOME}x";\n', "one machine"),
    ("tests/a.cpp", '// A.\nTEST_CASE("a" "b") {}\nTEST_CASE(\n    "ab") {}\n', "of the name of that at tests/a.cpp:2"),
    ("cmake/a.cmake", f"# A.\nset(flags -I{PLACE}include)\n", "one machine"),
]

if __name__ == "__main__":
    sys.exit(tree.main(check, PASSING, FAILING))
