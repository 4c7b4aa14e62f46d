"""What costs more than it has to: loops over examples and rows, reads in loops, work done twice, gradients that no optimizer uses."""
import bisect
import re
from collections import defaultdict

from tapescope.torch import words
from tapescope.torch.constants import Constants
from tapescope.torch.flow import Place
from tapescope.torch.holders import collections_of, containers
from tapescope.torch.reasons import made_for
from tapescope.torch.rounds import Rounds
from tapescope.torch.source import adds_to, in_loop, keeps

_MANY = 6  # calls from one line in one step that are a loop
_PAIRS = 24  # calls of two rows each that are a loop over pairs
_HEADS = 4  # heads of attention that are a loop over them
_AGAIN = 3  # times in a loop that the same is computed of the same
_STEPS_WATCHED = 64
_ROWS = 3  # questions about elements of one result that are a loop over its rows
_LEAKS = 4  # graphs kept for good that are a leak
_EVALUATED = 3  # passes whose results are joined
_KEPT = 2  # graphs of as many rounds that no question walked, in one list
_UNREGISTERED = re.compile(r"\w+(\.\w+)+\[")  # the name of what stands in a list or dict of a module
_PIECES = frozenset(("__getitem__", "unbind", "select", "__iter__", "split", "chunk", "index_select", "tensor_split"))
_TURNS = frozenset(("T", "mT", "t"))
_JOINS = frozenset(("stack", "cat", "concat", "vstack", "hstack"))
_VARIES = frozenset(("dropout", "batch_norm", "feature_dropout", "alpha_dropout"))  # another result in training than in evaluation


class Advisor:
    """Looks at each step's ops when its question has been answered."""

    def __init__(self, watching):
        self.watching, self.flow, self.answers = watching, watching.flow, watching.answers
        self.last = 0  # time of the last question's end
        self.asked = defaultdict(list)  # line -> questions since the last step of an optimizer
        self.held = set()  # who optimizers hold
        self.rounds = Rounds(self.answers)
        self.constants = Constants(self.answers)
        self.reads = defaultdict(int)
        self.seen_reads = 0
        self.weighed = defaultdict(int)  # line -> steps in which it read a number for each of many parameters
        self.single = defaultdict(list)  # line -> (updates of the weights so far, whether it was of one example) of each pass
        self.between = defaultdict(lambda: [0, 0, 0])  # line -> updates so far, passes since whose loss it read, steps in which these were many
        self.held_losses = defaultdict(set)  # line -> results of graphs that were walked and freed, added up there
        self.again = defaultdict(int)  # (line in a loop, op's name) -> steps in which each round computed the same
        self.unwalked = {}  # (line, op's name) -> (the line that keeps what it makes, the ops whose results are kept)
        self.kept = []  # (question, numbers of its nodes) of those that kept their graph
        self.retained = defaultdict(lambda: [0, 0])  # line -> questions that kept their graph, those of which a later one walked it

    def install(self):
        self.watching.questions.on_ask.append(self.ask)

    def ask(self, ask):
        if ask.number > _STEPS_WATCHED:
            return
        ops = [op for op in self.flow.ops if op.time > self.last]
        self.last = self.flow.time
        self._walked_again(ask)
        self._leaks(ops)
        self._rows(ask)
        self._passes(ask, ops)
        self._examples(ask, ops)
        self._joined(ops)
        self._pairs(ops)
        self._heads(ops)
        self._twice(ops, ask)
        self.rounds.look(ops, self.watching.state.updates)
        self.constants.look(ops)
        self._reads()

    # --- a backward pass for each element of a result, or for each example

    def _rows(self, ask):
        """The gradient of each element of one result, asked for one by one."""
        value = ask.targets[0] if ask.targets else None
        if value is None or not ask.lines or not ask.retain:
            return
        whole, by_seed = value, True
        while whole.op is not None and whole.op.inputs and whole.op.name in ("__getitem__", "select", "unbind", "__iter__", "sum", "squeeze", "view", "reshape"):
            by_seed &= whole.op.name not in ("__getitem__", "select", "unbind", "__iter__")
            whole = whole.op.inputs[0]
        if by_seed and value.who.shape == ():
            return  # the same number again: nothing that rows would be
        places = self.asked[ask.lines[0]]
        places.append(whole)
        if sum(item is whole for item in places) == _ROWS:
            self.answers.advise("looped_jacobian", "a backward pass for each row", f"{words.location(ask.lines)} asks for the gradient of each element of one result: "
                                "as many backward passes as it has elements",
                                "ask for all rows of the Jacobian at once: torch.func.jacrev, torch.autograd.functional.jacobian(vectorize=True) or "
                                "is_grads_batched=True", ask.lines[0])

    def _passes(self, ask, ops):
        """The gradient of each example's loss, asked for one by one while the weights stay."""
        if not ask.lines or ask.retain or not ask.targets or ask.targets[0].op is None:
            return
        passes = self.single[ask.lines[0]]
        leaves = frozenset(id(who) for value in ask.targets if value.seq is not None for who in self.watching.nodes.reachable(value.seq)[1])
        weights = self.watching.state.updates, self.flow.updates, leaves
        if passes and passes[-1][0] != weights:
            passes.clear()
        pieces = {value for op in ops for value in op.inputs if not value.wants and value.op is not None and self._is_piece(value)}
        passes.append((weights, bool(pieces)))
        if len(passes) == _MANY and all(piece for _, piece in passes):
            self.answers.advise("per_example_loop", "a backward pass for each example", f"{words.location(ask.lines)} asks for the gradient of one example after the other",
                                "ask for all examples of the batch at once: torch.func.vmap(torch.func.grad(...)), or one backward pass of the mean loss of the batch",
                                ask.lines[0])

    # --- graphs that are kept for nothing

    def _walked_again(self, ask):
        """Which of the questions that kept their graph are asked again, or in part."""
        numbers = set()
        for value in ask.targets:
            if value.seq is not None:
                numbers |= self.watching.nodes.reachable(value.seq)[0]
        for before, kept in self.kept:
            if kept & numbers:
                self.retained[before.lines[0]][1] += 1
        if ask.retain and not ask.create and ask.lines and not ask.transform:
            self.retained[ask.lines[0]][0] += 1
            self.kept.append((ask, numbers))
            del self.kept[:-8]

    def _retained(self):
        for place, (asked, again) in self.retained.items():
            if asked >= 2 and not again:
                self.answers.advise("persistent_tape", "retain_graph", f"{words.location([place])} keeps the graph (retain_graph=True) in {asked} passes, and no later "
                                    "pass walks it again: what it saved for backward takes memory until the result goes",
                                    "leave retain_graph=True out: each pass has its own graph", place)

    def _leaks(self, ops):
        """Results whose graph was walked and freed, which live on: added to a number that grows, or kept in a list."""
        for op in ops:
            if op.kind == "op" and op.recorded and op.lines and any(value.op is not None and value.op.freed is not None and value.wants for value in op.inputs):
                freed = next(value.op.freed for value in op.inputs if value.op is not None and value.op.freed is not None and value.wants)
                self.held_losses[op.lines[0]].add(self._step_of(freed))
        for place, steps in self.held_losses.items():
            if len(steps) >= _LEAKS:
                self._leak(place, f"{words.location([place])} adds up results with their graphs: after {len(steps)} training steps all of them are still kept, and memory grows")
        alive = defaultdict(set)
        for reference, value in list(self.flow.table.values()):
            op = value.op
            if op is not None and op.freed is not None and value.wants and not value.who.leaf and op.lines and reference() is not None:
                alive[op.lines[0]].add(self._step_of(op.freed))
        self._unwalked()
        for place, passes in alive.items():
            if len(passes) >= _LEAKS:
                line = self._keeper(place)
                self._leak(line, f"{words.location([line])} keeps results with their graphs: those of {len(passes)} training steps are still there, and memory grows")

    def _unwalked(self):
        """Finds results that no question has walked and that live on in one list, as the losses of evaluations without no_grad() do."""
        alive = defaultdict(dict)  # (line, op's name) -> {updates of the weights before it: reference}
        for reference, value in list(self.flow.table.values()):
            op = value.op
            if op is not None and op.kind == "op" and op.freed is None and op.recorded and value.wants and not value.who.leaf and op.lines and reference() is not None:
                alive[op.lines[0], op.name].setdefault(self._updates_before(op.time), (reference, op))
        for (place, name), found in alive.items():
            if (place, name) in self.unwalked:
                self.unwalked[place, name][1].update(op for _, op in found.values())
            elif len(found) >= _KEPT and set.intersection(*(collections_of(reference()) for reference, _ in list(found.values())[:_KEPT])):
                self.unwalked[place, name] = self._keeper(place, False), {op for _, op in found.values()}

    def _evaluated(self):
        """At the end: results of a loop that were joined in several rounds and never walked, whose graphs an evaluation held until it was over."""
        walked = {id(node.op) for node in self.watching.nodes.table.values() if node.walked}
        rounds = defaultdict(list)
        for op in self.flow.ops:
            made = [value.op for value in op.inputs]
            if op.name in _JOINS and op.recorded and op.freed is None and op.lines and len(made) >= _EVALUATED and None not in made and id(op) not in walked:
                if len({each.lines for each in made}) == 1 and made[0].lines and all(each.recorded and each.freed is None and id(each) not in walked for each in made):
                    rounds[op.lines[0]].append(op)
        for join, same in rounds.items():
            pieces = same[0].inputs
            leaves = self.watching.nodes.reachable(pieces[0].seq)[1] if pieces[0].seq is not None else ()
            if len(same) > 1 and len(leaves) > 1:  # a model's, not numbers of each parameter
                place = next((line for line in pieces[0].op.lines if line[2] == join[2]), pieces[0].op.lines[0])
                self._leak(place, f"{words.location([place])} keeps the graphs of all {len(pieces)} passes of an evaluation until {same[0].name} at "
                           f"{words.location([join])} has joined them, and no backward pass walks them", "evaluate under torch.no_grad(), as a decorator or a with block; else ")

    def _never_walked(self):
        """At the end: those that are no part of a loss which was asked for later, as what an episode collects is."""
        for line, ops in self.unwalked.values():
            if all(op.freed is None for op in ops) and not any(node.op in ops and node.walked for node in self.watching.nodes.table.values()):
                self._leak(line, f"{words.location([line])} keeps results with their graphs, which no backward pass walks: those of {len(ops)} rounds are kept, and memory grows",
                           "where nothing is trained, as in an evaluation, compute under torch.no_grad(); else ")

    def _updates_before(self, time):
        """How many updates of the weights came before a time."""
        asks = self.watching.questions.asks
        index = bisect.bisect_right(asks, time, key=lambda ask: ask.time)
        return asks[index].updates if index < len(asks) else self.watching.state.updates

    def _keeper(self, place, walked=True):
        """The line that keeps what a place makes, which the text there says, else who holds it."""
        line = keeps(place)
        if line == place[1]:
            tensor = next((reference() for reference, value in list(self.flow.table.values())
                           if value.op is not None and (value.op.freed is not None) is walked and value.op.lines and value.op.lines[0] == place), None)
            for file, attribute in containers(tensor):
                added = adds_to(file, attribute)
                if added:
                    return Place((file, added, ""))
        return Place((place[0], line, place[2]))

    @staticmethod
    def _step_of(ask):
        return ask.updates or -ask.number

    def _leak(self, place, message, first=""):
        if ("leak", place) not in self.answers.advice:
            self.answers.advice.add(("leak", place))
            self.answers.add_alert("leak", "graphs of earlier steps", message,
                                   first + "keep the number alone: loss.item() for a report, loss.detach() for a tensor without its graph", [place])

    # --- a model called with one example at a time

    def _examples(self, ask, ops):
        calls = defaultdict(list)
        for op in ops:
            if op.kind == "op" and op.inputs and op.lines and op.name in ("linear", "conv1d", "conv2d", "conv3d", "embedding", "lstm", "gru", "matmul", "__matmul__"):
                weights = tuple(value.who for value in op.inputs if value.who.parameter)
                if weights:
                    calls[op.lines, weights].append(op)
        found = {}
        for (lines, _), same in calls.items():
            if len(same) < _MANY or any(op.recorded is False for op in same):
                continue
            inputs = {op.inputs[0] for op in same}
            if len(inputs) < len(same) or not all(self._is_piece(op.inputs[0]) for op in same) or self._follows(same[1], same[0]):
                continue
            # The line that stays the outermost one inside the loop: where the model is called.
            place = self._loop_line(lines)
            found[place] = max(found.get(place, 0), len(same))
        for place, count in found.items():
            self.answers.advise("per_example_loop", "one example at a time", f"{words.location([place])} passes {count} examples through the model one by one",
                                "pass the whole batch in one call, or use torch.func.vmap: the ops take batches", place)

    def _joined(self, ops):
        """Results for each row of a tensor, computed one by one in the same way and joined."""
        for op in ops:
            if op.kind != "op" or op.name not in _JOINS or len(op.inputs) < _MANY or any(value.op is None for value in op.inputs):
                continue
            times = [value.op.time for value in op.inputs]
            rows = {self._row(value, before, times[0]) for value, before in zip(op.inputs[1:], times)}
            place = self._loop_line(op.inputs[1].op.lines) if op.inputs[1].op.lines else None
            known = any(each[0] == "per_example_loop" and each[-1] == place for each in self.answers.advice)
            if times == sorted(times) and len(rows) == 1 and None not in rows and place is not None and not known:
                self.answers.advise("per_example_loop", "one row at a time", f"{words.location([place])} computes {len(op.inputs)} rows one by one, in the same way, and "
                                    f"{op.name} joins them", "compute all rows at once: broadcast over the whole batch (a[:, None] beside b[None]), or use torch.func.vmap", place)

    def _heads(self, ops):
        """Attention whose heads are computed one after the other, and joined."""
        softmaxes = defaultdict(list)
        for op in ops:
            if op.kind == "op" and op.name == "softmax" and op.recorded and op.lines and op.inputs:
                softmaxes[op.lines, op.inputs[0].who.shape].append(op)
        groups = [(lines, set(value for op in same for value in op.outputs)) for (lines, _), same in softmaxes.items() if len(same) >= _HEADS and self._loop_line(lines)]
        for lines, shares in groups:
            place = self._loop_line(lines)
            known = any(each[0] == "per_example_loop" and (each[-1][0], each[-1][2]) == (place[0], place[2]) for each in self.answers.advice)
            for op in ops if in_loop(place) and not known else ():
                if op.name in _JOINS and len(op.inputs) >= _HEADS and all(self._weighs(value, shares) for value in op.inputs):
                    self.answers.advise("per_example_loop", "one head at a time", f"{words.location([place])} computes {len(op.inputs)} heads of attention one by one, "
                                        f"in many small ops, and {op.name} joins them",
                                        "compute all heads at once, in one batch: one linear layer for all of them, view(batch, length, heads, size).transpose(1, 2), and "
                                        "scaled_dot_product_attention; torch.func.vmap over stacked weights does it too", place)
                    break

    @staticmethod
    def _weighs(value, shares, most=6):
        """Whether it is a product of what a softmax gave, or made of that alone."""
        while most and value.op is not None and value.op.inputs:
            if value.op.name in ("matmul", "__matmul__", "bmm", "einsum") and any(item in shares or item.op is not None and any(given in shares for given in item.op.inputs)
                                                                                 for item in value.op.inputs):
                return True
            value, most = value.op.inputs[0], most - 1
        return False

    def _pairs(self, ops):
        """The same call of two rows each time, taken out of one tensor or two, as in a loop over all pairs."""
        calls = defaultdict(list)
        for op in ops:
            if op.kind == "op" and op.recorded and op.lines and len(op.inputs) == 2 and op.target is None and all(self._is_row(value) for value in op.inputs):
                calls[op.name, op.lines, tuple(value.op.inputs[0] for value in op.inputs)].append(op)
        for (_, lines, wholes), same in calls.items():
            place = self._loop_line(lines)
            rows = max(side for whole in wholes for side in whole.who.shape)
            if len(same) >= _PAIRS and len(same) > rows and not any(each[0] == "per_example_loop" and each[-1] == place for each in self.answers.advice):
                self.answers.advise("per_example_loop", "one row at a time", f"{words.location([place])} computes the same of {len(same)} pairs of rows, one pair after the other",
                                    "compute all rows at once: broadcast over the whole batch (a[:, None] beside b[None]), or use torch.func.vmap", place)

    @staticmethod
    def _is_row(value):
        return value.op is not None and value.op.name in _PIECES and len(value.op.inputs) == 1 and len(value.who.shape) > 0

    @staticmethod
    def _row(value, before, first):
        """How a result is made since the one before it: of which tensors it takes pieces, of which shapes, and by which calls. None where it takes none, or
        needs what an earlier round made since the `first` result."""
        calls, pieces, pending, seen = [], set(), [value], set()
        while pending:
            item = pending.pop()
            op = item.op
            if item in seen or op is None:
                continue
            seen.add(item)
            if op.name in _PIECES:
                pieces.add((op.inputs[0], item.who.shape))
            elif op.name in _JOINS:
                return None  # of a batch, as a loader joins them
            elif op.time > before:
                calls.append((op.name, op.lines[:1]))
                pending.extend(op.inputs)
            elif op.time >= first:
                return None
        return (frozenset(pieces), tuple(calls)) if pieces and calls else None

    @staticmethod
    def _follows(op, before, most=256):
        """Whether a call takes what came of the one before it, or of what that took, as one round of a recurrence does."""
        made, pending, seen = {before.inputs[0], *before.outputs}, list(op.inputs), set()
        while pending and len(seen) < most:
            value = pending.pop()
            if value in made:
                return True
            if value not in seen and value.op is not None and not value.who.leaf:
                seen.add(value)
                pending.extend(value.op.inputs)
        return False

    def _is_piece(self, value, depth=6):
        """Whether it is one example taken out of a batch."""
        while value.op is not None and depth:
            if value.op.name in _PIECES:
                whole = value.op.inputs[0].who.shape if value.op.inputs else ()
                return len(value.who.shape) < len(whole) or value.who.shape[:1] == (1,)
            if not value.op.inputs or value.who.shape[:1] not in ((), (1,)) and value.op.name not in ("unsqueeze", "view", "reshape"):
                return False
            value, depth = value.op.inputs[0], depth - 1
        return False

    def _loop_line(self, lines):
        return next((place for place in lines if in_loop(place)), lines[0])

    # --- the same work twice

    @staticmethod
    def _is_evaluated(first, again, ops, ask):
        """Whether the first is one of several batches of an evaluation that no_grad() was left out of, and the other of the pass of training after it."""
        batches = {op.inputs[0] for op in ops if op.name == first.name and op.lines == first.lines and op.time < again.time}
        return len(batches) > 1 and not any(op is first for op in made_for(ask.targets))

    def _twice(self, ops, ask):
        twins = defaultdict(list)
        for op in ops:
            if op.kind == "op" and op.inputs and op.target is None and op.outputs and op.name in ("linear", "conv1d", "conv2d", "conv3d", "lstm", "gru", "matmul",
                                                                                                   "__matmul__", "embedding", "scaled_dot_product_attention"):
                twins[op.name, tuple(map(self._turned, op.inputs))].append(op)
        for (name, _), same in twins.items():
            # What ran without gradients first may be a reference on purpose (old log-probabilities); after a pass that recorded it is work for nothing.
            if len({op.lines for op in same}) == 1:
                self._in_rounds(same)
            if len(same) < 2 or len({op.lines for op in same}) < 2 or any(op.grad and not same[0].grad for op in same):
                continue
            first, again = same[0], same[1]
            if first.grad is not again.grad and any(op.name in _VARIES for op in ops if first.time < op.time):
                continue
            common = 0
            while common < min(len(first.lines), len(again.lines)) and first.lines[-1 - common] == again.lines[-1 - common]:
                common += 1
            place = again.lines[-1 - common] if common < len(again.lines) else again.lines[0]
            before = first.lines[-1 - common] if common < len(first.lines) else first.lines[0]
            if in_loop(place) and not in_loop(before) and place[2] == before[2]:
                continue  # once before a loop, as when a model is made, and in its first round
            if self._is_evaluated(first, again, ops, ask):
                continue
            if not self._records(before, ops) and self._records(place, ops):
                continue  # an evaluation before a pass of training, which meet in the part that is frozen
            self.answers.advise("repeated_work", "the same work twice",
                                f"{words.location([place])} computes again what {words.location([before])} computed: the same {name} of the same tensors",
                                f"keep the result of {words.location([before])} and use it twice", place)

    @staticmethod
    def _turned(value):
        """What stands for a tensor; one that was turned on the same line of the same tensor is the same."""
        op = value.op
        return (op.name, op.lines, op.inputs[0]) if op is not None and op.name in _TURNS and len(op.inputs) == 1 else value

    def _in_rounds(self, same):
        """The same call of the same tensors in each round of a loop, as of a matrix that the rounds share."""
        op = same[0]
        place = self._loop_line(op.lines)
        if len(same) < _AGAIN or not in_loop(place) or not all(each.recorded and each.versions == op.versions for each in same):
            return
        self.again[place, op.name] += 1
        if self.again[place, op.name] == 2:  # in one step it may be a look
            self.answers.advise("repeated_work", "the same in each round", f"{words.location([place])} computes the same {len(same)} times in each step: {op.name} at "
                                f"{words.location(op.lines)} of the same tensors in each round of the loop",
                                "compute it once, before the loop, and use the result in each round", place)

    @staticmethod
    def _records(place, ops):
        """Whether what a line calls is to have gradients."""
        return any(op.grad and op.wanted and place in op.lines for op in ops)

    # --- values that the host reads one by one

    def _reads(self):
        reads = self.watching.numbers.reads
        counts = defaultdict(list)
        for read in reads:
            if read.op.name in ("item", "__float__", "__int__", "__bool__", "tolist", "numpy") and read.op.lines and read.time > self.seen_reads:
                counts[read.op.lines[0]].append(read)
        self.seen_reads = self.flow.time
        for place, same in counts.items():
            if any(read.value.wants and read.value.who.shape == () for read in same):
                self._each_pass(place, same[0].op.name)
            parts = [read for read in same if read.value.op is not None and read.value.op.name in ("__getitem__", "select", "unbind")]
            if len(parts) >= _MANY:
                self.answers.advise("host_round_trip", f"{same[0].op.name}() in a loop",
                                    f"{words.location([place])} reads {len(parts)} elements of one tensor one by one: the host waits for each item",
                                    "reduce in PyTorch (max(), sum()) and read once, or call tolist() once for all", place)
                continue
            weights = {who for read in same for who in self._weight_of(read, place)}
            self.weighed[place] += len(weights) >= _MANY
            if self.weighed[place] == 2:  # in one step it may be a look at the model
                self.answers.advise("host_round_trip", f"{same[0].op.name}() for each parameter",
                                    f"{words.location([place])} reads one number for each of {len(weights)} parameters in every step: the host waits for each item",
                                    "keep the numbers as tensors, join them (torch.stack) and read once; torch.nn.utils.clip_grad_norm_ computes the norm of all", place)

    def _each_pass(self, place, name):
        """A loss that is read after each of many passes whose gradients add up."""
        known, updates = self.between[place], self.watching.state.updates
        if known[0] != updates:
            known[:2] = updates, 0
        known[1] += 1
        if known[1] == _MANY:
            known[2] += 1
            if known[2] == 2:  # in one step it may be a look
                self.answers.advise("host_round_trip", f"{name}() in each pass", f"{words.location([place])} reads the loss after each of the passes that one optimizer step "
                                    "adds up: the host waits for each item", "add up loss.detach() as a tensor and read it once a step", place)

    @staticmethod
    def _weight_of(read, place, most=6):
        """The leaf that a number read comes from, itself or by its gradient, through calls on the line of the read alone."""
        value = read.value
        while most and value.op is not None and value.op.kind == "op" and value.op.lines[:1] == (place,) and value.op.inputs:
            value, most = value.op.inputs[0], most - 1
        if value.op is not None and value.op.kind == "grad":
            value = value.op.inputs[-1]
        return (value.who,) if value.who.leaf and value.who.wants else ()

    # --- gradients that no optimizer uses

    def finish(self):
        self._retained()
        self._never_walked()
        self._evaluated()
        watching = self.watching
        held = watching.questions.held
        if not held:
            return
        idle, written = defaultdict(list), {op.target for op in self.flow.writes}  # what the program updates by hand is held by no optimizer
        for who, row in list(self.answers.rows.items()):
            if who.parameter and who.wants and row.status == "value" and who not in held and who.name and not self.answers.uses(who) and who not in watching.reasons.replacing:
                if "." in who.name or who not in written:
                    idle[who.name.rsplit(".", 1)[0] if "." in who.name else ""].append(who)
        groups = defaultdict(list)
        for name, whos in idle.items():
            listed = _UNREGISTERED.match(name)
            groups[listed.group(0)[:-1] if listed else ".".join(name.split(".")[:2])].extend(whos)
        for name, whos in groups.items():
            apart = "." not in name and any(who.name.startswith(f"{name}.") for who in held)  # some of an object's tensors
            if not name or apart or len(whos) == 1 and not _UNREGISTERED.match(name):
                name = " and ".join(who.name for who in whos)
            reader = next((op for op in watching.flow.ops if any(value.who in whos for value in op.inputs) and op.recorded), None)
            place = reader.lines[0] if reader is not None and reader.lines else whos[0].lines[0] if whos[0].lines else None
            if place is None:
                continue
            listed = _UNREGISTERED.match(whos[0].name)
            what = f"no optimizer holds {name}: its gradient is computed and never used"
            if len(whos) > 1:
                what = f"no optimizer holds {name} ({len(whos)} parameters): their gradients are computed and never used"
            if listed:
                plain, own = ("dict", "nn.ModuleDict (nn.ParameterDict of tensors)") if whos[0].name[listed.end()] in "'\"" else (
                    "list", "nn.ModuleList (nn.ParameterList of tensors)")
                self.answers.advise("unneeded_variable", name, f"{what}; {name} is a plain {plain}, which parameters() does not look into",
                                    f"make {name} an {own}, so that its parameters are registered and the optimizer gets them", place)
                continue
            root = name.split(".")[0]
            whole = "." in whos[0].name and not any(who.parameter and who.name.startswith(f"{root}.") for who in held)
            self.answers.advise("unneeded_variable", name, what + (f"; it holds none of {root}'s, which may have been made or copied after it" if whole else ""),
                                (f"where {root} is to learn, make the optimizer of {root}.parameters(); else " if whole else
                                 f"where {name} is to learn, hand it to the optimizer (add_param_group()), or make the optimizer after {name}; else ") +
                                (f"freeze it: {name}.requires_grad_(False), or compute it under torch.no_grad()" if " and " not in name else
                                 "freeze them: requires_grad_(False)"), place)
