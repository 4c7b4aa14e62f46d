"""What a truth about a PyTorch program claims, held against runs of the program without the debugger."""

import re
import types

import torch

from observe_torch import MUTE, READS, SILENT, Observation, nodes_of, reaches, storage

torch.set_num_threads(1)

# The steps of backward that can stop a gradient, by reason.
ZERO_STEPS = {
    "dead_relu": "Relu|Threshold",
    "saturated": "(Hard|Log)?(Sigmoid|sigmoid)|Hardswish|Tanh|(Safe)?Softmax|ScaledDotProduct",
    "clipped": "Clamp|Hardtanh|Minimum|Maximum|GridSampler",
    "max_loser": "Max|Min|Amax|Amin",
    "masked": "Mul|Where|MaskedFill|Embedding|NllLoss|Index|Slice",
    "zero_weights": "Mm|Addmm|Mul|Bmm|Convolution|Native(Batch|Layer|Group)Norm",
    "sign": "Sign|Round|Floor|Ceil|Trunc|ThresholdBackwardBackward",
    "underflow": "Mul|Pow|Div|Mean|Sum|Exp|Prod",
}
# The guards of a compiled function that fail, by kind.
GUARDS = {
    "shape": r"size mismatch|rank mismatch|stride mismatch|\d <= \w+\.size",
    "dtype": r"dtype mismatch",
    "value": r"[\w.\]] == ",
    "context": r"grad_mode|GLOBAL_STATE",
    "structure": r"len\(|^\S+: not | is None",
    "aliasing": r"Duplicate tensors",
    "identity": r"___check_obj_id|Not a function",
    "new_function": r"BACKEND_MATCH",
}
GIVEN = ("tensor", "as_tensor", "from_numpy")
DISCRETE = ("long", "int", "to", "short", "type", "byte")


def same(a, b, tolerance=1e-7):
    if a.shape != b.shape:
        return False
    a, b = a.double(), b.double()
    return bool(torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


def transformed(value):
    """Whether a value is one of a function transform, which is over."""
    return torch._C._functorch.is_functorch_wrapped_tensor(value)


class Proof:
    """One program; runs are made when a claim needs them and kept."""

    def __init__(self, path):
        self.path, self.runs = path, {}

    def run(self, which="broken", pinned=None, **change):
        key = (which, pinned, *sorted((name, repr(value)) for name, value in change.items()))
        if key not in self.runs:
            if pinned is not None:
                base = self.run(which, source=change["source"])
                change["pin"] = {(*op.place, op.number): op for op in base.here(pinned) if op.place}
            self.runs[key] = Observation(self.path, **change).run(which)
        return self.runs[key]

    def statuses(self, which):
        run = self.run(which, watch=False)
        return run.raised or run.statuses()

    # None.
    def none(self, name, claim, line):
        """A complaint, or None where the run bears out the reason and the line."""
        reason, op_name = claim["reason"], claim.get("op")
        base = self.run(source=name)
        source = base.source_tensor()
        if source is None:
            return "was never asked about"
        here = base.here(line)
        around = [op for other in (line, *claim["also_lines"]) for op in base.here(other)]
        if op_name and not any(op.name == op_name for op in around):
            return f"runs no {op_name} on line {line}"
        ids, places, _ = base.flow(source)
        flows = lambda values: any(id(v) in ids or storage(v) in places for v in values)
        used = [op for op in base.ops if self.reads(op, source)]
        failed = [ask for ask in base.asks if ask.raised]
        targets = [target for ask in failed or base.asks for target in ask.targets]
        connected = reaches(targets, source)
        filled = [ask for ask in base.asks if ask.kind == "backward" and reaches(ask.targets, source)]
        born = [1 for _, held, stack in base.births if base.at(stack[:1], line) and self.among(source, held)]
        moves = lambda: self.target_moves(base, name, claim.get("move", 1e-2))
        lost = lambda: moves() and not connected
        pinned = lambda: not self.target_moves(base, name, claim.get("move", 1e-2), line)
        undone = lambda *undo: self.undone(name, *undo)
        switched = [
            op
            for op in base.ops
            if op.name in ("requires_grad.set", "requires_grad_") and any(v is source for v in op.inputs)
        ]
        message = str(base.error)
        refused = "leaf Variable" in message or "is being modified inplace" in message
        checks = {
            "not_trainable": lambda: (
                not source.requires_grad and source.is_floating_point() and undone("trainable"),
                born or [op for op in switched if base.at(op.stack[:1], line)],
            ),
            "watched_too_late": lambda: (
                lost() and switched and self.joined(name, "trainable"),
                [op for op in here if op in used and op.time < switched[-1].time],
            ),
            "not_leaf": lambda: (
                source.grad_fn is not None and connected and undone("retain"),
                [op for op in here if self.among(source, op.outputs)],
            ),
            "cleared": lambda: (filled, undone("keep", line) or self.left_out(name, line)),
            "no_backward": lambda: (
                not filled and any(reaches(op.outputs, source) for op in base.ops if op.grad),
                [ask for ask in base.asks if base.at(ask.stack[:1], line)],
            ),
            "unused": lambda: (not [op for op in used if op.name != "detach"] and not moves(), born),
            "independent": lambda: (
                used and not moves() and not connected,
                [op for op in here if any(self.among(value, targets) for value in op.outputs)],
            ),
            "branch_not_taken": lambda: (not used and not moves(), self.inverted(name, line)),
            "stop_gradient": lambda: (lost(), undone("identity", line) or self.joined(name, "identity", line)),
            "recreated_tensor": lambda: (
                lost() or not moves(),
                self.recreated(base, source, line, flows, here),
            ),
            "paused": lambda: (
                lost() and (undone("grad") or undone("recompute")),
                [op for op in here if not op.grad and not op.inference and op.wanted and flows(op.outputs)],
            ),
            "inference_mode": lambda: (undone("inference"), [op for op in here if op.inference]),
            "host_round_trip": lambda: (
                lost() and pinned(),
                [op for op in here if op.name in READS and flows(op.inputs)],
            ),
            "not_differentiable": lambda: (
                lost() and (pinned() or any(op.custom for op in here)),
                [op for op in here if (self.stops_here(op, flows) or self.places(op, flows)) and op.name not in DISCRETE],
            ),
            "argument_not_differentiable": lambda: (
                base.raised and self.run(source=name, undo=("detach", line, op_name)).raised != base.raised,
                [op for op in base.ops if flows(op.inputs)] or base.raised,
            ),
            "integer_dtype": lambda: (not source.is_floating_point() and ("floating point" in message or moves()), born),
            "integer_cast": lambda: (
                lost() and pinned(),
                [op for op in here if self.stops_here(op, flows) and self.integers(op.outputs)],
            ),
            "custom_gradient_none": lambda: (
                connected and moves(),
                [step for step in base.steps if self.drops(base, step, source, line)],
            ),
            "state_update": lambda: (
                lost() and pinned(),
                [op for op in here if (op.writes or op.name == "data.set") and flows(op.inputs)],
            ),
            "overwritten": lambda: (
                not connected and any(reaches(targets, v) for v in base.candidates if v is not source),
                born,
            ),
            "inner_gradient_outside_outer_tape": lambda: (undone("create_graph", line), True),
            "consumed": lambda: (
                "second time" in message and (undone("retain_graph") or self.stepped(name)),
                self.joins(base, here) or self.again(base, line) or self.same_target(base, here, line),
            ),
            "inplace_modified": lambda: (
                refused
                or "multiple views" in message
                or "modified by" in message and self.run(source=name, undo=("mutation",)).raised is None,
                self.raised_at(base, line)
                if refused
                else self.gets_further(base, self.run(source=name, undo=("skip", line))),
            ),
            "not_scalar": lambda: (
                ("scalar outputs" in message or "Mismatch in shape" in message) and undone("sum"),
                [op for op in here if self.among(base.asks[-1].targets[0], op.outputs)],
            ),
        }  # fmt: skip
        claimed, placed = checks[reason]()
        if not claimed:
            return f"does not behave as {reason}"
        return None if placed else f"does not break on line {line} ({reason})"

    def gets_further(self, base, other):
        """Whether the other run came as far as the question that fails here and met no change in place."""
        return len(other.asks) >= len(base.asks) and "modified" not in str(other.error)

    def among(self, value, values):
        return any(value is other for other in values)

    def reads(self, op, source):
        silent = op.name in SILENT or op.name.endswith(MUTE) and op.name != "data.get"
        return not silent and not op.writes and self.among(source, op.inputs)

    def integers(self, values):
        return any(not v.is_floating_point() and v.dtype != torch.bool for v in values)

    def stops_here(self, op, flows):
        """Whether a recorded op reads something with a gradient and returns nothing that has one."""
        reading = op.grad and op.wanted and flows(op.inputs) and op.outputs
        cut = op.name in ("detach", "data.get")
        return reading and not cut and not any(v.requires_grad for v in op.outputs)

    def places(self, op, flows):
        """Whether a recorded op returns, beside values, positions as a maximum does, or what a custom function marks as without a gradient."""
        positions = len(op.outputs) == 2 and op.outputs[1].dtype == torch.int64
        return op.grad and op.wanted and flows(op.inputs) and (positions or op.custom and not all(v.requires_grad for v in op.outputs))

    def target_moves(self, base, name, move, pinned=None):
        number = next(k for k, v in enumerate(base.candidates) if v is base.source_tensor())
        moved = self.run(source=name, candidate=number, move=move, pinned=pinned)
        pairs = list(zip(base.asks, moved.asks))
        return len(base.asks) != len(moved.asks) or any(
            not same(a, b) for old, new in pairs for a, b in zip(old.values, new.values) if not transformed(a)
        )

    def undone(self, name, *undo):
        run = self.run(source=name, undo=undo)
        return run.statuses().get(name, "none") != "none"

    def left_out(self, name, line):
        """Whether the source has a gradient where the line does not run; hooks of backward are seen by no mode."""
        return self.run(watch=False, left_out=line).statuses().get(name, "none") != "none"

    def joined(self, name, *undo):
        """Whether a question reaches the source in the other run, even where it then fails."""
        run = self.run(source=name, undo=undo)
        source = run.source_tensor()
        return source is not None and any(reaches(ask.targets, source) for ask in run.asks)

    def inverted(self, name, line):
        run = self.run(source=name, invert=line)
        return run.statuses().get(name, "none") != "none"

    def recreated(self, base, source, line, flows, here):
        copies = [op for op in here if self.among(source, op.outputs)]
        leaves = [
            value
            for value, held, stack in base.births
            if base.at(stack[:1], line) and isinstance(value, torch.Tensor) and value.is_leaf
        ]
        made = [op for op in here if op.name in ("tensor", "as_tensor", "new_tensor", "__deepcopy__") and flows(op.inputs)]
        targets = [target for ask in base.asks for target in ask.targets]
        models = [part for value, held, stack in base.births if base.at(stack[:1], line) and not isinstance(value, torch.Tensor) for part in held]
        if any(part is not source and part.shape == source.shape and reaches(targets, part) for part in models):
            return True
        return copies or made or any(v.requires_grad and v is not source and flows([v]) for v in leaves)

    def drops(self, base, step, source, line):
        """Whether a custom function on the line returned None towards the source."""
        if not step.op.custom or not base.at(step.op.stack[:1], line):
            return False
        edges = zip(step.leaving, step.node.next_functions)
        return any(
            gradient is None
            and following is not None
            and (following is source.grad_fn or getattr(following, "variable", None) is source)
            for gradient, (following, _) in edges
        )

    def joins(self, base, here):
        """Ops that lead from the graph that an earlier backward freed to the target that failed."""
        failed = next((ask for ask in base.asks if ask.raised), None)
        if failed is None:
            return []
        earlier = [ask for ask in base.asks if ask is not failed]
        freed = set().union(*(nodes_of(ask.targets) for ask in earlier))
        needed = nodes_of(failed.targets)
        last = max((ask.time for ask in earlier), default=0)
        # A state that no question reached, of which one reached what it was made of.
        old = set().union(*(op.nodes for op in base.ops if op.time < last))
        joined = lambda v: v.grad_fn in freed or v.grad_fn in old and nodes_of([v]) & freed
        touching = lambda op: any(joined(v) for v in op.inputs if v.grad_fn is not None)
        return [op for op in here if touching(op) and op.nodes & needed and not op.nodes & freed]

    def stepped(self, name):
        """Whether kept graphs fail for another reason: that weights have changed since."""
        run = self.run(source=name, undo=("retain_graph",))
        return "modified by an inplace" in str(run.error)

    def again(self, base, line):
        """Whether a question inside of a backward pass is asked on the line, more than once."""
        here = [ask for ask in base.nested if base.at(ask.stack[:1], line)]
        return len(here) > 1 and here[-1].raised and reaches(here[0].targets, here[-1].inputs[0])

    def same_target(self, base, here, line):
        """Whether the failing question is one of a target that was asked before; its line, or that of the target."""
        failed = next((ask for ask in base.asks if ask.raised), None)
        earlier = [target for ask in base.asks if ask is not failed for target in ask.targets]
        if failed is None or not self.among(failed.targets[0], earlier):
            return False
        return base.at(failed.stack[:1], line) or any(self.among(failed.targets[0], op.outputs) for op in here)

    def raised_at(self, base, line):
        frames, trace = [], base.error.__traceback__
        while trace:
            if trace.tb_frame.f_code.co_filename == str(self.path):
                frames.append(trace.tb_lineno)
            trace = trace.tb_next
        return base.at(frames[-1:], line)

    def empty(self, line):
        return "PyTorch refuses a question without sources"

    # Zero.
    def zero(self, name, claim, line):
        if claim["status"] == "unconnected_zero":
            return self.none(name, claim, line)
        run, reason = self.run(source=name), claim["reason"]
        here = run.here(line)
        if claim["op"] and not any(op.name == claim["op"] for op in here):
            return f"runs no {claim['op']} on line {line}"
        if reason == "cancels":
            return None if self.cancels(run, here) else "does not cancel"
        if reason not in ZERO_STEPS:
            return f"is zero, for which {reason} is no reason"
        hooks = [op for op in here if op.name == "register_hook" and self.among(run.source_tensor(), op.inputs)]
        if reason == "masked" and hooks:
            return None if self.run(watch=False, left_out=line).statuses().get(name) == "value" else f"is zero without the hook on line {line}"
        pattern = re.compile(f"({ZERO_STEPS[reason]})")
        stopped = [
            step
            for step in run.steps
            if step.op in here
            and pattern.match(type(step.node).__name__)
            and (self.stops(step) or (reason == "max_loser" or self.picks(step)) and self.loses(step))
        ]
        if reason == "underflow" and not any(self.half(step) or self.vanishes(step) for step in stopped):
            return "does not underflow"
        masks = lambda op: "dropout" in op.name or any((v == 0).any() for v in op.inputs)
        if reason == "masked" and not any(masks(op) for op in here) and not any(self.picks(step) for step in stopped):
            return "masks nothing"
        return None if stopped else f"passes the gradient on line {line} ({reason})"

    def half(self, step):
        return any(v.dtype == torch.float16 for v in step.arriving if v is not None)

    def picks(self, step):
        return type(step.node).__name__.startswith(("Index", "Slice"))

    def vanishes(self, step):
        """Whether an exponential or a product is nothing but zeros."""
        return type(step.node).__name__.startswith(("Exp", "Prod")) and not any(v.any() for v in step.op.values)

    def stops(self, step):
        """Whether a gradient arrived at an element and none left it."""
        arriving = [v for v in step.arriving if v is not None]
        leaving = [v for v in step.leaving if v is not None]
        return (
            any(up.any() for up in arriving)
            and any(not down.any() for down in leaving)
            or any(
                up.shape == down.shape and bool(((up != 0) & (down == 0)).any())
                for up in arriving
                for down in leaving
            )
        )

    def loses(self, step):
        """Whether a slice of what a maximum over a dimension had read receives nothing."""
        slices = [v.movedim(dim, 0) for v in step.leaving if v is not None for dim in range(v.dim())]
        return any(up.any() for up in step.arriving if up is not None) and any(
            not part.any() for parts in slices for part in parts
        )

    def cancels(self, run, here):
        """Whether both sides of a difference on the line depend on the source, whose gradient is zero, or are equal."""
        ids = run.flow(run.source_tensor())[0]
        steps = [step for step in run.steps if step.op in here]
        named = lambda name: [step for step in steps if type(step.node).__name__.startswith(name)]
        both = [step for step in named("Sub") if all(id(v) in ids for v in step.op.inputs)]
        if any(not step.op.values[0].any() for step in named("Sub") if step.op.values):
            return True
        alone = [step for step in named("Softmax") if all((v == 1).all() for v in step.op.values)]  # over one element
        alone += [step for step in named("LogSoftmax") if all(v.shape[-1:] == (1,) for v in step.arriving if v is not None)]
        alone += [step for step in named("NativeLayerNorm") if step.arriving[0] is not None and step.arriving[0].shape[-1:] == (1,)]
        return any(all(down.any() for down in step.leaving) for step in both) or any(map(self.stops, alone))

    # Not finite.
    def nonfinite(self, first, line):
        run, names = self.run(), [first["op"], *first["also"]]
        found = run.first_nan if first["value"] == "nan" else run.first
        given = self.given(run, first["value"])
        found = given[0] if given and not (found and run.at(found.stack[:1], line)) else found
        if found is None:
            return "is finite everywhere"
        direction = "forward" if found.node is None else "backward"
        if direction != first["direction"]:
            return f"is not {first['direction']}"
        ops = [op for op in run.ops if found.node in op.nodes] if found.node is not None else []
        stack = ops[0].stack if ops else found.stack
        said = {found.name, found.name.lstrip("_"), *(op.name for op in ops), type(found.node).__name__}
        if not said & set(names):
            return f"begins at {sorted(said)}, not {first['op']}"
        if not run.at(stack[:1], line):
            return f"does not begin on line {line}"
        return self.second_witness(run, direction, line, first["value"])

    def bad(self, values, value):
        wrong = torch.isnan if value == "nan" else lambda v: ~torch.isfinite(v)
        return any(v is not None and v.is_floating_point() and wrong(v).any() for v in values)

    def given(self, run, value):
        """Tensors made of the program's own numbers that hold what is not finite."""
        made = [op for op in run.ops if op.name in GIVEN and self.bad(op.values, value)]
        return [types.SimpleNamespace(name=op.name, node=None, stack=op.stack) for op in made]

    def second_witness(self, run, direction, line, value):
        """The results of whole calls and the steps between nodes of the graph say the same."""
        bad = lambda values: self.bad(values, value)
        computed = lambda op: op.nodes or (op.inputs or op.name in GIVEN) and "empty" not in op.name  # which holds what was there
        calls = [op for op in run.ops if computed(op) and bad(op.values)]
        steps = [step for step in run.steps if bad(step.leaving) and not bad(step.arriving)]
        if direction == "forward":
            return None if calls and run.at(calls[0].stack[:1], line) else "has another first call"
        return None if steps and run.at(steps[0].op.stack[:1], line) else "has another first step"

    # Functions.
    def function(self, name, claim, line):
        run = self.run(watch=False)
        calls = [call for call in run.calls if call.name == name]
        traces = sum(call.traces for call in calls)
        if (len(calls), traces) != (claim["calls"], claim["traces"]):
            return f"calls {name} {len(calls)} times and compiles it {traces} times"
        again = [number for number, call in enumerate(calls, 1) if call.traces and number > 1]
        if again != [retrace["call"] for retrace in claim["retraces"]]:
            return f"compiles again at calls {again}"
        for retrace in claim["retraces"]:
            call = calls[retrace["call"] - 1]
            if not run.at(call.stack, line):
                return f"does not call {name} on line {line}"
            if not re.search(GUARDS[retrace["kind"]], call.why.split("#")[0]):
                return f"compiles again as {call.why}"
            if retrace["argument"] and retrace["argument"].split(".")[-1] not in call.why:
                return f"does not compile again for {retrace['argument']}: {call.why}"
        return None

    # Slow.
    def slow(self, advice, measure, line):
        plain = [self.run(which, watch=False) for which in ("broken", "fixed")]
        for name, gradient in plain[0].result.items():
            # What an optimizer holds at last is trained, so that the others' gradients differ after it.
            if measure != "unheld" and not same(gradient, plain[1].result[name], 1e-4):
                return f"repaired program differs in {name}"
        runs = plain if measure in ("graphs", "kept") else [self.run(which) for which in ("broken", "fixed")]
        before, after = (self.cost(run, measure) for run in runs)
        if before <= after:
            return f"costs {before} {measure}, repaired {after}"
        run = self.run()
        here = [op for op in run.ops if run.at(op.stack, line)]
        checks = {
            "per_example_loop": lambda: self.most(here) >= 10,
            "looped_jacobian": lambda: sum(run.at(ask.stack, line) for ask in run.asks) >= 5,
            "persistent_tape": lambda: any(ask.retain and run.at(ask.stack[:1], line) for ask in run.asks),
            "host_round_trip": lambda: sum(run.at(stack[:1], line) for stack in run.reads) >= 2,
            "repeated_work": lambda: self.repeated(run, here),
            "leak": lambda: (
                self.grows(plain[0].kept) and not self.grows(self.run(watch=False, left_out=line).kept)
                if measure == "kept"
                else self.grows([size for size, stack in run.graphs if run.at(stack[:1], line)])
            ),
            "unneeded_variable": lambda: self.unheld(run, here),
        }
        return None if checks[advice["kind"]]() else f"shows no {advice['kind']} on line {line}"

    def cost(self, run, measure):
        return {
            "ops": run.executed,
            "backward_ops": run.executed_backward,
            "reads": len(run.reads),
            "memory": sum(bool(ask.retain) for ask in run.asks),
            "graph": max((size for size, _ in run.graphs), default=0),
            "graphs": run.compilations,
            "kept": max(run.kept, default=0),
            "unheld": len(self.unheld(run, run.ops)),
        }[measure]

    def most(self, here):
        names = [op.name for op in here if op.outputs and not op.name.endswith(MUTE)]
        return max((names.count(name) for name in set(names)), default=0)

    def repeated(self, run, here):
        """Whether an op of the line returns the values that another op of its name returned elsewhere."""

        def equal(op, other):
            pairs = list(zip(op.values, other.values))
            named = op.name == other.name and len(op.values) == len(other.values)
            return named and pairs and all(a.numel() > 1 and same(a, b) for a, b in pairs)

        # A second time without gradients makes no nodes.
        computed = lambda op: op.nodes or op.inputs and not op.writes and op.name not in SILENT
        made = [op for op in run.ops if computed(op) and not op.name.endswith(MUTE)]
        return any(equal(op, other) for op in made if op in here for other in made if other is not op)

    def grows(self, sizes):
        return len(sizes) > 2 and all(later > before for before, later in zip(sizes, sizes[1:]))

    def unheld(self, run, here):
        groups = [group for optimizer in run.optimizers for group in optimizer.param_groups]
        held = [v for group in groups for v in group["params"]]
        read = {id(v): v for op in here for v in op.inputs if v.is_leaf and v.requires_grad}
        return [v for v in read.values() if held and not self.among(v, held)]
