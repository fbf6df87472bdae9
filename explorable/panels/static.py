"""The static face: every state computed once and packed, the panel's HTML, its script and styles."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from graphlib import TopologicalSorter
from heapq import nlargest
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorable import palette, settings, sources, validate
from explorable.panels.corners import CORNERS
from explorable.panels.pack import Packer, plain
from explorable.panels.protocol import composed, filled, plain_tree, recorded
from explorable.panels.reply import complaint
from explorable.progress import terminal, track

if TYPE_CHECKING:
    from explorable.panels.explorable import Explorable

_HERE = Path(__file__).parent
PLOTLY = _HERE / "plotly" / "plotly.min.js"
# A panel as `panel_html` writes it, with its id.
PANEL = re.compile(r'<section class="mb-explorable" id="([\w-]+)" data-face="static".*?</section>', re.DOTALL)
# Names the folder of the packed panels; none outside of a build of the book.
MEMORY = "PANELS"
# Below this many seconds of work, starting more processes costs more than it saves.
_WORTH_PROCESSES = 6.0
# So many states of a layered figure are compared with the figure in one piece.
_COMPARED = 12
# So many of the longest sentences are measured: not always the longest is the highest.
_LONGEST = 3
# Between the first sentence of a text and the next.
_FIRST = re.compile(r"(?<=[.!?)]) (?=[A-Z(])")


def state_tree(function: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Return the figure, or the part, of one state as a plain tree, or what it raised."""
    try:
        whole = plain_tree(function, values)
        tree = plain({key: whole.get(key) for key in ("data", "layout")})
        tree.get("layout", {}).pop("template", None)
    except Exception as error:
        # One bad state must not take the page away: the panel shows the message there.
        return {"error": complaint(error)}
    assert isinstance(tree, dict)
    return tree


def _trees(
    function: Any, states: list[dict[str, Any]], what: str, n_jobs: int | None
) -> list[dict[str, Any]]:
    """Run the function at every state, on all cores where that pays, with progress."""
    from joblib import Parallel, delayed, effective_n_jobs

    first = state_tree(function, states[0])
    again = time.perf_counter()
    state_tree(function, states[-1])
    # The first call also pays for imports, so the second one tells what a state costs.
    expected = (time.perf_counter() - again) * len(states)
    # An own choice of processes, or a cluster set by parallel_config, is always taken.
    if n_jobs is None and effective_n_jobs(None) == 1:
        n_jobs = -1 if expected > _WORTH_PROCESSES else 1
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    rest = run(delayed(state_tree)(function, values) for values in states[1:])
    bar = track(rest, len(states), initial=1, what=what, unit="states", place=terminal)
    return [first, *bar]


@dataclass(frozen=True)
class _Packed:
    """All states of a panel, packed layer by layer, and what its picture says at the start."""

    layers: list[list[str]]
    corners: list[int]
    blobs: list[str]
    states: int
    sentence: str
    longest: list[str]
    headline: list[str]


def _layers(explorable: Explorable) -> list[tuple[Any, dict[str, Any], list[str]]]:
    """Return each layer's function, its fixed values, and the controls that it depends on."""
    with recorded() as layers:
        # A start that the function refuses is packed, or refused, like any other state.
        state_tree(explorable.function, explorable.values)
    if not layers:
        return [(explorable.function, {}, list(explorable.controls))]
    found = []
    for each in layers:
        names = [name for name in explorable.controls if name in each.values]
        fixed = {k: v for k, v in each.values.items() if k not in names}
        found.append((each.function, fixed, names))
    return found


def _packed(explorable: Explorable) -> _Packed:
    blobs, trees, corners, layers = [], [], [], _layers(explorable)
    for place, (function, fixed, names) in enumerate(layers):
        if hasattr(function, CORNERS):
            # One state stands for all: the table says what differs.
            table = getattr(function, CORNERS)()
            values = {name: explorable.controls[name].value for name in names}
            drawn = state_tree(function, {**fixed, **values})
            trees.append([drawn, table.widest(drawn)])
            blobs.append(table.packed(drawn))
            corners.append(place)
            continue
        states = [{**fixed, **values} for values in explorable.states(names)]
        trees.append(_trees(function, states, explorable.name, explorable.n_jobs))
        packer = Packer()
        for values, tree in zip(states, trees[-1], strict=True):
            if "error" in tree and not explorable.may_refuse:
                takes = f"values that the function of the panel {explorable.name!r} takes"
                hint = "a panel that may have such states says may_refuse=True"
                validate.refuse("controls", values, f"{takes}, which says {tree['error']!r}; {hint}")
            packer.add(tree)
        blobs.append(packer.finish())

    def at(values: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            trees[i][0 if i in corners else _index(explorable, names, values)]
            for i, (_, _, names) in enumerate(layers)
        ]

    if not corners and (len(layers) > 1 or layers[0][0] is not explorable.function):
        _check_layers(explorable, at)
    start = _said(composed(at(explorable.values))).get("sentence") or ""
    count = sum(map(len, trees))
    told = [_said(tree) for layer in trees for tree in layer if "error" not in tree]
    longest = (_longest(told, what) for what in ("sentence", "headline"))
    return _Packed([names for *_, names in layers], corners, blobs, count, start, *longest)


def _said(tree: dict[str, Any]) -> dict[str, Any]:
    """Return what a figure tells its panel; one of a reader's own may hold something else there."""
    meta = tree["layout"].get("meta")
    return meta if isinstance(meta, dict) else {}


def _longest(told: list[dict[str, Any]], what: str) -> list[str]:
    """Return the longest sentences, or headlines, that layers which tell these may say together.

    The page keeps the place of the highest: of the whole text, and of its first sentence, which
    is all that it shows where there is little room.
    """
    words: dict[str, str] = {}
    for each in told:
        for name, word in (each.get("words") or {}).items():
            words[name] = max(words.get(name, ""), word, key=len)
    said = {filled(text, words) for each in told if (text := each.get(what)) is not None}
    whole = nlargest(_LONGEST, sorted(said), key=len)
    first = nlargest(_LONGEST, sorted(said), key=lambda text: len(first_sentence(text)))
    return list(dict.fromkeys([*whole, *first]))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text; the page's script ends it at the same place."""
    return _FIRST.split(text, maxsplit=1)[0]


def _index(explorable: Explorable, names: list[str], values: dict[str, Any]) -> int:
    """Return the number of a state among those of some controls, the last control fastest."""
    index = 0
    for name in names:
        stops = explorable.controls[name].stops
        index = index * len(stops) + stops.index(values[name])
    return index


def _check_layers(explorable: Explorable, at: Callable[[dict[str, Any]], Any]) -> None:
    """Compare the layers with the whole figure at some states, the ends among them."""
    drawn = random.Random(0).choice
    choices: list[Callable[[Any], Any]] = [itemgetter(0), itemgetter(-1), *[drawn] * _COMPARED]
    for choose in choices:
        values = {name: choose(control.stops) for name, control in explorable.controls.items()}
        whole = state_tree(explorable.function, values)
        parts = at(values)
        if "error" in whole and any("error" in part for part in parts):
            continue
        if _text(composed(parts)) != _text(whole):
            allowed = f"layers that together are the figure of the panel {explorable.name!r}"
            hint = "one of them depends on a control that it does not name"
            validate.refuse("layers", values, f"{allowed}; {hint}")


def _text(tree: dict[str, Any]) -> str:
    return json.dumps(tree, sort_keys=True, default=lambda array: array.tolist())


def _remembered(explorable: Explorable) -> _Packed:
    """Pack the panel, or take what another page, or the last build, packed of the same states."""
    folder, function = settings.told(MEMORY), explorable.function
    if not folder or function.__module__.split(".")[0] not in sources.followed():
        return _packed(explorable)
    code = f"import {__name__}\nfrom {function.__module__} import {function.__name__}\n"
    stops = {name: (c.start, c.stops) for name, c in explorable.controls.items()}
    told = [stops, explorable.may_refuse]
    if sources.changed_since(code):
        # Its digest would be that of the new code, and what is drawn is drawn by the old.
        return _packed(explorable)
    path = Path(folder, sources.digest(f"{code}# {told}"))
    return _Packed(**sources.kept(path, lambda: asdict(_packed(explorable))))


def panel_html(explorable: Explorable) -> str:
    """Return the static panel of an explorable; see `Explorable.html`."""
    packed = _remembered(explorable)
    spec = {
        **explorable.describe(live=False),
        "layers": packed.layers,
        **({"corners": packed.corners} if packed.corners else {}),
        "longest": packed.longest,
        "headline": packed.headline,
    }
    text = json.dumps(spec, separators=(",", ":"), allow_nan=False)
    size = len(text) + sum(map(len, packed.blobs))
    if size > explorable.budget:
        raise ValueError(
            f"budget = {explorable.budget}: the panel {explorable.name!r} needs {size} bytes for "
            f"{packed.states} states; use fewer stops, fewer points in a curve, or a larger budget"
        )
    with terminal() as stream:
        print(
            f"{settings.name()} {explorable.name}: {packed.states} states in {size / 1000:.0f} kB, "
            f"compressed, of at most {explorable.budget / 1000:.0f} kB",
            file=stream,
        )
    title = html.escape(explorable.title)
    safe = text.replace("</", "<\\/").replace("<!--", "<\\!--")
    return (
        f'<section class="mb-explorable" id="{explorable.name}" data-face="static" '
        f'data-states="{packed.states}" aria-label="{title}">'
        f'<p class="mb-fallback"><strong>{title}.</strong> '
        f"{html.escape(packed.sentence)} <em>The sliders of this panel need JavaScript in the "
        "published page, or a run of this cell in a notebook.</em></p>"
        f'<script type="application/json" class="mb-spec">{safe}</script>'
        + "".join(f'<script type="text/plain" class="mb-blob">{b}</script>' for b in packed.blobs)
        + "</section>"
    )


def _policy(scripts: Iterable[str]) -> str:
    """Let these scripts run, whatever else a file's name or a column's brings into the page."""
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def page_html(explorable: Explorable, *, above: str = "", style: str = "") -> str:
    """Return a page that holds the panel and all its scripts, with HTML above it."""
    plotly = PLOTLY.read_text("utf-8").replace("</script", "<\\/script")
    title = html.escape(explorable.title)
    scripts = (plotly, asset("explorable.js"))
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title>"
        f"<style>{asset('explorable.css')}{style}</style></head>"
        f'<body class="mb-page"><main>{above}{panel_html(explorable)}</main>'
        + "".join(f"<script>{script}</script>" for script in scripts)
        + "</body></html>"
    )


WORKER = "mipbook-here-worker.js"
ASSETS = ("explorable.js", WORKER, "explorable.css", "book.css", "fonts.css", "print.css")

# What fonts.css gives, where it is; else what the reader's system has.
SANS = '"Source Sans 3", "Like Source Sans 3", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
_LIKE = ", ".join(f'"Like Source Serif 4 {name}"' for name in "ABC")
SERIF = f'"Source Serif 4", {_LIKE}, Charter, Georgia, serif'

_STYLES = {"explorable.css": ("explorable.css", "ask.css"), "book.css": ("page.css", "boxes.css", "book.css")}
_IMPORT = re.compile(r'^import [^;]* from "\./([\w-]+)\.js";\n', flags=re.MULTILINE)
# Said to who reads the parts; a third of what a reader's browser would load.
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", flags=re.MULTILINE)
_EXPORT = re.compile(r"^export ", flags=re.MULTILINE)
_NAME = re.compile(r"^(?:async )?(?:function|class|const|let) (\w+)", flags=re.MULTILINE)


def _joined(parts: dict[str, str]) -> str:
    """Join the parts into one classic script: modules do not load from a file's address."""
    # Each part stands behind those that it imports.
    needs = {name: _IMPORT.findall(text) for name, text in sorted(parts.items())}
    body = "\n".join(parts[name] for name in TopologicalSorter(needs).static_order())
    body = _EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", body)))
    # A page may hold the script itself; such words in one of its texts would end it there.
    body = body.replace("</script", "<\\/script")
    twice = [name for name, count in Counter(_NAME.findall(body)).items() if count > 1]
    if twice:
        raise RuntimeError(f"parts of the script share the names {', '.join(twice)}")
    start = f"if (globalThis.mipbook) return;\nconst TONES = {json.dumps(palette.tones())};"
    start += f"\nconst SANS = {json.dumps(SANS)};"
    return f'(() => {{\n"use strict";\n{start}\n\n{body}}})();\n'


def asset(name: str) -> str:
    """Return one of the panel's own files, such as ``explorable.js``."""
    if name == "explorable.js":
        return _joined({path.stem: path.read_text("utf-8") for path in _HERE.glob("js/*.js")})
    if name == WORKER:
        # A worker is no part of a page: it stands in a file of its own.
        return (_HERE / "js" / "worker" / "here-worker.js").read_text("utf-8")
    text = "".join((_HERE / "css" / part).read_text("utf-8") for part in _STYLES.get(name, [name]))
    if name != "explorable.css":
        return text
    # The colours and the faces stand once, where the panels are.
    faces = f":root, :host {{ --type-sans: {SANS}; --type-serif: {SERIF}; }}\n"
    return palette.style() + palette.pictures() + faces + text
