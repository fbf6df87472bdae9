"""Long runs: declared with their settings, stored small, refused where the settings differ."""

import json
import shutil

import numpy as np
import pytest
from shared import refused

from explorable import sources
from mipbook import pmp
from mipbook.stored import store
from mipbook.stored.pmp_gaussian import SEED, GaussianFigure
from studies import pmp_gaussian, run

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


@pytest.mark.parametrize("name", DECLARED)
def test_a_stored_run_has_the_settings_of_the_code(name):
    found = store.load(name)
    settings = json.loads(json.dumps(DECLARED[name].settings))
    assert found.settings.keys() == settings.keys()
    store.load(name, settings)  # refuses others
    assert found.arrays
    for array in found.arrays.values():
        assert array.dtype.kind == "U" or np.isfinite(array).all()
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = 0


def test_a_file_with_other_settings_is_refused(folder):
    settings = DECLARED["overfitting_2a"].settings
    run.save(folder, "overfitting_2a", {**settings, "n": 201}, train=np.zeros(3))
    refused(r"'n': 201.*must be.*'n': 200.*mipbook runs overfitting", store.load, "overfitting_2a", settings)
    run.save(folder, "overfitting_2a", settings, train=np.zeros(3))
    store._load.cache_clear()
    assert store.load("overfitting_2a", settings).arrays["train"].tolist() == [0, 0, 0]


def small() -> GaussianFigure:
    """A figure like those of the paper, of a second."""
    own = {"n": 3, "dimension": 2, "sigma": 1.0, "clip": 9.0, "outliers": 0, "factor": 1.0, "delta": 0.01}
    stops = {"n": (2, 3), "epsilon": (1.0, 5.0)}
    return GaussianFigure("small", {**own, "epsilon": 5.0}, "epsilon", (1.0, 5.0), stops)


def test_the_command_makes_what_is_missing_and_leaves_what_stands(folder, monkeypatch, capsys):
    figure = small()
    declared = run.Run("small", figure.settings, lambda: pmp_gaussian.drawn(figure))
    monkeypatch.setattr(run, "every", lambda: {"small": declared})
    run.main(["sm", "--folder", str(folder)])
    assert [path.name for path in folder.iterdir()] == ["small.npz"]
    assert "small: 3 kB" in capsys.readouterr().out
    made = (folder / "small.npz").read_bytes()
    run.main(["small", "--folder", str(folder)])
    assert "stands" in capsys.readouterr().out
    run.main(["small", "--folder", str(folder), "--again"])
    assert (folder / "small.npz").read_bytes() == made
    assert figure.read("epsilon", n=2).pmp.shape == (2, 6)
    rng = np.random.default_rng((SEED, 3))
    trial = pmp.gaussian_trial(**figure.own, held="epsilon", rng=rng)
    assert figure.read("epsilon").pmp[1, 3] == pytest.approx(trial.epsilon_pmp, rel=1e-6)


def test_a_changed_run_makes_pages_stale(tmp_path, monkeypatch):
    """Any page: what is stored belongs to what the package's code may read."""
    shutil.copytree(store.STORED.parent, tmp_path / "mipbook" / "stored")
    monkeypatch.setattr(sources, "followed", lambda: {"mipbook": tmp_path / "mipbook"})
    cached = [value for value in vars(sources).values() if hasattr(value, "cache_clear")]
    digests = []
    for change in (None, {"x": np.zeros(2)}, {"x": np.ones(2)}):
        if change:
            run.save(tmp_path / "mipbook/stored/arrays", "pmp_figure_1", {}, **change)
        for function in cached:
            function.cache_clear()
        digests.append(sources.digest("from mipbook import figures"))
    for function in cached:
        function.cache_clear()
    assert len(set(digests)) == 3
