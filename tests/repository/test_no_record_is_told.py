"""Nothing that a release, a choice or an audit raises, warns, logs or prints tells a record."""

import contextlib
import logging
import sys
import traceback
import warnings
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression

from explorable import validate
from explorable.private import attempt
from mipbook import audit
from mipbook.base.rounding import Report
from mipbook.choose import choose_epsilon
from mipbook.commands import answers
from mipbook.release import MIPRelease, Release, measure_attack

# In no line of this file, for a traceback quotes the lines that it goes through.
DIGITS = str(7 * 105_028)
SECRET = float(DIGITS) + 0.25
TABLE = SECRET + np.arange(40.0).reshape(20, 2)
LIST = TABLE[:, 0]


rng = partial(np.random.default_rng, 0)


def loud(rows, how="raise"):
    """Tell the records in every way that a learner has."""
    text = f"bad record {np.ravel(rows)[0]}, {rows!r}"
    print(text)
    print(text, file=sys.stderr)
    logging.getLogger("learner").error(text)
    warnings.warn(text, stacklevel=1)
    if how == "raise":
        error = KeyError(text)
        error.add_note(text)
        raise error from ValueError(text)
    return {"nan": np.nan, "text": text, "list": [text], "huge": 1e300 * rows, "none": None}[how]


class Loud(LinearRegression):
    def __init__(self, how="raise", kept=None):
        super().__init__()
        self.how, self.kept = how, kept

    def __repr__(self, N_CHAR_MAX=700):
        return f"Loud({SECRET})"

    def fit(self, X, y=None):
        if self.how == "raise":
            loud(X)
        super().fit(X, X[:, 0] if y is None else y)
        if self.how == "later" and len(X) < len(TABLE):
            loud(X)
        with contextlib.suppress(KeyError):
            loud(X)
        return self

    def predict(self, X):
        return loud(X) if self.how == "predict" else super().predict(X)

    def score(self, *data):
        return loud(data[0])


def bad_data():
    """Every way to give records that cannot be read."""
    holed, huge = TABLE.copy(), TABLE * 1e300
    holed[3, 1] = np.nan
    ragged = [list(TABLE[0]), list(TABLE[1])[:1]]
    masked = np.ma.masked_equal(TABLE, TABLE[1, 1])
    yield from (TABLE, TABLE[:19], LIST, holed, huge, ragged, SECRET, str(SECRET), -TABLE, masked)
    yield from (TABLE.astype(complex), TABLE.astype(str), TABLE.astype(object), TABLE[:0])
    yield from ([Decimal(DIGITS)] * 4, [10**400 + int(DIGITS)] * 4, {"a": LIST}, {SECRET, -SECRET})
    yield from (pd.DataFrame(TABLE), pd.DataFrame(holed), sparse.csr_matrix(TABLE), TABLE[None])
    yield from ([str(SECRET)] * 6, TABLE[:2], [None, SECRET] * 4, LIST.astype(bool), Loud())
    yield from (np.append(LIST, np.inf), SECRET * np.ones((6, 2)), np.full(8, SECRET))
    yield np.array(str(SECRET))


def bad_learners():
    for how in ("raise", "nan", "text", "list", "huge", "none"):
        yield lambda rows, how=how: loud(rows, how)
    yield lambda rows: loud(rows, "raise") if len(rows) < len(TABLE) else rows.mean(axis=0)
    yield lambda rows: rows.ravel() if len(rows) < len(TABLE) else rows.mean(axis=0)
    yield lambda rows: 1e300 * rows.mean(axis=0) if len(rows) < len(TABLE) else rows.mean(axis=0)
    yield lambda rows: rows.mean(axis=0) * (1 if len(rows) == len(TABLE) else np.nan)
    yield from (TABLE, SECRET, str(SECRET), Loud(), Loud("later"), Loud("predict"))
    yield from (Loud("quiet"), KMeans(2, init=TABLE[:2], n_init=1), LogisticRegression())


def releases():
    for data in bad_data():
        yield lambda data=data: MIPRelease(np.mean, 0.1).release(data, rng=rng())
        yield lambda data=data: MIPRelease(Loud("quiet"), 0.2).release(TABLE, data, rng=rng())
        yield lambda data=data: measure_attack(data, data, None, rng())
    for learner in bad_learners():
        for more in ({"fits": 40}, {"sigma": [1.0, 1.0]}, {"sigma": [1.0, 1.0], "fits": 0}):
            for y in (None, LIST):
                asked = {"confidence": 0.9, "swaps": 0, **more}
                yield lambda a=learner, b=asked, y=y: MIPRelease(a, 0.3, **b).release(TABLE, y, rng=rng())


def choices():
    for data in bad_data():
        yield lambda data=data: choose_epsilon(data, clip=2 * SECRET)
        yield lambda data=data: choose_epsilon(TABLE, clip=1.0, mechanism="exponential", objects=data)
    for more in ({"clip": 1e-150}, {"clip": 1e150}, {"target": 0.0}, {"delta": 0.9999999}):
        yield lambda more=more: choose_epsilon(TABLE, **{"clip": 1.0, **more}, by_index=True)


def audits():
    asks = {"n": 5, "models": 4, "challenges": 2}
    flags = np.arange(20) % 2
    for data in bad_data():
        yield lambda data=data: audit.audit_scores(data, flags, rng())
        yield lambda data=data: audit.audit_scores(LIST, data, rng())
        yield lambda data=data: audit.audit_scores(LIST, flags, rng(), other=data, canary=data)
        yield lambda data=data: audit.one_run(data, flags)
        yield lambda data=data: audit.one_run(np.repeat(LIST[:4], 5), flags, guesses=3, rng=[data])
        yield lambda data=data: audit.many_runs(LIST, data, rng=rng())
        yield lambda data=data: audit.right_guesses(data, data, 3)
        yield lambda data=data: audit.lira_scores(data, data, data)
        yield lambda data=data: audit.mean_lower_bound(data)
        yield lambda data=data: audit.betting_wealth(data)
        yield lambda data=data: audit.certify_security(data, rng=rng())
        yield lambda data=data: audit.Shadows(data, data, 3, "mine", "mine")
        yield lambda data=data: audit.shadow_models(LinearRegression(), data, rng=rng(), **asks)
        yield lambda data=data: audit.audit_security(Loud("quiet"), TABLE, data, rng=rng(), **asks)
    for learner in bad_learners():
        yield lambda a=learner: audit.audit_security(a, TABLE, LIST, rng=rng(), **asks)
        yield lambda a=learner: audit.audit_security(a, TABLE, rng=rng(), **asks)
        yield lambda a=learner: audit.audit_security(
            lambda rng, X, y: a, TABLE, LIST, rng=rng(), attack=lambda rows: rows[:, 0] > 0, **asks
        )
        yield lambda a=learner: audit.audit_security(
            LinearRegression(), TABLE, LIST, rng=rng(), attack=a, **asks
        )
    yield lambda: audit.audit_security(Loud(), TABLE, LIST, rng=rng(), n_jobs=2, **asks)
    samplers = [lambda rng, count, how=how: loud(TABLE, how) for how in ("raise", "nan", "text", "list")]
    for draw in (*samplers, lambda rng, count: TABLE):
        yield lambda draw=draw: audit.audit_security(LinearRegression(), draw, rng=rng(), **asks)


def commands(folder):
    rows = [f"{SECRET},1\nx{SECRET},0", f'"1,{DIGITS}",1\n{SECRET},0', f"1,{SECRET}\n2,0"]
    rows += [f"{DIGITS}e300,1\n{SECRET},0", f"{SECRET},1\n{SECRET}", f"{SECRET},1\n{SECRET},1"]
    texts = [f"score,member\n{each}\n" for each in (*rows, f"={SECRET},1\n{SECRET}%,1")]
    for number, text in enumerate([*texts, f"score;member\n{DIGITS},25;1\n{SECRET};0\n"]):
        path = folder / f"{number}.csv"
        path.write_text(text)
        for run in (answers.audit, answers.choose, answers.release):
            yield lambda run=run, path=path: run([str(path)])


def everything_said(call, capsys, caplog):
    """Call, and return all that can be heard, and the exception, if there is one."""
    made = failed = None
    caplog.clear()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            made = call()
        except (Exception, SystemExit) as error:
            failed = error
    said = [*capsys.readouterr(), caplog.text, *(str(w.message) for w in heard)]
    if isinstance(made, Report | Release):
        said += [str(made), repr(made), made._repr_html_()]
    if failed is not None:
        said += [str(failed), repr(failed), *traceback.format_exception(failed)]
    return "\n".join(said), failed


EACH = [pytest.param(releases, marks=pytest.mark.nightly), choices, audits, commands]


@pytest.mark.parametrize("calls", EACH, ids=lambda f: f.__name__)
def test_no_digit_of_a_record_is_told(calls, tmp_path, capsys, caplog):
    refusals, bad = 0, []
    for number, call in enumerate(calls(tmp_path) if calls is commands else calls()):
        said, failed = everything_said(call, capsys, caplog)
        refusals += isinstance(failed, ValueError)
        if DIGITS in said or (failed and (failed.__cause__ or failed.__context__)):
            bad.append(f"{number}: {said[:300]}")
        if isinstance(failed, RuntimeError):
            bad.append(f"{number}, not in our own words: {said[:500]}")
    assert not bad, f"{len(bad)}:\n" + "\n".join(bad[:20])
    assert refusals >= 20


def test_the_test_hears_a_record(capsys, caplog):
    """Planted: the same calls without the mechanism are found out."""
    for call, times in (
        (lambda: loud(TABLE), 6),
        (lambda: validate.array("data", [[SECRET, str(SECRET)]], ndim=2), 1),
        (lambda: attempt("fit", loud, "on data", loud, TABLE), 6),
    ):
        assert everything_said(call, capsys, caplog)[0].count(DIGITS) >= times
    assert DIGITS in caplog.text
