"""A viewer steps into a call of a tf.function: its graph is run beside the call, op by op, and each op is a place to stop at, with its time
and values. The call itself runs afterwards as it is."""
from tapescope import _tapescope as module
from tapescope.tensorflow import graphs
from tapescope.tensorflow.graph_runs import CannotRun, Plan, Run, read_variable
from tapescope.tensorflow.versions import errors

BACKWARD, HOLDS = 1, 2  # flags of InnerOpRecord
_SILENT = ("Const", "Placeholder", "NoOp", "Identity", "IdentityN", "VarIsInitializedOp")  # nothing happens in them
_GRADIENT = "gradient_tape"  # the name scope of what a tape adds to a graph


def expand(concrete, begun, name):
    """`begun`: what the call begins with. Where it takes an element from an iterator, the element is taken here for both."""
    module.expansion(name, module.site())
    why = None
    try:
        plan = Plan(concrete.graph, lambda graph: (), {}, updates=True)
        held = {place: read_variable(begun.inputs[place]) for place in plan.reads}
        if plan.element is not None and begun.element is None:
            begun.take(*plan.element)
        Run(plan, begun.inputs, held, lambda *_: None, begun.element, shown=Shown())
    except errors.OutOfRangeError:
        why = "the iterator has no further element"
    except CannotRun as reason:  # as far as it went
        why = str(reason)
    module.expansion_end(why)


class Shown:
    """What a run shows of its ops. Ids of theirs are apart from those of the program's tensors, which the call is given as well."""

    def __init__(self):
        self._ids = {}  # of what was made inside, by identity
        self._begun = []  # of the ops under way: ticks, what the ops before took
        self._took = 0  # ticks of all ops that hold no others
        self._outer = module.set_scope(0)
        module.set_scope(self._outer)
        self._around = [(self._outer, ())]  # scope, and the parts of names that it stands for

    def begin(self):
        self._begun.append((module.ticks(), self._took))

    def enter(self, node, what):
        """What runs next is a part, called that, of an op that holds others."""
        parts = tuple(node.op.name.split("/"))
        scope = module.scope(self._scope(node.op.name), parts[-1])
        self._around.append((module.scope(scope, what), parts))

    def leave(self):
        self._around.pop()

    def ran(self, node, given, made):
        end = module.ticks()
        begin, before = self._begun.pop()
        if node.type in _SILENT:
            for source, result in zip(given, made):  # they hand on what they were given
                self._ids[result._id] = self._id(source)
            return
        if node.bodies:
            # Its time is that of the ops in it, and it takes what they made.
            given, begin = list(made), end - (self._took - before)
        else:
            self._took += end - begin
        flags = (BACKWARD if node.op.name.startswith(_GRADIENT) else 0) | (HOLDS if node.bodies else 0)
        scope = self._scope(node.op.name)
        first = module.inside(_called(node.type), given, [self._id(value) for value in given], [graphs.type_of(value) for value in given],
                              list(made), [graphs.type_of(value) for value in made], (graphs.site_in(node.op, scope), flags, begin, end))
        for place, result in enumerate(made):
            self._ids[result._id] = first + place

    def _id(self, value):
        number = self._ids.get(value._id) or module.known(value._id)
        if not number:
            number = self._ids[value._id] = module.tensor_made(-1, graphs.type_of(value))
        return number

    def _scope(self, name):
        """Where the graph has it: of `gradient_tape/model/dense/MatMul` the layers."""
        scope, around = self._around[-1]
        parts = tuple(name.split("/")[:-1])
        if parts[:len(around)] == around:  # ops of a loop's body are called after the loop
            parts = parts[len(around):]
        for part in parts:
            if part != _GRADIENT:
                scope = module.scope(scope, part)
        return scope


def _called(op_type):
    return "PartitionedCall" if op_type == "StatefulPartitionedCall" else op_type
