"""Constants that a training step computes again and again: results of numbers alone, of the same values each time."""
from collections import defaultdict

import torch

from tapescope.torch import words

MADE = frozenset(("arange", "linspace", "logspace", "eye", "ones", "zeros", "full", "tril_indices", "triu_indices", "hann_window", "hamming_window", "blackman_window"))
_SHAPES = frozenset(("view", "reshape", "unsqueeze", "squeeze", "expand", "expand_as", "view_as", "transpose", "permute", "t", "T", "mT", "__getitem__", "select", "narrow", "to", "type", "float",
                     "double", "long", "int", "contiguous", "clone", "detach", "flatten", "repeat", "tile", "stack", "cat", "alias", "movedim", "broadcast_to", "broadcast_tensors"))
_VARIES = ("rand", "dropout", "bernoulli", "multinomial", "normal", "poisson", "exponential", "sample", "empty", "rrelu")
_LARGEST = 4096  # numbers of a result that are looked at
_SMALLEST = 16
_FEWEST = 4  # times in a step
_MANY = 12  # times in all


def digest_of(op, tensor):
    """A number that stands for the values of a result that depends on numbers alone; None of others."""
    known = op.name in MADE if not op.inputs else all(value.same is not None for value in op.inputs)
    if not known or tensor.requires_grad or tensor.device.type != "cpu" or tensor.layout is not torch.strided or not 0 < tensor.numel() <= _LARGEST:
        return None
    if any(word in op.name for word in _VARIES) or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return None
    numbers = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    return hash((tuple(tensor.shape), tensor.dtype, numbers.numpy().tobytes()))


class Constants:
    def __init__(self, answers):
        self.answers = answers
        self.times = defaultdict(int)  # line -> how often it computed the same in steps where it did so more than once or twice
        self.steps = defaultdict(int)  # line -> those steps

    def look(self, ops):
        """At a training step's ops."""
        made = defaultdict(list)
        for op in ops:
            if op.inputs and op.outputs and op.lines and op.outputs[0].same is not None:
                made[op.lines[0], op.name, op.outputs[0].same].append(op)
        again = {key: same for key, same in made.items() if len(same) >= _FEWEST and self._is_work(same[0].outputs[0])}
        read = {value.same for same in again.values() for value in same[0].inputs}
        for (place, name, result), same in again.items():
            if result in read:  # by a call that is found itself
                continue
            self.steps[place] += 1
            self.times[place] += len(same)
            if self.steps[place] > 1 and self.times[place] >= _MANY:
                self.answers.advise("repeated_work", "the same constant again", f"{words.location([place])} computes the same {len(same)} times in each step: what {name} "
                                    "returns there depends on no tensor that changes",
                                    "compute it once, keep the result (in a module with register_buffer) and use it again", place)

    @staticmethod
    def _is_work(value):
        """Whether two calls or more computed it, beside those that give a tensor another shape or type."""
        calls, pending, seen = 0, [value], set()
        while pending:
            item = pending.pop()
            if item in seen or item.op is None:
                continue
            seen.add(item)
            calls += bool(item.op.inputs) and item.op.name not in _SHAPES
            pending.extend(item.op.inputs)
        shape = value.who.shape
        return calls >= 2 and torch.Size(shape).numel() >= _SMALLEST
