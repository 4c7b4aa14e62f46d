"""What a tape outside found behind a call of a function: a gradient that the call's backward step made zero or not finite.

TensorFlow takes that step as a whole, by another graph. So the call's graph is run once more beside the program, op by op, with what the
call was given, and back again by each op's registered gradient, from what arrived at the call: the first op where something arrived and nothing,
or nothing finite, left is then seen. Nothing is assigned. This is done where something was found that the trace did not show before.
"""
from tapescope import _tapescope as module
from tapescope.tensorflow.graph_runs import ASSIGNS, READS, CannotRun, Plan, Run, read_variable
from tapescope.tensorflow.versions import EagerTensor, backprop, has_gpu, ops, pywrap_tfe, context, record

_KINDS = 8  # of findings that a trace shows: which of its inputs got nothing, or nothing finite
_NODES = 50_000  # that ran, rounds of loops included: of more no way back is looked at
_HELD = 256 << 20  # bytes of results that are held for the way back


class Behind:
    """Of one trace."""

    def __init__(self, graph):
        self._graph = graph
        self._shown = set()
        self._plan = None
        self._failed = has_gpu()

    def look(self, inputs, cotangents, results):
        """A backward step of a call has returned `results`, some of them zero or not finite."""
        if self._failed or len(self._shown) == _KINDS:
            return
        results = results if isinstance(results, (list, tuple)) else [results]
        found = tuple((place, bits) for place, bits in ((place, _bits(value)) for place, value in enumerate(results)) if bits)
        if not found or found in self._shown:
            return
        self._shown.add(found)
        try:
            self._run(list(inputs), cotangents)
        except CannotRun:
            self._failed = True

    def _run(self, inputs, cotangents):
        if self._plan is None:
            self._plan = Plan(self._graph, lambda graph: (), {})
        if self._plan.element is not None:
            raise CannotRun("the element that it took is gone")
        held = {place: read_variable(inputs[place]) for place in self._plan.reads}
        ran = Ran()
        with record.stop_recording():
            run = Run(self._plan, inputs, held, lambda *_: None, ran=ran)
            seen = ran.way_back(run.returned, cotangents)
        for output, (results, given, _) in seen.items():
            module.step_seen(output, results, given)
        for symbol, value in zip(self._plan.inputs, inputs):
            if type(value) is EagerTensor and value.dtype.is_floating and module.known(symbol):
                module.tensor_values(module.known(symbol), value)
        for number, value in run.seen.items():
            module.tensor_values(number, value)


def _bits(value):
    value = getattr(value, "values", value)
    return module.look(value) if type(value) is EagerTensor else 0


class Ran:
    """The nodes that a run has executed, for the way back."""

    def __init__(self):
        self._nodes = []  # (node, given, made, how many of the nodes before run inside of it)
        self._bytes = 0

    def begin(self):
        return len(self._nodes)

    def note(self, node, given, made, begin):
        self._nodes.append((node, given, made, len(self._nodes) - begin))
        self._bytes += sum(value.shape.num_elements() * value.dtype.size for value in made if value.dtype.is_floating)

    def way_back(self, outputs, cotangents):
        """{number of a node's first output: (results, cotangents, rank)} of each node that something could arrive at; of a node that ran several times
        the step that says most."""
        self.seen = {}
        if len(self._nodes) > _NODES or self._bytes > _HELD or any("_gradient_op_type" in node.op.node_def.attr for node, *_ in self._nodes):
            return self.seen  # a gradient that the program gave belongs to the graph
        self._arrived = {}
        if len(outputs) != len(cotangents):  # those of integers are left out
            outputs = [output for output in outputs if output.dtype.is_floating or output.dtype.is_complex]
        for output, cotangent in zip(outputs, cotangents):
            if type(cotangent) is EagerTensor and type(output) is EagerTensor and output.shape == cotangent.shape:
                self._add(output, cotangent)
        self._back(0, len(self._nodes))
        return self.seen

    def _back(self, first, end):
        while end > first:
            end -= 1
            node, given, made, inside = self._nodes[end]
            arrived = [self._arrived.get(value._id) for value in made]
            if all(value is None for value in arrived):
                if inside == 0:
                    continue
            if inside:
                before = [self._arrived.get(value._id) for value in given]
                self._back(end - inside, end)
                end -= inside
                after = [self._arrived.get(value._id) for value in given]
                results = [new if new is not old else None for old, new in zip(before, after)]
            elif node.type in READS:
                results = [arrived[0]] + [None] * (len(given) - 1)
            else:
                results = self._step(node, given, made, arrived)
                for value, gradient in zip(given, results):
                    if gradient is not None:
                        self._add(value, gradient)
            self._note(node, results, arrived)

    @staticmethod
    def _step(node, given, made, arrived):
        if node.constant is not None or node.attributes is None:
            return [None] * len(given)
        cotangents = [_zeros(value) if cotangent is None else cotangent for value, cotangent in zip(made, arrived)]
        try:
            results = backprop._gradient_function(node.type, node.attributes, len(given), list(given), list(made), cotangents, (), "")
        except LookupError:  # it has no gradient
            return [None] * len(given)
        except Exception as error:
            raise CannotRun(str(error)) from error
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        return [None if value is None else ops.convert_to_tensor(value) for value in results]

    def _add(self, value, gradient):
        before = self._arrived.get(value._id)
        self._arrived[value._id] = gradient if before is None else before + gradient

    def _note(self, node, results, arrived):
        number = module.known(node.outputs[0]) if node.outputs else 0
        if not number:
            return
        come = [_bits(value) for value in arrived if value is not None]
        left = [_bits(value) for value in results if value is not None]
        breaks = bool(left) and any(bits & 6 for bits in left) and not any(bits & 6 for bits in come)
        ends = any(bits != 1 for bits in come) and all(bits & 1 for bits in left)
        rank = 2 * breaks + ends
        if number not in self.seen or rank >= self.seen[number][2]:
            self.seen[number] = results, arrived, rank


def _zeros(value):
    if not value.dtype.is_floating and not value.dtype.is_complex:
        return None
    return pywrap_tfe.TFE_Py_Execute(context.context()._handle, None, "ZerosLike", [value], ("T", value.dtype.as_datatype_enum), 1)[0]
