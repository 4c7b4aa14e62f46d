"""An error of autograd that ends a program, a recording's block or a cell: its cause stands before the traceback, which is python's own.

usage: errors_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
"""
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER, TAPESCOPE = sys.argv[1:3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": FOLDER, "TAPESCOPE": TAPESCOPE, "TAPESCOPE_LISTEN": "0", "PYTHON": sys.executable}
ENVIRONMENT.pop("DISPLAY", None)
ENVIRONMENT.pop("WAYLAND_DISPLAY", None)

START = "import torch\nw = torch.nn.Parameter(torch.ones(3))\n"
ERRORS = {  # program -> (line of the cause, words of the explanation)
    "h = torch.tanh(w).detach()\nloss = h.sum()\nloss.backward()\n": (3, "detach() at program.py:3"),
    "with torch.no_grad():\n    h = torch.tanh(w)\nh.sum().backward()\n": (4, "gradients switched off"),
    "loss = w.exp().sum()\nloss.backward()\nloss.backward()\n": (4, "retain_graph=True"),
    "h = w.exp()\nh += 1\nh.sum().backward()\n": (4, "changes in place what exp keeps"),
    "w += 1\n": (3, "a leaf that requires a gradient"),
    "h = w * 2\nh.backward()\n": (3, ".mean() or .sum()"),
    "v = torch.ones(2, requires_grad=True)\ntorch.autograd.grad(w.sum(), v)\n": (3, "never used by any op"),
    "v = torch.nn.Parameter(torch.ones(2))\nloss = w.sum()\ntorch.autograd.grad(loss, v)\n": (3, "made at program.py:3, is never used by any op"),
    "h = torch.tanh(w).detach()\ntry:\n    h.sum().backward()\nexcept RuntimeError as error:\n    raise ValueError('stopped') from error\n": (3, "detach()"),
    "h = torch.tanh(w).detach()\ntry:\n    h.sum().backward()\nexcept RuntimeError:\n    raise ValueError('stopped')\n": (3, "detach()"),
    "import sys\nh = torch.tanh(w).detach()\nsys.excepthook = lambda *given: print('own words', file=sys.stderr)\nh.sum().backward()\n": (4, "detach()"),
}
SILENT = {
    "caught": "try:\n    w.detach().sum().backward()\nexcept RuntimeError:\n    print('caught')\n",
    "caught, and another follows": "try:\n    w.detach().sum().backward()\nexcept RuntimeError:\n    pass\nraise ValueError('another')\n",
    "replaced": "try:\n    w.detach().sum().backward()\nexcept RuntimeError:\n    raise ValueError('another') from None\n",
    "not autograd's": "w @ torch.ones(4)\n",
    "ends by itself": "import sys\nsys.exit(3)\n",
}
BLOCK = "import tapescope\nwith tapescope.record() as recording:\n    h = torch.tanh(w).detach()\n    h.sum().backward()\n"


class Errors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program, self.tape = (os.path.join(folder.name, name) for name in ("program.py", "run.tape"))

    def run_it(self, text, *words):
        with open(self.program, "w") as file:
            file.write(START + text)
        done = subprocess.run([*words, self.program], capture_output=True, text=True, env=ENVIRONMENT, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def bare(self, text):
        return self.run_it(text, sys.executable, "-B")

    def recorded(self, text, *options):
        return self.run_it(text, sys.executable, "-B", "-m", "tapescope", "--record", self.tape, *options)

    def check(self, found, line, words):
        self.assertEqual(found[0], 1)
        before, mark, trace = found[2].partition("own w" if "own " in found[2] else "Traceback (most recent call last):")
        self.assertTrue(mark, found[2])
        self.assertNotIn(FOLDER, trace)
        self.assertRegex(before, r"^tapescope: why .* raises RuntimeError:\n")
        self.assertEqual(before.count("tapescope: why"), 1)
        self.assertIn(f"  program.py:{line}: ", before)
        self.assertIn(words, before)
        self.assertIn("fix: ", before)

    def test_the_cause_stands_before_the_traceback(self):
        for text, (line, words) in ERRORS.items():
            with self.subTest(text):
                self.check(self.recorded(text, "--why"), line, words)

    def test_the_traceback_is_pythons(self):
        for text in [*list(ERRORS)[:1], *list(ERRORS)[-3:-1]]:
            with self.subTest(text):
                found, bare = self.recorded(text, "--why"), self.bare(text)
                self.assertEqual(found[:2], bare[:2])
                self.assertTrue(found[2].endswith("\n\n" + bare[2]), found[2])

    def test_nothing_stands_before_other_errors_and_nothing_is_said_of_caught_ones(self):
        for name, text in SILENT.items():
            with self.subTest(name):
                self.assertEqual(self.recorded(text, "--why"), self.bare(text))

    def test_explain_and_check_explain_it_where_it_is_raised(self):
        text, (line, words) = next(iter(ERRORS.items()))
        trace = self.bare(text)[2]
        for command in ("explain", "check"):
            with self.subTest(command):
                _, said, found = self.run_it(text, TAPESCOPE, command, "--")
                self.assertTrue(found.endswith("\n\n" + trace), found)
                self.assertIn(words, found[:-len(trace)])
                self.assertIn(words, said)

    def test_an_error_that_leaves_the_block_of_a_recording_is_explained_when_nothing_catches_it(self):
        code, _, found = self.run_it(BLOCK, sys.executable, "-B")
        self.assertEqual(code, 1)
        explained, trace = found.split("Traceback (most recent call last):")
        self.assertIn("detach() at program.py:5", explained)
        self.assertNotIn(FOLDER, trace)
        caught = "".join(f"    {line}\n" for line in BLOCK.splitlines())
        code, said, found = self.run_it(f"import sys, threading\nshown = sys.excepthook, threading.excepthook\ntry:\n{caught}except RuntimeError:\n    pass\n"
                                        "with tapescope.record():\n    pass\nprint(shown == (sys.excepthook, threading.excepthook))\n", sys.executable, "-B")
        self.assertEqual((code, said, found), (0, "True\n", ""))

    def test_a_recording_says_by_which_error_its_program_ended(self):
        self.run_it(f"import tapescope\ntapescope.record({self.tape!r})\nraise ValueError('bad data')\n", sys.executable, "-B")
        done = subprocess.run([TAPESCOPE, "explain", self.tape], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        self.assertIn("ValueError: bad data", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
