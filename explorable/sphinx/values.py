"""Numbers in the text come from the cells: ``{eval}`found```, MyST-NB's own role.

MyST-NB asks a kernel that runs beside Sphinx; here pages run ahead, several at a time, so their
kernels are asked when the text is reached, as a notebook with MyST does, and what they tell is kept
with the page's record. A value is what ``str`` makes of the expression, read as Markdown. A page
may tell what another one found: ``{eval}`mip/noise: found```.
"""

import ast
import re
from collections.abc import Mapping
from typing import Any

from docutils import nodes
from nbclient import NotebookClient
from nbclient.util import ensure_async
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

_logger = logging.getLogger(__name__)
_ROLE = re.compile(r"\{eval\}`([^`]+)`")
_ELSEWHERE = re.compile(r"([\w-]+/[\w-]+):\s*(.+)", flags=re.DOTALL)


def expressions(text: str) -> list[str]:
    """Return the expressions of a page's own that stand in Markdown, each once.

    Examples
    --------
    >>> expressions("Of {eval}`n` records {eval}`found`, and {eval}`mip/noise: found` there.")
    ['n', 'found']
    """
    return [told for told in dict.fromkeys(_ROLE.findall(text)) if not _ELSEWHERE.fullmatch(told)]


def inserted(text: str, page: str, values: Mapping[str, Mapping[str, str]]) -> str:
    """Return Markdown with the values in the place of their roles; the name where none is known.

    Parameters
    ----------
    text : str
        Markdown.
    page : str
        Where it stands, such as ``book/mip/noise``.
    values : mapping
        From each page to its values by expression.

    Examples
    --------
    >>> inserted("Of {eval}`n` {eval}`found`.", "book/mip/noise", {"book/mip/noise": {"n": "100"}})
    'Of 100 `found`.'
    """

    def value(role: re.Match[str]) -> str:
        place, expression = _placed(role[1], page)
        return values.get(place, {}).get(expression, f"`{expression}`")

    return _ROLE.sub(value, text)


def _placed(told: str, page: str) -> tuple[str, str]:
    """Return the page that a role asks, and its expression."""
    elsewhere = _ELSEWHERE.fullmatch(told)
    return (f"book/{elsewhere[1]}", elsewhere[2]) if elsewhere else (page, told)


class Asking(NotebookClient):
    """Executes a notebook and asks its kernel for what stands in the text, where it stands."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.values: dict[str, str] = {}
        """What the kernel told, by expression."""
        self.faults: list[str] = []
        """What it could not tell, or told in two ways."""

    async def async_execute_cell(self, cell: Any, cell_index: int, *args: Any, **options: Any) -> Any:
        """Execute a cell of code as ever; of a cell of text, ask for its expressions."""
        if cell.cell_type == "markdown" and (asked := expressions(cell.source)):
            strings = {told: f"str({told})" for told in asked}
            number = await ensure_async(self.kc.execute("", silent=True, user_expressions=strings))
            reply = await self.async_wait_for_reply(number, cell)
            self._keep(reply["content"].get("user_expressions", {}))
        return await super().async_execute_cell(cell, cell_index, *args, **options)

    def _keep(self, told: Mapping[str, Any]) -> None:
        for name, found in told.items():
            if found["status"] != "ok":
                self.faults.append(f"{name}: {found['ename']}: {found['evalue']}")
                continue
            value = ast.literal_eval(found["data"]["text/plain"])
            if self.values.setdefault(name, value) != value:
                self.faults.append(f"{name}: both {self.values[name]} and {value} on one page")


class _Eval(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        app, here = self.env.app, self.env.docname
        values: Mapping[str, Mapping[str, str]] = getattr(app, "explorable_values", {})
        place, expression = _placed(self.text, here)
        if place != here:
            self.env.note_reread()
        value = values.get(place, {}).get(expression)
        if value is None:
            # A page that is read for its title alone was not executed.
            if here in (app.config.explorable_pages or [here]):
                _logger.warning("eval: %s has no value %r", place, expression, location=self.get_location())
            return [nodes.Text(expression)], []
        inliner: Any = self.inliner
        parsed: tuple[list[nodes.Node], list[nodes.system_message]] = inliner.parse(
            value, self.lineno, inliner, inliner.parent
        )
        return parsed


def register(app: Any) -> None:
    """Tell Sphinx of the role, in the place of MyST-NB's."""
    app.add_role("eval", _Eval(), override=True)
