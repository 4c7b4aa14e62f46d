"""Names of a recording from anywhere do no harm in a terminal or a table: foreign_names_test.py TAPESCOPE [PROGRAM]."""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

tapescope = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "assets"))
import tape_writer  # noqa: E402, it is no package

EVIL = "\x1b]0;owned\x07\x1b[2J\nNothing is wrong: all is well\r\u202egpj.exe\x9b31m"
FORMULA = "=HYPERLINK(\"http://example.com\",\"x\")"
LONG = "long" * 25_000
# What the formats themselves would obey.
MARKUP = "\"];}<b>&amp;'\\|`$(true)`%n{0}[x](javascript:1)\t--><!-- ]]>"


def write(path, name):
    with tape_writer.TapeWriter(path, name=name, variant=name) as tape:
        w = tape.variable(name, (3,), "float32")
        unused = tape.variable(name + "2", (3,), "float32")
        tape.step_begin(0)
        block = tape.tape_enter()
        read = tape.op("ReadVariableOp", [w], (3,), "float32", handle=True)
        loss = tape.op("Sum" if name == LONG else name, [read], (), "float32")
        tape.tape_exit(block)
        tape.gradient(block, [(loss, name)], [(w, name, None), (unused, name + "2", None)])
        tape.step_end(0)


def controls(said):
    """Characters that a terminal obeys, or that change the direction of writing."""
    return [c for c in said if (ord(c) < 32 and c not in "\n\r") or 0x7f <= ord(c) < 0xa0 or 0x200e <= ord(c) <= 0x200f or 0x202a <= ord(c) <= 0x2069]


def is_graph(said):
    """Statements of DOT, one a line, whose texts are quoted."""
    head, *lines, foot = said.strip().splitlines()
    text = r'"(?:[^"\\]|\\.)*"'
    attributes = rf"\[\w+=(?:\w+|{text})(?:, \w+=(?:\w+|{text}))*\]"
    statement = rf"  \w+(?: -> \w+)?(?: {attributes})?;"
    return re.fullmatch(r"digraph \w+ \{", head) and foot == "}" and all(re.fullmatch(statement, line) for line in lines)


def is_markdown(said):
    """Each row of a table has the cells of its head: bars in names are escaped."""
    cells = [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) if line.startswith("|") else 0 for line in said.splitlines()]
    return all(not a or not b or a == b for a, b in zip(cells, cells[1:])) and not re.search(r"(?<!\\)<(?!\w+@)", said)


def is_table(path):
    with sqlite3.connect(path) as tables:
        names = [name for name, in tables.execute("select name from sqlite_master where type = 'table'")]
        texts = [text for name in names for row in tables.execute(f'select * from "{name}"') for text in row if isinstance(text, str)]
        return names and not any(controls(text) or "\n" in text for text in texts)


# Each format is what its readers expect, whatever the names.
FORMATS = {
    "dot": lambda path, said: is_graph(said),
    "svg": lambda path, said: xml.etree.ElementTree.fromstring(said).tag.endswith("svg") and "<b>" not in said,
    "perfetto": lambda path, said: len(json.loads(said)["traceEvents"]) >= 3,
    "markdown": lambda path, said: is_markdown(said),
    "sqlite": lambda path, said: is_table(path),
}

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.tape")
    commands = [["explain"], ["check"], ["report"], ["doctor"], ["export", "--format", "markdown", "-o", "-"], ["export", "--format", "csv", "-o", "-"]]
    for name in (EVIL, FORMULA, LONG, MARKUP):
        write(path, name)
        for command in commands:
            done = subprocess.run([tapescope, command[0], path, *command[1:]], capture_output=True, timeout=60, check=False)
            assert done.returncode in (0, 1), (command, done.stderr[-300:])
            said = (done.stdout + done.stderr).decode()
            wrong = controls(said)
            assert not wrong, (command, wrong[:5], said[:300])
            assert "\nNothing is wrong: all is well" not in said, command
            # RFC 4180 ends lines so; nothing else does.
            assert "\r" not in said.replace("\r\n", ""), command
            assert not any(line.startswith("=") or ",=" in line for line in said.splitlines()) or "csv" not in command, (command, said[:300])
            if name == LONG:
                assert LONG[:5000] not in said and "…" in said and len(said) < 400_000, (command, len(said))
        out = os.path.join(folder, "out")
        for form, well_formed in FORMATS.items():
            subprocess.run([tapescope, "export", path, "--format", form, "-o", out], stdout=subprocess.DEVNULL, timeout=60, check=True)
            with open(out, "rb") as file:
                said = file.read().decode(errors="replace" if form == "sqlite" else "strict")
            assert well_formed(out, said), (form, said[:1000])
            assert form == "sqlite" or not controls(said), (form, controls(said))
            os.remove(out)
        for command in ("explain", "check", "report", "doctor"):
            done = subprocess.run([tapescope, command, path, *(["--json", "-"] if command != "doctor" else [])], capture_output=True, timeout=60, check=False)
            assert not controls(done.stdout.decode()), (command, controls(done.stdout.decode()))
            assert command == "doctor" or json.loads(done.stdout), (command, done)
        compared = subprocess.run([tapescope, "compare", path, path, "--json", "-"], capture_output=True, timeout=60, check=False)
        assert not controls(compared.stdout.decode()), (compared.returncode, compared.stdout[:300])
