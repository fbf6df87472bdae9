"""An answer that prints as a table, in a terminal and in a notebook."""

import html
from abc import ABC, abstractmethod


class Report(ABC):
    """What the reports of a practitioner's tools share.

    Examples
    --------
    >>> class Answer(Report):
    ...     def rows(self):
    ...         return [("epsilon", "0.5 (exact)"), ("delta", "0")]
    ...     def limits(self):
    ...         return "Not promised", ("a second release",)
    >>> print(Answer())
    epsilon  0.5 (exact)
    delta    0
    <BLANKLINE>
    Not promised:
    - a second release
    """

    notes: tuple[str, ...] = ()

    @abstractmethod
    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much."""

    @abstractmethod
    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return a heading, and under it what the answer does not cover."""

    def __str__(self) -> str:
        rows, (heading, limits) = self.rows(), self.limits()
        width = max(len(name) for name, _ in rows)
        lines = [f"{name:<{width}}  {value}" for name, value in rows]
        lines += ["", *(f"Note: {note}" for note in self.notes), f"{heading}:"]
        return "\n".join([*lines, *(f"- {each}" for each in limits)])

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(value)}</td></tr>'
            for name, value in self.rows()
        )
        notes = "".join(f"<p><strong>Note.</strong> {html.escape(n)}</p>" for n in self.notes)
        heading, limits = self.limits()
        listed = "".join(f"<li>{html.escape(each)}</li>" for each in limits)
        return (
            f"<table><tbody>{rows}</tbody></table>{notes}<p><strong>{heading}:</strong></p><ul>{listed}</ul>"
        )
