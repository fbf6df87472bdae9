"""Files of a reader's own in the labs: which columns are used, what is said, what is refused."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from mipbook import figures, game, mip
from mipbook.choose import choose_epsilon
from mipbook.explore import Explorable, File, UploadedFile
from mipbook.figures.uploads import even_records, repeats
from mipbook.tables import LARGEST, describe_file, read_columns

RNG = np.random.default_rng(7)
FOREIGN_WORDS = ("Error", "array(", "dtype", "[", "float32", "sklearn", "Traceback")


def csv(head, rows):
    return head + "\n" + "".join(",".join(f"{v:.12g}" for v in row) + "\n" for row in rows)


def own(text, **columns):
    return UploadedFile("mine.csv", text, columns)


def read(figure):
    return figure.layout.meta["read"]


def sentence(figure):
    return figure.layout.meta["sentence"]


def named(figure, start):
    return next(t for t in figure.data if t.name.startswith(start))


NUMBERS = RNG.normal(size=(40, 3)).round(6)
TWO_KINDS = np.column_stack([NUMBERS, np.arange(40) % 2])[RNG.permutation(40)]
SCORED = csv("id,score,member", [(i * 7 % 41, x, i % 2) for i, (x, *_) in enumerate(NUMBERS)])
CLASSED = csv("a,b,class", [(x, y, i % 2) for i, (x, y, _) in enumerate(np.tile(NUMBERS, (4, 1)))])
LABS = {
    "attack": (figures.game.attack_scores, game.SCORE_ROLES, SCORED, {}),
    "release": (figures.mip.release_lab, figures.mip.TABLE_ROLES, csv("x", NUMBERS[:, :1]), {}),
    "audit": (
        figures.mis.audit_lab,
        figures.mis.TARGET_ROLES,
        csv("a,b,y", NUMBERS),
        {"models": 20},
    ),
    "choose": (
        figures.pmp.choose_lab,
        figures.pmp.POOL_ROLES,
        csv("a,b,c", NUMBERS),
        {"clip": 3.0},
    ),
    "discretise": (
        figures.mis.discretise_lab,
        figures.mis.CLASS_ROLES,
        CLASSED,
        {"clusters": 3, "n": 50},
    ),
    "noise": (figures.mip.noise_lab, figures.mip.NUMBER_ROLES, csv("x", NUMBERS[:8, :1]), {}),
}


def lab(name, text, columns=()):
    """Draw a lab's figure as its panel does."""
    function, roles, _, settings = LABS[name]
    examples = {
        "attack": figures.game.EXAMPLE_SCORES,
        "release": figures.mip.EXAMPLE_TABLES,
        "audit": figures.mis.EXAMPLE_TARGETS,
        "choose": figures.pmp.EXAMPLE_POOLS,
        "discretise": figures.mis.EXAMPLE_CLASSES,
        "noise": figures.mip.EXAMPLE_NUMBERS,
    }[name]
    key = "numbers" if name == "noise" else "file"
    panel = Explorable(function, **{key: File(examples, roles=roles)})
    panel.function = lambda **values: function(**values, **settings)
    return panel.figure(**{key: UploadedFile("mine.csv", text, columns)})


def refusal(name, text, columns=()):
    with pytest.raises(ValueError, match=".") as caught:
        lab(name, text, columns)
    told = str(caught.value)
    assert type(caught.value) is ValueError
    assert len(told) <= 300
    assert not [word for word in FOREIGN_WORDS if word in told], told
    return told


# --- every lab ------------------------------------------------------------------------------


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
    column = {"attack": 1}.get(name, 0)
    cells = lines[3].split(",")
    cells[column] = cell
    lines[3] = ",".join(cells)
    if cell in ("inf", "1e200") and name == "attack":
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
    order = {"attack": {"score": ["column 1"], "member": ["column 3"]}}.get(name, {})
    told = refusal(name, "\n".join(rows), order)
    assert told.startswith("row 1, column 1: 'NaN' is no value")


@pytest.mark.parametrize("name", [n for n in LABS if n != "attack"])
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
def test_unknown_columns_are_refused_with_those_there_are(name):
    roles = LABS[name][1]
    told = refusal(name, LABS[name][2], {roles[0].name: ["elsewhere"]})
    assert told.startswith("There is no column 'elsewhere'; the columns are ")
    assert "nothing is called" in refusal(name, LABS[name][2], {"elsewhere": ["x"]})


# --- one by one ---------------------------------------------------------------------------------


def test_attack_reads_scores_by_name_or_by_choice():
    figure = lab("attack", SCORED)
    assert "column 'score' is the score; column 'member' says who is a member" in read(figure)
    assert read(figure).endswith("not used: id.")
    other = lab(
        "attack", SCORED.replace("score,member", "loss,in"), {"score": "loss", "member": "in"}
    )
    assert sentence(other) == sentence(figure)
    assert "column 'loss' is the score" in read(other)


def test_release_asks_which_column_and_takes_the_chosen_one():
    text = csv(
        "id,age,income", [(i, 20 + i * i % 50, 300 + x) for i, (x, *_) in enumerate(NUMBERS)]
    )
    question = "The file has 3 columns (id, age, income). Choose which one to release."
    assert refusal("release", text) == question
    assert describe_file(text, figures.mip.TABLE_ROLES)["question"] == question
    figure = lab("release", text, {"value": ["income"]})
    truth = np.mean([300 + x for x, *_ in NUMBERS])
    assert named(figure, "on all the data").x[0] == pytest.approx(truth, rel=1e-12)
    assert read(figure) == (
        "Read: 40 records, 3 columns (id, age, income), first row holds the names; column 'id' "
        "looks like a running number; column 'income' is released; not used: id, age."
    )
    # A second column is no help to a mean, and is not read for it.
    again = lab(
        "release", text.replace(",20,", ",twenty,"), {"value": ["income"], "against": ["age"]}
    )
    assert sentence(again) == sentence(figure)


def test_release_draws_a_line_of_two_columns_or_of_the_chosen_ones():
    line = "line through two columns"
    rows = np.column_stack([np.arange(40) * 0.5, 3 - 2 * np.arange(40) * 0.5 + NUMBERS[:, 0]])
    want = np.polyfit(*rows.T, 1)[0]
    figure = figures.mip.release_lab(own(csv("x,y", rows)), line)
    assert named(figure, "on all the data").x[0] == pytest.approx(want, rel=1e-9)
    assert "column 'x' is x of the line; column 'y' is released" in read(figure)
    three = csv("y,z,x", np.column_stack([rows[:, 1], NUMBERS[:, 1], rows[:, 0]]))
    chosen = figures.mip.release_lab(own(three, value=["y"], against=["x"]), line)
    assert named(chosen, "on all the data").x[0] == pytest.approx(want, rel=1e-9)
    for columns, told in (({}, "is x of the line."), ({"value": "y"}, "is x of the line.")):
        with pytest.raises(ValueError, match=re.escape(told)):
            figures.mip.release_lab(own(three, **columns), line)
    with pytest.raises(ValueError, match="1 column; 2 are needed"):
        figures.mip.release_lab(own(csv("x", rows[:, :1])), line)


@pytest.mark.parametrize("name", ["release", "choose", "noise"])
def test_of_an_odd_number_one_is_left_out_and_named(name):
    head, *rows = LABS[name][2].splitlines()
    odd = "\n".join([head, "", *rows[:7]])
    told = re.search(
        r"row (\d+), drawn at random, is left out, since halves need", read(lab(name, odd))
    )
    row = int(told[1])
    assert 3 <= row <= 9
    # The rest without this row is the same file.
    less = "\n".join([head, *(r for i, r in enumerate(rows[:7]) if i != row - 3)])
    assert sentence(lab(name, less)) == sentence(lab(name, odd))
    assert "left out" not in read(lab(name, less))


def test_any_record_may_be_the_one_left_out():
    reading = read_columns("x\n" + "5\n" * 9, figures.mip.NUMBER_ROLES)
    records = np.arange(9.0)
    gone = set()
    for seed in range(200):
        kept, _ = even_records(reading, records, seed)
        assert len(kept) == 8
        gone |= set(records) - set(kept)
    assert gone == set(records)


def test_choose_reads_a_file_like_the_tool():
    pool = RNG.normal(size=(30, 2)).round(6)
    text = "a;b\n" + "\n".join(f"{x};{y}".replace(".", ",") for x, y in pool)
    figure = figures.pmp.choose_lab(own(text), target=0.2, clip=3.0, delta=1e-3)
    expected = choose_epsilon(pool, 0.2, clip=3.0, delta=1e-3)
    assert named(figure, "chosen").x[0] == expected.epsilon
    assert "commas are read as decimal points; columns: a, b." in read(figure)
    one = figures.pmp.choose_lab(own(text, columns=["b"]), target=0.2, clip=3.0, delta=1e-3)
    assert (
        named(one, "chosen").x[0] == choose_epsilon(pool[:, 1:], 0.2, clip=3.0, delta=1e-3).epsilon
    )


def test_choose_leaves_a_running_number_out_and_counts_repeats():
    pool = np.vstack([NUMBERS, NUMBERS[:2], NUMBERS[:1], NUMBERS[:1]])
    numbered = csv("id,a,b,c", np.column_stack([np.arange(44), pool]))
    figure = lab("choose", numbered)
    assert sentence(figure) == sentence(lab("choose", csv("a,b,c", pool)))
    for words in (
        "column 'id' looks like a running number",
        "columns: a, b, c; not used: id",
        "4 records repeat an earlier one and count as different persons",
    ):
        assert words in read(figure)
    assert repeats(pool[:41]) == "1 record repeats an earlier one and counts as a different person"
    assert repeats(NUMBERS) == ""
    assert "21 columns for columns; at most 20" in refusal(
        "choose", csv(",".join(f"c{i}" for i in range(21)), np.tile(NUMBERS, (1, 7)))
    )


def test_audit_finds_its_target():
    rows = np.column_stack([NUMBERS[:, 0] * 3, NUMBERS[:, :2]])
    named_so = lab("audit", csv("y,a,b", rows))
    last = lab("audit", csv("a,b,c", rows[:, [1, 2, 0]]))
    assert sentence(named_so) == sentence(last)
    assert "column 'y' is the target; features: a, b." in read(named_so)
    assert "column 'c', the last one, is the target; features: a, b." in read(last)
    chosen = lab("audit", csv("a,b,c", rows[:, [0, 1, 2]]), {"target": ["a"]})
    assert sentence(chosen) == sentence(last)
    # A constant is predicted without error, and nothing else here is.
    constant = csv("y,a,b", np.column_stack([np.full(40, 3.0), NUMBERS[:, :2]]))
    for columns, low, high in (({}, 0.0, 1e-12), ({"target": ["a"]}, 0.5, 1e3)):
        losses = named(figures.mis.audit_lab(own(constant, **columns), "linear", 20), "others").x
        assert low <= max(losses) <= high


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("audit", "x,y\n1,2\n", "The file holds 1 record; 24 to 5,000 are needed."),
        ("audit", "1\n" * 30, "The file has 1 column; 2 are needed (target, features)."),
        ("release", "1\n2\n", "The file holds 2 records; 4 to 2,000 are needed."),
        ("release", "5\n" * 10, "file: the statistic is the same on every half"),
        ("choose", "1\n", "The file holds 1 record; 2 to 2,000 are needed."),
        ("choose", "\n".join(map(str, range(2001))), "The file holds 2,001 records; 2 to 2,000"),
        ("noise", "1\n2\n3\n", "The file holds 3 records; 4 to 14 are needed."),
        ("noise", "a,b\n1,2\n2,3\n", "The file has 2 columns (a, b). Choose which one to use."),
        ("discretise", "1,2\n" * 99, "The file holds 99 records; 100 to 20,000 are needed."),
        ("discretise", "1,0\n2,0\n" * 50, "column 2 has 1 different value; the class needs 2 to"),
        ("discretise", "1\n" * 100, "The file has 1 column; 2 are needed (class, features)."),
        ("discretise", "1,0\n1,1\n" * 50, "No column beside the class varies"),
        (
            "discretise",
            "".join(f"{k % 7},{k}\n" for k in range(120)),
            "column 2 has 120 different values; the class needs 2 to 20. Choose which one holds",
        ),
    ],
)
def test_what_a_lab_cannot_use_is_said(name, text, told):
    assert refusal(name, text).startswith(told)


def test_discretise_takes_classes_of_words_anywhere():
    words = ["no", "yes"]
    rows = np.tile(NUMBERS[:, :2], (4, 1))
    text = "label,a,b\n" + "".join(f"{words[i % 2]},{x},{y}\n" for i, (x, y) in enumerate(rows))
    figure = lab("discretise", text)
    assert "column 'label' holds the class; features: a, b." in read(figure)
    assert sentence(figure) == sentence(lab("discretise", CLASSED))
    moved = lab("discretise", CLASSED.replace("class", "c"), {"class": "c", "features": ["b", "a"]})
    assert sentence(moved) == sentence(figure)


def test_discretise_scales_its_columns():
    small = lab(
        "discretise", csv("a,b,class", np.genfromtxt(CLASSED.splitlines()[1:], delimiter=","))
    )
    scaled = np.genfromtxt(CLASSED.splitlines()[1:], delimiter=",") * [1000.0, 1, 1] + [5, 0, 0]
    assert sentence(lab("discretise", csv("a,b,class", scaled))) == sentence(small)


def test_noise_lab_computes_on_the_chosen_numbers():
    values = np.array([1.0, 2.0, 3.0, 5.0])
    figure = figures.mip.noise_lab(
        own(csv("n,x", np.column_stack([values * 7, values])), value=["x"])
    )
    means = mip.subsets(4) @ values / 2
    here = named(figure, "at your eta").y
    assert here[2] == mip.minimal_laplace_scale(means, mip.subsets(4), 0.1)
    assert math.isfinite(here[0])
    assert "column 'x' is used; not used: n." in read(figure)
