"""Proofs by values: what each op of a program was given and made, as op_witness.cpp prints it, against the truth.

Zero: an op on a marked line is given a gradient and hands none on. Not finite: the first op whose output is not finite
while its inputs are. Slow: the repaired program has the same gradients for fewer ops, elements or counted costs.
"""
import os
import re
import subprocess
from dataclasses import dataclass

SECONDS = 120
KINDS = ("zero", "nonfinite", "slow", "healthy")
# The ops of the backward pass at which a reason makes a gradient vanish.
VANISHES_AT = {
    "dead_relu": {"ReluGrad", "Relu6Grad"},
    "saturated": {"SigmoidGrad", "TanhGrad", "SoftmaxGrad", "Mul"},
    "clipped": {"SelectV2", "Relu6Grad"},
    "masked": {"SelectV2", "Mul"},
    "zero_weights": {"MatMul", "Mul", "Conv2DBackpropInput"},
    "underflow": {"Mul", "Cast"},
    # The next two may show at the op that hands the parts out, or where they meet again; shares that add up to 1 cancel, too.
    "max_loser": {"SelectV2", "Slice", "Unpack"},
    "cancels": {"AddN", "AddV2", "SoftmaxGrad"},
}
ANY_LINE = ("max_loser", "cancels")


@dataclass
class Op:
    direction: str
    name: str
    line: int
    given: list
    made: list
    elements: int


class Seen:
    """What one run under the witness printed."""

    def __init__(self, executable, argument):
        environment = dict(os.environ, WITNESS_OPS="1")
        done = subprocess.run([executable, *argument], capture_output=True, text=True, timeout=SECONDS, env=environment)
        self.ops, self.gradients = [], {}
        for line in done.stdout.splitlines():
            op = re.match(r"op (\w+) (\S+) \S*?:?(\d*) in(.*) out(.*) elements (\d+)$", line)
            words = line.split()
            if op:
                self.ops.append(Op(op[1], op[2], int(op[3] or 0), op[4].split(), op[5].split(), int(op[6])))
            elif words[:1] == ["gradient"]:
                self.gradients[words[1]] = [float(word) for word in words[2:]]

    def first_not_finite(self):
        return next((op for op in self.ops if "nonfinite" in op.made), None)

    def vanishes(self, reason, lines):
        if reason == "branch_not_taken":
            return not any(op.line == lines[0] for op in self.ops)
        if reason == "sign":
            return any(op.name == "Sign" and op.line in lines for op in self.ops)
        return any(op.name in VANISHES_AT[reason] and "value" in op.given and "zero" in op.made
                   and (op.line in lines or reason in ANY_LINE) and "nonfinite" not in op.given
                   for op in self.ops if op.direction == "backward" or op.name in ("AddN", "AddV2"))


def zero(truth, broken):
    for name, source in truth["sources"].items():
        if source["status"] != "zero":
            continue
        if source["reason"] not in ("sign", "branch_not_taken", *VANISHES_AT):
            yield f"{name}: {source['reason']} is no reason for a zero"
        elif not broken.vanishes(source["reason"], [source["line"], *source["also_lines"]]):
            yield f"{name}: no gradient vanishes on the marked lines for the reason {source['reason']}"


def nonfinite(truth, lines, broken, fixed):
    op, first = broken.first_not_finite(), truth["first"]
    if truth.get("infinite_on_purpose"):
        if not any(op.name == first["op"] and op.line in lines and "nonfinite" in op.made for op in broken.ops):
            yield f"no {first['op']} in one of {lines} made a value that is not finite"
        return
    if op is None:
        yield "no op made a value that is not finite"
    elif ("nonfinite" in op.given) != truth.get("data", False):
        yield f"{op.name} in line {op.line} was the first, and its inputs were {op.given}"
    elif not truth.get("data") and (op.name != first["op"] or op.line not in lines):
        yield f"{op.name} in line {op.line} was the first, not {first['op']} in one of {lines}"
    elif op.direction != first["direction"]:
        yield f"{op.name} in line {op.line} ran {op.direction}"
    if fixed.first_not_finite():
        yield f"fixed: {fixed.first_not_finite().name} in line {fixed.first_not_finite().line} made a value that is not finite"


def slow(broken, fixed, costs):
    less = (len(fixed.ops) < len(broken.ops)
            or sum(op.elements for op in fixed.ops) < sum(op.elements for op in broken.ops)
            or any(amount < costs[0].get(what, 0) for what, amount in costs[1].items()))
    if not less:
        yield "fixed: has no fewer ops, elements or counted costs"
    for name, wanted in broken.gradients.items():
        given = fixed.gradients.get(name, [])
        size = max([abs(x) for x in wanted], default=0)
        if len(given) != len(wanted) or any(abs(a - b) > 1e-3 * size for a, b in zip(wanted, given)):
            yield f"fixed: another gradient of {name}"


def problems(truth, found, broken, fixed, costs):
    """`costs`: what broken and fixed counted when they ran unwatched, since a watched function runs eagerly."""
    if truth["kind"] == "zero":
        yield from zero(truth, broken)
    elif truth["kind"] == "nonfinite":
        yield from nonfinite(truth, [found["!"][truth["mark"]], *found["~"]], broken, fixed)
    elif truth["kind"] == "slow":
        yield from slow(broken, fixed, costs)
    elif truth["kind"] == "healthy" and (op := broken.first_not_finite()) and not truth.get("infinite_on_purpose"):
        yield f"{op.name} in line {op.line} makes a value that is not finite"
