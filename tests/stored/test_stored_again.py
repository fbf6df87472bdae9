"""Runs made again with the arithmetic of another processor, the smallest of each kind.

Sums in another order differ in their last bits. Most runs forget that; training in single precision
spreads it, so that there the pages must hold with other numbers.
"""

import os

import numpy as np
import pytest
from shared import ROOT, ran

from mipbook import stored
from mipbook.stored import store

# It adds in another order than the kernels of any processor of today.
KERNEL = {"OPENBLAS_CORETYPE": "Prescott"}
STEADY = ("overfitting_2a", "trained_promise", "canaries_proofs", "discretised")
# The pages that read a run, with how the cells are known that do; none named, all of the page.
TRAINED = {
    "overfitting_1_n200_w256_s0.1": (("mis/overfitting-record", ""), ("reference/errata", "overfitting_1")),
    "table1": (("mis/mnist", ""), ("mis/mnist-record", "")),
}
MAKE = """
import sys
from pathlib import Path
from explorable.checks.plant import read_chapter
from mipbook.stored import store
from studies import run
name, folder, *pages = sys.argv[1:]
run.main([name, "--folder", folder, "--again"])
store.STORED = Path(folder)
for page, word in zip(pages[::2], pages[1::2], strict=True):
    first, *cells = read_chapter(Path("book", f"{page}.md")).cells
    space = {"__name__": "__main__"}
    for cell in (first, *(cell for cell in cells if word in cell.source)):
        cell.run(space)
"""


def again(name, folder, pages=()):
    """Make a run into a folder that holds the others, run cells with it; return its arrays."""
    for path in store.STORED.glob("*.npz"):
        if path.stem != name:
            (folder / path.name).symlink_to(path)
    words = [word for page in pages for word in page]
    done = ran("-c", MAKE, name, folder, *words, cwd=ROOT, env=os.environ | KERNEL)
    assert not done.returncode, done.stderr[-2000:]
    with np.load(folder / f"{name}.npz", allow_pickle=False) as found:
        return {key: found[key] for key in found.files if key != "settings"}


def off(name, made):
    """How far a run is from the stored one, relative to the largest number of each array."""
    kept = stored.load(name).arrays
    assert set(made) == set(kept)
    pairs = [(made[key].astype(float), kept[key].astype(float)) for key in kept]
    return max(np.abs(a - b).max() / max(np.abs(b).max(), 1) for a, b in pairs)


def night(names, by_day):
    return [pytest.param(name, marks=() if name in by_day else pytest.mark.nightly) for name in names]


@pytest.mark.parametrize("name", night(STEADY, ()))
def test_another_processor_makes_the_same_numbers(name, tmp_path):
    assert off(name, again(name, tmp_path)) <= 1e-9


@pytest.mark.parametrize("name", night(TRAINED, ()))
def test_pages_hold_with_the_trajectory_of_another_processor(name, tmp_path):
    assert off(name, again(name, tmp_path, TRAINED[name])) > 1e-3, "not another trajectory"
