"""The rules in a signature check arguments, and leave the function what it was."""

from __future__ import annotations

import importlib
import inspect
import math
import pickle
import pkgutil
import re
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from shared import refused

import mipbook
from explorable import validate
from explorable.checked import Integer, checked, plain, rules_of
from explorable.private import private
from mipbook.base.types import Rate, Rates

READ = Path(__file__).parents[1] / "data" / "declared_rules.txt"


Trials = Annotated[int, Integer(1, 100)]


@checked
def expected(rate: Rate, trials: Trials = 10, *more: float, scale: Rates = (1, 1), **named: float) -> Any:
    """Multiply."""
    return rate, trials, more, scale, named


def test_a_body_gets_what_the_rules_return_also_for_defaults():
    rate, trials, more, scale, named = expected(0.5, 3.0, 7.0, other=2.0)
    assert (rate, trials, more, named) == (0.5, 3, (7.0,), {"other": 2.0})
    assert isinstance(trials, int)
    assert isinstance(scale, np.ndarray)
    assert expected(rate=1, scale=[0.5])[3].tolist() == [0.5]
    assert type(expected(1)[0]) is float


def test_a_refusal_is_the_hand_written_one():
    unit, whole = r"must be a real number in \[0, 1\]$", r"must be an integer in \[1, 100\]$"
    refused(f"^rate = 2: {unit}", expected, 2)
    refused(f"^trials = 101: {whole}", expected, 0.5, trials=101)
    refused(f"^scale = 2.0: {unit}", expected, 0.5, scale=[2.0])


def test_a_checked_function_is_documented_signed_and_pickled_as_before_and_says_what_a_call_lacks():
    with pytest.raises(TypeError, match=r"expected\(\) missing 1 required positional argument: 'rate'"):
        expected()
    with pytest.raises(TypeError, match="multiple values for argument 'rate'"):
        expected(0.5, rate=0.5)
    assert expected.__doc__ == "Multiply."
    assert str(inspect.signature(expected)).startswith("(rate: 'Rate', trials: 'Trials' = 10, *more")
    assert pickle.loads(pickle.dumps(expected)) is expected
    assert plain(expected)(7.0)[0] == 7.0


def test_where_no_message_may_hold_a_value_the_checks_are_inside():
    @private("rate")
    @checked
    def secret(rate: Rate) -> float:
        return rate

    refused("rate = float: must be a real number", secret, 1234.5)
    with pytest.raises(TypeError, match="put @private above @checked"):
        checked(secret)


def held():
    """Yield what the package's modules and classes hold."""
    for found in pkgutil.walk_packages(mipbook.__path__, "mipbook."):
        if found.name != "mipbook.__main__":
            module = importlib.import_module(found.name)
            kinds = [v for v in vars(module).values() if inspect.isclass(v)]
            for place in (module, *(kind for kind in kinds if kind.__module__ == found.name)):
                yield from (getattr(value, "__func__", value) for value in vars(place).values())


@cache
def every_checked():
    """Return all checked functions of the package, whatever else they are wrapped in."""
    found = {}
    for function in held():
        while callable(function):
            if plain(function) is not function:
                found[f"{function.__module__}.{function.__qualname__}"] = function
            function = getattr(function, "__wrapped__", None)
    return found


BAD = [None, "", "text", math.nan, -math.inf, math.inf, -1, 0, 0.5, 1, 2.5, 10**400, 1j, True, (), {}]
BAD += [[0.5, math.nan], [[1.0], [2.0, 3.0]], np.zeros(0), np.ones((2, 3, 4)), object(), [-1.0, 2.0], ["a"]]


@pytest.mark.parametrize("name", sorted(every_checked()))
def test_every_checked_function_refuses_what_its_rules_refuse_before_it_starts(name):
    function = every_checked()[name]
    signature = inspect.signature(function)
    assert rules_of(function), "a function without rules needs no @checked"
    for argument, rule in rules_of(function).items():
        default = signature.parameters[argument].default
        if default is not inspect.Parameter.empty:
            rule.accepts(argument, default)
        times = 0
        for bad in BAD:
            try:
                rule.accepts(argument, bad)
            except ValueError:
                times += 1
                # The other arguments are missing, so the function cannot have started.
                refused(rf"(?s)^{argument} = .*must be ", function, **{argument: bad})
        assert times, f"the rule of {argument} takes all of {BAD}"


def declared():
    """Return a line for each argument of a checked function: what its rule takes."""
    # A figure's rules are its controls, which the pages show.
    maths = {name: f for name, f in every_checked().items() if not name.startswith("mipbook.figures")}
    rules = {f"{name}({a}): {r!r}" for name, f in maths.items() for a, r in rules_of(f).items()}
    return "".join(re.sub(r" at 0x\w+", "", f"{rule}\n") for rule in sorted(rules))


def test_the_rules_are_those_that_were_read():
    """A bound that moves shows in a diff; with PYTHONPATH=tests this module writes them anew."""
    assert declared() == READ.read_text(encoding="utf-8")


if __name__ == "__main__":
    READ.write_text(declared(), encoding="utf-8")


UNIT = partial(validate.array, low=0.0, high=1.0, open_low=True)
EVEN = partial(validate.integer, low=2, high=6, multiple_of=2)
DIGIT = partial(validate.integer, low=0, high=9)
FLAGS = partial(validate.flags, ndim=1)
KIND = partial(validate.choice, allowed=("a", "b"))
RAGGED = ([[0.1, 0.2], [0.3]], [[1], 2], [object()], {}, 10**5000)
NO_REALS = (np.nan, "0.5", None, True, 1j, [0.5, np.nan], ["a"], [Fraction(1, 2), True], Decimal("nan"))
REFUSED = [
    (UNIT, (-1.0, 2.0, *NO_REALS), r"x = .*: must be a real number in \(0, 1\]"),
    (UNIT, [[1.0, -3.0, -4.0]], r"x = -3\.0: "),
    (partial(validate.array, low=0.0, open_high=True), [np.inf], r"x = inf: .* in \[0, inf\)"),
    (partial(validate.array, low=0.0, open_low=True), [0.0], r"x = 0\.0: .* in \(0, inf\]"),
    (partial(validate.array, ndim=1), [0.5], "x = .* an array with 1 dimension, each entry"),
    (validate.array, [np.ma.array([0.1, 0.9], mask=[False, True])], "x = .*no entry masked"),
    *((check, RAGGED, "x = .*: must be ") for check in (validate.array, validate.number)),
    (validate.number, [10**400], r"x = 1000.*at most 1.8e\+308"),
    (EVEN, (1.5, np.nan, "2", None, 1, 8, 3, np.inf), r"x = .*: must be an even integer in \[2, 6\]"),
    # Numbers in the range, were they numbers.
    (DIGIT, (True, np.True_, np.timedelta64(4, "s"), *RAGGED), "x = .*: must be an integer in"),
    (FLAGS, ([1, 0], [[True]], "yes", None), "x = .*: must be a boolean array with 1 dimension$"),
    (validate.flags, RAGGED, "x = .*: must be a boolean array"),
    (validate.probability_vector, ([0.5, 0.6], [], [1.1, -0.1], 1.0, ["a"], [np.nan, 1.0]), "x = "),
    (KIND, ["c"], "x = 'c': must be one of 'a', 'b'"),
    (KIND, [np.array([1, 2])], "x = array"),
    (validate.generator, (-1, True, 3.0, "3", np.random.RandomState(0)), "x = .*must be a numpy.random.Gen"),
    (partial(validate.generator, seeds=False), [3], "x = 3: must be a numpy.random.Generator"),
]


@pytest.mark.parametrize(("check", "values", "told"), REFUSED)
def test_a_bad_value_is_refused_by_name(check, values, told):
    for bad in values:
        refused(f"(?s)^{told}", check, "x", bad)


def test_long_values_are_cut():
    refused(r"^.{,130}\.\.\.: must be.{,15}$", validate.refuse, "x", "a" * 500, "short")


def test_what_counts_as_a_number_is_taken():
    assert validate.array("x", [0.0, np.inf], 0.0).tolist() == [0.0, np.inf]
    assert validate.array("x", [Decimal("0.5"), 2**65]).tolist() == [0.5, 2.0**65]
    assert validate.array("x", np.ma.array([0.1, 0.9])).tolist() == [0.1, 0.9]
    assert validate.number("x", 2**70) == 2.0**70
    assert validate.number("x", Fraction(1, 4)) == 0.25
    assert EVEN("n", 4.0) == EVEN("n", np.int32(4)) == 4
    assert FLAGS("member", [True, False]).tolist() == [True, False]
    assert KIND("kind", "a") == "a"
    if np.finfo(np.longdouble).max > np.finfo(float).max:
        refused("^x = ", validate.array, "x", np.longdouble("1e4000"), high=1.0)


def test_a_generator_is_given_seeded_or_fresh():
    rng = np.random.default_rng(3)
    assert validate.generator("rng", rng) is rng
    assert validate.generator("rng", np.int64(3)).random() == np.random.default_rng(3).random()
    assert validate.generator("rng", None).random() != validate.generator("rng", None).random()
