"""Runs every command of the user guide as a person would: guide_test.py TAPESCOPE PROGRAM."""
import os
import re
import subprocess
import sys
import tempfile

tapescope, program = map(os.path.abspath, sys.argv[1:])
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
with open(os.path.join(root, "docs", "guide.md")) as file:
    guide = file.read()
commands = [line for block in re.findall(r"^```sh\n(.*?)^```", guide, re.S | re.M) for line in block.splitlines()]
assert len(commands) > 15, commands
# What the text says in passing exists as well.
options = set(re.findall(r"tapescope (\w+)", guide))
assert options >= {"run", "explain", "compare", "report", "check", "export", "gui"}, options

with tempfile.TemporaryDirectory() as folder:
    for name, target in (("tapescope", tapescope), ("my-program", program)):
        os.mkdir(os.path.join(folder, name + "-bin"))
        os.symlink(target, os.path.join(folder, name + "-bin", name))
    path = os.pathsep.join([os.path.join(folder, name + "-bin") for name in ("tapescope", "my-program")] + [os.environ["PATH"]])
    work = os.path.join(folder, "work")
    os.mkdir(work)
    for line in commands:
        command, _, remark = line.partition("  # ")
        expected = int(re.search(r"ends with (\d)", remark)[1]) if remark else 0
        done = subprocess.run(command, shell=True, cwd=work, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120)
        assert done.returncode == expected, (line, done)
        for out in re.findall(r"(?:-o|--json|--record) (\S+)", command):
            assert os.path.getsize(os.path.join(work, out)) > 0, line

    # An argument that is wrong is reported before anything runs.
    for argument, words in (("--record-values lasst", "expected none, or a list of first, last, every:N"), ("--record-budget -1", "--record-budget")):
        done = subprocess.run([tapescope, "run", "derivative", "--record", os.path.join(work, "x.tape"), *argument.split()], capture_output=True, text=True)
        assert done.returncode == 2 and words in done.stderr and done.stdout == "", done
        assert not os.path.exists(os.path.join(work, "x.tape"))
