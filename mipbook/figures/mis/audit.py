"""Audit a model by attacking it, and what a certificate is worth as the tested models grow in number."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from mipbook.audit import mean_lower_bound
from mipbook.audit.examples import EXAMPLES, LEARNERS, MODELS, table_audit
from mipbook.mis.known import KNOWN_LEARNERS, best_attack_scores, known_delta

# --- Audit a model ------------------------------------------------------------------------------

EXAMPLE_TARGETS = EXAMPLES
# The learners' names in a sentence.
_NAMES = dict(zip(LEARNERS, ("a linear fit", "a ridge fit", "5-NN", "a tree", "a forest"), strict=True))
_KNOWN = ("target", "y", "outcome", "label")
TARGET_ROLES = (
    Role("target", "Target", "is the target", "is the target", known=_KNOWN, otherwise="last"),
    Role("features", "Features", "", "are the features", many=True, otherwise="rest", most=20),
)


@k.few
def _read(file):
    """Return features with the target in the last column, and what was read of an own file."""
    if not isinstance(file, k.UploadedFile):
        return file, ""
    reading = read_columns(file.text, TARGET_ROLES, file.columns)
    reading.check_records(24, 5000)
    return reading.numbers("features", "target"), reading.say()


def _errors(file, estimator):
    """Draw the errors on members and on others."""
    table, read = _read(file)
    found = table_audit(table, estimator, MODELS[-1])
    shares, over = np.linspace(0, 1, len(found.members)), "%{y:.0%} have an error of at most %{x:.2f}"
    return k.part(
        k.curve("members", found.members, shares, k.IN, hover=f"of members {over}"),
        k.curve("others", found.others, shares, k.OUT, hover=f"of others {over}"),
        x=k.axis("error, in deviations of the target", range=[-0.04, 3]),
        y=k.axis("share of records", range=[-0.03, 1.03]),
        x2=k.axis("Δ", range=[-0.02, 1.03]),
        y2={"visible": False, "range": [-0.7, 1.7]},
        rows=(0.62, 0.25),
        height=430,
        beside=0.6,
        probe=["members", "others"],
        read=read,
    )


def _certificate(file, estimator, models):
    """Draw what Δ can be, what the attack reached with its t-interval, and say what that proves."""
    report = table_audit(_read(file)[0], estimator, models).report
    (low, high), fit = report.asymptotic, report.models - report.tested
    ends = {
        "symbol": ["line-ns-open", "circle"],
        "size": [20, 6],
        "line": {"width": 3},
        "color": k.MIS.colour,
    }
    thick = {"mode": "lines+markers", "marker": ends, "line": {"color": k.MIS.colour, "width": 6}}
    # The attack may lie outside of its interval, which ends at 0 and 1.
    interval = k.error_bars(
        [report.estimate], [min(low, report.estimate)], [max(high, report.estimate)], thickness=2
    )
    proved = (
        "So the security of {name} on this table is at most {security}, and it is not differentially private "
        "with any ε below {epsilon} (bounds, 95%)."
        if report.certified > 0
        else "This attack proves nothing about {name} (bound, 95%)."
    )
    return k.part(
        k.curve("Δ (bound)", [report.certified, 1.0], [1, 1], k.MIS, lower=True, **thick),
        k.points("attack (estimate)", report.estimate, 0, k.ATTACK, size=12, lower=True, error_x=interval),
        table=[
            ["quantity", "value"],
            ["Δ, at least", k.told("{value} (bound, 95%)", value=k.at_least(report.certified))],
            ["Δ of the attack", k.told("{value} (estimate)", value=k.about(report.estimate))],
            [
                "its t-interval",
                k.told("{low} to {high} (95%, asymptotic)", **k.words(k.about, low=low, high=high)),
            ],
            ["models", k.told("{fit} train the attack, {test} test it", fit=fit, test=report.tested)],
            ["a model", k.told("{n} records, asked about {c} and {c}", n=report.n, c=report.challenges)],
        ],
        headline="Security at most {security}",
        sentence="The attack finds {found} of the members and accuses {accused} of the others (estimates, "
        f"{{tested}} models). {proved} No number of models can prove that it is safe.",
        alt="The share of records with at most a given error, members and others, for {name}. Beside it, on "
        "a Δ axis from 0 to 1: a thick line from the certified {certified} to 1, and a diamond at {estimate} "
        "with its t-interval.",
        name=_NAMES[estimator],
        found=k.about(report.found, k.percent),
        accused=k.about(report.accused, k.percent),
        tested=report.tested,
        security=k.at_most(math.ceil(1e3 * report.security_at_most) / 1e3),
        epsilon=k.at_least(math.floor(100 * report.epsilon_at_least()) / 100) if report.certified > 0 else "",
        certified=k.at_least(report.certified),
        estimate=k.about(report.estimate),
    )


@k.figure
def audit_lab(
    file: Annotated[
        str | k.UploadedFile, k.File(EXAMPLE_TARGETS, roles=TARGET_ROLES, label="Data")
    ] = EXAMPLE_TARGETS[0],
    estimator: Annotated[str, k.Choice(LEARNERS, label="Learner")] = "tree",
    models: Annotated[int, k.Count(MODELS, label="Models", play=True)] = MODELS[-1],
):
    """Draw the losses of members and of others, and what an attack certifies.

    Notes
    -----
    Limits paper, Theorem 6 and Section 7: `mipbook.audit.audit_security`.  A file has columns
    for `TARGET_ROLES`, the last one being the target by default, and 24 to 5,000 records.  Each
    model is trained on 40 draws from the table; half of the models train the attack.

    Examples
    --------
    >>> audit_lab(estimator="tree", models=20).layout.meta["table"][0]
    ['quantity', 'value']
    """
    return _errors, _certificate


# --- The certificate against the number of models -----------------------------------------------

_SIZES = [
    *(10, 12, 15, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250, 300, 400, 500),
    *(600, 800, 1000, 1200, 1500, 1800, 2000),
]
_SHORT = dict(zip(("mean", "histogram", "memory"), KNOWN_LEARNERS, strict=True))
_truth = k.cache(known_delta)


@k.cache
def _scores(learner, challenges):
    return best_attack_scores(learner, _SIZES[-1], challenges, np.random.default_rng(130))


@k.cache
def _reached(learner, challenges, confidence, models):
    """Return the attack's value and its two lower bounds, as a Delta each."""
    scores = _scores(learner, challenges)[:models]
    bounds = (mean_lower_bound(scores, confidence, method) for method in ("betting", "bernstein"))
    return tuple(max(0.0, 2 * mean - 1) for mean in (float(scores.mean()), *bounds))


def _bounds(learner, challenges, confidence):
    truth, over = _truth(learner), "%{x:,} models: %{y:.0%} of the truth"
    every = np.array([_reached(learner, challenges, confidence, models) for models in _SIZES]) / truth
    value, betting, bernstein = every.T
    who = learner if learner[0] == "a" else f"the {learner}"
    return k.part(
        k.curve("attack (estimate)", _SIZES, value, k.ATTACK.estimate(), hover=over),
        k.curve("betting (bound)", _SIZES, betting, k.MIS.bound(), hover=over),
        k.curve("Bernstein (bound)", _SIZES, bernstein, k.PUBLISHED, most=9, hover=over),
        k.level("truth (exact)", [10, 2000], 1, k.MIS),
        x=k.axis("tested models", log=True, range=[1, 3.35]),
        y=k.axis("Δ, as a share of the truth", range=[-0.02, 1.8], tickformat=".0%"),
        height=420,
        grab=k.drag("models", _SIZES, betting),
        sentence=f"Of {who} Δ is {{truth}} (exact){{over}}. {{certified}}; empirical Bernstein {{other}}. "
        "The attack reaches {reached} (estimate).",
        alt="Delta as a share of the truth against the number of tested models, 10 to 2,000, log axis: the "
        "truth is a level line at 1, the estimate wavers around it, and two certified bounds rise towards it "
        "from below, betting from {betting_first} to {betting_last} and Bernstein from {bernstein_first} to "
        "{bernstein_last}.",
        truth=truth,
        betting_first=betting[0],
        betting_last=betting[-1],
        bernstein_first=bernstein[0],
        bernstein_last=bernstein[-1],
    )


def _tested(learner, models, challenges, confidence):
    truth = _truth(learner)
    reached, first, second = _reached(learner, challenges, confidence, models)
    what = "Δ ≥ {delta}, a security of at most {security}" if first > 0 else "nothing"
    certified = k.told(
        f"With {{models}} models the betting bound certifies {what} (bound, {{sure}})",
        models=models,
        delta=k.at_least(first),
        security=k.at_most(1 - first),
        sure=k.exact(confidence, k.sure),
    )
    # How far the certificate is from the truth.
    ends = {"symbol": "line-ew-open", "size": 14, "line": {"width": 3}, "color": k.READING.colour}
    thick = {"mode": "lines+markers", "marker": ends, "line": {"color": k.READING.colour, "width": 5}}
    gap = [first / truth, 1.0]
    return k.part(
        k.curve("certificate to truth", [models, models], gap, k.READING, hoverinfo="skip", **thick),
        k.reading(models, second / truth, "Bernstein here"),
        headline="{share} of the leak certified",
        share=k.at_least(first / truth, k.percent, 2),
        certified=certified,
        other=k.told("Δ ≥ {delta}", delta=k.at_least(second)) if second > 0 else "nothing",
        reached=k.about(reached),
        over="; the bound has missed it, as it may in a few cases" if first > truth else "",
    )


@k.figure
def certificate(
    learner: Annotated[str, k.Choice(_SHORT, label="Learner")] = KNOWN_LEARNERS[0],
    models: Annotated[int, k.Count(_SIZES, label="Models tested", play=True)] = 200,
    challenges: Annotated[int, k.Count([1, 5], label="Records a model")] = 5,
    confidence: Annotated[float, k.Stops([0.9, 0.95, 0.99], label="Confidence")] = 0.95,
):
    """Draw certified lower bounds on Delta against the number of tested models.

    Notes
    -----
    Limits paper, Theorem 6 and Section 7.  The attack is the best one and fixed beforehand, so
    what is left between bound and truth is the price of certainty.

    Examples
    --------
    >>> "Δ is 0.107 (exact)" in certificate().layout.meta["sentence"]
    True
    """
    return _bounds, _tested
