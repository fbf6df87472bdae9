"""Feed functions bad and extreme values, one argument at a time, and judge what comes out.

The valid call to start from is read off the examples in the documentation, so that a new
function needs no entry anywhere.
"""

import contextlib
import copy
import dataclasses
import doctest
import importlib
import inspect
import io
import pkgutil
import re
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import scipy.sparse

import mipbook
from explorable import checked
from explorable.sphinx import reference

# The accountant of others that `clip_lab` asks off its stops takes two seconds.
# A pool of threads takes address space for each, which is no memory: a gigabyte was too near.
SECONDS, BYTES = 4.0, 1 << 32
LONG = 0.1  # seconds of a call, beyond which a later example is taken


class Slow(BaseException):
    """No ``Exception``, so that nothing under test can catch it."""


@dataclass
class Target:
    """A function or a method: what is called, and the calls seen of it in the examples."""

    name: str
    call: Callable[..., Any]
    docs: tuple[Any, ...]
    # By the docstring whose examples make them: whether an example itself makes the call, the
    # seconds that it took, and the arguments.
    calls: dict[Any, list[tuple[bool, float, dict[str, Any]]]] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.call).parameters)

    def names(self, argument: str, given: dict[str, Any], message: str) -> bool:
        """Tell whether a message names the argument."""
        several = self.parameters[argument].kind is inspect.Parameter.VAR_KEYWORD
        words = "|".join(map(re.escape, given[argument] if several else [argument]))
        return re.search(rf"\b({words})\b", message) is not None

    @property
    def fuzzed(self) -> list[str]:
        return [name for name in self.parameters if name not in ("self", "cls")]


def awkward() -> dict[str, Callable[[], Any]]:
    """Return bad and extreme values that do not depend on the function, each made anew."""
    plain: dict[str, Any] = {
        repr(v): v
        for v in (
            *(None, "text", "", b"raw", True, False, np.nan, np.inf, -np.inf, 1e308, -1e308),
            *(1e-320, -0.0, 0, 0.0, -1, 1, 0.5, 2**63, -(2**63), 1j, (), [], {}, {"a": 1.0}),
            *([[1.0, 2.0], [3.0]], [np.nan, 1.0], [np.inf, 1.0], [1e308, -1e308], [None, 1.0]),
            *([1e-320, 0.0], ["a", "b"], {1.0, 2.0}, [[]], [True, False]),
        )
    }
    made: dict[str, Callable[[], Any]] = {k: partial(copy.copy, v) for k, v in plain.items()}
    return made | {
        "10**400": lambda: 10**400,
        "-10**400": lambda: -(10**400),
        "[10**400, 1]": lambda: [10**400, 1],
        "object()": object,
        "a generator": lambda: (x for x in (1.0, 2.0)),
        "an empty array": lambda: np.zeros(0),
        "a 2x3x4 array": lambda: np.ones((2, 3, 4)),
        "an array without dimension": lambda: np.array(0.5),
        "complex": lambda: np.array([1 + 2j, 3.0]),
        "objects": lambda: np.array([None, 1.0, "a"], dtype=object),
        "dates": lambda: np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
        "a span of time": lambda: np.timedelta64(1, "s"),
        "masked": lambda: np.ma.array([1.0, 2.0], mask=[True, False]),
        "a frame": lambda: pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
        "a mixed frame": lambda: pd.DataFrame({"a": [1.0, None], "b": ["x", "y"]}),
        "a series": lambda: pd.Series([0.5, 0.5], index=[3, 7]),
        "pandas.NA": lambda: pd.NA,
        "sparse": lambda: scipy.sparse.csr_array(np.eye(3)),
    }


def bent(value: Any) -> dict[str, Callable[[], Any]]:
    """Return what is almost the valid value: one entry, the shape, the type or the sign wrong."""
    if isinstance(value, str):
        return {"longer": lambda: value + "x", "capitals": lambda: value.upper()}
    if isinstance(value, int | float) and not isinstance(value, bool):
        halves = {"a half more": lambda: value + 0.5} if isinstance(value, int) else {}
        return halves | {
            "negated": lambda: -value,
            "as text": lambda: str(value),
            "in a list": lambda: [value],
            "times 1e9": lambda: value * 10**9,
        }
    try:
        array = np.asarray(value if isinstance(value, np.ndarray | list | tuple) else ())
    except ValueError:
        return {}
    if array.dtype.kind not in "biuf" or array.size == 0:
        return {}

    def entry(bad: Any, kind: Any = float) -> Callable[[], Any]:
        def make() -> Any:
            changed = array.astype(kind)
            changed.flat[-1] = bad
            return changed

        return make

    changes: dict[str, Callable[[], Any]] = {
        **{f"one entry {b!r}": entry(b) for b in (np.nan, np.inf, -np.inf, 1e308, 1e-320, -1.0)},
        **{f"one entry {b!r}": entry(b, object) for b in (None, "a")},
        **{f"as {k.__name__}": partial(array.astype, k) for k in (str, complex, object, bool)},
        **{f"all {b!r}": partial(np.full, array.shape, b) for b in (1e308, 1e-320, 0.0)},
        "alternating 1e308": lambda: np.resize([1e308, -1e308], array.shape),
        "in a box": lambda: array[None],
        "masked": lambda: np.ma.array(array, mask=np.arange(array.size).reshape(array.shape) == 0),
    }
    if array.ndim:
        changes |= {
            **{f"up to {n}": partial(array.__getitem__, slice(n)) for n in (0, 1, -1)},
            "one more": lambda: np.concatenate([array, array[:1]]),
            "a series or a frame": lambda: pd.DataFrame(array) if array.ndim == 2 else array,
        }
    return changes


def packages() -> Iterator[Any]:
    """Yield every public package of the package, and the rooms that are one module."""
    for found in pkgutil.walk_packages(mipbook.__path__, "mipbook."):
        if found.ispkg or found.name in reference.rooms():
            yield importlib.import_module(found.name)


def _members(name: str, kind: type) -> Iterator[Target]:
    """Yield a class's constructor, if its parameters are documented, and its public methods."""
    if getattr(kind, "_is_protocol", False):
        return
    own = [c for c in kind.__mro__ if c.__module__.startswith("mipbook")]
    methods = {k: v for c in reversed(own) for k, v in vars(c).items()}
    for key, method in methods.items():
        if isinstance(method, staticmethod | classmethod):
            method = method.__func__
        documented = key == "__init__" and "Parameters\n" in (kind.__doc__ or "")
        public = not key.startswith("_") or key == "__call__" or documented
        if public and inspect.isfunction(method):
            where = name if key == "__init__" else f"{name}.{key}"
            yield Target(where, method, (method, kind))


@cache
def targets() -> dict[str, Target]:
    """Return all public functions and methods that take an argument, by dotted name."""
    found: dict[int, Target] = {}
    for package in packages():
        for name in getattr(package, "__all__", ()):
            public, dotted = getattr(package, name), f"{package.__name__}.{name}"
            if inspect.isclass(public):
                if not issubclass(public, Exception):
                    for target in _members(dotted, public):
                        found.setdefault(id(target.call), target)
            elif callable(public) and hasattr(inspect.unwrap(public), "__code__"):
                found.setdefault(id(public), Target(dotted, public, (public,)))
    return {t.name: t for t in found.values() if t.fuzzed}


def copied(value: Any) -> Any:
    """Return a copy that a call may change; what cannot be copied stays as it is."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def arguments(frame: Any) -> dict[str, Any]:
    """Return the arguments of a call that has just begun."""
    code, here = frame.f_code, frame.f_locals
    stars = bool(code.co_flags & 4) + bool(code.co_flags & 8)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]
    return {name: copied(here[name]) for name in names}


@cache
def run_examples(documented: Any) -> None:
    """Run the examples of one docstring and note the calls of all targets in them."""
    by_code = {inspect.unwrap(t.call).__code__: t for t in targets().values()}
    begun: dict[Any, tuple[float, dict[str, Any]]] = {}

    def watch(frame: Any, event: str, _: Any) -> None:
        target = by_code.get(frame.f_code)
        if target is None:
            return
        caller = frame.f_back
        while caller.f_code.co_filename == checked.__file__:
            caller = caller.f_back
        direct = caller.f_code.co_filename.startswith("<doctest")
        if event == "call" and (direct or documented not in target.calls):
            begun[frame] = time.process_time(), arguments(frame)
        elif event == "return" and frame in begun:
            start, given = begun.pop(frame)
            calls = target.calls.setdefault(documented, [])
            calls.append((direct, time.process_time() - start, given))

    for each in (documented, getattr(documented, "__wrapped__", None)):
        getattr(each, "cache_clear", int)()  # else what was asked before is not called
    module = importlib.import_module(documented.__module__)
    finder = doctest.DocTestFinder(recurse=False)
    # Without the check that it is the module's own, which a cached function fails.
    tests = finder.find(documented, documented.__name__, module=False, globs=dict(vars(module)))
    for test in tests:
        sys.setprofile(watch)
        try:
            doctest.DocTestRunner(verbose=False).run(test, out=io.StringIO().write, clear_globs=False)
        finally:
            sys.setprofile(None)


def base_call(target: Target) -> tuple[float, dict[str, Any]]:
    """Return the seconds and the arguments of a call of the target in the examples.

    It is the first that does not take long, of its own examples if these call it, else of the
    nearest: the same one in whatever order and on however many processes the tests run.
    """
    others = (d for t in targets().values() for d in t.docs)
    calls = re.compile(rf"\b{target.name.rsplit('.', 1)[-1]}\(")
    near = sorted(others, key=lambda d: d.__module__ != target.docs[0].__module__)
    for documented in (*target.docs, *(d for d in near if calls.search(d.__doc__ or ""))):
        run_examples(documented)
        if found := target.calls.get(documented):
            return min(found, key=lambda call: (not call[0], call[1] > LONG))[1:]
    raise AssertionError(f"{target.name}: no example calls it")


def holes(value: Any, seen: set[int] | None = None, depth: int = 0) -> bool:
    """Tell whether there is a nan anywhere in a result."""
    seen = set() if seen is None else seen
    if isinstance(value, float | complex | np.number):
        return bool(value != value)
    if isinstance(value, str):
        return re.search(r"\bnan\b", value) is not None and "must be" not in value
    if value is None or depth > 8 or id(value) in seen or isinstance(value, int | type):
        return False
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "O":
            return bool(value.dtype.kind in "fcmM" and (value != value).any())
        value = value.ravel().tolist()
    if type(value).__module__.startswith("plotly"):
        value = value.to_plotly_json()
    elif dataclasses.is_dataclass(value) or type(value).__module__.startswith("mipbook"):
        value = dict(getattr(value, "__dict__", {}))
    inside = value.values() if isinstance(value, dict) else value
    return isinstance(value, dict | list | tuple | set | frozenset) and any(
        holes(each, seen, depth + 1) for each in inside
    )


@contextlib.contextmanager
def limits() -> Iterator[None]:
    """Limit the memory, run what asks for processes in threads, and count time used, not passed."""

    def stop(*_: Any) -> None:
        raise Slow

    statm = Path("/proc/self/statm")  # elsewhere than on Linux the limit has no effect
    used = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, stop)
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, before[1]))
    try:
        with joblib.parallel_config(backend="threading"), warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGPROF, handler)


def complaint(target: Target, given: dict[str, Any], name: str | None, seconds: float) -> str:
    """Make the call; return what is wrong with its outcome, nothing if it is as it should be."""
    signature = inspect.signature(target.call)
    bound = inspect.BoundArguments(signature, {key: copied(given[key]) for key in signature.parameters})
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        result = target.call(*bound.args, **bound.kwargs)
        return "nan in the result" if holes(list(result) if inspect.isgenerator(result) else result) else ""
    except Slow:
        return f"takes more than {seconds:.3g} s"
    except ValueError as error:
        # Some do nothing but to raise one.
        good = "NoReturn" in str(signature.return_annotation)
        good |= name is not None and target.names(name, given, str(error))
        return "" if good else f"ValueError without the name: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def fuzz(target: Target) -> tuple[int, list[str]]:
    """Return the number of calls, and a line for each call whose outcome is wrong."""
    took, base = base_call(target)
    # An example that takes long by itself may take as long again with other values.
    seconds = SECONDS + 3 * took
    count, found = 0, []
    with limits():
        if wrong := complaint(target, base, None, seconds):
            found.append(f"{target.name} as in its example: {wrong}")
        for name in target.fuzzed:
            kind = target.parameters[name].kind
            for text, make in (awkward() | bent(base[name])).items():
                value = make()
                if kind is inspect.Parameter.VAR_POSITIONAL:
                    value = (value,)
                elif kind is inspect.Parameter.VAR_KEYWORD:
                    value = dict.fromkeys(base[name], value)
                count += 1
                if wrong := complaint(target, {**base, name: value}, name, seconds):
                    found.append(f"{target.name}, {name} = {text}: {wrong}")
    return count, found
