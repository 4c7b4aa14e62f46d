"""Answers in PyTorch's words: one sentence that says what happened and where, and what to do about it."""
import os
import re

from tapescope.torch import source
from tapescope.torch.look import ZERO
from tapescope.torch.reasons import COMPARES
from tapescope.torch.zeros import DRAWS, is_vanished


def location(lines):
    return f"{os.path.basename(lines[0][0])}:{lines[0][1]}" if lines else ""


def _at(lines):
    return f" at {location(lines)}" if lines else ""


def _op(found):
    return found.op.name if found.op is not None else "the op"


def _target(ask):
    name = source.assigned(ask.targets[0].op.lines[0]) if ask and ask.targets and ask.targets[0].op is not None and ask.targets[0].op.lines else ""
    return name or (ask.targets[0].who.name if ask and ask.targets else "") or "the target"


def _variable(op):
    """What the program calls the result of an op: the variable on its line, else the caller's whose function returns it, else the op itself."""
    key = ""
    for place in op.lines:
        name = source.assigned(place)
        key = key or source.entry(place)
        if name:
            return f"{name}[{key!r}]" if key else f"an element of {name}" if source.lists(place) else name
        if not source.returns(place):
            break
    return f"what {op.name} gives"


# Calls that choose or count by an integer, and those that write a part of a tensor.
_CHOOSING = frozenset(("embedding", "embedding_bag", "__getitem__", "gather", "take", "take_along_dim", "index_select", "one_hot", "bincount", "scatter", "scatter_add",
                       "index_add", "index_put", "repeat_interleave", "cross_entropy", "nll_loss"))
_PARTIAL = frozenset(("__setitem__", "index_copy_", "index_put_", "index_add_", "scatter_", "scatter_add_", "masked_scatter_"))


def _becomes_index(found):
    """Whether the integers that a cast makes go on to a call that chooses by them, on the way to the target."""
    for op in reversed(found.path[:-1]):
        if op.name in _CHOOSING:
            return True
        if any(out.who.floating for out in op.outputs):
            return False
    return False


EMPTY = ("no tensors were given to ask about, so there is no gradient",
         "hand on the tensors: a model registers layers that stand in nn.ModuleList or nn.ModuleDict, and tensors that are nn.Parameter; a plain list or dict hides them")
_SMOOTH = {
    "argmax": "train with cross_entropy on the logits, or use softmax (a soft argmax) in place of the index",
    "round": "pass the gradient straight through: x + (x.round() - x).detach()",
}


def _smooth(name):
    if name in ("argmax", "argmin", "topk", "argsort", "multinomial"):
        return _SMOOTH["argmax"] if name == "argmax" else f"use a differentiable relaxation of {name}, such as softmax"
    if name in COMPARES or name in ("logical_and", "logical_or"):
        return "use a smooth, differentiable gate such as torch.sigmoid of the difference in place of the comparison"
    if name in ("sign", "round", "floor", "ceil", "trunc"):
        return _SMOOTH["round"]
    if name in ("linspace", "logspace", "arange"):
        return f"{name} takes its ends as numbers: start + (end - start) * torch.linspace(0, 1, steps) keeps both in the graph"
    if name in ("bincount", "histc", "searchsorted", "bucketize", "unique", "nonzero", "count_nonzero"):
        return f"{name} counts and has no gradient: use a soft, differentiable count, such as sums of sigmoid or softmax weights"
    return f"use a differentiable op in place of {name}, or give it a gradient with torch.autograd.Function"


def none(who, found, ask):
    """(message, fix) of a gradient that is None."""
    name = who.name or "the tensor"
    op, at, target = _op(found), _at(found.lines), _target(ask)
    reason, maybe = found.reason, " probably" if found.guess else ""
    if reason == "not_trainable":
        if found.text == "off":
            return (f"{name} was frozen{at}: requires_grad is off",
                    f"leave requires_grad on for {name} (unfreeze it with requires_grad_()), or freeze only what is meant to stay")
        if "." in name and not who.parameter and "register_buffer" in source.text_of(found.lines[0] if found.lines else None):
            return (f"{name} is a buffer, registered{at}: it does not require a gradient",
                    f"make it a parameter, {name.rpartition('.')[2]} = nn.Parameter(...) in place of register_buffer(), so that it requires a gradient and parameters() has it")
        if "." in name and not who.parameter:
            return (f"{name} does not require a gradient; it was made{at}",
                    f"make {name} an nn.Parameter (requires_grad=True), so that it is trained with the others of parameters()")
        return f"{name} does not require a gradient; it was made{at}", f"make {name} with requires_grad=True, or call {name}.requires_grad_() before it is used"
    if reason == "watched_too_late":
        return (f"{op}{at} used {name} before requires_grad was switched on, so it was not recorded",
                f"call {name}.requires_grad_() earlier, before {op}{at} uses it")
    if reason == "not_leaf" and found.text == "flag":
        return (f"requires_grad cannot be switched{at}: {name} is the result of {op}, no leaf",
                f"for a tensor without a gradient use {name}.detach(), or make it under torch.no_grad()")
    if reason == "not_leaf" and found.text == "copied":
        return (f"{name} is the result of {op}{at} and carries its graph, so that deepcopy() cannot copy it",
                f"keep {name}.detach() there, without its graph, or set it to None before the copy; a copy of the parameters alone is state_dict()")
    if reason == "not_leaf" and found.op is not None and any(value.who.parameter for value in found.op.inputs) and "." in name:
        return (f"{name} is what {op}{at} made of a parameter, no leaf and no parameter itself: PyTorch does not keep its .grad, and parameters() does not have it",
                f"convert or compute first, and make an nn.Parameter of the result (a leaf); a whole module is moved by its own to(); {name}.retain_grad() to look at it alone")
    if reason == "not_leaf":
        return (f"{name} is the result of {op}{at}, no leaf: PyTorch does not keep its .grad",
                f"call {name}.retain_grad() before backward(), or make a leaf of it: compute it first, then detach().requires_grad_()")
    if reason == "cleared":
        call = source.text_of(found.lines[0]) if found.lines else ""
        how = "zero_grad(), which sets gradients to None" if "zero_grad" in call else "an assignment of None to .grad"
        fix = "read the gradients before zero_grad(), clear at the start of a step, or use zero_grad(set_to_none=False)" if "zero_grad" in call else (
            f"read {name}.grad before it is set to None, as zero_grad(set_to_none=True) does too")
        return f"the gradient of {name} was there, and was thrown away{at} by {how}", fix
    if reason == "no_backward":
        if found.text == "grad":
            return (f"autograd.grad{at} returns the gradient of {name} and does not fill .grad; no backward() ran",
                    "use what autograd.grad returns, or call backward() to fill .grad")
        if found.text == "inputs":
            return f"backward{at} was restricted by inputs=, and {name} is not among them", f"add {name} to the inputs of backward(), or leave inputs= out"
        if found.text == "other":
            return (f"backward{at} ran on another loss than the one that depends on {name}",
                    f"call backward() on the loss that {name} is used in, or add it to this loss")
        return f"no backward() ran on anything that depends on {name}", "call backward() on the loss before the gradient is read"
    if reason == "unused":
        made = "which was there before the recording" if found.text == "before" else f"made{at}"
        return (f"{name}, {made}, is never used by any op, so nothing leads from {target} to it",
                f"use {name} in the forward pass, remove it, or ask with allow_unused=True")
    if reason == "independent" and found.term is not None:
        term, total = _variable(found.term), source.asked(ask.lines[0]) if ask and ask.lines else ""
        total = total or target
        if term == total:
            return (f"{total} is set anew{at}, which leaves out the one before (computed{_at(found.term.lines)}), the loss that {name} is used in",
                    f"add to it in place of replacing it ({total} += ..., not =+), or call backward() on both")
        return (f"{total}, made{at}, leaves out {term} (computed{_at(found.term.lines)}), the loss that {name} is used in",
                f"add {term} to {total} where it is summed up{at} ({total} = {total} + weight * {'it' if ' ' in term else term}), or call backward() on it as well")
    if reason == "independent":
        return (f"{target}, made by {op}{at}, does not depend on {name}: no path leads from one to the other",
                f"use what is computed from {name} on the way to {target} (the loss), or ask with allow_unused=True")
    if reason == "branch_not_taken":
        return (f"{name} is used only in a branch that did not run (line {found.text}); the condition is{at}",
                f"check the condition{at}, or use torch.where, which computes both branches; skip the None where the branch is meant" + (
                    f": ask with allow_unused=True, or leave {name} out of what is asked for" if ask is not None and ask.kind == "grad" else ""))
    if reason == "stop_gradient":
        if "state_dict(" in source.text_of(found.lines[0] if found.lines else None):
            return (f"the way from {target} to {name} ends in state_dict(){at}, whose tensors are detached",
                    f"use the parameters themselves: {name}, or those of named_parameters(), in place of state_dict()")
        how = ".data" if op == "data" else f"{op}()" if op.startswith("detach") else op
        return f"the way from {target} to {name} ends in {how}{at}, which passes no gradient", f"use the tensor itself in place of {how}{at}" + (
            ", not detach() or .data" if how == ".data" else "")
    if reason == "recreated_tensor":
        if found.text == "after":
            origin = found.other.name or "the tensor that it is made of"
            return (f"{name} is a new tensor, which {op}{at} makes of {origin} after the backward pass: {target} was not computed from it",
                    f"read {origin}.grad, the gradient of the original tensor, and take the same part of it (as {origin}.grad[...])")
        if found.text == "replaced":
            return (f"{target} was computed from parameters of another model, made{at}, and not from {name}, which the optimizer holds",
                    "load the values into the model that the optimizer holds (load_state_dict), or make the optimizer after the new model, of its parameters()")
        if found.text == "follows":
            root, copy = name.partition(".")[0], (found.other.name or "").partition(".")[0]
            copy = copy if copy and copy != root else "another model"
            return (f"{target} was computed from the parameters of {copy}, made{at}, which follow those of {root} as an average, and not from {name}",
                    f"call {root} itself in training, the model that the optimizer holds, and {copy} (the copy) for evaluation alone, under no_grad()")
        if found.other is not None:
            return (f"{target} was computed from another tensor than {name}, of which {name} is a copy or a result made{at}",
                    f"use {name} itself on the way to the loss, or ask about the tensor that was used{f' ({found.other.name})' if found.other.name else ''}")
        if found.text == "reloaded":
            return (f"{target} was computed from parameters of another model, made{at}, into which what was saved of {name} was loaded, and not from {name}",
                    "make the optimizer of the new model's parameters() and read their gradients, or load the values into the model that there was (load_state_dict) and make no copy")
        if found.text == "loaded" and who.parameter and found.op.host[0].value.who.shape == who.shape:
            return (f"{target} was computed from new parameters, loaded{at} from what was saved of {name}, and not from {name} itself",
                    "make the optimizer after loading, of the new model's parameters(), and read their gradients, or load the values into the model that there was (load_state_dict)")
        if found.text == "loaded":
            return (f"the way to {name} passes values that were saved and loaded{at}, which makes a new tensor without a way back",
                    "use the tensor itself on the way to the loss, and what was loaded of it only where no gradient is wanted")
        if found.text == "library":
            return (f"the call{at} makes new leaves of copies, and {target} was computed from those: the way back to {name} is cut",
                    "hand the new tensors to the optimizer and read their gradients, or build them of the parameters themselves with torch.stack")
        if op == "Parameter" and "." not in name and "copy" in source.text_of(found.lines[0] if found.lines else None):
            return f"deepcopy(){at} makes a new leaf, which cuts the way back to {name}", f"use {name} itself, or clone() where a copy is needed: its gradient passes"
        if op == "Parameter" and "copy" in source.text_of(found.lines[0] if found.lines else None):
            return (f"{target} was computed from parameters of a copy made{at}, and not from {name}",
                    "make the optimizer after the copy, of the copy's parameters(), or go on with the model itself and not with its copy")
        if op == "Parameter" and found.lines and "Parameter" not in source.text_of(found.lines[0]):
            return (f"the call{at} copies a module, and {target} was computed from the copy's parameters, not from {name}",
                    "use the copy itself where the gradient is read and in the optimizer; remove what is only copied from the model, which never runs")
        if op == "Parameter":
            return (f"nn.Parameter(...){at} makes a new leaf, which cuts the way back to {name}",
                    "pass the tensor on as it is (torch.func.functional_call, or a function of torch.nn.functional) instead of making a new parameter of it; to change its values alone, write them in place under torch.no_grad() (copy_(), clamp_())")
        return (f"torch.{op}(...){at} makes a new tensor, which cuts the way back to {name}",
                "keep the tensor as it is: join tensors with torch.stack or torch.cat, copy with clone()")
    if reason == "paused" and ".sample(" in source.text_of(found.lines[0] if found.lines else None):
        return (f"sample(){at} draws with gradients switched off, so nothing leads back to {name}",
                "use rsample() (the reparameterized sample), or the log_prob of the sample in the loss; sample() runs under no_grad")
    if reason == "paused" and found.text == "reentrant":
        return (f"what runs inside of the reentrant checkpoint{at} is recorded by backward() alone, without inputs=", "pass use_reentrant=False to checkpoint(), or call backward() and read .grad")
    if reason == "paused" and found.text == "backward":
        return (f"backward of {op}{at} computes its gradient with gradients switched off (@once_differentiable, detach() or NumPy in it), so that it cannot be differentiated again",
                f"write {op}.backward with PyTorch's ops on ctx.saved_tensors, without @once_differentiable, no_grad() and detach()")
    if reason == "paused" and found.op is not None and found.op.facts == "checkpoint":
        return (f"{op}{at} ran inside a reentrant checkpoint of which no input requires a gradient, so gradients were switched off (no_grad)",
                "pass use_reentrant=False to checkpoint(), or let an input of it require a gradient (requires_grad_())")
    if reason == "paused" and found.lines and who.name and source.takes_over(found.lines[0]) == who.name.split(".")[-1]:
        return (f"{name} is another tensor since {op}{at}, which ran with gradients switched off (no_grad()): the new one does not require a gradient",
                f"update {name} in place under no_grad ({name} -= ..., or {name}.copy_(...)), so that it stays the same tensor, or call {name}.requires_grad_() on the new one")
    if reason == "inference_mode" and found.text == "tensor":
        return (f"{name} was made{at} in inference_mode(), and what is made there cannot be part of a graph",
                f"make {name} (build and load the model) outside of inference_mode(), use no_grad() there, or go on with a clone() of it")
    if reason in ("paused", "inference_mode"):
        block = "inference_mode()" if reason == "inference_mode" else "no_grad()"
        off = found.op.off if found.op is not None and reason == "paused" and found.op.off[:1] != found.lines[:1] else ()
        since = f" since {location(off)}" if off else ""
        return (f"{op}{at} ran with gradients switched off{since} ({block} or set_grad_enabled(False))",
                f"move {op}{at} out of {block}{f', which{_at(off)} begins' if off else ''}, use no_grad or set_grad_enabled only as a with block around what needs no gradient, or wrap it in enable_grad()"
                if reason == "paused" else f"move {op}{at} out of {block}; no_grad() or detach() where only a part needs no gradient")
    if reason == "host_round_trip" and found.text == "refused":
        return (f"{op}(){at} would take the value out of the graph that it is part of, which PyTorch refuses",
                f"for a report read detach().{op}(); for the loss stay in tensors, with PyTorch's functions in place of NumPy's")
    if reason == "host_round_trip" and found.text == "vmap":
        return (f"{op}{at} reads a number of a tensor that vmap has many of", "compute with the tensor: torch.where in place of an if, a comparison in place of item()")
    if reason == "host_round_trip":
        return (f"the value left PyTorch{maybe} through {op}(){at} and came back as a new tensor",
                f"stay in tensors: {_stay(op)}, with no numpy or Python numbers in between")
    if reason == "not_differentiable" and found.text == "second":
        attention = "attention" in op
        return (f"{op}{at} has a gradient, and no gradient of that gradient",
                "run it by ops that can be differentiated twice: with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)" if attention else
                f"write {op} with ops that can be differentiated twice, or leave create_graph=True out where the second derivative is not wanted")
    if reason == "not_differentiable" and found.op is not None and found.op.kind == "custom":
        return (f"{op}{at} marks what it returns there as non-differentiable (ctx.mark_non_differentiable)",
                f"leave that result out of mark_non_differentiable() and return its gradient from {op}.backward, or compute it by differentiable ops outside of {op}")
    if reason == "not_differentiable":
        # x > w is seen as w < x where w is the parameter.
        return f"{f'the comparison ({op})' if op in COMPARES else op}{at} has no gradient", _smooth(op)
    if reason == "argument_not_differentiable":
        what = f"argument {found.text}" if found.text else f"the argument that {name} is"
        return (f"{op}{at} has no gradient for {what}",
                f"detach() that argument if its gradient is not wanted, else write it by differentiable ops (a series, a product with {name}, a straight-through rounding) or use another one")
    if reason == "integer_dtype":
        return f"{name} is of an integer type{at}, which has no gradient", f"make {name} a float tensor with requires_grad=True"
    if reason == "integer_cast" and _becomes_index(found):
        return (f"{op}{at} casts to an integer type to count or to choose by it, which has no gradient",
                "stay in a float dtype: mix all entries, weighted by a softmax over their distances, interpolate between the two nearest, or pass the gradient straight-through")
    if reason == "integer_cast":
        return f"{op}{at} casts to an integer type, which has no gradient", "stay in a float dtype on the way to the loss: leave the cast to integers out"
    if reason == "custom_gradient_none" and found.text == "hook":
        return (f"the hook set{at} gives back a gradient of another shape than the one that it is given",
                "return a gradient of the same shape (and dtype) from the hook, or None to leave it as it is")
    if reason == "custom_gradient_none" and found.text:
        return (f"backward of {op}{at} gives back what fits no argument of forward: {found.text}",
                f"return from {op}.backward one gradient for each argument of forward, of that argument's shape (None for one that needs none)")
    if reason == "custom_gradient_none":
        return f"backward of {op}{at} returned None for {name}", f"return a gradient for every input from {op}.backward, in place of None"
    if reason == "state_update" and found.text == "out":
        return (f"{op}{at} writes into out=, which autograd does not record", f"use what {op} returns, without out=, or fill the buffer under torch.no_grad() for what needs no gradient")
    if reason == "state_update" and op in _PARTIAL:
        return (f"the way to {name} passes a write in place ({op}{at}) into a part of a buffer or tensor, which was not recorded",
                "use the output itself in place of the buffer it was written to in place (under no_grad or through .data): put it into a new tensor, "
                "with gradients on (torch.cat, torch.stack, index_copy(), torch.where), and keep the detach() of that in the buffer")
    if reason == "state_update" and "load_state_dict" in source.text_of(found.lines[0] if found.lines else None):
        return (f"load_state_dict(){at} copies values alone, in place and unrecorded, so that nothing leads back to {name}",
                "call the model with the tensors themselves: torch.func.functional_call(model, values, inputs), in place of load_state_dict()")
    if reason == "state_update":
        return (f"the way to {name} passes a write in place ({op}{at}) into a buffer or tensor, which was not recorded",
                "use the output itself in place of the buffer it was written to in place (under no_grad or through .data); collect with torch.stack")
    if reason == "overwritten":
        other = found.other.name if found.other is not None else ""
        return (f"{name} was replaced{at} by a new tensor; {target} was computed from the one before{f' ({other})' if other and other != name else ''}",
                f"replace {name} before the loss is computed, or compute the loss again with the new tensor; to change its values alone, write them in place "
                "under torch.no_grad() (-=, copy_()), so that it stays the same tensor")
    if reason == "inner_gradient_outside_outer_tape":
        return (f"the gradient taken{at} was itself not recorded, so nothing leads through it to {name}",
                "take the inner gradient with create_graph=True")
    if reason == "consumed":
        if found.text == "again":
            return (f"the graph that {name} is in was freed by the backward pass{at}",
                    "add the losses (sum them) and call backward() once, or keep the graph with retain_graph=True")
        if found.text == "inside":
            return (f"the question{at}, asked inside of a hook or custom function while backward runs, walks a graph that an earlier one freed",
                    "pass retain_graph=True to the question that is asked inside")
        if found.once is not None:
            made = f"{found.once.name}{_at(found.once.lines)}"
            return (f"{op}{at} uses what {made} computed once, and an earlier backward pass freed its graph (at line {found.text})",
                    f"compute it anew in each pass, inside of the loop, where {made} is to be trained; detach() it where it is a number of before (a state, an old policy); "
                    "or add the losses and call backward() once; retain_graph=True keeps the graph")
        carried = f" (freed by the backward pass at line {found.text})" if found.text else ""
        return (f"{op}{at} uses what belongs to a graph that an earlier backward pass freed{carried}",
                "detach() a state that is carried over from the step before; where losses share a part, add them, or pass retain_graph=True to the first backward()")
    if reason == "inplace_modified":
        if found.text == "data":
            return (f"an assignment to .data{at} exchanges the values that backward needs, for others of another shape or type", "make a new tensor in place of an assignment to .data")
        if found.text == "paused view":
            return (f"{op}{at} changes in place a view that was made under no_grad, with gradients on", "make the view and change it in the same mode, both inside or both outside of no_grad(), or write into a clone()")
        if found.text == "view of a leaf":
            return (f"{op}{at} changes {name} in place through a view of it, a leaf that requires a gradient",
                    f"write into a clone() of it; inside torch.no_grad() where {name} itself is to change, or leave that to an optimizer (torch.optim)")
        if found.text == "leaf" and not who.parameter and found.op is not None and not found.op.name.startswith(("__i", "sub", "add")):
            return (f"{op}{at} changes {name} in place, a leaf that requires a gradient",
                    f"write into a clone() of {name}, or before requires_grad_() is called; inside torch.no_grad() where the change is no part of the loss")
        if found.text == "leaf":
            return (f"{op}{at} changes {name} in place, a leaf that requires a gradient",
                    "update it inside torch.no_grad(), or leave it to an optimizer (torch.optim)")
        if found.text == "view":
            return (f"{op}{at} changes in place a view that autograd does not let be changed: one of several that one op returned, or the result of a hook or custom Function",
                    f"use the op out of place ({op.rstrip('_')}() without the underscore, inplace=False in a module), or clone() the view first")
        if found.op is not None and found.op.kind == "optimizer":
            return (f"{op}{at} changes weights that {found.text or 'an op'} of the loss needs as they were, and backward() of that loss comes after it",
                    "call backward() of every loss before the optimizer's step, or compute this loss again after the step (detach() what it should not train)")
        if found.op is not None and found.op.target is not None and found.op.target.leaf and found.op.target.wants:
            return (f"{op}{at} writes into weights between the forward pass and backward(): {found.text or 'an op'} keeps them as they were",
                    f"move {op} after backward() of that loss, or before its forward pass; else work on a clone() of the weights")
        return (f"{op}{at} changes in place what {found.text or 'an earlier op'} keeps for backward",
                "write into a clone(), or out of place: build the result with torch.where, torch.cat or an expression without in-place ops")
    if reason == "not_scalar" and found.text == "complex":
        return (f"backward() starts from a real number, but {target}, made by {op}{at}, is complex", "make it real first: abs() (the magnitude), or .real")
    if reason == "not_scalar" and found.text == "shape":
        return (f"the gradient that is handed to backward(){at} has another shape than {target}", f"hand one of its shape, as torch.ones_like({target}), or reduce with .mean() or .sum() first")
    if reason == "not_scalar" and found.text == "function":
        return (f"torch.func.grad wants one number of the function, which returns what {op}{at} made: more than one",
                "reduce it with .mean() or .sum() in the function, or use torch.func.jacrev (vjp) for each of the numbers")
    if reason == "not_scalar":
        return (f"backward() starts from one number, but {target}, made by {op}{at}, has more",
                "reduce it first with .mean() or .sum() over everything, or pass gradient= to backward()")
    return f"the gradient of {name} is None", ""


def _stay(op):
    if op in ("numpy", "__array__"):
        return "use PyTorch's functions (torch.sort and the like) in place of NumPy's, without detach()"
    if op in ("__int__", "__index__"):
        return "a whole number passes no gradient, so weigh the entries by a soft mask (a sigmoid of their distance to the bound) in place of int() and a slice or a count"
    if op == "tolist":
        return "compute with the tensor in place of tolist(), and join with torch.stack"
    return "join tensors with torch.stack in place of item() or float() and torch.tensor"


_ZERO = {
    "dead_relu": ("{op} is off for every element, so its slope is 0",
                  "use leaky_relu, gelu or softplus, a smaller learning rate, or another initial bias so that some units are on"),
    "saturated": ("{op} is saturated: its slope underflows to 0", "scale or normalize what goes into it to smaller values, or use a loss on the logits"),
    "clipped": ("{op} clips every element: outside of its bounds the slope is 0", "bring what goes into it inside the bounds (a smaller start, smaller steps), widen them, clip after the loss, or use a soft bound such as tanh or softplus"),
    "max_loser": ("{op} passes the gradient to the winner alone, and this source never wins",
                  "use a soft maximum (torch.logsumexp), or the mean, so that the gradient goes to all and not to the larger alone; where a bound wins, move the bound"),
    "masked": ("{op} multiplies by a mask of zeros or selects other elements", "check the mask or the index: nothing of this source is kept by it"),
    "cancels": ("the contributions that meet at {op} cancel each other out exactly", "the target does not depend on it where the same term is added and subtracted: leave it out of one of both, or compare in another way"),
    "zero_weights": ("{op} multiplies by weights that are all zero", "initialise one of the factors with small random numbers: both start at zero"),
    "underflow": ("{op}'s gradient is too small for its dtype and underflows to 0",
                  "scale the loss (torch.amp.GradScaler), or use bfloat16 or float32; what is small in float32 too stays in logarithms"),
    "sign": ("{op} is a step function: its slope is 0 almost everywhere", "use a smooth function in its place, or pass the gradient straight through: x + (f(x) - x).detach()"),
}

_OUTSIDE = ("coordinates go from -1 to 1: normalize them (divide positions in pixels by half of the size, then subtract 1), or start with a smaller shift; "
            "outside of the image no padding_mode but reflection has a slope")
_EQUAL = "begin from different values (another initialisation, noise in one of both), and check that a thing is not compared with itself or its copy: where both sides are the same, the slope is 0"
_DRAWN = ("draw noise that depends on nothing, and move and scale it (mean + std * torch.randn_like(mean), rsample() of a distribution); for draws of classes or bits a "
          "straight-through estimator, a relaxation (gumbel_softmax, RelaxedBernoulli) or the log_prob of the draw in the loss")
_COMPARED = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "dist", "cdist", "pairwise_distance")
_PRODUCT = "add the logarithms in place of the product: log().sum() (the log-likelihood, cumsum of logs) in place of prod(), which is too small for any dtype"


def _made_zero(op, names):
    """The op that made zeros which this one takes, where its name is one of those; None without one."""
    zeros = (value.op for value in op.inputs if value.op is not None and value.bad & ZERO) if op is not None else ()
    return next((made for made in zeros if any(name in made.name for name in names)), None)


_VANISHED = ("scale or normalize what goes into the exponential so that it is a smaller number (a wider width, a smaller range of the argument), "
             "or stay in logarithms (logsumexp, log_softmax)")


def _zero_factor(found):
    """The tensor of zeros by which the op multiplies, in words; empty without one."""
    if found.reason != "masked" or found.op is None or found.op.name not in ("mul", "__mul__", "__rmul__", "mul_", "multiply"):
        return ""
    value = next((value for value in found.op.inputs if value.bad & ZERO and not value.wants), None)
    if value is None:
        return ""
    made = value.op if value.op is not None and value.op.lines and value.op.name not in ("alias", "Parameter") else None
    return value.who.name or (f"what {made.name}{_at(made.lines)} gave" if made is not None else "a tensor")


def zero(who, found, ask):
    sentence, fix = _ZERO[found.reason]
    if found.op is not None and found.op.facts == "single":
        sentence, fix = "{op} is over one element each, whose share is always 1", "take the softmax over the dimension of the choices (another dim=), or sigmoid for one number"
        if _op(found) == "cross_entropy":
            fix = "one class alone is always right: two outputs, or binary_cross_entropy_with_logits for one number; where the choices are the others of a batch, a batch of more than one"
    if found.reason == "cancels" and _op(found) == "layer_norm" and found.op.facts == "single":
        sentence = "{op} is over one number each, which less its own mean is always 0"
        fix = "normalise over more than one feature (another normalized_shape), or leave the normalization out where one feature alone is left"
    if found.reason == "cancels" and found.term is not None:
        sentence = f"what is added to all alike changes nothing of {found.term.name}{_at(found.term.lines)}, and it is added to all by {{op}}"
        fix = "this zero is exact and harmless: the number is needless there, as the bias of keys in attention or before a normalization is; leave it out (bias=False)"
    if "atan2" in _op(found):
        sentence = "{op} is at the origin in every element, where an angle has no slope and PyTorch gives 0"
        fix = "begin away from (0, 0), or add a small epsilon to one of both; where the pair is 0 by mistake, look at what makes it"
    if found.reason == "sign" and found.text == "modulo":
        sentence = "{op} takes away what the modulo leaves, which makes a step function of it (a floor): its slope is 0 almost everywhere"
    if found.reason == "dead_relu" and "elu" not in _op(found):
        sentence = "{op} is given zeros alone, as the relu before it is off for every element"
    if found.reason == "masked" and "where" in _op(found):
        sentence, fix = "the condition of {op} takes the other side in every element", "check the mask (the condition): it never takes this source; look at its units, its sign and its threshold"
    elif found.reason == "masked" and any(word in _op(found) for word in ("getitem", "index_select", "gather", "take", "embedding")):
        sentence, fix = "{op} looks up other elements", "check the index or the mask: no number that is looked up points at this source"
    elif found.reason == "masked" and "dropout" in _op(found):
        sentence, fix = "{op} multiplies by a mask of zeros: it drops every element", "p is the share that is dropped, and p=1 drops all: pass 1 - p where it is the share that the mask is to keep"
    factor = _zero_factor(found)
    if factor:
        sentence = f"{{op}} multiplies by {factor}, which is 0 everywhere"
        fix += "; where it is no mask, look at why it is 0 (an input of zeros, whole numbers divided with //, a unit that makes it too small): behind a factor of 0 nothing is learned"
    gate = _made_zero(found.op, ("sigmoid", "softmax", "tanh", "clamp")) if found.reason == "masked" else None
    if gate is not None:
        sentence = f"{{op}} multiplies by what {gate.name}{_at(gate.lines)} gave, which is 0 everywhere: a mask or gate that is closed"
        fix = f"open it: another initial bias or value of what goes into {gate.name}, or scale that to smaller values; nothing is learned behind a gate of 0"
    if found.reason == "cancels" and (_op(found) in _COMPARED or _made_zero(found.op, ("sub",)) is not None):
        sentence, fix = "what {op} compares is equal in every element, where its slope is 0", _EQUAL
    if found.reason == "clipped" and "grid" in _op(found):
        sentence, fix = "every point that {op} looks up lies outside of the image, where the slope is 0", _OUTSIDE
    if found.reason == "sign" and found.text == "slope":
        sentence, fix = "{op} is made of straight pieces: its second derivative is 0 everywhere", "use a smooth activation (tanh, softplus, silu) where a second derivative is wanted"
    if found.reason == "sign" and _op(found).rstrip("_") in DRAWS:
        sentence, fix = "{op} draws, and what is drawn has a slope of 0", _DRAWN
    if found.reason == "underflow" and "prod" in _op(found):
        sentence, fix = "{op} multiplies so many small numbers that it underflows to 0, and so does its slope", _PRODUCT
    elif found.reason == "underflow" and "exp" in found.text.lower():
        sentence, fix = "every result of {op} is 0, as what it is given lies too far below 0, and so is its slope", _VANISHED
    elif found.reason == "underflow" and found.op is not None and any(value.op is not None and is_vanished(value.op) for value in found.op.inputs):
        sentence, fix = "{op} is given zeros alone, as the exponential before it underflows to 0 for every element", _VANISHED
    if found.op is not None and found.op.facts == "zero" and found.reason == "masked":
        sentence = "{op} multiplies by the number 0"
        fix = "give this term a weight other than 0, or leave it out of the loss where it is to be off: nothing of it is learned with a weight of 0"
    if found.text == "module hook":
        sentence, fix = "a backward hook of the module that is called gave back zeros", "return the gradients themselves from the hook (register_full_backward_hook), None to leave them as they are, or remove() it"
    if found.text == "hook":
        sentence, fix = "a hook of it gave back zeros in place of what it was given", "return the gradient itself from the hook, or remove() the hook"
    elif found.reason == "masked" and _op(found).startswith("embedding"):
        sentence = "every row of it that {op} looks up for the loss is padding_idx, which gets no gradient"
        fix = ("check what turns words into numbers (a vocabulary that does not know them) and the mask (inverted, it keeps the padding alone); "
               "the padding (padding_idx) is to have another number than any word")
    elif found.reason == "masked" and "nllloss" in found.text.lower().replace("_", ""):
        sentence = "no target is counted in {op}: all of them are ignored (ignore_index), or their classes have a weight of 0"
        fix = "look at the labels of this batch: leave it out where all are ignore_index, or give the classes a weight"
    elif found.op is not None and found.op.kind == "custom" and found.reason == "masked":
        sentence, fix = "backward of {op} gives back zeros for it", f"compute the gradient of this input in {_op(found)}.backward"
    if found.other is not None:  # the op that multiplies by an answer, which is zero for that reason
        sentence = f"{found.other.name}{_at(found.other.lines)} multiplies by a gradient that is zero itself, as {sentence}"
    name = who.name or "the tensor"
    return f"the gradient of {name} is zero: {sentence.format(op=_op(found))}{_at(found.lines)}", fix


def nonfinite(op_name, node_name, direction, what, lines):
    """(message, fix) of the first value that is not finite."""
    where = f"backward of {op_name} ({node_name})" if direction == "backward" else f"{op_name} ({node_name})" if node_name else op_name
    return f"{where}{_at(lines)} makes the first value that is not finite ({what})", _finite(op_name, node_name, direction, what)


def _of_a_matrix(text, direction):
    """What helps where a decomposition or a solution of a system is at fault; empty where none is."""
    if direction == "backward" and any(word in text for word in ("eig", "svd")):
        values = "singular values" if "svd" in text else "eigenvalues"
        return (f"its slope divides by the differences of {values}, and two of them are equal: add a small ridge that differs from entry to entry to the diagonal "
                f"(jitter), or compute the loss from the {values} alone")
    if re.search(r"linalg_?(inv|solve|det|slogdet|lu|lstsq|pinv|qr)|cholesky|logdet|inverse", text):
        return "the matrix is singular or nearly so: add a small multiple of the identity to its diagonal (eps * torch.eye), or use float64"
    return ""


def _finite(op, node, direction, what):
    text = f"{op} {node}".lower()
    matrix = _of_a_matrix(text, direction)
    if matrix:
        return matrix
    if direction == "backward":
        if "sqrt" in text or "norm" in text or "cdist" in text or "std" in text or "pow" in text or "dist" in text:
            return "its slope is infinite at 0: add a small epsilon (eps=1e-12) before the root, not after it, or clamp(min=eps)"
        if "div" in text or "reciprocal" in text or "log" in text:
            return "its slope is infinite at 0: add a small epsilon to what it divides by or takes the logarithm of, or clamp(min=eps); where() does not help"
        if "acos" in text or "asin" in text or "atanh" in text:
            return "its slope is infinite at -1 and 1: clamp the input to (-1 + eps, 1 - eps)"
        return "keep its input in a range where the slope is finite: add a small epsilon, or clamp"
    if "ctc" in text:
        return ("a target is longer than its input can spell (equal labels in a row need a blank between them): give it longer inputs or shorter targets; "
                "zero_infinity=True leaves such examples out")
    if what == "nan" and op in ("cross_entropy", "nll_loss"):
        return ("no target counts: all are ignore_index, or their weights are 0, and the mean over nothing is NaN; keep at least one in each batch, skip a batch without any, "
                'or use reduction="sum" and divide by the count, clamp(min=1)')
    if "log" in text and "softmax" not in text:
        return "the logarithm of 0 is -inf: add a small epsilon or clamp(min=eps); after softmax use log_softmax or cross_entropy, after sigmoid the loss with_logits"
    if "exp" in text or "sinh" in text or "cosh" in text:
        return "exp overflows: clamp its input, take smaller steps (a smaller learning rate), or subtract the maximum first (logsumexp)"
    if "div" in text or "reciprocal" in text or "rsqrt" in text:
        return "a division by 0: add a small epsilon (eps) to the denominator, or clamp(min=eps)"
    if what == "inf" and ("pow" in text or "square" in text):
        return ("what it is given is too large for its dtype: take smaller steps (a smaller learning rate), clip the gradients (clip_grad_norm_), or clamp or scale its input; "
                "where it is 0 under a negative exponent, add a small epsilon")
    if "sqrt" in text or "pow" in text:
        return "keep its input at or above 0 and in range: clamp(min=0), or take smaller steps"
    if "softmax" in text or "attention" in text:
        return "a row is masked everywhere (all -inf): keep at least one element, or replace the mask by a large negative number"
    if "mean" in text or "std" in text or "var" in text:
        return "an empty selection or a single element: check the mask, or use unbiased=False (correction=0)"
    return "keep its inputs in range: clamp or scale them, clip the gradients, use a smaller learning rate or a wider dtype (float32)"
