"""Why a gradient is None: the edge on the way from the target to the source where it breaks."""
from collections import defaultdict, deque

from tapescope.torch import source

_MOST_VISITS = 20000
_EACH = frozenset(("broadcast_tensors", "meshgrid"))  # whose results are of one argument each
_STEPS = frozenset(("sign", "round", "floor", "ceil", "trunc"))


class Found:
    """An answer: the reason, the op or place of the edge, and what helps to put it in words."""

    def __init__(self, reason, lines=(), op=None, other=None, guess=False, path=(), text=""):
        self.reason, self.lines, self.op, self.other, self.guess, self.path, self.text = reason, lines or (op.lines if op else ()), op, other, guess, path, text
        self.once = None  # the op that made, before a loop, what each of its passes uses
        self.term = None  # the op that made a loss which the total leaves out; of a zero, the op that a sum before it does not change


def cut_of(op, value, by_number=None, result=None):
    """Why no gradient passes the op from its results, or from that one of several, to that input; None where it passes, Found else."""
    if by_number is not None and op.facts == "loaded":
        return Found("recreated_tensor", op=op, text="loaded")
    if by_number is not None:
        return Found("host_round_trip", by_number.op.lines, op=by_number.op)
    if op.kind == "create":
        return Found("recreated_tensor", op=op)
    if op.kind == "alias":
        if op.name == "Parameter":
            return Found("recreated_tensor", op=op)
        if op.name == "write" and value.op is not None and value.op.target is op.target:
            # Through memory: recorded where autograd saw it, which the sequence of nodes says.
            return None if op.recorded and op.outputs and op.outputs[0].wants and value.wants else Found("state_update", op=value.op)
        return None if op.recorded or not value.wants else Found("stop_gradient", op=op)
    if op.kind == "grad" and op.facts is not None:
        return Found("paused", op=op.facts, text="backward")
    if op.kind == "grad":
        return None if op.recorded else Found("inner_gradient_outside_outer_tape", op=op)
    of_several = result is not None and len(op.outputs) > 1
    result = result if of_several else op.outputs[0] if op.outputs else None
    wants = any(wanted for item, wanted in zip(op.inputs, op.wants) if item is value)
    if op.name in ("detach", "data", "detach_", "detach_copy"):
        return Found("stop_gradient", op=op)
    if not wants:
        return None  # broken before, or a source that asks for none
    if of_several and not result.wants and op.grad and not op.inference and (op.kind == "custom" or not result.who.floating):
        return Found("not_differentiable", op=op)  # positions beside values, as topk() and max() return them; what a custom function marks as such
    if any(out.wants and not out.who.leaf for out in op.outputs):
        return None
    if op.target is not None and (not op.grad or op.inference):
        return Found("state_update", op=op)
    if op.inference:
        return Found("inference_mode", op=op)
    if not op.grad:
        return Found("paused", op=op)
    if any(out.wants for out in op.outputs):
        return Found("recreated_tensor", op=op)  # a copy that is a leaf itself
    if result is not None and not result.who.floating:
        casts = op.name in ("to", "int", "long", "short", "byte", "char", "bool", "type", "type_as")
        return Found("integer_cast" if casts else "not_differentiable", op=op)
    if op.name in ("to", "tensor", "new_tensor"):
        return Found("recreated_tensor", op=op)
    return Found("not_differentiable", op=op)


COMPARES = frozenset(("gt", "lt", "ge", "le", "eq", "ne", "__gt__", "__lt__", "__ge__", "__le__", "__eq__", "__ne__", "greater", "less"))
_BREAK = 16  # what a break costs, so that one can weigh a little less than another


def _cost(cut):
    """What a break costs a way: of two ways with one break each, a gradient that was to be part of the loss is meant before what a detach() keeps
    out of it, and that before a comparison."""
    if cut is None:
        return 0
    return _BREAK + (cut.reason == "not_differentiable" and cut.op.name in COMPARES) - (cut.reason == "inner_gradient_outside_outer_tape")


def _is_kept(op):
    """Whether it writes into a state that is kept unrecorded, as the mean of what was met so far: that is no way a gradient was to take, if there is another."""
    return op.target is not None and not op.grad and not op.target.wants


def _accumulates(op):
    """Whether what it writes is made of what was there before, as in an average that follows."""
    return any(value.who is op.target or value.op is not None and any(item.who is op.target for item in value.op.inputs) for value in op.inputs)


def _read_of(read, most=4):
    """The tensor that a number which the host reads is of, itself or through calls on the line of the read alone, as in int(x.round())."""
    value = read.value
    while most and value.op is not None and value.op.kind == "op" and len(value.op.inputs) == 1 and value.op.lines[:1] == read.op.lines[:1]:
        value, most = value.op.inputs[0], most - 1
    return value.who


def made_for(targets):
    """The ops that the targets are computed by, once for each of their results."""
    made, pending, seen = [], list(targets), set()
    while pending and len(seen) < _MOST_VISITS:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if value.op is not None:
            made.append(value.op)
            pending.extend(value.op.inputs)
    return made


class Step:
    __slots__ = ("value", "op", "towards", "by", "cut")

    def __init__(self, value, op, towards, by, cut):
        self.value, self.op, self.towards, self.by, self.cut = value, op, towards, by, cut


def ways(targets, is_source):
    """The way from the targets back to a source with the fewest breaks, then the fewest ops: its steps from the target on; None without one."""
    queues, best, visits = defaultdict(deque), {}, 0  # what costs as much stands in one queue
    for value in targets:
        queues[0].append(value)
        best[value] = (0, None)
    done = set()
    while queues and visits < _MOST_VISITS:
        spent = min(queues)
        value = queues[spent].popleft()
        if not queues[spent]:
            del queues[spent]
        if value in done:
            continue
        done.add(value)
        visits += 1
        if is_source(value):
            steps = []
            step = best[value][1]
            while step is not None:
                steps.append(step)
                step = best[step.towards][1]
            return list(reversed(steps))
        op = value.op
        if op is None or op.kind == "optimizer":
            continue
        inputs = op.inputs
        if op.name in _EACH and value.slot < len(inputs):
            inputs = inputs[value.slot:value.slot + 1]
        following = [(item, None) for item in inputs] + [(read.value, read) for read in op.host]
        for item, read in following:
            cut = cut_of(op, item, read, value)
            cost = spent + _cost(cut) + _is_kept(op)
            known = best.get(item)
            if item in done or (known is not None and known[0] <= cost):
                continue
            best[item] = (cost, Step(item, op, value, read, cut))
            (queues[cost].append if cost > spent else queues[cost].appendleft)(item)
    return None


def reaches(targets, who):
    return ways(targets, lambda value: value.who is who) is not None


def depends_on(value, who):
    return reaches([value], who)


class Reasons:
    """Answers for one source and one question."""

    def __init__(self, flow, numbers, nodes):
        self.flow, self.numbers, self.nodes = flow, numbers, nodes
        self.held = frozenset()  # tensors that optimizers step
        self.replacing = set()  # parameters that are trained in the place of those

    def of_source(self, who):
        """Why the tensor itself cannot have a gradient; None where it could."""
        if not who.leaf and who.wants and not who.retains:
            return Found("not_leaf", op=who.made_by)
        if who.wants:
            return None
        if not who.floating:
            made = who.made_by
            if made is not None and made.wanted:
                return cut_of(made, next(value for value in made.inputs if value.wants)) or Found("integer_dtype", op=made)
            return Found("integer_dtype", who.lines)
        if who.wants_off:
            return Found("not_trainable", who.wants_off, text="off")
        if who.made_by is not None and who.made_by.wanted:
            wanted = next((value for value in who.made_by.inputs if value.wants), None)
            cut = cut_of(who.made_by, wanted) if wanted is not None else None
            if cut is not None:
                return cut
        return Found("not_trainable", who.lines)

    def of_none(self, who, targets, ask=None):
        """Why the question about the targets has no gradient for a tensor that wants one."""
        for value in targets:
            if value.wants and value.seq is not None and who in self.nodes.reachable(value.seq)[1]:
                found = self._custom(value.seq, who)
                if found is not None:
                    return found
        steps = ways(targets, lambda value: value.who is who)
        if steps is not None:
            found = self._on_the_way(steps, who)
            if found is not None and (found.reason == "stop_gradient" or found.text in ("loaded", "reloaded")):  # as that of state_dict()
                found = self._replaced(who, targets) or found
            if found is not None:
                return found
        return self._beside(who, targets, ask)

    def _custom(self, seq, who):
        """A step of the walk that returned None on the way to the source, nearest to it."""
        numbers, _ = self.nodes.reachable(seq)
        found = None
        for number in numbers:
            node = self.nodes.table[number]
            for index, following in enumerate(node.nexts):
                if following is who or (isinstance(following, int) and following in numbers and who in self.nodes.reachable(following)[1]):
                    if index < len(node.returned) and node.returned[index] is None and any(bits is not None for bits in node.given):
                        if found is None or following is who:
                            found = Found("custom_gradient_none" if node.custom else "not_differentiable", op=node.op)
        return found

    def _on_the_way(self, steps, who):
        cuts = [step for step in steps if step.cut is not None]
        path = [step.op for step in steps]
        if cuts:
            found = cuts[-1].cut
            text = source.text_of(found.lines[0] if found.lines else None)
            if found.reason == "stop_gradient" and "detach" not in text and ".data" not in text:
                # A library's own detach(), as copy.deepcopy() has it: what the line makes is a copy.
                copied = next((step.cut for step in reversed(cuts) if step.cut.reason == "recreated_tensor"), None)
                if copied is None and any(out.who.leaf and out.who.wants for out in found.op.outputs):
                    copied = Found("recreated_tensor", op=found.op, text="library")
                found = next((step.cut for step in cuts if step.cut.text == "loaded"), None) or copied or found
            into = found.op.target if found.reason == "state_update" and found.op is not None else None
            if into is not None and into.parameter and into.wants and _accumulates(found.op):
                # An average that follows the source, in whose place it is trained.
                found = Found("recreated_tensor", self._apart(into, who), op=found.op, other=into, text="follows")
            following = cuts[-2].cut if len(cuts) > 1 else None
            if found.reason == "stop_gradient" and following is not None and following.op.name == "Parameter" and following.lines[:1] == found.lines[:1]:
                found = following  # without the detach() in it, the new leaf still cuts the way
            if found.text == "loaded":  # into a parameter, perhaps: the model that was made for it is what stands in the source's place
                into = next((step.op.target for step in steps if step.op.name == "copy_" and step.op.target is not None and step.op.target.parameter), None)
                if into is not None and into.lines:
                    found = Found("recreated_tensor", self._apart(into, who), op=found.op, text="reloaded")
            found.path = path[:path.index(cuts[-1].op) + 1]
            return found
        # Nothing on the way stops gradients: the source asked for none when it was used.
        last = steps[-1] if steps else None
        if last is not None and who.wants_on is not None and last.op.time < who.wants_on[0]:
            return Found("watched_too_late", op=last.op, path=path, text=source.text_of(who.wants_on[1][0] if who.wants_on[1] else None))
        return None

    def _beside(self, who, targets, ask):
        """Why nothing leads from the targets to the source."""
        found = self._stale(who, targets)
        if found is not None:
            return found
        # A parameter that no op read belongs to a part of a model that no line may have called.
        words = self._words(who)[:1 if who.reads else None]
        branch = next(filter(None, (source.untaken_branch(self._files(), self.flow.reached, word, "." in who.name) for word in words)), None)
        if branch is None and who.reads == 0 and words:
            branch = next(filter(None, (source.untaken_branch(self._files(), self.flow.reached, name, False)
                                        for name in source.idle_users(self._files(), self.flow.reached, words[0], "." in who.name))), None)
        if branch is not None:
            from tapescope.torch.flow import Place
            return Found("branch_not_taken", (Place((branch[0], branch[1], "")),), guess=True, text=str(branch[2]))
        found = self._host(who, targets)
        if found is not None:
            return found
        found = self._replaced(who, targets)
        if found is not None:
            return found
        found = self._of_its_name(who, targets) or self._used_as_number(who, targets)
        if found is not None:
            return found
        if who.reads == 0:
            seen = who.first is not None and who.first.op is not None  # being made
            return Found("unused", who.lines, text="" if seen else "before")
        made = next((value.op for value in targets if value.op is not None), None)
        return Found("independent", op=made) if made is not None else Found("independent", ask.lines if ask else ())

    def _replaced(self, who, targets):
        """Another model is trained than the one that the optimizer holds."""
        other = self._in_its_place(who, targets)
        if other is None:
            return None
        self.replacing.add(other)
        return Found("recreated_tensor", self._apart(other, who), other=other, text="replaced")

    @staticmethod
    def _apart(other, who):
        """The lines that made another parameter, from the first that did not make this one: models of one class are made on its lines."""
        return other.lines[next((index for index, place in enumerate(other.lines) if place not in who.lines), 0):]

    def _in_its_place(self, who, targets):
        """A parameter of a model that was made later, which the targets used and no optimizer holds, as one does this parameter of the same place in its model."""
        place = who.name.partition(".")[2]
        if not who.parameter or not place or who not in self.held or who.first is None:
            return None
        leaves = set().union(*(self.nodes.reachable(value.seq)[1] for value in targets if value.seq is not None))
        return next((leaf for leaf in leaves if leaf.parameter and leaf not in self.held and leaf.shape == who.shape and leaf.name.endswith(f".{place}") and
                     leaf.first is not None and leaf.first.time > who.first.time and leaf.lines), None)

    def _word(self, who):
        return next(iter(self._words(who)), "")

    def _words(self, who):
        """The parts of its name that say which it is, the innermost first, without the variable that holds its model."""
        parts = [part for part in who.name.replace("]", "").replace("[", ".").split(".") if part and not part.isdigit() and part.isidentifier()]
        while len(parts) > 1 and parts[-1] in ("weight", "bias"):
            parts.pop()
        return parts[:0:-1] or parts

    def _files(self):
        return sorted({place[0] for place in self.flow.reached})

    def _stale(self, who, targets):
        """The source was made of a tensor that the targets used in its place."""
        if who.first is None or who.first.op is None or who.first.op.kind == "grad":
            return None
        used, pending, visits = set(), list(targets), 0
        while pending and visits < _MOST_VISITS:
            value = pending.pop()
            if value in used:
                continue
            used.add(value)
            visits += 1
            if value.op is not None:
                pending.extend(value.op.inputs)
        whos = {value.who for value in used}
        if who in whos:
            return None  # the targets used the source itself
        pending, seen, kin = [(who.first, 0)], set(), []
        while pending:
            value, depth = pending.pop(0)
            if value in seen or depth > 16:
                continue
            seen.add(value)
            if depth > 0 and value.who in whos and value.who is not who and (value.wants or value.who.floating):
                kin.append(value.who)
                continue
            if value.op is not None and value.op.kind != "grad":
                pending.extend((item, depth + 1) for item in value.op.inputs)
        if not kin:
            return None
        # Of several that both come of, the one that had its name stands for it, else the nearest.
        other = next((item for item in kin if who.name and item.name == who.name), kin[0])
        taken = source.takes_over(who.lines[0]) if who.lines else ""
        if who.name and who.name == other.name or taken and taken in (self._word(other), self._word(who)):
            word = self._word(who)
            named = next((index for index, place in enumerate(who.lines) if word and source.assigned(place) == word), 0)
            return Found("overwritten", who.lines[named:], op=who.first.op, other=other)
        return Found("recreated_tensor", who.lines, op=who.first.op, other=other)

    def _of_its_name(self, who, targets):
        """The targets used another leaf, which had the name of the source until the source was made, as a module makes in each pass."""
        leaves = set().union(*(self.nodes.reachable(value.seq)[1] for value in targets if value.seq is not None))
        other = next((leaf for leaf in leaves if who.name and leaf.name == who.name and leaf.shape == who.shape and leaf.first is not None), None)
        if other is None or who.first is None or who.first.time < other.first.time:
            return None
        return Found("overwritten", who.lines, op=who.first.op, other=other)

    def _used_as_number(self, who, targets):
        """The source was read by the host alone, and a line that uses what was read made what the targets are computed from, as with a count or a size."""
        reads = [read for read in reversed(self.numbers.reads) if read.op.kind == "read" and read.op.lines and _read_of(read) is who]
        if not reads or who.reads > len(reads):
            return None
        made = made_for(targets)
        for read in reads:
            led = source.led_to(read.op.lines)
            if any(op.time >= read.time and op.lines and op.lines[0][:2] in led for op in made):
                return Found("host_round_trip", op=read.op, guess=True)
        return None

    def _host(self, who, targets):
        """The source was read by the host before a tensor came from it that the targets use."""
        made = [op for op in made_for(targets) if op.facts in ("host", "unseen", "number")]
        if not made:
            return None
        for read in reversed(self.numbers.reads):
            if read.op.kind != "read" or not read.op.lines or not depends_on(read.value, who):
                continue
            led = source.led_to(read.op.lines)
            # Memory that NumPy made is known by its first use alone, which may be later.
            if any(op.time >= read.time and any(place[:2] in led for place in op.lines) for op in made):
                return Found("host_round_trip", op=read.op, guess=True)
        return None
