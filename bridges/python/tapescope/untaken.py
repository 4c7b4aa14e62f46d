"""Where the program's text uses a source that no op read: under conditions of the host's, which leave no op behind.

A question that was answered with None asks for it. What is found are the conditions around a use of that name, or above it and leaving the
function; whether the source was used all the same, and whether the function ran, is known from the ops.
"""
import ast
import functools
import sys

from tapescope import _tapescope as module
from tapescope.names import user_frames
from tapescope.places import is_user

_MOST = 3  # conditions of one name; more say nothing
_MOST_FILES = 32
_LONGEST = 400_000  # characters of a file
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def note(sources):
    """(id, name) of each, which has no gradient."""
    try:
        files = _files()
        for source, name in sources:
            if source:
                for use in _uses_of(files, name):
                    module.untaken(source, *use)
    except Exception as error:  # the program has no use for our trouble
        module.failed(repr(error))


def _uses_of(files, name):
    """Uses of the variable, else of the layer that holds it. The text has the names of what they are assigned to, an attribute where no other
    is known: a loop over all variables may call each of them a kernel."""
    layers, _, own = name.rpartition("/")
    if not layers:
        return _uses(files, own.rpartition(".")[2])
    for part in (own, layers.rpartition("/")[2]):
        held = next((held for path in files if (held := _in_file(path).get(("holds", part)))), "." + part)
        if uses := _uses(files, held):
            return uses
    return []


def _uses(files, name):
    """(text of the condition, its site, the use's) in the nearest of the program's files that has any; none where there are many."""
    found = next((uses for path in files if (uses := _in_file(path).get(name))), [])
    return found if len(found) <= _MOST else []


def _files():
    paths = dict.fromkeys(frame.f_code.co_filename for frame in user_frames())
    paths.update(dict.fromkeys(_imported(len(sys.modules))))
    return list(paths)[:_MOST_FILES]


@functools.lru_cache(maxsize=1)  # a step without a gradient asks each time, and a framework has thousands of modules
def _imported(_modules):
    """Files of the user's modules, of so many modules in all."""
    paths = (getattr(known, "__file__", None) for known in list(sys.modules.values()))
    return [path for path in paths if path and path.endswith(".py") and is_user(path)]


@functools.lru_cache(maxsize=64)
def _in_file(path):
    """Conditional uses by name, `.name` of attributes alone; by ("holds", layer) what a layer of that name is assigned to."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_LONGEST)
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):
        return {}
    found = {("holds", layer): name for layer, name in _layers(tree)}
    for function in ast.walk(tree):
        if isinstance(function, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
            called = getattr(function, "name", "<module>")
            for name, use, condition in _of_function(function):
                line = condition.lineno
                said = " ".join((ast.get_source_segment(text, condition) or "").split())
                sites = [module.site_of(path, called, at, 0, 0) for at in (line, use)]
                entry = (said[:80], *sites)
                if entry[1] not in [known[1] for known in found.get(name, ())]:
                    found.setdefault(name, []).append(entry)
    return found


def _layers(tree):
    """(name of the layer, of what it is assigned to) of each `self.head = Dense(3, name="top")`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], (ast.Attribute, ast.Name)):
            target = node.targets[0]
            for option in node.value.keywords:
                if option.arg == "name" and isinstance(option.value, ast.Constant):
                    yield option.value.value, "." + target.attr if isinstance(target, ast.Attribute) else target.id


def _of_function(function):
    """(name, line, condition) of each use in it that a condition decides on; an attribute's name also as `.name`."""
    found = []

    def statements(body, condition):
        for statement in body:
            visit(statement, condition)
            # What comes after an `if` that leaves runs where it does not hold.
            if isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVES) and not statement.orelse:
                condition = statement.test

    def visit(node, condition):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return
        if isinstance(node, (ast.If, ast.IfExp)):
            visit(node.test, condition)
            parts = (node.body, node.orelse)
            for part in parts:
                statements(part if isinstance(part, list) else [part], node.test)
            return
        if isinstance(node, ast.match_case):
            statements(node.body, node.pattern)
            return
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
        if name is not None and condition is not None and isinstance(node.ctx, ast.Load):
            found.append((name, node.lineno, condition))
            if isinstance(node, ast.Attribute):
                found.append(("." + name, node.lineno, condition))
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                statements(value, condition)
            else:
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        visit(child, condition)

    statements(function.body, None)
    return found
