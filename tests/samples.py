"""What kinds of things stand on a built page, and the few pages that a run by day tries by hand.

Between them these show every kind that the book has (else `tests/book/test_shape.py` is red), and the
first thing of each kind is tried; by night everything on every page, in every way.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from unpacked import unpack

PANEL = re.compile(r'<section class="mb-explorable".*?</section>', re.DOTALL)
SPEC = re.compile(r'class="mb-spec">(.*?)</script>', re.DOTALL)
STATES = re.compile(r'class="mb-blob" data-at="(\w+)"')
CLASS = re.compile(r'<(?:\w+)[^>]* class="([^"]*)"')
# What a page is dressed in; what comes of a library's numbering, of highlighting or of a role is not.
WORN = re.compile(r"^(mb-[a-z-]+|admonition|proof|exercise|solution|math|table|sd-[a-z]+|citation|toggle)$")

SAMPLE: dict[str, tuple[str, ...]] = {
    "controls": ("book/index", "book/apps/translate", "book/mis/mnist"),
    "apps": ("book/apps/translate",),
    "asked": ("book/game/membership-game", "book/together/clip-and-noise"),
    "mark": ("book/game/membership-game", "book/mip/dp-and-mip", "book/mis/security"),
    "address": ("book/apps/audit-scores", "book/game/from-reconstruction"),
    "hands": (
        *("book/apps/audit-scores", "book/together/audit-your-model", "book/mis/overfitting"),
        *("book/game/attacks-as-lower-bounds", "book/game/attacks-as-lower-bounds-record"),
        "book/mis/overfitting-record",
    ),
    # The last four only for what each alone wears: in fewer looks.
    "visit": (
        *("book/index", "book/pmp/exponential-record", "book/mis/mnist", "book/teach/lesson-45"),
        *("book/reference/results", "book/reference/bibliography"),
        "book/reference/api/accounting-implications",
        *("book/game/attacks-as-lower-bounds-record", "book/mip/less-noise-than-dp"),
        *("book/pmp/gaussian", "book/jobs", "book/apps/index"),
    ),
}


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def panels_on(path: Path) -> list[tuple[dict[str, Any], list[str]]]:
    """Return the specs of a page's panels, each with its packed layers."""
    (folder,) = (each / "_static" / "panels" for each in path.parents if each.name == "html")
    found = []
    for section in PANEL.findall(text_of(path)):
        told = SPEC.search(section)
        if told and "controls" in (spec := json.loads(told[1])):
            (at,) = STATES.findall(section)
            found.append((spec, json.loads(text_of(folder / f"{at}.js").partition(" = ")[2][:-2])))
    return found


def asked_on(path: Path) -> list[dict[str, Any]]:
    """Return what a page asks."""
    return [spec for told in SPEC.findall(text_of(path)) if "input" in (spec := json.loads(told))]


def controls(path: Path) -> dict[str, set[str]]:
    """Return the kinds of each control of a page, by its panel and its name."""
    found = {}
    for spec, control in ((own, each) for own, _ in panels_on(path) for each in own["controls"]):
        flags = set(filter(control.get, ("log", "stepped", "whole", "play", "unit", "again")))
        flags |= {"menu"} if control["kind"] == "choice" and len(control["stops"]) > 5 else set()
        flags |= {"columns"} if control.get("roles") else set()  # which differ in words only
        flags.add("number" if isinstance(control["stops"][0], int | float) else "word")
        found[f"{spec['id']}.{control['name']}"] = {f"{control['kind']} {each}" for each in flags}
    return found


def apps(path: Path) -> dict[str, set[str]]:
    """Return the kinds of each control of an app; how they look is tried on pages without a server."""
    every = controls(path) if path.parent.name == "apps" else {}
    return {name: {own.split()[0] for own in kinds} for name, kinds in every.items()}


def asked(path: Path) -> dict[str, set[str]]:
    """Return the ways in which a page asks, each by its name, and what it covers."""
    told = ("mistakes", "within", "panels", "axes", "handles", "replies")
    found = {"": {"veiled text"}} if "mb-veiled" in text_of(path) else {}
    for spec in asked_on(path):
        found[spec["name"]] = {f"{spec['role']} {each}" for each in (spec["input"], *filter(spec.get, told))}
    return found


def mark(path: Path) -> dict[str, set[str]]:
    """Return the guesses of a page that are put into a picture, and along what."""
    put = [(spec["name"], own) for spec in asked_on(path) if (own := spec.get("mark") or {}).get("axis")]
    return {name: {f"{own['axis']} {'level' if own['at'] is None else 'dot'}"} for name, own in put}


def address(path: Path) -> set[str]:
    """Return what the address of a page has to name."""
    found = {"several panels"} if len(panels_on(path)) > 1 else set()
    for spec, _ in panels_on(path):
        for control in spec["controls"]:
            # How yes and no stand in an address is tried in node.
            kind = type(control["stops"][0]).__name__
            found |= {f"{control['kind']} {kind}"} - {"choice bool"}
            if any(re.search(r"[^\w. -]", str(stop)) for stop in control["stops"]):
                found.add("a sign in a value")
    return found | ({"a guess over a panel"} if any(s.get("panels") for s in asked_on(path)) else set())


def hands(path: Path) -> dict[str, set[str]]:
    """Return what of a page's pictures can be held or read, by their panels."""
    found: dict[str, set[str]] = {}
    for spec, blobs in panels_on(path):
        own = found[spec["id"]] = set()
        for i, blob in enumerate(blobs):
            if i in spec.get("corners", ()):
                continue
            meta = unpack(blob, 0).get("layout", {}).get("meta", {})
            for grab in meta.get("grab", ()):
                own.add(f"grab {grab['axis'][0]}{' track' * ('track' in grab)}{' at' * ('at' in grab)}")
                own |= {"second picture"} if grab["axis"][1:] else set()
            own |= {key for key in ("probe", "ghost", "beside", "table") if meta.get(key)}
    return found


def dress(path: Path) -> set[str]:
    """Return what a page is dressed in."""
    return {word for names in CLASS.findall(text_of(path)) for word in names.split() if WORN.match(word)}


KINDS: dict[str, Callable[[Path], dict[str, set[str]]]] = {
    "controls": controls,
    "apps": apps,
    "asked": asked,
    "mark": mark,
    "address": lambda path: {"": address(path)},
    "hands": hands,
    "visit": lambda path: {"": dress(path)},
}


@cache
def kinds(way: str, book: Path, page: str) -> set[str]:
    """Return all kinds that stand on a page."""
    return set().union(*KINDS[way](book / f"{page}.html").values())


def named(way: str, book: Path, page: str) -> set[str]:
    """Return the names of all that stands on a page."""
    return set(KINDS[way](book / f"{page}.html"))


def by_day(way: str, book: Path, page: str) -> set[str]:
    """Return the names of what is the first of its kind, as one reads the sample; else of all."""
    if page not in SAMPLE[way]:
        return named(way, book, page)
    before = SAMPLE[way][: SAMPLE[way].index(page)]
    seen, first = set().union(*(kinds(way, book, each) for each in before)), set()
    for name, own in KINDS[way](book / f"{page}.html").items():
        first |= {name} if own - seen else set()
        seen |= own
    return first


def missing(way: str, book: Path, pages: list[str]) -> set[str]:
    """Return the kinds that stand on some of the pages, and on none of the sample."""
    on = {page: kinds(way, book, page) for page in pages}
    return set().union(*on.values()) - set().union(*(on[page] for page in SAMPLE[way]))
