"""Nodes of the backward graph: which op each belongs to, and what its step was given and returned."""
import torch

from tapescope.torch.flow import node_of
from tapescope.torch.look import BAD, look
from tapescope.torch.uncompiled import uncompiled
from tapescope.torch.watch import quiet

_LEAF = (1 << 64) - 1  # sequence number of what adds to a leaf's gradient
_MOST_NODES = 50000


class Node:
    __slots__ = ("name", "op", "nexts", "given", "returned", "custom", "walked", "order")

    def __init__(self, name, op, nexts, custom):
        self.name, self.op, self.nexts, self.custom = name, op, nexts, custom
        self.given = self.returned = ()  # bits of each cotangent and result; None for None
        self.walked = 0  # number of the last question that came by
        self.order = 0


class Nodes:
    def __init__(self, flow):
        self.flow = flow
        self.table = {}  # sequence number -> Node
        self.question = 0
        self.order = 0
        self.spoilt = []  # nodes that made the first values that are not finite, of the question under way
        self.on_step = None

    @staticmethod
    def next():
        return torch.autograd._get_sequence_nr()

    def watch(self, op, outputs):
        """Finds the nodes that an op made, and listens to their steps."""
        for tensor in outputs:
            pending = [node_of(tensor) if tensor.requires_grad else None]
            while pending:
                node = pending.pop()
                if node is None:
                    continue
                number = node._sequence_nr()
                if number == _LEAF or number < op.seqs or number in self.table:
                    continue
                self._add(number, node, op)
                pending.extend(following for following, _ in node.next_functions)
        if len(self.table) > 2 * _MOST_NODES:
            for number in list(self.table)[:_MOST_NODES]:
                del self.table[number]

    def _add(self, number, node, op):
        nexts = []
        for following, _ in node.next_functions:
            if following is None:
                nexts.append(None)
            elif following._sequence_nr() == _LEAF:
                leaf = getattr(following, "variable", None)
                nexts.append(self.flow.value(leaf).who if leaf is not None else None)
            else:
                nexts.append(following._sequence_nr())
        custom = isinstance(node, torch.autograd.function.BackwardCFunction)
        known = self.table[number] = Node(type(node).__name__ if custom else node.name(), op, nexts, custom)
        node.register_hook(self._hook(known))

    def _hook(self, known):
        def stepped(results, cotangents):
            try:
                with quiet():
                    self._step(known, results, cotangents)
            except Exception:
                pass
        return uncompiled(stepped)

    def _step(self, known, results, cotangents):
        self.order += 1
        known.order, known.walked = self.order, self.question
        known.given = tuple(None if item is None else look(item) for item in cotangents)
        known.returned = tuple(None if item is None else look(item) for item in results)
        if any(bits and bits & BAD for bits in known.returned) and not any(bits and bits & BAD for bits in known.given):
            self.spoilt.append(known)

    def hook_on(self, place):
        """Lines of the program's hook on the gradient that arrives at a leaf, or at the node of that number; empty without one."""
        outputs = [] if isinstance(place, int) else [place]
        if isinstance(place, int) and place in self.table:
            outputs = [value.who for value in self.table[place].op.outputs]
        return next((who.hooked for who in outputs if who.hooked), ())

    def reachable(self, seq):
        """Numbers of the nodes below one, and the leaves that they lead to."""
        found, leaves, pending = set(), set(), [seq]
        while pending:
            number = pending.pop()
            if number in found or number not in self.table:
                continue
            found.add(number)
            for following in self.table[number].nexts:
                if isinstance(following, int):
                    pending.append(following)
                elif following is not None:
                    leaves.add(following)
        return found, leaves
