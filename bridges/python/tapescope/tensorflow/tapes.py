"""Tapes and what is asked of them."""
from tapescope import _tapescope as module
from tapescope import names, untaken
from tapescope.names import FrameNames
from tapescope.tensorflow import functions, looks, variables
from tapescope.tensorflow.versions import backprop, imperative_grad, nest

_BLOCK, _PAUSE, _RESET = range(3)  # what pushes and pops a tape


def install(patches):
    module.configure_tapes(flatten=nest.flatten, number=_number, texts=_texts, name=_name_variables, values=_values_of, traced=functions.asked,
                           answered=_answered_in_trace, missing=untaken.note)
    tape = backprop.GradientTape

    for name in ("_push_tape", "_pop_tape", "gradient", "jacobian", "batch_jacobian"):
        patches.set(tape, name, lambda original: module.wrap_tape_method(tape, name, original), _lost(name))
    for name, make in (("reset", _reset), ("stop_recording", _stop_recording), ("watch", _watch)):
        patches.set(tape, name, make, _lost(name))
    patches.set(imperative_grad, "imperative_grad", module.wrap_walk, "backward passes are not seen")


def _lost(name):
    return f"tapes do not show {name.strip('_')}"


def _reset(original):
    def reset(self):
        with _Within(self, _RESET):
            return original(self)
    return reset


class _Within:
    """A block in which something else than the tape's own block pushes and pops it."""

    def __init__(self, tape, context):
        self._tape, self._context = tape, context

    def __enter__(self):
        module.tape_context(self._tape, self._context)

    def __exit__(self, *_):
        module.tape_context(self._tape, _BLOCK)


class _Pause:
    """The original's context manager, with the name of what it does."""

    def __init__(self, tape, manager):
        self._tape, self._manager = tape, manager

    def __enter__(self):
        with _Within(self._tape, _PAUSE):
            return self._manager.__enter__()

    def __exit__(self, *error):
        with _Within(self._tape, _PAUSE):
            return self._manager.__exit__(*error)


def _stop_recording(original):
    def stop_recording(self):
        return _Pause(self, original(self))
    return stop_recording


def _watch(original):
    def watch(self, tensor):
        original(self, tensor)
        if module.is_muted():
            return
        try:
            number = module.tape_number(self)
            for item in backprop._extract_tensors_and_variables(tensor):
                if hasattr(item, "handle"):
                    module.watch(number, variables.define(item), module.type(item.dtype.base_dtype.name, ()))
                else:
                    module.watch(number, module.tensor(item), module.type(item.dtype.name, ()))
        except Exception as error:
            module.failed(repr(error))
    return watch


def _number(item):
    """The id of the tensor or variable that a target or source stands for, where it is neither itself; of a ragged tensor that of its values."""
    inner = getattr(item, "value", None)
    if hasattr(inner, "handle"):
        item = inner  # a Keras variable, some versions of which have a handle as well
    if hasattr(item, "handle"):
        return variables.define(item)
    for part in ("flat_values", "values"):
        if not hasattr(item, "_id") and hasattr(item, part):
            item = getattr(item, part)
    return module.tensor(item) if hasattr(item, "_id") else 0


def _texts(sources, targets, keyed):
    """What sources and targets are called; sources of a dict by its keys."""
    found = _name_variables(keyed)
    texts = [found.of(item) for item in sources]
    return texts + [found.of(item) or names.called_in(names.asker(), item) for item in targets]


def _name_variables(keyed=None):
    """What the program's variables hold is called so."""
    found = FrameNames(keyed)
    for item, text in list(zip(found.objects, found.names.values())):
        number = module.find(item) if hasattr(item, "_id") else 0
        if number:
            module.tensor_name(number, text)
    return found


def _values_of(gradient):
    """The tensor that holds a gradient's values; None for None."""
    if gradient is None or hasattr(gradient, "_id"):
        return gradient
    for part in ("values", "flat_values"):
        value = getattr(gradient, part, None)
        if value is not None and hasattr(value, "_id"):
            return value
    return None


def _answered_in_trace(tape, question, targets, walk, answers):
    answers = [(gradient, source, name) for source, name, gradient in answers if gradient is not None]
    for answer in answers:
        functions.answered(*answer)
    looks.asked(tape, question, targets, walk, answers)
