"""The checks in the chapters can fail: each is run again with an error planted in the package."""

from __future__ import annotations

import contextlib
import importlib
import io
import re

import numpy as np
import pytest
from test_chapters import BOOK, read

from mipbook import game, mip, tradeoff
from mipbook.mip.noise.delivered import Delivered


def cells_of(page: str, identifier: str) -> tuple[str, list[str]]:
    """The page's imports, and the cells that check this result."""
    code = [c.source for c in read(BOOK / page).cells if c.cell_type == "code"]
    return code[0], [c for c in code if re.match(rf'with result\("{re.escape(identifier)}"', c)]


def run(page: str, identifier: str) -> None:
    imports, checks = cells_of(page, identifier)
    assert checks
    scope: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(imports, scope)
        for cell in checks:
            exec(cell, scope)


def times(module, name, factor):
    """The function, with its result a few percent off."""
    true = getattr(module, name)
    return lambda *a, **k: true(*a, **k) * factor


def published(change):
    """The noise scale, with only the published constant for M >= 2 changed."""
    true = mip.noise_scale

    def wrong(eta, M=2, dimension=1, as_published=False):
        right = true(eta, M=M, dimension=dimension, as_published=as_published)
        return change(right, eta, M) if as_published and M >= 2 else right

    return wrong


def mean_eta(table, members, weights=None):
    flags = np.asarray(members)
    inside = flags.mean(axis=0)
    accuracies = mip.record_accuracies(table, flags, weights)
    return float(np.mean(accuracies - np.maximum(inside, 1 - inside)))


def nothing_delivered(*a, **k):
    return Delivered(0.0, 0.0, 0.0, "exact")


def shrunk_fits():
    """Fits on the parts of a half, too close together."""
    true = mip.fit_on_halves
    return lambda data, *a, **k: true(data, *a, **k) * (0.8 if len(data) == 100 else 1.0)


def blind_counts(self):
    return abs(self.accuracy - 0.5)


NOISE, DEFINED = "mip/noise.md", "mip/definition.md"
LESS, GAME = "mip/less-noise-than-dp.md", "game/membership-game.md"
PLANTED = [
    (NOISE, "mip-thm-9", mip, "noise_scale", published(lambda c, e, M: c / 500)),
    (NOISE, "mip-thm-9", mip, "noise_scale", published(lambda c, e, M: 6.16 / e)),
    (NOISE, "mip-thm-9", mip, "noise_scale", published(lambda c, e, M: 1e-9)),
    (NOISE, "mip-thm-9", mip, "delivered_eta", nothing_delivered),
    (NOISE, "rip-thm-7", mip, "noise_scale", published(lambda c, e, M: 1e-9)),
    (
        NOISE,
        "rip-thm-7",
        mip,
        "minimal_laplace_scale",
        times(mip, "minimal_laplace_scale", 1.03),
    ),
    (NOISE, "mip-cor-14", mip, "noise_scale", published(lambda c, e, M: c * 0.97)),
    (NOISE, "mip-cor-10", mip, "delivered_eta", nothing_delivered),
    (NOISE, "rip-alg-1", mip, "fit_on_halves", shrunk_fits()),
    (
        NOISE,
        "mip-lemma-13",
        mip,
        "weighted_norm",
        lambda x, *a: np.abs(x).max(-1) ** 2 + 1,
    ),
    (DEFINED, "mip-def-1", mip, "finite_eta", mean_eta),
    (DEFINED, "mip-table-1", mip, "finite_eta", mean_eta),
    (
        DEFINED,
        "mip-table-1",
        game,
        "finite_epsilon",
        times(game, "finite_epsilon", 0.9),
    ),
    (DEFINED, "rip-def-1", mip, "finite_eta", times(mip, "finite_eta", 0.9)),
    (DEFINED, "rip-prop-2", mip, "laplace_eta", times(mip, "laplace_eta", 0.97)),
    ("mip/dp-and-mip.md", "mip-thm-5", mip, "finite_eta", mean_eta),
    ("mip/dp-and-mip.md", "rip-thm-5", mip, "finite_eta", mean_eta),
    ("mip/dp-and-mip.md", "mip-prop-6", game, "finite_epsilon", times(game, "finite_epsilon", 0.8)),
    ("mip/dp-and-mip.md", "mip-thm-7", mip, "finite_eta", times(mip, "finite_eta", 1.05)),
    ("mip/dp-and-mip.md", "mip-thm-8", mip, "finite_eta", times(mip, "finite_eta", 0.9)),
    (LESS, "rip-fig-1", mip, "reciprocal_sensitivity", lambda n: 1.0),
    (
        LESS,
        "mip-fig-1",
        mip,
        "noise_scale",
        published(lambda c, e, M: c * 1.05),
    ),
    (
        LESS,
        "mip-fig-1",
        mip,
        "reciprocal_sensitivity",
        times(mip, "reciprocal_sensitivity", 1.05),
    ),
    (
        LESS,
        "mip-prop-11",
        mip,
        "reciprocal_variance",
        times(mip, "reciprocal_variance", 1.02),
    ),
    (
        GAME,
        "lecture-advantage",
        game.Confusion,
        "lecture_advantage",
        property(blind_counts),
    ),
    (
        GAME,
        "lecture-advantage",
        tradeoff,
        "gaussian_advantage",
        times(tradeoff, "gaussian_advantage", 1.03),
    ),
    (
        "game/from-reconstruction.md",
        "lecture-sampling",
        game,
        "sample_mean_error",
        times(game, "sample_mean_error", 1.03),
    ),
    (
        "game/dp-as-hypothesis-test.md",
        "lecture-example",
        game,
        "finite_epsilon",
        lambda *a, **k: 7.0,
    ),
]


@pytest.mark.parametrize(
    ("page", "identifier", "place", "name", "wrong"),
    PLANTED,
    ids=[f"{row[1]}-{row[3]}-{i}" for i, row in enumerate(PLANTED)],
)
def test_a_planted_error_is_caught(monkeypatch, page, identifier, place, name, wrong):
    monkeypatch.setattr(place, name, wrong)
    with pytest.raises((AssertionError, ValueError)):
        run(page, identifier)


def test_a_study_that_leaks_less_than_drawn_is_caught(monkeypatch):
    """The picture's exact value for member or other patient, with its edge cut by a third."""
    module = importlib.import_module("mipbook.figures.mip.blood_pressure")
    true = module._within
    monkeypatch.setattr(module, "_within", lambda n: 0.5 + 0.7 * (true(n) - 0.5))
    with pytest.raises(AssertionError, match="against patients"):
        run(DEFINED, "mip-example-3.2")


def test_the_checks_pass_without_a_planted_error():
    for page, identifier in sorted({row[:2] for row in PLANTED}):
        run(page, identifier)
