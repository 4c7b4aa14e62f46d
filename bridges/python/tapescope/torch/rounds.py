"""Work that each training step does again with the same result: what a frozen model makes of the same tensors, what a matrix that stays as it is decomposes into."""
import math
from collections import defaultdict

from tapescope.torch import words
from tapescope.torch.source import in_loop

_ROUNDS = 4  # training steps in which it is done
_HEAVY = 10_000  # operations a step: as quick in each round below (the same bound as for other frameworks, viewer/model/advice_ops.cpp)
_MOST_KEPT = 4096
_VARIES = frozenset(("dropout", "feature_dropout", "alpha_dropout", "rrelu"))
_WEIGHED = frozenset(("linear", "conv1d", "conv2d", "conv3d", "matmul", "__matmul__", "mm", "bmm", "lstm", "gru"))
# Decompositions and solutions of systems, of the order of n³ for each matrix.
_DECOMPOSED = frozenset(("eigh", "eigvalsh", "eig", "eigvals", "svd", "svdvals", "qr", "cholesky", "cholesky_ex", "inv", "inverse", "pinv", "matrix_exp", "matrix_power", "lu_factor", "slogdet",
                         "logdet", "det"))
_FEWEST = 4  # numbers along a side
_CALL = 20_000  # operations, in whose time a call of LAPACK has not yet begun


def _is_decomposed(op):
    return op.name.removeprefix("linalg_") in _DECOMPOSED and len(op.inputs) > 0 and len(op.inputs[0].who.shape) >= 2 and op.inputs[0].who.shape[-1] >= _FEWEST


def _operations(op):
    """Two for each number of the result and each that it sums over; of a decomposition a small multiple of n³."""
    if _is_decomposed(op):
        return _CALL + 10 * math.prod(op.inputs[0].who.shape) * op.inputs[0].who.shape[-1]
    summed = op.inputs[1].who.shape[1:] if op.name.startswith("conv") else op.inputs[0].who.shape[-1:]
    return 2 * math.prod(summed) * math.prod(op.outputs[0].who.shape if op.outputs else ())


class Rounds:
    def __init__(self, answers):
        self.answers = answers
        self.met = defaultdict(set)  # (op's name, lines, inputs, their versions) -> updates of the weights before it

    def look(self, ops, updates):
        """At a training step's ops, which so many updates of the weights came before."""
        again, whole, decomposed = defaultdict(int), 0, {}
        for op in ops:
            if op.kind != "op" or not (_is_decomposed(op) or op.name in _WEIGHED and len(op.inputs) >= 2) or op.target is not None or not op.lines:
                continue
            work = _operations(op)
            whole += work
            # Weights that want gradients change where no call is seen.
            if op.recorded or any(value.who.wants for value in op.inputs) or len(self.met) > _MOST_KEPT:
                continue
            rounds = self.met[op.name, op.lines, tuple(op.inputs), tuple(op.versions)]
            rounds.add(updates)
            if len(rounds) >= _ROUNDS:
                place = op.lines[0] if _is_decomposed(op) else self._line(op.lines)
                again[place] += work
                if _is_decomposed(op):
                    decomposed[place] = op.name.removeprefix("linalg_")
        for place, work in again.items():
            varies = any(op.name in _VARIES and place in op.lines for op in ops)
            if work >= _HEAVY and 2 * work >= whole and not varies:
                self.answers.advise("repeated_work", "the same result in each step",
                                    f"{words.location([place])} computes the same again in each training step: " +
                                    (f"{decomposed[place]} of a matrix that does not change" if place in decomposed else "weights that are frozen, of the same tensors"),
                                    "compute it once, before the loop, and keep the result", place)

    @staticmethod
    def _line(lines):
        return next((place for place in lines if in_loop(place)), lines[0])
