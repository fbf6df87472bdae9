"""One clear ValueError: the argument, the value, what is allowed."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from explorable import validate


@pytest.mark.parametrize("bad", [np.nan, -1.0, 2.0, "0.5", None, True, 1j, [0.5, np.nan], ["a"]])
def test_array_refuses(bad):
    with pytest.raises(ValueError, match=r"^epsilon = .*: must be a real number in \(0, 1\]"):
        validate.array("epsilon", bad, 0.0, 1.0, open_low=True)


def test_array_ends():
    assert validate.array("x", [0.0, np.inf], 0.0).tolist() == [0.0, np.inf]
    with pytest.raises(ValueError, match=r"x = inf: must be a real number in \[0, inf\)"):
        validate.array("x", np.inf, 0.0, open_high=True)
    with pytest.raises(ValueError, match=r"x = 0.0: must be a real number in \(0, inf\]"):
        validate.array("x", 0.0, 0.0, open_low=True)
    with pytest.raises(ValueError, match="1 dimension, each entry"):
        validate.array("x", 0.5, ndim=1)


def test_the_first_bad_entry_is_named():
    with pytest.raises(ValueError, match=r"x = -3\.0"):
        validate.array("x", [1.0, -3.0, -4.0], 0.0)


def test_long_values_are_cut():
    with pytest.raises(ValueError, match=r"\.\.\.: must be") as caught:
        validate.refuse("x", "a" * 500, "short")
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("bad", [1.5, np.nan, "2", True, None, 1, 8, 3, np.inf, np.timedelta64(4, "s")])
def test_integer_refuses(bad):
    with pytest.raises(ValueError, match=r"^n = .*: must be an even integer in \[2, 6\]"):
        validate.integer("n", bad, 2, 6, multiple_of=2)


def test_integer_takes_whole_floats_and_numpy():
    assert validate.integer("n", 4.0, 2) == 4
    assert validate.integer("n", np.int32(4), 2) == 4


@pytest.mark.parametrize("bad", [[0.5, 0.6], [], [1.1, -0.1], 1.0, ["a"], [np.nan, 1.0]])
def test_probability_vector_refuses(bad):
    with pytest.raises(ValueError, match="^p = "):
        validate.probability_vector("p", bad)


def test_choice_and_generator():
    assert validate.choice("kind", "a", ("a", "b")) == "a"
    with pytest.raises(ValueError, match="kind = 'c': must be one of 'a', 'b'"):
        validate.choice("kind", "c", ("a", "b"))
    with pytest.raises(ValueError, match="kind = array"):
        validate.choice("kind", np.array([1, 2]), (1, 2))
    with pytest.raises(ValueError, match="rng = 3: must be a numpy.random.Generator"):
        validate.generator("rng", 3)


@pytest.mark.parametrize("bad", [[[0.1, 0.2], [0.3]], [[1], 2], [object()], {}, 10**5000], ids=type)
def test_whatever_numpy_cannot_hold_is_refused_by_name(bad):
    for check in (validate.array, validate.number):
        with pytest.raises(ValueError, match="^sigma = .*: must be "):
            check("sigma", bad)
    with pytest.raises(ValueError, match="^members = .*: must be a boolean array"):
        validate.flags("members", bad)
    with pytest.raises(ValueError, match="^n = .*: must be an integer in"):
        validate.integer("n", bad, 0, 9)


def test_numbers_of_other_libraries_count_as_numbers():
    assert validate.number("x", 2**70) == 2.0**70
    assert validate.number("x", Fraction(1, 4)) == 0.25
    assert validate.array("x", [Decimal("0.5"), 2**65]).tolist() == [0.5, 2.0**65]
    with pytest.raises(ValueError, match="^x = 1000.*at most 1.8e\\+308"):
        validate.number("x", 10**400)
    for bad in (Decimal("nan"), [Fraction(1, 2), True], [None, 1]):
        with pytest.raises(ValueError, match="^x = "):
            validate.array("x", bad)
    if np.finfo(np.longdouble).max > np.finfo(float).max:
        with pytest.raises(ValueError, match="^x = "):
            validate.array("x", np.longdouble("1e4000"), high=1.0)


def test_masked_entries_do_not_come_back():
    hidden = np.ma.array([0.1, 0.9], mask=[False, True])
    with pytest.raises(ValueError, match="(?s)^x = .*no entry masked"):
        validate.array("x", hidden)
    assert validate.array("x", np.ma.array([0.1, 0.9])).tolist() == [0.1, 0.9]


def test_flags():
    assert validate.flags("member", [True, False], 1).tolist() == [True, False]
    for bad in ([1, 0], [[True]], "yes", None):
        with pytest.raises(ValueError, match="^member = .*with 1 dimension$"):
            validate.flags("member", bad, 1)
