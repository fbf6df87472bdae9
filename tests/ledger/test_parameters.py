"""The ledger of what the sources vary is held against the panels."""

import pytest

from explorable.checks import parameters as ledger
from explorable.checks.parameters import Parameter, Place

ALONG = {"kind": "slider", "stops": [0, 1, 2], "along": {"n": {"labels": ["2", "6"]}}}
PANELS = {"pmp-figure-1": Place("page", {"to": ALONG})}
REASON = "nothing moves it, and no reason is given"


@pytest.mark.parametrize(
    ("control", "said"),
    [
        ("no-such-panel.n", ["no such panel: no-such-panel.n"]),
        ("pmp-figure-1.nothing", ["no such control: pmp-figure-1.nothing; the panel has to"]),
        ("pmp-figure-1.to.nothing", ["no such control: pmp-figure-1.to.nothing; the panel has to"]),
        ("along pmp-figure-1", ["no such panel: along pmp-figure-1"]),
        ("pmp-figure-1", [REASON]),
        ("", [REASON]),
        ("pmp-figure-1.to.n", []),
    ],
)
def test_a_wrong_row_is_told_and_so_is_a_result_without_one(control, said, monkeypatch):
    monkeypatch.setattr(ledger, "parameters", lambda: (Parameter("pmp-fig-1", "n", "6", control, ""),))
    told = ledger.faults(PANELS)
    assert "pmp-fig-2: the ledger says nothing of it" in told
    assert [f"pmp-fig-1, n: {fault}" for fault in said] == [f for f in told if f.startswith("pmp-fig-1")]


def test_a_choice_of_what_a_slider_moves_is_a_slider():
    row = Parameter("r", "n", "6", "pmp-figure-1.to.n", "")
    assert ledger.verdict(row, PANELS) == "slider"
    assert ledger._words(row, PANELS) == "2 stops"
