"""Which columns serve for what, and what is said of a table."""

import re

import pytest
from refusals import message, seen

from explorable.tables import Role, as_columns, describe_file, read_columns, read_table, resolve


def test_a_table_describes_itself_in_a_line():
    assert read_table("x,y\n" + "1,2\n" * 400).describe() == (
        "400 records, 2 columns (x, y), first row holds the names"
    )
    assert read_table("1.5\n2.5\n").describe() == "2 records, 1 column, no header"
    hundred = ",".join(f"a rather long name {i}" for i in range(100))
    line = read_table(hundred + "\n" + ("5," * 99 + "5\n") * 12_345).describe()
    assert line.startswith("12,345 records, 100 columns (a rather long name 0, ")
    assert line.endswith(" more), first row holds the names")
    assert len(line) <= 120
    hundred = "\n".join(",".join(str(i + k) for k in range(100)) for i in range(9))
    assert len(read_table(hundred).describe()) <= 130


@pytest.mark.parametrize(
    ("head", "values", "is_counter"),
    [
        *(("id", [7, 3, 9, 100], True), ("patient_id", [7, 3, 9, 100], True)),
        *(("Index", [0, 1, 2, 3], True), ("", [0, 1, 2, 3], True), ("age", [20, 21, 22, 23], True)),
        *(("age", [20, 22, 21, 23], False), ("id", [7, 3, 7, 100], False)),
        *(("id", [7.5, 3, 9, 100], False), ("x", [1, 2, 3, 5], False), ("paid", [7, 3, 9, 100], False)),
    ],
)
def test_running_numbers_are_seen(head, values, is_counter):
    text = f"{head},z\n" + "".join(f"{v},{v % 2}\n" for v in values)
    table = read_table(text)
    assert table.counters() == ((head or "column 1",) if is_counter else ())
    assert ("looks like a running number" in table.describe()) is is_counter


VALUE = Role("value", "To release", "is released", "to release", otherwise="place")
AGAINST = Role("against", "Against", "is x", "is x", otherwise="place")
MAYBE = AGAINST._replace(optional=True)
TARGET = Role("target", "Target", "is y", "is y", known=("target", "y"), otherwise="last")
FEATURES = Role("features", "Features", "", "are x", many=True, otherwise="rest", most=3)
SCORE = Role("score", "Score", "is the score", "is the score", known=("score",))
MEMBER = Role("member", "Member", "says who is in", "says who is in", known=("member",))


def table_of(*names):
    return read_table(",".join(names) + "\n" + "\n".join(",".join("538"[i] * len(names)) for i in range(3)))


@pytest.mark.parametrize(
    ("names", "roles", "chosen", "found"),
    [
        (["SCORE", "z", "Member"], [SCORE, MEMBER], {}, {"score": "SCORE", "member": "Member"}),
        (["a", "score"], [SCORE, MEMBER], {"member": ["a"]}, {"score": "score", "member": "a"}),
        (["score", "b"], [SCORE, MEMBER], {"score": "b", "member": "score"}, None),
        (["a"], [VALUE], {}, {"value": "a"}),
        (["a", "b"], [AGAINST, VALUE], {}, {"against": "a", "value": "b"}),
        (["a", "b"], [AGAINST, VALUE], {"value": ["a"]}, {"against": "b", "value": "a"}),
        (["a", "b", "c"], [VALUE], {"value": ["c"]}, {"value": "c"}),
        (["a", "b", "c"], [TARGET, FEATURES], {}, {"target": "c", "features": "ab"}),
        (["y", "target", "c"], [TARGET, FEATURES], {}, {"target": "target", "features": "yc"}),
        (["a", "b", "c"], [TARGET, FEATURES], {"target": "a"}, {"target": "a", "features": "bc"}),
        (["a", "b"], [FEATURES], {"features": []}, {"features": "ab"}),
    ],
)
def test_columns_are_chosen_by_name_or_are_the_obvious_ones(names, roles, chosen, found):
    got = resolve(table_of(*names), roles, chosen)
    if found is None:
        found = {key: [value] for key, value in chosen.items()}
    want = {k: (v,) if v in names else tuple(v) for k, v in found.items()}
    assert got == want
    assert resolve(table_of(*names), roles, as_columns(chosen)) == want


@pytest.mark.parametrize(
    ("names", "roles", "chosen", "told"),
    [
        (
            ["id", "age", "income"],
            [VALUE],
            {},
            "The file has 3 columns (id, age, income). Choose which one to release.",
        ),
        (
            ["score", "membre"],
            [SCORE, MEMBER],
            {},
            "the column 'member' is missing; the first row names score, membre. Choose which one",
        ),
        (["score", "Score", "member"], [SCORE, MEMBER], {}, "2 columns are called 'score'. Choose"),
        (["a"], [AGAINST, VALUE], {}, "1 column; 2 are needed (against, to release)."),
        (["a", "b"], [VALUE], {"value": ["z"]}, "There is no column 'z'; the columns are a, b."),
        (["a", "b"], [VALUE], {"worth": ["a"]}, "nothing is called 'worth'; the roles are value."),
        (["a", "b"], [VALUE], {"value": ["a", "b"]}, "2 columns are chosen as to release; at most"),
        (
            ["a", "b"],
            [TARGET, FEATURES],
            {"target": ["a"], "features": ["a", "b"]},
            "column 'a' is chosen twice, as features and as target.",
        ),
        (list("abcdef"), [TARGET, FEATURES], {}, "5 columns for features; at most 3 can be used."),
        (["a", "b"], [FEATURES], {"features": [3]}, "columns = "),
        (["n" * 500] * 3, [VALUE], {"value": ["m" * 500]}, "There is no column 'mmm"),
    ],
)
def test_where_there_is_a_choice_the_reader_is_asked(names, roles, chosen, told):
    with pytest.raises(ValueError, match=re.escape(told)) as caught:
        resolve(table_of(*names), roles, chosen)
    assert len(str(caught.value)) <= 300
    shown = describe_file("\n".join([",".join(names), ",".join("5" * len(names))]), roles, chosen)
    assert shown["question"] == str(caught.value)


def test_a_running_number_is_left_out_and_that_is_said():
    text = "id,a,b\n" + "".join(f"{i},{i % 2},{i % 3}\n" for i in range(9))
    reading = read_columns(text, [TARGET, FEATURES])
    assert reading.columns == {"target": ("b",), "features": ("a",)}
    assert reading.say("more") == (
        "Read: 9 records, 3 columns (id, a, b), first row holds the names; column 'id' looks like "
        "a running number; column 'b', the last one, is y; features: a; not used: id; more."
    )
    chosen = read_columns(text, [TARGET, FEATURES], {"features": ["id"]})
    assert chosen.columns["features"] == ("id",)
    assert "column 'id' looks like a running number" in chosen.say()
    # Where it is all there is, it is used, and said.
    only = read_columns("1\n2\n3\n4\n", [VALUE])
    assert only.columns == {"value": ("column 1",)}
    assert "column 1 looks like a running number; column 1 is released" in only.say()


def test_what_else_may_surprise_is_said():
    german = read_columns("x;y\n1,5;a\n2;b\n", [VALUE], {"value": "x"})
    assert "commas are read as decimal points" in german.say()
    assert "commas are" not in read_columns("x;y\n1.5;a,b\n2;b\n", [VALUE], {"value": "x"}).say()
    assert "2 empty rows are skipped" in read_columns("\nx\n1\n\n5\n\n\n", [VALUE]).say()
    assert "1 empty row is skipped" in read_columns("x,y\n1,2\n,\n5,3\n", [FEATURES]).say()
    assert "empty" not in read_columns("x\n1\n5\n\n \n", [VALUE]).say()
    lost = read_columns(seen("größe\n1\n5\n".encode("latin-1")), [VALUE]).say()
    assert "some letters are lost, since the file is not in UTF-8" in lost


def test_a_page_learns_what_was_settled_and_what_was_not():
    assert describe_file("score,b\n1,0\n2,1\n", [SCORE, MEMBER]) == {
        "read": "2 records, 2 columns (score, b), first row holds the names",
        "columns": ["score", "b"],
        "roles": {"score": ["score"], "member": []},
        "question": "the column 'member' is missing; the first row names score, b. "
        "Choose which one says who is in.",
    }
    told = describe_file("a,b\n1,0\n2,1\n", [VALUE, MAYBE], {"value": ["b"]})
    assert told["roles"] == {"value": ["b"], "against": []}
    assert "question" not in told


def test_too_few_and_too_many_records_are_said():
    reading = read_columns("1\n", [VALUE])
    assert message(reading.check_records, 4, 2000) == ("The file holds 1 record; 4 to 2,000 are needed.")
    assert message(reading.check_records, 0, 0).startswith("The file holds 1 record")
    reading.check_records(1, 1)
