"""The rules in a signature check arguments, and leave the function what it was."""

from __future__ import annotations

import importlib
import inspect
import math
import pickle
import pkgutil
import re
import sys
import types
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from shared import refused

import mipbook
from explorable import validate
from explorable.checked import Integer, checked, plain, rules_of
from explorable.checks import plant
from explorable.checks.plant import claims
from explorable.private import private
from mipbook.base.types import Count, Rate, Rates

READ = Path(__file__).parents[1] / "data" / "declared_rules.txt"


@checked
def expected(
    rate: Rate,
    trials: Annotated[int, Integer(1, 100)] = 10,
    *more: float,
    scale: Rates = (1, 1),
    **named: float,
) -> Any:
    """Multiply."""
    return rate, trials, more, scale, named


class Urn:
    @checked
    def __init__(self, balls: Count) -> None:
        self.balls = balls

    @classmethod
    @checked
    def of(cls, balls: Count, times: Count | None = None) -> Urn:
        return cls(balls * (times or 1))


def test_a_body_gets_what_the_rules_return_also_for_defaults():
    rate, trials, more, scale, named = expected(0.5, 3.0, 7.0, other=2.0)
    assert (rate, trials, more, named) == (0.5, 3, (7.0,), {"other": 2.0})
    assert isinstance(trials, int)
    assert isinstance(scale, np.ndarray)
    assert expected(rate=1, scale=[0.5])[3].tolist() == [0.5]
    assert type(expected(1)[0]) is float
    assert Urn.of(2, times=np.int64(3)).balls == 6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected(2), "rate = 2: must be a real number in [0, 1]"),
        (lambda: expected(0.5, 0.5), "trials = 0.5: must be an integer in [1, 100]"),
        (lambda: expected(0.5, trials=101), "trials = 101: must be an integer in [1, 100]"),
        (lambda: expected(0.5, scale=[2.0]), "scale = 2.0: must be a real number in [0, 1]"),
        (lambda: Urn(0), "balls = 0: must be an integer, at least 1"),
        (lambda: Urn.of(1, 0), "times = 0: must be an integer, at least 1"),
    ],
)
def test_a_refusal_is_the_hand_written_one(call, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        call()
    assert str(error.value) == message


def test_a_call_that_does_not_fit_is_the_functions_own_error():
    with pytest.raises(TypeError, match=r"expected\(\) missing 1 required positional argument: 'rate'"):
        expected()
    with pytest.raises(TypeError, match="multiple values for argument 'rate'"):
        expected(0.5, rate=0.5)


def test_a_checked_function_is_documented_signed_and_pickled_as_before():
    assert expected.__doc__ == "Multiply."
    assert str(inspect.signature(expected)).startswith("(rate: 'Rate', trials: 'Annotated")
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


def test_planted_errors_find_a_checked_function(monkeypatch):
    place = types.ModuleType("mipbook.urn")
    place.__dict__.update(checked=checked, Rate=Rate)
    source = "from __future__ import annotations\n@checked\ndef drawn_share(rate: Rate): return rate"
    exec(source, place.__dict__)
    monkeypatch.setitem(sys.modules, "mipbook.urn", place)
    plant._modules.cache_clear()
    assert [called.name for called in claims({"drawn_share"})] == ["drawn_share"]
    plant._modules.cache_clear()


def held() -> Iterator[Any]:
    """Yield what the package's modules and classes hold."""
    for found in pkgutil.walk_packages(mipbook.__path__, "mipbook."):
        if not found.name.startswith("mipbook.__main__"):
            module = importlib.import_module(found.name)
            kinds = [v for v in vars(module).values() if inspect.isclass(v)]
            for place in (module, *(kind for kind in kinds if kind.__module__ == found.name)):
                yield from (getattr(value, "__func__", value) for value in vars(place).values())


@cache
def every_checked() -> dict[str, Any]:
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


def declared() -> str:
    """Return a line for each argument of a checked function: what its rule takes."""
    # A figure's rules are its controls, which the pages show.
    maths = {name: f for name, f in every_checked().items() if not name.startswith("mipbook.figures")}
    rules = {f"{name}({a}): {r!r}" for name, f in maths.items() for a, r in rules_of(f).items()}
    return "".join(re.sub(r" at 0x\w+", "", f"{rule}\n") for rule in sorted(rules))


def test_the_rules_are_those_that_were_read():
    """A bound that moves shows in a diff; ``python -m tests.base.test_checked`` writes them anew."""
    assert declared() == READ.read_text(encoding="utf-8")


if __name__ == "__main__":
    READ.write_text(declared(), encoding="utf-8")


# --- One clear ValueError: the argument, the value, what is allowed -------------------------------


def test_array_refuses():
    allowed = r"^epsilon = .*: must be a real number in \(0, 1\]"
    for bad in (np.nan, -1.0, 2.0, "0.5", None, True, 1j, [0.5, np.nan], ["a"]):
        refused(allowed, validate.array, "epsilon", bad, 0.0, 1.0, open_low=True)


def test_array_ends():
    assert validate.array("x", [0.0, np.inf], 0.0).tolist() == [0.0, np.inf]
    refused(r"x = inf: must be a real number in \[0, inf\)", validate.array, "x", np.inf, 0.0, open_high=True)
    refused(r"x = 0.0: must be a real number in \(0, inf\]", validate.array, "x", 0.0, 0.0, open_low=True)
    refused("1 dimension, each entry", validate.array, "x", 0.5, ndim=1)


def test_the_first_bad_entry_is_named():
    refused(r"x = -3\.0", validate.array, "x", [1.0, -3.0, -4.0], 0.0)


def test_long_values_are_cut():
    with pytest.raises(ValueError, match=r"\.\.\.: must be") as caught:
        validate.refuse("x", "a" * 500, "short")
    assert len(str(caught.value)) < 150


def test_integer_refuses():
    allowed = r"^n = .*: must be an even integer in \[2, 6\]"
    for bad in (1.5, np.nan, "2", None, 1, 8, 3, np.inf):
        refused(allowed, validate.integer, "n", bad, 2, 6, multiple_of=2)
    # Numbers in the range, were they numbers.
    for bad in (True, np.True_, np.timedelta64(4, "s")):
        refused("^n = .*: must be an integer in", validate.integer, "n", bad, 0, 9)


def test_integer_takes_whole_floats_and_numpy():
    assert validate.integer("n", 4.0, 2) == 4
    assert validate.integer("n", np.int32(4), 2) == 4


def test_probability_vector_refuses():
    for bad in ([0.5, 0.6], [], [1.1, -0.1], 1.0, ["a"], [np.nan, 1.0]):
        refused("^p = ", validate.probability_vector, "p", bad)


def test_choice_and_generator():
    assert validate.choice("kind", "a", ("a", "b")) == "a"
    refused("kind = 'c': must be one of 'a', 'b'", validate.choice, "kind", "c", ("a", "b"))
    refused("kind = array", validate.choice, "kind", np.array([1, 2]), (1, 2))
    rng = np.random.default_rng(3)
    assert validate.generator("rng", rng) is rng
    assert validate.generator("rng", np.int64(3)).random() == np.random.default_rng(3).random()
    assert validate.generator("rng", None).random() != validate.generator("rng", None).random()
    for bad in (-1, True, 3.0, "3", np.random.RandomState(0)):
        refused("rng = .*must be a numpy.random.Generator", validate.generator, "rng", bad)
    refused("rng = 3: must be a numpy.random.Generator", validate.generator, "rng", 3, seeds=False)


@pytest.mark.parametrize("bad", [[[0.1, 0.2], [0.3]], [[1], 2], [object()], {}, 10**5000], ids=type)
def test_whatever_numpy_cannot_hold_is_refused_by_name(bad):
    for check in (validate.array, validate.number):
        refused("^sigma = .*: must be ", check, "sigma", bad)
    refused("^members = .*: must be a boolean array", validate.flags, "members", bad)
    refused("^n = .*: must be an integer in", validate.integer, "n", bad, 0, 9)


def test_numbers_of_other_libraries_count_as_numbers():
    assert validate.number("x", 2**70) == 2.0**70
    assert validate.number("x", Fraction(1, 4)) == 0.25
    assert validate.array("x", [Decimal("0.5"), 2**65]).tolist() == [0.5, 2.0**65]
    refused("^x = 1000.*at most 1.8e\\+308", validate.number, "x", 10**400)
    for bad in (Decimal("nan"), [Fraction(1, 2), True], [None, 1]):
        refused("^x = ", validate.array, "x", bad)
    if np.finfo(np.longdouble).max > np.finfo(float).max:
        refused("^x = ", validate.array, "x", np.longdouble("1e4000"), high=1.0)


def test_masked_entries_do_not_come_back():
    hidden = np.ma.array([0.1, 0.9], mask=[False, True])
    refused("(?s)^x = .*no entry masked", validate.array, "x", hidden)
    assert validate.array("x", np.ma.array([0.1, 0.9])).tolist() == [0.1, 0.9]


def test_flags():
    assert validate.flags("member", [True, False], 1).tolist() == [True, False]
    for bad in ([1, 0], [[True]], "yes", None):
        refused("^member = .*with 1 dimension$", validate.flags, "member", bad, 1)
