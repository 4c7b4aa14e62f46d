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
# Calls that give the same of the same tensors, and take nothing else that changes.
_CARRIES = _WEIGHED | {"embedding", "embedding_bag", "layer_norm", "rms_norm", "group_norm", "mean", "sum", "relu", "gelu", "silu", "tanh", "sigmoid", "softmax", "leaky_relu", "elu",
                       "normalize", "flatten", "add", "__add__", "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d"}
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
        self.results = {}  # such a key -> a number that stands for the result

    def look(self, ops, updates):
        """At a training step's ops, which so many updates of the weights came before."""
        again, whole, decomposed = [], 0, {}
        same, through = {}, defaultdict(int)
        for op in ops:
            self._carry(op, same)
            if op.kind != "op" or not (_is_decomposed(op) or op.name in _WEIGHED and len(op.inputs) >= 2) or op.target is not None or not op.lines:
                continue
            work = _operations(op)
            whole += work
            for place in set(op.lines):
                through[place] += 1
            # Weights that want gradients change where no call is seen.
            if op.recorded or any(value.who.wants for value in op.inputs) or len(self.met) > _MOST_KEPT:
                continue
            rounds = self.met[self._key(op, same)]
            rounds.add(updates)
            if len(rounds) >= _ROUNDS:
                again.append((op, work))
                for place in set(op.lines):
                    through[place] -= 1
        works = defaultdict(int)
        for op, work in again:
            place = op.lines[0] if _is_decomposed(op) else self._line(op.lines, through)
            works[place] += work
            if _is_decomposed(op):
                decomposed[place] = op.name.removeprefix("linalg_")
        for place, work in works.items():
            varies = any(op.name in _VARIES and place in op.lines for op in ops)
            if work >= _HEAVY and 2 * work >= whole and not varies:
                self.answers.advise("repeated_work", "the same result in each step",
                                    f"{words.location([place])} computes the same again in each training step: " +
                                    (f"{decomposed[place]} of a matrix that does not change" if place in decomposed else "weights that are frozen, of the same tensors"),
                                    "compute it once, before the loop, and keep the result", place)

    @staticmethod
    def _key(op, same):
        return op.name, op.lines, tuple(same.get(value, value if value.same is None else value.same) for value in op.inputs), tuple(op.versions)

    def _carry(self, op, same):
        """Notes that the result of a frozen layer is the same as long as what it takes is."""
        carries = op.kind == "op" and op.name in _CARRIES and op.target is None and op.facts is None and not op.recorded
        alone = "add" in op.name and len(op.inputs) < 2  # with a number, which may be another one each time
        if carries and not alone and op.lines and op.inputs and len(op.outputs) == 1 and not any(value.who.wants for value in op.inputs) and len(self.results) <= _MOST_KEPT:
            key = self._key(op, same)
            same[op.outputs[0]] = self.results.setdefault(key, len(self.results))

    @staticmethod
    def _line(lines, through):
        """The outermost line up to a loop, of whose work all is done again; `through`: the other calls under each line."""
        loop = next((index for index, place in enumerate(lines) if in_loop(place)), 0)
        return next((place for place in reversed(lines[:loop + 1]) if through[place] == 0), lines[0])
