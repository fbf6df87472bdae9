"""An exercise that is answered in the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from explorable import validate
from explorable.panels.ask.asked import LARGE, Asked, options
from explorable.panels.controls.control import written

__all__ = ["Answer"]

# A known mistake is recognised this close, as a share of it.
_NEAR = 0.005
# What a sum of floating-point numbers may be off.
_ROUNDING = 1e-12


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

    def __init__(
        self,
        name: str,
        truth: float | str | Iterable[str],
        *,
        choices: Iterable[str] | None = None,
        tolerance: float = 0.0,
        mistakes: Mapping[Any, str] | None = None,
        label: str = "Your answer",
        unit: str = "",
        kind: str = "exact",
        margin: str = "",
        because: str = "",
    ) -> None:
        super().__init__(name, label, kind=kind, margin=margin, because=because)
        self.unit = validate.text("unit", unit)
        self.tolerance = validate.number("tolerance", tolerance, 0.0, LARGE)
        self.choices = None if choices is None else options(choices)
        if mistakes is not None and not isinstance(mistakes, Mapping):
            validate.refuse("mistakes", mistakes, "a mapping from what is wrong to why")
        self.mistakes = dict(mistakes or {})
        for why in self.mistakes.values():
            validate.text("mistakes", why)
        texts = isinstance(truth, str | set | frozenset)
        if self.choices is None and texts:
            validate.refuse("choices", choices, "given where the truth is no number")
        if self.choices is None:
            self.truth: Any = validate.number("truth", truth, -LARGE, LARGE)
            self._check_numbers()
        else:
            self.truth = self._chosen(truth)

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
            ranges = [(*self._around(wrong), why) for wrong, why in self.mistakes.items()]
            return {
                **told,
                "input": "number",
                "within": f"± {written(self.tolerance)} counts as right" if self.tolerance else "",
                "truth": {"text": written(self.truth), "low": low, "high": high},
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
