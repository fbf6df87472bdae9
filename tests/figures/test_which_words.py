"""Which of its sentences a figure says where; of what it tells in numbers `test_again` judges each."""

import pytest

from mipbook import figures

SAID = [
    ("game.attack_backwards", {"tpr": 0.01, "fpr": 0.5}, "is a better attack"),
    # What a lecture, a paper or a first panel of a page tells.
    ("game.attack_backwards", {"tpr": 0.9, "fpr": 0.01, "games": 100}, "ε ≥ 2.71 proved"),
    ("game.attack_backwards", {"tpr": 0.9, "fpr": 0.01, "games": 100}, "ε ≥ 1.35 under add or remove"),
    ("game.attack_backwards", {"tpr": 0.05, "fpr": 0.01}, "would prove ε ≥ 1.6 "),
    ("game.attack_counts", {"tp": 50, "fn": 0, "fp": 0, "tn": 50}, "ε ≥ 2.56"),
    ("game.roc_plane", {}, "It fits from ε = 4.38"),
    ("game.roc_plane", {}, "allows 28 of 1,000 (bound)"),
    ("mip.noise_vs_eta", {"n": 36, "M": 2, "eta": 0.1}, "61.9 times less noise"),
    ("mip.noise_vs_eta", {"n": 36, "M": 2, "eta": 0.1}, "from η = 0.00159"),
    ("mis.security_roc", {}, "right 62.3 times in 100"),
    ("mis.signs_are_enough", {"release": "one bit"}, "76.3% of the 0.246"),
    ("together.composition_costs", {"k": 100, "epsilon": 0.1}, "right 69.1 times"),
    # Each case has its words.
    ("game.roc_plane", {}, "the promise is broken"),
    ("game.roc_plane", {"epsilon": 4.4}, "The promise is kept"),
    ("game.roc_plane", {"epsilon": 8.0, "delta": 0.0, "sigma": 0.3}, "is broken"),
    ("game.roc_plane", {"epsilon": 8.0, "delta": 0.0, "sigma": 0.3}, "At δ = 0 no ε fits"),
    ("mip.noise_vs_eta", {"n": 20}, "times more noise"),
    ("mip.noise_vs_eta", {"n": 20}, "wins nowhere"),
    ("mis.deviation_scallops", {"n": 7, "p": 0.3}, "between c₁"),
    ("mis.deviation_scallops", {"n": 2, "p": 0.5}, "below c₁"),
    ("mis.deviation_scallops", {"n": 5, "p": 0.1}, "above c₂"),
    ("mis.deviation_scallops", {"n": 7, "p": 0.05}, "all the same"),
    ("mis.diversity_band", {"K": 5, "place": 0.0}, "only one distribution"),
    ("mis.diversity_band", {"K": 2, "place": 0.5}, "only one distribution"),
    ("mis.diversity_band", {"K": 5, "place": 1.0}, "single value"),
    ("mis.diversity_band", {"K": 17, "place": 0.2}, "factor of"),
    ("mis.security_hockey", {"nu": 0.5, "red": 1.0, "green": 2.0}, "differ by 0 in total variation (exact)."),
    ("mis.security_hockey", {"nu": 0.8, "red": 2.0, "green": 2.0}, "worth nothing"),
    ("mis.security_roc", {"learner": "nothing"}, "Nothing is released"),
    ("mis.security_roc", {"nu": 0.9, "lam": 0.5, "learner": "the most frequent kind"}, "always saying fresh"),
    ("mis.security_roc", {"nu": 0.3, "lam": 0.3}, "either constant answer"),
    ("mis.security_roc", {"nu": 0.2, "lam": 0.5}, "always saying member"),
    ("mis.signs_are_enough", {"release": "histogram"}, "no learner leaks more"),
    ("mis.signs_are_enough", {"release": "constant"}, "a constant leaks nothing"),
    ("pmp.hockey_stick", {"n": 1}, "which is exact here"),
    ("pmp.hockey_stick", {"place": 0.0, "n": 100, "noise": 2.0, "epsilon": 2.0}, "δ < 10⁻¹²"),
    ("pmp.hockey_stick", {"place": 0.0, "n": 100, "noise": 2.0}, "in truth, 0 is enough"),
    ("together.votes", {"k": 4, "epsilon": 0.5}, "a tie"),
]


@pytest.mark.parametrize(("name", "values", "words"), SAID)
def test_a_state_says_its_words(name, values, words):
    part, figure = name.split(".")
    meta = getattr(getattr(figures, part), figure)(**values).layout.meta
    assert words in f"{meta['headline']}\n{meta['sentence']}"


def test_no_tie_where_there_is_none():
    assert "a tie" not in figures.together.votes(5, 0.5).layout.meta["sentence"]
