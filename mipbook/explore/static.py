"""The static face: compute every state once, pack it, write the panel's HTML."""

from __future__ import annotations

import html
import json
import os
import time
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mipbook.base import sources, validate
from mipbook.base.progress import terminal, track
from mipbook.explore.assets import asset
from mipbook.explore.complaint import complaint
from mipbook.explore.pack import Packer, plain

if TYPE_CHECKING:
    from mipbook.explore.explorable import Explorable

__all__ = ["panel_html", "plotly_source", "save_page", "state_tree"]

# Names the folder of the packed panels; none outside of a build of the book.
MEMORY = "MIPBOOK_PANELS"
# Below this many seconds of work, starting more processes costs more than it saves.
_WORTH_PROCESSES = 6.0


def plotly_source() -> bytes:
    """Return the plotly script that ships inside the installed plotly package."""
    return resources.files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()


def state_tree(function: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Return the figure of one state as a plain tree, or the message of what it raised."""
    try:
        figure = function(**values)
        tree = plain({key: figure.to_dict().get(key) for key in ("data", "layout")})
        tree["layout"].pop("template", None)
    except Exception as error:
        # One bad state must not take the page away: the panel shows the message there.
        return {"error": complaint(error)}
    assert isinstance(tree, dict)
    return tree


def _trees(explorable: Explorable) -> list[dict[str, Any]]:
    """Run the function at every state, on all cores where that pays, with progress."""
    from joblib import Parallel, delayed, effective_n_jobs

    states = list(explorable.states())
    first = state_tree(explorable.function, states[0])
    again = time.perf_counter()
    state_tree(explorable.function, states[-1])
    # The first call also pays for imports, so the second one tells what a state costs.
    expected = (time.perf_counter() - again) * len(states)
    # An own choice of processes, or a cluster set by parallel_config, is always taken.
    jobs = explorable.n_jobs
    if jobs is None and effective_n_jobs(None) == 1:
        jobs = -1 if expected > _WORTH_PROCESSES else 1
    run = Parallel(n_jobs=jobs, return_as="generator")
    rest = run(delayed(state_tree)(explorable.function, values) for values in states[1:])
    with terminal() as stream:
        bar = track(rest, stream, total=len(states), initial=1, what=explorable.name, unit="states")
        return [first, *bar]


def _script(content: str) -> str:
    """Make JSON safe inside a script element."""
    return content.replace("</", "<\\/").replace("<!--", "<\\!--")


@dataclass(frozen=True)
class _Packed:
    """All states of a panel, packed, and what its picture says at the start."""

    blob: str
    states: int
    sentence: str


def _packed(explorable: Explorable) -> _Packed:
    packer = Packer()
    trees = _trees(explorable)
    for values, tree in zip(explorable.states(), trees, strict=True):
        if "error" in tree and not explorable.may_refuse:
            validate.refuse(
                "controls",
                values,
                f"values that the function of the panel {explorable.name!r} takes, which says "
                f"{tree['error']!r}; a panel that may have such states says may_refuse=True",
            )
        packer.add(tree)
    meta = _start_tree(explorable, trees).get("layout", {}).get("meta", {})
    sentence = meta.get("sentence", "") if isinstance(meta, dict) else ""
    return _Packed(packer.finish(), len(trees), sentence)


def _remembered(explorable: Explorable) -> _Packed:
    """Pack the panel, or take what another page, or the last build, packed of the same states."""
    folder, function = os.environ.get(MEMORY), explorable.function
    if not folder or function.__module__.split(".")[0] != "mipbook":
        return _packed(explorable)
    code = f"import {__name__}\nfrom {function.__module__} import {function.__name__}\n"
    start = [control.start for control in explorable.controls.values()]
    told = [start, list(explorable.states()), explorable.may_refuse]
    path = Path(folder, sources.digest(f"{code}# {told}"))
    return _Packed(**sources.kept(path, lambda: asdict(_packed(explorable))))


def panel_html(explorable: Explorable) -> str:
    """Return the static panel of an explorable; see `Explorable.html`."""
    packed = _remembered(explorable)
    text = json.dumps(explorable.describe(live=False), separators=(",", ":"), allow_nan=False)
    size = len(text) + len(packed.blob)
    if size > explorable.budget:
        raise ValueError(
            f"budget = {explorable.budget}: the panel {explorable.name!r} needs {size} bytes for "
            f"{packed.states} states; use fewer stops, fewer points in a curve, or a larger budget"
        )
    with terminal() as stream:
        print(
            f"mipbook {explorable.name}: {packed.states} states in {size / 1000:.0f} kB, "
            f"compressed, of at most {explorable.budget / 1000:.0f} kB",
            file=stream,
        )
    return (
        f'<section class="mb-explorable" id="{explorable.name}" data-face="static" '
        f'data-states="{packed.states}" aria-label="{html.escape(explorable.title)}">'
        f'<p class="mb-fallback"><strong>{html.escape(explorable.title)}.</strong> '
        f"{html.escape(packed.sentence)} <em>The sliders of this panel need JavaScript in the "
        "published page, or a run of this cell in a notebook.</em></p>"
        f'<script type="application/json" class="mb-spec">{_script(text)}</script>'
        f'<script type="text/plain" class="mb-blob">{packed.blob}</script>'
        "</section>"
    )


def _start_tree(explorable: Explorable, trees: list[dict[str, Any]]) -> dict[str, Any]:
    index = 0
    for control in explorable.controls.values():
        index = index * len(control.stops) + control.start
    return trees[index]


def save_page(explorable: Explorable, path: Path) -> Path:
    """Write a page that holds the panel and all its scripts; see `Explorable.save`."""
    if not path.parent.is_dir():
        validate.refuse("path", str(path), "a file in a folder that exists")
    plotly = plotly_source().decode("utf-8").replace("</script", "<\\/script")
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(explorable.title)}</title>"
        f"<style>{asset('explorable.css')}</style></head>"
        f'<body class="mb-page"><main>{panel_html(explorable)}</main>'
        f"<script>{plotly}</script><script>{asset('explorable.js')}</script></body></html>"
    )
    path.write_text(page, encoding="utf-8")
    return path
