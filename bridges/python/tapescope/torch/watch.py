"""Calls of the program that concern tensors, as a mode of torch functions sees them."""
import math
import sys
import threading

import torch
from torch.overrides import TorchFunctionMode

from tapescope import _tapescope as module
from tapescope.torch.constants import digest_of
from tapescope.torch.flow import Op, here, is_user_code
from tapescope.torch.look import look

READS = frozenset(("item", "tolist", "numpy", "__array__", "__float__", "__int__", "__index__", "__complex__"))
TESTS = frozenset(("__bool__", "equal", "allclose", "is_nonzero"))
# Properties that make another tensor.
VIEWS = frozenset(("data", "T", "mT", "H", "mH", "real", "imag"))
# Calls that neither read values nor make tensors that matter.
SILENT = frozenset((
    "requires_grad_", "retain_grad", "register_hook", "register_post_accumulate_grad_hook", "dim", "size", "numel", "is_floating_point", "is_complex", "__len__",
    "__hash__", "__repr__", "__format__", "stride", "storage_offset", "is_contiguous", "element_size", "data_ptr", "untyped_storage", "get_device", "ndimension",
    "nelement", "type", "__reduce_ex__", "is_set_to", "storage", "is_inference", "is_signed", "is_same_size", "is_nonzero", "set_grad_enabled", "_is_view",
    "__dir__", "has_names", "is_shared", "share_memory_", "is_pinned", "result_type", "can_cast", "manual_seed", "get_default_dtype", "is_tensor", "dense_dim"))
_HOOKS = frozenset(("register_hook", "register_post_accumulate_grad_hook"))
_SWITCHES = _HOOKS | {"requires_grad_", "retain_grad"}
CREATES = frozenset(("tensor", "as_tensor", "from_numpy", "asarray", "frombuffer", "scalar_tensor", "full", "full_like", "new_tensor", "new_full", "Tensor"))
_UNSET = frozenset(("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted"))  # what they return holds any bytes
# Calls that take the shape and type of their arguments, not the values; how many of the first they take all the same.
SHAPES = {"zeros_like": 0, "ones_like": 0, "empty_like": 0, "full_like": 0, "rand_like": 0, "randn_like": 0, "randint_like": 0, "new_zeros": 0, "new_ones": 0,
          "new_empty": 0, "new_full": 0, "view_as": 1, "expand_as": 1, "reshape_as": 1, "type_as": 1, "sum_to_size": 1, "resize_as_": 1}
_IN_PLACE = frozenset(("__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__", "__ifloordiv__", "__imod__", "__iand__", "__ior__",
                       "__ixor__", "__imatmul__"))
_PICKLES = getattr(getattr(torch.Tensor, "_reduce_ex_internal", None), "__code__", None)  # no mode sees it, but what it asks of the tensor
_local = threading.local()


def writes(name):
    return name in _IN_PLACE or (name.endswith("_") and not name.startswith("__") and not name.endswith("__") and name not in SILENT)


class quiet:  # a context manager, in lower case as those of the standard library
    """What runs inside is ours: no mode sees it, and nothing of it is recorded."""
    __slots__ = ("before", "functions", "dispatch")

    def __enter__(self):
        self.before = getattr(_local, "muted", False)
        _local.muted = True
        self.functions, self.dispatch = torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch()
        self.functions.__enter__()
        self.dispatch.__enter__()

    def __exit__(self, *_):
        self.dispatch.__exit__(None, None, None)
        self.functions.__exit__(None, None, None)
        _local.muted = self.before


def muted():
    return getattr(_local, "muted", False)


def tensors_in(value, found, depth=3):
    """Tensors among arguments or results, nested ones included."""
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif depth and isinstance(value, (list, tuple)):
        for item in value[:4096]:
            tensors_in(item, found, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            tensors_in(item, found, depth - 1)
    return found


def numbers_in(value, found, depth=3):
    if isinstance(value, float):
        found.append(value)
    elif depth and isinstance(value, (list, tuple)):
        for item in value[:256]:
            numbers_in(item, found, depth - 1)
    elif type(value).__module__ == "numpy" and getattr(value, "dtype", None) is not None and value.dtype.kind == "f":
        found.extend(float(item) for item in value.flat[:256]) if getattr(value, "size", 0) != 1 else found.append(float(value))
    return found


def _first(args, kwargs):
    """The tensor that a call in place writes: its first argument."""
    first = args[0] if args else next(iter(kwargs.values()), None)
    return first if isinstance(first, torch.Tensor) else None


def _taken(name, args, kwargs):
    """The tensors of whose values the call makes something."""
    first, end = (1, None) if name == "new_tensor" else (0, SHAPES.get(name))
    return tensors_in(kwargs, tensors_in(args[first:end], []))


def _version(tensor):
    """How often the tensor was changed in place; None where that is not counted."""
    return None if tensor.is_inference() else tensor._version


def _is_single(name, tensor, args, kwargs):
    """Whether a softmax is over one element each, or a layer is normalised over one; cross_entropy has one over the second dimension."""
    if name == "layer_norm":
        return len(args) > 1 and math.prod(args[1]) == 1
    dim = 1 if name == "cross_entropy" else kwargs.get("dim", next((item for item in args[1:2] if isinstance(item, int)), None))
    return isinstance(dim, int) and -tensor.dim() <= dim < tensor.dim() and tensor.shape[dim] == 1


def called_by_user():
    """Whether the program itself, not a library, made the call that the mode was given."""
    frame = sys._getframe(2)
    ours = (__file__, torch.overrides.__file__, torch._tensor.__file__)
    while frame is not None and frame.f_code.co_filename in ours:
        frame = frame.f_back
    return frame is not None and is_user_code(frame.f_code)


class Watch(TorchFunctionMode):
    """Hands each call to the watcher, unless it is ours."""

    def __init__(self, watcher):
        super().__init__()
        self.watcher = watcher

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if muted() or module.is_muted() or self.watcher.state.off:
            return func(*args, **kwargs)
        return self.watcher.call(func, args, kwargs)


class Watcher:
    """Makes ops of calls."""

    def __init__(self, flow, questions, nodes, numbers, state):
        self.flow, self.questions, self.nodes, self.numbers, self.state = flow, questions, nodes, numbers, state

    def call(self, func, args, kwargs):
        name = getattr(func, "__name__", "") or str(func)
        if name == "__get__" or name == "__set__":
            return self.attribute(func, args, kwargs, getattr(func.__self__, "__name__", ""), name == "__set__")
        if name == "_set_grad_enabled" and args[:1] == (False,):
            self._guarded(self.switched_off)
        if name in SILENT or self.state.is_inside():
            if name not in _SWITCHES:
                if name == "storage_offset" and sys._getframe(2).f_code is _PICKLES and not self.state.is_inside():
                    self._guarded(self.pickled, args[0])
                return func(*args, **kwargs)
            return self.switch(func, name, args, kwargs)
        if name.startswith("set_."):  # followed by which of several it is
            name = "set_"
        if name == "backward" or (name == "grad" and func is torch.autograd.grad):
            return self.questions.ask(func, name, args, kwargs)
        return self.op(func, name, args, kwargs)

    def _guarded(self, action, *arguments):
        """Runs a hook of ours; its errors are counted and never reach the program."""
        try:
            with quiet():
                return action(*arguments)
        except Exception as error:
            self.state.failed(error)
            return None

    def attribute(self, func, args, kwargs, name, sets):
        if sets:
            return self.switch(func, name, args, kwargs) if name in ("grad", "requires_grad", "data") else func(*args, **kwargs)
        if name in VIEWS:
            return self.op(func, "data" if name == "data" else name, args, kwargs)
        result = func(*args, **kwargs)
        if name == "grad" and not self.state.is_inside():
            if result is None:
                if called_by_user():
                    self._guarded(self.questions.read_none, args[0])
            else:
                self._guarded(self.questions.read, args[0], result, called_by_user())
        return result

    def switch(self, func, name, args, kwargs):
        """A call that changes how a tensor is treated, not what it holds."""
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self._guarded(self.refused, name, error, args, kwargs)
            raise
        self._guarded(self.switched, name, args, kwargs)
        return result

    def refused(self, name, error, args, kwargs):
        lines = here()
        given = [self.flow.value(item, lines) for item in args[:1] if isinstance(item, torch.Tensor)]
        self.questions.raised_in(Op(name, "op", given, lines, self.flow.tick()), error, args, kwargs)

    def set_within(self, func, args):
        """A gradient is exchanged while backward runs."""
        cleared = args[1] is None and isinstance(args[0], torch.Tensor) and args[0].grad is not None
        result = func(*args)
        if cleared:
            self._guarded(self.cleared, args[0])
        return result

    def cleared(self, tensor):
        who = self.flow.value(tensor).who
        who.cleared, who.cleared_at, who.had_grad = here(), self.flow.tick(), False

    def pickled(self, tensor):
        lines = here()
        self.numbers.saved(tensor, Op("__reduce_ex__", "read", [self.flow.value(tensor, lines)], lines, self.flow.tick()))

    def switched_off(self):
        self.state.here.off = here()

    def switched(self, name, args, kwargs):
        tensor = args[0]
        if not isinstance(tensor, torch.Tensor):
            return
        lines = here()
        who = self.flow.value(tensor, lines).who
        if name == "retain_grad":
            who.retains = True
        elif name in _HOOKS:
            who.hooked = lines
        elif name == "grad":
            if args[1] is None:
                if who.had_grad:
                    who.cleared, who.cleared_at = lines, self.flow.tick()
                who.had_grad = False
            else:
                who.had_grad, who.cleared = True, None
        elif name == "data":
            others = [item for item in args[1:] if isinstance(item, torch.Tensor)]
            op = Op("data", "op", [self.flow.value(item) for item in others], lines, self.flow.tick())
            op.target, op.grad = who, False
            who.storage = self.flow.storage_of(tensor)
            self.flow.wrote(tensor, op)
            self.flow.add(op)
        else:
            wanted = tensor.requires_grad
            if wanted:
                who.wants_on = (self.flow.tick(), lines)
            else:
                who.wants_off = lines
            who.wants = wanted
            if wanted and who.leaf:  # what used it before did not record it: from here on it is another value
                old = self.flow.known(tensor)
                old.wants = True

    def op(self, func, name, args, kwargs):
        found = None
        try:
            with quiet():
                found = self.before(name, args, kwargs)
        except Exception as error:
            self.state.failed(error)
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            if found is not None:
                self._guarded(self.questions.raised_in, found, error, args, kwargs)
            raise
        if found is not None:
            self._guarded(self.after, found, args, kwargs, result)
        return result

    def before(self, name, args, kwargs):
        inputs = _taken(name, args, kwargs)
        lines = here()
        kind = "read" if name in READS else "test" if name in TESTS else "create" if name in CREATES else "op"
        op = Op(name, kind, [self.taken(tensor, lines) for tensor in inputs], lines, self.flow.tick())
        if kind == "op" and writes(name) and inputs:
            written = _first(args, kwargs)
            op.target = self.flow.value(written).who if written is not None else None
        given = []
        if kind in ("create", "op"):
            for item in args[:8]:
                numbers_in(item, given)
            if kind == "create":
                numbers_in(kwargs.get("data"), given)
        named = numbers_in(list(kwargs.values()), [])  # most are settings: of these only what left before counts
        if given or named:
            op.host = tuple(self.numbers.find([*given, *named]))
        if given and not op.host and op.facts is None:
            op.facts = "number"
        if ("mul" in name or "lerp" in name) and any(type(item) in (int, float) and item == 0 for item in args[:3]):
            op.facts = "zero"
        if self.state.here.recomputed:
            op.facts = "checkpoint"
        elif ("softmax" in name or name in ("cross_entropy", "layer_norm")) and inputs and _is_single(name, inputs[0], args, kwargs):
            op.facts = "single"
        op.versions = [_version(tensor) for tensor in inputs]
        if not op.grad:
            op.off = self.state.here.off
        op.seqs = self.nodes.next()
        return op

    def taken(self, tensor, lines):
        value = self.flow.value(tensor, lines)
        if value.op is None or value.who.leaf:
            value.bad = look(tensor)
        return value

    def after(self, op, args, kwargs, result):
        if op.kind == "read":
            self.numbers.left(op, result)
            if op.inputs:
                self.flow.add(op)
            return
        if op.kind == "test" and op.name == "__bool__":
            self.numbers.left(op, None)
        self.written_inside(op, args, kwargs)
        outputs = tensors_in(result, [])
        if kwargs.get("out") is not None:
            outputs = tensors_in(kwargs["out"], [])
            op.target = self.flow.value(outputs[0]).who if outputs else None
        written = (outputs[0] if kwargs.get("out") is not None else _first(args, kwargs)) if op.target is not None else None
        if written is not None:
            if op.name == "set_":
                self.unpickled(op, written)
            self.flow.wrote(written, op).bad = look(written)
            outputs = [written]
        else:
            for slot, tensor in enumerate(outputs):
                made = self.flow.made(tensor, op, slot)
                made.bad = 0 if op.name in _UNSET else look(tensor)
                made.same = digest_of(op, tensor)
        if not op.inputs and not outputs:
            return
        if op.kind == "create" and not op.inputs and not op.host:
            op.facts = "host"
        self.flow.add(op)
        self.nodes.watch(op, outputs)

    def unpickled(self, op, tensor):
        """A tensor is set to other memory, as what is loaded is."""
        op.target.storage = self.flow.storage_of(tensor)
        read = self.numbers.loaded(tensor)
        if read is not None:
            op.host, op.facts = (read,), "loaded"

    def written_inside(self, op, args, kwargs):
        """Notes tensors that a call changed in place, of which its name says nothing: an embedding that scales its weights, a list of tensors."""
        for tensor, before in zip(_taken(op.name, args, kwargs), op.versions):
            if before is not None and _version(tensor) != before:
                who = self.flow.value(tensor).who
                if who is not op.target:
                    write = Op(op.name, "write", [], op.lines, self.flow.tick())
                    write.target = who
                    self.flow.writes.append(write)
