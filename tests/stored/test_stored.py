"""Long runs: declared with their settings, stored small, and found again where they are made anew."""

import hashlib
import json
import os

import numpy as np
import pytest
from shared import ROOT, ran, refused

from mipbook import data, pmp
from mipbook.stored import store
from mipbook.stored.limits import table1
from mipbook.stored.pmp import SEED, GaussianFigure
from mipbook.stored.trained import CLIPS, NETWORK_SETTINGS, SETTINGS, SIGMAS
from studies import pmp_gaussian, run
from studies.table1 import Settings, trial
from studies.trained import trained_digits

DECLARED = run.every()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of our own in the place of the package's."""
    monkeypatch.setattr(store, "STORED", tmp_path)
    store._load.cache_clear()
    yield tmp_path
    store._load.cache_clear()


def test_every_declared_run_is_stored_and_every_stored_one_declared():
    assert set(store.names()) == set(DECLARED)
    sizes = [(store.STORED / f"{name}.npz").stat().st_size for name in DECLARED]
    assert max(sizes) < 200_000
    assert sum(sizes) < 1_550_000


def test_no_stored_number_changes_unseen():
    # Of thousands, tests make a few again. Who makes a run anew writes down what is found here.
    found = []
    for path in sorted(store.STORED.glob("*.npz")):
        with np.load(path, allow_pickle=False) as kept:
            told = [(key, kept[key].dtype.str, kept[key].shape, kept[key].tobytes()) for key in sorted(kept)]
        found.append(f"{path.stem} {hashlib.sha256(repr(told).encode()).hexdigest()[:16]}")
    written = (ROOT / "tests" / "data" / "stored_digests.txt").read_text(encoding="utf-8")
    assert found == written.splitlines()


@pytest.mark.parametrize("name", DECLARED)
def test_a_stored_run_has_the_settings_of_the_code(name):
    found = store.load(name, DECLARED[name].settings)  # refuses others
    assert found.settings.keys() == json.loads(json.dumps(DECLARED[name].settings)).keys()
    assert found.arrays
    for array in found.arrays.values():
        assert array.dtype.kind == "U" or np.isfinite(array).all()
        refused("read-only", array.fill, array.flat[0])


def test_a_file_with_other_settings_is_refused(folder):
    settings = DECLARED["overfitting_2a"].settings
    run.save(folder, "overfitting_2a", {**settings, "n": 201}, train=np.zeros(3))
    refused(r"'n': 201.*must be.*'n': 200.*mipbook runs overfitting", store.load, "overfitting_2a", settings)
    run.save(folder, "overfitting_2a", settings, train=np.zeros(3))
    store._load.cache_clear()
    assert store.load("overfitting_2a", settings).arrays["train"].tolist() == [0, 0, 0]


def test_the_command_makes_what_is_missing_and_leaves_what_stands(folder, monkeypatch, capsys):
    own = {"n": 3, "dimension": 2, "sigma": 1.0, "clip": 9.0, "outliers": 0, "factor": 1.0, "delta": 0.01}
    stops = {"n": (2, 3), "epsilon": (1.0, 5.0)}
    figure = GaussianFigure("small", {**own, "epsilon": 5.0}, "epsilon", (1.0, 5.0), stops)
    declared = run.Run("small", figure.settings, lambda: pmp_gaussian.drawn(figure))
    monkeypatch.setattr(run, "every", lambda: {"small": declared})
    made = []
    for words, said in ((["sm"], "small: 3 kB"), (["small"], "stands"), (["small", "--again"], "")):
        run.main([*words, "--folder", str(folder)])
        assert said in capsys.readouterr().out
        made.append((folder / "small.npz").read_bytes())
    assert made[0] == made[1] == made[2]
    assert len(list(folder.iterdir())) == 1
    assert figure.read("epsilon", n=2).pmp.shape == (2, 6)
    alone = pmp.gaussian_trial(**figure.own, held="epsilon", rng=np.random.default_rng((SEED, 3)))
    assert figure.read("epsilon").pmp[1, 3] == pytest.approx(alone.epsilon_pmp, rel=1e-6)


# --- The same seeds and less work: other processors may round differently, little else.
# Each yields what is made again, what is stored, how near they are, and what is too far away.


def table1_again():
    kept = table1()
    few = Settings(clusters=(10,), sizes=(250,))
    again, other = (trial(seed, few, data.digits()) for seed in (0, 1))
    for kind, stored in (("raw", kept.raw), ("centroids", kept.centroids)):
        yield again[kind][0], stored[0, 0, :2], 0.04, stored[0, 0, :2] + 1
    for row, size in ((0, 250), (1, None)):
        pairs = kept.counts(10, 0, "clusters and labels", size)
        moved, others = (np.abs(made["counts"][row] - pairs).sum() / 2 for made in (again, other))
        yield moved, 0, 0.02 * pairs.sum(), others


def accuracy_again(name, settings, clip, sigma):
    # Two repeats of one learning rate: what the command would store, digit for digit.
    few = {**settings, "clips": (clip,), "sigmas": (sigma,), "learning rates": (2.0,), "repeats": 2}
    again, arrays = trained_digits(few), store.load(name).arrays
    for part in ("validation", "test"):
        stored, at = arrays[part][0, :, :, 1, :2].astype(int), (CLIPS.index(clip), SIGMAS.index(sigma))
        # Another processor may round otherwise, and a digit or two turn over.
        yield again[part][0, 0, 0, 0].astype(int), stored[at], 12, stored[::-1, ::-1][at]


POINTS = ((1.0, 0.0), (0.1, 4.0), (20.0, 12.0))
NETWORKS = {"trained_digits": SETTINGS, "trained_network": NETWORK_SETTINGS}
AGAIN = [(table1_again,), *((accuracy_again, *each, *at) for each in NETWORKS.items() for at in POINTS)]


@pytest.mark.parametrize("made", AGAIN, ids=lambda made: made[0].__name__)
def test_a_reduced_run_repeats_the_stored_numbers(made):
    function, *given = made
    found = list(function(*given))
    for again, stored, within, _ in found:
        assert (np.abs(again - stored) <= within).all()
    assert any((np.abs(other - stored) > within).any() for _, stored, within, other in found), "can fail"


# --- Runs made again with the arithmetic of another processor, the smallest of each kind.
# Sums in another order differ in their last bits. Most runs forget that; training in single precision
# spreads it, so that there the pages must hold with other numbers.

# It adds in another order than the kernels of any processor of today; threads only wait for each other.
KERNEL = {"OPENBLAS_CORETYPE": "Sandybridge", "OPENBLAS_NUM_THREADS": "1"}
# The pages that read a run, with how the cells are known that do; none named, all of the page.
STEADY = dict.fromkeys(("overfitting_2a", "trained_promise", "canaries_proofs", "discretised"), ())
TRAINED = {
    "overfitting_1_n200_w256_s0.1": ("mis/overfitting-record", "", "reference/errata", "overfitting_1"),
    "table1": ("mis/mnist", "", "mis/mnist-record", ""),
}
# Of Table 1 one trial of five is made again: each of them takes a minute and a half.
MAKE = """
import sys
from pathlib import Path
import numpy as np
from explorable.checks.plant import read_chapter
from mipbook.stored import store
from studies import run, table1
name, folder, *pages = sys.argv[1:]
if name == "table1":
    kept = store.load(name)
    made = table1.run(table1.Settings(seeds=1))
    made = {key: np.concatenate([again, kept.arrays[key][len(again):]]) for key, again in made.items()}
    run.save(folder, name, kept.settings, **made)
else:
    run.main([name, "--folder", folder, "--again"])
store.STORED = Path(folder)
store._load.cache_clear()
for page, word in zip(pages[::2], pages[1::2], strict=True):
    first, *cells = read_chapter(Path("book", f"{page}.md")).cells
    space = {"__name__": "__main__"}
    for cell in (first, *(cell for cell in cells if word in cell.source)):
        cell.run(space)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*STEADY, *TRAINED])
def test_another_processor_makes_the_same_numbers_or_pages_hold_with_others(name, tmp_path):
    for path in store.STORED.glob("*.npz"):
        if path.stem != name:
            (tmp_path / path.name).symlink_to(path)
    pages = {**STEADY, **TRAINED}[name]
    done = ran("-c", MAKE, name, tmp_path, *pages, cwd=ROOT, env=os.environ | KERNEL)
    assert not done.returncode, done.stderr[-2000:]
    kept, off = store.load(name).arrays, []
    with np.load(tmp_path / f"{name}.npz", allow_pickle=False) as made:
        assert set(made) == {*kept, "settings"}
        for key, array in kept.items():
            gap = np.abs(made[key].astype(float) - array.astype(float)).max()
            off.append(gap / max(np.abs(array.astype(float)).max(), 1))
    assert max(off) <= 1e-9 if name in STEADY else max(off) > 1e-3, "not another trajectory"
