"""Runs a part of a function's graph once more, op by op, without what the function does to the world.

Variables hold what they held when the call began: what the graph assigns is kept beside them. The element that it takes from an iterator
was taken before, for the run and the call alike. What cannot be run so, such as a function of Python, ends the run with CannotRun.
"""
import heapq

from tapescope import _tapescope as module
from tapescope.tensorflow.versions import EagerTensor, context, dataset_ops, dtypes, op_def_registry, pywrap_tfe, tensor_util

_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_CONDITIONS = ("If", "StatelessIf")
_CASES = ("Case", "StatelessCase")
_LOOPS = ("While", "StatelessWhile")
ASSIGNS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
READS = ("ReadVariableOp", "ResourceGather")
_HARMLESS = ("VarIsInitializedOp", "VariableShape")  # stateful by their names alone
_RANDOM = ("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal", "ParameterizedTruncatedNormal", "Multinomial", "RandomShuffle", "RandomGammaGrad",
           "RandomGamma", "RandomPoissonV2")  # other numbers than the call's, of the same kind
_OWN_SEED = 0x7A9E5C09
_ROUNDS = 100_000  # of a loop, until it counts as one without end


_NEXT = "IteratorGetNext"


class CannotRun(Exception):
    """Why."""


def _execute(op_type, inputs, attributes, outputs):
    return pywrap_tfe.TFE_Py_Execute(context.context()._handle, None, op_type, inputs, attributes, outputs)


def read_variable(handle):
    """What the variable holds: its buffer, which later assignments leave as it is."""
    return _execute("ReadVariableOp", [handle], ("dtype", _dtype_of(handle)), 1)[0]


def _dtype_of(handle):
    data = handle._handle_data
    if data is None or not data.shape_and_type:
        raise CannotRun("it reads something that is no variable")
    return data.shape_and_type[0].dtype


def _attributes(op):
    """As TFE_Py_Execute takes them: names and values in turn."""
    flat = []
    for name, value in op.node_def.attr.items():
        if name.startswith("_"):
            continue
        flat += [name, _attribute(value)]
        # Ops of equal attributes draw from one stream, and the program's is to stay where it is.
        if name == "seed2" and op.type in _RANDOM:
            flat[-1] ^= _OWN_SEED
    return tuple(flat)


def _attribute(value):
    which = value.WhichOneof("value")
    if which == "shape":
        return None if value.shape.unknown_rank else [size.size for size in value.shape.dim]
    if which == "list":
        items = value.list
        for kind in ("s", "i", "f", "b", "type", "tensor"):
            if len(getattr(items, kind)):
                return list(getattr(items, kind))
        return [None if shape.unknown_rank else [size.size for size in shape.dim] for shape in items.shape]
    if which in ("func", "placeholder", None):
        raise CannotRun("an op in it takes a function")
    return getattr(value, which)


def _function(graph, name):
    """The graph of a function by its name."""
    while graph is not None:
        found = graph._get_function(name)
        if found is not None and getattr(found, "graph", None) is not None:
            return found.graph
        graph = getattr(graph, "outer_graph", None)
    raise CannotRun(f"no graph of {name}")


def bodies_of(op):
    """The graphs that a node runs."""
    if op.type in _CALLS:
        names = ("f",)
    elif op.type in _CONDITIONS:
        names = ("then_branch", "else_branch")
    elif op.type in _LOOPS:
        names = ("cond", "body")
    elif op.type in _CASES:
        return [_function(op.graph, branch.name) for branch in op.get_attr("branches")]
    else:
        return []
    return [_function(op.graph, op.get_attr(name).name) for name in names]


def _is_wrong(value):
    return value.dtype.is_floating and module.look(value) & 6 != 0


def _constant(value, dtype):
    return EagerTensor(value, context.context().device_name or "/job:localhost/replica:0/task:0/device:CPU:0", dtype.as_datatype_enum)


class _Node:
    __slots__ = "op", "type", "inputs", "outputs", "attributes", "bodies", "constant"

    def __init__(self, op, plan):
        self.op, self.type = op, op.type
        self.inputs = [tensor._id for tensor in op.inputs]
        self.outputs = [tensor._id for tensor in op.outputs]
        self.bodies = [plan._inner(graph) for graph in bodies_of(op)]
        self.attributes = self.constant = None
        if self.type == "Const":
            self.constant = _constant(tensor_util.MakeNdarray(op.get_attr("value")), op.outputs[0].dtype)
            return
        if self.bodies or self.type in ASSIGNS + READS or self.type == "Placeholder":
            return
        if self.type == _NEXT:
            self.attributes = _attributes(op)
            return
        definition = op_def_registry.get(self.type)
        if definition is None or (definition.is_stateful and self.type not in _RANDOM + _HARMLESS):
            raise CannotRun(f"{self.type} cannot be run a second time")
        self.attributes = _attributes(op)


class Plan:
    """What leads to the questions in a graph and in those that it calls; of a graph inside another, to its results as well.

    `reads`: places among the graph's inputs of the variables that are read. `element`: (place of the iterator, attributes) where one element
    of an iterator is taken, and nothing else done with it; else None. `updates`: what leads to assignments counts as well."""

    def __init__(self, graph, questions_in, known=None, updates=False):
        self._known = {} if known is None else known  # graph's address -> plan
        self._known[id(graph)] = self
        self._questions_in = questions_in
        self._updates = updates
        self.inputs = [tensor._id for tensor in graph.inputs]
        self.outputs = [tensor._id for tensor in graph.outputs]
        self.questions = list(questions_in(graph))
        self.asks = bool(self.questions)
        self._build(graph, [] if known is None else graph.outputs)

    def _inner(self, graph):
        found = self._known.get(id(graph))
        return found if found is not None else Plan(graph, self._questions_in, self._known, self._updates)

    def _build(self, graph, results):
        ops = graph.get_operations()
        place = {op: number for number, op in enumerate(ops)}
        touching = {}  # handle -> ops that take it, in the order of the program
        for op in ops:
            for tensor in op.inputs:
                if tensor.dtype.name == "resource":
                    touching.setdefault(tensor._id, []).append(op)
        nodes, pending = {}, [tensor.op for tensor in results]
        pending += [tensor.op for question in self.questions for tensor in question.wanted() if tensor.graph is graph]
        for op in ops:
            if any(self._inner(body).asks for body in bodies_of(op)):
                pending.append(op)
                self.asks = True
            elif self._updates and op.type in ASSIGNS:
                pending.append(op)
        before = {}
        while pending:
            op = pending.pop()
            if op in nodes:
                continue
            nodes[op] = _Node(op, self)
            needed = [tensor.op for tensor in op.inputs]
            for tensor in op.inputs:
                if op.type not in ASSIGNS[:1]:  # which depends on nothing that was there
                    needed += [other for other in touching.get(tensor._id, ()) if place[other] < place[op] and other.type not in READS]
            before[op] = needed
            pending += needed
        # What touches one variable keeps its order.
        for users in touching.values():
            users = [op for op in users if op in nodes]
            for first, then in zip(users, users[1:]):
                before[then].append(first)
        self.order = [nodes[op] for op in _ordered(before, place)]
        self.reads = self._variables_read()
        self.element = self._element_taken(touching)

    def _variables_read(self):
        places = {identity: number for number, identity in enumerate(self.inputs)}
        read = set()
        for node in self.order:
            if node.type in READS or node.type in ASSIGNS[1:]:
                read.add(node.inputs[0])
            for body in node.bodies:
                given = node.inputs[1:] if node.type in _CONDITIONS + _CASES else node.inputs
                read.update(given[number] for number in body.reads if number < len(given))
        return [places[identity] for identity in read if identity in places]


    def _element_taken(self, touching):
        taken = []
        for node in self.order:
            if node.type == _NEXT:
                taken.append((node.inputs[0], node.attributes))
            for body in node.bodies:
                if body.element is not None and node.type not in _CALLS:
                    raise CannotRun("it takes an element of an iterator under a condition")
                if body.element is not None:
                    taken.append((node.inputs[body.element[0]], body.element[1]))
        if not taken:
            return None
        handle, attributes = taken[0]
        if len(taken) > 1 or handle not in self.inputs or len(touching[handle]) > 1:
            raise CannotRun("it takes several elements of iterators")
        types = attributes[attributes.index("output_types") + 1]
        if any(dtypes.as_dtype(number).name in ("resource", "variant") for number in types):
            raise CannotRun("it takes an element that no other iterator can be made of")
        return self.inputs.index(handle), attributes


def take_element(iterator, attributes):
    """The iterator's next element as flat tensors, and an iterator of that element alone. Raises OutOfRangeError where there is none."""
    values = _execute(_NEXT, [iterator], attributes, len(attributes[attributes.index("output_types") + 1]))
    return values, iter(dataset_ops.DatasetV2.from_tensors(tuple(values) if len(values) > 1 else values[0]))


def _ordered(before, place):
    """Each after those before it; else as the program made them."""
    waits = {op: {other for other in others if other is not op} for op, others in before.items()}
    after = {}
    for op, others in waits.items():
        for other in others:
            after.setdefault(other, []).append(op)
    ready = [place[op] for op, others in waits.items() if not others]
    by_place = {place[op]: op for op in before}
    heapq.heapify(ready)
    order = []
    while ready:
        op = by_place[heapq.heappop(ready)]
        order.append(op)
        for then in after.get(op, ()):
            waits[then].discard(op)
            if not waits[then]:
                heapq.heappush(ready, place[then])
    if len(order) != len(before):
        raise CannotRun("its ops wait for each other")
    return order


class Run:
    """One run of a plan. `held`: values of the variables, by their place among the inputs. `element`: of the iterator, flat. `answer(question, values, run)` is called where
    a graph with questions has run; `values`: by identity of symbolic tensors. `shown`: hears of each op, see expand.py. `ran`: keeps each op, see
    behind.py. `returned`: what the graph made, in a plan that leads to it."""

    def __init__(self, plan, inputs, held, answer, element=None, shown=None, ran=None):
        self._answer, self._element = answer, element
        self._shown, self._ran = shown, ran
        self._variables = {inputs[place]._id: value for place, value in held.items()}
        self._wrong = self._before = False  # something was not finite; it was in an earlier round of a loop
        self.seen = {}  # of symbolic tensors that have a number of ours: what they held, last or where it first was not finite
        try:
            self.returned = self._graph(plan, [getattr(value, "handle", value) for value in inputs])
        except CannotRun:
            raise
        except Exception as error:  # an op that refuses its operands, memory that runs out
            raise CannotRun(str(error)) from error

    def _graph(self, plan, inputs):
        values = dict(zip(plan.inputs, inputs))
        for node in plan.order:
            self._node(node, values)
        for question in plan.questions:
            self._answer(question, values, self)
        return [values[identity] for identity in plan.outputs if identity in values]

    def _node(self, node, values):
        if node.type == "Placeholder":
            return
        given = [values[identity] for identity in node.inputs]
        begin = self._ran.begin() if self._ran is not None else 0
        if self._shown is not None:
            self._shown.begin()
        if node.constant is not None:
            made = [node.constant]
        elif node.bodies:
            made = self._bodies(node, given)
        elif node.type == _NEXT:
            made = self._element
        elif node.type == "ReadVariableOp":
            made = [self._read(given[0])]
        elif node.type == "ResourceGather":
            made = self._gather(node, given)
        elif node.type in ASSIGNS:
            self._assign(node, given)
            made = []
        else:
            made = _execute(node.type, given, node.attributes, len(node.outputs))
        if self._shown is not None:
            self._shown.ran(node, given, made)
        if self._ran is not None:
            self._ran.note(node, given, made, begin)
        for identity, value in zip(node.outputs, made):
            values[identity] = value
            number = module.known(identity)
            if number:
                self._keep(number, value, given)

    def _keep(self, number, value, given):
        wrong = module.look(value) & 6
        if number in self.seen and module.look(self.seen[number]) & 6:
            return
        if wrong and self._before and number in self.seen and any(_is_wrong(one) for one in given):
            return
        self._wrong = self._wrong or wrong != 0
        self.seen[number] = value

    def _bodies(self, node, given):
        if node.type in _CALLS:
            return self._body(node, 0, given, "called")
        if node.type in _CONDITIONS:
            return self._body(node, 0 if given[0] else 1, given[1:], "true" if given[0] else "false")
        if node.type in _CASES:
            index = int(given[0])
            return self._body(node, index if 0 <= index < len(node.bodies) else -1, given[1:], f"branch {index}")
        for number in range(1, _ROUNDS + 1):
            self._before = self._wrong  # what it spreads to in later rounds began there
            if not self._body(node, 0, given, f"round {number}")[0]:
                return given
            given = self._body(node, 1, given, f"round {number}")
        raise CannotRun(f"a loop in it goes on after {_ROUNDS} rounds")

    def _body(self, node, number, given, what):
        """`what` it is, for who is shown the ops in it."""
        if self._shown is None:
            return self._graph(node.bodies[number], given)
        self._shown.enter(node, what)
        try:
            return self._graph(node.bodies[number], given)
        finally:
            self._shown.leave()

    def _read(self, handle):
        value = self._variables.get(handle._id)
        if value is None:
            raise CannotRun("it reads a variable that it makes")
        return value

    def _gather(self, node, given):
        batch = node.op.get_attr("batch_dims")
        axis = _constant(batch, dtypes.int32)
        value = self._read(given[0])
        return _execute("GatherV2", [value, given[1], axis], ("batch_dims", batch, "Tparams", value.dtype.as_datatype_enum, "Tindices", given[1].dtype.as_datatype_enum, "Taxis", 3), 1)

    def _assign(self, node, given):
        handle, value = given[0]._id, given[1]
        if node.type != "AssignVariableOp":
            op = "AddV2" if node.type == "AssignAddVariableOp" else "Sub"
            value = _execute(op, [self._read(given[0]), value], ("T", value.dtype.as_datatype_enum), 1)[0]
        self._variables[handle] = value

