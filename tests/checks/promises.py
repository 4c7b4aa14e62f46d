"""Fails where the page of the window's promises names a test that is not there: promises.py ROOT | --self-test."""
import pathlib
import re
import sys

PAGE = "tests/gui/README.md"
FOLDERS = ("gui", "viewer")
PROMISES = 40
NAMED = re.compile(r'`(\w+\.(?:cpp|py))`((?:,? "[^"]+")+)')


def tests_of(root):
    """Names of test cases, or of functions, by the name of their file."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((root / "tests" / folder).rglob("*_test.*")):
            text = path.read_text(encoding="utf-8")
            found.setdefault(path.name, set()).update(re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"', text) if path.suffix == ".cpp"
                                                      else re.findall(r"^def (\w+)\(", text, re.MULTILINE))
    return found


def faults(page, tests):
    rows = [line for line in page.splitlines() if re.match(r"\| \d+ \|", line)]
    said = []
    numbers = [int(row.split("|")[1]) for row in rows]
    if numbers != list(range(1, PROMISES + 1)):
        said.append(f"{PAGE}: its promises are not numbered from 1 to {PROMISES}")
    for number, row in zip(numbers, rows):
        named = [(file, case) for file, cases in NAMED.findall(row) for case in re.findall(r'"([^"]+)"', cases)]
        if not named:
            said.append(f"{PAGE}: promise {number} names no test")
        said += [f"{PAGE}: promise {number} names {file} \"{case}\", which is not there" for file, case in named
                 if case.replace("_", " ") not in {name.replace("_", " ") for name in tests.get(file, ())}]
    return said


def self_test():
    tests = {"a_test.cpp": {"it holds, always"}, "b_test.py": {"it_moves"}}
    rows = [f'| {n} | a promise | `a_test.cpp` "it holds, always"; `b_test.py` "it moves" |' for n in range(1, PROMISES + 1)]
    assert faults("\n".join(rows), tests) == []
    assert faults("\n".join(rows[:-1]), tests) == [f"{PAGE}: its promises are not numbered from 1 to {PROMISES}"]
    wrong = rows[:]
    wrong[4] = wrong[4].replace("always", "at times")
    wrong[6] = "| 7 | a promise | a picture |"
    assert faults("\n".join(wrong), tests) == [f'{PAGE}: promise 5 names a_test.cpp "it holds, at times", which is not there',
                                               f"{PAGE}: promise 7 names no test"]


if sys.argv[1] == "--self-test":
    self_test()
    sys.exit()
root = pathlib.Path(sys.argv[1])
wrong = faults((root / PAGE).read_text(encoding="utf-8"), tests_of(root))
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
