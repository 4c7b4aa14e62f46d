"""A PyTorch program, unchanged and watched by the observer, is stopped, stepped and let go by a viewer.

usage: live_torch.py TAPESCOPE PACKAGE_FOLDER   (with a Python that has PyTorch)
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

TAPESCOPE, FOLDER = sys.argv[1:3]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import viewer  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)  # programs that begin in the background would ignore it
PROGRAM = textwrap.dedent('''\
    import torch
    from torch import nn

    torch.manual_seed(0)


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(2, 1, bias=False)
            self.unused = nn.Linear(1, 1, bias=False)

        def forward(self, x):
            h = torch.tanh(x)
            return self.head(h)


    net = Net()
    with torch.no_grad():
        net.head.weight.copy_(torch.tensor([[0.5, 2.0]]))
    optimizer = torch.optim.SGD(net.parameters(), 0.0)
    twice = torch.compile(lambda x: x * 2, backend="eager", dynamic=False)
    data = torch.tensor([[0.0, 1.0]])
    for step in range(1000000):
        data.mul_(1.0)
        optimizer.zero_grad()
        y = net(data)
        loss = y.square().sum()
        if step % 11 == 10:
            loss = loss * float("inf")
        loss.backward()
        optimizer.step()
        if step in (30, 33, 36, 39):
            twice(torch.ones(step))
        ''')


CUSTOM = textwrap.dedent('''\
    import torch


    class Ramp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, slope):
            ctx.save_for_backward(x, slope)
            steep = x * slope
            return steep.clamp(min=0.25), x

        @staticmethod
        def backward(ctx, g, _):
            x, slope = ctx.saved_tensors
            up = g * slope
            return None, (g * x).sum()


    data = torch.tensor([0.0, 1.0])
    for step in range(1000000):
        slope = torch.tensor(4.0, requires_grad=True)
        ramp, same = Ramp.apply(data, slope)
        ramp.sqrt().sum().backward()
    ''')


def line_of(text, program=PROGRAM):
    return f"train.py:{program.splitlines().index(text) + 1}"


class Stopped(unittest.TestCase):
    """A program that stands before its first op, and who watches it."""
    text = ""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "train.py")
        with open(path, "w") as file:
            file.write(self.text)
        os.environ.update(XDG_RUNTIME_DIR=self.folder.name, PYTHONPATH=FOLDER)
        self.program = subprocess.Popen([sys.executable, "-m", "tapescope", "--wait", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        socket = os.path.join(self.folder.name, "tapescope", f"{self.program.pid}.sock")
        deadline = time.monotonic() + viewer.PATIENCE
        while not os.path.exists(socket) and time.monotonic() < deadline:
            time.sleep(0.05)
        listed = json.loads(subprocess.run([TAPESCOPE, "list", "--live", "--json", "-"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual([(each["pid"], each["name"]) for each in listed["programs"]], [(self.program.pid, "train.py")])
        self.watcher = viewer.Viewer(self.program.pid)
        self.watcher.stopped()

    def tearDown(self):
        self.watcher.close()
        self.program.kill()
        self.program.communicate()
        self.folder.cleanup()

    def stop(self, *breakpoints):
        self.watcher.breaks(*breakpoints)
        self.watcher.run()
        frame = self.watcher.stopped()
        self.assertEqual(self.watcher.standing["reason"], "backward" if breakpoints[0][0] == viewer.BACKWARD else "breakpoint")
        return frame


class Live(Stopped):
    text = PROGRAM

    def test_each_kind_of_breakpoint_stops_at_its_place_with_the_values(self):
        line = line_of("        h = torch.tanh(x)")
        frame = self.stop((viewer.OP, "tanh"))
        self.assertEqual((frame["op"], frame["backward"], frame["line"], frame["inputs"]), ("tanh", False, line, [("x", "float32[1, 2]", (0.0, 1.0))]))
        self.assertEqual((frame["outputs"][0][1], round(frame["outputs"][0][2][1], 4)), ("float32[1, 2]", 0.7616))
        frame = self.stop((viewer.NAME, "h"))
        self.assertEqual((frame["op"], [each[0] for each in frame["inputs"]], frame["inputs"][1][2]), ("linear", ["h", "net.head.weight"], (0.5, 2.0)))
        self.assertEqual(frame["line"], line_of("        return self.head(h)"))
        frame = self.stop((viewer.BACKWARD,))
        self.assertEqual(frame["line"], line_of("    loss.backward()"))
        frame = self.stop((viewer.LINE, line_of("    loss = y.square().sum()")))
        self.assertEqual((frame["op"], frame["backward"], frame["cotangents_in"], frame["cotangents_out"]),
                         ("sum", True, [("", "float32[]", (1.0,))], [("", "float32[1, 1]", (1.0,))]))
        frame = self.stop((viewer.NAME, "net.head.weight"))
        while not frame["backward"]:
            frame = self.stop((viewer.NAME, "net.head.weight"))
        self.assertEqual((frame["op"], round(frame["cotangents_out"][0][2][1], 3)), ("linear", 2.32))
        frame = self.stop((viewer.NORM_ABOVE, "", 2.0, "net.head.weight"))
        self.assertEqual((frame["op"], frame["accumulated"][0][0], round(frame["accumulated"][0][2][1], 3)), ("gradient", "net.head.weight", 2.32))
        frame = self.stop((viewer.NONE, "", 0, "net.unused.weight"))
        self.assertEqual((frame["op"], frame["line"]), ("SGD.step", line_of("    optimizer.step()")))
        frame = self.stop((viewer.NONFINITE,))
        self.assertEqual((frame["op"], self.watcher.standing["step"] % 11, frame["outputs"][0][2]), ("mul", 10, (float("inf"),)))
        frame = self.stop((viewer.RETRACE,))
        self.assertEqual(frame["op"], "CompiledFunction")

    def test_it_moves_by_ops_back_and_by_training_steps(self):
        self.stop((viewer.OP, "square"))
        self.watcher.breaks()
        ops = [(frame["op"], frame["backward"]) for frame in (self.watcher.go(viewer.STEP) for _ in range(3))]
        self.assertEqual(ops, [("sum", False), ("sum", True), ("square", True)])
        self.assertEqual(self.watcher.go(viewer.STEP, -2)["op"], "sum")
        before = self.watcher.standing["step"]
        frame = self.watcher.go(viewer.TRAINING)
        self.assertEqual((frame["op"], self.watcher.standing["step"]), ("sum", before + 1))
        # Written in place since: a frame keeps what was there.
        self.assertEqual(frame["outputs"][0][2], self.watcher.go(viewer.STEP, 0)["outputs"][0][2])

    def test_a_paused_program_ends_by_the_keyboard_as_without_us(self):
        self.watcher.run()
        self.watcher.quiet(0.3)
        frame = self.watcher.pause()
        self.assertTrue(frame["op"] and frame["line"].startswith("train.py:"), frame)
        self.program.send_signal(signal.SIGINT)
        _, err = self.program.communicate(timeout=viewer.PATIENCE)
        self.assertEqual(self.program.returncode, -signal.SIGINT)
        self.assertTrue(err.rstrip().endswith("KeyboardInterrupt"), err)
        self.assertNotIn("hooks failed", err)

    def test_a_program_whose_viewer_leaves_while_it_stands_runs_on(self):
        self.stop((viewer.BACKWARD,))
        self.watcher.close()
        self.program.send_signal(signal.SIGINT)
        _, err = self.program.communicate(timeout=viewer.PATIENCE)
        self.assertTrue(err.rstrip().endswith("KeyboardInterrupt"), err)
        self.assertNotIn("hooks failed", err)


class CustomFunction(Stopped):
    text = CUSTOM

    def test_it_shows_what_it_returned_and_what_its_backward_was_given(self):
        frame = self.stop((viewer.OP, "Ramp"))
        self.assertEqual((frame["backward"], frame["line"]), (False, line_of("    ramp, same = Ramp.apply(data, slope)", CUSTOM)))
        self.assertEqual(frame["inputs"], [("data", "float32[2]", (0.0, 1.0)), ("slope", "float32[]", (4.0,))])
        self.assertEqual([each[1:] for each in frame["outputs"]], [("float32[2]", (0.25, 4.0))])  # the argument that it hands back is none
        frame = self.stop((viewer.OP, "Ramp"))
        self.assertEqual((frame["backward"], frame["cotangents_in"][0][2]), (True, (1.0, 0.25)))
        self.assertEqual([each[1:] for each in frame["cotangents_out"]], [("None", None), ("float32[]", (0.25,))])

    def test_a_line_inside_of_it_stops_forward_and_backward(self):
        frame = self.stop((viewer.LINE, line_of("        steep = x * slope", CUSTOM)))
        self.assertEqual((frame["op"], frame["backward"], frame["inputs"]), ("mul", False, [("x", "float32[2]", (0.0, 1.0)), ("slope", "float32[]", (4.0,))]))
        self.assertEqual(frame["outputs"][0][2], (0.0, 4.0))
        frame = self.stop((viewer.LINE, line_of("        up = g * slope", CUSTOM)))
        self.assertEqual((frame["op"], frame["backward"], frame["inputs"]), ("mul", True, [("g", "float32[2]", (1.0, 0.25)), ("slope", "float32[]", (4.0,))]))
        self.assertEqual(frame["outputs"][0][2], (4.0, 1.0))


if __name__ == "__main__":
    # Once, as a busy machine may take longer for it than a viewer waits.
    subprocess.run([sys.executable, "-c", "from tapescope.torch import build\nbuild.load()"], env={**os.environ, "PYTHONPATH": FOLDER}, check=True)
    unittest.main(argv=sys.argv[:1])
