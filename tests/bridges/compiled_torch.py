"""Programs that compile or trace: the same code is compiled bare, watched and asked why, and what each compiled function costs is recorded.

usage: compiled_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

FOLDER, TAPESCOPE = sys.argv[1:3]

# Each form prints what was compiled for it. What is compiled is PyTorch's own, the program's, or the compiler's frame around what has none.
FORMS = """
import json
import torch
import torch._dynamo
from torch._dynamo.utils import clear_compilation_metrics, counters, get_compilation_metrics

X = torch.linspace(-1, 1, 128).view(16, 8)


def net():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))


def train(model, fast, step=None, rounds=3):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    step = step(optimizer.step) if step else optimizer.step
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = fast(X).square().mean()
        loss.backward()
        step()
    return loss.item()


def compiled(function):
    return torch.compile(function, backend="aot_eager")


def whole():
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss
    step = compiled(step)
    return [step(X).item() for _ in range(3)]


def library_model():
    model = net()
    return train(model, compiled(model))


def step_alone():
    model = net()
    return train(model, model, compiled)


def part():
    model = net()
    model[0] = compiled(model[0])
    return train(model, model)


def in_place():
    model = net()
    model.compile(backend="aot_eager")
    return train(model, model)


def of_a_library():
    return compiled(torch.nn.functional.gelu)(X).sum().item()


def traced():
    return len(list(torch.jit.trace(net(), X).graph.nodes()))


def exported():
    return len(torch.export.export(net(), (X,)).graph.nodes)


def symbolic():
    return len(torch.fx.symbolic_trace(net()).graph.nodes)


for form in (whole, library_model, step_alone, part, in_place, of_a_library, traced, exported, symbolic):
    result = form()
    print(json.dumps([form.__name__, result, [metrics.co_name for metrics in get_compilation_metrics()], sum(counters["graph_break"].values())]))
    torch._dynamo.reset()
    counters.clear()
    clear_compilation_metrics()
"""

SIZES = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
fast = torch.compile(net, backend="aot_eager")
for size in (16, 16, 24, 24):
    fast(torch.ones(size, 8)).square().mean().backward()  # CALL
"""
CALL = next(number for number, line in enumerate(SIZES.split("\n"), 1) if line.endswith("# CALL"))


class Compiled(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def run_program(self, text, *options):
        program = self.folder / "program.py"
        program.write_text(text, encoding="utf-8")
        ours = ["-m", "tapescope", "--record", str(self.folder / "run.tape"), *options] if options != ("bare",) else []
        run = subprocess.run([sys.executable, "-B", *ours, str(program)], env={**os.environ, "PYTHONPATH": FOLDER}, capture_output=True, text=True,
                             timeout=900, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("does not know how to trace the builtin", run.stderr.replace("<unknown module>", ""))
        self.assertNotIn("hooks failed", run.stderr)
        return run.stdout

    def table(self, query):
        database = self.folder / "run.db"
        database.unlink(missing_ok=True)
        subprocess.run([TAPESCOPE, "export", str(self.folder / "run.tape"), "--format", "sqlite", "-o", str(database)], capture_output=True, timeout=120, check=True)
        with sqlite3.connect(database) as tables:
            return tables.execute(query).fetchall()

    def explained(self):
        run = subprocess.run([TAPESCOPE, "explain", str(self.folder / "run.tape"), "--json", "-"], capture_output=True, text=True, timeout=120, check=False)
        return json.loads(run.stdout)

    def test_what_is_compiled_is_what_is_compiled_without_us(self):
        bare = self.run_program(FORMS, "bare").splitlines()
        for line in bare[:6]:
            if "in_place" not in line:  # a library's forward() alone is not compiled in place
                self.assertTrue(json.loads(line)[2], line)
        for options in ((), ("--why",)):
            for line, expected in zip(self.run_program(FORMS, *options).splitlines(), bare, strict=True):
                self.assertEqual(json.loads(line), json.loads(expected), options)

    def test_a_librarys_model_is_known_by_its_forward_and_what_it_was_compiled_for(self):
        for options in ((), ("--why",)):
            self.run_program(SIZES, *options)
            function, = self.explained()["functions"]
            self.assertEqual((function["name"], function["traces"], function["calls"]), ("forward", 2, 4), options)  # the last one compiles nothing
            retrace, = function["retraces"]
            self.assertEqual(retrace["call"], 3, options)
            self.assertEqual((retrace["kind"], retrace["argument"], retrace["location"]), ("shape", "input", f"program.py:{CALL}"), options)
            self.assertGreater(function["trace_us"], 1000, options)
            self.assertGreater(retrace["trace_us"], 1000, options)

    def test_asked_why_a_compiled_function_is_one_op_with_its_time_forward_and_backward(self):
        self.run_program(SIZES, "--why")
        (forward, backward), = self.table("select forward_us, backward_us from op_kinds where type = 'forward'")
        self.assertGreater(forward, 0)
        self.assertGreater(backward, 0)
        function, = self.explained()["functions"]
        self.assertLess(forward, function["trace_us"])  # compiling is none of it


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
