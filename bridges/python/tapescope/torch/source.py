"""What the user's text says around a line: the branch that ran no line, the name that a result took over."""
import ast
import functools
import linecache


@functools.lru_cache(maxsize=64)
def _tree(file):
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


def text_of(place):
    return linecache.getline(place[0], place[1]).strip() if place else ""


def _names(node):
    return {part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))}


@functools.lru_cache(maxsize=4096)
def _statement(file, line):
    tree = _tree(file)
    found = None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno) and not isinstance(
                node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            if found is None or (node.end_lineno - node.lineno) <= (found.end_lineno - found.lineno):
                found = node
    return found


@functools.lru_cache(maxsize=4096)
def takes_over(place):
    """The name to which the statement assigns what it computes from that same name; empty where it does not."""
    node = _statement(place[0], place[1]) if place else None
    if not isinstance(node, ast.Assign):
        return ""
    for target in node.targets:
        for part in ast.walk(target):
            name = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
            if name and name != "self" and name in _names(node.value):
                return name
    return ""


@functools.lru_cache(maxsize=4096)
def assigned(place):
    """The variable that the statement at a place assigns."""
    node = _statement(place[0], place[1]) if place else None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
    return ""


def _leaves(body):
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _uses(statements, name):
    return [part.lineno for statement in statements for part in ast.walk(statement)
            if isinstance(part, (ast.Name, ast.Attribute)) and (part.id if isinstance(part, ast.Name) else part.attr) == name
            and isinstance(part.ctx, ast.Load)]


def untaken_branch(files, reached, name):
    """(file, line of the test, line of the use): a branch that uses the name and of which no line ran, in a function that ran."""
    for file in files:
        tree = _tree(file)
        for function in ast.walk(tree) if tree else ():
            if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
                continue
            ran = {line for line in range(function.lineno, function.end_lineno + 1) if (file, line) in reached}
            if ran and isinstance(function, ast.FunctionDef):
                found = _in_body(function.body, ran, name)
                if found:
                    return (file, *found)
    return None


def _in_body(body, ran, name):
    for index, statement in enumerate(body):
        if isinstance(statement, ast.If):
            rest = body[index + 1:]
            arms = [(statement.body, True)]
            if statement.orelse:
                arms.append((statement.orelse, True))
            elif _leaves(statement.body):
                arms.append((rest, False))
            for arm, _ in arms:
                lines = _uses(arm, name)
                if lines and not any(line in ran for part in arm for line in range(part.lineno, part.end_lineno + 1)):
                    return statement.lineno, lines[0]
        for part in ast.walk(statement):
            if isinstance(part, ast.IfExp):
                for arm, other in ((part.body, part.orelse), (part.orelse, part.body)):
                    lines = _uses([arm], name)
                    if lines and not _uses([other], name) and not _uses([part.test], name):
                        return part.lineno, lines[0]
        for inner in ("body", "orelse", "finalbody"):
            found = _in_body(getattr(statement, inner), ran, name) if isinstance(getattr(statement, inner, None), list) else None
            if found:
                return found
    return None


@functools.lru_cache(maxsize=4096)
def in_loop(place):
    """Whether a loop or comprehension of the same function is around the line."""
    tree = _tree(place[0])
    inner = None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and node.lineno <= place[1] <= node.end_lineno:
            if inner is None or node.end_lineno - node.lineno <= inner.end_lineno - inner.lineno:
                inner = node
    for node in ast.walk(inner or tree) if tree else ():
        if isinstance(node, (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)) and node.lineno <= place[1] <= node.end_lineno:
            return True
    return False
