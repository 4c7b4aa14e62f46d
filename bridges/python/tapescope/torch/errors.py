"""Errors of autograd as answers: which tensors they concern, and the line that causes them."""
import re

import torch

from tapescope.torch import words
from tapescope.torch.flow import Place, is_user_code
from tapescope.torch.reasons import Found, ways
from tapescope.torch.refused import MOST_ROWS, slots_of
from tapescope.torch.source import text_of

_MOST_CAUSES = 3  # that stand before a traceback; reports have all
_OF_AUTOGRAD = re.compile("does not require grad|backward through the graph a second time|modified by an inplace operation|scalar outputs|Mismatch in shape: grad_output|"
                          "not have been used in the graph|modified inplace|can require gradients|[Ii]nference tensor|a leaf Variable that requires grad|derivative for .* not implemented|"
                          "number of gradients|invalid gradient at index|changed the size of value|support automatic differentiation|numpy.. on Tensor that requires grad|"
                          "requires_grad flags of leaf|deepcopy protocol|return a scalar [Tt]ensor")


def of_question(questions, ask, error):
    """(who, answer) for each tensor that an error of backward() or autograd.grad() concerns."""
    text = str(error)
    if "does not require grad" in text:
        return _nothing_wanted(questions, ask)
    if "second time" in text:
        inner = _asked_inside(error, ask)
        return _all(questions, ask, Found("consumed", inner, text="inside") if inner else _joint(questions, ask))
    if "modified by an inplace operation" in text:
        return _all(questions, ask, _written(questions, ask, text))
    if "modified inplace" in text and "multiple views" in text:  # written through the base, seen where the walk meets one of them
        found = _written(questions, ask, text)
        found.text = "view"
        return _all(questions, ask, found)
    made = next((value.op for value in ask.targets if value.op is not None), None)
    if "scalar outputs" in text:  # "only for scalar outputs", "only for real scalar outputs but got torch.complex64"
        return _all(questions, ask, Found("not_scalar", ask.lines if made is None else (), op=made, text="complex" if "complex" in text else ""))
    if "Mismatch in shape: grad_output" in text:
        return _all(questions, ask, Found("not_scalar", ask.lines, op=made, text="shape"))
    if "returned nan values" in text:  # of detect_anomaly()
        questions.answers.anomaly(ask, questions.nodes, _below(questions, ask), text)
        return []
    if "use_reentrant=True" in text:
        return _all(questions, ask, _checkpoint(questions, ask))
    if "number of gradients" in text or "invalid gradient at index" in text:
        return _all(questions, ask, _wrong_return(questions, ask, text))
    if "changed the size of value" in text or "changed the type of value" in text:
        return _all(questions, ask, _wrong_hook(questions, ask))
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
    return rows[:MOST_ROWS]


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
    return [(who, found) for who in leaves][:MOST_ROWS]


def _asked_inside(error, ask):
    """The program's lines of a question that a hook or custom function asked while the pass ran, as no mode sees them; empty where none raised."""
    entry, found, before = error.__traceback__, (), ()
    while entry is not None:
        frame = entry.tb_frame
        if is_user_code(frame.f_code):
            before = (Place((frame.f_code.co_filename, entry.tb_lineno, frame.f_code.co_name)),)
        elif frame.f_code.co_filename == torch.autograd.__file__:
            found = before
        entry = entry.tb_next
    return found if found and found[0] != next(iter(ask.lines), None) else ()


def _joint(questions, ask):
    """Where the new graph joins one that an earlier question freed."""
    table = questions.nodes.table
    numbers = _below(questions, ask)
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
        found = Found("consumed", op=first, text=str(freed.lines[0].line) if freed is not None and freed.lines else "")
        found.once = _made_once(first, freed, ask, [table[number].op for number in numbers])
        return found
    freed = [table[number].op for number in numbers if table[number].op.freed is not None]
    if freed:
        last = max(freed, key=lambda op: op.time)
        before = last.freed
        return Found("consumed", before.lines, op=last, text="again")
    return Found("consumed", ask.lines)


def _made_once(first, freed, ask, ops):
    """The op that made, once and before a loop, what each pass of the loop joins; None where each pass makes it."""
    if freed is None or freed.lines[:1] != ask.lines[:1]:
        return None
    joined = next((value for value in first.inputs if value.op is not None and value.op.freed is not None), None)
    again = joined is None or any(op is not joined.op and op.lines[:1] == joined.op.lines[:1] and op.freed is None for op in ops)
    return None if again else joined.op


def _wrong_return(questions, ask, text):
    """The custom function whose backward gives back too few gradients, or one of another shape."""
    named = re.search(r"[Ff]unction (\w+) returned an", text)
    for number in sorted(_below(questions, ask), reverse=True):
        node = questions.nodes.table[number]
        if named and node.custom and node.name.rpartition(".")[2] == named.group(1):
            said = re.search(r"\(expected \d+, got \d+\)|got .* but expected .*", text)
            return Found("custom_gradient_none", op=node.op, text=said.group(0).strip("()") if said else "another shape")
    # A step of PyTorch's own that does not fit: the tensor was exchanged under it.
    write = next((write for write in reversed(questions.flow.writes) if write.name == "data"), None)
    return Found("inplace_modified", op=write, text="data") if write is not None else None


def _checkpoint(questions, ask):
    """The reentrant checkpoint on the way, which backward() alone can walk."""
    op = next((node.op for node in map(questions.nodes.table.get, _below(questions, ask)) if "CheckpointFunction" in node.name), None)
    return Found("paused", op=op, text="reentrant") if op is not None else None


def _wrong_hook(questions, ask):
    """The hook that gives back a gradient of another shape: of those on the way, the one set last."""
    hooks = [lines for lines in (questions.nodes.hook_on(number) for number in _below(questions, ask)) if lines]
    return Found("custom_gradient_none", hooks[-1], text="hook") if hooks else None


def _below(questions, ask):
    """Numbers of the nodes that a question walks."""
    numbers = set()
    for value in ask.targets:
        if value.seq is not None:
            numbers |= questions.nodes.reachable(value.seq)[0]
    return numbers


def _written(questions, ask, text):
    """The write in place to what backward needs."""
    node = re.search(r"of (\w+), is at version (\d+); expected version (\d+)", text)
    numbers = _below(questions, ask)
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


def _not_implemented(questions, ask, text):
    """A step of the walk that no formula was written for."""
    named = re.search(r"derivative for '?(?:aten::)?(\w+)(?:: (\w+))?", text)
    name, word = (named.group(1), named.group(2) or "") if named else ("", "")
    numbers = _below(questions, ask)
    plain = name.replace("_", "").lower()
    if "backward" in name:  # of a second derivative: the forward op is met by its first one
        plain = plain.partition("backward")[0]
        number = next((number for number in sorted(questions.nodes.table, reverse=True) if plain in questions.nodes.table[number].name.lower()), None)
        found = Found("not_differentiable", op=questions.nodes.table[number].op, text="second") if number is not None else None
        return [(who, found) for who in questions.nodes.reachable(number)[1]][:MOST_ROWS] if found is not None else []
    for number in sorted(numbers, reverse=True):
        node = questions.nodes.table[number]
        if plain and plain in node.name.lower():
            slots = slots_of(name, word) or range(len(node.nexts))
            leaves = set()
            for slot in slots:
                following = node.nexts[slot] if slot < len(node.nexts) else None
                leaves |= questions.nodes.reachable(following)[1] if isinstance(following, int) else {following} - {None}
            return [(who, Found("argument_not_differentiable", op=node.op, text=word)) for who in leaves][:MOST_ROWS]
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
    whole = "\n".join(text)
    for row in rows:
        row.raised = whole
    return whole


def hint(error):
    """Where calls were only watched: how an error of autograd would be explained. Empty for other errors."""
    if isinstance(error, RuntimeError) and _OF_AUTOGRAD.search(str(error)):
        return "tapescope: run it again with --why, which says at which line the cause of this error lies"
    return ""
