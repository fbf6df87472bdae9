"""Which errors are planted in a function that a check cell calls.

A check must be able to fail: every check of the book under planted errors.

A check cell is run again and again, each time with one public function of the package that
it calls made wrong on purpose. A good check then fails. The rules:

- A value may be too large and may be too small: first by 5%, then by a factor of 2. The
  error counts as caught if a comparison fails at one of the two. A table of probabilities
  becomes sharper or flatter instead and still sums to 1; yes and no change places.
- A proven bound is planted only on its unsafe side, and made vacuous: a larger upper bound
  is still true, but a check must notice a bound that says nothing.
- A term is left out of a sum or a difference in the function's code.
- The worst record becomes the mean record: ``max`` and ``min`` in the function's module.
- Two arguments of one sort change places; ``M``, ``dimension``, ``nu`` and the like are
  ignored in favour of an easy case.

Planted means everywhere in the package, as a real error would be. A run that dies of
anything but a failed comparison proves nothing about the check and does not count, nor does
an error that changes no value in the cell; only a mean that is always the worst does count,
since such a cell never looks at a record that differs. A check may name an error that it
rightly lets through (`Check.harmless`) and plant errors of its own (`Check.plant`). A check
that calls nothing of the package counts as one that lets everything through.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorable import settings
from explorable.checks.plant import Called, Function, Lost, Watch, attribute, plain

# --- What an error does to a value -----------------------------------------------------------------

# Where in a value a number is: nowhere further, or in this field or entry.
Path = tuple[Any, ...]


def is_table(value: Any) -> bool:
    """Tell whether a value is one distribution, or one distribution a row."""
    array = np.asarray(value) if isinstance(value, np.ndarray) else np.zeros(0)
    if array.dtype.kind != "f" or array.ndim == 0 or array.shape[-1] < 2:
        return False
    return bool((array >= 0).all() and np.allclose(array.sum(axis=-1), 1.0, atol=1e-9))


def is_flag(value: Any) -> bool:
    """Tell whether a value is yes or no."""
    return isinstance(value, bool | np.bool_) or getattr(value, "dtype", None) == np.bool_


def is_number(value: Any) -> bool:
    """Tell whether a value is a number or an array of numbers, in any real type."""
    if isinstance(value, int | float | np.number):
        return not is_flag(value)
    return isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and value.size > 0


def _is_leaf(value: Any) -> bool:
    return is_flag(value) or is_number(value)


def scaled(value: Any, by: float) -> Any:
    """Return the value times a factor; a count changes by one at least, a zero to it."""
    array = np.asarray(value)
    if array.dtype.kind in "iu":
        step = np.maximum(1, np.round(np.abs(array * (by - 1)))).astype(array.dtype)
        made = array + step if by > 1 else array - step
    elif (array == 0).all():
        made = array + (by - 1)
    else:
        made = array * np.asarray(by, dtype=array.dtype)
    return made if isinstance(value, np.ndarray) else made.item()


def tempered(value: Any, by: float) -> Any:
    """Return distributions made sharper (by a power above 1) or flatter, which still sum to 1."""
    raised = np.where(value > 0, value, 0.0) ** by
    return raised / raised.sum(axis=-1, keepdims=True)


def turned(value: Any) -> Any:
    """Return no for yes."""
    return ~value if isinstance(value, np.ndarray) else not value


def all_equal(value: Any, to: Any) -> Any:
    """Return a value of the same shape whose entries are all ``to``."""
    return np.full(np.shape(value), to) if np.ndim(value) else to


def _fields(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return list(getattr(value, "_fields", range(len(value))))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [f.name for f in dataclasses.fields(value)]
    return []


def leaves(value: Any, spoken: set[str]) -> list[Path]:
    """Return where the numbers of a value are.

    Of named fields, those that the cell reads; all of a tuple, if it reads none and so takes
    them by position.
    """
    if isinstance(value, list) and value:
        return leaves(value[0], spoken)
    if _is_leaf(value):
        return [()]
    fields = _fields(value)
    found = [f for f in fields if f in spoken] or (fields if isinstance(value, tuple) else [])
    return [(f,) for f in found if _is_leaf(part(value, (f,)))]


def part(value: Any, path: Path) -> Any:
    """Return what is at ``path`` of a value."""
    for key in path:
        value = value[key] if isinstance(key, int) else getattr(value, key)
    return value


def at(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """Return the value with the number at ``path`` changed, in each entry of a list."""
    if isinstance(value, list):
        return [at(v, path, change) for v in value]
    if not path:
        return change(value) if _is_leaf(value) else value
    (key,), made = path, change(part(value, path))
    if isinstance(value, tuple) and hasattr(value, "_replace"):
        return value._replace(**{key: made})
    if isinstance(value, tuple):
        return (*value[:key], made, *value[key + 1 :])
    whole = copy.copy(value)
    object.__setattr__(whole, key, made)  # the class may be frozen
    return whole


def same(left: Any, right: Any) -> bool:
    """Tell whether nothing changed."""
    if isinstance(left, list):
        return all(map(same, left, right))
    if fields := _fields(left):
        return all(same(part(left, (f,)), part(right, (f,))) for f in fields)
    try:
        # What a formula's rounding may do is no change.
        close = np.shape(left) == np.shape(right) and np.allclose(left, right, 1e-12, 0.0, equal_nan=True)
    except (TypeError, ValueError):
        close = np.all(left == right)
    return bool(close)


# --- Bounds --------------------------------------------------------------------------------------

# A number stands for infinity, so that it still compares.
_ENDLESS = 1e300
# A side, and the value that says nothing.
Bound = tuple[str, float]
_ENDS = dict.fromkeys(("low", "lower"), ("lower", -_ENDLESS))
_ENDS |= dict.fromkeys(("high", "upper"), ("upper", _ENDLESS))


def bound_of(function: str, path: Path) -> Bound | None:
    """Return what sort of bound a function's value is; None if it claims to be exact."""
    known = settings.book().planted.bounds.get(".".join([function, *map(str, path)]))
    return known if known or not path else _ENDS.get(str(path[-1]))


def harms(function: str, paths: list[Path], true: Any, made: Any) -> bool:
    """Tell whether a value changed and, if it is a bound, to its unsafe side somewhere."""
    if isinstance(true, list):
        return any(harms(function, paths, t, m) for t, m in zip(true, made, strict=False))
    for path in paths:
        left, right, bound = part(true, path), part(made, path), bound_of(function, path)
        if bound is None or np.shape(left) != np.shape(right):
            if not same(left, right):
                return True
        elif bool(np.any(right > left if bound[0] == "lower" else right < left)):
            return True
    return False


# --- Errors in a function's code -------------------------------------------------------------------

# The name of the list that tells, in the copy of a module, that an altered line has run.
_RAN = "_mutant_ran"
_MEAN = f"({_RAN}.append(1), __import__('numpy').mean)[1]"


def _shifts(node: ast.BinOp) -> bool:
    """Tell whether an array's extreme is taken from it, as is done before an ``exp``."""
    right = node.right.func if isinstance(node.right, ast.Call) else node.right
    extreme = isinstance(right, ast.Attribute) and right.attr in ("max", "min")
    return isinstance(node.op, ast.Sub) and extreme and not isinstance(node.left, ast.Constant)


class _MeanForWorst(ast.NodeTransformer):
    """Writes ``mean`` for ``max`` and ``min`` of an array or of one argument."""

    changed = False

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
        elif not (isinstance(called, ast.Name) and called.id in ("max", "min")) or len(node.args) != 1:
            return node  # of two numbers: a limit, no record
        elif isinstance(node.args[0], ast.GeneratorExp):
            node.args[0] = ast.ListComp(node.args[0].elt, node.args[0].generators)
        self.changed = True
        node.func = ast.parse(_MEAN, mode="eval").body
        node.keywords = [k for k in node.keywords if k.arg in ("axis", "keepdims")]
        return node


class _TermDropped(ast.NodeTransformer):
    """Leaves out what one sum adds, or one difference takes away, in one function."""

    dropped: str | None = None
    _inside = False

    def __init__(self, name: str, which: int) -> None:
        self.name, self.which = name.split(".")[-1], which

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self._inside = self._inside, self._inside or node.name == self.name
        node.body = [self.visit(statement) for statement in node.body]
        self._inside = outer
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)  # an index is no formula
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        formula = self._inside and not _shifts(node) and not ast.unparse(node.right).startswith("validate.")
        if formula and isinstance(node.op, ast.Add | ast.Sub):
            self.which -= 1
            if self.which == -1:
                sign = "+" if isinstance(node.op, ast.Add) else "-"
                self.dropped = f"without {sign} {ast.unparse(node.right)}"
                return self.visit(node.left)  # type: ignore[no-any-return]
        return self.generic_visit(node)


def _recompiled(called: Called, change: ast.NodeTransformer, ran: Sequence[int] = ()) -> Function:
    """Return the function out of a copy of its module whose code was changed."""
    module = sys.modules[called.module]
    before = ast.parse(inspect.getsource(module))
    tree = ast.fix_missing_locations(change.visit(copy.deepcopy(before)))
    twin = types.ModuleType(called.module)
    vars(twin).update({"__package__": module.__package__, "__file__": module.__file__, _RAN: ran})
    exec(compile(tree, str(module.__file__), "exec"), vars(twin))
    # What is as it was shares its cache with the module, which need not be filled again.
    wrong = _reaching_a_change(before.body, tree.body)
    cached = {n: v for n, v in vars(module).items() if hasattr(v, "cache_clear") and n not in wrong}
    vars(twin).update(cached)
    *outer, name = called.name.split(".")
    return plain(vars(functools.reduce(getattr, outer, twin))[name])


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


# --- The errors of a function ------------------------------------------------------------------------

Make = Callable[[Function, Watch], Function]


@dataclass(frozen=True)
class Error:
    """One planted error: of which function, its name, and how it is made, weakest first."""

    called: Called
    name: str
    tries: tuple[tuple[str, Make], ...]


def _result(change: Callable[[Any], Any]) -> Make:
    """Change what the function gives."""

    def make(true: Function, watch: Watch) -> Function:
        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            value = true(*args, **kwargs)
            made = change(value)
            watch.changed = watch.changed or not same(value, made)
            return made

        return altered

    return make


def _other(
    called: Called, paths: list[Path], wrong: Callable[[Function], Function], ran: Sequence[int] = ()
) -> Make:
    """Put another function there; it counts where it differs, of a bound unsafely.

    It counts, too, where it has ``ran`` and makes no difference at all.
    """
    exact = not any(bound_of(called.name, path) for path in paths)

    def make(true: Function, watch: Watch) -> Function:
        other = wrong(true)

        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            # Both draw the same numbers.
            named = {name: _unspent(v) for name, v in kwargs.items()}
            value = true(*map(_unspent, args), **named)
            try:
                made = other(*args, **kwargs)
            except Exception as error:
                raise Lost(f"refused: {error}") from error
            differs = harms(called.name, paths, value, made) or (exact and bool(ran))
            watch.changed = watch.changed or differs
            return made

        return altered

    return make


def _unspent(value: Any) -> Any:
    """Return a copy of a generator, so that the original has its numbers still to come."""
    return copy.deepcopy(value) if isinstance(value, np.random.Generator) else value


def _arguments(
    called: Called, paths: list[Path], name: str, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> Error:
    """Change what the function takes."""

    def wrong(true: Function) -> Function:
        signature = inspect.signature(true)

        def other(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.arguments.update(change(dict(bound.arguments)))
            return true(*bound.args, **bound.kwargs)

        return other

    return Error(called, name, (("", _other(called, paths, wrong)),))


def _graded(change: Callable[..., Any], *sizes: float) -> dict[str, Callable[[Any], Any]]:
    made = (functools.partial(change, by=size) for size in sizes)
    return dict(zip(("5%", "factor 2"), made, strict=True))


def _of_value(called: Called, sample: Any, path: Path) -> Iterator[Error]:
    seen, side = part(sample, path), (bound_of(called.name, path) or ("", 0.0))[0]
    ways: dict[str, dict[str, Callable[[Any], Any]]]
    if is_flag(seen):
        ways = {"turned round": {"": turned}}
    elif is_table(seen):
        ways = {"sharper": _graded(tempered, 1.05, 2.0), "flatter": _graded(tempered, 0.95, 0.5)}
    else:
        ways = {"too large": _graded(scaled, 1.05, 2.0), "too small": _graded(scaled, 0.95, 0.5)}
        # A larger upper bound is still true.
        ways.pop({"upper": "too large", "lower": "too small"}.get(side, ""), None)
    for name, changes in ways.items():
        tries = ((told, _result(functools.partial(at, path=path, change=c))) for told, c in changes.items())
        yield Error(called, " ".join([*map(str, path), name]), tuple(tries))


def _vacuous(called: Called, paths: list[Path]) -> Iterator[Error]:
    bounds = [(path, bound[1]) for path in paths if (bound := bound_of(called.name, path))]

    def change(value: Any) -> Any:
        for path, nothing in bounds:
            value = at(value, path, functools.partial(all_equal, to=nothing))
        return value

    if bounds:
        yield Error(called, "vacuous", (("", _result(change)),))


def _swapped(called: Called, paths: list[Path]) -> Iterator[Error]:
    names = [n for n in inspect.signature(plain(attribute(called)[2])).parameters if n != "self"][:2]
    pairs = [[a[n] for n in names] for a in called.arguments]
    if len(names) == 2 and all(all(map(is_number, p)) and np.shape(p[0]) == np.shape(p[1]) for p in pairs):
        first, second = names

        def change(given: dict[str, Any]) -> dict[str, Any]:
            both = first in given and second in given
            return {first: given[second], second: given[first]} if both else {}

        yield _arguments(called, paths, f"{first} and {second} swapped", change)


def _easy(called: Called, paths: list[Path]) -> Iterator[Error]:
    for name, usual in settings.book().planted.easy.items():
        seen = [np.asarray(a[name]) for a in called.arguments if name in a]
        if seen and all(map(is_number, seen)):
            easy = min(v.min() for v in seen) if usual is None else usual

            def change(given: dict[str, Any], name: str = name, easy: Any = easy) -> dict[str, Any]:
                return {name: all_equal(given[name], easy)} if name in given else {}

            yield _arguments(called, paths, f"{name} ignored", change)


def errors_of(called: Called, spoken: set[str]) -> list[Error]:
    """Return the errors to plant in a function.

    Parameters
    ----------
    called : Called
        The function with what it took and gave in the true run of a cell.
    spoken : set of str
        The names of fields that the cell reads; only those of a result count.

    Returns
    -------
    list of Error
    """
    sample: Any = called.results[0] if called.results else None
    while isinstance(sample, list) and sample:
        sample = sample[0]
    paths = leaves(sample, spoken)
    found = [error for path in paths for error in _of_value(called, sample, path)]
    found += _vacuous(called, paths)
    for name, wrong, ran in altered_code(called):
        make = _other(called, paths, functools.partial(lambda wrong, true: wrong, wrong), ran)
        found.append(Error(called, name, (("", make),)))
    return [*found, *_swapped(called, paths), *_easy(called, paths)]


def own_error(called: Called, name: str, wrong: Function) -> Error:
    """Return an error that a cell plants by itself."""

    def make(true: Function, watch: Watch) -> Function:
        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            watch.changed = True
            return wrong(true, *args, **kwargs)

        return altered

    return Error(called, name, (("", make),))
