"""What tapes inside a function answered, looked at while the program calls the function.

TensorFlow shows nothing of what a graph computes inside. So the values that a call begins with are held: its arguments, and
what the variables held that it reads. Where the call may have gone wrong - what it returned is not finite, a variable is not
finite any more - and in its first calls, then ever more rarely, the part of the graph that leads to what was asked is computed
once more, op by op, beside the program: nothing is assigned, no iterator moves. What is wrong there leaves the records that a
question outside of a function leaves, by the tensors of the trace. Where the call takes an element from an iterator, as Keras' fit()
does, the element is taken before, in the calls that are looked at.
"""
import weakref

from tapescope import _tapescope as module
from tapescope.tensorflow.graph_runs import CannotRun, Plan, Run, read_variable, take_element
from tapescope.tensorflow.versions import EagerTensor, errors, has_gpu

_RARELY = 4  # calls that are all looked at; then the 8th, the 16th ...
_SMALL = 1 << 16  # elements that are looked at after each call
_HELD = 256 << 20  # bytes of variables that are held through a call
_UNKNOWN = 0  # no tensor: nothing is seen of it

_questions = weakref.WeakKeyDictionary()  # graph -> [_Question]


class _Question:
    """One question inside a trace, by symbolic tensors."""

    def __init__(self, tape, call, targets, steps_of_walk, answers):
        self.tape, self.call = tape, call
        self.targets, self.answers = targets, answers  # answers: (gradient, source id, name)
        self.steps = steps_of_walk  # (forward output, gradients, cotangents)
        self.shown = 0  # what was found before: 1 zero, 6 not finite

    def wanted(self):
        yield from self.targets
        for gradient, _, _ in self.answers:
            yield gradient
        for _, gradients, cotangents in self.steps:
            yield from _parts(gradients)
            yield from _parts(cotangents)


def _is_symbolic(value):
    return hasattr(value, "_id") and hasattr(value, "graph")


def _parts(values):
    """The symbolic tensors among what a backward step took or gave; of slices their values."""
    for value in values if isinstance(values, (list, tuple)) else [values]:
        if not hasattr(value, "_id"):
            value = getattr(value, "values", None)
        if _is_symbolic(value):
            yield value


def asked(tape, call, targets, walk, answers):
    """A tape inside the function that is being traced has answered. `walk`: (forward output, gradients, cotangents) of each backward step;
    `answers`: (gradient, source id, name). What stands in the graph of another body of control flow is left out."""
    graph = next((target.graph for target in targets if _is_symbolic(target)), None)
    if graph is None:
        return
    targets = [target for target in targets if _is_symbolic(target) and target.graph is graph]
    walk = [step for step in walk if all(part.graph is graph for values in step[1:] for part in _parts(values))]
    answers = [answer for answer in answers if _is_symbolic(answer[0]) and answer[0].graph is graph]
    if answers:
        _questions.setdefault(graph, []).append(_Question(tape, call, targets, walk, answers))


def questions_in(graph):
    return _questions.get(graph, ())


class Begun:
    """What a call begins with: the values of its arguments and variables. `inputs`: what it is given."""

    def __init__(self, inputs, often=False, looked_at=False):
        self.inputs, self.often, self.looked_at = inputs, often, looked_at
        self.held = self.element = self._iterator = None

    def take(self, place, attributes):
        """Takes the element that the call would take from an iterator, and gives it an iterator of that element."""
        self.element, self._iterator = take_element(self.inputs[place], attributes)
        self.inputs = [*self.inputs[:place], self._iterator._iterator_resource, *self.inputs[place + 1:]]


class Looks:
    """Of one trace."""

    def __init__(self, graph):
        self.calls = 0
        self.plan = None
        self.failed = has_gpu()
        self._found = 0  # by the last run: 6 for a value that is not finite
        self._update = {}  # what an update that spoiled a variable held, by number, until a question meets the variable
        self._graph = weakref.ref(graph)
        self._watched = None  # handles of small variables, which are looked at after each call

    def _prepare(self, inputs):
        try:
            self.plan = Plan(self._graph(), questions_in)
        except CannotRun:
            self.failed = True
            return
        self._watched, elements, held = [], 0, 0
        sizes = []
        for place in self.plan.reads:
            value = read_variable(inputs[place])
            sizes.append((value.shape.num_elements(), place))
            held += value.shape.num_elements() * value.dtype.size
        for size, place in sorted(sizes):
            elements += size
            if elements <= _SMALL:
                self._watched.append(place)
        self.failed = held > _HELD

    def begin(self, inputs):
        """Before a call: what it begins with; None where the call is not looked at."""
        if self.plan is None and not self.failed:
            self._prepare(inputs)
        if self.failed:
            return None
        self.calls += 1
        often = self.calls <= _RARELY or self.calls & (self.calls - 1) == 0
        begun = Begun(inputs, often, looked_at=True)
        if self.plan.element is None or often:  # before an element is taken, which cannot be given back
            begun.held = {place: read_variable(inputs[place]) for place in self.plan.reads}
        if self.plan.element is not None:
            if not often:  # to take elements for each call would cost more than the call
                return None
            place, attributes = self.plan.element
            try:
                begun.take(place, attributes)
            except errors.OutOfRangeError:  # the program will hear of it
                return None
        return begun

    def end(self, begun, outputs):
        """After the call."""
        if not begun.often and not self._went_wrong(begun.inputs, begun.held, outputs):
            return
        self._found = 0
        try:
            Run(self.plan, begun.inputs, begun.held, self._look, begun.element)
        except CannotRun:
            self.failed = True
            return
        if self._found == 0 and not self._update and self._spoiled(begun.inputs, begun.held):
            self._look_at_update(begun)

    def _look(self, question, values, run):
        self._found |= _look(question, values, run, self._update) & 6

    def _look_at_update(self, begun):
        """Nothing that was asked for is wrong, and a variable is: what was computed of the gradients before it was assigned."""
        try:
            plan = Plan(self._graph(), questions_in, updates=True)
            held = {place: begun.held[place] if place in begun.held else read_variable(begun.inputs[place]) for place in plan.reads}
            if any(module.look(value) & 6 for value in held.values()):
                return  # a moment that was not held, and is spoiled as well
            seen = Run(plan, begun.inputs, held, lambda *_: None, begun.element).seen
        except CannotRun:
            return
        self._update = {number: value for number, value in seen.items() if value.shape.num_elements() <= _SMALL}

    def _went_wrong(self, inputs, held, outputs):
        for output in outputs:
            if type(output) is EagerTensor and output.dtype.is_floating and output.shape.num_elements() <= _SMALL and module.look(output) & 6:
                return not any(module.look(held[place]) & 6 for place in self._watched)  # what began before is known
        return self._spoiled(inputs, held)

    def _spoiled(self, inputs, held):
        return any(module.look(read_variable(inputs[place])) & 6 and not module.look(held[place]) & 6 for place in self._watched)


def _look(question, values, run, update):
    """A run has come to a question. `update`: what the update held that spoiled a variable, by number. Returns what was found."""
    found = 0
    for target in question.targets:
        if target._id in values:
            found |= module.look(values[target._id]) & 6
    for gradient, source, name in question.answers:
        if gradient._id in values:
            found |= module.look(values[gradient._id])
            module.gradient_values(values[gradient._id], source, name, module.known(gradient._id))
    if found & ~question.shown == 0:
        return found
    question.shown |= found | (6 if found & 6 else 0)
    module.graph_ask(question.tape, question.call)
    for output, gradients, cotangents in question.steps:
        module.step_seen(output, _computed(gradients, values), _computed(cotangents, values))
    for number, value in {**update, **run.seen}.items():
        module.tensor_values(number, value)
    return found


def _computed(given, values):
    """What a run computed for what a backward step took or gave: None for None, and _UNKNOWN for what was not computed."""
    computed = []
    for value in given if isinstance(given, (list, tuple)) else [given]:
        part = next(_parts(value), None)
        computed.append(None if value is None else _UNKNOWN if part is None else values.get(part._id, _UNKNOWN))
    return computed
