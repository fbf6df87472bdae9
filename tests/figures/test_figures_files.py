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
@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("", "The file is empty."),
        ("PK\x03\x04\x14\x00\ufffd", "This is an Excel file"),
        ("1," * 1_800_000, "The file has 1,800,001 columns"),
        ("x\n", "The file holds a row of names and no records."),
    ],
    ids=["empty", "excel", "wide", "header"],
)
def test_what_is_no_table_is_refused_everywhere(name, broken, told):
    assert refusal(name, broken).startswith(told)


@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize("cell", ["ten", "", "nan", "inf", "1e200", "=1+1", "z" * 5000, "[0.5"])
def test_a_bad_cell_is_named_with_row_and_column_everywhere(name, cell):
    """The third record, in a column of numbers that is used."""
    lines = LABS[name][2].splitlines()
    column = int(name in SCORED)
    cells = lines[3].split(",")
    cells[column] = cell
    lines[3] = ",".join(cells)
    if cell in ("inf", "1e200") and name in SCORED:
        # Scores are only compared.
        assert read(lab(name, "\n".join(lines)))
        return
    if not any(cells):
        # An empty row is none, and is mentioned.
        assert "1 empty row is skipped" in read(lab(name, "\n".join(lines)))
        return
    with pytest.raises(ValueError, match=f"^row 4, column '{lines[0].split(',')[column]}': ") as c:
        lab(name, "\n".join(lines))
    assert len(str(c.value)) < 160


@pytest.mark.parametrize("name", LABS)
def test_a_first_record_with_a_bad_cell_does_not_vanish(name):
    rows = LABS[name][2].splitlines()[1:]
    width = rows[0].count(",") + 1
    rows[0] = ",".join(["NaN", "1.2", "1"][:width])
    order = {"score": ["column 1"], "member": ["column 3"]} if name in SCORED else {}
    told = refusal(name, "\n".join(rows), order)
    assert told.startswith("row 1, column 1: 'NaN' is no value")


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
            assert np.isfinite(np.asarray(values, dtype=float)).all()
    assert not re.search(r"\bnan\b|\binf\b", sentence(figure))


@pytest.mark.parametrize("name", LABS)
def test_a_data_frame_draws_what_its_file_does(name):
    function, _, text, settings = LABS[name]
    frame = pd.read_csv(io.StringIO(text))
    drawn = function(frame, **settings)
    assert drawn.to_dict() == lab(name, text).to_dict()


@pytest.mark.parametrize("name", LABS)
def test_unknown_columns_are_refused_with_those_there_are(name):
    roles = LABS[name][1]
    told = refusal(name, LABS[name][2], {roles[0].name: ["elsewhere"]})
    assert told.startswith("There is no column 'elsewhere'; the columns are ")
    assert "nothing is called" in refusal(name, LABS[name][2], {"elsewhere": ["x"]})
