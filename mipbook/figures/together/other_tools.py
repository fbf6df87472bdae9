"""Answers of other tools on a scale that holds every error: logarithmic to both sides of the truth."""

import math
from typing import Annotated

import mipbook.figures.kit as k
from mipbook.stored.tools import DELTAS, EPSILONS, ROUNDING, tool_answers

_LOOKS = {
    "right": k.SERIES[0].with_symbol("circle"),
    "safe": k.SERIES[2].with_symbol("triangle-up"),
    "unsafe": k.SERIES[1].with_symbol("triangle-down"),
    "no promise": k.LEVEL.with_symbol("diamond-open"),
}
# An error of 1e-16 is none; from there on a decade is one unit, to either side.
_NONE = 16
# The names of the tools begin left of the scale.
_NAMES, _LEFT, _RIGHT = -46.0, -18.0, 21.0


def _place(error):
    """Return where an error stands on the axis.

    Examples
    --------
    >>> _place(0.01), _place(-0.01), _place(0.0)
    (14.0, -14.0, 0.0)
    """
    if abs(error) <= 10.0**-_NONE:
        return 0.0
    return math.copysign(_NONE + math.log10(abs(error)), error)


def _off(error):
    """Say how far an answer is off, without the side.

    Examples
    --------
    >>> _off(-0.065), _off(9000.0), _off(2e-9)
    ('6.5%', '9,001 times', '2.00 × 10⁻⁹')
    """
    if error >= 9:
        return k.times(error + 1) if error < 1e3 else f"{round(error + 1):,} times"
    return k.percent(abs(error)) if abs(error) >= 1e-4 else k.say(abs(error))


def _hovered(answer):
    """Say one answer, as a point's hover does."""
    words = {
        "right": "right to four digits",
        "safe": f"{_off(answer.error)} more than the truth, safe",
        "unsafe": f"{_off(answer.error)} less than the truth, unsafe",
        "no promise": "said to be no promise",
    }[answer.side]
    return f"{answer.who}: {k.say(answer.value, 6)}, {words}; {k.say(1000 * answer.seconds, 2)} ms"


def _noises(epsilon, delta):
    """Return the picture: a row for each tool's route, its answer's error along the axis."""
    # Whoever has no function for the question has no row.
    order = list(dict.fromkeys(a.who for a in tool_answers("sigma") if a.status != "no answer"))
    answers = [a for a in tool_answers("sigma", epsilon=epsilon, delta=delta) if a.who in order]
    given, silent = ([a for a in answers if (a.status == "answered") is said] for said in (True, False))
    who, known, unknown = ([a.who for a in those] for those in (answers, given, silent))
    colours, symbols = zip(*((_LOOKS[a.side].colour, _LOOKS[a.side].symbol) for a in given), strict=True)
    marker = {"symbol": symbols, "color": colours, "size": 11, "line": {"width": 2, "color": colours}}
    hovers = {"text": [_hovered(a) for a in given], "hover": "%{text}", "showlegend": False}
    beside = {"textposition": "middle right", "textfont": {"size": 13}}
    grey, missing = {"size": 12, "color": k.LEVEL.colour}, [a.status for a in silent]
    edge, across = _NONE + math.log10(ROUNDING), {"xref": "x", "yref": "y domain"}
    side = {**across, "y": 1.0, "yanchor": "bottom", "showarrow": False}
    ticks = {"tickvals": [-14, 0, 14], "ticktext": ["−1%", "right", "+1%"], "tickangle": 0}
    return k.part(
        k.text("names", [_NAMES] * len(who), who, who, **beside),
        k.text("without an answer", [7.0] * len(silent), unknown, missing, textfont=grey),
        k.points("answers", [_place(a.error) for a in given], known, k.LEVEL, marker=marker, **hovers),
        x=k.axis("error of the noise, by factors", range=[_NAMES, _RIGHT], **ticks),
        y={"categoryarray": order[::-1], "range": [-0.6, len(order) - 0.4], "visible": False},
        height=150 + 26 * len(order),
        layout={"margin": {"t": 40, "l": 12}},
        shapes=[k.floor(-edge, edge, 0, 1, k.fill(k.LEVEL.colour), **across)],
        annotations=[
            {**side, "x": _LEFT, "xanchor": "left", "text": "▼ too small"},
            {**side, "x": _RIGHT, "xanchor": "right", "text": "▲ too large"},
        ],
        probe=["answers"],
        ghost=["answers"],
        **_words(answers),
    )


def _words(answers):
    """Say which answers are too small and which too large, and by how much."""
    unsafe, safe, right = ([a for a in answers if a.side == side] for side in ("unsafe", "safe", "right"))
    told = "The least σ for ε = {epsilon}, δ = {delta}: {truth} (exact)."
    for title, those in (("Too small, and unsafe", unsafe), ("Too large, and safe", safe)):
        if those:
            *first, last = (f"{a.who} ({{off{answers.index(a)}}})" for a in those)
            told += f" {title}: {', '.join(first)}{' and ' * bool(first)}{last}."
    return {
        "headline": "{few} of {all} answers too small" if unsafe else "{good} right, {many} too large",
        "sentence": told,
        "alt": "A row for each tool; its symbol stands by the error of its noise, left of the middle where "
        "it is too small, right where it is too large: {few} left, {good} in the middle, {many} right.",
        "truth": k.exact(float(answers[0].truth), digits=5),
        **k.words(few=len(unsafe), good=len(right), many=len(safe), all=sum(bool(a.side) for a in answers)),
        **{f"off{i}": k.exact(a.error, _off) for i, a in enumerate(answers) if a in unsafe + safe},
        **k.words(epsilon=answers[0].inputs["epsilon"], delta=answers[0].inputs["delta"]),
    }


@k.figure
def tool_noise(
    epsilon: Annotated[float, k.Choice(EPSILONS, 1.0, label="Promise, ε")] = 1.0,
    delta: Annotated[float, k.Choice(sorted(DELTAS), 1e-15, label="δ")] = 1e-15,
):
    """Draw how far each tool's Gaussian noise for a promise is from the least that keeps it.

    Notes
    -----
    Sensitivity 1; answers and truth are stored by ``python -m mipbook runs other_tools``.

    Examples
    --------
    >>> tool_noise(8.0, 1e-100).layout.meta["headline"]
    '2 of 5 answers too small'
    """
    return _noises
