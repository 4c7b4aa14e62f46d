"""Watch: the observer in C++ sees each op; what happens once a step (backward, an optimizer, names, the loss) is seen from here."""
import functools
import sys
import threading
import weakref

import torch

from tapescope import _tapescope as module
from tapescope.places import is_user
from tapescope.steps import steps
from tapescope.torch.flow import lines_of, of_gradcheck
from tapescope.torch.naming import Names
from tapescope.torch.recompiles import Recompiles
from tapescope.torch.uncompiled import left_alone, uncompiled, untraced
from tapescope.torch.writer import ANSWER, Writer, site_of

_MOST_NAMED = 4096  # parameters that a question lists
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_TRANSFORMED = (0, [])  # stands for a question of a transform of functions
_BEFORE_BACKWARD, _WITHOUT_GRADIENT, _AGAIN_TRACED = range(3)  # places between two ops, as tapescope_c.h numbers them


class quiet:  # a context manager, in lower case as those of the standard library
    """Ops of ours are not heard."""

    def __init__(self, observer):
        self.observer = observer

    def __enter__(self):
        self.observer.mute()

    def __exit__(self, *_):
        self.observer.unmute()


def _is_plain(tensors, frame):
    """Whether it is the program that asks: not a compiler at work on tensors without values, nor gradcheck, which asks for what is None as well."""
    if torch._C._len_torch_dispatch_stack() != 0:
        return False
    for tensor in tensors:
        if type(tensor) not in _PLAIN and isinstance(tensor, torch.Tensor):
            return False
    return not of_gradcheck(frame)


def _is_transformed(tensors):
    """Whether a transform of functions asks (torch.func)."""
    return any(isinstance(tensor, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(tensor) for tensor in tensors)


class Observing:
    """One recording's watch."""

    def __init__(self, observer):
        self.observer = observer
        self.local = threading.local()  # its `tape`: each thread has one
        self.tapes = set()  # all that are open
        self.names = {}  # number of a parameter -> its name
        self.modules = weakref.WeakKeyDictionary()  # module -> {inner module: its name}
        self.errors, self.first = 0, ""
        self.without = weakref.WeakKeyDictionary()  # optimizer -> (its lines, parameters without a gradient)
        self.off = False
        self.judges = False  # it was said that the answers are ours

    def install(self, patches):
        patches.set(torch.autograd, "_engine_run_backward", self._engine, "backward passes are not seen")
        optimizer = sys.modules[torch.optim.Optimizer.__module__]
        handles = [optimizer.register_optimizer_step_pre_hook(untraced(self._update_begins)), optimizer.register_optimizer_step_post_hook(untraced(self._update_ended))]
        patches.on_undo(lambda: [handle.remove() for handle in handles])
        Recompiles(self.failed, lambda: self.observer.stop_between(_AGAIN_TRACED, "CompiledFunction"), self.observer.name_region).install(patches)
        self.observer.start(module.table(), *map(uncompiled, (is_user, self._names_of, self._begins, self._names_of_tensors)))
        patches.on_undo(self._leave)

    def _leave(self):
        self.off = True
        self.observer.stop()
        for tape in self.tapes:
            module.tape_destroyed(tape)

    def failed(self, error):
        self.errors += 1
        if not self.first:
            import traceback
            self.first = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-3:])

    def _new_tape(self):
        """A tape for each step: what an earlier one computed is not kept."""
        before = getattr(self.local, "tape", 0)
        if before:
            self.tapes.discard(before)
            module.tape_destroyed(before)
        tape = self.local.tape = module.tape_made(True, False)
        self.tapes.add(tape)
        module.tape_enter(tape, False)
        self.observer.use_tape(tape)

    def name(self, tensor, text):
        number = self.observer.id_of(tensor)
        if number:
            self.names[number] = text
            module.tensor_name(number, text)
        return bool(number)

    # --- called by the observer

    def _begins(self):
        """The first op after a question, or of a thread."""
        try:
            if not getattr(self.local, "tape", 0):
                self._new_tape()
            lines = lines_of(sys._getframe(1))
            if lines:
                steps.arrive(lines)
            else:
                steps.open_at_least()
            if not self.judges or self.observer.at_gate():  # a window may have come meanwhile
                self.judges = True
                Writer().withdraw("")  # no answer, but it says that judging is left to us: rules for other frameworks' programs do not speak
        except Exception as error:
            self.failed(error)

    def _names_of(self, modules):
        """What modules are called of which each calls the next."""
        found = []
        for index, inner in enumerate(modules):
            if index == 0:
                found.append(type(inner).__name__)
                continue
            outer = modules[index - 1]
            known = self.modules.get(outer)
            if known is None or inner not in known:
                known = self.modules[outer] = weakref.WeakKeyDictionary({part: name for name, part in outer.named_modules() if name})
            found.append(known.get(inner) or type(inner).__name__)
        return found

    def _names_of_tensors(self, tensors):
        """What tensors are called where the program stands."""
        found = [self.names.get(self.observer.id_of(tensor), "") for tensor in tensors]
        if not all(found):
            names = Names(sys._getframe(1), standing=True)
            found = [known or names.name_of(tensor) for known, tensor in zip(found, tensors)]
        return found

    # --- optimizers

    def _update_begins(self, optimizer, args, kwargs):
        if not args[1:] and not kwargs.get("closure"):  # a closure is the program's own
            self.observer.call_begins()

    def _update_ended(self, optimizer, args, kwargs):
        self.observer.call_ends(f"{type(optimizer).__name__}.step")
        try:
            self._without_gradients(optimizer)
        except Exception as error:
            self.failed(error)
        if self.observer.at_gate():
            for parameter, name in self.without[optimizer][1]:
                self.observer.stop_between(_WITHOUT_GRADIENT, f"{type(optimizer).__name__}.step", name, self.observer.id_of(parameter()))

    def _without_gradients(self, optimizer):
        """Notes parameters that had no gradient in any step of their optimizer so far."""
        known = self.without.get(optimizer)
        if known is None:
            lines, names = lines_of(sys._getframe(2)), None
            known = self.without[optimizer] = (lines, [])
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is None and parameter.requires_grad:
                        names = names or Names(sys._getframe(2))
                        known[1].append((weakref.ref(parameter), names.name_of(parameter)))
        elif known[1]:
            known[1][:] = [(reference, name) for reference, name in known[1] if reference() is not None and reference().grad is None]

    def finish(self):
        """Of these a row that says so: without --why that is all that is known of them."""
        for optimizer, (lines, missing) in list(self.without.items()):
            step = f"{type(optimizer).__name__}.step"
            for _, name in missing[:_MOST_NAMED]:
                if name:
                    module.finding(ANSWER, name, "", step, site_of(lines[0] if lines else None), f"{name} had no gradient in any {step}",
                                   "run it again with --why, which says at which line its way to the loss ends, and why", "none", "loss")

    # --- questions

    def _engine(self, original):
        begins, ends = uncompiled(self._asks), uncompiled(self._is_answered)

        def run(tensors, *arguments, **keywords):
            asked = begins(tensors, arguments, sys._getframe(1))
            if asked is None:
                return original(tensors, *arguments, **keywords)
            result = None
            raised = True
            try:
                result = original(tensors, *arguments, **keywords)
                raised = False
            finally:
                ends(asked, raised, None if keywords.get("accumulate_grad", False) else result)
            return result
        return left_alone(functools.wraps(original)(run))

    def _asks(self, tensors, arguments, frame):
        """A question begins; (number of the call, its sources), or None where it is no question of the program's."""
        if self.off or module.is_muted() or not _is_plain(tensors, frame):
            return None
        if _is_transformed(tensors):
            self.observer.call_begins()
            return _TRANSFORMED
        asked = 0, []
        try:
            with quiet(self.observer):
                asked = self._ask(tensors, arguments[3] if len(arguments) > 3 else (), frame)
        except Exception as error:
            self.failed(error)
        try:
            self.observer.stop_between(_BEFORE_BACKWARD)
        except BaseException:  # of a handler of a signal
            self._is_answered(asked, True, None)
            raise
        return asked

    def _is_answered(self, asked, raised, returned):
        if asked is _TRANSFORMED:
            self.observer.call_ends("torch.func backward")
            return
        rows = []
        try:
            with quiet(self.observer):
                rows = self._answered(*asked, raised, returned)
        except Exception as error:
            self.failed(error)
        if rows and self.observer.at_gate():
            self.observer.answered(rows)
        self._ends()

    def _ask(self, tensors, inputs, frame):
        self.observer.call_ends(None)  # an optimizer's step that ended by an error
        if not getattr(self.local, "tape", 0):
            self._new_tape()
        steps.ask()
        targets = [tensor for tensor in tensors if isinstance(tensor, torch.Tensor)]
        if targets and len(targets) == 1 and targets[0].numel() == 1 and targets[0].device.type == "cpu":
            module.scalar("loss", float(targets[0].detach()), steps.number)
        sources = self._sources(targets, inputs, frame)
        call = module.ask(self.local.tape, 0, len(targets), len(sources)) if targets and sources else 0
        if call:
            for tensor in targets:
                module.target(self.observer.id_of(tensor), "loss")
            for index, (_, number, name) in enumerate(sources):
                module.source(index, number, name)
            module.backward_begin(self.local.tape, call)
        return call, sources

    def _sources(self, targets, inputs, frame):
        """(weak reference, id, name) of the tensors that gradients are asked of: those given, else the leaves that the pass reaches."""
        asked = [(tensor, self.observer.id_of(tensor)) for tensor in inputs if isinstance(tensor, torch.Tensor)] if inputs else self.observer.leaves(targets)
        asked = [(tensor, number) for tensor, number in asked if number][:_MOST_NAMED]
        if any(number not in self.names for _, number in asked):
            names = Names(frame)
            for tensor, number in asked:
                if number not in self.names:
                    name = self.names[number] = names.name_of(tensor)
                    if name and tensor.is_leaf:
                        module.variable(number, name, True, module.type(str(tensor.dtype).replace("torch.", ""), tuple(tensor.shape)))
        return [(weakref.ref(tensor), number, self.names[number]) for tensor, number in asked if self.names[number] or inputs]

    def _answered(self, call, sources, raised, returned):
        """Returns what was asked for, with its gradients."""
        rows = []
        if call:
            module.backward_end(self.local.tape, call, raised)
            for index, (reference, number, name) in enumerate(sources if not raised else ()):
                tensor = reference()
                got = returned[index] if returned is not None and len(returned) == len(sources) else tensor.grad if tensor is not None else None
                if got is not None:
                    module.result(index, number, name, 1, None)
                rows.append((number, name, got))
        return rows

    def _ends(self):
        try:
            self._new_tape()
            self.observer.step_ends()
        except Exception as error:
            self.failed(error)
