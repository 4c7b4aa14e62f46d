"""Tapes and what is asked of them."""
import sys
import threading
import weakref

from tapescope import _tapescope as module
from tapescope import names
from tapescope.names import FrameNames
from tapescope.steps import steps
from tapescope.tensorflow import functions, looks, variables
from tapescope.tensorflow.versions import EagerTensor, ResourceVariable, backprop, imperative_grad, nest, script_ops

_tapes = {}  # address of a tape -> _Tape, until the tape is gone


class _Local(threading.local):
    question = None  # the one under way
    jacobian = False


_local = _Local()


class _Tape(weakref.ref):
    """What is known of a tape: one object, as programs make a tape for each question."""

    __slots__ = "number", "context", "address"

    def __init__(self, tape, gone):
        super().__init__(tape, gone)
        self.number = module.tape_made(bool(tape._persistent), bool(tape._watch_accessed_variables))
        self.context = ""  # what pushes and pops the tape: "", "pause", "reset"
        self.address = id(tape)


def _of(tape):
    known = _tapes.get(id(tape))
    if known is None:
        known = _tapes[id(tape)] = _Tape(tape, _destroyed)
    return known


def _destroyed(known):
    _tapes.pop(known.address, None)
    if not module.is_muted():
        module.tape_destroyed(known.number)


def install(patches):
    tape = backprop.GradientTape
    for name, make in (("_push_tape", _push), ("_pop_tape", _pop), ("reset", _reset), ("stop_recording", _stop_recording), ("watch", _watch),
                       ("gradient", _gradient), ("jacobian", _jacobian), ("batch_jacobian", _jacobian)):
        patches.set(tape, name, make, f"tapes do not show {name.strip('_')}")
    patches.set(imperative_grad, "imperative_grad", _walk, "backward passes are not seen")


def _push(original):
    def _push_tape(self):
        again = self._tape is not None
        original(self)
        if module.is_muted():
            return
        try:
            known = _of(self)
            if known.context == "pause":
                module.tape_resume(known.number)
            elif known.context != "reset":
                if module.active_tapes() == 0 and module.tracing() == 0 and _local.question is None:
                    steps.arrive(module.site())
                module.tape_enter(known.number, again)
        except Exception as error:
            module.failed(repr(error))
    return _push_tape


def _pop(original):
    def _pop_tape(self):
        original(self)
        if module.is_muted():
            return
        try:
            known = _of(self)
            if known.context == "pause":
                module.tape_pause(known.number)
            elif known.context == "reset":
                module.tape_reset(known.number)
            else:
                module.tape_exit(known.number)
        except Exception as error:
            module.failed(repr(error))
    return _pop_tape


def _reset(original):
    def reset(self):
        known = _of(self)
        known.context = "reset"
        try:
            return original(self)
        finally:
            known.context = ""
    return reset


class _Pause:
    """The original's context manager, with the name of what it does."""

    def __init__(self, tape, manager):
        self._known, self._manager = _of(tape), manager

    def _within(self, call, *arguments):
        self._known.context = "pause"
        try:
            return call(*arguments)
        finally:
            self._known.context = ""

    def __enter__(self):
        return self._within(self._manager.__enter__)

    def __exit__(self, *error):
        return self._within(self._manager.__exit__, *error)


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
            number = _of(self).number
            for item in backprop._extract_tensors_and_variables(tensor):
                if hasattr(item, "handle"):
                    module.watch(number, variables.define(item), module.type(item.dtype.base_dtype.name, ()))
                else:
                    module.watch(number, module.tensor(item), module.type(item.dtype.name, ()))
        except Exception as error:
            module.failed(repr(error))
    return watch


def _leaf(item):
    """The id of the tensor or variable that a target or source stands for; a ragged tensor by its values."""
    if type(item) is EagerTensor:  # to ask it for what it has not takes longer than all of this
        return module.tensor(item)
    if type(item) is ResourceVariable:
        return variables.define(item)
    inner = getattr(item, "value", None)
    if hasattr(inner, "handle"):
        item = inner  # a Keras variable, some versions of which have a handle as well
    if hasattr(item, "handle"):
        return variables.define(item)
    for part in ("flat_values", "values"):
        if not hasattr(item, "_id") and hasattr(item, part):
            item = getattr(item, part)
    return module.tensor(item) if hasattr(item, "_id") else 0


def _handle_number(item):
    return 0 if type(item) is EagerTensor else getattr(getattr(item, "handle", None), "_id", 0)


_ALIKE = 4  # questions in a row
_places = {}  # by site, number of targets and handles of sources


class _Place:
    """Where questions are put: what their sources and targets were called, and how often in a row they were called that."""

    def __init__(self, texts):
        self.texts, self.alike = texts, 0


_ALONE = (EagerTensor, ResourceVariable)


def _flat(structure):
    """nest.flatten, which takes longer than to see that there is nothing to flatten."""
    return [structure] if structure is None or type(structure) in _ALONE else nest.flatten(structure)


class _Question:
    """One call of gradient() or jacobian(), from the ask to the results."""

    __slots__ = "tape", "known", "traced", "targets", "zero", "sources", "first", "call", "whole", "named", "walked", "outer_walk"

    def __init__(self, tape, target, sources, unconnected, whole):
        self.tape, self.known = tape, _of(tape)
        self.traced = module.tracing() > 0
        self.targets = [item for item in _flat(target) if item is not None]
        keyed = sources if isinstance(sources, dict) else None
        sources = _flat(sources)
        self.zero = getattr(unconnected, "value", unconnected) == "zero"
        texts = self._texts(sources, keyed)
        self.sources = [(_leaf(item), text) for item, text in zip(sources, texts)]
        targets = [(_leaf(item), text) for item, text in zip(self.targets, texts[len(sources):])]
        if self.traced:
            functions.asked()
            self.walked = []
            self.outer_walk = module.trace_steps(self.walked)
        self.first = False if self.traced else steps.ask([number for number, _ in self.sources])
        self.call = module.ask(self.known.number, 1 if self.zero else 0, len(targets), len(self.sources))
        for number, text in targets:
            module.target(number, text)
        for index, (number, text) in enumerate(self.sources):
            module.source(index, number, text)
        self.whole = whole  # the walk is within something larger
        if whole:
            module.backward_begin(self.known.number, self.call)

    def _texts(self, sources, keyed):
        """What sources and targets are called; those of a dict by its keys. Questions that are put at one place again and again call theirs alike, and their frames are not
        searched any more."""
        self.named = False
        key = module.site(), len(self.targets), *map(_handle_number, sources)
        known = _places.get(key)
        if known and known.alike >= _ALIKE and not names.any_given():
            return known.texts
        found = self._name_variables(keyed)
        texts = [found.of(item) for item in sources]
        texts += [found.of(item) or names.called_in(names.asker(), item) for item in self.targets]
        if known is None:
            _places[key] = _Place(texts)
        else:
            known.alike = known.alike + 1 if known.texts == texts else -_ALIKE
            known.texts = texts
        return texts

    def _name_variables(self, keyed=None):
        """What the program's variables hold is called so."""
        found = FrameNames(keyed)
        for item, text in list(zip(found.objects, found.names.values())):
            number = module.find(item) if hasattr(item, "_id") else 0
            if number:
                module.tensor_name(number, text)
        self.named = True
        return found

    def walk(self, original, arguments, keywords):
        if not self.traced:
            module.stop_before_backward()
        module.backward_begin(self.known.number, self.call)
        raised = True
        try:
            result = original(*arguments, **keywords)
            raised = False
            return result
        finally:
            module.backward_end(self.known.number, self.call, raised)

    def end(self, gradients, raised):
        if self.traced:
            module.trace_steps(self.outer_walk)
        if self.whole:
            module.backward_end(self.known.number, self.call, raised)
        if raised:
            self.named or self._name_variables()
            return
        if not self.tape._persistent:
            module.tape_consumed(self.known.number)
        broken, answers = 0, []
        wrong = False  # an answer that has to be explained
        found = _flat(gradients)
        for index, ((number, text), gradient) in enumerate(zip(self.sources, found)):
            kind = 0 if gradient is None else 1
            value = gradient if type(gradient) is EagerTensor else _values_of(gradient)
            if kind == 1 and self.zero and not self.traced and value is not None and module.look(value) & 1 and not _reached(value):
                kind = 2
            held = module.result(index, number, text, kind, value)
            broken |= held
            wrong |= kind != 1 or held != 0
            answers.append((number, text, value))
            if self.traced and value is not None:
                functions.answered(value, number, text)
        if self.traced:
            looks.asked(self.known.number, self.call, self.targets, self.walked, [(value, number, text) for number, text, value in answers if value is not None])
            return
        for target in self.targets:
            if isinstance(target, EagerTensor):
                broken |= module.look(target)
        if broken & 6:
            module.nonfinite_ops()
        if (wrong or broken) and not self.named:
            self._name_variables()
        loss = module.single(self.targets[0]) if self.first and self.targets else None
        if loss is not None:
            steps.note("loss", loss)
        module.answered(answers)


def _values_of(gradient):
    """The tensor that holds a gradient's values; None for None."""
    if gradient is None or hasattr(gradient, "_id"):
        return gradient
    for part in ("values", "flat_values"):
        value = getattr(gradient, part, None)
        if value is not None and hasattr(value, "_id"):
            return value
    return None


def _reached(value):
    """Whether a backward step made the tensor: zeros for a source that nothing connects are made after them all."""
    return not module.is_filler(value)


def _question(tape, target, sources, unconnected, whole=False):
    if module.is_muted() or _local.jacobian:
        return None
    try:
        return _Question(tape, target, sources, unconnected, whole)
    except Exception as error:
        module.failed(repr(error))
        return None


def _answer(question, original, arguments, keywords):
    outer = _local.question
    _local.question = question
    try:
        gradients = original(*arguments, **keywords)
    except BaseException:
        _finish(question, None, True)
        raise
    finally:
        _local.question = outer
    _finish(question, gradients, False)
    return gradients


def _finish(question, gradients, raised):
    try:
        question.end(gradients, raised)
    except Exception as error:
        module.failed(repr(error))


def _gradient(original):
    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=backprop.UnconnectedGradients.NONE):
        arguments = (self, target, sources, output_gradients, unconnected_gradients)
        if sys._getframe(1).f_code.co_filename == script_ops.__file__:  # py_function asks for its part of another question
            return original(*arguments)
        question = _question(self, target, sources, unconnected_gradients)
        return original(*arguments) if question is None else _answer(question, original, arguments, {})
    return gradient


def _jacobian(original):
    def jacobian(self, target, sources, unconnected_gradients=backprop.UnconnectedGradients.NONE, **keywords):
        question = _question(self, target, sources, unconnected_gradients, whole=True)
        arguments = (self, target, sources, unconnected_gradients)
        if question is None:
            return original(*arguments, **keywords)
        _local.jacobian = True
        try:
            return _answer(question, original, arguments, keywords)
        finally:
            _local.jacobian = False
    return jacobian


def _walk(original):
    def wrapped(*arguments, **keywords):
        question = _local.question
        if question is None or question.whole or module.is_muted():
            return original(*arguments, **keywords)
        return question.walk(original, arguments, keywords)
    return wrapped
