"""Files of a reader's own in each lab: which columns are used, what is said, drawn and refused."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from shared import named, sentence

from explorable.panels import UploadedFile
from explorable.tables import LARGEST, describe_file
from mipbook import figures, game, mip
from mipbook.base.rounding import at_most
from mipbook.choose import choose_epsilon
from mipbook.figures.game.scores_lab import AUDIT_ROLES
from mipbook.figures.mip.releases import NUMBER_ROLES, TABLE_ROLES
from mipbook.figures.words import repeats

NUMBERS = np.random.default_rng(7).normal(size=(40, 3)).round(6)


def csv(head, rows):
    return head + "\n" + "".join(",".join(f"{v:.12g}" for v in row) + "\n" for row in rows)


SCORED = csv("id,score,member", [(i * 7 % 41, x, i % 2) for i, (x, *_) in enumerate(NUMBERS)])
FOURFOLD = np.column_stack([np.tile(NUMBERS[:, :2], (4, 1)), np.arange(160) % 2])
CLASSED = csv("a,b,class", FOURFOLD)
LABS = {
    "attack": (figures.game.attack_scores, game.SCORE_ROLES, SCORED, {}),
    "scores": (figures.game.score_audit, AUDIT_ROLES, SCORED, {}),
    "release": (figures.mip.release_lab, TABLE_ROLES, csv("x", NUMBERS[:, :1]), {}),
    "audit": (figures.mis.audit_lab, figures.mis.TARGET_ROLES, csv("a,b,y", NUMBERS), {"models": 20}),
    "choose": (figures.pmp.choose_lab, figures.pmp.POOL_ROLES, csv("a,b,c", NUMBERS), {"clip": 3.0}),
    "discretise": (figures.mis.discretise_lab, figures.mis.CLASS_ROLES, CLASSED, {"clusters": 3, "n": 200}),
    "noise": (figures.mip.noise_lab, NUMBER_ROLES, csv("x", NUMBERS[:8, :1]), {}),
}


def lab(name, text, columns=(), **more):
    """Draw a lab's figure of a file, which its own control takes as on its panel."""
    function, _, _, settings = LABS[name]
    return function(UploadedFile("mine.csv", text, columns), **settings | more)


def read(figure):
    return figure.layout.meta["read"]


def refusal(name, text, columns=(), **more):
    with pytest.raises(ValueError, match=".") as caught:
        lab(name, text, columns, **more)
    told = str(caught.value)
    assert type(caught.value) is ValueError
    assert len(told) <= 300
    assert not re.search(r"Error|array\(|dtype|\[|float32|sklearn|Traceback", told), told
    return told


@pytest.mark.parametrize("name", LABS)
def test_a_lab_says_what_it_read_and_draws_of_a_data_frame_what_it_does_of_its_file(name):
    function, roles, text, settings = LABS[name]
    figure = lab(name, text)
    assert read(figure).startswith(f"Read: {describe_file(text, roles)['read']}; ")
    assert read(figure).endswith(".")
    assert "read" not in function(**settings).layout.meta
    assert function(pd.read_csv(io.StringIO(text)), **settings).to_json() == figure.to_json()


@pytest.mark.parametrize("name", LABS)
def test_what_is_no_table_a_bad_cell_and_an_unknown_column_are_refused_everywhere(name):
    """By the one reader, in whose tests (`tests/tables`) stands all that is no table and no number."""
    _, roles, text, _ = LABS[name]
    assert refusal(name, "PK\x03\x04\x14\x00\ufffd").startswith("This is an Excel file")
    told = refusal(name, text, {roles[0].name: ["elsewhere"]})
    assert told.startswith("There is no column 'elsewhere'; the columns are ")
    assert "nothing is called" in refusal(name, text, {"elsewhere": ["x"]})
    # The third record, in a column of numbers that is used.
    lines, column = text.splitlines(), int(text == SCORED)
    cells = lines[3].split(",")
    for cell in ("ten", "nan", "=1+1", "z" * 5000, "inf"):
        cells[column] = cell
        bad = "\n".join([*lines[:3], ",".join(cells), *lines[4:]])
        if (cell, text) == ("inf", SCORED):  # scores are only compared
            assert read(lab(name, bad))
            continue
        told = refusal(name, bad)
        assert told.startswith(f"row 4, column '{lines[0].split(',')[column]}': ")
        assert len(told) < 160


@pytest.mark.parametrize("name", [name for name in LABS if LABS[name][2] != SCORED])
def test_the_largest_numbers_that_are_read_break_nothing(name):
    lines = LABS[name][2].splitlines()
    for place, sign in ((5, "-"), (7, "")):
        lines[place] = ",".join([f"{sign}{LARGEST:.0f}", *lines[place].split(",")[1:]])
    figure = lab(name, "\n".join(lines))
    for trace in figure.data:
        for values in (trace.x, trace.y):
            assert np.isfinite([float(value) for value in values if value is not None]).all()
    assert not re.search(r"\bnan\b|\binf\b", sentence(figure))


@pytest.mark.parametrize("name", ["release", "choose", "noise"])
def test_of_an_odd_number_one_is_left_out_and_named(name):
    head, *rows = LABS[name][2].splitlines()
    odd = lab(name, "\n".join([head, "", *rows[:7]]))
    row = int(re.search(r"row (\d+), drawn at random, is left out, since halves need", read(odd))[1])
    # The rest without this row is the same file.
    del rows[row - 3]
    less = lab(name, "\n".join([head, *rows[:6]]))
    assert sentence(less) == sentence(odd)
    assert "left out" not in read(less)


CLASSES = "".join(f"{k % 7},{k}\n" for k in range(120))
WIDE = csv(",".join(f"c{i}" for i in range(21)), np.tile(NUMBERS, (1, 7)))


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("audit", "1\n" * 30, "The file has 1 column; 2 are needed (target, features)."),
        ("release", "1\n2\n", "The file holds 2 records; 4 to 2,000 are needed."),
        ("release", "5\n" * 10, "file: the statistic is the same on every half"),
        ("choose", "\n".join(map(str, range(2001))), "The file holds 2,001 records; 2 to 2,000"),
        ("choose", WIDE, "21 columns for columns; at most 20"),
        ("noise", "1\n2\n3\n", "The file holds 3 records; 4 to 14 are needed."),
        ("noise", "a,b\n1,2\n2,3\n", "The file has 2 columns (a, b). Choose which one to use."),
        ("discretise", "1,0\n2,0\n" * 50, "column 2 has 1 different value; the class needs 2 to"),
        ("discretise", "1,0\n1,1\n" * 50, "No column beside the class varies"),
        ("discretise", CLASSES, "has 120 different values; the class needs 2 to 20. Choose which one holds"),
    ],
)
def test_what_a_lab_cannot_use_is_said(name, text, told):
    assert told in refusal(name, text)


def test_attack_reads_scores_by_name_or_by_choice():
    figure = lab("attack", SCORED)
    assert read(figure).endswith("'score' is the score; column 'member' says who is a member; not used: id.")
    other = lab("attack", SCORED.replace("score,member", "loss,in"), {"score": "loss", "member": "in"})
    assert sentence(other) == sentence(figure)
    assert "column 'loss' is the score" in read(other)


def test_release_asks_which_column_and_takes_the_chosen_one():
    text = csv("id,age,income", [(i, 20 + i * i % 50, 300 + x) for i, (x, *_) in enumerate(NUMBERS)])
    assert (
        refusal("release", text) == "The file has 3 columns (id, age, income). Choose which one to release."
    )
    figure = lab("release", text, {"value": ["income"]})
    assert named(figure, "on all the data").x[0] == pytest.approx(300 + NUMBERS[:, 0].mean(), rel=1e-12)
    assert read(figure).endswith("a running number; column 'income' is released; not used: id, age.")
    # A second column is no help to a mean, and is not read for it.
    again = lab("release", text.replace(",20,", ",twenty,"), {"value": ["income"], "against": ["age"]})
    assert sentence(again) == sentence(figure)


def test_release_draws_a_line_of_two_columns_or_of_the_chosen_ones():
    line = {"statistic": "line through two columns"}
    x = np.arange(40) * 0.5
    rows = np.column_stack([x, 3 - 2 * x + NUMBERS[:, 0]])
    figure = lab("release", csv("x,y", rows), **line)
    assert "column 'x' is x of the line; column 'y' is released" in read(figure)
    three = csv("y,z,x", np.column_stack([rows[:, 1], NUMBERS[:, 1], x]))
    chosen = lab("release", three, {"value": ["y"], "against": ["x"]}, **line)
    for each in (figure, chosen):
        assert named(each, "on all the data").x[0] == pytest.approx(np.polyfit(*rows.T, 1)[0], rel=1e-9)
    for columns in ({}, {"value": "y"}):
        assert "is x of the line." in refusal("release", three, columns, **line)
    assert "1 column; 2 are needed" in refusal("release", csv("x", rows[:, :1]), **line)


def test_choose_reads_a_file_like_the_tool():
    pool = np.random.default_rng(8).normal(size=(30, 2)).round(6)
    text = "a;b\n" + "\n".join(f"{x};{y}".replace(".", ",") for x, y in pool)
    each = " in each of the 2 columns"
    for columns, used, told in (({}, pool, each), ({"columns": ["b"]}, pool[:, 1:], "")):
        figure = lab("choose", text, columns, target=0.2, delta=1e-3)
        sigma = choose_epsilon(used, 0.2, clip=3.0, delta=1e-3).sigma
        assert sentence(figure).startswith(f"Noise of {at_most(sigma, 3)}{told}: ")
        assert "commas are read as decimal points; columns: " in read(figure)


def test_choose_leaves_a_running_number_out_and_counts_repeats():
    pool = np.vstack([NUMBERS, NUMBERS[:2], NUMBERS[:1], NUMBERS[:1]])
    figure = lab("choose", csv("id,a,b,c", np.column_stack([np.arange(44), pool])))
    assert sentence(figure) == sentence(lab("choose", csv("a,b,c", pool)))
    repeated = "4 records repeat an earlier one and count as different persons"
    for words in ("'id' looks like a running number", "columns: a, b, c; not used: id", repeated):
        assert words in read(figure)
    assert repeats(pool[:41]) == "1 record repeats an earlier one and counts as a different person"
    assert repeats(NUMBERS) == ""


def test_audit_finds_its_target():
    rows = NUMBERS * [3, 1, 1]
    first, last = lab("audit", csv("y,a,b", rows)), lab("audit", csv("a,b,c", rows[:, [1, 2, 0]]))
    assert "column 'y' is the target; features: a, b." in read(first)
    assert "column 'c', the last one, is the target; features: a, b." in read(last)
    assert sentence(first) == sentence(lab("audit", csv("a,b,c", rows), {"target": ["a"]})) == sentence(last)
    # A constant is predicted without error, and nothing else here is.
    constant = csv("y,a,b", np.column_stack([np.full(40, 3.0), NUMBERS[:, :2]]))
    for columns, low, high in (({}, 0.0, 1e-12), ({"target": ["a"]}, 0.5, 1e3)):
        assert (
            low
            <= max(named(lab("audit", constant, columns, estimator="linear"), "others").customdata)
            <= high
        )


def test_discretise_takes_classes_of_words_anywhere_and_scales_its_columns():
    words = "".join(f"{['no', 'yes'][int(k)]},{x},{y}\n" for x, y, k in FOURFOLD)
    figure = lab("discretise", f"label,a,b\n{words}")
    assert "column 'label' holds the class; features: a, b." in read(figure)
    moved = lab("discretise", CLASSED.replace("class", "c"), {"class": "c", "features": ["b", "a"]})
    scaled = lab("discretise", csv("a,b,class", FOURFOLD * [1000.0, 1, 1] + [5, 0, 0]))
    assert sentence(figure) == sentence(moved) == sentence(scaled) == sentence(lab("discretise", CLASSED))


def test_noise_lab_computes_on_the_chosen_numbers():
    values = np.array([1.0, 2.0, 3.0, 5.0])
    figure = lab("noise", csv("n,x", np.column_stack([values * 7, values])), {"value": ["x"]})
    exact = mip.minimal_laplace_scale(mip.subsets(4) @ values / 2, mip.subsets(4), 0.1)
    assert named(figure, "one scale out").customdata[0] == exact
    assert "column 'x' is used; not used: n." in read(figure)
