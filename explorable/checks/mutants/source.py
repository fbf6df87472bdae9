"""Planted errors in a function's code: the mean for the worst, a sum or difference cut short."""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import types
from collections.abc import Iterator

from explorable.checks.mutants.chapter import Called
from explorable.checks.mutants.plant import Function, plain

__all__ = ["altered_code"]


# The name of the list that tells, in the copy of a module, that an altered line has run.
_RAN = "_mutant_ran"
_MEAN = f"({_RAN}.append(1), __import__('numpy').mean)[1]"


def _shifts(node: ast.BinOp) -> bool:
    """Tell whether an array's extreme is taken from it, as is done before an ``exp``."""
    right = node.right.func if isinstance(node.right, ast.Call) else node.right
    extreme = isinstance(right, ast.Attribute) and right.attr in ("max", "min")
    return isinstance(node.op, ast.Sub) and extreme and not isinstance(node.left, ast.Constant)


def _checks_input(node: ast.BinOp) -> bool:
    return ast.unparse(node.right).startswith("validate.")


class _MeanForWorst(ast.NodeTransformer):
    """Writes ``mean`` for ``max`` and ``min`` of an array or of one argument."""

    def __init__(self) -> None:
        self.changed = False

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if _shifts(node):
            node.left = self.visit(node.left)
            return node
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in ("max", "min", "amax", "amin"):
            if ast.unparse(called.value) not in ("np", "numpy"):
                node.args.insert(0, called.value)
        elif not (isinstance(called, ast.Name) and called.id in ("max", "min")):
            return node
        elif len(node.args) != 1:
            return node  # of two numbers: a limit, no record
        elif isinstance(node.args[0], ast.GeneratorExp):
            node.args[0] = ast.ListComp(node.args[0].elt, node.args[0].generators)
        self.changed = True
        node.func = ast.parse(_MEAN, mode="eval").body
        node.keywords = [k for k in node.keywords if k.arg in ("axis", "keepdims")]
        return node


class _TermDropped(ast.NodeTransformer):
    """Leaves out what one sum adds, or one difference takes away, in one function."""

    def __init__(self, name: str, which: int) -> None:
        self.name, self.which = name.split(".")[-1], which
        self.dropped: str | None = None
        self._inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self._inside = self._inside, self._inside or node.name == self.name
        node.body = [self.visit(statement) for statement in node.body]
        self._inside = outer
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)  # an index is no formula
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        formula = self._inside and not _shifts(node) and not _checks_input(node)
        if formula and isinstance(node.op, ast.Add | ast.Sub):
            self.which -= 1
            if self.which == -1:
                sign = "+" if isinstance(node.op, ast.Add) else "-"
                self.dropped = f"without {sign} {ast.unparse(node.right)}"
                return self.visit(node.left)  # type: ignore[no-any-return]
        return self.generic_visit(node)


def _recompiled(called: Called, change: ast.NodeTransformer, ran: list[int] | None = None) -> Function:
    """Return the function out of a copy of its module whose code was changed."""
    module = sys.modules[called.module]
    before = ast.parse(inspect.getsource(module))
    tree = ast.fix_missing_locations(change.visit(copy.deepcopy(before)))
    twin = types.ModuleType(called.module)
    twin.__dict__.update(__package__=module.__package__, __file__=module.__file__)
    twin.__dict__[_RAN] = ran
    exec(compile(tree, str(module.__file__), "exec"), twin.__dict__)
    # What is as it was shares its cache with the module, which need not be filled again.
    wrong = _reaching_a_change(before.body, tree.body)
    twin.__dict__.update(
        {n: v for n, v in vars(module).items() if hasattr(v, "cache_clear") and n not in wrong}
    )
    holder = twin
    for part in called.name.split(".")[:-1]:
        holder = getattr(holder, part)
    return plain(vars(holder)[called.name.split(".")[-1]])


def _reaching_a_change(before: list[ast.stmt], after: list[ast.stmt]) -> set[str]:
    """Return the names of a module whose code was changed, or uses what was."""
    uses: dict[str, set[str]] = {}
    wrong = set()
    for old, new in zip(before, after, strict=True):
        names = {n.id for n in ast.walk(old) if isinstance(n, ast.Name)}
        bound = {old.name} if isinstance(old, ast.FunctionDef | ast.ClassDef) else names
        uses |= {name: uses.get(name, set()) | names for name in bound}
        if ast.dump(old) != ast.dump(new):
            wrong |= bound
    while more := {name for name, used in uses.items() if used & wrong} - wrong:
        wrong |= more
    return wrong


def altered_code(called: Called) -> Iterator[tuple[str, Function, list[int]]]:
    """Yield the name of each error in the function's code, the wrong function, and its trace.

    The trace is a list that fills when a ``mean`` runs. Where the mean is the worst, in all
    that the cell tries, the cell says nothing about the worst, so the error counts.
    """
    mean, ran = _MeanForWorst(), list[int]()
    wrong = _recompiled(called, mean, ran)
    if mean.changed:
        yield "mean for worst", wrong, ran
    for which in range(20):
        drop = _TermDropped(called.name, which)
        wrong = _recompiled(called, drop)
        if drop.dropped is None:
            return
        yield drop.dropped, wrong, []
