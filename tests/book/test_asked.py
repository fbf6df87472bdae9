"""Every guess and every answer of a page is compared with what the page computes later."""

import ast

from panels import NOTEBOOKS, panels, read

KINDS = ("Guess", "Answer")


def calls(tree: ast.AST, named: tuple[str, ...]) -> list[ast.Call]:
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [c for c in found if isinstance(c.func, ast.Name) and c.func.id in named]


def unchecked(cells: list[str]) -> list[str]:
    """Return what a page asks without an ``assert name.accepts(...)`` in a later cell."""
    asked: dict[str, int] = {}
    missing = []
    for place, source in enumerate(cells):
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign) and calls(node, KINDS):
                asked |= {ast.unparse(target): place for target in node.targets}
            elif calls(node, KINDS):
                missing.append(ast.unparse(node))
        asserted = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Assert)]
        for name in [name for name, at in asked.items() if at < place]:
            if any(f"{name}.accepts(" in ast.unparse(each.test) for each in asserted):
                del asked[name]
    return [*missing, *asked]


# To read a page as a notebook takes a while, at the start of every process.
PAGES = {
    path: [c.source for c in read(path).cells if c.cell_type == "code"]
    for path in NOTEBOOKS
    if any(f"{kind}(" in path.read_text(encoding="utf-8") for kind in KINDS)
}
ASKING = [p for p, cells in PAGES.items() if any(f"{k}(" in s for s in cells for k in KINDS)]


def test_pages_ask_and_what_is_not_compared_is_found():
    assert ASKING
    asked = "a = Answer('a', 1)\na"
    assert unchecked([asked, "assert a.accepts(1) and True"]) == []
    assert unchecked([asked + "\nassert a.accepts(1)"]) == ["a"]
    assert unchecked([asked, "a.accepts(1)"]) == ["a"]
    assert unchecked(["Guess(1)"]) == ["Guess(1)"]


def test_what_is_asked_is_compared_with_a_later_cell():
    for path in ASKING:
        cells = ["\n".join(x for x in s.splitlines() if x[:1] != "%") for s in PAGES[path]]
        assert unchecked(cells) == [], f"{path}: assign it, and assert that it accepts what the page finds"


# --- The panels of the pages; what their figures draw and say is tested for all figures together


def test_panel_ids_are_unique_on_each_page():
    assert len(panels()) >= 5
    for page, found in panels().items():
        names = [panel.name for panel in found]
        assert len(set(names)) == len(names), f"{page}: give one of the panels a name of its own"
