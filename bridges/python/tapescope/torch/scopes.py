"""Optimizers, modules, parameters and custom functions: who asks about what, and what counts as one op."""
import functools
import inspect
import sys

import torch
import torch._functorch.eager_transforms  # noqa: F401, is in sys.modules by this
import torch._functorch.vmap  # noqa: F401
from torch.overrides import TorchFunctionMode

from tapescope.torch.flow import Op, here, is_user_code
from tapescope.torch.look import BAD, look
from tapescope.torch.uncompiled import uncompiled, untraced
from tapescope.torch.watch import muted, quiet, tensors_in


def install(watching, patches):
    questions = watching.questions
    module = torch.nn.modules.module
    made = module.register_module_parameter_registration_hook(untraced(_made(watching)))
    patches.on_undo(made.remove)
    patches.set(torch.autograd.Function, "apply", functools.partial(_applied, watching), "custom functions look like the ops inside them")
    patches.set(torch.autograd, "_engine_run_backward", functools.partial(_engine, watching), "zeros that were filled in look like gradients")
    for name in ("_add_batch_dim", "_remove_batch_dim"):
        patches.set(sys.modules["torch._functorch.vmap"], name, functools.partial(_batched, watching), "what goes through torch.func.vmap is not followed")
    patches.set(sys.modules["torch._functorch.eager_transforms"], "grad_and_value_impl", functools.partial(_transformed, watching), "errors of torch.func.grad are not explained")
    patches.set(torch.amp.GradScaler, "step", functools.partial(_unscales, watching), "an optimizer without gradients is not explained")
    patches.set(torch.amp.GradScaler, "scale", functools.partial(_scaled, watching), "gradients that a scaler makes too large look like faults")
    optimizer = sys.modules[torch.optim.Optimizer.__module__]
    steps = [optimizer.register_optimizer_step_pre_hook(untraced(_step_begins(watching))), optimizer.register_optimizer_step_post_hook(untraced(_step_ended(watching)))]
    patches.on_undo(lambda: [handle.remove() for handle in steps])


def _guarded(watching, action, *arguments):
    if muted():
        return
    try:
        with quiet():
            action(*arguments)
    except Exception as error:
        watching.state.failed(error)


def _made(watching):
    def registered(module, name, parameter):
        _guarded(watching, lambda: watching.flow.value(parameter, here(), True) if parameter is not None else None)
    return registered


def _transformed(watching, original):
    def grad_and_value_impl(func, argnums, has_aux, args, kwargs):
        try:
            return original(func, argnums, has_aux, args, kwargs)
        except RuntimeError as error:
            if "return a scalar" in str(error):
                asked = args[argnums] if isinstance(argnums, int) else [args[place] for place in argnums]
                _guarded(watching, watching.questions.not_one_number, tensors_in(asked, []), error)
            raise
    return grad_and_value_impl


def _take(watching, optimizer):
    ask = watching.questions.last_backward()
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            who = watching.flow.value(parameter, here()).who
            watching.questions.ask_about(who, parameter)
            watching.questions.held.add(who)
            who.stepped = ask


@functools.lru_cache(maxsize=256)
def _is_own(kind):
    """Whether the program wrote the step of that class of optimizers."""
    code = getattr(inspect.unwrap(kind.step), "__code__", None)
    return code is not None and is_user_code(code)


def _step_begins(watching):
    def begins(optimizer, args, kwargs):
        _guarded(watching, _take, watching, optimizer)
        # A closure is the program's own, and so is a step that it wrote itself: their ops are seen.
        watching.state.begin_update(None if _is_own(type(optimizer)) else sys._getframe(3), bool(args[1:] or kwargs.get("closure")))
    return begins


def _step_ended(watching):
    def ended(optimizer, args, kwargs):
        watching.state.here.updating = 0
        watching.ops.thread.pace.updated()
        _guarded(watching, take, optimizer)

    def take(optimizer):
        lines = here()
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                value = watching.flow.value(parameter, lines)
                op = Op(f"{type(optimizer).__name__}.step", "optimizer", [], lines, watching.flow.tick())
                op.target = value.who
                spoilt = look(parameter) & BAD
                if spoilt and not value.bad & BAD:  # by the step, whose ops are not seen
                    gradient = watching.flow.value(parameter.grad, lines)
                    gradient.bad = look(parameter.grad)
                    op.inputs = [gradient]
                    watching.flow.wrote(parameter, op).bad = spoilt
                else:
                    watching.flow.writes.append(op)
    return ended


class _Hooks(TorchFunctionMode):
    """Sees what the program's hooks throw away while backward runs, which the mode of its caller does not see."""

    def __init__(self, watcher):
        super().__init__()
        self.watcher = watcher

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func.__name__ == "__set__" and not muted() and getattr(func.__self__, "__name__", "") == "grad":
            return self.watcher.set_within(func, args)
        return func(*args, **(kwargs or {}))


def _engine(watching, original):
    def run(*arguments, **keywords):
        with _Hooks(watching.watcher):
            result = original(*arguments, **keywords)
        watching.questions.here.raw = result
        return result
    return run


def _unscales(watching, original):
    """A GradScaler looks at an optimizer's gradients before it steps, and may find none."""
    def step(scaler, optimizer, *args, **kwargs):
        _guarded(watching, _take, watching, optimizer)
        return original(scaler, optimizer, *args, **kwargs)
    return step


def _scaled(watching, original):
    """A loss that a GradScaler multiplied: it looks whether its gradients are finite, and skips the step where they are not."""
    def scale(scaler, outputs):
        result = original(scaler, outputs)
        _guarded(watching, take, result, outputs)
        return result

    def take(result, outputs):
        for tensor, loss in zip(tensors_in(result, []), tensors_in(outputs, [])):
            op = watching.flow.value(tensor).op
            if op is not None:
                op.facts = "scaled"
                watching.state.scaled = op, float(loss.detach()) if loss.numel() == 1 else None
    return scale


def _batched(watching, original):
    """A tensor that vmap hands to its function, or hands back, is the same to who asks where it came from."""
    def run(tensor, *args, **kwargs):
        result = original(tensor, *args, **kwargs)
        if result is not tensor and not watching.state.is_inside():
            _guarded(watching, take, tensor, result)
        return result

    def take(tensor, result):
        lines = here()
        op = Op("vmap", "alias", [watching.flow.value(tensor, lines)], lines, watching.flow.tick())
        watching.flow.made(result, op, 0)
        op.recorded = True
        watching.flow.add(op)
    return run


def _passes_gradients(args):
    return any(tensor.requires_grad for tensor in tensors_in(args, []))


def _applied(watching, original):
    """A custom function is one op; what its forward does inside is its own."""
    function = original.__func__ if isinstance(original, classmethod) else original

    @classmethod
    @functools.wraps(function)
    def apply(cls, *args, **kwargs):
        if cls.__module__ == "torch.utils.checkpoint" and not _passes_gradients(args):
            return watching.state.recomputing(function, cls, *args, **kwargs)
        if muted() or watching.state.is_inside():
            return function(cls, *args, **kwargs)
        op = None

        def begin():
            lines = here()
            made = Op(cls.__name__, "custom", [watching.flow.value(tensor, lines) for tensor in tensors_in(args, [])], lines, watching.flow.tick())
            made.seqs = watching.nodes.next()
            return made
        try:
            with quiet():
                op = begin()
        except Exception as error:
            watching.state.failed(error)
        watching.state.here.inside += 1
        try:
            result = function(cls, *args, **kwargs)
        finally:
            watching.state.here.inside -= 1
        if op is not None:
            op.grad = torch.is_grad_enabled()
            _guarded(watching, watching.watcher.after, op, args, {}, result)
        return result
    return apply
