"""backward(), autograd.grad() and reads of .grad: what was asked, what came out, and the rows that answer."""
import inspect
import sys
import threading
import weakref

import torch

from tapescope import uncaught
from tapescope.torch import errors, refused, source, zeros
from tapescope.torch.flow import Op, Place, here, node_of, of_gradcheck, of_transform, user_frame
from tapescope.torch.naming import READ, Names, name_read
from tapescope.torch.look import BAD, ZERO, look
from tapescope.torch.reasons import Found, reaches
from tapescope.torch.sequence import number_of
from tapescope.torch.source import reads_all, text_of
from tapescope.torch.watch import quiet

_SIGNATURES = {}
_LOSSES = 16  # questions of a step that are looked at


def _bound(func, args, kwargs):
    signature = _SIGNATURES.get(func)
    if signature is None:
        signature = _SIGNATURES[func] = inspect.signature(func)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


class Ask:
    """One call that walked backward. Keeps no tensor."""

    def __init__(self, kind, lines, number):
        self.kind, self.lines, self.number = kind, lines, number
        self.targets, self.inputs, self.seqs = [], [], []
        self.retain = self.create = False
        self.only = False  # backward(inputs=...)
        self.unused_allowed = False  # autograd.grad(..., allow_unused=True)
        self.transform = False  # torch.func asks, as grad() and hessian() do
        self.leaves = ()
        self.ops = 0
        self.updates = 0  # steps that optimizers took before it
        self.time = 0


class _Thread(threading.local):
    raw = None  # what the engine returned, before zeros were filled in


class Questions:
    def __init__(self, flow, nodes, reasons, answers, state):
        self.flow, self.nodes, self.reasons, self.answers, self.state = flow, nodes, reasons, answers, state
        self.numbers = reasons.numbers
        self.asks = []
        self.here = _Thread()
        self.sources = {}  # who -> weak reference to the tensor: asked about unless frozen, as optimizers or models that ran hold them
        self.on_ask = []
        self.ops = None  # what records each op
        self.held = reasons.held = weakref.WeakSet()  # tensors that optimizers step

    # --- asking

    def ask(self, func, name, args, kwargs):
        if of_gradcheck(sys._getframe(1)):
            return func(*args, **kwargs)
        ask = None
        try:
            with quiet():
                ask = self._begin(func, name, args, kwargs)
        except Exception as error:
            self.state.failed(error)
        self.here.raw = None
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            if ask is not None:
                asked = [name for _, name in self.ops.thread.asked] if self.ops is not None else []
                self._quietly(self._answered, True)
                self._quietly(self._raised, ask, error, asked)
            raise
        if ask is not None:
            self._quietly(self._answered, False)
            self._quietly(self._end, ask, result)
        return result

    def _answered(self, raised):
        if self.ops is not None:
            self.ops.answered(raised)

    def _quietly(self, action, *arguments):
        try:
            with quiet():
                action(*arguments)
        except Exception as error:
            self.state.failed(error)

    def _begin(self, func, name, args, kwargs):
        given = _bound(func, args, kwargs)
        ask = Ask("grad" if name == "grad" else "backward", here(), len(self.asks) + 1)
        ask.updates, ask.time = self.state.updates, self.flow.tick()
        targets = given.get("outputs", given.get("tensors", given.get("self")))
        targets = [targets] if isinstance(targets, torch.Tensor) else list(targets)
        inputs = given.get("inputs")
        inputs = [] if inputs is None else [inputs] if isinstance(inputs, torch.Tensor) else list(inputs.values()) if isinstance(inputs, dict) else list(inputs)
        ask.targets = [self.flow.value(item, ask.lines) for item in targets if isinstance(item, torch.Tensor)]
        ask.inputs = [self.flow.value(item, ask.lines).who for item in inputs if isinstance(item, torch.Tensor)]
        for value, item in zip(ask.targets, targets):
            node = node_of(item)
            value.seq = number_of(node) if node is not None else None
            value.bad = look(item)
        ask.create = bool(given.get("create_graph"))
        ask.retain = bool(given["retain_graph"]) if given.get("retain_graph") is not None else ask.create
        ask.transform = of_transform(sys._getframe(1))
        ask.only = ask.kind == "backward" and bool(inputs)
        ask.unused_allowed = bool(given.get("allow_unused"))
        self.name_all([*targets, *inputs])
        self.nodes.begin(ask.number)
        self.asks.append(ask)
        for listener in self.on_ask:
            listener(ask)
        if self.ops is not None:
            self.ops.ask(ask, [item for item in targets if isinstance(item, torch.Tensor)])
        ask.seqs = self.nodes.next()
        return ask

    def ask_about(self, who, tensor):
        if who not in self.sources:
            self.sources[who] = weakref.ref(tensor)

    def name_all(self, tensors, concerned=(), frame=None):
        """Names the tensors, those that are asked about, every leaf that wants a gradient, and what answers concern."""
        names = Names(frame or sys._getframe(2))
        for model in names.models.values():  # one of which a part was used ran: all of it is asked about
            held = [(parameter, self.flow.value(parameter).who) for parameter in model.parameters()]
            if any(who.reads for _, who in held):
                for parameter, who in held:
                    self.ask_about(who, parameter)
        for tensor in [*tensors, *(reference() for reference in self.sources.values())]:
            if isinstance(tensor, torch.Tensor):
                names.apply(tensor, self.flow.value(tensor).who)
        for reference, value in list(self.flow.table.values()):
            if value.who.leaf and (value.who.wants or value.who.name) or value.who in concerned:
                tensor = reference()
                if tensor is not None:
                    names.apply(tensor, value.who)
        return names

    def _end(self, ask, result):
        leaves = set()
        for value in ask.targets:
            if value.seq is not None:
                numbers, below = self.nodes.reachable(value.seq)
                leaves |= below
                if not ask.retain:
                    for number in numbers:
                        op = self.nodes.table[number].op
                        if op.freed is None:
                            op.freed = ask
            elif value.who.leaf and value.who.wants:
                leaves.add(value.who)
        ask.leaves = frozenset(leaves)
        spoilt = any(value.bad & BAD for value in ask.targets)
        if ask.kind == "grad":
            spoilt |= self._answer_grad(ask, result)
        else:
            spoilt |= self._answer_backward(ask)
        if spoilt:
            self.answers.nonfinite(ask, self.nodes)
        else:
            self.answers.finite(ask)

    def _answer_grad(self, ask, result):
        results = list(result.values()) if isinstance(result, dict) else list(result)
        raw = self.here.raw
        raw = raw if raw is not None and len(raw) == len(results) else results
        op = Op("grad", "grad", [*ask.targets, *(who.first for who in ask.inputs if who.first is not None)], ask.lines, self.flow.tick())
        op.seqs = ask.seqs
        made = [tensor for tensor in results if isinstance(tensor, torch.Tensor)]
        for slot, tensor in enumerate(made):
            self.flow.made(tensor, op, slot)
        op.recorded = ask.create
        if ask.create and not any(tensor.requires_grad for tensor in made):
            op.facts = self.nodes.custom_below(ask.targets)  # what a custom function gives back without a graph
        self.flow.add(op)
        if ask.create:
            self.nodes.watch(op, made)
        spoilt = False
        for who, got, before in zip(ask.inputs, results, raw):
            bits = look(got) if got is not None else 0
            spoilt |= bool(bits & BAD)
            if before is None:
                found = (self.reasons.of_source(who) if not who.wants else None) or self.reasons.of_none(who, ask.targets, ask)
                if not (found.reason in ("independent", "unused") and self._asked_for_each(who, ask)):
                    self.answers.none(who, ask, found, got is not None)
            else:
                found = self._row(who, ask, got, bits)
                if found is not None:
                    value = self.flow.value(got)
                    value.bad = bits
                    op.zeros[value.slot] = found
        return spoilt

    def _asked_for_each(self, who, ask):
        """Whether each loss of a step is asked for all parameters, of which another one reached this: its None here is meant."""
        return ask.unused_allowed and any(other.kind == "grad" and other.updates == ask.updates and who in other.inputs and who in other.leaves for other in self.asks[-_LOSSES:])

    def _answer_backward(self, ask):
        spoilt = False
        for reference, value in list(self.flow.table.values()):
            who = value.who
            if who not in ask.leaves and not who.retains:
                continue
            tensor = reference()
            gradient = tensor.grad if tensor is not None and (who.leaf or who.retains) else None
            if gradient is None:
                if who.cleared is not None and who.cleared_at > ask.time:
                    self.answers.none(who, ask, Found("cleared", who.cleared, text="hook"))
                elif who in ask.leaves and not ask.only:
                    self.answers.none(who, ask, self.reasons.of_none(who, ask.targets, ask))
                continue
            who.had_grad, who.cleared = True, None
            if self.flow.known(gradient) is None:
                op = Op("grad", "grad", [*ask.targets, value], ask.lines, self.flow.tick())
                self.flow.made(gradient, op, 0)
                op.recorded = ask.create
            bits = look(gradient)
            spoilt |= bool(bits & BAD)
            self._row(who, ask, gradient, bits)
        return spoilt

    def _row(self, who, ask, gradient, bits):
        """Returns why it is zero, where it is."""
        found = None
        if bits & BAD:
            self.answers.value(who, ask, gradient, "nonfinite")
        elif bits & ZERO:
            found = zeros.reason_of(self.nodes, who, ask)
            self.answers.zero(who, ask, gradient, found)
        else:
            self.answers.value(who, ask, gradient, "value")
        return found

    # --- reads

    def read(self, tensor, gradient, by_user):
        """A gradient was read that is there."""
        who = self.flow.value(tensor).who
        who.had_grad = True
        if by_user and who in self.answers.rows:
            self.answers.was_read(who)
            self._as_read(tensor, who)
        if by_user and self.answers.status_of(who) in (None, "none") and not self._of_before(who, gradient):
            self.name_all([tensor])
            bits = look(gradient)
            self.answers.value(who, None, gradient, "nonfinite" if bits & BAD else "zero" if bits & ZERO else "value")
        if self.flow.known(gradient) is None and self.asks:
            ask = self.asks[-1]
            op = Op("grad", "grad", [*ask.targets, self.flow.value(tensor)], ask.lines, self.flow.tick())
            self.flow.made(gradient, op, 0)
            op.recorded = gradient.requires_grad

    def _of_before(self, who, gradient):
        """Whether an error that nothing caught concerns the tensor, and the gradient that is read was there before it."""
        row, known = self.answers.rows.get(who), self.flow.known(gradient)
        return row is not None and uncaught.was_shown(row.raised) and known is not None and known.time < row.time

    def _as_read(self, tensor, who):
        """The name that the text of the function which reads a gradient has for the tensor."""
        name = name_read(user_frame(), tensor) if who.strong != READ else ""
        if name:
            who.name, who.strong = name, READ
            self.answers.renamed(who)

    def read_none(self, tensor):
        """The program read .grad and got None."""
        lines = here()
        if "is None" in text_of(lines[0] if lines else None) or "is not None" in text_of(lines[0] if lines else None):
            return
        self.name_all([tensor])
        who = self.flow.value(tensor).who
        row = self.answers.rows.get(who)
        if row is not None and row.raised and self.asks and row.time > self.asks[-1].time:
            self._as_read(tensor, who)
            return  # an error that the program caught left it without one
        if who.wants_off and who not in self.held and len(self.held) and lines and reads_all(lines[0]):
            return  # frozen, left out of the optimizer, and read along with all others
        self.answer_none(who)

    def answer_none(self, who):
        backwards = [ask for ask in self.asks if ask.kind == "backward"]
        found = self.reasons.of_source(who)
        ask = backwards[-1] if backwards else self.asks[-1] if self.asks else None
        if found is not None and found.reason != "not_leaf":
            later = self._as_used_before(who, ask, found) if ask is not None else None
            self.answers.none(who, ask, later or found)
        elif found is not None:
            made = who.made_by
            if backwards and made is not None and made.inputs and made.time > backwards[-1].time:
                found = Found("recreated_tensor", op=made, other=made.inputs[0].who, text="after")
            self.answers.none(who, ask, found)
        elif who.cleared is not None and not who.had_grad:
            since = [each for each in backwards if each.time > who.cleared_at]
            later = self._unanswered(who, since) if since else None
            # A later question that has nothing to do with it, such as that of another loss, is no reason.
            kept = later is None or later.reason in ("independent", "unused", "no_backward", "branch_not_taken")
            self.answers.none(who, ask, Found("cleared", who.cleared) if kept else later)
        else:
            self.answers.none(who, ask, self._unanswered(who, backwards))

    def _as_used_before(self, who, ask, found):
        """A tensor that wants none now, whose own making is at fault rather than its flag."""
        if found.reason == "not_trainable" and who.wants_off is None:
            stale = self.reasons._stale(who, ask.targets)
            if stale is not None and stale.other is not None and stale.other.wants:
                return stale
        return None

    def _unanswered(self, who, backwards):
        """A leaf that wants a gradient has none."""
        for ask in reversed(backwards):
            if who in ask.leaves:
                if ask.only:
                    return Found("no_backward", ask.lines, text="inputs")
                return self.reasons.of_none(who, ask.targets, ask)
        asked = [ask for ask in self.asks if ask.kind == "grad" and who in ask.leaves]
        if asked and not any(reaches(ask.targets, who) for ask in backwards):
            return Found("no_backward", asked[-1].lines, text="grad")
        if not backwards:
            last = self._last_use(who)
            return Found("no_backward", last.lines if last is not None else self.asks[-1].lines if self.asks else who.lines)
        # The question whose gradients its optimizer waited for says most.
        last = [ask for ask in backwards[-3:] if ask is not who.stepped] + [who.stepped] * (who.stepped in backwards)
        candidates = [self.reasons.of_none(who, ask.targets, ask) for ask in last]
        found = next((item for item in reversed(candidates) if item.reason not in ("independent", "unused")), candidates[-1])
        if found.reason == "independent":
            other = self._other_loss(who, backwards)
            if other is not None:
                return self._left_out(other, backwards[-1])
        return found

    @staticmethod
    def _left_out(term, ask):
        """A loss that no question was about: a term that the total leaves out, if it was there when the total was made, else a separate loss."""
        total = next((value.op for value in ask.targets if value.op is not None and value.op.kind == "op"), None)
        line = source.sums_up(ask.lines[0], frozenset(filter(None, map(source.assigned, term.lines)))) if ask.lines else 0
        if total is None or term.time > total.time and not line:
            return Found("no_backward", ask.lines, op=term, text="other")
        lines = total.lines
        if term.time > total.time:  # the total is another term alone
            lines = (Place((ask.lines[0].file, line, ask.lines[0][2])), *ask.lines[1:])
        found = Found("independent", lines, op=total, text="left out")
        found.term = term
        return found

    def last_backward(self):
        return next((ask for ask in reversed(self.asks) if ask.kind == "backward"), None)

    def _last_use(self, who):
        """The last op that made something that depends on the tensor."""
        for op in reversed(self.flow.ops[-4096:]):
            if any(value.seq is not None and who in self.nodes.reachable(value.seq)[1] for value in op.outputs):
                return op
        return None

    @staticmethod
    def _reports(op, value):
        """Whether it reads, for a report, a number that stands for itself: one that is made where it is read is the report's own."""
        return (op.kind == "read" or op.name == "detach") and value.op is not None and op.lines[:1] != value.op.lines[:1]

    def _other_loss(self, who, backwards):
        """A number that depends on the tensor, waits for a backward pass, and was used for a report at most."""
        asked = {value for ask in backwards for value in ask.targets}
        used = {value for op in self.flow.ops[-4096:] for value in op.inputs if not self._reports(op, value)}
        for op in reversed(self.flow.ops[-4096:]):
            for value in op.outputs:
                if value.wants and value.who.shape == () and value not in used and value not in asked and value.seq is not None:
                    if who in self.nodes.reachable(value.seq)[1]:
                        return op
        return None

    # --- errors

    def _raised(self, ask, error, asked):
        if not uncaught.explained(error):  # by a question inside of this one
            uncaught.attach(error, errors.account(self.answer_all(errors.of_question(self, ask, error), ask), ask, error))
        answered = {row.written for row in self.answers.rows.values()}
        for name in asked:  # an error that is not autograd's is no reason for None
            if name not in answered:
                self.answers.writer.withdraw(name)

    def raised_in(self, op, error, args, kwargs):
        ask = Ask(op.name, op.lines, 0)
        if not uncaught.explained(error):
            uncaught.attach(error, errors.account(self.answer_all(refused.of_op(self, op, error, kwargs), ask), ask, error))

    def not_one_number(self, tensors, error):
        """torch.func.grad was given a function that returns more than one."""
        ask = Ask("torch.func.grad", here(), 0)
        found = Found("not_scalar", ask.lines, op=self.flow.ops[-1] if self.flow.ops else None, text="function")
        found.lines = found.op.lines if found.op is not None else ask.lines
        rows = [(self.flow.value(tensor).who, found) for tensor in tensors]
        for tensor, (who, _) in zip(tensors, rows):
            Names(sys._getframe(2)).apply(tensor, who)
        uncaught.attach(error, errors.account(self.answer_all(rows, ask), ask, error))

    def answer_all(self, rows, ask, frame=None):
        """Answers for each tensor that an error concerns; returns them as rows."""
        if rows:
            names = self.name_all([], {who for who, _ in rows}, frame)
            rows = [(who if who.name else self._kept_of(who, names), found) for who, found in rows]
        return [self.answers.none(who, ask, found) for who, found in rows]

    def _kept_of(self, leaf, names):
        """What the program keeps of a leaf that it has no name for: the result of one op, by its name; else the leaf."""
        for reference, value in list(self.flow.table.values()):
            who = value.who
            if not who.leaf and who.wants and who.made_by is not None and any(given.who is leaf for given in who.made_by.inputs):
                tensor = reference()
                if tensor is not None and names.name_of(tensor):
                    names.apply(tensor, who)
                    return who
        return leaf

    # --- the end

    def finish(self):
        """What was left open: values that are not finite, and parameters of models that ran and have no answer."""
        self.answers.finish()
        if not any(ask.kind == "backward" for ask in self.asks):
            return
        for who, reference in list(self.sources.items()):
            tensor = reference()
            had = who.had_grad or who.cleared is not None if tensor is None else tensor.grad is not None
            if not who.wants or self.answers.has(who) or had:
                continue
            found = self._unanswered(who, [ask for ask in self.asks if ask.kind == "backward"])
            # A model that no optimizer trains and that runs without gradients is meant so: a teacher, a target network.
            if who in self.held or found.reason in ("unused", "branch_not_taken"):
                self.answer_none(who)
