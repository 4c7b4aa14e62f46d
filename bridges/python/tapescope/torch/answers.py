"""The rows, alerts and advice of a run, written into the recording as they are found."""
import math

from tapescope.torch import words
from tapescope.torch.look import BAD, INFINITY, NAN, look

_MEANT = frozenset(("masked_fill", "masked_fill_", "full", "full_like", "where", "tensor", "fill_", "new_full", "__setitem__", "as_tensor", "from_numpy", "finfo",
                    "triu", "tril", "scaled_dot_product_attention", "index_fill", "index_fill_"))
_MOST_OVERFLOWS = 24  # passes in a row: a GradScaler has halved its first scale of 65536 to less than 1


def _is_scaled(ask):
    """Whether a GradScaler multiplied the loss, which itself was finite."""
    return any(value.op is not None and value.op.facts == "scaled" and not any(item.bad & BAD for item in value.op.inputs) for value in ask.targets)


class Row:
    def __init__(self, who):
        self.who = who
        self.status, self.reason, self.message, self.fix, self.op = "value", "", "", "", ""
        self.lines = ()
        self.target, self.path, self.norm, self.nonfinite, self.time, self.name = "", [], None, 0, 0, ""
        self.written = ""  # the name it was recorded by
        self.raised = ""  # what stands before the traceback of an error that concerns it

    def label(self):
        return self.who.name or self.name or f"the tensor made at {words.location(self.who.lines)}"


class Answers:
    def __init__(self, flow, writer):
        self.flow, self.writer = flow, writer
        self.rows = {}  # who -> row
        self.reads, self.given = {}, {}  # who -> times of the rows that were read; how many gradients it got
        self.advice = set()
        self.ops = None  # what records each op
        self._spoilt = False
        self._overflow = None  # what a GradScaler was to see and skip, since its last finite gradients: an alert's arguments
        self._overflows = 0
        self._scales = False  # a scaler has had finite gradients

    def was_read(self, who):
        """The program reads its gradient."""
        self.reads.setdefault(who, set()).add(self.rows[who].time)

    def uses(self, who):
        """Whether the program reads its gradients as a step by hand does; a single look after many questions is none."""
        reads, given = len(self.reads.get(who, ())), self.given.get(who, 0)
        return reads > 0 and 2 * reads > given

    def has(self, who):
        return who in self.rows

    def status_of(self, who):
        return self.rows[who].status if who in self.rows else None

    def _row(self, who, ask):
        row = Row(who)
        row.name, row.time, row.target = who.name, self.flow.tick(), words._target(ask)
        before = self.rows.pop(who, None)
        if before is not None and before.written and before.written != row.label():
            self.writer.withdraw(before.written)
        self.rows[who] = row
        return row

    def renamed(self, who):
        """Writes a row again, under the name that the tensor has now."""
        row = self.rows.get(who)
        if row is not None and row.written and row.written != row.label():
            self.writer.withdraw(row.written)
            self._write(row)

    def none(self, who, ask, found, filled=False):
        row = self._row(who, ask)
        row.status, row.reason = "unconnected_zero" if filled else "none", found.reason
        row.message, row.fix = words.none(who, found, ask)
        row.lines, row.op = found.lines, found.op.name if found.op is not None else ""
        row.path = found.path
        self._write(row)
        return row

    def zero(self, who, ask, gradient, found):
        row = self._row(who, ask)
        row.status = "zero"
        row.norm = 0.0
        if found is not None:
            row.reason, row.lines, row.op = found.reason, found.lines, found.op.name if found.op is not None else ""
            row.message, row.fix = words.zero(who, found, ask)
        self._write(row)

    def value(self, who, ask, gradient, status):
        self.given[who] = self.given.get(who, 0) + (ask is not None)
        row = self._row(who, ask)
        row.status = status
        try:
            row.norm = float(gradient.detach().double().norm()) if gradient.numel() else 0.0
            if status == "nonfinite":
                row.nonfinite = int((~gradient.detach().isfinite()).sum())
        except (RuntimeError, NotImplementedError):
            row.norm = math.nan
        self._write(row)

    def _write(self, row):
        if row.who.name or row.status == "none":
            row.written = row.label()
            self.writer.row(row)

    # --- values that are not finite

    def nonfinite(self, ask, nodes):
        if self._spoilt:
            return
        found = self._first(ask, nodes)
        if found is not None and _is_scaled(ask):
            self._overflow, self._overflows = self._overflow or found, self._overflows + 1
            if self._overflows < _MOST_OVERFLOWS:
                return
        self._spoilt = True
        if found is not None:
            self._alert(*found)

    def anomaly(self, ask, nodes, numbers, text):
        """What anomaly mode ended the program for: the step that it names, unless a value went wrong before."""
        first = self._forward(ask)
        node = next((nodes.table[number] for number in sorted(numbers, reverse=True) if f"'{nodes.table[number].name}'" in text), None)
        if first is not None:
            self.nonfinite(ask, nodes)
        elif node is not None and not self._spoilt:
            self._spoilt = True
            self._alert(node.op, node.name, "backward", "nan")

    def finite(self, ask):
        if _is_scaled(ask):
            self._overflow, self._overflows, self._scales = None, 0, True

    def finish(self):
        """A scaler that never had finite gradients has found no scale."""
        if self._overflow is not None and not self._scales and not self._spoilt:
            self._alert(*self._overflow)

    def _first(self, ask, nodes):
        """What made the first value that is not finite: (op, the dispatcher's name, direction, what); None where it was not seen."""
        first = self._forward(ask)
        if first is not None:
            op, bits = first
            return op, self._aten(op), "forward", "nan" if bits & NAN else "inf"
        if nodes.spoilt:
            node = nodes.spoilt[0]
            bits = next(bits for bits in node.returned if bits and bits & BAD)
            return node.op, node.name, "backward", "nan" if bits & NAN else "inf"
        return None

    def _aten(self, op):
        """The dispatcher's name of what the call did when the value went wrong; empty where it is the call's own."""
        names = [name for name, time in self.ops.spoilt if op.time <= time <= op.time + len(op.outputs) + 1] if self.ops is not None else []
        return names[0] if names and names[0] != op.name else ""

    def _forward(self, ask):
        found, pending, seen = None, list(ask.targets), set()
        while pending:
            value = pending.pop()
            if value in seen or value.op is None:
                continue
            seen.add(value)
            pending.extend(value.op.inputs)
            made = value.bad & BAD
            if not made or value.op.kind in ("alias", "grad"):
                continue
            given = [item for item in value.op.inputs if item.bad & BAD]
            meant = value.op.name in _MEANT or value.op.kind == "create"
            fresh = not given and not (meant and not made & NAN)
            if fresh and (found is None or value.op.time < found[0].time):
                found = value.op, made
        if found is None:
            # An infinity that was meant, of which an op made NaN.
            for value in sorted(seen, key=lambda item: item.time):
                if value.bad & NAN and value.op is not None and value.op.kind not in ("alias", "grad") and not any(item.bad & NAN for item in value.op.inputs):
                    return value.op, value.bad
        return found

    def _alert(self, op, node, direction, what):
        message, fix = words.nonfinite(op.name, node, direction, what, op.lines)
        self.add_alert("nonfinite", words._target(None), message, fix, op.lines, node if direction == "backward" else op.name, direction, what)

    def add_alert(self, kind, subject, message, fix, lines, op="", direction="", value=""):
        alert = {"kind": kind, "subject": subject, "message": message, "fix": fix, "op": op, "direction": direction, "value": value}
        self.writer.alert(alert, lines[0] if lines else None)

    def advise(self, kind, subject, evidence, fix, place):
        if (kind, subject, place) not in self.advice:
            self.advice.add((kind, subject, place))
            self.writer.advice({"kind": kind, "subject": subject, "evidence": evidence, "fix": fix}, place)
