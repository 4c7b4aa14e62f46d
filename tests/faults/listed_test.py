"""Each test, script and file that README.md names is there, and each row of the findings has both: listed_test.py TESTS."""
import os
import re
import sys


def gone(page, tests):
    """The files and cases that the page names and the folder lacks."""
    cases = set()
    for folder, _, files in os.walk(tests):
        for file in files:
            if file.endswith("_test.cpp"):
                with open(os.path.join(folder, file), encoding="utf-8") as source:
                    cases.update(re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"', source.read()))
    rows = [line for line in page.splitlines() if line.startswith(("| ", "Readers", "Files", "Other"))]
    files = {name for row in rows for name in re.findall(r"`(\w+/[\w/-]+\.(?:py|cpp|c|tape|text))`", row)}
    # In a table the tests stand last, or before what makes it again.
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    columns = [cell[3:4] if len(cell) == 5 else cell[3:] if len(cell) == 4 else [row] for row, cell in zip(rows, cells)]
    named = {name for column in columns for text in column for name in re.findall(r'"([^"]+)"', text)}
    empty = [f"a row without a test or what makes it again: {cell[1]}" for cell in cells if len(cell) in (4, 5) and not all(cell[3:])]
    return sorted(name for name in files if not os.path.exists(os.path.join(tests, name))) + sorted(named - cases) + empty, len(files) + len(named)


tests = sys.argv[1]
with open(os.path.join(tests, "faults", "README.md"), encoding="utf-8") as readme:
    text = readme.read()
lacking, count = gone(text, tests)
assert count > 60 and not lacking, (count, lacking)
planted, _ = gone(text.replace('"elementwise integers wrap"', '"elementwise integers stay"').replace("fuzz/store.cpp", "fuzz/stone.cpp")
                  .replace("| `fuzz/corpus/lambda.text` |", "| |"), tests)
assert len(planted) == 3 and planted[:2] == ["fuzz/stone.cpp", "elementwise integers stay"], planted
