"""Calls that PyTorch refuses because of autograd, as answers: which tensors they concern, and what is at fault."""
import re

import torch

from tapescope.torch import words
from tapescope.torch.reasons import Found

MOST_ROWS = 64


def slots_of(name, word):
    """Places among the tensors that an aten op takes which an argument's name stands for."""
    packet = getattr(torch.ops.aten, name, None)
    schema = getattr(getattr(packet, "default", None), "_schema", None) if packet is not None else None
    tensors = [argument.name for argument in schema.arguments if "Tensor" in str(argument.type)] if schema is not None else []
    return [index for index, argument in enumerate(tensors) if argument == word or (word == "input" and argument == "self")]


def _leaves(op):
    """Leaves among what an op takes: those that want a gradient, else those that were made in inference mode."""
    leaves = [value.who for value in op.inputs if value.who.leaf]
    own = [who for who in leaves if who.wants and who.inference]
    return own or [who for who in leaves if who.wants] or [who for who in leaves if who.inference]


def _made_in_inference(op):
    """Where the tensor was made that can be part of no graph: by an op, or as a parameter of a module that was built there."""
    value = next((value for value in op.inputs if value.who.inference), None)
    if value is None:
        return Found("inference_mode", op.lines, text="tensor")
    made = value.who.made_by
    return Found("inference_mode", op=made) if made is not None and made.inference and made.kind != "alias" else Found("inference_mode", value.who.lines, text="tensor")


def _wanting_none(questions, who):
    """Why a result requires no gradient: each parameter that it was computed from and that was frozen, else what made it."""
    pending, seen, frozen = [who.first], set(), []
    while pending and len(seen) < 4096:
        value = pending.pop()
        if value is not None and value not in seen:
            seen.add(value)
            frozen += [value.who] if value.who.parameter and not value.who.wants else []
            pending += value.op.inputs if value.op is not None else []
    rows = [(each, questions.reasons.of_source(each)) for each in dict.fromkeys(frozen)]
    found = questions.reasons.of_source(who)
    return rows[:MOST_ROWS] or ([(who, found)] if found is not None else [])


def _each(questions, op, found):
    """One answer for each leaf that what the op takes depends on."""
    leaves = []
    for value in op.inputs:
        leaves += [value.who] if value.who.leaf and value.wants else list(questions.nodes.reachable(value.seq)[1]) if value.seq is not None else []
    return [(who, found) for who in dict.fromkeys(leaves)][:MOST_ROWS]


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
            placed = [op.inputs[slot] for slot in slots_of(op.name, word) if slot < len(op.inputs)]
            # An argument that is a leaf is meant rather than what a whole model computed.
            meant = [value for value in placed if value.wants] or [value for value in wanting if value.who.leaf] or wanting
        leaves = []
        for value in meant:
            leaves += [value.who] if value.who.leaf else list(questions.nodes.reachable(value.seq)[1]) if value.seq is not None else []
        return [(who, Found("argument_not_differentiable", op=op, text=word)) for who in leaves][:MOST_ROWS]
    if "nference tensor" in text:
        return [(who, _made_in_inference(op)) for who in _leaves(op)]
    if "modified inplace" in text:
        written = questions.flow.value(kwargs["input"]) if isinstance(kwargs.get("input"), torch.Tensor) else next(iter(op.inputs), None)
        leaves = questions.nodes.reachable(written.seq)[1] if written is not None and written.seq is not None else ()
        found = Found("inplace_modified", op=op, text="paused view" if "no_grad mode" in text else "view")
        return [(who, found) for who in leaves][:MOST_ROWS] or _each(questions, op, found)
    if "floating point" in text and "require gradients" in text:
        return [(value.who, Found("integer_dtype", value.who.lines)) for value in op.inputs[:1] if not value.who.floating]
    if "support automatic differentiation" in text:
        return _each(questions, op, Found("state_update", op=op, text="out"))
    if "on Tensor that requires grad" in text:
        return _each(questions, op, Found("host_round_trip", op=op, text="refused"))
    if "vmap" in text and (".item()" in text or "data-dependent" in text):
        found = Found("host_round_trip", op=op, text="vmap")
        wanting = [value.who for _, value in list(questions.flow.table.values()) if value.who.leaf and value.who.wants]
        rows = _each(questions, op, found) or [(who, found) for who in dict.fromkeys(wanting)][:MOST_ROWS]
        if not rows and op.lines and op.inputs:  # none of what it was given is known yet
            questions.answers.advise("host_round_trip", f"{op.name} under vmap", *words.none(op.inputs[0].who, found, None), op.lines[0])
        return rows
    if "requires_grad flags of leaf" in text:
        return [(value.who, Found("not_leaf", op.lines, op=value.who.made_by, text="flag")) for value in op.inputs[:1]]
    if "deepcopy protocol" in text:
        return [(value.who, Found("not_leaf", op=value.who.made_by, text="copied")) for value in op.inputs[:1]]
    if "that doesn't require grad" in text or "has requires_grad=False" in text:  # of a hook, of retain_grad()
        return [row for value in op.inputs[:1] for row in _wanting_none(questions, value.who)]
    if "leaf" in text and ("in-place" in text or "inplace" in text) and op.target is not None:
        who, viewed = op.target, not op.target.leaf
        if not who.leaf and who.first is not None and who.first.op is not None:
            who = next((value.who for value in who.first.op.inputs if value.who.leaf), who)
        return [(who, Found("inplace_modified", op=op, text="view of a leaf" if viewed else "leaf"))]
    return []
