"""Arguments checked by what the signature says of them, before a function starts.

::

    Rate = Annotated[float, Number(0, 1)]

    @checked
    def expected(rate: Rate, trials: Annotated[int, Integer(1)] = 10) -> float:
        return rate * trials

Whatever stands beside a type in ``Annotated`` and has ``accepts(name, value)`` is a rule: those
here, and the controls of a panel.  It returns what the body gets, also for a default, or raises a
``ValueError`` that names the argument, the value and what is allowed.  ``Rate | None`` lets None
pass.  What depends on two arguments stays a line of the body.

Above ``functools.lru_cache`` it lets the cache see checked arguments, above ``dataclass`` it
checks the fields.  An inner loop calls ``expected.__wrapped__``, the function without its checks.
A function whose records no message may hold is marked with `explorable.private.private` above
`checked`.
"""

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Annotated, Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from explorable import validate
from explorable.private import hides

# A decorator of this shape keeps all that a type checker knows of a function, or of a class.
F = TypeVar("F", bound=Callable[..., Any])


class Accepts(Protocol):
    """What checks one argument."""

    def accepts(self, name: str, value: Any) -> Any:
        """Return the value as the function gets it, or raise ``ValueError``."""


class Rule:
    """One of the checks in `explorable.validate`, with what it is given beside name and value.

    Examples
    --------
    >>> Rule(validate.integer, 1, 6).accepts("eyes", 3.0)
    3
    >>> Integer(1, 6).accepts("eyes", 7)
    Traceback (most recent call last):
    ...
    ValueError: eyes = 7: must be an integer in [1, 6]
    """

    def __init__(self, check: Callable[..., Any], *given: Any, **named: Any) -> None:
        self.check, self.given, self.named = check, given, named

    def accepts(self, name: str, value: Any) -> Any:
        """Return what the check returns."""
        return self.check(name, value, *self.given, **self.named)

    def __repr__(self) -> str:
        named = (f"{name}={value!r}" for name, value in self.named.items())
        return f"{self.check.__name__}({', '.join([*map(repr, self.given), *named])})"


Number = functools.partial(Rule, validate.number)
Integer = functools.partial(Rule, validate.integer)
Size = functools.partial(Rule, validate.size)
Numbers = functools.partial(Rule, validate.array)
Squarable = functools.partial(Rule, validate.squarable)
Chances = functools.partial(Rule, validate.chances)
Distribution = functools.partial(Rule, validate.probability_vector)
Flags = functools.partial(Rule, validate.flags)
Rows = functools.partial(Rule, validate.rows)
Row = functools.partial(Rule, validate.record)
OneOf = functools.partial(Rule, validate.choice)
Switched = functools.partial(Rule, validate.switch)
Text = functools.partial(Rule, validate.text)
Place = functools.partial(Rule, validate.path)
Called = functools.partial(Rule, validate.function)
Instance = functools.partial(Rule, validate.instance)
Generator = functools.partial(Rule, validate.generator)
Processes = functools.partial(Rule, validate.jobs)


class _OrNone:
    def __init__(self, rule: Accepts) -> None:
        self.rule = rule

    def accepts(self, name: str, value: Any) -> Any:
        return None if value is None else self.rule.accepts(name, value)

    def __repr__(self) -> str:
        return f"None or {self.rule!r}"


def _rule(hint: Any) -> Accepts | None:
    if get_origin(hint) is Annotated:
        return next((extra for extra in get_args(hint)[1:] if hasattr(extra, "accepts")), None)
    if get_origin(hint) in (Union, types.UnionType) and types.NoneType in get_args(hint):
        inner = next(filter(None, map(_rule, get_args(hint))), None)
        return inner and _OrNone(inner)
    return None


def rules_of(function: Callable[..., Any]) -> dict[str, Accepts]:
    """Return the rules in a function's signature, by the names of its parameters.

    Examples
    --------
    >>> def expected(rate: Annotated[float, Number(0, 1)], trials: int): ...
    >>> rules_of(expected)
    {'rate': number(0, 1)}
    """
    plain = inspect.unwrap(function)
    hints = get_type_hints(plain, include_extras=True) if inspect.isfunction(plain) else {}
    return {name: rule for name, hint in hints.items() if name != "return" and (rule := _rule(hint))}


def _read(function: Callable[..., Any]) -> tuple[dict[str, Accepts], dict[str, int], dict[str, Any]]:
    """Return the rules by parameter, its place among the arguments, and defaults as the rules change them."""
    rules, places, defaults = rules_of(function), {}, {}
    for place, (name, p) in enumerate(inspect.signature(function).parameters.items()):
        if name in rules and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            places[name] = sys.maxsize if p.kind is p.KEYWORD_ONLY else place
            made = p.default if p.default is p.empty else rules[name].accepts(name, p.default)
            if type(made) is not type(p.default):
                defaults[name] = made
    return rules, places, defaults


def plain(function: Any) -> Any:
    """Return the function inside, if it is under `checked`; else what is given.

    Examples
    --------
    >>> plain(checked(abs)) is abs
    True
    """
    return function.__wrapped__ if getattr(function, "__code__", None) is _CODE else function


def checked(function: F) -> F:
    """Check the arguments of each call by the rules in the signature.

    Above ``dataclass`` it checks the fields.

    Examples
    --------
    >>> @checked
    ... def expected(rate: Annotated[float, Number(0, 1)], trials: Annotated[int, Integer(1)] = 10):
    ...     return rate * trials
    >>> expected(0.5), expected.__wrapped__(2)
    (5.0, 20)
    >>> expected(2)
    Traceback (most recent call last):
    ...
    ValueError: rate = 2: must be a real number in [0, 1]
    """
    made: Any = function
    if isinstance(function, type):
        made.__init__ = checked(made.__init__)
        return function
    if hides(function):
        raise TypeError(f"{function.__qualname__}: put @private above @checked, which shows values")
    # Read at the first call.
    read = functools.cache(functools.partial(_read, function))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        rules, places, defaults = read()
        taken, named = list(args), dict(kwargs)
        for name, place in places.items():
            if place < len(args):
                taken[place] = rules[name].accepts(name, args[place])
        for name, value in kwargs.items():
            if name in rules:
                named[name] = rules[name].accepts(name, value)
        for name, value in defaults.items():
            if places[name] >= len(args) and name not in kwargs:
                named[name] = value
        return made(*taken, **named)

    if hasattr(function, "cache_clear"):  # who empties caches finds this one
        call.__dict__["cache_clear"] = function.cache_clear
    checked_call: Any = call
    return checked_call  # type: ignore[no-any-return]


_CODE = checked(abs).__code__
