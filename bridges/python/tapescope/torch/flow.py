"""What was computed from what: calls of the program as ops, tensors as values. Nothing here keeps a tensor alive."""
import sys
import weakref

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from tapescope.places import is_user
from tapescope.torch import source
from tapescope.torch.sequence import number_of

_MOST_LINES = 12  # of the user's frames that are kept of a call
_MOST_OPS = 20000  # older ops forget what they were computed from
_user_code = {}  # by identity, as hashing code reads all of it; the code is held, so that no other gets its address
_places = {}  # (identity of code of the user's, instruction) -> its line, which takes longer to look up
_GRADCHECK = torch.autograd.gradcheck.__code__.co_filename


def is_user_code(code):
    known = _user_code.get(id(code))
    if known is None:
        known = _user_code[id(code)] = (is_user(code.co_filename), code)
    return known[0]


class Place(tuple):
    """A line of the user's code: (file, line, function)."""
    __slots__ = ()

    @property
    def file(self):
        return self[0]

    @property
    def line(self):
        return self[1]


def lines_of(frame):
    """The user's lines that led here, the innermost first."""
    found = []
    while frame is not None and len(found) < _MOST_LINES:
        code = frame.f_code
        if is_user_code(code):
            key = id(code), frame.f_lasti
            place = _places.get(key)
            if place is None:
                place = _places[key] = Place((code.co_filename, frame.f_lineno, code.co_name))
            found.append(place)
        frame = frame.f_back
    return tuple(found)


def user_frame():
    """The innermost frame of the user's; None without one."""
    frame = sys._getframe(1)
    while frame is not None and not is_user_code(frame.f_code):
        frame = frame.f_back
    return frame


def of_gradcheck(frame):
    """Whether PyTorch's own check of gradients asks."""
    for _ in range(6):
        if frame is None:
            return False
        if frame.f_code.co_filename == _GRADCHECK:
            return True
        frame = frame.f_back
    return False


def of_transform(frame):
    """Whether a transform of torch.func asks."""
    for _ in range(12):
        if frame is None or is_user_code(frame.f_code):
            return False
        if "_functorch" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def here():
    return lines_of(sys._getframe(1))


def _is_leaf(tensor):
    try:
        return tensor.is_leaf
    except RuntimeError:  # a view made in no_grad of what was written since
        return True


def node_of(tensor):
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


class Who:
    """A tensor object of the program, for as long as it lives and as long as answers speak of it."""
    __slots__ = ("lines", "leaf", "wants", "floating", "shape", "wants_on", "wants_off", "cleared", "cleared_at", "had_grad", "retains", "hooked", "name", "strong", "parameter",
                 "reads", "step_reads", "storage", "made_by", "first", "filled", "number", "inference", "stepped", "half", "__weakref__")

    def __init__(self, lines):
        self.lines = lines
        self.leaf = self.wants = self.floating = False
        self.half = False  # of a type of 16 bits
        self.inference = False  # made in inference_mode(): it can be part of no graph
        self.shape = ()
        self.wants_on = None  # (time, lines): requires_grad was switched on
        self.wants_off = None  # lines: it was switched off
        self.cleared = None  # lines: its gradient was thrown away
        self.cleared_at = 0
        self.hooked = ()  # lines of the last hook on its gradient
        self.had_grad = self.retains = self.parameter = False
        self.name, self.strong = "", False
        self.reads = 0
        self.step_reads = 0
        self.storage = None
        self.made_by = None
        self.first = None
        self.filled = 0
        self.number = 0
        self.stepped = None  # the last question before a step of the optimizer that holds it


class Value:
    """What a tensor held at one time."""
    __slots__ = ("who", "op", "slot", "wants", "time", "bad", "seq", "same", "__weakref__")

    def __init__(self, who, op, slot, wants, time):
        self.who, self.op, self.slot, self.wants, self.time = who, op, slot, wants, time
        self.bad = 0
        self.seq = None  # of the node that backward passes
        self.same = None  # stands for its values where they depend on numbers alone


class Op:
    """A call that took or made tensors."""
    __slots__ = ("name", "kind", "inputs", "outputs", "lines", "grad", "inference", "wanted", "recorded", "time", "seqs", "freed", "host", "target", "facts", "wants", "versions", "off", "zeros")

    def __init__(self, name, kind, inputs, lines, time):
        self.name, self.kind, self.inputs, self.lines, self.time = name, kind, inputs, lines, time
        self.outputs = []
        self.grad, self.inference = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        self.wants = tuple(value.wants for value in inputs)  # as they were
        self.wanted = any(self.wants)
        self.recorded = False
        self.seqs = 0  # the first sequence number that its nodes may have
        self.freed = None  # the question that freed its graph
        self.host = ()  # values that came as Python numbers, and the reads they left by
        self.target = None  # what it wrote in place
        self.facts = None
        self.versions = ()  # of the tensors it takes, as it began
        self.off = ()  # lines that had switched gradients off
        self.zeros = {}  # of a question: why results are zero, by their number


class Storage:
    """Memory that tensors share, and what was written last."""
    __slots__ = ("reference", "written", "values")

    def __init__(self, reference):
        self.reference = reference  # weak; as long as it is held, the address becomes no other's
        self.written = None  # the value of the tensor that was written through
        self.values = []  # weak references to values of those that share it


class Flow:
    def __init__(self):
        self.time = 0
        self.table = {}
        self.storages = {}
        self.sweep_at = 4096
        self.ops = []
        self.writes = []  # ops that wrote in place, the last ones
        self.updates = 0  # writes into leaves that want gradients
        self.reached = set()  # (file, line) of the user's that led to an op
        self.came_back = None  # finds the reads that numbers left by

    def tick(self):
        self.time += 1
        return self.time

    def storage_of(self, tensor):
        try:
            storage = tensor.untyped_storage()
        except (RuntimeError, NotImplementedError, AttributeError):  # a function transform's, a sparse one
            return None
        key = storage._cdata
        found = self.storages.get(key)
        if found is None:
            found = self.storages[key] = Storage(StorageWeakRef(storage))
            if len(self.storages) > self.sweep_at:
                for gone in [key for key, held in self.storages.items() if held.reference.expired()]:
                    del self.storages[gone]
                self.sweep_at = max(4096, 2 * len(self.storages))
        return found

    def known(self, tensor):
        entry = self.table.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else None

    def put(self, tensor, value):
        key, table = id(tensor), self.table
        if value.who.storage is None:
            value.who.storage = self.storage_of(tensor)
        storage = value.who.storage

        def gone(reference):
            if key in table and table[key][0] is reference:
                del table[key]
        table[key] = (weakref.ref(tensor, gone), value)
        if storage is not None:
            kept = storage.values
            kept.append(weakref.ref(value))
            if len(kept) > 64:
                del kept[:32]

    def _who(self, tensor, lines):
        who = Who(lines)
        who.leaf, who.wants, who.inference = _is_leaf(tensor), tensor.requires_grad, tensor.is_inference()
        who.floating = tensor.is_floating_point() or tensor.is_complex()
        who.half = tensor.dtype in (torch.float16, torch.bfloat16)
        try:
            who.shape = tuple(tensor.shape)
        except RuntimeError:
            who.shape = ()
        who.parameter = isinstance(tensor, torch.nn.Parameter)
        return who

    def value(self, tensor, lines=(), made=False):
        """What the tensor holds now. `made`: it is new."""
        value = self.known(tensor)
        if value is None:
            who = self._who(tensor, lines or here())
            value = Value(who, None, 0, who.wants, self.tick())
            who.storage = self.storage_of(tensor)
            if who.storage is not None:
                older = [held for held in (reference() for reference in who.storage.values) if held is not None]
                if older:
                    # Made from memory that is known, by a call that was not seen: a parameter of a tensor, a tensor of a library.
                    last = max(older, key=lambda held: held.time)
                    if who.parameter and not made and last.op is not None:
                        who.lines = last.op.lines  # first met where it is read, but made with its numbers
                        if not source.copies(who.lines):  # but where a later line makes a parameter of them
                            who.lines = source.wraps(who.lines) or who.lines
                    if who.parameter and made and last.op is not None and source.copies(last.op.lines) and not source.copies(who.lines):
                        who.lines = last.op.lines  # first met where a module gets it, but made before
                    lines = who.lines if made or who.parameter or last.op is None else last.op.lines
                    op = Op("Parameter" if who.parameter else "alias", "alias", [last], lines, self.time)
                    op.outputs.append(value)
                    op.recorded = who.wants and not who.leaf
                    value.op = op
            if value.op is None and not who.parameter:
                value.op = self.unseen(tensor, value)
            who.made_by, who.first = value.op, value
            self.put(tensor, value)
        who = value.who
        wants = tensor.requires_grad
        if wants != who.wants:
            who.wants = wants
        value.wants = wants
        storage = who.storage
        if storage is not None and storage.written is not None and storage.written is not value and storage.written.time > value.time:
            value = self._seen_through(tensor, value, storage.written)
        return value

    def unseen(self, tensor, value):
        """The op that stands for a call that no mode sees, such as from_numpy()."""
        op = Op("from_numpy", "create", [], value.who.lines, self.time)
        op.facts = "unseen"
        op.outputs.append(value)
        if self.came_back is not None and value.who.floating and not value.wants and value.who.storage is not None and 0 < tensor.numel() <= 256 and tensor.device.type == "cpu":
            op.host = tuple(self.came_back(tensor.flatten().tolist()))
        return op

    def _seen_through(self, tensor, value, written):
        """The value of a tensor whose memory was written through another one."""
        op = Op("write", "alias", [value, written], written.op.lines if written.op else (), self.tick())
        op.recorded = tensor.requires_grad and not _is_leaf(tensor)
        op.grad, op.inference = (written.op.grad, written.op.inference) if written.op else (True, False)
        op.target = written.who
        fresh = Value(value.who, op, 0, tensor.requires_grad, self.time)
        fresh.bad = written.bad
        op.outputs.append(fresh)
        self.put(tensor, fresh)
        return fresh

    def add(self, op):
        self.ops.append(op)
        for place in op.lines:
            self.reached.add(place[:2])
        for value in op.inputs if op.kind != "grad" else ():
            if value.who is not op.target:
                value.who.reads += 1
        if len(self.ops) > 2 * _MOST_OPS:
            for old in self.ops[:_MOST_OPS]:
                old.inputs = []
                old.host = ()
            del self.ops[:_MOST_OPS]

    def made(self, tensor, op, slot):
        """A result of the op; of an op that writes in place, what it wrote."""
        known = self.known(tensor)
        if known is not None and op.target is None and any(value is known for value in op.inputs):
            return known  # it returned its argument
        who = known.who if known is not None else self._who(tensor, op.lines)
        who.wants, who.leaf = tensor.requires_grad, _is_leaf(tensor)
        value = Value(who, op, slot, who.wants, self.tick())
        if known is None:
            who.made_by, who.first = op, value
        op.outputs.append(value)
        op.recorded = op.recorded or (who.wants and not who.leaf)
        node = node_of(tensor) if who.wants else None
        value.seq = number_of(node) if node is not None else None
        self.put(tensor, value)
        return value

    def wrote(self, tensor, op):
        """After an op that wrote into the tensor."""
        value = self.made(tensor, op, 0)
        if value.who.storage is not None:
            value.who.storage.written = value
        self.writes.append(op)
        self.updates += value.who.leaf and value.who.wants
        del self.writes[:-4096]
        return value
