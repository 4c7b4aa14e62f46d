"""Runs a PyTorch program and notes its ops, questions, host reads and compilations, without the debugger.

Everything is patched for one run inside `Observation.run()` and restored afterwards. Tensors are kept for
the whole run, so that identity and the backward graph can be looked at when it is over.
"""

import contextlib
import functools
import gc
import pathlib
import runpy
import sys
import types
import unittest.mock

import torch
import torch.utils.checkpoint
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import instrument

READS = ("item", "tolist", "numpy", "__array__", "__float__", "__int__", "__bool__", "__index__")
# Calls that read no values of their arguments.
SILENT = ("requires_grad_", "retain_grad", "register_hook", "dim", "size", "numel", "is_floating_point")
SILENT += ("is_contiguous", "is_complex", "backward", "grad", "new", "view_as", "expand_as")
SILENT += ("zeros_like", "ones_like", "full_like")
MUTE = (".get", ".set")  # reads and writes of attributes, but for `data`


class Note(types.SimpleNamespace):
    """What was seen once; equal to itself alone, as its tensors cannot be compared."""

    __eq__, __hash__ = object.__eq__, object.__hash__


class Nothing(contextlib.ContextDecorator):
    """Stands in for a context that is undone."""

    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def tensors(value):
    """All tensors in arguments or results, nested lists and dicts included."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple, set)):
        return []
    return [found for part in value for found in tensors(part)]


def floating(values):
    """Those that hold floating point numbers; zeros that autograd makes without memory, and their shapes, do not."""
    return [v for v in tensors(values) if v.is_floating_point() and not v._is_zerotensor() and not v.is_meta]


def snapshot(value):
    with torch._C.DisableTorchFunction():
        return value.detach().clone()


def status(gradient):
    if gradient is None:
        return "none"
    if not torch.isfinite(gradient.float()).all():
        return "nonfinite"
    return "value" if gradient.any() else "zero"


def has_nan(values):
    return any(v.is_floating_point() and torch.isnan(v).any() for v in values)


def storage(value):
    try:
        with torch._C.DisableTorchFunction():
            return value.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError):  # of a function transform
        return None


def node_of(value):
    try:
        return value.grad_fn
    except RuntimeError:  # a view made in no_grad of what was written since
        return None


def nodes_of(values, stop=()):
    """The backward graph below tensors, as far as the nodes in `stop`."""
    pending = [node for node in map(node_of, values) if node is not None]
    found = set()
    while pending:
        node = pending.pop()
        if node not in found and node not in stop:
            found.add(node)
            pending += [following for following, _ in node.next_functions if following is not None]
    return found


def reaches(values, source):
    """Whether backward from tensors arrives at a source."""
    if any(value is source for value in values):
        return True
    nodes = nodes_of(values)
    return source.grad_fn in nodes or any(getattr(node, "variable", None) is source for node in nodes)


def writes(op_name):
    dunder = op_name.startswith("__")
    return (
        op_name == "__setitem__"
        or (dunder and op_name[2:3] == "i" and op_name[2:-2] in ("iadd", "isub", "imul", "itruediv", "ipow"))
        or (op_name.endswith("_") and not dunder and op_name not in SILENT)
    )


class _Steps:
    """Calls a function after each step of any optimizer, until it is closed."""

    def __init__(self, work):
        self.handle = register_optimizer_step_post_hook(lambda *given: work())

    def close(self):
        self.handle.remove()


class Watch(TorchFunctionMode):
    def __init__(self, note):
        super().__init__()
        self.note = note

    def __torch_function__(self, func, kinds, args=(), kwargs=None):
        return self.note.on_call(func, args, kwargs or {})


class Dispatch(TorchDispatchMode):
    def __init__(self, note):
        super().__init__()
        self.note = note

    def __torch_dispatch__(self, func, kinds, args=(), kwargs=None):
        inputs = floating(args)
        clean, had_nan = all(torch.isfinite(v).all() for v in inputs), has_nan(inputs)  # as before a write in place
        result = func(*args, **(kwargs or {}))
        note, node = self.note, torch._C._current_autograd_node()
        note.executed += 1
        note.executed_backward += node is not None
        bad = [v for v in floating(result) if not torch.isfinite(v).all()]
        name = func.overloadpacket.__name__
        if "empty" not in name:  # memory as it was found
            if bad and clean and note.first is None:
                note.first = Note(name=name, node=node, stack=note.stack())
            if note.first_nan is None and has_nan(bad) and not had_nan:
                note.first_nan = Note(name=name, node=node, stack=note.stack())
        return result


class Observation:
    """One run of broken() or fixed(): plain, or with a source moved, a line pinned, a cause undone."""

    def __init__(
        self, path, source=None, candidate=None, move=None, pin=None, undo=None, invert=None, left_out=None, watch=True
    ):
        self.path, self.source, self.candidate, self.move = pathlib.Path(path), source, candidate, move
        self.pin, self.undo, self.invert, self.left_out = pin or {}, undo, invert, left_out
        self.watched, self.kept = watch, []  # how many results with a graph are alive after each step
        self.lines = instrument.statement_lines(self.path)
        self.ops, self.asks, self.nested, self.reads, self.calls, self.births = [], [], [], [], [], []
        self.candidates, self.asked, self.graphs, self.steps, self.optimizers = [], [], [], [], []
        self.known, self.passes, self.clock, self.asking = set(), {}, 0, 0
        self.executed = self.executed_backward = 0
        self.result = self.raised = self.error = self.first = self.first_nan = None

    # What the program's own frames say.
    def stack(self):
        found, frame, name = [], sys._getframe(2), str(self.path)
        while frame:
            if frame.f_code.co_filename == name:
                found.append(frame.f_lineno)
            frame = frame.f_back
        return tuple(found)

    def at(self, stack, line):
        """Whether a stack passes the statement around a line."""
        return any(number in self.lines.get(line, (line,)) for number in stack)

    def here(self, line):
        """Ops whose innermost frame of the program is the statement around a line."""
        return [op for op in self.ops if self.at(op.stack[:1], line)]

    def tick(self):
        self.clock += 1
        return self.clock

    # Sources.
    def on_made(self, value, name, line):
        if name is None:
            return value
        if isinstance(value, torch.Tensor):
            self.births.append((value, [value], self.stack()))
            self.graphs.append((len(nodes_of([value])), self.stack()))
        elif isinstance(value, torch.nn.Module):
            self.births.append((value, list(value.parameters()), self.stack()))
        elif isinstance(value, torch.optim.Optimizer):
            self.optimizers.append(value)
        root, *path = (self.source or "").split(".")
        if name == root:
            found = functools.reduce(lambda part, key: getattr(part, key, None), path, value)
            if isinstance(found, torch.Tensor) and all(found is not known for known in self.candidates):
                self.candidates.append(found)
                self.on_source(found, len(self.candidates) - 1)
        return value

    def on_source(self, value, number):
        undo = self.undo and self.undo[0]
        if self.move and number == self.candidate:
            steps = torch.linspace(1.0, 2.0, value.numel()).view_as(value)
            with torch._C.DisableTorchFunction():
                value.data.add_((self.move * steps).to(value.dtype))
        if undo == "trainable" and value.is_leaf and value.is_floating_point():
            with torch._C.DisableTorchFunction():
                value.requires_grad_(True)
        if undo == "retain" and value.requires_grad:
            with torch._C.DisableTorchFunction():
                value.retain_grad()

    # Hooks.
    def on_call(self, func, args, kwargs):
        name = func.__name__
        if name in ("__get__", "__set__"):
            name = func.__self__.__name__ + (".get" if name == "__get__" else ".set")
        stack, inputs = self.stack(), tensors([args, kwargs])
        undo, place = self.undo or (None, None), self.undo and self.undo[1:] and self.undo[1]
        local = place is not None and self.at(stack[:1], place)
        around = place is not None and self.at(stack, place)
        if undo[0] == "identity" and local and name in ("detach", "data.get"):
            return args[0]
        wants = any(v.requires_grad for v in inputs)
        switches = name in ("requires_grad.set", "requires_grad_")
        if undo[0] == "trainable" and switches and args[1:] == (False,):
            return args[0] if name == "requires_grad_" else None
        if undo[0] == "keep" and around and name == "grad.set" and args[1] is None:
            return None
        # The state of an optimizer is kept: its steps divide by what it counts.
        if undo[0] == "skip" and around and writes(name) and (wants or not self.in_library()):
            return args[0]
        if undo[0] == "skip" and local and "max_norm" in kwargs:  # an embedding that scales its weight in place
            kwargs = {**kwargs, "max_norm": None}
        if undo[0] == "detach" and local and name == undo[2]:
            cut = lambda v: v.detach() if isinstance(v, torch.Tensor) and self.depends(v) else v
            args, kwargs = tuple(map(cut, args)), {key: cut(value) for key, value in kwargs.items()}
        grad_mode = torch.is_grad_enabled()
        open_grad = undo[0] == "grad" and not grad_mode and wants and not writes(name)
        with torch.enable_grad() if open_grad else contextlib.nullcontext():
            result = self.call(func, args, kwargs, name, inputs, stack)
        place = (stack[:1], name)
        number = self.passes[place] = self.passes.get(place, -1) + 1
        result = self.replay(name, args, result, self.pin.get((*place, number)))
        outputs = tensors(result) if not writes(name) and name != "data.set" else tensors(args[:1])
        if name in READS:
            self.reads.append(stack)
        if name == "grad.get" and stack and not self.in_library():
            self.asked.append(args[0])
        facts = {"place": place, "number": number, "wanted": wants, "result": None if outputs else result}
        self.ops.append(self.note(name, inputs, outputs, stack, grad=grad_mode, **facts))
        return result

    def call(self, func, args, kwargs, name, inputs, stack):
        """Runs an op; one that raises is noted too."""
        try:
            return func(*args, **kwargs)
        except Exception:
            self.ops.append(self.note(name, inputs, [], stack))
            raise

    def note(self, name, inputs, outputs, stack, **facts):
        made = nodes_of(outputs, self.known) if name not in ("backward", "grad") else set()
        self.known |= made
        defaults = {
            "place": None, "number": 0, "result": None, "custom": False, "writes": writes(name),
            "grad": torch.is_grad_enabled(), "inference": torch.is_inference_mode_enabled(),
            "wanted": any(v.requires_grad for v in inputs),
        }  # fmt: skip
        op = Note(
            name=name, inputs=inputs, outputs=outputs, stack=stack, time=self.tick(), nodes=made,
            values=[snapshot(v) for v in outputs], **{**defaults, **facts},
        )  # fmt: skip
        for node in made:
            if type(node).__name__ != "AccumulateGrad":
                node.register_hook(lambda leaving, arriving, n=node: self.on_step(op, n, arriving, leaving))
        return op

    def in_library(self):
        """Whether PyTorch itself, not the program, called the op that is announced."""
        frame = sys._getframe(2)
        between = (__file__, torch.overrides.__file__, torch._tensor.__file__)
        while frame and frame.f_code.co_filename in between:
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename != str(self.path)

    def replay(self, name, args, result, kept):
        """What an op returned in another run, in place of its result."""
        if kept is None:
            return result
        inputs = {storage(value) for value in tensors(args)}
        if writes(name) or name == "data.set":
            with torch._C.DisableTorchFunction():
                args[0].data.copy_(kept.values[0])
            return result
        if isinstance(result, tuple) and len(result) == len(kept.values) == len(tensors(result)):
            return type(result)([value.clone() for value in kept.values]) if not {storage(v) for v in result} & inputs else result
        if not isinstance(result, torch.Tensor):
            return kept.result if not tensors(result) else result
        return result if storage(result) in inputs else kept.values[0].clone()

    def on_step(self, op, node, arriving, leaving):
        keep = lambda values: [None if v is None else snapshot(v) for v in values]
        self.steps.append(
            Note(op=op, node=node, arriving=keep(arriving), leaving=keep(leaving))
        )

    def depends(self, value):
        """Whether a tensor was computed from the source so far."""
        return any(value is known for known in self.candidates) or value is self.flow(None)[2].get(id(value))

    def flow(self, source):
        """(ids, storages, tensors) of all that was computed from a source, through recorded ops alone."""
        sources = self.candidates if source is None else [source]
        found, places = {id(v): v for v in sources}, {storage(v) for v in sources}
        for op in self.ops:
            if op.name.endswith(MUTE) and op.name != "data.get":
                continue
            if any(id(v) in found or storage(v) in places for v in op.inputs):
                found.update((id(v), v) for v in op.outputs)
                places.update(storage(v) for v in op.outputs)
        return set(found), places, found

    def on_ask(self, original, kind, targets, inputs, args, kwargs):
        stack, undo = self.stack(), self.undo or (None,)
        if self.asking and kind == "backward":  # which calls itself
            return original(*args, **kwargs)
        ask = Note(
            kind=kind, targets=tensors(targets), inputs=tensors(inputs), stack=stack, time=self.tick(),
            retain=kwargs.get("retain_graph"), values=[snapshot(v) for v in tensors(targets)], raised=None,
        )  # fmt: skip
        (self.nested if self.asking else self.asks).append(ask)
        self.asked += [] if self.asking else ask.inputs
        if undo[0] == "retain_graph":
            kwargs["retain_graph"] = True
        if undo[0] == "create_graph" and self.at(stack, undo[1]):
            kwargs["create_graph"] = True
        if undo[0] == "sum" and kind == "backward" and ask.targets[0].numel() > 1:
            args, _ = (ask.targets[0].sum(),), kwargs.pop("gradient", None)
        elif undo[0] == "sum" and kind == "backward" and ask.targets[0].is_complex():
            args = (ask.targets[0].abs(),)
        self.asking += 1
        try:
            return original(*args, **kwargs)
        except Exception as error:
            ask.raised = error
            raise
        finally:
            self.asking -= 1

    def on_apply(self, original, kind, args):
        result = original(*args)
        self.ops.append(self.note(kind.__name__, tensors(args), tensors(result), self.stack(), custom=True))
        return result

    def on_update(self):
        gc.collect()
        alive = [item for item in gc.get_objects() if type(item) is torch.Tensor and node_of(item) is not None]
        self.kept.append(len(alive))

    def compiled(self, original):
        """torch.compile that counts calls and compilations; one that does nothing where ops are watched."""

        def wrap(function, options):
            if self.watched:
                return function
            inner = original(function, **options)
            name = "forward" if isinstance(function, torch.nn.Module) else function.__name__

            def call(*args, **kwargs):
                before = len(torch._dynamo.utils.get_compilation_metrics())
                stack = self.stack()
                try:
                    return inner(*args, **kwargs)
                finally:
                    new = torch._dynamo.utils.get_compilation_metrics()[before:]
                    traced = [m for m in new if m.co_name == name]
                    why = " ".join(str(m.recompile_reason) for m in traced)
                    self.calls.append(
                        Note(name=name, traces=len(traced), why=why, stack=stack)
                    )

            return call

        def compile(model=None, **options):
            return wrap(model, options) if model is not None else lambda function: wrap(function, options)

        return compile

    @contextlib.contextmanager
    def patched(self):
        backward, grad = torch.Tensor.backward, torch.autograd.grad
        apply = torch.autograd.Function.apply.__func__
        note, patch = self, unittest.mock.patch

        @functools.wraps(backward)
        def on_backward(tensor, *args, **kwargs):
            return note.on_ask(backward, "backward", tensor, (), (tensor, *args), kwargs)

        @functools.wraps(grad)
        def on_grad(outputs, inputs, *args, **kwargs):
            return note.on_ask(grad, "grad", outputs, inputs, (outputs, inputs, *args), kwargs)

        def on_apply(cls, *args):
            return note.on_apply(lambda *a: apply(cls, *a), cls, args)

        with contextlib.ExitStack() as all_of:
            use = all_of.enter_context
            use(patch.object(torch, "compile", self.compiled(torch.compile)))
            if self.undo and self.undo[0] == "inference":
                use(patch.object(torch, "inference_mode", Nothing))
            if self.undo and self.undo[0] == "grad":  # what samples without gradients, by its definition
                distribution = torch.distributions.Distribution
                use(patch.object(distribution, "sample", lambda self, shape=torch.Size(): self.rsample(shape)))
            if self.undo and self.undo[0] == "create_graph":  # what torch.autograd.functional detaches at its end
                functional = torch.autograd.functional
                use(patch.object(functional, "_grad_postprocess", lambda found, create_graph: found))
            if self.undo and self.undo[0] == "recompute":
                checkpoint = torch.utils.checkpoint.checkpoint
                without = lambda run, *args, **kwargs: checkpoint(run, *args, **{**kwargs, "use_reentrant": False})
                use(patch.object(torch.utils.checkpoint, "checkpoint", without))
            if self.undo and self.undo[0] == "mutation":
                use(torch.autograd.graph.allow_mutation_on_saved_tensors())
            if not self.watched:
                use(contextlib.closing(_Steps(self.on_update)))
            if self.watched:
                use(patch.object(torch.Tensor, "backward", on_backward))
                use(patch.object(torch.autograd, "grad", on_grad))
                use(patch.object(torch.autograd.Function, "apply", classmethod(on_apply)))
                use(Dispatch(self))
                use(Watch(self))
            yield

    def run(self, which="broken"):
        torch._dynamo.reset()
        torch._dynamo.utils.clear_compilation_metrics()
        with self.patched():
            try:
                program = (
                    instrument.load(self.path, self.on_made, self.invert)
                    if self.watched
                    else instrument.load(self.path, lambda value, name, line: value, left_out=self.left_out)
                    if self.left_out
                    else runpy.run_path(str(self.path), run_name=self.path.stem)
                )
                self.result = program[which]()
            except Exception as error:
                self.raised, self.error = type(error).__name__, error
        self.compilations = len(torch._dynamo.utils.get_compilation_metrics())
        torch.set_grad_enabled(True)
        return self

    def statuses(self):
        return {name: status(gradient) for name, gradient in (self.result or {}).items()}

    def source_tensor(self):
        """The candidate that was asked about, or the last one where the program raised first."""
        for value in reversed(self.asked):
            if any(value is known for known in self.candidates):
                return value
        return self.candidates[-1] if self.candidates else None
