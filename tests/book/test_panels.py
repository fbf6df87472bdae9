"""Every panel of every page, without a browser: texts, tags, names, palette."""

from __future__ import annotations

import ast
import json
import re

import pytest
from test_chapters import NOTEBOOKS, name, read

from mipbook.base import palette
from mipbook.explore import Explorable

TAGS = re.compile(r"\b(exact|bounds?|estimates?|approximations?)\b")


def panels():
    """Evaluate each cell whose value is an Explorable, after the page's imports."""
    for path in NOTEBOOKS:
        scope: dict = {}
        for cell in read(path).cells:
            if cell.cell_type != "code":
                continue
            body = ast.parse(cell.source).body
            for statement in body:
                if isinstance(statement, ast.Import | ast.ImportFrom):
                    exec(ast.unparse(statement), scope)
            last = body[-1]
            if isinstance(last, ast.Expr) and "Explorable(" in ast.unparse(last):
                yield pytest.param(eval(ast.unparse(last), scope), id=f"{name(path)}:{last.lineno}")


PANELS = list(panels())


def corners(panel: Explorable):
    """The start, and each control at its first, middle and last stop."""
    yield panel.values
    for key, control in panel.controls.items():
        stops = control.stops
        for stop in {stops[0], stops[len(stops) // 2], stops[-1]}:
            yield {**panel.values, key: stop}


def test_panels_are_found():
    assert len(PANELS) >= 5


@pytest.mark.parametrize("panel", PANELS)
def test_every_state_speaks(panel):
    for values in corners(panel):
        figure = panel.figure(**values)
        meta = figure.layout.meta
        assert len(meta["sentence"]) > 40, values
        assert len(meta["alt"]) > 60, values
        for text in (meta["sentence"], meta["alt"], meta.get("reveal", "")):
            assert not re.search(r"\bnan\b|\binf\b|None", text), text
        tagged = " ".join([meta["sentence"], meta.get("reveal", ""), meta.get("benchmark", "")])
        assert TAGS.search(tagged), f"no number is tagged: {tagged}"
        names = [trace.name for trace in figure.data]
        # A saved table tells traces apart by their names.
        assert all(names), values
        assert len(set(names)) == len(names), values


@pytest.mark.parametrize("panel", PANELS)
def test_colours_have_dark_twins(panel):
    text = json.dumps(panel.figure().to_dict(), default=str)
    colours = set(re.findall(r"#[0-9a-fA-F]{6}\b|rgba\([^)]*\)", text.split('"template"')[0]))
    assert colours <= set(palette.DARK_TWIN), colours - set(palette.DARK_TWIN)


@pytest.mark.parametrize("panel", PANELS)
def test_no_trace_is_told_apart_by_colour_alone(panel):
    looks = set()
    shown = [t for t in panel.figure().data if t.showlegend is not False]
    for trace in shown:
        line, marker = getattr(trace, "line", None), getattr(trace, "marker", None)
        looks.add(
            (
                trace.type,
                trace.mode if trace.type == "scatter" else None,
                getattr(line, "dash", None),
                getattr(line, "width", None),
                getattr(marker, "symbol", None),
                getattr(trace, "fill", None),
                getattr(getattr(trace, "fillpattern", None), "shape", None),
                getattr(getattr(marker, "pattern", None), "shape", None),
            )
        )
    assert len(looks) == len(shown)


def test_panel_ids_are_unique_on_each_page():
    pages: dict[str, list[str]] = {}
    for param in PANELS:
        pages.setdefault(param.id.rsplit(":", 1)[0], []).append(param.values[0].name)
    for page, names in pages.items():
        assert len(set(names)) == len(names), page
