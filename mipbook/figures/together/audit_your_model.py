"""What right guesses about canaries prove, how often, and what choosing afterwards spoils."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import audit
from mipbook.audit.examples import TABLE, proof_table

CANARIES = k.Count(TABLE["canaries"], 1000, label="Canaries, m", play=True)
_METHODS = {
    "gaussian": ("for Gaussian privacy alone (bound)", k.SERIES[3], None),
    "published": ("as published (bound)", k.PUBLISHED, 9),
    "sharp": ("sharp (bound)", k.BEST.bound(), None),
}
_TOP = 14.0
_SAID = "%{x}% right: ε at least about %{y:.2f}"


def _proof_frame():
    return k.part(
        x=k.axis("right guesses, %", range=[49, 101]),
        y=k.axis("ε that is proved", range=[-0.3, _TOP]),
        height=420,
        headline="ε is at least {sharp}",
        sentence="{right} of {guesses} guesses are right, on {canaries} canaries: ε is at least {sharp} "
        "(bound, 95%, δ = 10⁻⁵, a canary added or removed). The published formula proves {published}; for a "
        "run that hides like Gaussian noise, and for no other, it is at least {gaussian} (bounds). All right "
        "would prove {ceiling} (exact).",
        alt="The ε that is proved against the share of right guesses, from 50% to 100%, for {guesses} "
        "guesses on {canaries} canaries. Three curves rise from 0, slowly and then steeply at the right end: "
        "sharp and published lie nearly on each other and end at {ceiling} and {formula}; the one for "
        "Gaussian privacy is above them. At {share}% they are at {sharp}, {published} and {gaussian}.",
        probe=[_METHODS[method][0] for method in ("sharp", "published", "gaussian")],
    )


def _proofs(canaries, guessed):
    table, shares = proof_table(canaries, guessed), list(TABLE["right"])
    return k.part(
        [
            k.curve(name, shares, getattr(table, method), look, most=most, hover=_SAID)
            for method, (name, look, most) in _METHODS.items()
        ],
        grab=k.drag("right", shares, table.sharp),
        guesses=table.guesses,
        canaries=canaries,
        ceiling=float(audit.canary_ceiling(table.guesses, TABLE["delta"], canaries)),
        formula=float(table.published[-1]),
    )


def _proved(right, canaries, guessed):
    table, at = proof_table(canaries, guessed), TABLE["right"].index(right)
    found = {method: float(getattr(table, method)[at]) for method in _METHODS}
    others = [found[method] for method in ("published", "gaussian") if found[method] <= _TOP]
    ring = k.SERIES[3].with_symbol("circle-open")
    return k.part(
        k.points("the other methods", [right] * len(others), others, ring, showlegend=False),
        k.reading(right, found["sharp"], "at your share", hover=_SAID),
        right=int(table.right[at]),
        share=right,
        **{method: k.at_least(value) for method, value in found.items()},
    )


@k.figure
def one_run_proof(
    right: Annotated[int, k.Slider(50, 100, 80, step=1, label="Right guesses", unit="%", play=True)] = 80,
    canaries: Annotated[int, CANARIES] = 1000,
    guessed: Annotated[float, k.Choice({"all": 1.0, "a fifth": 0.2}, label="Guessed")] = 1.0,
):
    """Draw the epsilon that one run proves against the share of right guesses.

    Notes
    -----
    At delta = 1e-5 and 95% confidence; `mipbook.audit.canary_epsilon` and `canary_mu`, stored.

    Examples
    --------
    >>> one_run_proof().layout.meta["headline"]
    'ε is at least 1.25'
    """
    return _proof_frame, _proofs, _proved


_TRUE = k.Slider(0.25, 8, 2.0, step=0.25, label="True ε", play=True)
_STOPS = np.array(_TRUE.stops)
_MEDIAN = "the median run (exact)"
_TOLD = "true ε = %{x}: %{y:.2f} is proved"


@k.few
def _quantiles(canaries):
    """Return the quantiles of what is proved, by share of the runs and true epsilon."""
    return np.asarray(audit.proof_quantile(np.array([[0.05], [0.5], [0.95]]), canaries, _STOPS))


def _coverage_frame():
    return k.part(
        x=k.axis("true ε", range=[0, 8.2]),
        y=k.axis("ε that is proved", range=[0, 8.4]),
        height=420,
        headline="{median} is proved of {epsilon}",
        sentence="Randomised response at ε = {epsilon}, all {canaries} canaries guessed: the median run "
        "proves {median}, nine runs of ten {low} to {high} (exact, δ = 0). The bound holds in {right} of the "
        "runs (exact; 95% is promised). No run can prove more than {ceiling}.",
        alt="The ε that is proved against the true one, 0 to 8. A band around a rising curve lies below the "
        "diagonal and flattens at {ceiling}, the ceiling for {canaries} canaries. At {epsilon} the curve is "
        "at {median}, the band from {low} to {high}.",
        probe=[_MEDIAN],
    )


def _coverage(canaries):
    low, median, high = _quantiles(canaries)
    ceiling = float(audit.canary_ceiling(canaries))
    return k.part(
        k.level("the truth", [0, 8.2], [0, 8.2]),
        k.level("every guess right (exact)", [0, 8.2], ceiling, k.BEST.bound()),
        k.band("nine runs of ten (exact)", _STOPS, low, high, k.BEST),
        k.curve(_MEDIAN, _STOPS, median, k.BEST, hover=_TOLD),
        grab=k.drag("epsilon", _STOPS, median),
        canaries=canaries,
        ceiling=k.at_most(ceiling),
    )


def _covered(epsilon, canaries):
    # At a stop it is a point of the curves.
    if epsilon in _STOPS:
        found = _quantiles(canaries)[:, np.flatnonzero(epsilon == _STOPS)[0]]
    else:
        found = np.asarray(audit.proof_quantile([0.05, 0.5, 0.95], canaries, epsilon))
    return k.part(
        k.reading(epsilon, found[1], "at your ε", hover=_TOLD),
        epsilon=epsilon,
        right=k.at_least(1.0 - audit.false_alarm(canaries, epsilon), k.percent),
        **{name: k.at_least(value) for name, value in zip(("low", "median", "high"), found, strict=True)},
    )


@k.figure
def audit_coverage(epsilon: Annotated[float, _TRUE] = 2.0, canaries: Annotated[int, CANARIES] = 1000):
    """Draw what an audit of randomised response proves against its true epsilon.

    Notes
    -----
    Exact, by the binomial: `mipbook.audit.proof_quantile` and `false_alarm`.

    Examples
    --------
    >>> audit_coverage().layout.meta["headline"]
    '1.83 is proved of 2'
    """
    return _coverage_frame, _coverage, _covered


_MADE = 1000
_NUMBERS = (*range(1, 13), 14, 16, 18, 20, 22, 25, 28, 30, 33, 36, 40, 45, 50)
_AFTER, _SHARED = "chosen after looking (exact)", "5% shared among all (exact)"
_TRIED = "%{x} numbers tried: %{y:.1%} false alarms"


def _tried(numbers):
    """Return so many numbers of guesses, in equal steps up to all canaries."""
    return np.round(np.arange(1, numbers + 1) * _MADE / numbers)


@k.cache
def _alarms(shared):
    return np.array([audit.false_alarm(_tried(n), corrected=shared) for n in _NUMBERS])


@k.cache
def _needed(numbers, shared):
    confidence = 1 - 0.05 / (numbers if shared else 1)
    return np.asarray(audit.right_needed(0.0, _tried(numbers), confidence=confidence))


@k.cache
def _walk(run):
    """Return how many guesses are right, the surest first, where all are coin tosses."""
    right = np.random.default_rng((172, run)).random(_MADE) < 0.5
    return np.concatenate([[0], np.cumsum(right)])


def _looks_frame():
    after = _alarms(False)
    return k.part(
        k.level("5%, as promised", [0, 51], 0.05, lower=True),
        k.curve(_AFTER, _NUMBERS, after, k.OUT, hover=_TRIED, lower=True),
        k.curve(_SHARED, _NUMBERS, _alarms(True), k.BEST, hover=_TRIED, lower=True),
        x=k.axis("guesses made, the surest first", range=[0, 1020]),
        y=k.axis("right, beyond half", range=[-55, 55]),
        x2=k.axis("numbers of guesses tried", range=[0, 51]),
        y2=k.axis("false alarms", range=[0, 0.4], tickformat=".0%"),
        rows=(0.5, 0.2),
        height=480,
        headline="{alarms} false alarms",
        sentence="A run that reveals nothing is audited with {numbers}: {alarms} of such audits claim a leak "
        "(exact; 5% is promised). Run {run}: {verdict}.",
        alt="Above, right guesses beyond half of the guesses made, for the surest guess first: a jagged line "
        "of run {run}, and {marks} at heights that would be an alarm; {verdict}. Below, the share of false "
        "alarms against the numbers tried: one curve rises from 5% to {most}, the other stays below 5%.",
        probe=[_AFTER, _SHARED],
        most=k.exact(float(after[-1]), k.percent),
    )


def _path(run):
    made = np.arange(_MADE + 1)
    name, beyond = "right guesses of a run without a leak", _walk(run) - made / 2
    return k.part(k.curve(name, made, beyond, k.ATTACK, hoverinfo="skip"), run=run)


def _border(numbers, shared):
    tried, needed, alarms = _tried(numbers), _needed(numbers, shared), _alarms(shared)
    at = float(alarms[_NUMBERS.index(numbers)])
    name, single = "so many would be an alarm (exact)", numbers == 1
    many = k.told("the best of {count} numbers", count=numbers)
    return k.part(
        k.points(name, tried, needed - tried / 2, k.OUT, hoverinfo="skip"),
        k.reading(numbers, at, "at your number", hover=_TRIED, lower=True),
        grab=k.drag("numbers", _NUMBERS, alarms, along="x2", at="y2"),
        numbers="one number of guesses" if single else many,
        marks=k.told("{count} mark" if single else "{count} marks", count=numbers),
        alarms=k.exact(at, k.percent),
    )


def _verdict(numbers, run, shared):
    tried = _tried(numbers).astype(int)
    over = _walk(run)[tried] >= _needed(numbers, shared)
    alarm = k.told("a false alarm after {first} guesses", first=k.exact(tried[over.argmax()], str))
    return k.part(verdict=alarm if over.any() else "no alarm, as it should be")


@k.figure
def chosen_afterwards(
    numbers: Annotated[int, k.Count(_NUMBERS, 8, label="Numbers tried", play=True)] = 8,
    run: Annotated[int, k.Count(range(1, 16), 1, label="Run", play=True)] = 1,
    shared: Annotated[bool, k.Choice({"after looking": False, "5% shared": True}, label="Guesses")] = False,
):
    """Draw how often the best of several numbers of guesses accuses a run that reveals nothing.

    Notes
    -----
    1,000 canaries, epsilon = 0, delta = 0, numbers in equal steps: `mipbook.audit.false_alarm`.

    Examples
    --------
    >>> chosen_afterwards(1).layout.meta["headline"]
    '4.68% false alarms'
    """
    return _looks_frame, _path, _border, _verdict
