"""Loops of Python that a trace unrolled: as many copies of their body stand in its graph."""
import ast
import collections
import functools
import linecache
import weakref

from tapescope.places import is_user

_ROUNDS = 16  # fewer are soon traced
_NODES = 200  # of all rounds together: TensorFlow traces a few thousand nodes a second
_TRACES = "func_graph_from_py_func"  # TensorFlow's function that calls the one to be traced

_graphs = weakref.WeakKeyDictionary()  # graph -> {(file, line): _Line}

Loop = collections.namedtuple("Loop", "file function line op rounds nodes")


class _Line:
    """The ops that one line of the user's code added to a graph."""

    def __init__(self, op):
        self.op = self.last = op  # the first one, and the last
        self.counts = collections.Counter()
        self.handles = set()


def added(graph, frame, op, op_type, inputs):
    """An op of the user's line `frame` became part of a graph."""
    name = op.name
    if "gradient_tape/" in name or name.startswith("gradients/"):
        return  # as often as the ops that it differentiates
    lines = _graphs.get(graph)
    if lines is None:
        lines = _graphs[graph] = {}
    line = lines.get((frame.filename, frame.lineno))
    if line is None:
        line = lines[frame.filename, frame.lineno] = _Line(op)
    line.counts[op_type] += 1
    line.last = op
    if len(inputs) and op_type.endswith("VariableOp"):
        line.handles.add(inputs[0]._id)


def unrolled(graph):
    """The loops whose rounds the graph holds, in the order of their first ops."""
    groups = {}
    for line in _graphs.pop(graph, {}).values():
        rounds = max(line.counts.values())
        # A round that has its own variables is a layer, or a variable's update: no copy of another round.
        if rounds < _ROUNDS or 2 * len(line.handles) > rounds:
            continue
        frame, loop = _loop_of(line.op)
        if loop and not _updates(line.last):
            groups.setdefault((frame.filename, loop), []).append((frame, line, rounds))
    loops = []
    for lines in groups.values():
        frame, first, _ = lines[0]
        nodes = sum(sum(line.counts.values()) for _, line, _ in lines)
        if nodes >= _NODES:
            loops.append(Loop(frame.filename, frame.name, frame.lineno, next(iter(first.counts)), min(rounds for _, _, rounds in lines), nodes))
    return loops


def _updates(op):
    """Whether an optimizer made the op: its rounds are one for each variable."""
    return any("/optimizers/" in frame.filename or frame.filename.endswith("optimizer.py") for frame in op.traceback if not is_user(frame.filename))


def _loop_of(op):
    """The innermost of the user's frames that runs in a loop, inside the function that is traced, and the loop's line; (None, 0) for none."""
    frames = list(op.traceback)
    inside = max((index + 1 for index, frame in enumerate(frames) if frame.name == _TRACES), default=0)
    for frame in reversed(frames[inside:]):
        if is_user(frame.filename):
            loop = _loops_in(frame.filename).get(frame.lineno)
            if loop:
                return frame, loop
    return None, 0


class _Finder(ast.NodeVisitor):
    """By line: the line where the innermost loop around it begins, of the same function."""

    def __init__(self):
        self.lines = {}
        self._loop = 0

    def _within(self, loop, nodes):
        outer, self._loop = self._loop, loop
        for node in nodes:
            self.visit(node)
        self._loop = outer

    def visit(self, node):
        if self._loop and hasattr(node, "lineno"):
            for number in range(node.lineno, node.end_lineno + 1):
                self.lines[number] = self._loop
        super().visit(node)

    def _function(self, node):
        self._within(0, ast.iter_child_nodes(node))

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _function

    def visit_For(self, node):
        self.visit(node.iter)
        self._within(node.lineno, node.body)
        self._within(self._loop, node.orelse)

    def visit_While(self, node):
        self._within(node.lineno, [node.test] + node.body)
        self._within(self._loop, node.orelse)

    def _comprehension(self, node):
        self._within(node.lineno, ast.iter_child_nodes(node))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


@functools.lru_cache(maxsize=64)
def _loops_in(file):
    finder = _Finder()
    try:
        finder.visit(ast.parse("".join(linecache.getlines(file))))
    except (SyntaxError, ValueError):  # no Python that this interpreter reads
        return {}
    return finder.lines
