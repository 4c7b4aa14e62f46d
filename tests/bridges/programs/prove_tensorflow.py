"""What a truth about a TensorFlow program claims, held against runs of the program without the debugger."""

import numpy as np
import tensorflow as tf

from observe_tensorflow import Observation, numbers, plain, raw, status, tensor_id

FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
NUMBERS = (*FLOATS, tf.complex64, tf.complex128)
# Ops without a gradient, by a function that has one, of the same shape.
SURROGATES = {
    "Floor": ("floor", lambda x: x),
    "FloorDiv": ("__floordiv__", lambda x, y: x / y),
    "Round": ("round", lambda x: x),
    "ArgMax": ("argmax", lambda x, axis=None: tf.reduce_max(x, axis)),
    "Greater": ("greater", lambda x, y: x - y),
    "LowerBound": (
        "searchsorted",
        lambda edges, values: tf.reduce_sum(tf.sigmoid(values[:, None] - edges[None, :]), axis=1),
    ),
    "Range": (
        "range",
        lambda start, limit, delta: start
        + tf.cumsum(tf.fill(tf.shape(tf.raw_ops.Range(start=start, limit=limit, delta=delta)), delta), exclusive=True),
    ),
    "PyFunc": ("numpy_function", lambda func, inp, Tout: tf.identity(inp[0])),
}
ZERO_OPS = {
    "dead_relu": ("Relu",),
    "saturated": ("Sigmoid", "Tanh", "Softmax"),
    "clipped": ("ClipByValue", "Relu6", "Minimum", "Maximum"),
    "max_loser": ("Maximum", "Minimum", "Max", "Min", "TopKV2"),
    "masked": ("Mul", "SelectV2"),
    "zero_weights": ("MatMul",),
    "sign": ("Sign", "ReluGrad"),
    "cancels": ("Sub",),
    "underflow": ("Exp", "Mul", "Square", "Mean", "Sum", "Cast"),
}


def cast_through(values, dtype, name=None):
    """tf.cast that stays in floats: what an integer cast would return, with the gradient of the identity."""
    return values + tf.stop_gradient(tf.floor(values) - values)


def differs(a, b):
    a, b = numbers(a), numbers(b)
    return a.shape != b.shape or bool((np.abs(a - b) > 1e-7 * (1.0 + np.abs(a))).any())


class Proof:
    """One program; runs are made when a claim needs them and kept."""

    def __init__(self, path):
        self.path, self.runs = path, {}

    def run(self, which="broken", **change):
        key = (which, *sorted((name, repr(value)) for name, value in change.items()))
        if key not in self.runs:
            self.runs[key] = Observation(self.path, **change).run(which)
        return self.runs[key]

    def statuses(self, which):
        run = self.run(which, eager=False)
        return run.raised or run.statuses()

    # None.
    def none(self, name, claim, line):
        """A complaint, or None where the run bears out the reason and the line."""
        reason, op_type = claim["reason"], claim.get("op")
        traced = reason == "traced_constant"
        base = self.run(source=name, witness=True, eager=not traced, autograph=not traced)
        ask, source = base.question()
        if ask is None:
            return "was never asked about"
        facts, ident = base.tapes[ask.tape], tensor_id(source)
        here = base.ops_at(line)
        around = [op for other in (line, *claim["also_lines"]) for op in base.ops_at(other)]
        if op_type and not (reason == "custom_gradient_none" or self.has_op(base, around, op_type, ident)):
            return f"runs no {op_type} on line {line}"
        born = [base.at(stack, line) for value, stack, _ in base.made if tensor_id(value) == ident]
        born.append(self.made_by(base, here, ident))
        reads = [op for op in here if any(tensor_id(value) == ident for value in op.inputs)]
        watches = [time for watched, time in facts["watched"] if watched == ident]
        connected = [op for op in here if base.connected(op, ask, source)]
        after_enter = lambda op: facts["entered"] and op.time > facts["entered"][0]
        variable = isinstance(raw(source), tf.Variable)
        moves = self.target_moves(name, claim.get("move", 1e-2))
        bridged = (
            base.ask_witness(ask.target, source) is not None if isinstance(ask.target, tf.Tensor) else False
        )
        undone = lambda *undo: self.undone(name, *undo)
        checks = {
            "not_watched": lambda: (not variable and not watches and bridged, any(born) or reads),
            "not_trainable": lambda: (
                variable and not raw(source).trainable and not watches and bridged,
                any(born) or reads,
            ),
            "watch_disabled": lambda: (
                variable and raw(source).trainable and not facts["automatic"] and not watches and bridged,
                reads or base.at(facts["stack"], line),
            ),
            "watched_too_late": lambda: (
                bridged and watches,
                [op for op in connected if ask.tape in op.tapes and op.time < watches[0]],
            ),
            "outside_tape_before": lambda: (
                bridged,
                [op for op in connected if not op.tapes and not after_enter(op) and not op.asking],
            ),
            "outside_tape_after": lambda: (
                bridged,
                [
                    op
                    for op in connected
                    if not op.tapes and facts["left"] and facts["left"][-1] < op.time < ask.time
                ],
            ),
            "paused": lambda: (
                bridged and undone("paused"),
                [op for op in connected if op.tapes.get(ask.tape) == "paused"],
            ),
            "reset": lambda: (
                bridged and undone("reset"),
                any(base.at(stack, line) for stack, _ in facts["resets"]),
            ),
            "consumed": lambda: (ask.raised == "RuntimeError" and moves, base.at(ask.stack, line)),
            "other_tape": lambda: (
                bridged,
                [op for op in connected if op.tapes and ask.tape not in op.tapes and not op.asking],
            ),
            "other_thread": lambda: (undone(("thread",)), [op for op in here if not op.thread]),
            "stop_gradient": lambda: (
                not bridged and moves,
                undone(("call", "stop_gradient", line, tf.identity)),
            ),
            "not_differentiable": lambda: (
                not bridged and moves,
                op_type in SURROGATES
                and undone(("call", SURROGATES[op_type][0], line, SURROGATES[op_type][1])),
            ),
            "argument_not_differentiable": lambda: (
                not bridged and moves and undone(("fill", op_type)),
                here,
            ),
            "integer_dtype": lambda: (source.dtype not in FLOATS and moves, any(born) or reads),
            "integer_cast": lambda: (not bridged and moves, undone(("call", "cast", line, cast_through))),
            "host_round_trip": lambda: (
                not bridged and moves,
                [1 for stack, traced, _ in base.reads if base.at(stack, line) and not traced],
            ),
            "state_update": lambda: (
                not bridged and moves,
                [op for op in here if op.type.startswith(("Assign", "ResourceScatter"))],
            ),
            "overwritten": lambda: (
                bridged,
                [op for op in here if self.assigned_later(base, op, ident, ask) and ask.tape not in op.tapes],
            ),
            "recreated_tensor": lambda: (
                not moves and self.made_by(base, here, ident),
                not self.read_before(base, ident, ask),
            ),
            "custom_gradient_none": lambda: (undone(("custom", op_type)), [op for op in here if op.asking]),
            "branch_not_taken": lambda: (
                not moves and not self.read_before(base, ident, ask),
                self.inverted(name, line),
            ),
            "traced_constant": lambda: (
                not bridged and moves,
                [1 for stack, traced, _ in base.reads if traced and base.at(stack, line)],
            ),
            "inner_gradient_outside_outer_tape": lambda: (
                bridged,
                [
                    op
                    for op in here
                    if op.asking and op.asking.tape is not ask.tape and ask.tape not in op.tapes
                ],
            ),
            "unused": lambda: (not moves and not self.read_before(base, ident, ask), any(born)),
            "independent": lambda: (
                not moves and self.read_before(base, ident, ask),
                [op for op in here if self.leads(base, op, ask)],
            ),
        }
        claimed, placed = checks[reason]()
        if not claimed:
            return f"does not behave as {reason}"
        return None if placed else f"does not break on line {line} ({reason})"

    def has_op(self, base, here, op_type, ident):
        read = op_type == "ReadVariableOp" and any(
            tensor_id(value) == ident for op in base.ops for value in op.inputs
        )
        return read or any(
            op.type == op_type or op_type == "StopGradient" and op.type in ("Identity", "StopGradient")
            for op in here
        )

    def target_moves(self, name, move):
        before, after = self.run(source=name, move=0.0), self.run(source=name, move=move)
        asks = before.question()[0], after.question()[0]
        return all(asks) and differs(asks[0].target, asks[1].target)

    def undone(self, name, undo):
        run = self.run(source=name, undo=undo)
        return run.statuses().get(name, "none") != "none"

    def inverted(self, name, line):
        return self.run(source=name, invert=line).statuses().get(name, "none") != "none"

    def assigned_later(self, base, op, ident, ask):
        reads = any(tensor_id(value) == ident for value in op.inputs)
        return reads and any(
            later.type.startswith("Assign")
            and op.time < later.time < ask.time
            and any(tensor_id(value) == ident for value in later.inputs)
            for later in base.ops
        )

    def made_by(self, base, here, ident):
        return any(tensor_id(value) == ident for op in here for value in op.outputs)

    def read_before(self, base, ident, ask):
        """Whether an op read it under the tape that was asked, before the question."""
        entered = base.tapes[ask.tape]["entered"]
        return any(
            tensor_id(value) == ident
            for op in base.ops
            if entered and entered[0] < op.time < ask.time
            for value in op.inputs
            if not op.type.startswith("Assign")
        )

    def leads(self, base, op, ask):
        if any(value is ask.target for value in op.outputs):
            return True
        sources = [value for value in op.outputs if value.dtype in FLOATS]
        return any(self.feeds(base, value, ask) for value in sources)

    def feeds(self, base, value, ask):
        seen, pending = set(), [ask.target._id]
        makers = {out._id: op for op in base.ops for out in op.outputs}
        while pending:
            ident = pending.pop()
            if ident == value._id:
                return True
            if ident not in seen and ident in makers:
                seen.add(ident)
                pending += [tensor_id(source) for source in makers[ident].inputs]
        return False

    def empty(self, line):
        run = self.run()
        return (
            None
            if any(not ask.sources and run.at(ask.stack, line) for ask in run.asks)
            else f"asks for nothing else on line {line}"
        )

    # Zero.
    def zero(self, name, claim, line):
        run, reason = self.run(), claim["reason"]
        if claim["status"] == "unconnected_zero":
            return self.none(name, claim, line)
        here = run.ops_at(line)
        if claim["op"] and not any(op.type == claim["op"] for op in here):
            return f"runs no {claim['op']} on line {line}"
        stopped = [
            step
            for step in run.steps
            if step.op in ZERO_OPS.get(reason, ()) and self.step_at(run, step, here) and self.stops(step)
        ]
        if reason == "cancels":
            return None if self.cancels(name, line) else "does not cancel"
        if reason == "underflow":
            half = any(
                value.dtype == tf.float16
                for step in stopped
                for value in [*step.upstream, *step.results]
                if isinstance(value, tf.Tensor)
            )
            return None if half or any(self.vanishes(op) for op in here) else "does not underflow"
        selects = any(op.type == "SelectV2" for op in here)
        if reason == "masked" and not selects and not any(
            (numbers(value) == 0).any() for op in here if op.type == "Mul" for value in op.inputs
        ):
            return "masks nothing"
        return None if stopped else f"passes the gradient on line {line} ({reason})"

    def vanishes(self, op):
        """Whether a product of numbers that are not zero is zero."""
        if op.type == "Exp":
            return not numbers(op.outputs[0]).any()
        if op.type == "Prod" and op.inputs[0].dtype in FLOATS:
            return bool(numbers(op.inputs[0]).all() and not numbers(op.outputs[0]).any())
        if op.type != "Mul" or op.outputs[0].dtype not in FLOATS:
            return False
        exact = numbers(op.inputs[0]) * numbers(op.inputs[1])
        return bool(((exact != 0) & (numbers(op.outputs[0]) == 0)).any())

    def step_at(self, run, step, here):
        kept = {tensor_id(value) for value in step.inputs + step.outputs if value is not None}
        return any(
            op.type == step.op and kept & {tensor_id(value) for value in op.inputs + op.outputs}
            for op in here
        )

    def stops(self, step):
        """Whether a gradient arrived at an element and none left it."""
        arriving = [numbers(value) for value in step.upstream if value is not None]
        leaving = [numbers(value) for value in step.results if isinstance(value, tf.Tensor)]
        whole = any(up.any() for up in arriving) and any(not down.any() for down in leaving)
        return whole or any(
            up.size < down.size and up.all() and not down.all()  # a reduction that picks elements
            if up.shape != down.shape
            else ((up != 0) & (down == 0)).any()
            for up in arriving
            for down in leaving
        )

    def cancels(self, name, line):
        """Whether both sides of a difference have a gradient by the source, and the two have the sum zero."""
        base = self.run(source=name, witness=True)
        ask, source = base.question()
        for op in base.ops_at(line) if ask else ():
            upstream = base.ask_witness(ask.target, op.outputs[0]) if op.type == "Sub" else None
            if upstream is None:
                continue
            sides = [base.ask_witness(side, source, upstream) for side in op.inputs]
            if any(side is None for side in sides):
                continue
            one, other = (numbers(side) for side in sides)
            if one.any() and np.allclose(one, other):  # the second side enters with the opposite sign
                return True
        return False

    # Not finite.
    def nonfinite(self, first, line):
        run, names = self.run(), [first["op"], *first["also"]]
        for op in run.ops:
            bad = [
                numbers(value)
                for value in op.outputs
                if value.dtype in NUMBERS and not np.isfinite(numbers(value)).all()
            ]
            if not bad or any(
                value.dtype in NUMBERS and not np.isfinite(numbers(value)).all() for value in op.inputs
            ):
                continue
            value = "nan" if np.isnan(bad[0]).any() else "inf" if (bad[0] == np.inf).any() else "-inf"
            break
        else:
            return "is finite everywhere"
        if (op.asking is not None) != (first["direction"] == "backward"):
            return f"is not {first['direction']}"
        step = next((step for step in run.steps if op.asking and step.time > op.time), None)
        if op.type not in names and not (step and step.op in names):
            return f"begins at {op.type}, not {first['op']}"
        if not op.asking and not run.at(op.stack, line):
            return f"does not begin on line {line}"
        if op.asking and not self.step_at(run, step, run.ops_at(line)) and not run.at(op.stack, line):
            return f"does not begin on line {line}"
        return self.second_witness(names)

    def second_witness(self, names):
        """TensorFlow's own check of numerics, in a run of its own, names the same op."""
        tf.debugging.enable_check_numerics()
        try:
            run = Observation(self.path).run()
        finally:
            tf.debugging.disable_check_numerics()
        return None if run.raised else "passes TensorFlow's own check of numerics"

    # Functions.
    def function(self, name, claim, line):
        calls = [call for call in self.run(eager=False).calls if call.name == name]
        traces = sum(call.traces for call in calls)
        if (len(calls), traces) != (claim["calls"], claim["traces"]):
            return f"calls {name} {len(calls)} times and traces it {traces} times"
        retraced = [number for number, call in enumerate(calls, 1) if call.traces and number > 1]
        if line is None:
            return None
        if retraced != [retrace["call"] for retrace in claim["retraces"]]:
            return f"traces again at calls {retraced}"
        for retrace in claim["retraces"]:
            call, before = calls[retrace["call"] - 1], calls[retrace["call"] - 2]
            if not self.run(eager=False).at(call.stack, line):
                return f"does not call {name} on line {line}"
            found = self.difference(before, call)
            if retrace["kind"] not in found:
                return f"traces again for {sorted(found)}, not {retrace['kind']}"
            if found[retrace["kind"]] and retrace["argument"] not in found[retrace["kind"]]:
                return f"traces again for argument {found[retrace['kind']]}"
        return None

    def difference(self, before, call):
        """{kind: the arguments that differ so} of two calls."""
        if before.function is not call.function:
            return {"new_function": []}
        found = {} if before.scope == call.scope else {"context": []}
        flat = [
            [
                value
                for part in bound.arguments.values()
                for value in tf.nest.flatten(part)
                if isinstance(value, tf.Variable)
            ]
            for bound in (before, call)
        ]
        if [len({id(v) for v in values}) for values in flat][0] != len({id(v) for v in flat[1]}):
            found["aliasing"] = []
        for name, new in call.arguments.items():
            kind = self.kind(before.arguments[name], new)
            if kind:
                found.setdefault(kind, []).append(name)
        return found

    def kind(self, old, new):
        if isinstance(old, (list, dict, tuple)) or isinstance(new, (list, dict, tuple)):
            try:
                tf.nest.assert_same_structure(old, new)
            except (ValueError, TypeError):
                return "structure"
            leaves = zip(tf.nest.flatten(old), tf.nest.flatten(new))
            return next((kind for pair in leaves if (kind := self.kind(*pair))), None)
        if hasattr(old, "shape") and hasattr(new, "shape"):
            return (
                "dtype"
                if old.dtype != new.dtype
                else "shape" if tuple(old.shape) != tuple(new.shape) else None
            )
        if isinstance(old, (int, float, str)):
            return "value" if old != new else None
        return "identity" if old is not new else None

    # Slow.
    def slow(self, advice, measure, line):
        broken, fixed = (self.run(which, eager=False) for which in ("broken", "fixed"))
        for name, gradient in broken.result.items():
            if not np.allclose(numbers(gradient), numbers(fixed.result[name]), rtol=1e-4, atol=1e-6):
                return f"repaired program differs in {name}"
        before, after = self.cost(broken, measure), self.cost(fixed, measure)
        if before <= after:
            return f"costs {before} {measure}, repaired {after}"
        eager = self.run()
        here = eager.ops_at(line)
        checks = {
            "unneeded_variable": lambda: [op for op in here if op.tapes],
            "looped_jacobian": lambda: sum(eager.at(ask.stack, line) for ask in eager.asks) >= 5,
            "per_example_loop": lambda: self.most(here) >= 10,
            "repeated_work": lambda: self.repeated(eager, here),
            "unrolled_loop": lambda: self.most(here) >= 50 and self.cost(broken, "nodes") > 100,
            "persistent_tape": lambda: any(
                facts["persistent"] and eager.at(facts["stack"], line) for facts in eager.tapes.values()
            ),
            "dense_from_sparse": lambda: any(
                value.shape.num_elements() >= 10000 for op in here for value in op.outputs
            ),
            "gradient_inside_block": lambda: any(
                ask.tape in ask.outer and eager.at(ask.stack, line) for ask in eager.asks
            ),
            "host_round_trip": lambda: sum(eager.at(stack, line) for stack, _, _ in eager.reads) >= 2,
            "redundant_ops": lambda: [op for op in here if self.undoes(eager, op)],
            "unneeded_work": lambda: [op for op in here if op.tapes and not self.wanted(eager, op)],
            "retraces": lambda: sum(call.traces for call in broken.calls if broken.at(call.stack, line)) > 1,
        }
        return None if checks[advice["kind"]]() else f"shows no {advice['kind']} on line {line}"

    def most(self, here):
        types = [op.type for op in here if not op.asking]
        return max((types.count(name) for name in set(types)), default=0)

    def undoes(self, run, op):
        """Whether an op returns what the op before it was given."""
        makers = {tensor_id(value): made for made in run.ops for value in made.outputs}
        before = [makers[tensor_id(value)] for value in op.inputs if tensor_id(value) in makers]
        return any(
            not differs(given, made)
            for first in before
            if len(first.inputs) and not op.asking
            for given in first.inputs
            for made in op.outputs
            if given.dtype in FLOATS and made.dtype in FLOATS and given.shape.num_elements() > 1
        )

    def wanted(self, run, op):
        """Whether a tape that was on is asked for something that an op leads to."""
        asks = [ask for ask in run.asks if ask.tape in op.tapes and isinstance(ask.target, tf.Tensor)]
        return any(self.feeds(run, value, ask) for ask in asks for value in op.outputs)

    def repeated(self, run, here):
        def same(op, other):
            values = [numbers(value) for value in other.outputs]
            mine = [numbers(value) for value in op.outputs]
            return (
                op is not other
                and op.type == other.type
                and all(
                    a is not None and b is not None and a.shape == b.shape and a.size > 1 and (a == b).all()
                    for a, b in zip(mine, values)
                )
            )

        return any(same(op, other) for op in here for other in run.ops if op.outputs)

    def cost(self, run, measure):
        if measure == "ops":
            return len(run.ops)
        if measure == "backward_ops":
            return sum(op.asking is not None for op in run.ops)
        if measure == "elements":
            return sum(value.shape.num_elements() or 0 for op in run.ops for value in op.outputs)
        if measure == "recorded":
            return sum(bool(op.tapes) for op in run.ops)
        if measure == "traces":
            return sum(call.traces for call in run.calls)
        if measure == "reads":
            return len(run.reads)
        if measure == "memory":
            return sum(facts["persistent"] for facts in run.tapes.values())
        return sum(
            len(call.function.get_concrete_function(*call.arguments.values()).graph.get_operations())
            for call in run.calls[:1]
        )
