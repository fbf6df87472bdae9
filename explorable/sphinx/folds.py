"""What checks a statement or draws a panel is folded into one quiet line; the notebook keeps all.

A check's line says what it compares and how many planted errors it catches; inside stand its
code and its table, and so do those of the checks of the same result behind it.  The code of a
panel stands in a line under the panel, other code in a line where it was.  A cell tagged
``show-code`` stays as it is, and one tagged ``fold-whole`` is folded with what it prints; cells that
only import, or show nothing, leave the page.
"""

import ast
import html
import re
from collections import ChainMap, Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

from docutils import nodes
from joblib import cpu_count
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from explorable import checks, settings
from explorable.checks import boxes
from explorable.checks.ledger import read_in, rows
from explorable.checks.page import Place, faults, ledger_table, parameter_table
from explorable.checks.plant import read_chapter
from explorable.sphinx.run import PerPage
from explorable.sphinx.statements import ANCHORS, RECORDS, Statement
from explorable.sphinx.words import html_node, panel_specs

_logger = logging.getLogger(__name__)
_TABLE = re.compile(
    r'<details class="mb-check"><summary>(.*?)</summary>(.*?)</details>(?=<script)', flags=re.S
)
_PANEL = '<section class="mb-explorable"'
_OPEN, _WHOLE = "show-code", "fold-whole"
_PLANTED = (
    '<p class="mb-check-note">A line that begins with <em>planted</em> is wrong on purpose: '
    "the check has to tell it from the statement.</p>"
)


# The pages that list all results, or all parameters, each with which it lists.
LISTING: PerPage[str] = PerPage("listing")
# The panels of each page, by their ids.
PLACES: PerPage[dict[str, Place]] = PerPage("places")


class Fold(nodes.General, nodes.Element):
    """A closed line with cells, or parts of them, behind it."""


def imports_only(source: str) -> bool:
    """Say whether a cell does nothing but make names known.

    Examples
    --------
    >>> imports_only("import numpy as np"), imports_only("x = 1"), imports_only("%config x")
    (True, False, True)
    """
    lines = (each for each in source.splitlines() if not each.startswith("%"))
    with suppress(SyntaxError):
        body = ast.parse("\n".join(lines)).body
        return all(isinstance(each, ast.Import | ast.ImportFrom) for each in body)
    return False


def line(count: int, tally: checks.Tally | None, read: str = "") -> str:
    """Return what a folded check says of itself.

    Examples
    --------
    >>> line(7, checks.Tally(12, 12, 0))
    'Checked: 7 comparisons, 12 of 12 planted errors caught'
    >>> line(1, None)
    'Checked: 1 comparison'
    >>> line(1, None, "its formula read at 3 points, 9 of 9 errors in the text caught")
    'Checked: 1 comparison; its formula read at 3 points, 9 of 9 errors in the text caught'
    """
    told = f"Checked: {count} comparison{'s' * (count != 1)}"
    told += f", {tally}" if tally and tally.planted else ""
    return f"{told}; {read}" if read else told


def _part(cell: Any, name: str) -> Any:
    return next((part for part in cell.children if part.get("nb_element") == name), None)


def _is_cell(node: Any) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _code_fold(cell: Any, words: str, kind: str) -> Fold:
    cell.attributes.pop("hide_mode", None)
    code = _part(cell, "cell_code_source")
    cell.remove(code)
    return Fold("", code, summary=words, classes=["mb-code-fold", kind])


class _Sorter:
    """Goes through the cells that stand one behind the other, and folds them."""

    def __init__(self) -> None:
        self.checks, self.done, self.silent = Counter[str](), list[nodes.Node](), list[Any]()
        self.check: Fold | None = None

    def add(self, cell: Any) -> None:
        """Take the next cell."""
        code, shown = _part(cell, "cell_code_source"), _part(cell, "cell_code_output")
        told = "".join(raw.astext() for raw in cell.findall(nodes.raw))
        records = checks.read_records(told)
        if not shown and (not code or imports_only(code.astext())):
            return
        tags = cell["cell_metadata"].get("tags", [])
        if code and _WHOLE in tags:
            self._put(Fold("", cell, summary="In Python", classes=["mb-cell-code"]))
        elif not code or _OPEN in tags:
            self._put(cell)
        elif records:
            self._add_check(cell, records)
        elif not shown:
            self.silent.append(cell)
        elif _PANEL in told:
            self._put(cell, _code_fold(cell, "Code of this panel", "mb-panel-code"))
        else:
            self._put(_code_fold(cell, "Code", "mb-cell-code"), cell)

    def end(self) -> list[nodes.Node]:
        """Return what stands in place of the cells since the last end."""
        self._put()
        done, self.done = self.done, []
        return done

    def _put(self, *made: nodes.Node) -> None:
        self.done += [*(_code_fold(cell, "Code", "mb-cell-code") for cell in self.silent), *made]
        self.silent, self.check = [], None

    def _add_check(self, cell: Any, records: list[checks.Record]) -> None:
        name = records[0].id
        if self.check is None or self.check["result"] != name:
            again = self.checks[name]
            place = f"check-{name}-{again + 1}" if again else f"check-{name}"
            told = {"result": name, "count": 0, "readings": [], "again": bool(again), "ids": [place]}
            self.check = Fold(classes=["mb-check"], **told)
            self.checks[name] += 1
            self.done.append(self.check)
        for each in [*self.silent, cell]:
            each.attributes.pop("hide_mode", None)
            self.check.append(each)
        self.silent = []
        self.check["count"] += sum(len(record.comparisons) for record in records)
        self.check["readings"] += [reading for record in records for reading in record.readings]
        for raw in cell.findall(nodes.raw):
            table = _TABLE.sub(r'<div class="mb-check-part"><p>\1</p>\2</div>', raw.astext())
            note = _PLANTED if "<td>planted" in table else ""
            raw.children = [nodes.Text(table.replace("<script", f"{note}<script", 1))]


def fold_cells(app: Any, doctree: nodes.document) -> None:
    """Fold the cells of a page that has just been read."""
    sorter = _Sorter()
    parents: dict[int, Any] = {id(cell.parent): cell.parent for cell in doctree.findall(_is_cell)}
    for parent in parents.values():
        children, parent.children = parent.children, []
        for node in children:
            if _is_cell(node):
                sorter.add(node)
            else:
                parent.extend([*sorter.end(), node])
        parent.extend(sorter.end())


def tell_checks(app: Any, doctree: nodes.document, page: str) -> None:
    """Say of each check what it catches, at the edge of its statement's box where there is one."""
    folds = [fold for fold in doctree.findall(Fold) if "result" in fold]
    tallies = app.env.explorable_tallies
    if folds and not tallies:  # no whole build knows it: as it was kept
        root, chapter = Path(app.confdir), read_chapter(Path(app.env.doc2path(page)))
        tallies = checks.known(chapter, root / "book", root / "_build" / ".mutants") or {}
    stated = {box["label"]: box for box in doctree.findall(Statement)}
    for fold in folds:
        name = None if fold["again"] else fold["result"]
        fold["summary"] = line(fold["count"], tallies.get(name), read_in(fold["readings"]))
        if (box := stated.get(name)) is not None:
            fold.parent.remove(fold)
            box.append(fold)


def _visit(writer: Any, node: Fold) -> None:
    writer.body.append(writer.starttag(node, "details", CLASS="mb-fold"))
    words = html.escape(node["summary"])
    # A tick, whose words come on hover, focus and tap.
    told = f'<span class="mb-check-words">{words}</span>' if "result" in node else words
    writer.body.append(f"<summary>{told}</summary>\n")


class Results(nodes.General, nodes.Element):
    """Stands for the table of results, or of parameters, until all pages have been read."""


class _ListDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        LISTING.of(self.env)[self.env.docname] = self.name
        return [Results(of=self.name)]


def collect_records(app: Any, doctree: nodes.document) -> None:
    """Take the records and the anchors of results from a page that has just been read."""
    env, page, raws = app.env, app.env.docname, [*doctree.findall(nodes.raw)]
    RECORDS.of(env)[page] = [record for raw in raws for record in checks.read_records(raw.astext())]
    anchors = ANCHORS.of(env)[page] = {}
    for node in doctree.findall(nodes.Element):
        for name in {node.get("label"), *node.get("ids", []), *node.get("names", [])} & rows().keys():
            anchors[name] = node["ids"][0] if node.get("ids") else name
    PLACES.of(env)[page] = {
        spec["id"]: Place(page, {control["name"]: control for control in spec["controls"]})
        for raw in raws
        for spec in panel_specs(raw, "mb-explorable")
    }


def _tally(app: Any, n_jobs: int) -> Callable[[], dict[str, checks.Tally]]:
    """Find now what is known of the checks, and return how the rest is judged and all added."""
    root = Path(app.confdir)
    memory = root / "_build" / ".mutants"
    known, anew = checks.known_book(root / "book", memory)

    def tally() -> dict[str, checks.Tally]:
        if not anew:
            return checks.added(known.values())
        told = f"{len(anew)} pages to judge, by planted errors in their checks"
        print(f"{settings.name()}: {told}", flush=True)
        verdicts = checks.judge_chapters(anew, memory, n_jobs)
        return checks.added([*known.values(), *map(checks.tallies, verdicts.values())])

    return tally


def judge_ahead(app: Any, env: Any, pages: list[str]) -> None:
    """Begin to judge the checks: it takes the cores that wait while pages are read and written."""
    if app.config.explorable_pages is not None:
        return
    app.explorable_tallies = Future()
    # The cores are counted now, for the pages that are executed tell their kernels another number.
    # Two processes at least, and code read here: Python 3.11 breaks where two threads parse code.
    tally = _tally(app, max(2, cpu_count()))

    def judge() -> None:
        try:
            app.explorable_tallies.set_result(tally())
        except BaseException as error:  # told when the tallies are asked for
            app.explorable_tallies.set_exception(error)

    Thread(target=judge, daemon=True).start()


def list_anew(app: Any, env: Any) -> list[str]:
    """Wait for what each check catches of planted errors; the pages that list all are written anew."""
    env.explorable_tallies = {}
    pages, listing = app.config.explorable_pages, LISTING.of(env)
    if pages is not None:
        listing = {page: what for page, what in listing.items() if page in pages}
    if "results-ledger" in listing.values():
        env.explorable_tallies = app.explorable_tallies.result() if pages is None else _tally(app, -1)()
    return sorted(listing)


def _parameters(app: Any, links: dict[str, str], address: Callable[[str], str]) -> str:
    """Return the table of parameters; a whole build refuses a ledger that does not fit its panels."""
    panels = ChainMap(*PLACES.of(app.env).values())  # of two pages with the same panel the first one
    for fault in faults(panels) if app.config.explorable_pages is None else ():
        _logger.warning("parameters: %s", fault)
    own = {name: f"{address(place.page)}#{name}" for name, place in panels.items()}
    return parameter_table(panels, links | own)


def list_results(app: Any, doctree: nodes.document, page: str) -> None:
    """Put the table of results, or of parameters, in its place, with links to what it tells of."""
    env, address = app.env, partial(app.builder.get_relative_uri, page)
    for placeholder in list(doctree.findall(Results)):
        links = {n: f"{address(p)}#{a}" for p, found in ANCHORS.of(env).items() for n, a in found.items()}
        if placeholder["of"] == "results-ledger":
            checked = [(p, record) for p, found in RECORDS.of(env).items() for record in found]
            places = {record.id: f"{address(p)}#check-{record.id}" for p, record in checked}
            signed = boxes.signed(Path(app.confdir) / "book")
            table = ledger_table([r for _, r in checked], links, env.explorable_tallies, places, signed)
        else:
            table = _parameters(app, links, address)
        placeholder.replace_self(nodes.raw("", table, format="html"))


def register(app: Any) -> None:
    """Tell Sphinx of the folds, and of the tables of results and of parameters."""
    html_node(app, Fold, _visit, "</details>\n")
    app.add_node(Results)
    app.add_directive("results-ledger", _ListDirective)
    app.add_directive("parameters-ledger", _ListDirective)
