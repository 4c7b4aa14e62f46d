"""Which lines of a trace's ops are rounds of one loop: loops_test.py PACKAGE_FOLDER (no framework is needed).

A graph, its ops and their tracebacks are stand-ins; the program is a real file.
"""
import importlib.util
import pathlib
import sys
import tempfile
import types
import unittest
from traceback import FrameSummary

FOLDER = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(FOLDER))
# The module itself: its package imports TensorFlow.
SPEC = importlib.util.spec_from_file_location("loops", FOLDER / "tapescope" / "tensorflow" / "loops.py")
loops = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(loops)

PROGRAM = """\
def body(x):
    return square(x)
def traced(xs):
    for x in xs:
        y = body(x)
        z = tanh(y)
    w = stack([exp(x) for x in xs])
    return body(w)
for step in range(9):
    traced(xs)
def layers(x):
    for layer in stack:
        x = layer(x)
def steps(x):
    for _ in range(6):
        x = tanh(x)
    return x
def stones(xs):
    for x in xs:
        y = square(steps(x))
"""


class Graph:
    pass


class Loops(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(pathlib.Path(folder.name) / "program.py")
        pathlib.Path(self.file).write_text(PROGRAM, encoding="utf-8")
        self.graph = Graph()

    def add(self, op_type, *lines, handle=None, name="op", times=1):
        """An op whose innermost line of the program is the last one; the first ones led to it."""
        outside = [FrameSummary(self.file, 10, "<module>"), FrameSummary("/lib/func_graph.py", 1, "func_graph_from_py_func")]
        frames = outside + [FrameSummary(self.file, line, function) for line, function in lines]
        inputs = [] if handle is None else [types.SimpleNamespace(_id=handle)]
        for _ in range(times):
            loops.added(self.graph, frames[-1], types.SimpleNamespace(name=name, traceback=frames), op_type, inputs)

    def test_rounds_of_a_loop_are_found_with_what_they_call(self):
        self.add("Square", (5, "traced"), (2, "body"), times=150)
        self.add("Tanh", (6, "traced"), times=150)
        (loop,) = loops.unrolled(self.graph)
        self.assertEqual((loop.line, loop.op, loop.rounds, loop.nodes), (5, "Square", 150, 300))

    def test_a_comprehension_is_a_loop(self):
        self.add("Exp", (7, "traced"), times=250)
        self.assertEqual([loop.line for loop in loops.unrolled(self.graph)], [7])

    def test_a_loop_around_the_function_is_not_its_own(self):
        self.add("Square", (8, "traced"), (2, "body"), times=300)
        self.assertEqual(loops.unrolled(self.graph), [])

    def test_few_rounds_are_no_matter(self):
        self.add("Tanh", (6, "traced"), times=15)
        self.assertEqual(loops.unrolled(self.graph), [])

    def test_rounds_with_their_own_variables_are_layers(self):
        for handle in range(120):
            self.add("ReadVariableOp", (13, "layers"), handle=handle)
            self.add("MatMul", (13, "layers"))
        self.assertEqual(loops.unrolled(self.graph), [])

    def test_rounds_with_one_variable_are_rounds(self):
        for _ in range(120):
            self.add("ReadVariableOp", (13, "layers"), handle=1)
            self.add("MatMul", (13, "layers"))
        self.assertEqual([loop.rounds for loop in loops.unrolled(self.graph)], [120])

    def test_few_rounds_in_many_are_those_of_the_outer_loop(self):
        for _ in range(20):
            self.add("Tanh", (20, "stones"), (16, "steps"), times=6)
            self.add("Square", (20, "stones"))
            self.add("Mul", (20, "stones"), times=9)
        (loop,) = loops.unrolled(self.graph)
        self.assertEqual((loop.line, loop.function, loop.op, loop.rounds), (20, "stones", "Tanh", 20))

    def test_many_rounds_in_many_are_loops_of_their_own(self):
        for _ in range(20):
            self.add("Tanh", (20, "stones"), (16, "steps"), times=20)
            self.add("Square", (20, "stones"))
            self.add("Mul", (20, "stones"), times=9)
        self.assertEqual([loop.line for loop in loops.unrolled(self.graph)], [16, 20])

    def test_backward_ops_are_as_many_as_those_they_differentiate(self):
        self.add("Mul", (6, "traced"), name="gradient_tape/mul", times=300)
        self.assertEqual(loops.unrolled(self.graph), [])


if __name__ == "__main__":
    unittest.main()
