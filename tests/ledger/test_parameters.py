"""The ledger of what the sources vary is held against the panels."""

import pytest

from explorable.checks import parameters as ledger
from explorable.checks.parameters import Parameter, Place
from tools import parameters as tool


@pytest.fixture(scope="module")
def declared():
    return tool.declared()


@pytest.mark.parametrize(
    ("control", "why", "said"),
    [
        ("no-such-panel.n", "", "no such panel"),
        ("pmp-figure-1.nothing", "", "no such control"),
        ("pmp-figure-1.to.nothing", "", "no such control"),
        ("along pmp-figure-1", "", "no such panel"),
        ("pmp-figure-1", "", "no reason is given"),
        ("", "", "no reason is given"),
    ],
)
def test_a_wrong_row_is_told(control, why, said, declared, monkeypatch):
    row = Parameter("pmp-fig-1", "n", "6", control, why)
    monkeypatch.setattr(ledger, "parameters", lambda: (row,))
    assert any(said in fault for fault in ledger.faults(declared))


def test_a_result_of_which_nothing_is_said_is_told(declared, monkeypatch):
    row = Parameter("pmp-fig-1", "n", "6", "pmp-figure-1.to.n", "")
    monkeypatch.setattr(ledger, "parameters", lambda: (row,))
    assert "pmp-fig-2: the ledger says nothing of it" in ledger.faults(declared)


def test_a_choice_of_what_a_slider_moves_is_a_slider():
    along = {"kind": "slider", "stops": [0, 1, 2], "along": {"n": {"labels": ["2", "6"]}}}
    panels = {"figure": Place("page", {"to": along})}
    row = Parameter("r", "n", "6", "figure.to.n", "")
    assert ledger.verdict(row, panels) == "slider"
    assert ledger._words(row, panels) == "2 stops"
