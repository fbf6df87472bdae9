"""Answers of other tools on a scale that holds every error: logarithmic to both sides of the truth."""

import math
from typing import Annotated

import mipbook.figures.kit as k
from mipbook.stored.tools import DELTAS, EPSILONS, ROUNDING, tool_answers

_LOOKS = {
    "right": k.SERIES[0].with_symbol("circle"),
    "safe": k.SERIES[2].with_symbol("arrow-wide"),
    "unsafe": k.SERIES[1].with_symbol("arrow-wide"),
    "no promise": k.LEVEL.with_symbol("diamond-open"),
}
# From the smallest error that is one a decade is a unit, to either side; so far the scale goes.
_NONE, _ENDS = 0.4 - math.log10(ROUNDING), (-9.0, 11.2)


def _place(error):
    """Return where an error stands on the axis.

    Examples
    --------
    >>> _place(0.01), _place(-0.01), _place(1e-5)
    (2.4, -2.4, 0.0)
    """
    if abs(error) <= ROUNDING:
        return 0.0
    return round(math.copysign(_NONE + math.log10(abs(error)), error), 4)


def _times(error):
    return k.say(error + 1) if error < 1e3 else f"{round(error + 1):,}"


def _off(error):
    """Say how far an answer is off, without the side.

    Examples
    --------
    >>> _off(-0.065), _off(9000.0), _off(2e-9)
    ('6.5%', '9,001 times the truth', '2.00 × 10⁻⁹')
    """
    if error >= 9:
        return f"{_times(error)} times the truth"
    return k.percent(abs(error)) if abs(error) >= 1e-4 else k.say(abs(error))


def _hovered(answer):
    """Say one answer, as a point's hover does."""
    words = {
        "right": "right to four digits",
        "safe": f"{_off(answer.error)}{' more than the truth' * (answer.error < 9)}, safe",
        "unsafe": f"{_off(answer.error)} less than the truth, unsafe",
        "no promise": "said to be no promise",
    }[answer.side]
    return f"{answer.who}: {k.say(answer.value, 6)}, {words}; {k.say(1000 * answer.seconds, 2)} ms"


def _beside(answer, at):
    """Return what stands beside an answer, at which place, and on which side of that."""
    if at is None:
        return answer.status, 0.5, "middle right"
    if not at:
        return " ", 0.5, "middle right"
    if answer.error >= 9:  # far out there is room above it alone
        return f"<b>×{_times(answer.error)}</b>", at, "top left"
    words = f"<b>{'+' if at > 0 else '−'}{_off(answer.error)}</b>"
    return words, at + math.copysign(0.5, at), f"middle {'right' if at > 0 else 'left'}"


def _noises(epsilon, delta):
    """Return the picture: a row for each tool's route, and an arrow as long as its answer is off."""
    # Whoever has no function for the question has no row.
    order = list(dict.fromkeys(a.who for a in tool_answers("sigma") if a.status != "no answer"))[::-1]
    answers = [a for a in tool_answers("sigma", epsilon=epsilon, delta=delta) if a.who in order]
    places = [_place(a.error) if a.status == "answered" else None for a in answers]
    rows, looks = [order.index(a.who) for a in answers], [_LOOKS.get(a.side, k.LEVEL) for a in answers]
    symbols, colours = [each.symbol for each in looks], [each.colour for each in looks]
    # An arrow's tip, not its middle, stands at the value; an angle turns it from up.
    turned = [{"safe": 90, "unsafe": -90}.get(a.side, 0) for a in answers]
    marker = {"symbol": symbols, "color": colours, "size": 16, "opacity": 1, "angle": turned}
    hovers = [" " if at is None else _hovered(a) for a, at in zip(answers, places, strict=True)]
    words, where, sides = zip(*map(_beside, answers, places), strict=True)
    lanes, across = k.gapped([[row, row] for row in rows]), {"xref": "x", "yref": "y domain"}
    stems, grounds, titles = [], [], []
    both = (("unsafe", min, "right", "◀ too little"), ("safe", max, "left", "too much ▶"))
    for (side, end, anchor, title), edge in zip(both, _ENDS, strict=True):
        # The stem ends within the head, which is wider than it.
        far = [end(at or 0, 0) for at in places]
        look, ways = _LOOKS[side], k.gapped([[0, at - math.copysign(0.18, at) * (at != 0)] for at in far])
        stems.append(k.curve(f"{side}, so far", ways, lanes, k.Look(look.colour, width=5), **k.QUIET))
        grounds.append(k.floor(*sorted((0, edge)), 0, 1, k.fill(look.colour), **across))
        where_to = {**across, "xanchor": anchor, "yanchor": "bottom"}
        titles.append(k.note(f"<b>{title}</b>", math.copysign(0.4, edge), 1, **where_to))
    names = [f"<b>{tool}</b><br>{route}" for tool, _, route in (who.partition(" ") for who in order)]
    scale = {_place(-0.1): "−10%", 0: "right", _place(0.1): "+10%", _place(999.0): "×1,000"}
    return k.part(
        stems,
        k.level("right", 0, [-0.55, len(order) - 0.45], k.READING),
        k.points(
            "answers", places, rows, k.LEVEL, marker=marker, text=hovers, hover="%{text}", showlegend=False
        ),
        k.text("how far off", where, rows, words, textposition=sides, cliponaxis=False),
        x=k.axis("lengths are squeezed: read the numbers", scale, range=[*_ENDS], showgrid=False),
        y={"range": [-0.55, len(order) - 0.45], "tickvals": [*range(len(order))], "ticktext": names}
        | {"showgrid": False, "showline": False, "ticklen": 7, "tickcolor": "rgba(0,0,0,0)"},
        height=390,
        layout={"margin": {"t": 34, "l": 108}},
        shapes=grounds,
        annotations=titles,
        probe=["answers"],
        ghost=[],
        **_words(answers),
    )


def _listed(names):
    """Return names as a sentence lists them."""
    *first, last = names
    return f"{', '.join(first)}{' and ' * bool(first)}{last}"


def _words(answers):
    """Say which answers are too small and which too large, and by how much."""
    unsafe, safe, right = ([a for a in answers if a.side == side] for side in ("unsafe", "safe", "right"))
    told, far = "The least σ for ε = {epsilon}, δ = {delta} is {truth} (exact).", ""
    for title, those in (("Too little is added by", unsafe), ("Too much is added by", safe)):
        if those:
            told += f" {title} {_listed([a.who for a in those])}."
            far += f" {title} {_listed([f'{a.who} ({{off{answers.index(a)}}})' for a in those])}."
    return {
        "headline": "{few} of {all} answers too small" if unsafe else "{good} right, {many} too large",
        "sentence": told,
        "alt": "A row for each tool, and an arrow from the middle as long as its noise is off: {few} to the "
        "left, too small, {good} with none, and {many} to the right, too large." + far,
        "truth": k.exact(float(answers[0].truth), digits=5),
        **k.words(few=len(unsafe), good=len(right), many=len(safe), all=sum(bool(a.side) for a in answers)),
        **{f"off{i}": k.exact(a.error, _off) for i, a in enumerate(answers) if a in unsafe + safe},
        **k.words(epsilon=answers[0].inputs["epsilon"], delta=answers[0].inputs["delta"]),
    }


_STRICT = k.Stops(sorted(DELTAS), 1e-15, label="δ", play=True, between=False)


@k.figure
def tool_noise(
    epsilon: Annotated[float, k.Choice(EPSILONS, 1.0, label="Promise, ε")] = 1.0,
    delta: Annotated[float, _STRICT] = 1e-15,
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
