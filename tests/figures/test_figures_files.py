"""Files of a reader's own, the same for every lab: what is said, and what is refused."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from labs import LABS, lab, read, refusal
from shared import sentence

from explorable.tables import LARGEST, describe_file

# The labs whose numbers are scores, which are only compared.
SCORED = ("attack", "scores")


@pytest.mark.parametrize("name", LABS)
def test_a_lab_says_what_it_read_of_a_file_and_nothing_of_an_example(name):
    function, roles, text, settings = LABS[name]
    figure = lab(name, text)
    assert read(figure).startswith(f"Read: {describe_file(text, roles)['read']}; ")
    assert read(figure).endswith(".")
    assert "read" not in function(**settings).layout.meta
    json.dumps(read(figure))


@pytest.mark.parametrize("name", LABS)
def test_what_is_no_table_and_a_bad_cell_are_refused_everywhere(name):
    """By the one reader, in whose tests (`tests/tables`) stands all that is no table and no number."""
    assert refusal(name, "PK\x03\x04\x14\x00\ufffd").startswith("This is an Excel file")
    lines, column = LABS[name][2].splitlines(), int(name in SCORED)

    def with_cell(cell):
        """The third record, in a column of numbers that is used."""
        cells = lines[3].split(",")
        cells[column] = cell
        return "\n".join([*lines[:3], ",".join(cells), *lines[4:]])

    for cell in ("ten", "nan", "=1+1", "z" * 5000):
        told = refusal(name, with_cell(cell))
        assert told.startswith(f"row 4, column '{lines[0].split(',')[column]}': ")
        assert len(told) < 160
    if name in SCORED:  # scores are only compared
        assert read(lab(name, with_cell("inf")))


@pytest.mark.parametrize("name", [n for n in LABS if n not in SCORED])
def test_the_largest_numbers_that_are_read_break_nothing(name):
    _, _, text, _ = LABS[name]
    lines = text.splitlines()
    for place, sign in ((5, "-"), (7, "")):
        cells = lines[place].split(",")
        cells[0] = f"{sign}{LARGEST:.0f}"
        lines[place] = ",".join(cells)
    figure = lab(name, "\n".join(lines))
    for trace in figure.data:
        for values in (trace.x, trace.y):
            assert np.isfinite([float(value) for value in values if value is not None]).all()
    assert not re.search(r"\bnan\b|\binf\b", sentence(figure))


@pytest.mark.parametrize("name", LABS)
def test_a_data_frame_draws_what_its_file_does(name):
    function, _, text, settings = LABS[name]
    frame = pd.read_csv(io.StringIO(text))
    drawn = function(frame, **settings)
    assert drawn.to_json() == lab(name, text).to_json()


@pytest.mark.parametrize("name", LABS)
def test_unknown_columns_are_refused_with_those_there_are(name):
    roles = LABS[name][1]
    told = refusal(name, LABS[name][2], {roles[0].name: ["elsewhere"]})
    assert told.startswith("There is no column 'elsewhere'; the columns are ")
    assert "nothing is called" in refusal(name, LABS[name][2], {"elsewhere": ["x"]})
