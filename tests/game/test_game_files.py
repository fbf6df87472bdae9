"""Reading scores: what people's files look like, and messages that name the row."""

import math

import pytest

from explorable.tables import read_columns
from mipbook.game import SCORE_ROLES, scores_of

ROWS = "0.9,1\n0.2,0\n0.8,1\n0.1,0\n"


def read_scores(text):
    return scores_of(read_columns(text, SCORE_ROLES))


@pytest.mark.parametrize(
    "text",
    [
        "score,member\n" + ROWS,
        "score,member\r\n" + ROWS.replace("\n", "\r\n"),
        "\ufeffscore,member\n" + ROWS,
        " Score , MEMBER \n" + ROWS,
        "member;score\n"
        + "".join(f"{m};{s.replace('.', ',')}\n" for s, m in (r.split(",") for r in ROWS.split())),
        "id\tscore\tmember\n" + "".join(f"a\t{r.replace(',', chr(9))}\n" for r in ROWS.split()),
        'score,member\n"0.9","in"\n0.2,OUT\n\n0.8,True\n0.1,no\n',
        "score,member\n" + ROWS.rstrip(),
        "score,member\n" + ROWS + "\n , \n",
    ],
)
def test_files_of_many_kinds_give_the_same_scores(text):
    read = read_scores(text)
    assert read.scores.tolist() == [0.9, 0.2, 0.8, 0.1]
    assert read.member.tolist() == [True, False, True, False]


def test_infinite_scores_and_exponents_are_numbers():
    read = read_scores("score,member\ninf,1\n-inf,0\n1e-5,1\n-3,0\n")
    assert read.scores.tolist() == [math.inf, -math.inf, 1e-5, -3.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^The file is empty"),
        ("\n\n", r"^The file is empty"),
        ("0.9,1\n0.2,0\n", r"^The file has 2 columns without names\. Choose which one is the score"),
        ("score,membre\n" + ROWS, r"^the column 'member' is missing; the first row names score, mem"),
        ("score,member,score\n0.1,1,0.2\n", r"^2 columns are called 'score'"),
        ("score,member\n0.9,1\nhigh,0\n", r"^row 3, column 'score': 'high' is not a number"),
        ("score,member\n0.9,1\n,0\n", r"^row 3, column 'score': the cell is empty"),
        ("score,member\n0.9,1\nnan,0\n", r"^row 3, column 'score': 'nan' is no value"),
        ("score,member\n0.9,1\n\n0.2,maybe\n", r"^row 4, column 'member': 'maybe' must be 1 or 0"),
        ("score,member\n0.9,2\n", r"^row 2, column 'member': '2'"),
        ("score,member\n0.9\n", r"^row 2 has 1 cell, row 1 has 2"),
        ("score,member\n0.9,1,7\n", r"^row 2 has 3 cells"),
        ('score,member\n0.9,1\n"0.2,0\n0.4,1\n', r"^row 3: a quote .* never closed"),
        ("score,member\n0.9,1\n0.8,1\n", r"^The file holds 2 members \(1\) and 0 others \(0\); at least"),
        ("score,member\n0.9,0\n0.8,0\n0.2,1\n", r"^The file holds 1 member \(1\) and 2 others"),
    ],
)
def test_a_malformed_file_is_refused_with_its_row(text, message):
    with pytest.raises(ValueError, match=message):
        read_scores(text)


def test_columns_with_other_names_can_be_chosen():
    text = "id,in?,loss\n" + "".join(f"{i},{i % 2},{i / 8}\n" for i in range(5, 9))
    chosen = {"score": ["loss"], "member": ["in?"]}
    read = scores_of(read_columns(text, SCORE_ROLES, chosen))
    assert read.scores.tolist() == [0.625, 0.75, 0.875, 1.0]
    assert read.member.tolist() == [True, False, True, False]


def test_only_text_is_read():
    with pytest.raises(ValueError, match="^text = "):
        read_scores(b"score,member\n")
