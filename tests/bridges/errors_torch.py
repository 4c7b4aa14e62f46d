"""An error of autograd that ends a program, a thread, a recording's block or a cell: its cause stands before the traceback, which is python's own.

usage: errors_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
Most programs run in a child of this process, which has imported PyTorch; what a new process does is compared with that.
"""
import atexit
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import threading
import traceback
import unittest

FOLDER, TAPESCOPE = sys.argv[1:3]
sys.path.insert(0, FOLDER)

import torch._dynamo  # noqa: E402
import tapescope.__main__ as command  # noqa: E402
import tapescope.torch  # noqa: E402

for each in pkgutil.iter_modules(tapescope.torch.__path__):
    importlib.import_module(f"tapescope.torch.{each.name}")

ENVIRONMENT = {**os.environ, "PYTHONPATH": FOLDER, "TAPESCOPE": TAPESCOPE, "TAPESCOPE_LISTEN": "0", "PYTHON": sys.executable}
ENVIRONMENT.pop("DISPLAY", None)
ENVIRONMENT.pop("WAYLAND_DISPLAY", None)

START = "import torch\nw = torch.nn.Parameter(torch.ones(3))\n"
FUNCTION = ("class Op(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, y):\n        return x * 2\n    @staticmethod\n"
            "    def backward(ctx, g):\n        {}\n")
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
RARER = {  # what users meet besides
    "loss = torch.fft.rfft(w).mean()\nloss.backward()\n": (3, "abs()"),
    "h = (w * torch.ones(2, 3)).sum(1)\nh.backward(torch.ones(3))\n": (4, "torch.ones_like(h)"),
    "h = torch.tanh(w * torch.ones(2, 3))\nh.register_hook(lambda g: g.mean(0))\nh.sum().backward()\n": (4, "same shape"),
    FUNCTION.format("return g") + "(Op.apply(w, w)).sum().backward()\n": (10, "expected 2, got 1"),
    FUNCTION.format("return g[:1], None") + "(Op.apply(w * 2, w)).sum().backward()\n": (10, "got [1] but expected"),
    "h = torch.tanh(w)\nh.data = torch.zeros(4)\nh.sum().backward()\n": (4, "assignment to .data"),
    "torch.mul(w, 2.0, out=torch.empty(3))\n": (3, "without out="),
    "h = w * 2\nh.numpy()\n": (4, "detach().numpy()"),
    "h = w * 2\nh.requires_grad = False\n": (4, "h.detach()"),
    "import copy\nclass Box: pass\nbox = Box()\nbox.last = w * 2\ncopy.deepcopy(box)\n": (6, "deepcopy() cannot copy"),
    "with torch.no_grad():\n    h = w * 2\nh.retain_grad()\n": (4, "no_grad"),
    "w.requires_grad = False\nh = w * 2\nh.register_hook(print)\n": (3, "was frozen"),
    "with torch.inference_mode():\n    mean = torch.zeros(3)\nmean.add_(1.0)\n": (4, "inference_mode"),
    "with torch.inference_mode():\n    v = torch.nn.Parameter(torch.ones(3))\n(w * v).sum().backward()\n": (4, "inference_mode()"),
    "v = torch.ones(3, 3, requires_grad=True)\nv[0] = 2.0\n": (4, "write into a clone()"),
    "h = w.expand(2, 3)\nh[0] = 0.0\n": (4, "through a view"),
    "x = torch.zeros(3)\nwith torch.no_grad():\n    part = x[:]\npart.add_(w)\n": (6, "made under no_grad"),
    "g, = torch.autograd.grad((w * 2).sum(), w, create_graph=True)\ng.sum().backward()\n": (4, "does not depend on w"),
    FUNCTION.replace("def backward", "@torch.autograd.function.once_differentiable\n    def backward").format("return g * 2, None") +
    "g, = torch.autograd.grad(Op.apply(w, w).sum(), w, create_graph=True)\ng.sum().backward()\n": (11, "@once_differentiable"),
    "import torch.nn.functional as F\nq = torch.rand(1, 2, 4, 8, requires_grad=True)\ng, = torch.autograd.grad(F.scaled_dot_product_attention(q, q, q).sum(), q, create_graph=True)\n"
    "g.square().sum().backward()\n": (5, "SDPBackend.MATH"),
    "from torch.utils.checkpoint import checkpoint\nx = torch.ones(3, requires_grad=True)\nh = checkpoint(lambda v: v * w, x, use_reentrant=True)\ntorch.autograd.grad(h.sum(), x)\n":
        (5, "use_reentrant=False"),
    "torch.func.grad(lambda v: v * v)(w)\n": (3, ".mean() or .sum()"),
    "x = w.exp()\nfor k in range(2):\n    loss = (x - k).sum()\n    loss.backward()\n": (5, "computed once"),
    "leaf = torch.ones(3, requires_grad=True)\ninner = (leaf * w).exp()\nh = w * 2\n"
    "def hook(g):\n    for _ in range(2):\n        torch.autograd.grad(inner, leaf, g)\nh.register_hook(hook)\nh.sum().backward()\n": (8, "asked inside of a hook"),
    "loss = sum((w * k).sum().item() for k in range(3))\nloss.backward()\n": (3, "item()"),
    "torch.nn.Parameter(torch.arange(3))\n": (3, "integer type"),
    "torch.autograd.grad(w.sum(), [])\n": (0, "no tensors were given"),
    "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layers = [torch.nn.Linear(2, 2)]\n"
    "torch.optim.Adam(Net().parameters())\n": (0, "nn.ModuleList"),
}
SILENT = {
    "caught": "try:\n    w.detach().sum().backward()\nexcept RuntimeError:\n    print('caught')\n",
    "caught, and another follows": "try:\n    w.detach().sum().backward()\nexcept RuntimeError:\n    pass\nraise ValueError('another')\n",
    "replaced": "try:\n    w.detach().sum().backward()\nexcept RuntimeError:\n    raise ValueError('another') from None\n",
    "not autograd's": "w @ torch.ones(4)\n",
    "ends by itself": "import sys\nsys.exit(3)\n",
}
THREADS = {  # the same, in a thread
    "class Worker(threading.Thread):\n    def run(self):\n        h = torch.tanh(w).detach()\n        h.sum().backward()\nworker = Worker()\n": (6, "detach() at program.py:6"),
    "def work():\n    h = w.exp()\n    h += 1\n    h.sum().backward()\nworker = threading.Thread(target=work)\n": (6, "changes in place what exp keeps"),
    "h = w.exp()\ndef work():\n    h.sum().backward()\n    h.sum().backward()\nworker = threading.Thread(target=work)\n": (7, "retain_graph=True"),
}
RUN = "import threading\n{}worker.start()\nworker.join()\nprint('ended')\n"
BLOCK = "import tapescope\nwith tapescope.record() as recording:\n    h = torch.tanh(w).detach()\n    h.sum().backward()\n"


class Errors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program, self.tape = (os.path.join(folder.name, name) for name in ("program.py", "run.tape"))

    def run_it(self, text, *words):
        """In a new process."""
        self.write(text)
        done = subprocess.run([*words, self.program], capture_output=True, text=True, env=ENVIRONMENT, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def write(self, text):
        with open(self.program, "w") as file:
            file.write(START + text)

    def fork_it(self, run):
        """(exit code, output, errors) of run() in a child that ends as python does."""
        names = [os.path.join(os.path.dirname(self.program), name) for name in ("out", "errors")]
        child = os.fork()
        if child == 0:
            code = 120
            atexit._clear()  # what this process removes when it ends
            try:
                for descriptor, name in enumerate(names, 1):
                    os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), descriptor)
                sys.stdout, sys.stderr = (open(descriptor, "w", buffering=1, closefd=False) for descriptor in (1, 2))
                os.environ.clear()
                os.environ.update(ENVIRONMENT)
                try:
                    code = run()
                except SystemExit as end:
                    code = end.code or 0
                threading._shutdown()
                atexit._run_exitfuncs()
                sys.stdout.flush()
            except BaseException:
                traceback.print_exc()
                code = 120
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        found = []
        for name in names:
            with open(name) as file:
                found.append(file.read())
        return code, *found

    def bare(self, text):
        def run():
            sys.argv = [self.program]
            code = compile(START + text, self.program, "exec")
            try:
                exec(code, {"__name__": "__main__"})
            except SystemExit:
                raise
            except BaseException as error:
                error.__traceback__ = error.__traceback__.tb_next  # without this frame
                sys.excepthook(type(error), error, error.__traceback__)
                return 1
            return 0
        self.write(text)
        return self.fork_it(run)

    def recorded(self, text, *options):
        def run():
            sys.argv = ["tapescope", "--record", self.tape, *options, self.program]
            return command.main()
        self.write(text)
        return self.fork_it(run)

    def check(self, found, line, words, code=1, begins="Traceback (most recent call last):"):
        self.assertEqual(found[0], code, found)
        before, mark, trace = found[2].partition("own w" if "own " in found[2] else begins)
        self.assertTrue(mark, found[2])
        self.assertNotIn(FOLDER, trace)
        self.assertRegex(before, r"^tapescope: why .* raises \w+Error:\n")
        self.assertEqual(before.count("tapescope: why"), 1)
        self.assertIn(f"  program.py:{line}: " if line else "program.py:", before)
        self.assertIn(words, before)
        self.assertIn("fix: ", before)

    def test_the_cause_stands_before_the_traceback(self):
        for text, (line, words) in ERRORS.items():
            with self.subTest(text):
                self.check(self.recorded(text, "--why"), line, words)

    def test_so_does_that_of_errors_that_are_rarer(self):
        for text, (line, words) in RARER.items():
            with self.subTest(text):
                self.check(self.recorded(text, "--why"), line, words)

    def test_anomaly_mode_ends_a_program_at_the_value_that_is_named(self):
        _, said, _ = self.run_it("with torch.autograd.detect_anomaly():\n    h = torch.sqrt(w * 0)\n    (h * 0).sum().backward()\n", TAPESCOPE, "explain", "--")
        self.assertIn("backward of sqrt (SqrtBackward0) at program.py:4", said)

    def test_a_scaler_that_finds_no_gradient_is_answered_by_the_line_where_the_way_ends(self):
        text = ("optimizer, scaler = torch.optim.SGD([w], lr=0.1), torch.amp.GradScaler('cpu')\nloss = (w * 2).detach().requires_grad_().sum()\n"
                "scaler.scale(loss).backward()\nscaler.step(optimizer)\n")
        _, said, _ = self.run_it(text, TAPESCOPE, "explain", "--")
        self.assertRegex(said, "(?s)w.*detach\\(\\) at program.py:4")

    def test_the_traceback_is_pythons(self):
        for text in [*list(ERRORS)[:1], *list(ERRORS)[-3:-1], *list(RARER)[-4:]]:
            with self.subTest(text):
                found, bare = self.recorded(text, "--why"), self.bare(text)
                self.assertEqual(found[:2], bare[:2])
                self.assertTrue(found[2].endswith("\n\n" + bare[2]), found[2])

    def test_a_new_process_does_the_same(self):
        text = next(iter(ERRORS))
        self.assertEqual(self.run_it(text, sys.executable, "-B", "-m", "tapescope", "--record", self.tape, "--why"), self.recorded(text, "--why"))
        self.assertEqual(self.run_it(text, sys.executable, "-B"), self.bare(text))

    def test_the_cause_of_an_error_in_a_thread_stands_before_its_traceback(self):
        for text, (line, words) in THREADS.items():
            with self.subTest(text):
                bare, found = self.bare(RUN.format(text)), self.recorded(RUN.format(text), "--why")
                self.check(found, line, words, 0, "Exception in thread")
                self.assertEqual(found[:2], bare[:2])
                self.assertTrue(found[2].endswith("\n\n" + bare[2]), (found[2], bare[2]))

    def test_nothing_stands_before_other_errors_and_nothing_is_said_of_caught_ones(self):
        for name, text in SILENT.items():
            with self.subTest(name):
                self.assertEqual(self.recorded(text, "--why"), self.bare(text))

    def test_explain_and_check_explain_it_where_it_is_raised(self):
        text, (line, words) = next(iter(ERRORS.items()))
        trace = self.bare(text)[2]
        for asked in ("explain", "check"):
            with self.subTest(asked):
                _, said, found = self.run_it(text, TAPESCOPE, asked, "--")
                self.assertTrue(found.endswith("\n\n" + trace), found)
                self.assertIn(words, found[:-len(trace)])
                self.assertIn(words, said)

    def test_a_read_of_an_earlier_gradient_leaves_the_answer_of_an_error_that_nothing_caught(self):
        failing = "def fail():\n    h = w.exp()\n    h += 1\n    h.sum().backward()\n"
        reading = "(w * 2).sum().backward()\n" + failing + "{}\nprint(w.grad)\n"
        thread = "import threading\nthread = threading.Thread(target=fail)\nthread.start()\nthread.join()"
        caught = "try:\n    fail()\nexcept RuntimeError:\n    pass"
        for text, kept in ((thread, True), (caught, False), (thread + "\n(w * 3).sum().backward()", False)):
            with self.subTest(text):
                self.recorded(reading.format(text), "--why")
                said = subprocess.run([TAPESCOPE, "explain", self.tape, "--json", "-"], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
                row = next(row for row in json.loads(said.stdout)["gradients"] if row["source"] == "w")
                self.assertEqual((row["status"], row["reason"]), ("none", "inplace_modified") if kept else ("value", None))

    def test_an_error_that_leaves_the_block_of_a_recording_is_explained_when_nothing_catches_it(self):
        code, _, found = self.bare(BLOCK)
        self.assertEqual(code, 1)
        explained, trace = found.split("Traceback (most recent call last):")
        self.assertIn("detach() at program.py:5", explained)
        self.assertNotIn(FOLDER, trace)
        caught = "".join(f"    {line}\n" for line in BLOCK.splitlines())
        code, said, found = self.bare(f"import sys, threading\nshown = sys.excepthook, threading.excepthook\ntry:\n{caught}except RuntimeError:\n    pass\n"
                                        "with tapescope.record():\n    pass\nprint(shown == (sys.excepthook, threading.excepthook))\n")
        self.assertEqual((code, said, found), (0, "True\n", ""))

    def test_a_recording_says_by_which_error_its_program_ended(self):
        self.bare(f"import tapescope\ntapescope.record({self.tape!r})\nraise ValueError('bad data')\n")
        done = subprocess.run([TAPESCOPE, "explain", self.tape], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        self.assertIn("ValueError: bad data", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
