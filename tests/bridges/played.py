"""Hook calls as TensorFlow makes them, without it: tensors, variables, ops and tapes that only the bridge's module knows."""
import array

from tapescope import _tapescope as module

NAMES = [None, "float32", "float64", "int32"]
FLOAT, INT, RESOURCE = 1, 3, 20


class Tensor:
    """What the hooks ask of a tensor: its identity, element type and shape."""
    count = 0

    def __init__(self, shape=(), dtype=FLOAT):
        Tensor.count += 1
        self._id, self._shape, self._dtype = Tensor.count, shape, dtype

    def _datatype_enum(self):
        return self._dtype

    def _shape_tuple(self):
        return self._shape


class Held(array.array):
    """A tensor whose values can be read: one with a buffer."""

    def __new__(cls, values):
        made = super().__new__(cls, "f", values)
        Tensor.count += 1
        made._id = Tensor.count
        return made

    def _datatype_enum(self):
        return FLOAT

    def _shape_tuple(self):
        return (len(self),)


class Variable:
    """A variable that C++ reads itself: it is among the arguments of an op, and its value among the inputs."""

    def __init__(self, name, trainable=True):
        self.name, self.trainable, self._handle = name, trainable, Tensor((), RESOURCE)

    @property
    def handle(self):
        return self._handle


def define(variable):
    handle = module.find(variable.handle) or module.handle_made(variable.handle._id, module.type("resource", ()), module.site())
    module.variable(handle, variable.name, variable.trainable, module.type("float32", ()))
    return handle


def rule(op_type):
    return {"Floor": 0xFFFFFFFF, "StopGradient": 0x7FFFFFFF}.get(op_type, 0)


def op(op_type, *arguments, attributes=None, output=None, values=None):
    """An eager op on the fast path: begins, runs, is announced; returns its output. `values`: of the variables among its arguments."""
    output, attributes = Tensor() if output is None else output, attributes or (op_type, object())

    def original(context, name, scope, *given):
        inputs = tuple(item if isinstance(item, (Tensor, Held)) else Tensor() if values is None else Held(values) for item in given)
        module.op_callback(op_type, inputs, attributes, [output])
        return output
    return module.wrap_fast_path(original)(None, op_type, None, *arguments)


def step_back(op_type, attributes, inputs, output, cotangents, results):
    """The backward step of an op, with what its gradient function is given and returns."""
    def original(*_):
        return results
    return module.wrap_gradient(original)(op_type, attributes, len(inputs), inputs, [output], cotangents, None, "")


def configure(user, eager=Tensor, **changed):
    """Sets the hooks' callbacks; the program is what stands in the file `user`."""
    settings = {"eager": eager, "dtypes": NAMES + [None] * 16 + ["resource"], "readable": eager is not Tensor, "is_user": lambda path: path == user,
                "rule": rule, "variable": define, "graph": lambda *_: None, **changed}
    module.configure(**settings)


class Question:
    """A tape's block, and the question after it."""

    def __init__(self):
        self.tape = module.tape_made(False, True)

    def __enter__(self):
        module.tape_enter(self.tape, False)
        return self

    def __exit__(self, *_):
        module.tape_exit(self.tape)

    def watch(self, tensor):
        module.watch(self.tape, module.tensor(tensor), module.type("float32", ()))

    def ask(self, target, sources, answers):
        call = module.ask(self.tape, 0, 1, len(sources))
        module.target(module.tensor(target), "loss")
        ids = [define(item) if isinstance(item, Variable) else module.tensor(item) for item in sources]
        for index, (number, item) in enumerate(zip(ids, sources)):
            if isinstance(item, Tensor):
                module.tensor_name(number, "x")
            module.source(index, number, getattr(item, "name", "x"))
        module.backward_begin(self.tape, call)
        module.backward_end(self.tape, call, False)
        module.tape_consumed(self.tape)
        for index, (number, item, answer) in enumerate(zip(ids, sources, answers)):
            module.result(index, number, getattr(item, "name", "x"), 0 if answer is None else 1, answer)
