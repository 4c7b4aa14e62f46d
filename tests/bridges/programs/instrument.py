"""Rewrites a program so that a proof can see and move the values it makes, invert a branch, and leave a statement out."""

import ast


class Rewriter(ast.NodeTransformer):
    """Wraps what is made under a name in `__made__(value, name, line)`; inverts the condition on one line; leaves out a call on one."""

    def __init__(self, invert=None, left_out=None):
        self.invert, self.left_out = invert, left_out

    def wrap(self, value, name):
        call = ast.Call(
            ast.Name("__made__", ast.Load()), [value, ast.Constant(name), ast.Constant(value.lineno)], []
        )
        return ast.copy_location(call, value)

    def visit_Assign(self, node):
        if node.lineno == self.left_out and all(isinstance(target, ast.Attribute) for target in node.targets):
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        for target in node.targets:
            pairs = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            if pairs and not any(isinstance(part, ast.Starred) for part in (*target.elts, *node.value.elts)):
                node.value.elts = [self.named(value, to) for value, to in zip(node.value.elts, target.elts)]
            else:
                node.value = self.named(node.value, target)
        return node

    def named(self, value, target):
        name = getattr(target, "id", getattr(target, "attr", None))
        return self.wrap(value, name) if name else value

    def visit_Expr(self, node):
        self.generic_visit(node)
        return ast.copy_location(ast.Pass(), node) if node.lineno == self.left_out else node

    def visit_Call(self, node):
        self.generic_visit(node)
        if node.lineno == self.invert and getattr(node.func, "attr", None) == "switch_case":
            last = ast.parse(f"len({ast.unparse(node.args[1])}) - 1", mode="eval").body
            node.args[0] = ast.copy_location(last, node.args[0])
        return self.wrap(node, None) if any(k.arg == "name" for k in node.keywords) else node

    def visit_If(self, node):
        self.generic_visit(node)
        if node.lineno == self.invert:
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        return node

    visit_IfExp = visit_If


def load(path, made, invert=None, left_out=None):
    """The program's names after its top level ran; what it makes under a name passes through `made`."""
    text = path.read_text(encoding="utf-8")
    tree = ast.fix_missing_locations(Rewriter(invert, left_out).visit(ast.parse(text)))
    names = {"__name__": path.stem, "__file__": str(path), "__made__": made}
    exec(compile(tree, str(path), "exec"), names)
    return names


def statement_lines(path):
    """{line: the lines of the innermost simple statement, or of a compound one's head, around it}."""
    found = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.stmt):
            end = node.body[0].lineno - 1 if getattr(node, "body", None) else node.end_lineno
            lines = range(node.lineno, max(end, node.lineno) + 1)
            for line in lines:
                if line not in found or len(lines) < len(found[line]):
                    found[line] = lines
    return found
