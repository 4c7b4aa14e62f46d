"""Each test that README.md names is there: listed_test.py TESTS."""
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
    rows = [line for line in page.splitlines() if line.startswith(("| ", "Readers", "Files", "Other"))][1:]
    files = {name for row in rows for name in re.findall(r"`(\w+/[\w/]+\.(?:py|cpp))`", row)}
    named = {name for row in rows for name in re.findall(r'"([^"]+)"', row.rpartition("|")[2] or row.split("|")[-2])}
    return sorted(name for name in files if not os.path.exists(os.path.join(tests, name))) + sorted(named - cases), len(files) + len(named)


tests = sys.argv[1]
with open(os.path.join(tests, "faults", "README.md"), encoding="utf-8") as readme:
    text = readme.read()
lacking, count = gone(text, tests)
assert count > 30 and not lacking, (count, lacking)
planted, _ = gone(text.replace('"elementwise integers wrap"', '"elementwise integers stay"').replace("fuzz/store.cpp", "fuzz/stone.cpp"), tests)
assert planted == ["fuzz/stone.cpp", "elementwise integers stay"], planted
