"""Names of a recording from anywhere do no harm in a terminal or a table: foreign_names_test.py TAPESCOPE [PROGRAM]."""
import os
import subprocess
import sys
import tempfile

tapescope = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "assets"))
import tape_writer  # noqa: E402, it is no package

EVIL = "\x1b]0;owned\x07\x1b[2J\nNothing is wrong: all is well\r\u202egpj.exe\x9b31m"
FORMULA = "=HYPERLINK(\"http://example.com\",\"x\")"
LONG = "long" * 25_000


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


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.tape")
    commands = [["explain"], ["check"], ["report"], ["doctor"], ["export", "--format", "markdown", "-o", "-"], ["export", "--format", "csv", "-o", "-"]]
    for name in (EVIL, FORMULA, LONG):
        write(path, name)
        for command in commands:
            done = subprocess.run([tapescope, command[0], path, *command[1:]], capture_output=True, timeout=60, check=False)
            assert done.returncode in (0, 1), (command, done.stderr[-300:])
            said = (done.stdout + done.stderr).decode()
            wrong = [c for c in said if (ord(c) < 32 and c not in "\n\r") or 0x7f <= ord(c) < 0xa0 or 0x200e <= ord(c) <= 0x200f or 0x202a <= ord(c) <= 0x2069]
            assert not wrong, (command, wrong[:5], said[:300])
            assert "\nNothing is wrong: all is well" not in said, command
            # RFC 4180 ends lines so; nothing else does.
            assert "\r" not in said.replace("\r\n", ""), command
            assert not any(line.startswith("=") or ",=" in line for line in said.splitlines()) or "csv" not in command, (command, said[:300])
            if name == LONG:
                assert LONG[:5000] not in said and "…" in said and len(said) < 400_000, (command, len(said))
