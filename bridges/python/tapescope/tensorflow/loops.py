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
    groups = {}  # (file, loop) -> [(its place among the lines, the frames around it that run in a loop, the line)]
    for place, line in enumerate(_graphs.pop(graph, {}).values()):
        most = max(line.counts.values())
        # A round that has its own variables is a layer, or a variable's update: no copy of another round.
        if most < _ROUNDS or 2 * len(line.handles) > most:
            continue
        around = _loops_around(line.op)
        if around and not _updates(line.last):
            groups.setdefault(next(iter(around)), []).append((place, around, line))
    # Of a loop of few rounds in one of many it is the outer one that makes the graph large.
    for key, lines in list(groups.items()):
        for outer in list(lines[0][1])[1:]:
            if outer in groups and _rounds_of(lines) < _ROUNDS * _rounds_of(groups[outer]):
                groups[outer] = sorted(groups[outer] + groups.pop(key), key=lambda line: line[0])
                break
    loops = []
    for key, lines in groups.items():
        _, around, first = lines[0]
        frame = around[key]
        nodes = sum(sum(line.counts.values()) for _, _, line in lines)
        if nodes >= _NODES:
            loops.append(Loop(frame.filename, frame.name, frame.lineno, next(iter(first.counts)), _rounds_of(lines), nodes))
    return loops


def _rounds_of(lines):
    """Of ops that a line adds several times in a round there are more, of constants fewer."""
    return min(count for _, _, line in lines for count in line.counts.values() if count >= _ROUNDS)


def _updates(op):
    """Whether an optimizer made the op: its rounds are one for each variable."""
    return any("/optimizers/" in frame.filename or frame.filename.endswith("optimizer.py") for frame in op.traceback if not is_user(frame.filename))


def _loops_around(op):
    """{(file, line of a loop): the user's frame that runs in it} inside the function that is traced, the innermost first."""
    frames = list(op.traceback)
    inside = max((index + 1 for index, frame in enumerate(frames) if frame.name == _TRACES), default=0)
    found = {}
    for frame in reversed(frames[inside:]):
        if is_user(frame.filename):
            for loop in _loops_in(frame.filename).get(frame.lineno, ()):
                found.setdefault((frame.filename, loop), frame)
    return found


class _Finder(ast.NodeVisitor):
    """By line: the lines where the loops around it begin, of the same function, the innermost first."""

    def __init__(self):
        self.lines = {}
        self._loops = ()

    def _within(self, loops, nodes):
        outer, self._loops = self._loops, loops
        for node in nodes:
            self.visit(node)
        self._loops = outer

    def visit(self, node):
        if self._loops and hasattr(node, "lineno"):
            for number in range(node.lineno, node.end_lineno + 1):
                self.lines[number] = self._loops
        super().visit(node)

    def _function(self, node):
        self._within((), ast.iter_child_nodes(node))

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _function

    def visit_For(self, node):
        self.visit(node.iter)
        self._within((node.lineno, *self._loops), node.body)
        self._within(self._loops, node.orelse)

    def visit_While(self, node):
        self._within((node.lineno, *self._loops), [node.test] + node.body)
        self._within(self._loops, node.orelse)

    def _comprehension(self, node):
        self._within((node.lineno, *self._loops), ast.iter_child_nodes(node))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


@functools.lru_cache(maxsize=64)
def _loops_in(file):
    finder = _Finder()
    try:
        finder.visit(ast.parse("".join(linecache.getlines(file))))
    except (SyntaxError, ValueError):  # no Python that this interpreter reads
        return {}
    return finder.lines
