"""What the program's text calls the tensors whose gradients it reads: `encoder.weight.grad`, and the key of a dict that the gradient is put under."""
import ast
import functools

import torch

from tapescope.torch.source import _tree

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _body(file, line, name):
    """The function that begins on a line, or the file itself."""
    tree = _tree(file)
    if tree is None or name == "<module>":
        return tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            if line in (node.lineno, *(decorator.lineno for decorator in node.decorator_list)):
                return node
    return None


def _inside(function):
    """All that is in a function, but not in those that it defines."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))


def _way(node):
    """(variable, steps) of `model.layers[0].weight`; None for what is no such way."""
    steps = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            steps.append(node.attr)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, (int, str)):
            steps.append((node.slice.value,))
        else:
            return None
        node = node.value
    return node.id, tuple(reversed(steps))


def _is_path(text):
    return all(part.isidentifier() or part.isdigit() for part in text.split(".")) and text[:1].isidentifier()


def _asked_for(node):
    """What a call of autograd.grad() names as its inputs."""
    if not isinstance(node, ast.Call) or getattr(node.func, "attr", getattr(node.func, "id", "")) != "grad":
        return ()
    inputs = next((keyword.value for keyword in node.keywords if keyword.arg == "inputs"), node.args[1] if len(node.args) > 1 else None)
    return inputs.elts if isinstance(inputs, (ast.Tuple, ast.List)) else () if inputs is None else (inputs,)


@functools.lru_cache(maxsize=1024)
def _ways(file, line, name):
    """(variable, steps, the key it is put under) of each gradient that the text of a function reads. A variable of a loop stands for many tensors, and what
    is handed in has a name at the caller's; both count where a key names them."""
    function = _body(file, line, name)
    if function is None:
        return ()
    passing, keys, found = {"self", "cls"}, {}, {}
    arguments = getattr(function, "args", None)
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if arguments is not None else ():
        passing.add(argument.arg)
    nodes = list(_inside(function))
    for node in nodes:
        for target in ([node.target] if isinstance(node, (ast.For, ast.comprehension)) else [item.optional_vars for item in node.items] if isinstance(node, ast.With) else ()):
            passing.update(part.id for part in ast.walk(target) if isinstance(part, ast.Name)) if target is not None else None
        if isinstance(node, ast.Dict):
            keys.update({id(value): key.value for key, value in zip(node.keys, node.values) if isinstance(key, ast.Constant) and isinstance(key.value, str)})
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load):
            way, key = _way(node.value), keys.get(id(node), "")
            if way is None:
                continue
            last = way[1][-1] if way[1] else way[0]
            if not _is_path(key) or key.rsplit(".", 1)[-1] != str(last[0] if isinstance(last, tuple) else last):
                key = ""  # says what it is for, not what it is
            if key or way[1] and way[0] not in passing:  # a variable that holds the tensor itself is known without the text
                found[way] = found.get(way) or key
        for way in map(_way, _asked_for(node)):
            if way is not None and way[1] and way[0] not in passing:
                found.setdefault(way, "")
    return tuple((variable, steps, key) for (variable, steps), key in found.items())


def _step(value, step):
    """(what an attribute or item is, without running code of the program's; the text of the step)."""
    if isinstance(value, torch.nn.Module):
        value = value.__dict__.get("_orig_mod") or value.__dict__.get("_modules", {}).get("_orig_mod", value)
        name = str(step[0]) if isinstance(step, tuple) else step
        for held in ("_parameters", "_buffers", "_modules"):
            if name in value.__dict__.get(held, ()):
                return value.__dict__[held][name], f".{name}"
    if isinstance(step, str):
        return getattr(value, "__dict__", {}).get(step), f".{step}"
    key = step[0]
    if type(value) is dict:
        return value.get(key), f"[{key!r}]"
    inside = type(value) in (list, tuple) and isinstance(key, int) and -len(value) <= key < len(value)
    return (value[key] if inside else None), f"[{key!r}]"


@functools.lru_cache(maxsize=1024)
def _roots(file, line, name):
    return frozenset(variable for variable, steps, key in _ways(file, line, name) if not key or key.startswith(f"{variable}."))


def roots_in(code):
    """The variables by which the text of a function begins the ways to what it reads gradients of."""
    return _roots(code.co_filename, code.co_firstlineno, code.co_name)


def read_in(frame, variables):
    """(tensor, name) of what the text of a frame's function reads gradients of; `variables`: what those of the frame hold."""
    code = frame.f_code
    for variable, steps, key in _ways(code.co_filename, code.co_firstlineno, code.co_name):
        value, text = variables.get(variable, frame.f_globals.get(variable)), variable
        for step in steps:
            value, said = _step(value, step) if value is not None else (None, "")
            text += said
        if isinstance(value, torch.Tensor):
            yield value, key or text
