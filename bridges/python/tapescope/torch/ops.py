"""Each op that runs, forward and backward, as PyTorch's dispatcher sees it: its time, line, operands and the forward op that a backward one belongs to."""
import threading
import weakref

import torch
from torch.nn.parameter import is_lazy
from torch.utils._python_dispatch import TorchDispatchMode

from tapescope import _tapescope as module
from tapescope.steps import steps
from tapescope.torch.flow import here
from tapescope.torch.look import BAD, look
from tapescope.torch.pace import Pace
from tapescope.torch.sequence import next_number, number_of
from tapescope.torch.watch import muted, quiet, tensors_in
from tapescope.torch.writer import site_of

BACKWARD = 1  # TAPESCOPE_BACKWARD


class Ids:
    """Numbers of tensors: a new one for each object and for each write into it."""

    def __init__(self):
        self.table = {}  # id -> (weak reference, identity, number, type)
        self.next = 1

    def identity(self):
        self.next += 1
        return self.next

    def known(self, tensor):
        entry = self.table.get(id(tensor))
        return entry if entry is not None and entry[0]() is tensor else None

    def put(self, tensor, identity, number, kind):
        key, table = id(tensor), self.table

        def gone(reference):
            if key in table and table[key][0] is reference:
                del table[key]
        table[key] = (weakref.ref(tensor, gone), identity, number, kind)


def type_of(tensor):
    return module.type(str(tensor.dtype).replace("torch.", ""), tuple(int(size) for size in tensor.shape))


class _Thread(threading.local):
    """What belongs to one thread: its tape, its place in the graph, the question that it asks."""

    def __init__(self):
        self.numbered = self.walked = 0
        self.watched = set()  # numbers of leaves that the tape watches
        self.call = 0
        self.asked = ()
        self.pace, self.place = Pace(), ()
        self.paused = False
        self.tape = module.tape_made(True, False)
        module.tape_enter(self.tape, False)


class Ops(TorchDispatchMode):
    """Times each op and records it; PyTorch's graph is one tape, which no_grad() pauses."""

    def __init__(self, watching):
        super().__init__()
        self.watching, self.ids, self.types = watching, Ids(), {}
        self.outputs = {}  # sequence number of a node -> (id of its op's first output, site)
        self.spoilt = []  # (aten's name, the flow's time) of ops that made values that are not finite
        self.named = set()  # handles that are known as variables
        self.thread = _Thread()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if muted() or module.is_muted() or func.namespace == "profiler" or self.watching.state.off or not module.listening():
            return func(*args, **kwargs)
        begin = module.ticks()
        result = func(*args, **kwargs)
        end = module.ticks()
        try:
            with quiet():
                self._record(func, args, kwargs, result, begin, end)
        except Exception as error:
            self.watching.state.failed(error)
        return result

    # --- ops

    def _type(self, tensor):
        if is_lazy(tensor):  # has no shape before its module's first call
            return module.type(str(tensor.dtype).replace("torch.", ""), ())
        key = tensor.dtype, tuple(tensor.shape)
        known = self.types.get(key)
        if known is None:
            known = self.types[key] = type_of(tensor)
        return known

    def _operand(self, tensor, site):
        """(id, type) of an operand; one that no op made is a parameter, or came from the host."""
        entry = self.ids.known(tensor)
        if entry is None:
            kind, identity = self._type(tensor), self.ids.identity()
            if tensor.requires_grad and tensor.is_leaf:
                kind = module.type("resource", ())
                number = module.handle_made(identity, kind, site)
                self.thread.watched.add(number)
                module.watch(self.thread.tape, number, kind)
            else:
                number = module.tensor_made(identity, kind)
            self.ids.put(tensor, identity, number, kind)
            return number, kind
        if tensor.requires_grad and tensor.is_leaf and entry[2] not in self.thread.watched:  # its values were made by an op
            self.thread.watched.add(entry[2])
            module.watch(self.thread.tape, entry[2], entry[3])
        return entry[2], entry[3]

    def _record(self, func, args, kwargs, result, begin, end):
        thread, node = self.thread, torch._C._current_autograd_node()
        if node is None:
            lines = here()
            site = site_of(lines[0]) if lines else 0
            self._step(lines)
        else:
            site = self._walk(node)
        paused = node is None and not torch.is_grad_enabled()
        if paused != thread.paused:
            thread.paused = paused
            (module.tape_pause if paused else module.tape_resume)(thread.tape)
        given = [self._operand(tensor, site) for tensor in tensors_in(kwargs, tensors_in(list(args), []))]
        outputs = tensors_in(result, [])
        identities = [self.ids.identity() for _ in outputs]
        kinds = [self._type(tensor) for tensor in outputs]
        name = func.overloadpacket.__name__
        first = module.timed_op(name, [number for number, _ in given], [kind for _, kind in given], identities, kinds, site,
                                BACKWARD if node is not None else 0, begin, end)
        for index, (tensor, identity, kind) in enumerate(zip(outputs, identities, kinds)):
            entry = self.ids.known(tensor)
            if entry is None or entry[2] not in self.named:  # an optimizer's write into a parameter leaves it the parameter
                self.ids.put(tensor, identity, first + index, kind)
        if node is None and any(tensor.is_floating_point() and look(tensor) & BAD for tensor in outputs):
            self.spoilt.append((name, self.watching.flow.time))
            del self.spoilt[:-64]
        number = next_number()
        if node is None and number > thread.numbered:  # its node was made just before it ran
            self.outputs[number - 1] = (first, site)
            if len(self.outputs) > 100000:
                for key in list(self.outputs)[:50000]:
                    del self.outputs[key]
        thread.numbered = number

    def called(self, op, given, made, begin, end):
        """A call that was not heard op by op, as that of a compiled function: it is one op, and what its backward steps run is theirs."""
        site = site_of(op.lines[0]) if op.lines else 0
        self._step(op.lines)
        operands = [self._operand(tensor, site) for tensor in given]
        identities, kinds = [self.ids.identity() for _ in made], [self._type(tensor) for tensor in made]
        first = module.timed_op(op.name, [number for number, _ in operands], [kind for _, kind in operands], identities, kinds, site, 0, begin, end)
        for index, (tensor, identity, kind) in enumerate(zip(made, identities, kinds)):
            if self.ids.known(tensor) is None:
                self.ids.put(tensor, identity, first + index, kind)
        number = next_number()
        for node in range(op.seqs, number):
            self.outputs[node] = (first, site)
        self.thread.numbered = number

    def _walk(self, node):
        """Says which forward op the step under way belongs to; the line of that."""
        number = number_of(node)
        output, site = self.outputs.get(number, (0, 0))
        known = self.watching.nodes.table.get(number)
        if not site and known is not None and known.op.lines:
            site = site_of(known.op.lines[0])
        if number != self.thread.walked:
            self.thread.walked = number
            if output:
                module.step_end(output, module.step_begin(output, site), None, ())
        return site

    def _step(self, lines):
        question = self.thread.pace.meets(lines) if lines else None
        if question is None:
            steps.open_at_least()
        else:
            steps.arrive(question)

    # --- questions

    def ask(self, ask, targets):
        """backward() or autograd.grad() begins."""
        thread = self.thread
        thread.place = ask.lines
        steps.ask_within(ask.lines)
        numbers = [self.ids.known(tensor) for tensor in targets]
        wanted = set()
        for value in ask.targets:
            if value.seq is not None:
                wanted.update(who for who in self.watching.nodes.reachable(value.seq)[1] if who.name)
        if ask.inputs:
            wanted.intersection_update(ask.inputs)  # the others get none, and were to get none
        sources = []
        for reference, value in list(self.watching.flow.table.values()):
            if value.who in wanted:
                tensor = reference()
                entry = self.ids.known(tensor) if tensor is not None else None
                if entry is not None:
                    sources.append((entry[2], value.who.name))
                    if entry[2] not in self.named:
                        self.named.add(entry[2])
                        module.variable(entry[2], value.who.name, True, self._type(tensor))
        thread.call = 0
        if not sources:
            return
        thread.asked = sources
        thread.call = module.ask(thread.tape, 0, len(targets), len(sources))
        for entry in numbers:
            module.target(entry[2] if entry is not None else 0, "loss")
        for index, (number, name) in enumerate(sources):
            module.source(index, number, name)
        if len(targets) == 1 and targets[0].numel() == 1 and not targets[0].is_complex() and ask.kind == "backward":
            op, loss = self.watching.state.scaled
            module.scalar("loss", loss if loss is not None and ask.targets[0].op is op else float(targets[0].detach()), steps.number)
        module.backward_begin(thread.tape, thread.call)

    def answered(self, raised):
        thread = self.thread
        thread.pace.asked(thread.place)
        if not thread.call:
            return
        module.backward_end(thread.tape, thread.call, raised)
        if not raised:
            for index, (number, name) in enumerate(thread.asked):
                module.result(index, number, name, 1, None)
        thread.call, thread.asked = 0, ()
