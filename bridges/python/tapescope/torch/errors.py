"""Errors of autograd as answers: which tensors they concern, and the line that causes them."""
import re

import torch

from tapescope.torch import words
from tapescope.torch.reasons import Found, ways
from tapescope.torch.source import text_of

_MOST_ROWS = 64
_MOST_CAUSES = 3  # that stand before a traceback; reports have all
_OF_AUTOGRAD = re.compile("does not require grad|backward through the graph a second time|modified by an inplace operation|only for scalar outputs|"
                          "not have been used in the graph|is being modified inplace|can require gradients|[Ii]nference tensor|a leaf Variable that requires grad|derivative for .* not implemented")


def of_question(questions, ask, error):
    """(who, answer) for each tensor that an error of backward() or autograd.grad() concerns."""
    text = str(error)
    if "does not require grad" in text:
        return _nothing_wanted(questions, ask)
    if "second time" in text:
        return _all(questions, ask, _joint(questions, ask))
    if "modified by an inplace operation" in text:
        return _all(questions, ask, _written(questions, ask, text))
    if "only for scalar outputs" in text:
        made = next((value.op for value in ask.targets if value.op is not None), None)
        return _all(questions, ask, Found("not_scalar", ask.lines if made is None else (), op=made))
    if "not have been used in the graph" in text:
        leaves = set()
        for value in ask.targets:
            if value.seq is not None:
                numbers, below = questions.nodes.reachable(value.seq)
                leaves |= below
                leaves |= {out.who for number in numbers for out in questions.nodes.table[number].op.outputs}
        return [(who, questions.reasons.of_source(who) if not who.wants else questions.reasons.of_none(who, ask.targets, ask))
                for who in ask.inputs if who not in leaves]
    if "not implemented" in text:
        return _not_implemented(questions, ask, text)
    return []


def _sources(questions):
    """Tensors that the program wants gradients of: leaves that want them, and what its optimizers hold."""
    found = [value.who for _, value in list(questions.flow.table.values()) if value.who.leaf and value.who.wants]
    found += [who for who, reference in list(questions.sources.items()) if reference() is not None]
    return list(dict.fromkeys(found))


def _nothing_wanted(questions, ask):
    if ask.kind == "grad":
        wanting = [who for who in ask.inputs if not who.wants]
        if wanting and any(value.wants for value in ask.targets):
            return [(who, questions.reasons.of_source(who)) for who in wanting]
    rows = []
    for who in _sources(questions) if ask.kind != "grad" else ask.inputs:
        if not who.wants:
            if ways(ask.targets, lambda value: value.who is who) is not None:
                rows.append((who, questions.reasons.of_source(who)))
            continue
        found = questions.reasons.of_none(who, ask.targets, ask)
        if found.reason not in ("independent", "unused") or ask.kind == "grad":
            rows.append((who, found))
    if not rows:
        rows = [(who, questions.reasons.of_none(who, ask.targets, ask)) for who in _sources(questions) if who.wants]
    return rows[:_MOST_ROWS]


def _all(questions, ask, found):
    """One answer for all tensors that the target depends on."""
    if found is None:
        return []
    numbers, leaves = set(), set()
    for value in ask.targets:
        if value.seq is not None:
            below, ends = questions.nodes.reachable(value.seq)
            numbers |= below
            leaves |= ends
    if found.other is not None and any(found.other in questions.nodes.reachable(number)[1] for number in numbers):
        leaves = {found.other, *leaves}
    return [(who, found) for who in leaves][:_MOST_ROWS]


def _joint(questions, ask):
    """Where the new graph joins one that an earlier question freed."""
    table = questions.nodes.table
    numbers = set()
    for value in ask.targets:
        if value.seq is not None:
            numbers |= questions.nodes.reachable(value.seq)[0]
    joints = []
    for number in numbers:
        node = table[number]
        if node.op.freed is not None:
            continue
        below = [table[following].op for following in node.nexts if isinstance(following, int) and following in table]
        if any(op.freed is not None for op in below):
            joints.append(node.op)
    if joints:
        first = min(joints, key=lambda op: op.time)
        freed = next((table[f].op.freed for n in numbers for f in table[n].nexts if table[n].op is first and isinstance(f, int) and f in table
                      and table[f].op.freed is not None), None)
        return Found("consumed", op=first, text=str(freed.lines[0].line) if freed is not None and freed.lines else "")
    freed = [table[number].op for number in numbers if table[number].op.freed is not None]
    if freed:
        last = max(freed, key=lambda op: op.time)
        before = last.freed
        return Found("consumed", before.lines, op=last, text="again")
    return Found("consumed", ask.lines)


def _written(questions, ask, text):
    """The write in place to what backward needs."""
    node = re.search(r"of (\w+), is at version (\d+); expected version (\d+)", text)
    numbers = set()
    for value in ask.targets:
        if value.seq is not None:
            numbers |= questions.nodes.reachable(value.seq)[0]
    ops = sorted({questions.nodes.table[number].op for number in numbers}, key=lambda op: op.time)  # the first that keeps it is named
    candidates = []
    for write in questions.flow.writes:
        if write.target is None:
            continue
        storage = write.target.storage
        for op in ops:
            if op.time >= write.time:
                continue
            touched = [value for value in [*op.inputs, *op.outputs] if value.who.storage is storage and storage is not None]
            if touched:
                candidates.append((write, op, touched[0].who))
    if not candidates:
        return Found("inplace_modified", ask.lines)
    if node is not None:
        named = [item for item in candidates if any(questions.nodes.table[number].name == node.group(1) for number in numbers
                                                    if questions.nodes.table[number].op is item[1])]
        candidates = named or candidates
    behind = int(node.group(2)) - int(node.group(3)) if node is not None else 1
    writes = sorted({item[0] for item in candidates}, key=lambda op: op.time)
    write = writes[0] if behind >= len(writes) else writes[-behind]
    write = writes[0] if len({item.lines[:1] for item in writes}) == 1 else write
    op = next(item[1] for item in candidates if item[0] is write)
    return Found("inplace_modified", op=write, text=op.name)


def _slots(name, word):
    """Places among the tensors that an aten op takes which an argument's name stands for."""
    packet = getattr(torch.ops.aten, name, None)
    schema = getattr(getattr(packet, "default", None), "_schema", None) if packet is not None else None
    tensors = [argument.name for argument in schema.arguments if "Tensor" in str(argument.type)] if schema is not None else []
    return [index for index, argument in enumerate(tensors) if argument == word or (word == "input" and argument == "self")]


def _not_implemented(questions, ask, text):
    """A step of the walk that no formula was written for."""
    named = re.search(r"derivative for '?(?:aten::)?(\w+)(?:: (\w+))?", text)
    name, word = (named.group(1), named.group(2) or "") if named else ("", "")
    numbers = set()
    for value in ask.targets:
        if value.seq is not None:
            numbers |= questions.nodes.reachable(value.seq)[0]
    plain = name.replace("_", "").lower()
    for number in sorted(numbers, reverse=True):
        node = questions.nodes.table[number]
        if plain and plain in node.name.lower():
            slots = _slots(name, word) or range(len(node.nexts))
            leaves = set()
            for slot in slots:
                following = node.nexts[slot] if slot < len(node.nexts) else None
                leaves |= questions.nodes.reachable(following)[1] if isinstance(following, int) else {following} - {None}
            return [(who, Found("argument_not_differentiable", op=node.op, text=word)) for who in leaves][:_MOST_ROWS]
    return []


def of_op(questions, op, error, kwargs):
    """Rows of an op that raised because of autograd."""
    text = str(error)
    if "not differentiable with respect to argument" in text or ("derivative for" in text and "not implemented" in text):
        named = re.search(r"argument '(\w+)'|derivative for '\w+: (\w+)'", text)
        word = (named.group(1) or named.group(2)) if named else ""
        given = kwargs.get(word)
        wanting = [value for value in op.inputs if value.wants]
        if isinstance(given, torch.Tensor):
            meant = [questions.flow.value(given)]
        else:
            slots = [op.inputs[slot] for slot in _slots(op.name, word) if slot < len(op.inputs)]
            # An argument that is a leaf is meant rather than what a whole model computed.
            meant = [value for value in slots if value.wants] or [value for value in wanting if value.who.leaf] or wanting
        leaves = []
        for value in meant:
            leaves += [value.who] if value.who.leaf else list(questions.nodes.reachable(value.seq)[1]) if value.seq is not None else []
        return [(who, Found("argument_not_differentiable", op=op, text=word)) for who in leaves][:_MOST_ROWS]
    if "nference tensor" in text:
        made = next((value.op for value in op.inputs if value.op is not None and value.op.inference), None)
        leaves = [value.who for value in op.inputs if value.who.leaf and value.wants]
        return [(who, Found("inference_mode", op.lines, op=made, text="tensor") if made is None else Found("inference_mode", op=made)) for who in leaves]
    if "is being modified inplace" in text:
        written = questions.flow.value(kwargs["input"]) if isinstance(kwargs.get("input"), torch.Tensor) else next(iter(op.inputs), None)
        leaves = questions.nodes.reachable(written.seq)[1] if written is not None and written.seq is not None else ()
        return [(who, Found("inplace_modified", op=op, text="view")) for who in leaves][:_MOST_ROWS]
    if "floating point" in text and "require gradients" in text:
        return [(value.who, Found("integer_dtype", value.who.lines)) for value in op.inputs[:1] if not value.who.floating]
    if "leaf" in text and ("in-place" in text or "inplace" in text) and op.target is not None:
        who = op.target
        if not who.leaf and who.first is not None and who.first.op is not None:
            who = next((value.who for value in who.first.op.inputs if value.who.leaf), who)
        return [(who, Found("inplace_modified", op=op, text="leaf"))]
    return []


def account(rows, ask, error):
    """The rows of an error as text that stands before its traceback: each cause once, with its line. Empty where there are no rows."""
    causes = {}
    for row in rows:
        causes.setdefault((row.reason, tuple(row.lines[:1]), row.op), []).append(row)
    if not causes:
        return ""
    call = ask.kind if ask.kind != "grad" else "autograd.grad"
    where = f" at {words.location(ask.lines)}" if ask.lines else ""
    text = [f"tapescope: why {call}{where} raises {type(error).__name__}:"]
    for same in list(causes.values())[:_MOST_CAUSES]:
        first = same[0]
        others = [row.label() for row in same[1:]]
        also = f" (the same for {', '.join(others[:2])}{f' and {len(others) - 2} more' if len(others) > 2 else ''})" if others else ""
        if first.lines:
            text.append(f"  {words.location(first.lines)}: {text_of(first.lines[0])}")
        text += [f"    {first.message}{also}", f"    fix: {first.fix}"]
    if len(causes) > _MOST_CAUSES:
        text.append(f"  and {len(causes) - _MOST_CAUSES} more causes, which the report has")
    return "\n".join(text)


def hint(error):
    """Where calls were only watched: how an error of autograd would be explained. Empty for other errors."""
    if isinstance(error, RuntimeError) and _OF_AUTOGRAD.search(str(error)):
        return "tapescope: run it again with --why, which says at which line the cause of this error lies"
    return ""
