"""Audit a model by attacking it, and a sceptic who bets on many models, one after the other."""

import dataclasses
import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from mipbook.audit import betting_wealth
from mipbook.audit.examples import (
    EXAMPLES,
    LEARNERS,
    MODELS,
    SETTINGS,
    example_table,
    learnt_rule,
    shadows_on,
    table_audit,
)
from mipbook.figures.mis.rows import over_rows, scored

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


# Left of zero stand those whom a model knows by heart, in columns of so many; so far apart they are.
_COLUMN, _APART, _HEART = 7, (0.08, 0.12), (-0.82, -0.02)


def _placed(errors):
    """Return where people stand: each at the error, and those without any heaped up left of zero."""
    rank, by_heart = np.empty(len(errors), int), np.abs(errors) < 1e-9
    rank[by_heart] = np.arange(by_heart.sum())
    place, up = np.divmod(rank, _COLUMN)
    x = np.where(by_heart, _HEART[1] - _APART[0] * (place + 0.6), errors)
    return x, np.where(by_heart, _APART[1] * (up - _COLUMN // 2), 0.38 * k.strewn(len(errors)))


def _errors(file, estimator):
    """Draw members and others, each at the error that the model makes."""
    table, read = _read(file)
    found, ends = table_audit(table, estimator, MODELS[-1]), {0: "0, a coin toss", 1: "1, certain"}
    off = {np.mean(_HEART): "nothing", 1: "1", 2: "2", 3: "3"}
    rows = []
    for who, one, errors, at, look in (
        ("members", "a member", found.members, 1, k.IN),
        ("others", "another", found.others, 0, k.OUT),
    ):
        (x, y), hover = _placed(errors), f"{one}, off by %{{customdata:.2f}}"
        rows.append(k.points(who, x, at + y, look, size=6, opacity=0.75, customdata=errors, hover=hover))
    return k.part(
        k.area("known by heart", np.take(_HEART, [0, 1, 1, 0]), [-0.5, -0.5, 1.5, 1.5], k.LEVEL),
        rows,
        x=k.axis("the model is off by, in deviations", off, range=[_HEART[0], 3], zeroline=False),
        y=k.axis("", {0: "others", 1: "members"}, range=[-0.5, 1.5], showgrid=False, zeroline=False),
        x2=k.axis("Δ, what an attack may gain", ends, range=[-0.15, 1.15]),
        y2=k.unseen(-0.9, 2.1),
        rows=(0.55, 0.22),
        height=440,
        showlegend=False,
        ghost=[],
        read=read,
    )


_ENDS = ["so much is proved", "not excluded"]


def _certificate(file, estimator, models):
    """Draw what Δ can be, what the attack reached with its t-interval, and say what that proves."""
    report = table_audit(_read(file)[0], estimator, models).report
    certified, estimate = k.at_least(report.certified), k.about(report.estimate)
    low, high = report.asymptotic
    # What is proved is full, and what is not excluded pale.
    at, up = report.certified, [0.6, 0.6, 1.4, 1.4, 0.6]
    full, pale = np.array([[0, at, at, 0, 0], [at, 1, 1, at, at]])
    # The attack may lie outside of its interval, which ends at 0 and 1.
    reach = [min(low, report.estimate)], [max(high, report.estimate)]
    interval = k.error_bars([report.estimate], *reach, thickness=2)
    span = k.words(k.about, low=low, high=high)
    proved = (
        "So the security of {name} on this table is at most {security}, and it is not differentially private "
        "with any ε below {epsilon} (bounds, 95%)."
        if report.certified > 0
        else "This attack proves nothing about {name} (bound, 95%)."
    )
    return k.part(
        k.area("proved", full, up, k.MIS, fillcolor=k.MIS.colour, lower=True),
        k.area("not excluded", pale, up, k.MIS, lower=True),
        k.level("Δ (bound)", at, [0.4, 1.6], k.MIS, lower=True),
        k.points(
            "attack (estimate)", report.estimate, -0.05, k.ATTACK, size=15, lower=True, error_x=interval
        ),
        k.text("this one", report.estimate, -0.62, "this attack", lower=True),
        k.text("ends", [0, 1], 1.85, _ENDS, textposition=["middle right", "middle left"], lower=True),
        table=[
            ["quantity", "value"],
            ["Δ, at least", k.told("{value} (bound, 95%)", value=certified)],
            ["Δ of the attack", k.told("{value} (estimate)", value=estimate)],
            ["its t-interval", k.told("{low} to {high} (95%, asymptotic)", **span)],
        ],
        headline="Right at least {right}" if report.certified > 0 else "These {tested} models prove nothing",
        sentence="Half of the models train the attack; in the other {tested} it finds {found} of the members "
        f"and accuses {{accused}} of the others (estimates). {proved} No "
        "number of models can prove that it is safe.",
        alt="Members and others as dots, by how far off {name} is. Below them, on a Δ axis from 0 to 1: a "
        "bar that is full up to the certified {certified} and pale to 1, and a diamond at {estimate} with "
        "its t-interval.",
        **k.words(name=_NAMES[estimator], found=k.about(report.found, k.percent)),
        **k.words(accused=k.about(report.accused, k.percent), tested=report.tested),
        right=k.at_least((1 + report.certified) / 2, k.in_100),
        security=k.at_most(math.ceil(1e3 * report.security_at_most) / 1e3),
        epsilon=k.at_least(math.floor(100 * report.epsilon_at_least()) / 100) if report.certified > 0 else "",
        **k.words(certified=certified, estimate=estimate),
    )


@k.figure
def audit_lab(
    file: Annotated[
        str | k.UploadedFile, k.File(EXAMPLE_TARGETS, roles=TARGET_ROLES, label="Data")
    ] = EXAMPLE_TARGETS[0],
    estimator: Annotated[str, k.Choice(LEARNERS, label="Learner")] = "tree",
    models: Annotated[int, k.Count(MODELS, label="Models", play=True)] = MODELS[-1],
):
    """Draw members and others at their errors, and what an attack certifies.

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


# --- A sceptic bets on each model ---------------------------------------------------------------

# So many models are asked, one after the other; an error up to this is that of a record known by heart.
_MODELS, _HAIR, _ASKED = 16, 0.03, 2 * SETTINGS["challenges"]
_CONFIDENCE = 0.95
_GOAL = round(1 / (1 - _CONFIDENCE))
# Where the people stand whom a model is asked about: members, and further right strangers.
_PEOPLE = np.arange(_ASKED // 2)
_STAND = np.array([_PEOPLE % 5, -(_PEOPLE // 5)])
_FURTHER = 7
# What each learner makes of people.
_ONE = {"tree": "tree", "linear": "line"}


@k.cache
def _sorted(file, estimator):
    """Return about which members and which strangers the attack is right, model by model."""
    table = example_table(file)
    seen = shadows_on(np.ascontiguousarray(table).tobytes(), table.shape[1], estimator).first(_MODELS)
    member, other = (errors[:, :, 2] <= _HAIR for errors in (seen.inside, seen.outside))
    return member, ~other


@k.cache
def _right(file, estimator):
    """Return about how many records the attack is right, model by model."""
    return np.sum([each.sum(axis=1) for each in _sorted(file, estimator)], axis=0)


@k.cache
def _full(file, estimator):
    """Return the sceptic's coins after each model, and the model that fills her pile; 0 if none does."""
    wealth = betting_wealth(_right(file, estimator) / _ASKED, 0.5, _CONFIDENCE)
    full = np.flatnonzero(wealth >= _GOAL * (1 - 1e-9))
    if not full.size:
        return wealth, 0
    # She stops at a full pile, and keeps it.
    wealth[full[0] :] = wealth[full[0]]
    return wealth, int(full[0]) + 1


def _table(estimator):
    """Draw the table of the game, and the pile that is enough."""
    across, who = [0.2, _MODELS + 0.8], {"lower": True, "textfont": {"color": [k.BLUE, k.ORANGE], "size": 15}}
    top, middle = 2 * _GOAL - 2, _STAND[0].mean().round()
    asked, said = [1, 5, 10, 15], [f"{_ONE[estimator]} 1", "5", "10", "15"]
    return k.part(
        k.area("convinced", [across[i] for i in (0, 0, 1, 1)], [_GOAL, top, top, _GOAL], k.MIS),
        k.level("enough to believe", across, _GOAL, dataclasses.replace(k.READING, dash="dash", width=2)),
        k.text("so many", [0.4], [_GOAL + 3], "<b>convinced</b>", textposition="middle right"),
        k.text("who", [middle, middle + _FURTHER], [1.1] * 2, ["members", "strangers"], **who),
        x=k.axis("", range=across, tickvals=asked, ticktext=said, ticks="", showgrid=False),
        y=k.axis("her coins", range=[0, top], nticks=4, showgrid=False),
        x2=k.unseen(-0.9, 4.9 + _FURTHER),
        y2=k.unseen(-5.4, 1.7),
        rows=(0.56, 0.08),
        layout={"margin": {"b": 10}},
        height=510,
        showlegend=False,
        ghost=[],
    )


def _judged(who, look, x, y, right, **more):
    """Draw people, and crosses in their places where the attack is not right."""
    cross = k.READING.with_symbol("x")
    return [
        k.points(f"{who} told {how}", x[some], y[some], own, **k.QUIET, **more)
        for how, some, own in (("right", right, look), ("wrong", ~right, cross))
    ]


def _wood(file, estimator, asked):
    """Draw the members and the strangers of the last tree, a cross where the attack is wrong."""
    (x, y), small = _STAND, {"size": 14, "lower": True}
    members, others = (right[asked - 1] for right in _sorted(file, estimator))
    hits = int(members.sum() + others.sum())
    said = k.told(
        "{one} {asked}: <b>{hits}</b> of {each} right, ✖ wrong",
        one=_ONE[estimator],
        asked=asked,
        hits=hits,
        each=_ASKED,
    )
    return k.part(
        _judged("members", k.IN.with_symbol("circle"), x, y, members, **small),
        _judged("strangers", k.OUT.with_symbol("diamond"), x + _FURTHER, y, others, **small),
        k.text(
            "the last",
            [2 + _FURTHER / 2],
            [-4.6],
            [said],
            lower=True,
            cliponaxis=False,
            textfont={"size": 15, "color": k.INK},
        ),
        of=int(_right(file, estimator)[:asked].sum()),
        records=_ASKED * asked,
    )


def _belief(file, estimator):
    """Draw where the pile is full, and let the trees be held."""
    wealth, first = _full(file, estimator)
    at = first or None
    flag = k.MIS.but(dash="dot", width=2)
    return k.part(
        k.curve("she believes it", [at, at], [0, wealth[first - 1]], flag, hoverinfo="skip"),
        grab=k.drag("asked", np.arange(1, _MODELS + 1), wealth),
    )


def _pile(file, estimator, asked):
    """Draw the sceptic's pile after each bet; a full one is kept."""
    wealth, first = _full(file, estimator)
    done = 0 < first <= asked
    bets, keeps = np.arange(1, (first if done else asked) + 1), wealth[first - 1]
    # A full pile stays hers: she no longer bets on the models after it.
    rest = [first + 0.4, *range(first + 1, _MODELS + 1)] if done and first < _MODELS else [None]
    over, more = "she has stopped" if rest[0] else " ", {"width": 0.8, "hover": "after %{x}: %{y:.3g} coins"}
    one = _ONE[estimator]
    models = f"{{asked}} {one}s" if asked > 1 else f"one {one}"
    head = f"{{coins}} of {{goal}} coins after {models}"
    told = "With {coins} of {goal} coins she is not convinced."
    if done:
        head = f"Her pile is full after {{first}} {one}s"
        told = f"After {{first}} {one}s her pile was full, and she stopped betting; if no {one} told "
        told += "anything, that would happen at most once in {goal} games."
    return k.part(
        k.bars("her coins", bets, k.short(wealth[bets - 1]), k.MIS, "-", **more),
        k.level("and keeps them", rest, keeps, k.MIS.but(width=4)),
        k.text("the rest", [(first + 1 + _MODELS) / 2], [keeps + (3 if keeps < 1.6 * _GOAL else -3)], [over]),
        headline=head,
        sentence=f"The spy was right {{of}} times of {{records}} (exact). {told}",
        alt="Bars, her coins after each model, and a dashed line at {goal} coins. "
        f"{'The first bar beyond it is the last, and a line holds its height. ' * bool(rest[0])}"
        "Below stand twenty members and twenty strangers of the last of {asked} models, a cross where he was "
        "wrong.",
        **({"first": first} if done else {"coins": k.exact(wealth[asked - 1], digits=3)}),
        **k.words(goal=_GOAL, asked=asked),
    )


@k.figure
def audit_bets(
    asked: Annotated[int, k.Slider(1, _MODELS, step=1, label="Models asked", play=True)] = 1,
    file: Annotated[str, k.Choice(EXAMPLES, label="Table")] = EXAMPLES[0],
    estimator: Annotated[
        str, k.Choice({"a tree": "tree", "a straight line": "linear"}, label="Learner")
    ] = "tree",
):
    """Draw models that are attacked one after the other, and a coin that is bet on each.

    Notes
    -----
    Limits paper, Theorem 6 and Section 7.  The attack says *member* where a model is off by nearly
    nothing; it is fixed before any model is trained.

    Examples
    --------
    >>> audit_bets(16, EXAMPLES[2], "linear").layout.meta["headline"]
    '1 of 20 coins after 16 lines'
    """
    return _table, _wood, _belief, _pile


# --- A spy who is tested on the models that taught him -------------------------------------------

_CUTS = k.Slider(1, 19, 19, step=1, label="Cuts in his rule", play=True)
_TAUGHT, _OTHERS = "tested on the models that taught him", "tested on other models"
# How far the line goes, on which members stand at 1 and strangers at 0.
_FAR = 2.7


def _line():
    """Draw what no rule changes: on other models, which tell nothing, he tosses a coin."""
    said, look = "shaded: he says <b>in</b>", {"textposition": "middle right", "textfont": {"color": k.BLUE}}
    return k.part(
        k.text("shaded", [0.05 - _FAR], [1.86], said, **look),
        scored(0.0, 1.8, _OTHERS, 50, k.MIS),
        x=k.axis("a person's number", range=[-_FAR, _FAR], showgrid=False, zeroline=False),
        y=k.axis("", range=[-0.6, 2.1], tickvals=[0, 1], ticktext=["strangers", "members"], showgrid=False),
        **over_rows(0.5, 0.18, (-1.4, 7.5), height=420),
        layout={"margin": {"b": 10}},
    )


def _rule(cuts):
    """Shade where he says *in*, and count about whom he is right of those who taught him."""
    rule = learnt_rule(cuts)
    ends, people = np.array([-_FAR, *rule.cuts, _FAR]), np.ones(len(rule.numbers))
    # Each piece is closed by itself, and a gap follows.
    pieces = [ends for *ends, says in zip(ends[:-1], ends[1:], rule.says, strict=True) if says]
    x = [at for left, right in pieces for at in (left, left, right, right, None)]
    y = [-0.6, 1.6, 1.6, -0.6, None] * len(pieces)
    area = {"fill": "toself", "line": {"width": 0}, "hoverinfo": "skip"}
    sides = zip(("members", "strangers"), (k.IN, k.OUT), (1, 0), rule.numbers.T, rule.right.T, strict=True)
    same = float(rule.right.mean())
    return k.part(
        k.curve("he says in", x, y, k.IN, **area),
        (_judged(who, look, x, row * people, right, size=11) for who, look, row, x, right in sides),
        scored(5.0, 1.8, _TAUGHT, 100 * same, k.MIS),
        headline="He seems right {same}",
        sentence="Tested on these {models} models, he would prove a Δ of {claimed}, though they tell "
        "nothing. On other models he is right {coin} (exact).",
        alt="Members above and strangers below on a line, shaded where the rule with {cuts} "
        f"cut{'s' * (cuts > 1)} says in. Below, rows of a hundred: {{same}} on the models that taught him, "
        "{coin} on others.",
        **k.words(models=len(rule.numbers), claimed=k.at_least(rule.claimed), cuts=cuts),
        **k.words(k.exact, k.in_100, same=same, coin=0.5),
    )


@k.figure
def audit_peek(cuts: Annotated[int, _CUTS] = 19):
    """Draw a spy's rule, learnt from models that tell nothing, tested on those and on others.

    Notes
    -----
    Limits paper, Section 7: the attack is learnt on other models than those that test it.

    Examples
    --------
    >>> audit_peek(1).layout.meta["headline"]
    'He seems right 62.5 times in 100'
    """
    return _line, _rule
