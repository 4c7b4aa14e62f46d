"""tf.distribute: what the workers of a job hold in each step, by hashes, and the threads in which a strategy runs the program's step."""
import threading
import weakref

from tapescope import _tapescope as module
from tapescope import names
from tapescope.steps import steps
from tapescope.tensorflow import functions, variables
from tapescope.tensorflow.versions import ops

_MOST = 4096  # variables of a step
_variables = []  # weak references, in the order in which the program made them


def install(patches):
    from tensorflow.python.distribute import mirrored_run, values
    _variables.clear()
    steps.at_begin.append(_note)
    patches.on_undo(lambda: steps.at_begin.remove(_note))
    patches.set(values.DistributedVariable, "__init__", _made, "workers of tf.distribute are not compared")
    thread = mirrored_run._MirroredReplicaThread
    patches.set(thread, "__init__", _replica_made, "steps inside of strategy.run are not seen")
    patches.set(thread, "run", _replica_runs, "steps inside of strategy.run are not seen")


# --- replicas

def _made(original):
    def __init__(self, strategy, *arguments, **keywords):
        original(self, strategy, *arguments, **keywords)
        try:
            # Those of one process are compared with none, and metrics, which are summed up when they are read, differ.
            if strategy.extended._in_multi_worker_mode() and self.trainable:
                _variables.append(weakref.ref(self))
        except Exception as error:
            module.failed(repr(error))
    return __init__


def _note():
    """A step begins: what each variable holds that an exchange keeps alike."""
    if not _variables:
        return
    module.mute()
    try:
        with ops.init_scope():
            _variables[:] = [reference for reference in _variables if reference() is not None][:_MOST]
            found = [(variable, variable.values[0]) for variable in (reference() for reference in _variables) if variable is not None]
            held = [part.read_value() for _, part in found]
        for index, ((variable, part), value) in enumerate(zip(found, held)):
            text = names.keras_path(variable) or names.given_name(variable) or "variable"
            module.replica(index, text, variables.define(part), True, module.hash_of(value))
    except Exception as error:
        module.failed(repr(error))
    finally:
        module.unmute()


# --- a strategy's threads: one for each of its devices, each of which runs while the program's own thread waits

def _replica_made(original):
    def __init__(self, *arguments, **keywords):
        original(self, *arguments, **keywords)
        try:
            stack, tracing = functions.calls_under_way(), module.tracing()
            self._tapescope = threading.get_ident(), stack, tracing
            if not stack and not tracing and not module.is_muted():  # step by step: a step begins and ends on the thread that lives on
                steps.arrive(("strategy", module.site()), True)
        except Exception as error:
            module.failed(repr(error))
    return __init__


def _replica_runs(original):
    def run(self):
        thread, stack, tracing = getattr(self, "_tapescope", (None, None, 0))
        if thread is None or self.replica_id != 0:
            return original(self)
        steps.act_for(thread)
        functions.take_part(stack)
        for _ in range(tracing):
            module.trace_begin()
        return original(self)
    return run
