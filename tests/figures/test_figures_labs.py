"""Files of a reader's own, lab by lab: which columns are used, and what is drawn of them."""

import math
import re

import numpy as np
import pytest
from labs import CLASSED, LABS, NUMBERS, RNG, SCORED, csv, lab, own, read, refusal
from shared import named, sentence

from explorable.tables import describe_file
from mipbook import figures, mip
from mipbook.base.rounding import at_most
from mipbook.choose import choose_epsilon
from mipbook.figures.words import repeats


def test_attack_reads_scores_by_name_or_by_choice():
    figure = lab("attack", SCORED)
    assert "column 'score' is the score; column 'member' says who is a member" in read(figure)
    assert read(figure).endswith("not used: id.")
    other = lab("attack", SCORED.replace("score,member", "loss,in"), {"score": "loss", "member": "in"})
    assert sentence(other) == sentence(figure)
    assert "column 'loss' is the score" in read(other)


def test_release_asks_which_column_and_takes_the_chosen_one():
    text = csv("id,age,income", [(i, 20 + i * i % 50, 300 + x) for i, (x, *_) in enumerate(NUMBERS)])
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
    again = lab("release", text.replace(",20,", ",twenty,"), {"value": ["income"], "against": ["age"]})
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
    told = re.search(r"row (\d+), drawn at random, is left out, since halves need", read(lab(name, odd)))
    row = int(told[1])
    assert 3 <= row <= 9
    # The rest without this row is the same file.
    less = "\n".join([head, *(r for i, r in enumerate(rows[:7]) if i != row - 3)])
    assert sentence(lab(name, less)) == sentence(lab(name, odd))
    assert "left out" not in read(lab(name, less))


def test_choose_reads_a_file_like_the_tool():
    pool = RNG.normal(size=(30, 2)).round(6)
    text = "a;b\n" + "\n".join(f"{x};{y}".replace(".", ",") for x, y in pool)
    figure = figures.pmp.choose_lab(own(text), target=0.2, clip=3.0, delta=1e-3)
    expected = choose_epsilon(pool, 0.2, clip=3.0, delta=1e-3)
    assert sentence(figure).startswith(f"Noise of {at_most(expected.sigma, 3)} in each of the 2 columns: ")
    assert "commas are read as decimal points; columns: a, b." in read(figure)
    one = figures.pmp.choose_lab(own(text, columns=["b"]), target=0.2, clip=3.0, delta=1e-3)
    alone = choose_epsilon(pool[:, 1:], 0.2, clip=3.0, delta=1e-3)
    assert sentence(one).startswith(f"Noise of {at_most(alone.sigma, 3)}: ")


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
        ("audit", "1\n" * 30, "The file has 1 column; 2 are needed (target, features)."),
        ("release", "1\n2\n", "The file holds 2 records; 4 to 2,000 are needed."),
        ("release", "5\n" * 10, "file: the statistic is the same on every half"),
        ("choose", "\n".join(map(str, range(2001))), "The file holds 2,001 records; 2 to 2,000"),
        ("noise", "1\n2\n3\n", "The file holds 3 records; 4 to 14 are needed."),
        ("noise", "a,b\n1,2\n2,3\n", "The file has 2 columns (a, b). Choose which one to use."),
        ("discretise", "1,0\n2,0\n" * 50, "column 2 has 1 different value; the class needs 2 to"),
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
    small = lab("discretise", csv("a,b,class", np.genfromtxt(CLASSED.splitlines()[1:], delimiter=",")))
    scaled = np.genfromtxt(CLASSED.splitlines()[1:], delimiter=",") * [1000.0, 1, 1] + [5, 0, 0]
    assert sentence(lab("discretise", csv("a,b,class", scaled))) == sentence(small)


def test_noise_lab_computes_on_the_chosen_numbers():
    values = np.array([1.0, 2.0, 3.0, 5.0])
    figure = figures.mip.noise_lab(own(csv("n,x", np.column_stack([values * 7, values])), value=["x"]))
    means = mip.subsets(4) @ values / 2
    here = named(figure, "at your η").y
    assert here[2] == mip.minimal_laplace_scale(means, mip.subsets(4), 0.1)
    assert math.isfinite(here[0])
    assert "column 'x' is used; not used: n." in read(figure)
