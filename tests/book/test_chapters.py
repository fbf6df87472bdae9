"""Every page runs as a notebook with a kernel, every result in it is checked, and lessons add up."""

import ast
import re

import matplotlib.pyplot as plt
import pytest
from panels import BOOK, NOTEBOOKS, panels, read
from shared import ROOT

from explorable.checks import results
from explorable.outputs.exercises import Show, read_exercises
from explorable.outputs.new_chapter import all_chapters, missing
from explorable.outputs.sheets import bound, used
from explorable.sphinx import words as prose
from explorable.sphinx.run import expressions

LIVE = "application/vnd.jupyter.widget-view+json"


def plain(source: str) -> str:
    """Return a cell without what configures the notebook itself, which is for its kernel."""
    return "\n".join("" if line.startswith("%") else line for line in source.splitlines())


def shown(source: str, names: dict) -> object:
    """Run a cell as a notebook does, and return the value of its last line."""
    tree = ast.parse(plain(source))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None


# By day a page with a file, one with a guess, and one of the applications.
PAGES = {path.relative_to(BOOK).as_posix(): path for path in NOTEBOOKS}
BY_DAY = ("pmp/choose-epsilon.md", "mip/noise.md", "apps/audit-scores.ipynb")
EACH = [pytest.param(p, marks=() if n in BY_DAY else pytest.mark.nightly, id=n) for n, p in PAGES.items()]


@pytest.mark.parametrize("path", EACH)
def test_page_runs_with_live_panels(path, monkeypatch):
    """Every cell in order, live panels instead of the static ones of the build."""
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    monkeypatch.chdir(BOOK)
    names: dict = {"__name__": "__main__"}
    for cell in read(path).cells:
        if cell.cell_type == "code":
            value = shown(cell.source, names)
            if "Explorable(\n" in cell.source:
                kinds, _ = value._repr_mimebundle_()
                assert LIVE in kinds, cell.source[:80]
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=list(PAGES))
def test_no_check_binds_anew_what_is_told_after_it(path):
    """The last value of a check's loop once stood in the text, in the place of a constant."""
    told: set[str] = set()
    lost: set[str] = set()
    for cell in read(path).cells:
        for source in [plain(cell.source)] if cell.cell_type == "code" else expressions(cell.source):
            assert not lost & used(source), f"bound anew by a check: {source}"
            if "result(" in source:
                lost |= told & bound(source)
            else:
                told, lost = told | bound(source), lost - bound(source)


@pytest.mark.parametrize("chapter", all_chapters(ROOT), ids=lambda chapter: chapter.name)
def test_nothing_is_missing_in_a_chapter(chapter):
    """A statement and a check for each of its results, exercises whose solutions assert."""
    chapters = {each.name for each in all_chapters(ROOT)}
    assert not [row for row in results() if row.chapter not in chapters], "name one in mipbook/results.csv"
    lacks = "\n".join(missing(ROOT, chapter))
    assert not lacks, f"{chapter.page}:\n{lacks}"


ASKED = re.compile(r"\b(Guess|Answer)\(")


def unchecked(cells: list[str]) -> list[str]:
    """Return what a page asks without an ``assert name.accepts(...)`` in a later cell."""
    asked: dict[str, int] = {}
    missing = []
    for place, source in enumerate(cells):
        body = ast.parse(source).body
        for node in (node for node in body if ASKED.search(ast.unparse(node))):
            if isinstance(node, ast.Assign):
                asked |= {ast.unparse(target): place for target in node.targets}
            else:
                missing.append(ast.unparse(node))
        asserted = [ast.unparse(n.test) for tree in body for n in ast.walk(tree) if isinstance(n, ast.Assert)]
        for name in [name for name, at in asked.items() if at < place]:
            if any(f"{name}.accepts(" in test for test in asserted):
                del asked[name]
    return [*missing, *asked]


def test_what_is_asked_is_compared_with_a_later_cell():
    asked = "a = Answer('a', 1)\na"
    for cells, found in (
        ([asked, "assert a.accepts(1) and True"], []),
        ([asked + "\nassert a.accepts(1)"], ["a"]),
        ([asked, "a.accepts(1)", "Guess(1)"], ["Guess(1)", "a"]),
    ):
        assert unchecked(cells) == found
    asking = [path for path in NOTEBOOKS if ASKED.search(path.read_text(encoding="utf-8"))]
    assert len(asking) > 10
    for path in asking:
        cells = [plain(cell.source) for cell in read(path).cells if cell.cell_type == "code"]
        assert unchecked(cells) == [], f"{path}: assign it, and assert that it accepts what the page finds"


LESSONS = {path.stem: path.read_text(encoding="utf-8") for path in (BOOK / "teach").glob("*.md")}
TAUGHT = {name: text for name, text in LESSONS.items() if "{lesson}" in text}
BLOCK = re.compile(r"^::::\{lesson\}\n:minutes: (\d+)\n(.*?)^::::$", flags=re.M | re.S)
STEP = re.compile(r"^:::\{lesson-step\} ([^\n]+)\n:minutes: (\d+)\n(.*?)^:::$", flags=re.M | re.S)


def fault(text: str) -> str:
    """Say what is wrong with a link to a panel in a state; nothing if it can be had."""
    shown = Show.of(text)
    own = {f"book/{page.rpartition('.')[0]}": found for page, found in panels().items()}.get(shown.page, ())
    panel = next((each for each in own if each.name == shown.panel), None)
    if panel is None:
        return f"{shown.page} has no panel {shown.panel}"
    told = [
        {"name": name, "stops": list(face.stops), "labels": list(face.labels)}
        for name, control in panel.controls.items()
        for face in [control.for_face(live=False)]
    ]
    try:
        prose.values({"id": shown.panel, "controls": told}, shown.values)
    except prose.Mistake as mistake:
        return str(mistake)
    # An address names a choice by its words alone.
    for name, stop in shown.values.items():
        control = panel.controls[name].for_face(live=False)
        if control.kind != "slider" and stop not in control.labels:
            return f"{name}={stop}: the address takes {', '.join(control.labels)}"
    return ""


def test_every_link_opens_a_panel_in_a_state_that_exists():
    shown = [text for lesson in LESSONS.values() for text in re.findall(r"\{show\}`(.*?)`", lesson)]
    assert len(shown) > 10
    assert not {text: found for text in shown if (found := fault(text))}
    for text, says in (
        ("mip/noise#no-such: eta=0.1 | x", "has no panel no-such"),
        ("mip/noise#noise-over-spread: target=41 | x", "the stops are"),
        ("apps/choose-epsilon#choose-lab: delta=0.00001 | x", "the address takes 1e-05, 0.001"),
    ):
        assert says in fault(text)


def test_the_minutes_of_the_steps_add_up():
    asked = {"lesson-45": [45], "lesson-90": [90], "lesson-180": [180], "two-weeks": [90] * 4}
    assert {name: [int(m) for m, _ in BLOCK.findall(text)] for name, text in TAUGHT.items()} == asked
    for text in TAUGHT.values():
        for minutes, inner in BLOCK.findall(text):
            assert sum(int(found[1]) for found in STEP.findall(inner)) == int(minutes)
        assert len(STEP.findall(text)) == text.count("{lesson-step}")


def test_a_lesson_names_exercises_that_exist_and_adds_their_minutes():
    found = {one.label: one for one in read_exercises(ROOT)}
    assert set(re.findall(r"<?(ex-[\w-]+)>?`", "".join(TAUGHT.values()))) <= set(found)
    for name, minutes in (("lesson-45", 16), ("lesson-90", 42)):
        labels = re.findall(r"<(ex-[\w-]+)>", TAUGHT[name].partition("**At home.**")[2])
        assert sum(found[label].effort.minutes for label in labels) == minutes
    levels = re.findall(r"\{ref\}`(ex-[\w-]+)` \(level (\d)\)", TAUGHT["two-weeks"])
    assert len(levels) == 5
    assert all(found[label].effort.level == int(level) for label, level in levels)
