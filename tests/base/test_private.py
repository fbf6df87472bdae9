"""What a message shows while records are hidden, and what of an exception gets out."""

import logging
import sys
import traceback
import warnings

import numpy as np
import pytest
from shared import refused

from explorable import validate
from explorable.private import attempt, is_private, private, unheard

SECRET = 41.5 * 3


def word(value):
    return f"row {value}"


@private("X", also=("eta",))
def checked(X, scale=1.0, call=None):
    validate.number("scale", scale, 0.0, 2.0)
    if call is not None:
        return attempt("call", call, "on X", call, X)
    if isinstance(X, dict):
        raise X["error"]
    return validate.array("X", X, 0.0, 1.0, ndim=1)


def said(*given, **named):
    with pytest.raises((ValueError, RuntimeError, MemoryError)) as caught:
        checked(*given, **named)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    assert str(SECRET) not in "".join(traceback.format_exception(error))
    names = [f.name for f in traceback.extract_tb(error.__traceback__)]
    assert names == ["said", "wrapper"], "no frame that held a record"
    assert not is_private()
    return error


def test_shapes_stand_for_values_and_settings_are_shown():
    for X, scale, told in (
        ([SECRET], 1.0, "X = float: must be"),
        ([np.nan], 1.0, "X = nan: must be"),
        (np.full((2, 3), SECRET), 1.0, "X = ndarray of shape (2, 3): must be"),
        (str(SECRET), 1.0, "X = str of length 5: must be"),
        ([0.5], 3.0, "scale = 3.0: must be"),
        ([0.5], np.array([SECRET]), "scale = ndarray of shape (1,)"),
    ):
        assert str(said(X, scale=scale)).startswith(told)
    assert checked([0.5]).tolist() == [0.5]
    refused(r"^X = 124\.5: must be", validate.array, "X", [SECRET], 0.0, 1.0)


def test_an_exception_in_other_words_is_named_by_kind_and_place():
    def odd(words):
        error = KeyError(words)
        error.add_note(words)
        return {"error": error}

    error = said(odd(word(SECRET)))
    assert isinstance(error, RuntimeError)
    assert str(error) == "checked failed (KeyError); what it says may hold records"
    assert isinstance(said({"error": MemoryError(word(SECRET))}), MemoryError)

    def fails(X):
        raise ZeroDivisionError(word(X)) from ValueError(word(X))

    told = str(said([SECRET], call=fails))
    assert told.startswith("call = fails: failed on X (ZeroDivisionError); call it yourself")


def test_within_two_hidden_calls_only_what_both_show_is_shown():
    @private("data")
    def outer(data, eta):
        return checked([0.5], scale=data)

    refused(r"^scale = float: must be", outer, SECRET, 0.1)


def test_silence_is_shared_and_given_back(capsys, caplog):
    before = sys.stdout, logging.root.manager.disable, warnings.filters[:]
    with unheard() as heard:
        with unheard():
            print("one")
        print("two")
        print("three", file=sys.stderr)
        logging.getLogger("here").error("four")
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("five", stacklevel=1)
    assert len(heard) == 1
    assert capsys.readouterr() == ("", "")
    assert not caplog.text
    assert before == (sys.stdout, logging.root.manager.disable, warnings.filters[:])
