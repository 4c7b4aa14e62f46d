"""Watch: the observer in C++ sees each op; what happens once a step (backward, an optimizer, names, the loss) is seen from here."""
import contextlib
import sys
import weakref

import torch

from tapescope import _tapescope as module
from tapescope.places import is_user
from tapescope.steps import steps
from tapescope.torch.flow import lines_of
from tapescope.torch.naming import Names
from tapescope.torch.recompiles import Recompiles
from tapescope.torch.patience import Patience
from tapescope.torch.replicas import Replicas
from tapescope.torch.uncompiled import left_alone, uncompiled, untraced
from tapescope.torch.writer import ANSWER, Writer, site_of

_MOST_NAMED = 4096  # parameters that rows are written of
_WITHOUT_GRADIENT, _AGAIN_TRACED = 1, 2  # places between two ops, as tapescope_c.h numbers them


class Observing:
    """One recording's watch."""

    def __init__(self, observer):
        self.observer = observer
        self.names = {}  # number of a parameter -> its name
        self.modules = weakref.WeakKeyDictionary()  # module -> {inner module: its name}
        self.errors, self.first = 0, ""
        self.without = weakref.WeakKeyDictionary()  # optimizer -> (its step, its lines, parameters without a gradient)
        self.lacking = []  # these of all optimizers, those that are gone too
        self.judges = False  # it was said that the answers are ours
        self.replicas = Replicas(self.failed, self._quiet, observer.id_of, lambda tensor: self.names.get(observer.id_of(tensor), ""), observer.hears_exchanges)

    def install(self, patches):
        patches.set(torch.autograd, "_engine_run_backward", self.observer.engine, "backward passes are not seen")
        Patience(self.failed).install(patches)
        self.replicas.install(patches)  # before what begins the optimizer's op: it is not to count the hashes
        optimizer = sys.modules[torch.optim.Optimizer.__module__]
        handles = [optimizer.register_optimizer_step_pre_hook(untraced(self.observer.update_begins)),
                   optimizer.register_optimizer_step_post_hook(untraced(self.observer.update_ended))]
        patches.on_undo(lambda: [handle.remove() for handle in handles])
        patches.set(torch.amp.GradScaler, "scale", self._scale, "losses are shown as a GradScaler multiplied them")
        self.recompiles = Recompiles(self.failed, lambda: self.observer.stop_between(_AGAIN_TRACED, "CompiledFunction"), self.observer.name_region,
                                     self.observer.region_runs)
        self.recompiles.install(patches)
        self.observer.start(module.table(), *map(uncompiled, (is_user, self._names_of, self._begins, self._names_of_tensors, self._name_sources, self._asked,
                                                              self._updated)))
        patches.on_undo(self.observer.stop)

    def failed(self, error):
        self.errors += 1
        if not self.first:
            import traceback
            self.first = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-3:])

    @contextlib.contextmanager
    def _quiet(self):
        """Ops of ours are not heard."""
        self.observer.mute()
        try:
            yield
        finally:
            self.observer.unmute()

    def name(self, tensor, text):
        number = self.observer.id_of(tensor)
        if number:
            self.names[number] = text
            module.tensor_name(number, text)
            self.observer.set_name(tensor, text)
        return bool(number)

    def _scale(self, original):
        def scale(scaler, outputs):
            result = original(scaler, outputs)
            self.observer.scaled(result, outputs)
            return result
        return left_alone(scale)

    # --- called by the observer

    def _begins(self, question):
        """An op where a training step may begin, that leads to a question."""
        try:
            steps.arrive(question)
            self.recompiles.count()
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

    def _updated(self, optimizer):
        """An optimizer's step ended; returns whether there is nothing more to say of it."""
        try:
            self._without_gradients(optimizer)
        except Exception as error:
            self.failed(error)
            return True
        step, _, missing = self.without[optimizer]
        if self.observer.at_gate():
            for parameter, name in missing:
                self.observer.stop_between(_WITHOUT_GRADIENT, step, name, self.observer.id_of(parameter()))
        return not missing

    def _without_gradients(self, optimizer):
        """Notes parameters that had no gradient in any step of their optimizer so far."""
        known = self.without.get(optimizer)
        if known is None:
            lines, names = lines_of(sys._getframe(2)), None
            known = self.without[optimizer] = (f"{type(optimizer).__name__}.step", lines, [])
            self.lacking.append(known)
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is None and parameter.requires_grad:
                        names = names or Names(sys._getframe(2))
                        known[2].append((weakref.ref(parameter), names.name_of(parameter)))
        elif known[2]:
            known[2][:] = [(reference, name) for reference, name in known[2] if reference() is not None and reference().grad is None]

    def finish(self):
        """Calls of compiled functions; of parameters without a gradient a row that says so: without --why that is all that is known of them."""
        self.recompiles.count(at_once=True)
        for step, lines, missing in self.lacking:
            for _, name in missing[:_MOST_NAMED]:
                if name:
                    module.finding(ANSWER, name, "", step, site_of(lines[0] if lines else None), f"{name} had no gradient in any {step}",
                                   "run it again with --why, which says at which line its way to the loss ends, and why", "none", "loss")

    # --- questions

    def _asked(self, place):
        """A question begins; the number of its training step."""
        steps.ask_within(place)
        return steps.number

    def _name_sources(self, sources):
        """What the program calls tensors about which no question was asked so far: [(tensor, id)]. Leaves with a name are variables from here on."""
        found = []
        try:
            names = Names(sys._getframe(1))
            for tensor, number in sources:
                name = self.names.get(number)
                if name is None:
                    name = self.names[number] = names.name_of(tensor)
                    if name and tensor.is_leaf:
                        module.variable(number, name, True, module.type(str(tensor.dtype).replace("torch.", ""), tuple(tensor.shape)))
                found.append(name)
        except Exception as error:
            self.failed(error)
        return found
