"""Why a gradient is zero everywhere: the step of the backward walk that returned zeros for what was not zero."""
import re

from tapescope.torch.look import ZERO
from tapescope.torch.reasons import Found

_RELU = ("relu", "threshold", "leaky_relu", "prelu", "relu6", "rrelu")
_SATURATED = ("sigmoid", "tanh", "softmax", "softplus", "erf", "logsigmoid", "gelu", "elu", "silu", "mish", "softsign", "selu", "celu", "exp", "atan", "cross_entropy",
              "logit", "log_softmax", "logsumexp", "erfc", "xent", "logcumsumexp",
              "hardswish")
_CLIPPED = ("clamp", "hardtanh", "clip", "hardshrink", "softshrink", "hinge", "margin", "gridsampl", "grid_sampl")
_STEPS = ("sign", "round", "floor", "ceil", "trunc", "frac", "heaviside", "fix", "div_floor")
_LOSERS = ("max", "min", "topk", "sort", "kthvalue", "median", "fmax", "fmin", "mode", "amax", "amin", "quantile", "aminmax", "scatterreduce", "scatter_reduce")
# Steps that hand parts of what they were given on as they are; those of the second kind leave parts of what the op read without any.
_PARTS = re.compile("(stack|cat|(unsafe)?view(as[a-z]+)?|reshape(alias)?|transpose|permute|(numpy)?t|(un)?squeeze|alias|clone|tocopy|expand|movedim|flip|roll)(copy)?backward")
_CUTS = re.compile("(slice|select|narrow|(unsafe)?split(withsizes)?|unbind)(copy)?backward")
_WRITTEN = ("copyslices", "copybackwards", "fillbackward", "zerobackward", "zero_", "fill_", "__setitem__")
_MASKS = ("where", "masked", "index", "gather", "select", "slice", "dropout", "embedding", "tril", "triu", "narrow", "split", "unbind", "getitem", "take", "diag", "pad", "scatter", "strided")
_EXPONENTIALS = ("exp", "exp_", "exp2", "exp2_", "special_exp2")
_DIFFERENCES = ("sub", "sub_", "subtract", "rsub", "__sub__", "__rsub__", "__isub__")
_REMAINDERS = ("remainder", "__mod__", "fmod", "frac")
_EVEN = ("abs", "absolute", "cos", "cosh")  # flat at 0
DRAWS = ("bernoulli", "normal", "poisson", "binomial", "exponential", "cauchy", "geometric", "multinomial")
_RECURRENT = ("lstm", "gru", "rnn_tanh", "lstm_cell", "gru_cell", "rnn_tanh_cell")
_PRODUCTS = ("mul", "mm", "linear", "matmul", "conv", "dot", "einsum", "addmm", "bmm", "div", "pow", "bilinear", "square", "baddbmm", "mv", "addcmul", "prod", "norm", "dist", "sqrt", "reciprocal", "lstm", "gru", "rnn")


# The backward step of an activation of straight pieces, which a question with create_graph recorded.
_SLOPES = re.compile("(threshold|leakyrelu|rrelu(withnoise)?|hardtanh)backwardbackward")

# Those of ops that what is added to all of their elements alike does not change.
_UNMOVED = re.compile("softmax|scaleddotproduct|attention|batchnorm|layernorm|groupnorm")

# Steps that hand what they are given to one argument summed up, and which one.
_SUMMED = {"addmm": 0, "addmv": 0, "addbmm": 0, "baddbmm": 0, "convolution": 2, "native_batch_norm": 2, "native_layer_norm": 2, "native_group_norm": 2}


def _says(text, words):
    return any(word in text for word in words)


def kind_of(op, node):
    """The reason, by the name of the node, else of the op."""
    name = node.name.lower()
    if op.facts == "zero":
        return "masked"
    if op.facts == "single" and op.name == "layer_norm":
        return "cancels"
    if is_vanished(op):
        return "underflow"
    if _says(name, _WRITTEN) or op.name in _WRITTEN:
        return "masked"
    if "div" in name and ("floor" in op.name or "trunc" in op.name):
        return "sign"
    if _says(op.name, ("hinge", "margin")):
        return "clipped"
    if op.name.rstrip("_") in DRAWS:
        return "sign"  # of what is drawn a small change changes nothing
    if "lerp" in op.name:
        return "cancels"
    if op.name in _EVEN:
        return _product(op) if any(value.bad & ZERO for value in op.inputs) else "cancels"
    if "attention" in name:
        return _product(op) if any(value.bad & ZERO and value.who.floating for value in op.inputs) else "saturated"
    if "dropout" in op.name or "nllloss" in name.replace("_", ""):
        return "masked"  # of what is counted the slope of nll_loss is the weight, whatever the number
    for text in (name.replace("expand", ""), op.name.lower().replace("expand", "")):
        if _says(text, ("log_softmax", "logsoftmax")):
            return "saturated"
        if _says(text, _RELU):
            return "dead_relu"
        if _says(text, ("hardtanh", "clamp", "clip")):
            return "clipped"
        if _says(text, _STEPS):
            return "sign"
        if "softmax" in text or "logsumexp" in text:
            return "saturated"
        if _says(text, _LOSERS):
            return "max_loser"
        if _says(text, _CLIPPED):
            return "clipped"
        if _says(text, _MASKS):
            return "masked"
        if _says(text, _PRODUCTS):
            return _product(op)
        if _says(text, _SATURATED):
            return "saturated"
    return "masked" if node.custom else "cancels"


def is_vanished(op):
    """Whether it is an exponential whose results are nothing but zeros: its slope is each result."""
    return op.name in _EXPONENTIALS and bool(op.outputs) and all(value.bad & ZERO for value in op.outputs)


def _product(op):
    zero = [value for value in op.inputs if value.bad & ZERO and value.who.floating]
    if any(_underflowed(value) for value in zero):
        return "underflow"
    if not zero:
        # Flags and counts are no small numbers: what they multiply by 0 is masked.
        return "underflow" if all(value.who.floating for value in op.inputs) else "masked"
    if any(value.who.parameter or (value.who.leaf and value.who.wants) for value in zero):
        return "zero_weights"
    if op.name in _RECURRENT:  # its gates are inside, and multiply by what sigmoid and tanh gave
        return "saturated"
    # What came of an activation that is all zeros is the activation's doing.
    made = next((value.op for value in zero if value.op is not None and value.wants), None)
    if made is not None and _says(made.name.lower(), _RELU):
        return "dead_relu"
    if made is not None and is_vanished(made):
        return "underflow"
    if made is not None and made.name in _DIFFERENCES:
        return "cancels"
    return "masked"


def _underflowed(value):
    """Whether it is a product in a half type of what is not zero."""
    op = value.op
    return value.who.half and op is not None and op.name in ("mul", "__mul__", "div", "pow", "square") and bool(op.inputs) and not any(
        item.bad & ZERO for item in op.inputs) and all(item.who.half for item in op.inputs)


def _found(nodes, node, slot):
    """The reason at a step that gives nothing to that argument."""
    if _SLOPES.match(node.name.lower().replace("_", "")):
        unit = nodes.table.get(node.nexts[1]) if len(node.nexts) > 1 and isinstance(node.nexts[1], int) else None
        op = unit.op if unit is not None else node.op
        return Found("sign", op=op, text="slope") if slot == 1 else Found("dead_relu", op=op, text=node.name)
    if "BackwardHookFunction" in node.name:  # of a module, which its inputs and results pass
        return Found("masked", op=node.op, text="module hook")
    reason = kind_of(node.op, node)
    if node.op.kind == "grad" and node.op.zeros and reason in ("underflow", "cancels", "masked"):
        why = next(iter(node.op.zeros.values()))
        if why.op is not None:  # a question whose own results are zero, asked with create_graph
            return Found(why.reason, op=why.op, other=node.op, text=why.text)
    # What it multiplies by may be an answer that is zero itself.
    answered = [value for value in node.op.inputs if value.bad & ZERO and value.op is not None and value.slot in value.op.zeros]
    if answered and reason == "masked":
        why = answered[0].op.zeros[answered[0].slot]
        return Found(why.reason, op=why.op, other=node.op, text=why.text)
    return Found(reason, op=node.op, text=node.name)


def _hands_on(node):
    name = node.name.lower().replace("_", "")
    return not node.custom and bool(_PARTS.match(name) or _CUTS.match(name))


def _cuts(node):
    return not node.custom and bool(_CUTS.match(node.name.lower().replace("_", "")))


def _sums(node, slot):
    """Whether a step hands the sum of what it is given to that argument: one that is zero has cancelled out."""
    name = node.name.lower().replace("_", "")
    return any(name.startswith(text.replace("_", "")) and slot == argument for text, argument in _SUMMED.items())


def _goes_on(found, node):
    """Whether a step that was given zeros for a part of its elements cannot be what made them."""
    constant = any(not value.wants and value.who.shape != () for value in node.op.inputs)
    return found.reason == "cancels" or found.reason == "underflow" and not constant


def reason_of(nodes, who, ask):
    """Walks from the source towards the target until a step got what was not zero."""
    readers = {}
    walked = [node for node in nodes.table.values() if node.walked == ask.number]
    numbers = {id(node): number for number, node in nodes.table.items() if node.walked == ask.number}
    for node in walked:
        for slot, following in enumerate(node.nexts):
            if following is not None:
                readers.setdefault(following, []).append((node, slot))
    start = who.first.seq if not who.leaf and who.first is not None and who.first.seq is not None else who
    pending, seen = [(start, False)], {start}
    alive, reached, met, cut = [], [], None, None
    while pending:
        arrived, part = pending.pop(0)
        for node, slot in readers.get(arrived, ()):
            bits = node.returned[slot] if slot < len(node.returned) else None
            if bits is None:
                continue
            hands_on = _hands_on(node)
            if part and cut is None and _cuts(node):
                cut = node
            if part and not hands_on:
                found = _found(nodes, node, slot)
                if not _goes_on(found, node):
                    return found
                # It works element by element, and is given zeros for the part that the source is in.
                met = met or found
                number = numbers[id(node)]
                if number not in seen:
                    seen.add(number)
                    pending.append((number, True))
                continue
            if not part and not bits & ZERO:
                alive.append(node)
                reached.append(arrived)
                continue
            if slot == 0 and node.op.facts == "single" and node.op.name == "layer_norm":
                return Found("cancels", op=node.op, text=node.name)  # whatever it was given
            whole = any(given is not None and not given & ZERO for given in node.given)
            if whole and not hands_on and _sums(node, slot):
                found = Found("cancels", op=node.op, text=node.name)
                found.term = _invariant(node, readers, numbers)
                return found
            if whole and not hands_on:
                return _found(nodes, node, slot)
            number = numbers[id(node)]
            if number not in seen:
                seen.add(number)
                pending.append((number, part or whole))
    if cut is not None:
        return Found("masked", op=cut.op, text=cut.name)  # what it takes is another part
    if met is not None:
        return met
    # Where contributions meet they may cancel; a single one that arrives as zeros was changed there.
    hook = next(filter(None, (nodes.hook_on(place) for place in reached if reached.count(place) == 1)), ())
    if hook:
        return Found("masked", hook, text="hook")
    if alive:
        meeting = _meeting(alive, readers, numbers) or alive[0]
        if _is_floor(meeting.op):
            return Found("sign", op=meeting.op, text="modulo")
        return Found("cancels", op=meeting.op, text=meeting.name)
    return None


def _is_floor(op):
    """Whether it takes away from a tensor what is left of it by a division, as p - p % 1 does."""
    return op.name in _DIFFERENCES and len(op.inputs) == 2 and any(
        other.op is not None and other.op.name in _REMAINDERS and value in other.op.inputs for value, other in (op.inputs, op.inputs[::-1]))


def _invariant(node, readers, numbers, most=64):
    """The op between a sum and the target that what is added to all of its choices alike does not change: a softmax or a normalization. None without one."""
    pending, seen = [node], set()
    while pending and len(seen) < most:
        item = pending.pop(0)
        if id(item) not in seen:
            seen.add(id(item))
            if item is not node and _UNMOVED.search(item.name.lower().replace("_", "")):
                return item.op
            pending.extend(reader for reader, _ in readers.get(numbers[id(item)], ()))
    return None


def _meeting(alive, readers, numbers):
    """The first step forward to which all of the nodes lead; None where one alone is left."""
    common = None
    for node in alive if len(set(map(id, alive))) > 1 else ():
        below, pending = {}, [node]
        while pending:
            item = pending.pop()
            if id(item) not in below:
                below[id(item)] = item
                pending.extend(reader for reader, _ in readers.get(numbers[id(item)], ()))
        common = below if common is None else {key: item for key, item in common.items() if key in below}
    return min(common.values(), key=lambda item: numbers[id(item)]) if common else None
