"""Panels: what a state costs, packing, and a redraw in a browser; then imports and a page."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from clock import processor

pytestmark = pytest.mark.benchmark(timer=processor)
# The folder of the version that is measured.
TREE = Path(os.environ.get("MIPBOOK_TREE", Path(__file__).resolve().parents[2]))
STATES = {
    "mip/win-factor": ("mip", "win_factor", {"M": 3, "eta": 0.1}),
    "pmp/hockey-stick": ("pmp", "hockey_stick", {}),
    "game/tracing": ("game", "tracing", {}),
}


def figure_of(part: str, name: str):
    from mipbook import figures

    return getattr(getattr(figures, part), name)


@pytest.mark.parametrize("name", STATES)
def bench_state(benchmark, name):
    """One state of a panel: the figure, as a plain tree."""
    from explorable.panels.static import state_tree

    part, function, values = STATES[name]
    tree = benchmark(state_tree, figure_of(part, function), values)
    assert "error" not in tree


def small_panel():
    from explorable.panels import Explorable

    return Explorable(figure_of("mip", "win_factor"), M=[2, 3, 4], eta=[0.01 * i for i in range(1, 16)])


def bench_packing_200_states(benchmark):
    from explorable.panels.pack import Packer
    from explorable.panels.static import state_tree

    function = figure_of("mip", "win_factor")
    trees = [state_tree(function, {"M": 3, "eta": 0.01 * i}) for i in (1, 2, 5, 10)] * 50

    def pack() -> str:
        packer = Packer()
        for tree in trees:
            packer.add(tree)
        return packer.finish()

    assert len(benchmark(pack)) > 1000


@pytest.mark.benchmark(timer=time.perf_counter)
def bench_redraw_in_a_browser(benchmark, tmp_path):
    """A move of a slider until the panel has settled, by the wall clock: the browser does it."""
    from playwright.sync_api import sync_playwright

    sys.path.append(str(TREE / "tools"))
    import browser as finder

    path = tmp_path / "panel.html"
    small_panel().save(path)
    with sync_playwright() as playwright:
        _, browser = finder.start(playwright)
        page = browser.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector(".mb-explorable[data-settled]:not([data-settled=no])")
        move = """() => new Promise((done) => {
          const panel = document.querySelector(".mb-explorable");
          const slider = [...panel.querySelectorAll("input[type=range]")].pop();
          const before = panel.dataset.settled;
          slider.value = Number(slider.value) === 3 ? 4 : 3;
          slider.dispatchEvent(new Event("input", { bubbles: true }));
          const look = () => (["no", before].includes(panel.dataset.settled)
            ? setTimeout(look, 1) : requestAnimationFrame(() => done(panel.dataset.settled)));
          look();
        })"""
        seen = {page.evaluate(move), page.evaluate(move)}
        seen.add(benchmark.pedantic(page.evaluate, (move,), rounds=30))
        browser.close()
    assert len(seen) == 2, "the panel did not move"


@pytest.mark.parametrize("module", ["mipbook", "mipbook.figures", "explorable.panels"])
def bench_import(benchmark, module):
    """A fresh process that imports it, Python's own start included."""
    command = [sys.executable, "-c", f"import {module}"]
    benchmark.pedantic(subprocess.run, (command,), {"check": True}, rounds=5)


def bench_page_with_a_changed_sentence(benchmark, tmp_path):
    """`python -m mipbook page` after a changed sentence, in a copy of the project."""
    left_out = shutil.ignore_patterns("_build", ".*", "node_modules", "__pycache__")
    root = tmp_path / "book"
    shutil.copytree(TREE, root, ignore=left_out)
    kept = {k: v for k, v in os.environ.items() if k != "MIPBOOK_TREE"}
    run = {"cwd": root, "check": True, "capture_output": True}
    run["env"] = {**kept, "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "mipbook", "page", "reference/glossary"]
    page = root / "book" / "reference" / "glossary.md"
    subprocess.run(command, **run)

    def change() -> None:
        page.write_text(page.read_text(encoding="utf-8") + "\nOne more sentence.\n", "utf-8")

    benchmark.pedantic(subprocess.run, (command,), run, setup=change, rounds=3)
    built = root / "_build" / "html" / "book" / "reference" / "glossary.html"
    assert built.read_text(encoding="utf-8").count("One more sentence.") == 3
