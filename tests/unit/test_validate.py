"""One clear ValueError: the argument, the value, what is allowed."""

from __future__ import annotations

import numpy as np
import pytest

from mipbook import validate


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


@pytest.mark.parametrize("bad", [1.5, np.nan, "2", True, None, 1, 8, 3, np.inf])
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
