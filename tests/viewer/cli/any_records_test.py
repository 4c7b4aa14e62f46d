"""Records that are well-formed but make no sense are read without harm: any_records_test.py TAPESCOPE [COUNT [SEED]].

First each op that the application has a definition of, with 0 to 4 operands of several types, is given to the commands that read
recordings. Then COUNT recordings follow whose records had one to four fields replaced: all fields that hold numbers of tensors, counts,
flags, kinds and types are tried, with numbers at which code usually breaks. A command that ends by a signal or takes more than a
minute fails the test; its recording is kept and named.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

binary = sys.argv[1]
# ctest gives the path of another program second; numbers are by hand.
numbers = [int(word) for word in sys.argv[2:] if word.isdigit()]
count = numbers[0] if numbers else 1000 if "TAPESCOPE_LONG" in os.environ else 40
seed = numbers[1] if len(numbers) > 1 else 1
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(root, "assets"))
import tape_writer  # noqa: E402, it is no package

COMMANDS = (["explain"], ["report"], ["export", "--format", "perfetto", "--out"], ["export", "--format", "svg", "--out"])
SHAPES = ((), (0,), (3,), (3, 4), (2, 3, 4), (1, 5, 5, 2))
DTYPES = ("float32", "int32", "bool")
NUMBERS = (0, 1, 2, 3, 7, 8, 15, 16, 63, 64, 127, 128, 255, 256, 1000, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63, 2**64 - 1)
LIMITS = {"B": 2**8, "H": 2**16, "I": 2**32, "Q": 2**64}


def op_names():
    """The names of all rows of the op table, from the sources: they stand as .name = "MatMul" or first in a macro's row."""
    found = set()
    for folder, _, files in os.walk(os.path.join(root, "engine")):
        for file in files:
            if file.endswith((".cpp", ".h", ".inl", ".def")):
                with open(os.path.join(folder, file), encoding="utf-8") as source:
                    found.update(re.findall(r'"(_?[A-Z][A-Za-z0-9]{2,40})"', source.read()))
    return sorted(found)


def run(path, folder):
    """What went wrong with the recording at `path`, or nothing."""
    for command in COMMANDS:
        target = [os.path.join(folder, "out")] if command[-1] == "--out" else []
        words = [binary, command[0], path, *command[1:], *target]
        try:
            done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return f"{' '.join(command)}: takes more than a minute"
        if done.returncode < 0 or done.returncode > 3:
            return f"{' '.join(command)}: exit code {done.returncode}, {done.stderr[-1500:]}"
    return None


def step_of(tape, names, operands, shape, dtype):
    w = tape.variable("w", shape, dtype)
    tape.step_begin(0)
    block = tape.tape_enter()
    read = tape.op("ReadVariableOp", [w], shape, dtype, handle=True)
    outputs = [tape.op(name, [read] * operands, shape, dtype) for name in names]
    loss = tape.op("AddN", outputs[:8], shape, dtype)
    tape.tape_exit(block)
    tape.gradient(block, [(loss, "loss")], [(w, "w", None)])
    tape.step_end(0)


def each_op(path, folder):
    names = op_names()
    assert len(names) > 150, len(names)
    for operands in range(5):
        for shape in SHAPES:
            for dtype in DTYPES[: 1 if len(shape) in (1, 3) else 3]:
                with tape_writer.TapeWriter(path) as tape:
                    step_of(tape, names, operands, shape, dtype)
                wrong = run(path, folder)
                if wrong:
                    return f"ops with {operands} operands of {dtype}{list(shape)}: {wrong}"
    return None


class Changed(tape_writer.TapeWriter):
    """Replaces some fields of the records it writes."""

    def __init__(self, path, rng, share, **facts):
        self.rng, self.share = rng, share
        super().__init__(path, **facts)

    def record(self, kind, **values):
        if self.rng.random() < self.share:
            fields = tape_writer.KINDS[kind][1]
            for name in self.rng.sample(sorted(fields), min(len(fields), self.rng.randint(1, 2))):
                form = fields[name][1]
                if fields[name][2] in ("", "tensor", "order", "ticks", "span") and len(form) == 1 and form in LIMITS:
                    values[name] = self.rng.choice([n for n in NUMBERS if n < LIMITS[form]])
                elif form == "3Q":
                    values[name] = tuple(self.rng.choice(NUMBERS) for _ in range(3))
        if self.rng.random() < self.share / 8:
            return None  # lost
        super().record(kind, **values)
        if self.rng.random() < self.share / 8:
            super().record(kind, **values)
        return None


def program(tape, rng):
    handles = [tape.variable(name, (3, 3)) for name in "abc"]
    for step in range(3):
        tape.step_begin(step)
        outer = tape.tape_enter(persistent=True)
        inner = tape.tape_enter()
        x = tape.constant((3, 3), name="x")
        tape.watch(outer, x)
        values = [tape.op("ReadVariableOp", [handle], (3, 3), handle=True) for handle in handles] + [x]
        for name in ("MatMul", "Tanh", "Softmax", "Conv2D", "BiasAdd", "Mean", "Cast", "Einsum"):
            values.append(tape.op(name, rng.sample(values, 2), (3, 3), took=100))
        tape.host_read(values[-1])
        loss = tape.op("Sum", [values[-1]], ())
        tape.tape_exit(inner)
        made = tape.op("Tile", [loss], (3, 3), recorded=False)
        tape.gradient(inner, [(loss, "loss")], [(handle, name, made if name == "a" else None) for handle, name in zip(handles, "abc")])
        tape.tape_exit(outer)
        tape.assign(handles[0], made)
        tape.scalar("loss", 1.0, step)
        tape.record("function_made", function=1, name="f", mark=1)
        tape.record("function_call", flags=1, function=1, call=step, trace=1)
        tape.record("trace_argument", name="x", key="[3]", given="[3]", type=((3,), "float32"), index=1)
        tape.record("function_end", function=1, nodes=6, duration=50)
        tape.record("graph", name="f", function=1, trace=1)
        tape.record("graph_pass", round=1, **{"pass": "fusion"}, nodes_before=6, nodes_after=3)
        tape.record("rewrite", rule="fuse", before="Tanh", after="Fused")
        tape.step_end(step)


def changed(path, folder):
    for number in range(count):
        rng = random.Random(seed * 1_000_003 + number)
        with Changed(path, rng, rng.choice((0.02, 0.05, 0.2))) as tape:
            program(tape, rng)
        wrong = run(path, folder)
        if wrong:
            return f"recording {number} of seed {seed}: {wrong}"
    return None


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "changed.tape")
    for what in (each_op, changed):
        wrong = what(path, folder)
        if wrong:
            kept = os.path.join(tempfile.gettempdir(), "tapescope-any-records.tape")
            os.replace(path, kept)
            sys.exit(f"{wrong}\nThe recording is kept as {kept}")
print(f"{count} changed recordings and {len(op_names())} ops, none of them a finding")
