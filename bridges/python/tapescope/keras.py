"""Hooks for Keras: epochs, losses and metrics of fit() as scalars of its steps, layers as scopes of the ops inside them."""
import functools
import importlib
import weakref

from tapescope import _tapescope as module
from tapescope.names import note_path
from tapescope.patches import Patches
from tapescope.steps import steps


def install():
    """Sets the hooks; returns what takes them away, and a sentence for each feature this version does not have."""
    patches = Patches()
    callbacks = _first("keras.src.callbacks.callback_list", "keras.src.callbacks")
    layers = _first("keras.src.layers.layer", "keras.src.engine.base_layer")
    optimizers = _first("keras.src.optimizers.base_optimizer", "keras.src.optimizers.optimizer")
    base = "BaseOptimizer" if hasattr(optimizers, "BaseOptimizer") else "_BaseOptimizer"
    for owner, name, hooks in ((optimizers, base, (("add_variable", _own), ("add_variable_from_reference", _own))), (callbacks, "CallbackList", (("on_epoch_begin", _epoch), ("on_train_batch_end", _batch))),
                               (layers, "Layer", (("__call__", _layer),))):
        kind = getattr(owner, name, None)
        for method, make in hooks:
            if kind is None:
                patches.missing.append(f"keras' {name} is missing in this version: {make.__doc__}")
            else:
                patches.set(kind, method, make, make.__doc__)
    variable = getattr(_first("keras.src.backend"), "Variable", None)
    if variable is None and layers is not None:  # Keras 2 leaves the names of variables to TensorFlow
        patches.set(layers.Layer, "add_weight", _weight, "variables of layers have short names")
    for method, make, lost in (("_initialize", _made, "variables of layers have short names"),
                               ("__init__", _declared, "variables of layers have the line that runs the layer first")):
        owner = next((kind for kind in getattr(variable, "__mro__", ()) if method in kind.__dict__), None)
        if owner is not None:
            patches.set(owner, method, make, lost)
    return patches.undo, patches.missing


_declarations = {}  # by the address of a Keras variable that waits for its value: where the program made it


def _declared(original):
    @functools.wraps(original)
    def __init__(self, *arguments, **keywords):
        original(self, *arguments, **keywords)
        if module.listening() and getattr(self, "_value", self) is None:
            address = id(self)
            _declarations[address] = module.site()
            weakref.finalize(self, _declarations.pop, address, None).atexit = False
    return __init__


def _made(original):
    def _initialize(self, value):
        original(self, value)
        if module.listening():
            try:
                note_path(self._value, self.path)
                if site := _declarations.pop(id(self), 0):
                    module.handle_site(module.find(self._value.handle), site)
            except Exception as error:
                module.failed(repr(error))
    return _initialize


def _first(*names):
    """The first of these modules that this version has; None for none."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def _epoch(original):
    """epochs are not seen"""
    def on_epoch_begin(self, epoch, logs=None):
        if not module.is_muted():
            steps.note_next("epoch", epoch)
        return original(self, epoch, logs)
    return on_epoch_begin


def _batch(original):
    """losses and metrics of fit() are not seen"""
    def on_train_batch_end(self, batch, logs=None):
        if logs and not module.is_muted():
            module.mute()
            try:
                for name, value in logs.items():
                    steps.note(name, _number(value))
            except Exception as error:
                module.failed(repr(error))
            finally:
                module.unmute()
        steps.end()
        return original(self, batch, logs)
    return on_train_batch_end


def _number(value):
    read = getattr(value, "_numpy_internal", None)
    return float(read() if read else value)


def _own(original):
    """what optimizers make for themselves looks like the program's own work"""
    def add(self, *arguments, **keywords):
        module.mute()
        try:
            return original(self, *arguments, **keywords)
        finally:
            module.unmute()
    return add


_scopes = {}  # number of a scope -> the names of its layers, outermost first


def _weight(original):
    @functools.wraps(original)
    def add_weight(self, *arguments, **keywords):
        made = original(self, *arguments, **keywords)
        if module.listening() and not module.is_muted():
            try:
                scope = module.set_scope(0)
                module.set_scope(scope)
                around = _scopes.get(scope, ())
                around += () if around[-1:] == (self.name,) else (self.name,)
                note_path(made, "/".join((*around, made.name.rpartition("/")[2].partition(":")[0])))
            except Exception as error:
                module.failed(repr(error))
        return made
    return add_weight


def _layer(original):
    """ops have no layers"""
    def __call__(self, *arguments, **keywords):
        if module.is_muted():
            return original(self, *arguments, **keywords)
        outer, name = module.set_scope(0), str(getattr(self, "name", type(self).__name__))
        inner = module.scope(outer, name)
        module.set_scope(inner)
        if inner not in _scopes:
            _scopes[inner] = (*_scopes.get(outer, ()), name)
        try:
            return original(self, *arguments, **keywords)
        finally:
            module.set_scope(outer)
    return __call__
