"""What the user's text says around a line: the branch that ran no line, the name that a result took over."""
import ast
import functools
import linecache
import re


@functools.lru_cache(maxsize=64)
def _tree(file):
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


def text_of(place):
    return linecache.getline(place[0], place[1]).strip() if place else ""


def copies(places):
    """Whether the text of the innermost line makes a parameter or a copy."""
    text = text_of(places[0] if places else None)
    return "Parameter" in text or "copy" in text


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


def asked(place):
    """The variable whose backward() the line calls; empty where it calls none of a variable."""
    found = re.match(r"(?:\w+\.)*(\w+)\.backward\(", text_of(place))
    return found.group(1) if found else ""


def lists(place):
    """Whether the line's statement sets a variable to a list that it writes out."""
    node = _statement(place[0], place[1])
    return isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.ListComp))


def entry(place):
    """The key of a dict that the line's statement writes out, whose value is on the line; empty without one."""
    node = _statement(place[0], place[1])
    for part in ast.walk(node) if node is not None else ():
        for key, value in zip(part.keys, part.values) if isinstance(part, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and value.lineno <= place[1] <= value.end_lineno:
                return key.value
    return ""


def returns(place):
    """Whether the line's statement returns what it computes."""
    return isinstance(_statement(place[0], place[1]), ast.Return)


@functools.lru_cache(maxsize=1024)
def sums_up(place, terms):
    """The line of the last statement before `loss.backward()` at a place that sets that loss, if it uses one of the terms' names; else 0."""
    tree, name = _tree(place[0]), asked(place)
    if tree is None or not name:
        return 0
    function = _around(tree, place[1], (ast.FunctionDef, ast.AsyncFunctionDef))
    made = [statement for statement in _statements(function) if statement.lineno < place[1] and name in _given(statement)]
    last = max(made, key=lambda statement: statement.lineno, default=None)
    return last.lineno if last is not None and _used(last) & terms else 0


def _leaves(body):
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _uses(statements, name, kinds):
    return [part.lineno for statement in statements for part in ast.walk(statement)
            if isinstance(part, kinds) and (part.id if isinstance(part, ast.Name) else part.attr) == name
            and isinstance(part.ctx, ast.Load)]


_NOBODYS = frozenset(("__init__", "__call__", "forward"))  # whose calls do not name them


def untaken_branch(files, reached, name, attribute):
    """(file, line of the test, line of the use): a branch that uses the name and of which no line ran, in a function that ran.
    `attribute`: it names a part of a model, which no variable of the same name is."""
    for file in files:
        tree = _tree(file)
        for function in ast.walk(tree) if tree else ():
            if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
                continue
            ran = {line for line in range(function.lineno, function.end_lineno + 1) if (file, line) in reached}
            if ran and isinstance(function, ast.FunctionDef):
                found = _in_body(function.body, ran, name, ast.Attribute if attribute else (ast.Name, ast.Attribute))
                if found:
                    return (file, *found)
    return None


def idle_users(files, reached, name, attribute, levels=2):
    """Names of functions that use the name, or that call one that does, and of which no line ran."""
    found, kinds = [], ast.Attribute if attribute else (ast.Name, ast.Attribute)
    for file in files:
        tree = _tree(file)
        for function in ast.walk(tree) if tree else ():
            if isinstance(function, ast.FunctionDef) and function.name not in _NOBODYS and _uses(function.body, name, kinds):
                if not any((file, line) in reached for line in range(function.lineno, function.end_lineno + 1)):
                    found.append(function.name)
    for user in list(found) if levels > 1 else ():
        found += [other for other in idle_users(files, reached, user, False, levels - 1) if other not in found]
    return found


def _in_body(body, ran, name, kinds):
    for index, statement in enumerate(body):
        if isinstance(statement, ast.If):
            rest = body[index + 1:]
            arms = [(statement.body, True)]
            if statement.orelse:
                arms.append((statement.orelse, True))
            elif _leaves(statement.body):
                arms.append((rest, False))
            for arm, _ in arms:
                lines = _uses(arm, name, kinds)
                if lines and not any(line in ran for part in arm for line in range(part.lineno, part.end_lineno + 1)):
                    return statement.lineno, lines[0]
        for part in ast.walk(statement):
            if isinstance(part, ast.IfExp):
                for arm, other in ((part.body, part.orelse), (part.orelse, part.body)):
                    lines = _uses([arm], name, kinds)
                    if lines and not _uses([other], name, kinds) and not _uses([part.test], name, kinds):
                        return part.lineno, lines[0]
        for inner in ("body", "orelse", "finalbody"):
            found = _in_body(getattr(statement, inner), ran, name, kinds) if isinstance(getattr(statement, inner, None), list) else None
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


@functools.lru_cache(maxsize=1024)
def reads_all(place):
    """Whether the line is in a loop or comprehension over all parameters of a model."""
    tree = _tree(place[0])
    for node in ast.walk(tree) if tree else ():
        rows = [node] if isinstance(node, ast.For) else getattr(node, "generators", ())
        if rows and node.lineno <= place[1] <= node.end_lineno and any(_names(row.iter) & {"parameters", "named_parameters"} for row in rows):
            return True
    return False


def _around(tree, line, kinds):
    """The innermost node of those kinds around a line, else the tree itself."""
    found = tree
    for node in ast.walk(tree):
        if isinstance(node, kinds) and node.lineno <= line <= node.end_lineno and (found is tree or node.lineno >= found.lineno):
            found = node
    return found


def _statements(body):
    """Every simple statement, and the heads of those that hold others, of a function without those of the functions in it."""
    for node in ast.iter_child_nodes(body):
        if isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            yield from _statements(node)


def _head(statement):
    """The parts of a statement that are not other statements."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.stmt, ast.excepthandler)):
            yield from ast.walk(child)


def _ends(statement):
    return max((part.end_lineno for part in _head(statement) if hasattr(part, "end_lineno")), default=statement.lineno)


def _given(statement):
    """The variables and attributes that a statement sets, or whose object it adds to (`kept.append(value)`)."""
    found = {part.id if isinstance(part, ast.Name) else part.attr for part in _head(statement)
             if isinstance(part, (ast.Name, ast.Attribute)) and isinstance(part.ctx, ast.Store)}
    for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
        if isinstance(target, ast.Subscript):
            found |= _names(target.value)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and isinstance(statement.value.func, ast.Attribute):
        found |= _names(statement.value.func.value)
    return found - {"self"}


def _used(statement):
    return {part.id if isinstance(part, ast.Name) else part.attr for part in _head(statement)
            if isinstance(part, (ast.Name, ast.Attribute)) and isinstance(part.ctx, ast.Load)}


@functools.lru_cache(maxsize=1024)
def led_to(places):
    """{(file, line)} of the statements that what a line computes may reach: by the variables it sets, and by what its function returns to the
    lines that called it (`places`, the innermost first)."""
    found = set()
    for place in places:
        tree = _tree(place[0])
        if tree is None:
            return found
        function = _around(tree, place[1], (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        start = _statement(place[0], place[1])
        if start is None:
            return found
        reached, names, attributes = [start], set(_given(start)), False
        everywhere = list(_statements(function)) if not isinstance(function, ast.Lambda) else []
        grows = True
        while grows:
            grows = False
            for statement in everywhere:
                if statement not in reached and _used(statement) & names:
                    reached.append(statement)
                    names |= _given(statement)
                    grows = True
        kept = {part.attr for statement in reached for part in _head(statement) if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)}
        if kept:
            reached += [statement for statement in _statements(tree) if _used(statement) & kept]
            reached += [statement for body in ast.walk(tree) if isinstance(body, ast.FunctionDef) for statement in _statements(body) if _used(statement) & kept]
        for statement in reached:
            found.update((place[0], line) for line in range(statement.lineno, _ends(statement) + 1))
        returns = isinstance(function, ast.Lambda) or any(isinstance(statement, ast.Return) or isinstance(part, (ast.Yield, ast.YieldFrom))
                                                          for statement in reached for part in (statement, *_head(statement)))
        if not returns:
            break
    return found


@functools.lru_cache(maxsize=1024)
def wraps(places):
    """The lines from the one on that makes a parameter of what a line computes (`places`: that line and those that called it); empty where not exactly one does."""
    tree = _tree(places[0][0]) if places else None
    reached = led_to(places) if tree is not None else ()
    lines = sorted({node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and "Parameter" in _names(node.func)}) if tree is not None else []
    lines = [line for line in lines if (places[0][0], line) in reached]
    if len(lines) != 1:
        return ()
    function = _around(tree, lines[0], (ast.FunctionDef, ast.AsyncFunctionDef))
    inside = next((index for index, place in enumerate(places) if place[0] == places[0][0] and function.lineno <= place[1] <= function.end_lineno), None) if function is not tree else None
    if inside is None:
        return ()
    place = places[inside]
    return (type(place)((place[0], lines[0], place[2])), *places[inside + 1:])


_ADDS = frozenset(("append", "add", "extend", "insert", "appendleft"))


@functools.lru_cache(maxsize=256)
def keeps(place):
    """The line that adds the variable which is set at a place to a list, in its function or in one that it is passed to; the place's own where none does."""
    tree, name = _tree(place[0]), assigned(place)
    function = _around(tree, place[1], (ast.FunctionDef, ast.AsyncFunctionDef)) if tree is not None else None
    return _kept_in(tree, function, name, place[1], 2) or place[1] if name else place[1]


@functools.lru_cache(maxsize=256)
def adds_to(file, name):
    """The line of the first statement that adds to the variable or attribute of that name; 0 where none does."""
    tree = _tree(file)
    for statement in (node for node in ast.walk(tree) if isinstance(node, ast.stmt)) if tree else ():
        for part in _head(statement):
            place = part.func.value if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _ADDS else (
                part.value if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store) else None)
            if isinstance(place, (ast.Name, ast.Attribute)) and (place.id if isinstance(place, ast.Name) else place.attr) == name:
                return part.lineno
    return 0


def _kept_in(tree, function, name, after, depth):
    for statement in _statements(function):
        if statement.lineno <= after:
            continue
        for call in (part for part in _head(statement) if isinstance(part, ast.Call)):
            given = [index for index, argument in enumerate(call.args) if isinstance(argument, ast.Name) and argument.id == name]
            called = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
            if not given or not called:
                continue
            bodies = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == called] if depth else []
            for body in bodies:
                names = [argument.arg for argument in body.args.args]
                index = given[0] + (names[:1] == ["self"])
                inner = _kept_in(tree, body, names[index], 0, depth - 1) if index < len(names) else None
                if inner:
                    return inner
            if called in _ADDS and not bodies:
                return statement.lineno
    return None
