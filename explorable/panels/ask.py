"""What a page asks its reader: a guess before the panel, an answer to an exercise."""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from explorable import validate
from explorable.panels.controls import written
from explorable.progress import static_face

# So near the truth, as a share of the axis, is as good as a hand can be.
_NEAR_PLACES = 0.04
REPLIES = ("low", "near", "high")


@dataclass(frozen=True)
class Mark:
    """A mark of the picture that the reader puts where it should be.

    Parameters
    ----------
    axis : str
        The axis along which it goes, such as ``y`` or ``x2``; empty for a slider that only moves
        the control that it is bound to.
    low, high : float
        The ends between which it goes, in the guess's own unit.
    at : float or str, optional
        Its place on the other axis; without it the mark is a level that crosses the picture.
    scale, zero : float
        What one and none of the guess's units are on the axis: 0.001 and 0 where 1,000 people are
        an axis from 0 to 1.
    log : bool
        Whether it goes by factors.
    places : int
        How many places there are between the ends.
    across : pair of float
        From where to where on the other axis the guess covers the picture, up to the mark.
    bind : str
        The panel's control that is the guess: it moves with the mark, and then goes to the truth.
    begin : float, optional
        Where it begins; if not given in the middle, or a cover at its first place.
    told : sequence of str
        What ``{told}`` says in the reply to each place.

    Examples
    --------
    >>> from explorable.panels import Mark
    >>> mark = Mark("y", 0, 1000, at=0.01, scale=0.001, places=51)
    >>> [place["text"] for place in mark.describe(92, "of 1,000")["places"][:3]]
    ['0 of 1,000', '20 of 1,000', '40 of 1,000']
    """

    axis: str
    low: float
    high: float
    at: float | str | None = None
    scale: float = 1.0
    zero: float = 0.0
    log: bool = False
    places: int = 51
    across: Sequence[float] = ()
    bind: str = ""
    begin: float | None = None
    told: Sequence[str] = ()

    def __post_init__(self) -> None:
        free = bool(self.bind) and not self.axis
        if not free and (self.axis[:1] not in ("x", "y") or not (self.axis[1:] or "2").isdigit()):
            validate.refuse("axis", self.axis, "such as x, y or y2")
        if not (0 if self.log else -np.inf) <= self.low < self.high:
            validate.refuse("high", self.high, f"above low = {self.low:g}")
        validate.integer("places", self.places, 15, 201)
        if self.told and len(self.told) != self.places:
            validate.refuse("told", self.told, f"one for each of {self.places} places")

    def describe(self, truth: float, unit: str, begin: Any = None) -> dict[str, Any]:
        """Return what the page's script needs of a guess with this truth.

        Parameters
        ----------
        truth : float
            The value that is guessed, between the ends.
        unit : str
            Behind the number.
        begin : float, optional
            Where it begins, before its own ``begin``.
        """
        if not self.low <= truth <= self.high:
            validate.refuse("truth", truth, f"between the mark's ends, {self.low:g} and {self.high:g}")
        apart = np.geomspace if self.log else np.linspace
        stops = apart(self.low, self.high, self.places)

        def at(value: float) -> int:
            return int(np.argmin(abs(np.log(stops / value) if self.log else stops - value)))

        nearest = at(truth)
        near = max(1, round(_NEAR_PLACES * self.places))
        behind = f"{'' if unit == '%' else ' '}{unit}" if unit else ""

        # By factors from one whole number to another: nobody guesses a quarter of a person.
        whole = self.log and float(self.low).is_integer() and float(self.high).is_integer()

        def place(i: int, stop: float) -> dict[str, Any]:
            short = float(round(stop) if whole and stop < 100 else f"{stop:.3g}")
            reply = "near" if abs(i - nearest) <= near else REPLIES[2 * int(i > nearest)]
            return {
                "value": float(f"{self.zero + short * self.scale:.6g}"),
                "text": f"{f'{short:,.0f}' if whole else written(short)}{behind}",
                "reply": reply,
                **({"stop": short} if self.bind else {}),
                **({"told": self.told[i]} if self.told else {}),
            }

        told = [place(i, float(stop)) for i, stop in enumerate(stops)]
        # It begins in the middle of the axis, wherever the truth is; a cover is not yet drawn.
        begin = self.begin if begin is None else begin
        middle = at(begin) if begin is not None else 0 if self.across else self.places // 2
        return {
            "axis": self.axis,
            "at": self.at,
            "start": middle,
            "truth": self.zero + truth * self.scale,
            "places": told,
            **({"across": list(self.across)} if self.across else {}),
            **({"bind": self.bind} if self.bind else {}),
        }


# No number of a page is larger.
LARGE = 1e300
_KINDS = ("exact", "bound", "estimate", "approximation", "")
# Only these say how far off they may be.
_WITH_MARGIN = ("estimate", "approximation")


@dataclass(kw_only=True, eq=False, repr=False)
class Asked:
    """Something that a page asks; use `Guess` or `Answer`."""

    name: str
    label: str
    unit: str = ""
    kind: str = "exact"
    margin: str = ""
    because: str = ""

    def __post_init__(self) -> None:
        for key in ("name", "label", "unit", "margin", "because"):
            validate.text(key, getattr(self, key))
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", self.name):
            validate.refuse("name", self.name, "letters, digits and hyphens, a letter first")
        validate.choice("kind", self.kind, _KINDS)
        if (self.kind in _WITH_MARGIN) != bool(self.margin):
            allowed = "given for an estimate or an approximation, such as '± 0.02', and no other"
            validate.refuse("margin", self.margin, allowed)

    def describe(self) -> dict[str, Any]:
        """Return what the page's script needs."""
        # Only what is not exact needs a word for it.
        tag = "" if self.kind == "exact" else f"{self.kind}, {self.margin}" if self.margin else self.kind
        return {"name": self.name, "label": self.label, "tag": tag, "because": self.because}

    def html(self) -> str:
        """Return what stands in a page that loads the panels' script."""
        spec = self.describe()
        text = json.dumps(spec, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
        return (
            f'<section class="mb-asked" id="{self.name}" data-asked="{spec["role"]}" '
            f'aria-label="{html.escape(self.label)}">'
            f'<script type="application/json" class="mb-spec">{text}</script></section>'
        )

    def widget(self) -> Any:
        """Return the same for JupyterLab, Voila, Binder and Colab."""
        from explorable.panels.live import AskedWidget

        return AskedWidget(spec=self.describe())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if static_face():
            return {"text/html": self.html(), "text/plain": repr(self)}
        return self.widget()._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        # The truth is not told.
        return f"<{type(self).__name__} {self.name}>"


def options(choices: Iterable[str]) -> tuple[str, ...]:
    """Return two or more different texts to choose from."""
    found = validate.sequence("choices", choices, "texts")
    texts = all(isinstance(text, str) and text for text in found)
    if isinstance(choices, str) or not texts or not 2 <= len(set(found)) == len(found):
        validate.refuse("choices", choices, "two or more different texts")
    return found


def names(panels: str | Sequence[str]) -> list[str]:
    """Return the names of panels, of one or of several."""
    found = [panels] if isinstance(panels, str) else [*validate.sequence("panels", panels, "names")]
    for name in found:
        validate.text("panels", name)
    return found


def _mapping(name: str, given: Any, allowed: str = "a mapping, or None") -> dict[Any, Any]:
    """Return a mapping as a dictionary of our own; empty for None."""
    if given is not None and not isinstance(given, Mapping):
        validate.refuse(name, given, allowed)
    return dict(given or {})


@dataclass(eq=False, repr=False)
class Guess(Asked):
    """A number, or one of a few choices, to commit to; until then it is missing from the picture.

    Parameters
    ----------
    truth : float or str
        The value that it is: a number or, with ``choices``, one of them.
    choices : iterable of str, optional
        Buttons to choose from, which the page shuffles; without them a number is typed.
    mark : Mark, optional
        Where the number stands in the picture of the first panel; the reader puts it there.
    panels : str or sequence of str
        The names of the panels that show it; none keeps back only ``veiled`` blocks.
    hides : sequence of str
        The traces that give it away, by the beginning of their names; all if not given, and none
        where the mark is bound to a control.
    state : mapping, optional
        The case that is asked about: the panels' values by control, which stay until the guess is made.
    then : mapping, optional
        What the first panel is set to when the guess is made; the nearest stop is taken of a number.
    headline : str
        What its headline says there: the number that was asked for.
    truly : str
        What the picture calls the truth, such as ``best:``.
    replies : mapping, optional
        What is said: to each choice, or to a mark that is ``low``, ``near`` or ``high``; with
        ``{guess}`` for the reader's own, and ``{told}`` for what the mark tells of it.
    name : str
        Different from all other ids of the page.
    label : str
        What is asked, in a few words.
    unit : str
        Behind the number.
    text : str, optional
        How the page writes the truth; four digits if not given.
    kind : str
        What the truth is: ``exact``, ``bound``, ``estimate``, ``approximation``, or nothing.
    margin : str
        How far off an estimate or an approximation may be, such as ``± 0.02``.
    because : str
        A sentence that follows the comparison.

    Examples
    --------
    >>> from explorable.panels import Guess
    >>> Guess(0.243, choices=["0.1", "0.25", "8"], text="0.243").accepts(0.2431)
    True
    >>> Guess(92, unit="of 1,000").accepts(500)
    False
    """

    truth: float | str
    _: KW_ONLY
    choices: Iterable[str] | None = None
    mark: Mark | None = None
    panels: str | Sequence[str] = ()
    hides: Sequence[str] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    then: Mapping[str, Any] = field(default_factory=dict)
    headline: str = ""
    truly: str = ""
    replies: Mapping[str, str] = field(default_factory=dict)
    name: str = "guess"
    label: str = "Your guess"
    text: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.choices = None if self.choices is None else options(self.choices)
        self.panels, self.hides = names(self.panels), names(self.hides)
        for key in ("headline", "truly"):
            validate.text(key, getattr(self, key))
        told = isinstance(self.truth, str)
        if told and self.truth not in (self.choices or ()):
            validate.refuse("truth", self.truth, "a number, or one of the choices")
        given = self.truth
        if not told:
            self.truth = validate.number("truth", given, -LARGE, LARGE)
        self.text = written(given) if self.text is None else validate.text("text", self.text)
        self.state, self.then = _mapping("state", self.state), _mapping("then", self.then)
        self.replies = _mapping("replies", self.replies)
        if self.mark and self.mark.bind:
            self.then = {self.mark.bind: self.truth, **self.then}
        known = REPLIES if self.mark else self.choices or ()
        if self.replies and set(self.replies) != set(known):
            validate.refuse("replies", list(self.replies), f"for each of {', '.join(known)}")
        if self.mark and (told or self.choices is not None or not self.panels):
            validate.refuse("mark", self.mark, "given for a number without choices, in a panel")

    def accepts(self, found: float | str) -> bool:
        """Whether a value found elsewhere is the truth, to all digits that the page writes.

        Parameters
        ----------
        found : float or str
            The value that the chapter computes where it gives the answer.
        """
        if isinstance(self.truth, str) or isinstance(found, str):
            return bool(found == self.truth)
        near = abs(validate.number("found", found) - self.truth) <= 1e-3 * abs(self.truth)
        return near or written(found) == written(self.truth)

    def describe(self) -> dict[str, Any]:
        """Return what the page's script needs."""

        def drawn(choice: str) -> str:
            """Shuffle the choices, in the same way at every build."""
            return hashlib.sha256(f"{self.label}|{choice}".encode()).hexdigest()

        as_it_is = ("unit", "panels", "hides", "state", "then", "headline", "truly", "replies")
        told = {
            **super().describe(),
            "role": "guess",
            "input": "mark" if self.mark else "number" if self.choices is None else "one",
            "choices": sorted(self.choices or (), key=drawn),
            **{key: getattr(self, key) for key in as_it_is},
            "truth": {"text": self.text},
        }
        begin = self.mark and self.state.get(self.mark.bind)
        where = self.mark and self.mark.describe(float(self.truth), self.unit, begin)
        return {**told, "mark": where} if where else told


# A known mistake is recognised this close, as a share of it.
_NEAR = 0.005
# What a sum of floating-point numbers may be off.
_ROUNDING = 1e-12


@dataclass(eq=False, repr=False)
class Answer(Asked):
    """A number, one choice, or several, that the page compares with the truth.

    Parameters
    ----------
    name : str
        Such as the label of the exercise with ``-answer`` behind it.
    truth : float, str or collection of str
        The number or, with ``choices``, the right one, or a list or set of all right ones.
    choices : iterable of str, optional
        What to choose from; without it a number is typed.
    tolerance : float
        How far from the truth a number is still right; the page says so.
    mistakes : mapping, optional
        From a wrong number, or a wrong choice, to what is wrong about it.
    label : str
        What is asked, in a few words.
    unit : str
        Behind the number.
    kind, margin, because
        As in `Guess`.

    Examples
    --------
    >>> from explorable.panels import Answer
    >>> half = Answer("half", 0.5, tolerance=0.005, mistakes={0.25: "That is one side only."})
    >>> half.accepts(0.5), half.accepts(0.25)
    (True, False)
    >>> Answer("both", {"a", "b"}, choices=["a", "b", "c"]).accepts(["b", "a"])
    True
    """

    name: str
    truth: Any
    _: KW_ONLY
    choices: Iterable[str] | None = None
    tolerance: float = 0.0
    mistakes: Mapping[Any, str] = field(default_factory=dict)
    label: str = "Your answer"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tolerance = validate.number("tolerance", self.tolerance, 0.0, LARGE)
        self.choices = None if self.choices is None else options(self.choices)
        self.mistakes = _mapping("mistakes", self.mistakes, "a mapping from what is wrong to why")
        for why in self.mistakes.values():
            validate.text("mistakes", why)
        if self.choices is not None:
            self.truth = self._chosen(self.truth)
            return
        if isinstance(self.truth, str | set | frozenset):
            validate.refuse("choices", self.choices, "given where the truth is no number")
        self.truth = validate.number("truth", self.truth, -LARGE, LARGE)
        self._check_numbers()

    def _chosen(self, truth: Any) -> Any:
        """Return the right choice, or the set of them; check the wrong ones."""
        one = isinstance(truth, str)
        listed = [truth] if one else validate.sequence("truth", truth, "texts, as there are choices")
        picked = {each for each in listed if isinstance(each, str)}
        if not picked or len(picked) < len(listed) or not picked <= set(self.choices or ()):
            validate.refuse("truth", truth, "one or more of the choices")
        for choice in self.mistakes:
            if choice in picked or choice not in (self.choices or ()):
                validate.refuse("mistakes", choice, "one of the wrong choices")
        return truth if one else frozenset(picked)

    def _check_numbers(self) -> None:
        """Refuse a truth that nobody can type, and mistakes that could be taken for it."""
        if self.tolerance == 0 and self.truth != round(self.truth):
            validate.refuse("tolerance", self.tolerance, "positive where truth is no whole number")
        taken = [self._around(self.truth)]
        for wrong in self.mistakes:
            low, high = self._around(validate.number("mistakes", wrong, -LARGE, LARGE))
            if any(low <= end and start <= high for start, end in taken):
                validate.refuse(
                    "mistakes", wrong, "further than the tolerance from the truth, and from each other"
                )
            taken.append((low, high))

    def _around(self, value: float) -> tuple[float, float]:
        """Return the numbers that count as this one."""
        whole = self.tolerance == 0 and value == round(value)
        near = 0.0 if whole else _NEAR * abs(value)
        if value == self.truth:
            near = self.tolerance
        elif self.truth:
            near = max(near, self.tolerance * abs(value / self.truth))
        slack = _ROUNDING * max(1.0, abs(value)) if near else 0.0
        return value - near - slack, value + near + slack

    def accepts(self, found: Any) -> bool:
        """Whether the page would call this right; a solution asserts it of its own result.

        Parameters
        ----------
        found : float, str or collection of str
            What the solution computes.
        """
        if self.choices is None:
            low, high = self._around(self.truth)
            return low <= validate.number("found", found) <= high
        if isinstance(self.truth, str) or isinstance(found, str):
            return bool(found == self.truth)
        listed = validate.sequence("found", found, "texts")
        return all(isinstance(each, str) for each in listed) and {*listed} == self.truth

    def describe(self) -> dict[str, Any]:
        """Return what the page's script needs."""
        told = {**super().describe(), "role": "answer", "unit": self.unit}
        if self.choices is None:
            low, high = self._around(self.truth)
            near = np.format_float_positional(self.tolerance, trim="-")
            said = f"{self.truth:,.0f}" if self.truth == round(self.truth) else written(self.truth)
            ranges = [(*self._around(wrong), why) for wrong, why in self.mistakes.items()]
            return {
                **told,
                "input": "number",
                "within": f"± {near} counts as right" if self.tolerance else "",
                "truth": {"text": said, "low": low, "high": high},
                "mistakes": [{"low": a, "high": b, "why": why} for a, b, why in ranges],
            }
        right = [self.truth] if isinstance(self.truth, str) else sorted(self.truth)
        return {
            **told,
            "input": "one" if isinstance(self.truth, str) else "many",
            "choices": list(self.choices),
            "truth": {"text": ", ".join(right), "picked": right},
            "mistakes": [{"pick": pick, "why": why} for pick, why in self.mistakes.items()],
        }
