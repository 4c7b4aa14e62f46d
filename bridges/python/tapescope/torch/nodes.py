"""Nodes of the backward graph: which op each belongs to, and what its step was given and returned."""
import torch

from tapescope.torch.flow import node_of
from tapescope.torch.look import BAD, look
from tapescope.torch.sequence import LEAF, begin_question, keep_number, next_number, number_of, this_thread
from tapescope.torch.uncompiled import uncompiled
from tapescope.torch.watch import quiet

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
        self.order = 0
        self.on_step = None

    next = staticmethod(next_number)

    def begin(self, question):
        """A question of that number begins on this thread."""
        begin_question(question)

    @property
    def spoilt(self):
        return this_thread.spoilt

    def watch(self, op, outputs):
        """Finds the nodes that an op made, and listens to their steps."""
        for tensor in outputs:
            pending = [node_of(tensor) if tensor.requires_grad else None]
            while pending:
                node = pending.pop()
                if node is None:
                    continue
                number = number_of(node)
                if number == LEAF or number < op.seqs or number in self.table:
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
            elif number_of(following) == LEAF:
                leaf = getattr(following, "variable", None)
                nexts.append(self.flow.value(leaf).who if leaf is not None else None)
            else:
                nexts.append(number_of(following))
        custom = isinstance(node, torch.autograd.function.BackwardCFunction)
        known = self.table[number] = Node(type(node).__name__ if custom else node.name(), op, nexts, custom)
        keep_number(node, number)
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
        known.order, known.walked = self.order, this_thread.question
        known.given = tuple(None if item is None else look(item) for item in cotangents)
        known.returned = tuple(None if item is None else look(item) for item in results)
        if any(bits and bits & BAD for bits in known.returned) and not any(bits and bits & BAD for bits in known.given):
            this_thread.spoilt.append(known)

    def hook_on(self, place):
        """Lines of the program's hook on the gradient that arrives at a leaf, or at the node of that number; empty without one."""
        outputs = [] if isinstance(place, int) else [place]
        if isinstance(place, int) and place in self.table:
            outputs = [value.who for value in self.table[place].op.outputs]
        return next((who.hooked for who in outputs if who.hooked), ())

    def custom_below(self, targets):
        """The op of a custom function among the nodes below; None without one."""
        numbers = set().union(*(self.reachable(value.seq)[0] for value in targets if value.seq is not None))
        return next((self.table[number].op for number in sorted(numbers) if self.table[number].custom), None)

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
