"""Runs a TensorFlow program and notes its ops, tapes, questions, traces and host reads, without the debugger.

Everything is patched for one run inside `Observation.run()` and restored afterwards. Tensors are kept for
the whole run, so that a tape around it (the witness) can be asked afterwards what was on the way.
"""

import contextlib
import functools
import inspect
import pathlib
import sys
import threading
import types
import unittest.mock

import numpy as np
import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, record
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.framework import op_callbacks, ops

import instrument

Function = polymorphic_function.Function
Tape = backprop.GradientTape


def plain(value):
    """A tensor's or variable's values as NumPy, without counting as a read by the program."""
    value = getattr(value, "value", value) if not isinstance(value, tf.Tensor) else value
    value = value() if callable(value) else value
    value = value.values if isinstance(value, tf.IndexedSlices) else value
    return value._numpy_internal() if hasattr(value, "_numpy_internal") else np.asarray(value)


def numbers(value):
    """As float64 or complex, or None where there are none to calculate with."""
    if getattr(value, "dtype", None) in (tf.resource, tf.variant, tf.string):
        return None
    array = plain(value)
    if array.dtype.kind not in "fciub" and array.dtype.name != "bfloat16":
        return None
    return array.astype(complex if array.dtype.kind == "c" else float)


def status(gradient):
    if gradient is None:
        return "none"
    values = numbers(gradient)
    if not np.isfinite(values).all():
        return "nonfinite"
    return "value" if values.any() else "zero"


def raw(value):
    """The tf.Variable inside a Keras one."""
    inner = getattr(value, "value", None)
    return inner if isinstance(inner, tf.Variable) else value


def tensor_id(value):
    value = raw(value)
    return value.handle._id if isinstance(value, tf.Variable) else value._id


class NumPyReads:
    """NumPy as a program sees it; notes functions that are given a tensor, which read its buffer."""

    def __init__(self, note):
        self.note = note

    def __getattr__(self, name):
        found = getattr(np, name)
        if not callable(found) or isinstance(found, type):
            return found

        def call(*args, **options):
            if any(isinstance(value, ops.EagerTensor) for value in tf.nest.flatten((args, options))):
                self.note()
            return found(*args, **options)

        return call


class Observation:
    """One run of broken() or fixed(), as it is or with a source moved, a branch inverted, a cause undone."""

    def __init__(
        self, path, source=None, move=None, witness=False, eager=True, autograph=True, invert=None, undo=None
    ):
        self.path, self.source, self.move, self.witness_wanted = pathlib.Path(path), source, move, witness
        self.eager, self.autograph, self.invert, self.undo = eager, autograph, invert, undo
        self.lines = instrument.statement_lines(self.path)
        self.ops, self.steps, self.tapes, self.asks, self.calls, self.reads = [], [], {}, [], [], []
        self.made, self.later, self.moved = [], {}, set()
        self.clock, self.tracing, self.muted = 0, 0, threading.local()
        self.result = self.raised = self.witness = None

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

    def tick(self):
        self.clock += 1
        return self.clock

    # Sources.
    def wanted(self, value, name):
        if self.source is None:
            return False
        parts = self.source.split("/")
        if name is not None and name == parts[-1]:
            return True
        given = getattr(value, "path", None) or str(getattr(value, "name", "")).split(":")[0]
        return (
            given == self.source
            or given.split("/")[-2:] == parts[-2:]
            and len(parts) > 1
            or given == parts[-1]
        )

    def on_made(self, value, name, line):
        parts = (self.source or "").split("/")
        if (
            len(parts) > 1
            and hasattr(value, "weights")
            and hasattr(value, "build")
            and value.name == parts[-2]
        ):
            build = value.build

            @functools.wraps(build)
            def built(*args, **options):
                build(*args, **options)
                for weight in value.weights:
                    if weight.name == parts[-1]:
                        self.on_made(weight, parts[-1], line)

            value.build = built
            return value
        if getattr(value, "_value", self) is None and self.wanted(value, name):  # Keras makes it later
            if id(value) not in self.later:
                initialize = value._deferred_initialize
                value._deferred_initialize = lambda: (initialize(), self.on_made(value, name, line))
                self.later[id(value)] = self.stack()
            return value
        kept = isinstance(value, (tf.Variable, tf.Tensor)) or isinstance(raw(value), tf.Variable)
        if (
            not kept
            or not self.wanted(value, name)
            or isinstance(value, tf.Tensor)
            and not hasattr(value, "_numpy")
        ):
            return value
        if self.move and id(value) not in self.moved:
            steps = tf.linspace(1.0, 2.0, int(np.prod(value.shape))) if value.shape else tf.constant(1.0)
            delta = tf.cast(self.move * tf.reshape(steps, value.shape), value.dtype)
            if isinstance(value, tf.Tensor):
                value = value + delta
            else:
                value.assign(value + delta)
            self.moved.add(id(value))
        if self.witness is not None and value.dtype in (tf.float32, tf.float16, tf.float64, "float32"):
            self.original_tape["watch"](self.witness, raw(value))
        self.made.append((value, self.later.get(id(value)) or self.stack(), self.tick()))
        return value

    # Hooks.
    def on_op(self, op_type, inputs, attrs, outputs, op_name=None, graph=None):
        if graph is not None or getattr(self.muted, "on", False):
            return
        op_type = op_type.decode() if isinstance(op_type, bytes) else op_type
        active = {tape: "paused" if getattr(tape, "paused_now", 0) else "on" for tape in self.active()}
        self.ops.append(
            types.SimpleNamespace(
                type=op_type,
                inputs=list(inputs),
                outputs=list(outputs or ()),
                stack=self.stack(),
                time=self.tick(),
                tapes=active,
                asking=getattr(self.muted, "asking", None),
                thread=threading.current_thread() is threading.main_thread(),
                tracing=self.tracing > 0,
            )
        )

    def active(self):
        return [
            tape
            for tape, facts in self.tapes.items()
            if facts["open"]
            and facts["thread"] == threading.get_ident()
            and (tape._recording or getattr(tape, "paused_now", 0))
        ]

    def watch_tape(self, mock):
        note = self

        def init(tape, persistent=False, watch_accessed_variables=True):
            original["__init__"](tape, persistent, watch_accessed_variables or note.undo == "watch_disabled")
            note.tapes[tape] = {
                "entered": [],
                "left": [],
                "watched": [],
                "resets": [],
                "open": False,
                "thread": None,
                "stack": note.stack(),
                "persistent": persistent,
                "automatic": watch_accessed_variables,
            }

        def enter(tape):
            note.tapes[tape].update(open=True, thread=threading.get_ident())
            note.tapes[tape]["entered"].append(note.tick())
            return original["__enter__"](tape)

        def leave(tape, *args):
            note.tapes[tape]["open"] = False
            note.tapes[tape]["left"].append(note.tick())
            return original["__exit__"](tape, *args)

        def watch(tape, tensors):
            for tensor in tf.nest.flatten(tensors):
                note.tapes[tape]["watched"].append((tensor_id(tensor), note.tick()))
            return original["watch"](tape, tensors)

        def reset(tape):
            note.tapes[tape]["resets"].append((note.stack(), note.tick()))
            if note.undo != "reset":
                original["reset"](tape)

        @contextlib.contextmanager
        def pause(tape):
            if note.undo == "paused":
                yield
                return
            tape.paused_now = getattr(tape, "paused_now", 0) + 1
            try:
                with original["stop_recording"](tape):
                    yield
            finally:
                tape.paused_now -= 1

        def gradient(tape, target, sources, *args, **options):
            ask = types.SimpleNamespace(
                tape=tape,
                target=target,
                sources=tf.nest.flatten(sources),
                stack=note.stack(),
                keys=sorted(sources) if isinstance(sources, dict) else [],
                time=note.tick(),
                raised=None,
                results=None,
                outer=note.active(),
            )
            note.asks.append(ask)
            before, note.muted.asking = getattr(note.muted, "asking", None), ask
            try:
                result = original["gradient"](tape, target, sources, *args, **options)
            except Exception as error:
                ask.raised = type(error).__name__
                raise
            finally:
                note.muted.asking = before
            ask.results = tf.nest.flatten(result, expand_composites=False)
            return result

        def asking(name):
            """A Jacobian is one question, however many it asks within."""

            def ask(tape, target, sources, *args, **options):
                whole = types.SimpleNamespace(
                    tape=tape, target=target, sources=tf.nest.flatten(sources), stack=note.stack(), keys=[],
                    time=note.tick(), raised=None, results=None, outer=note.active(),
                )
                before, note.muted.asking = getattr(note.muted, "asking", None), whole
                try:
                    return original[name](tape, target, sources, *args, **options)
                finally:
                    note.muted.asking = before

            return ask

        replaced = {
            "jacobian": asking("jacobian"),
            "batch_jacobian": asking("batch_jacobian"),
            "__init__": init,
            "__enter__": enter,
            "__exit__": leave,
            "watch": watch,
            "reset": reset,
            "stop_recording": pause,
            "gradient": gradient,
        }
        original = {name: getattr(Tape, name) for name in replaced}
        self.original_tape = original
        for name, function in replaced.items():
            mock.enter_context(unittest.mock.patch.object(Tape, name, function))

    def watch_backward(self, mock):
        original = backprop._gradient_function

        def step(op_name, attrs, count, inputs, outputs, upstream, skip, scope):
            results = original(op_name, attrs, count, inputs, outputs, upstream, skip, scope)
            if all(isinstance(g, ops.EagerTensor) or g is None for g in upstream or ()):
                kept = list(results) if isinstance(results, (list, tuple)) else [results]
                self.steps.append(
                    types.SimpleNamespace(
                        op=op_name,
                        inputs=list(inputs or ()),
                        outputs=list(outputs or ()),
                        upstream=list(upstream),
                        results=kept,
                        asking=getattr(self.muted, "asking", None),
                        time=self.tick(),
                    )
                )
            if self.undo and self.undo[0] == "fill" and op_name == self.undo[1]:
                return [
                    tf.zeros_like(value) if result is None and value is not None else result
                    for value, result in zip(inputs, results)
                ]
            return results

        pywrap_tfe.TFE_Py_RegisterGradientFunction(step)
        mock.callback(pywrap_tfe.TFE_Py_RegisterGradientFunction, original)

    def watch_functions(self, mock):
        original, note = Function.__call__, self

        def call(function, *args, **options):
            if note.eager:
                return original(function, *args, **options)
            before = function.experimental_get_tracing_count()
            note.tracing += 1
            stack = note.stack()
            try:
                return original(function, *args, **options)
            finally:
                note.tracing -= 1
                python = function.python_function
                wrapped = getattr(python, "__wrapped__", python)
                name = getattr(wrapped, "__name__", "?")
                with contextlib.suppress(TypeError):
                    bound = inspect.signature(python).bind(*args, **options)
                    bound.apply_defaults()
                    note.calls.append(
                        types.SimpleNamespace(
                            name=name,
                            function=function,
                            stack=stack,
                            arguments={  # a program may go on to change a list in place
                                name: value.copy() if isinstance(value, (list, dict)) else value
                                for name, value in bound.arguments.items()
                            },
                            traces=function.experimental_get_tracing_count() - before,
                            scope=(tf.distribute.get_strategy().__class__.__name__, tf.distribute.in_cross_replica_context()),
                        )
                    )

        mock.enter_context(unittest.mock.patch.object(Function, "__call__", call))
        if not self.autograph:  # converted code has lines that are not the program's
            make = Function.__init__

            def without(function, *args, **options):
                make(function, *args, **{**options, "autograph": False})

            mock.enter_context(unittest.mock.patch.object(Function, "__init__", without))

    def watch_host(self, mock):
        base = next(c for c in ops.EagerTensor.__mro__ if "_numpy" in vars(c))
        original = base._numpy

        def read(tensor):
            self.reads.append((self.stack(), self.tracing > 0, self.tick()))
            return original(tensor)

        mock.enter_context(unittest.mock.patch.object(base, "_numpy", read))
        inside = tf.numpy_function

        def numpy_function(*args, **options):
            self.read_by_numpy()
            return inside(*args, **options)

        mock.enter_context(unittest.mock.patch.object(tf, "numpy_function", numpy_function))

    def read_by_numpy(self):
        self.reads.append((self.stack(), self.tracing > 0, self.tick()))

    def undo_at_line(self, mock):
        """Replaces what a marked line calls by something that lets the gradient through."""
        kind, *rest = self.undo if isinstance(self.undo, tuple) else (self.undo,)
        if kind == "call":
            name, line, instead = rest
            owner = tf.Tensor if name.startswith("__") else tf  # an operator, or a function
            original = getattr(owner, name)

            def replaced(*args, **options):
                return (instead if self.at(self.stack(), line) else original)(*args, **options)

            mock.enter_context(unittest.mock.patch.object(owner, name, replaced))
        elif kind == "custom":
            original = record.record_operation

            def recorded(op_type, output_tensors, input_tensors, backward_function, forward_function=None):
                def filled(*upstream):
                    results = backward_function(*upstream)
                    return [
                        tf.zeros_like(value) if result is None else result
                        for value, result in zip(input_tensors, results)
                    ]

                wrapped = filled if op_type == rest[0] else backward_function
                return original(op_type, output_tensors, input_tensors, wrapped, forward_function)

            mock.enter_context(unittest.mock.patch.object(record, "record_operation", recorded))
        elif kind == "thread":
            import concurrent.futures

            def submit(_, work, *args, **options):
                future = concurrent.futures.Future()
                future.set_result(work(*args, **options))
                return future

            mock.enter_context(
                unittest.mock.patch.object(threading.Thread, "start", lambda thread: thread.run())
            )
            mock.enter_context(
                unittest.mock.patch.object(threading.Thread, "join", lambda thread, timeout=None: None)
            )
            mock.enter_context(
                unittest.mock.patch.object(concurrent.futures.ThreadPoolExecutor, "submit", submit)
            )

    def run(self, which="broken"):
        with contextlib.ExitStack() as mock:
            tf.config.run_functions_eagerly(self.eager)
            mock.callback(tf.config.run_functions_eagerly, False)
            for hook in (
                self.watch_tape,
                self.watch_backward,
                self.watch_functions,
                self.watch_host,
                self.undo_at_line,
            ):
                hook(mock)
            start = threading.Thread.start

            def started(thread):
                work = thread.run

                def run():
                    op_callbacks.add_op_callback(self.on_op)
                    work()
                    op_callbacks.remove_op_callback(self.on_op)

                thread.run = run
                start(thread)

            if self.undo != ("thread",):
                mock.enter_context(unittest.mock.patch.object(threading.Thread, "start", started))
            if self.witness_wanted:
                self.witness = Tape.__new__(Tape)
                self.original_tape["__init__"](self.witness, persistent=True)
                self.original_tape["__enter__"](self.witness)
                mock.callback(self.original_tape["__exit__"], self.witness, None, None, None)
            op_callbacks.add_op_callback(self.on_op)
            mock.callback(op_callbacks.remove_op_callback, self.on_op)
            try:
                program = instrument.load(self.path, self.on_made, self.invert)
                if program.get("np") is np:
                    program["np"] = NumPyReads(self.read_by_numpy)
                self.result = program[which]()
            except Exception as error:
                self.raised = type(error).__name__
                self.error = error
        return self

    # What is known afterwards.
    def statuses(self):
        return {name: status(gradient) for name, gradient in (self.result or {}).items()}

    def question(self):
        """The last question about the source, with the object that was asked for."""
        found = {tensor_id(value): value for value, _, _ in self.made}
        for ask in reversed(self.asks):
            for place, value in enumerate(ask.sources):
                if tensor_id(value) in found or ask.keys[place : place + 1] == [self.source]:
                    return ask, value
        return None, None

    def ops_at(self, line):
        return [op for op in self.ops if self.at(op.stack, line)]

    def connected(self, op, ask, source):
        """Whether the value that an op made depends on the source and the target on it, by the witness."""
        if any(value is ask.target for value in op.outputs) or not self.witness:
            return True
        floats = [value for value in op.outputs if value.dtype.is_floating]
        to_source = [g for value in floats if (g := self.ask_witness(value, source)) is not None]
        to_target = [g for value in floats if (g := self.ask_witness(ask.target, value)) is not None]
        return bool(to_source and to_target)

    def ask_witness(self, target, source, upstream=None):
        try:
            return self.original_tape["gradient"](self.witness, target, raw(source), upstream)
        except (LookupError, RuntimeError):  # an op without a gradient; one that wants its strategy
            return None
