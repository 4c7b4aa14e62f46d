"""Work that each training step does again with the same result: what a frozen model makes of the same tensors."""
import math
from collections import defaultdict

from tapescope.torch import words
from tapescope.torch.source import in_loop

_ROUNDS = 4  # training steps in which it is done
_HEAVY = 10_000  # operations a step: as quick in each round below (the same bound as for other frameworks, viewer/model/advice_ops.cpp)
_MOST_KEPT = 4096
_VARIES = frozenset(("dropout", "feature_dropout", "alpha_dropout", "rrelu"))
_WEIGHED = frozenset(("linear", "conv1d", "conv2d", "conv3d", "matmul", "__matmul__", "mm", "bmm", "lstm", "gru"))


def _operations(op):
    """Two for each number of the result and each that it sums over."""
    summed = op.inputs[1].who.shape[1:] if op.name.startswith("conv") else op.inputs[0].who.shape[-1:]
    return 2 * math.prod(summed) * math.prod(op.outputs[0].who.shape if op.outputs else ())


class Rounds:
    def __init__(self, answers):
        self.answers = answers
        self.met = defaultdict(set)  # (op's name, lines, inputs, their versions) -> updates of the weights before it

    def look(self, ops, updates):
        """At a training step's ops, which so many updates of the weights came before."""
        again, whole = defaultdict(int), 0
        for op in ops:
            if op.kind != "op" or op.name not in _WEIGHED or len(op.inputs) < 2 or op.target is not None or not op.lines:
                continue
            work = _operations(op)
            whole += work
            # Weights that want gradients change where no call is seen.
            if op.recorded or any(value.who.wants for value in op.inputs) or len(self.met) > _MOST_KEPT:
                continue
            rounds = self.met[op.name, op.lines, tuple(op.inputs), tuple(op.versions)]
            rounds.add(updates)
            if len(rounds) >= _ROUNDS:
                again[self._line(op.lines)] += work
        for place, work in again.items():
            varies = any(op.name in _VARIES and place in op.lines for op in ops)
            if work >= _HEAVY and 2 * work >= whole and not varies:
                self.answers.advise("repeated_work", "the same result in each step",
                                    f"{words.location([place])} computes the same again in each training step: weights that are frozen, of the same tensors",
                                    "compute it once, before the loop, and keep the result", place)

    @staticmethod
    def _line(lines):
        return next((place for place in lines if in_loop(place)), lines[0])
