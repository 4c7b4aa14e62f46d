"""The build of PyTorch's observer: without a compiler, one that fails, one that is killed, and one that others made.

usage: observer_build_test.py PACKAGE_FOLDER   (with a Python that has PyTorch)
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = os.path.abspath(sys.argv[1])
PROGRAM = "import torch\nw = torch.nn.Parameter(torch.ones(3))\nw.exp().sum().backward()\nprint(w.grad.tolist())\n"
BARE = f"{[2.7182817459106445] * 3}\n"
# A compiler that writes its output and stands until it is let go.
SLOW = """#!/bin/sh
for word; do
  if [ "$before" = -o ]; then echo started > "$word"; fi
  before=$word
done
while [ ! -e {go} ]; do sleep 0.05; done
exit 1
"""

# A build that ends once a window has had two reports of how long it takes.
REPORTED = """
import pathlib, subprocess, sys
from tapescope.torch import build

go, said = pathlib.Path(sys.argv[1]), []


class Window:
    @staticmethod
    def attended():
        return True

    @staticmethod
    def message(text, severity):
        said.append(text)
        if len(said) == 3:
            go.touch()


build.module, build._REPORT_EACH = Window, 0.05
with build._Progress("it is built") as progress:
    progress.wait(subprocess.Popen(["sh", "-c", f"while [ ! -e {go} ]; do sleep 0.05; done"], stdout=subprocess.PIPE))
print([text.split(";")[0] for text in said[:3]], all("so far" in text for text in said[1:]))
"""


def environment(cache, **more):
    return {**os.environ, "PYTHONPATH": FOLDER, "TAPESCOPE_CACHE": str(cache), "TAPESCOPE_LISTEN": "0", **more}


def run(program, cache, *options, **more):
    return subprocess.run([sys.executable, "-B", "-m", "tapescope", "--record", os.devnull, *options, str(program)], env=environment(cache, **more),
                          capture_output=True, text=True, timeout=900, check=False)


def started(cache):
    """The folders of builds under way that a compiler has written into."""
    return sorted(path.parent for path in cache.glob("observer-*/tmp*/tapescope_observer.so"))


def until(ready, seconds=300):
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise AssertionError("it did not happen")
        time.sleep(0.05)


class Build(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.cache = self.folder / "cache"
        self.cache.mkdir()
        self.program = self.folder / "net.py"
        self.program.write_text(PROGRAM, encoding="utf-8")

    def compiler(self, text):
        path = self.folder / "c++"
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def building(self, compiler):
        process = subprocess.Popen([sys.executable, "-B", "-m", "tapescope", "--record", os.devnull, str(self.program)],
                                   env=environment(self.cache, CXX=compiler), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.communicate()))
        return process

    def test_without_a_compiler_one_sentence_is_said_and_the_program_runs(self):
        found = run(self.program, self.cache, PATH=str(self.cache))
        self.assertEqual((found.returncode, found.stdout), (0, BARE))
        self.assertEqual(found.stderr.count("tapescope:"), 1, found.stderr)
        self.assertIn("no C++ compiler", found.stderr)

    def test_a_build_that_failed_is_not_tried_again_by_the_same_process(self):
        calls = self.folder / "calls"
        program = self.folder / "twice.py"
        program.write_text("import os, torch, tapescope\nfor _ in range(2):\n    with tapescope.record(os.devnull, why=False):\n        torch.ones(2)\n")
        found = subprocess.run([sys.executable, "-B", str(program)], env=environment(self.cache, CXX=self.compiler(f"#!/bin/sh\necho once >> {calls}\nexit 1\n")),
                               capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((found.returncode, calls.read_text(encoding="utf-8")), (0, "once\n"), found.stderr)
        self.assertEqual(list(self.cache.glob("observer-*/tmp*")), [])

    def test_a_window_that_is_attached_hears_for_how_long_it_is_built(self):
        found = subprocess.run([sys.executable, "-B", "-c", REPORTED, str(self.folder / "go")], env=environment(self.cache),
                               capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(found.stdout, f"{['it is built'] * 3} True\n", found.stderr)

    def test_what_a_killed_build_left_is_removed_and_a_build_under_way_is_not(self):
        go = self.folder / "go"
        slow = self.compiler(SLOW.format(go=go))
        killed, alive = self.building(slow), self.building(slow)
        until(lambda: len(started(self.cache)) == 2)
        folders = started(self.cache)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        self.assertEqual(started(self.cache), folders)
        for folder in folders:  # as long ago as a build may last: what is held stays however old it is
            os.utime(folder, (time.time() - 3600,) * 2)
        other = self.folder / "failing"
        other.write_text("#!/bin/sh\nexit 1\n")
        other.chmod(0o755)
        self.assertEqual(run(self.program, self.cache, CXX=str(other)).stdout, BARE)
        self.assertEqual(len(started(self.cache)), 1)
        go.write_text("")
        self.assertEqual(alive.communicate(timeout=300)[0], BARE)
        self.assertEqual(list(self.cache.glob("observer-*/tmp*")), [])

    def test_what_was_built_once_is_used_again(self):
        cache = os.environ.get("TAPESCOPE_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tapescope")
        run(self.program, cache)  # where no other test built it
        found = run(self.program, cache)
        self.assertEqual(found.stdout, BARE)
        self.assertNotIn("building", found.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
