"""The one reader of tables: what people's files look like, which columns serve for what, what is told."""

import re
import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorable.tables import Role, as_columns, describe_file, number, read_columns, read_table, resolve

# Nothing of Python's or numpy's own language reaches a reader.
FOREIGN_WORDS = ("Error", "array(", "dtype", "[", "Traceback", "None", "\n")


def message(call, *arguments, **options):
    """Return the message of a refusal, which is short and in words."""
    with pytest.raises(ValueError, match=".") as caught:
        call(*arguments, **options)
    assert type(caught.value) is ValueError
    text = str(caught.value)
    assert 10 < len(text) <= 300
    assert not [word for word in FOREIGN_WORDS if word in text], text
    return text


def seen(content):
    """Return what a browser hands over for a file: its bytes as UTF-8, with losses."""
    return content.decode("utf-8", errors="replace")


def numbers(text, *names):
    """Return the columns of a table that are named."""
    return read_table(text).numbers(names).tolist()


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1.5,2\n3.25,-4\n1e-5,6\n",
        "a,b\r\n1.5,2\r\n3.25,-4\r\n1e-5,6\r\n",
        "a,b\r1.5,2\r3.25,-4\r1e-5,6",
        "\ufeffa,b\n1.5,2\n3.25,-4\n1e-5,6\n",
        ' "a", "b"\n"1.5", "2"\n 3.25,-4.\n+1E-5,6e0\n',
        "a;b\n1,5;2\n3,25;-4\n1e-5;6\n",
        "a;b\n1.5;2\n3.25;-4\n1e-5;6\n",
        "a\tb\n1.5\t2\n3.25\t-4\n1e-5\t6\n",
        "a b\n1.5 2\n3.25   -4  \n  1e-5 6\n",
        "a,b\n\n1.5,2\n,\n3.25,−4\n1e-5,6\n\n\n",
        "a,b,,\n1.5,2,,\n3.25,-4,,\n1e-5,6,,\n",
        "a,b\n1.5,2\n3.25,-4\n1e-5,6\n".encode("utf-16").decode("utf-16"),
    ],
)
def test_tables_of_many_kinds_are_the_same(text):
    table = read_table(text)
    assert (table.names, table.header) == (("a", "b"), True)
    assert numbers(text, "a", "b") == [[1.5, 2.0], [3.25, -4.0], [1e-5, 6.0]]


def test_a_row_without_numbers_names_the_columns():
    odd = {"a,": ("a", "column 2"), ",b": ("column 1", "b"), "x,x": ("x", "x (column 2)")}
    odd |= {'"two\nlines",b': ("two lines", "b")}
    # Other files begin nearly so.
    plain = ("a,b", "Na,K", "größe,✓ ok", "PK,b", "%PD,b", "<5,b", "GIF,b", "{a},b", "(kg),b")
    for first, names in ({each: tuple(each.split(",")) for each in plain} | odd).items():
        table = read_table(first + "\n1,2\n3,4\n")
        assert (table.header, len(table), table.names) == (True, 2, names)
        assert table.numbers(table.names).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_first_row_with_a_number_is_data_and_its_bad_cell_is_named():
    first = ("NaN,1.2", "NA,NA", "inf,nan", "abc,1", ",1.2", '"1,000",b', "10%,b", "0x1F,b", "1_000,b")
    for row, column in (*((each, 1) for each in first), ("1,abc", 2)):
        table = read_table(row + "\n3,4\n5,6\n")
        assert (table.header, len(table), table.names) == (False, 3, ("column 1", "column 2"))
        told = message(table.numbers, table.names)
        assert told.startswith(f"row 1, column {column}: ")
        assert told.endswith("(the first row holds data, not names)")


def test_a_separator_is_what_all_rows_share_and_rows_are_counted_as_an_editor_does():
    table = read_table('a,b\n\n1,2\n"3\n",4\n5,ten\n')
    assert table.lines == (3, 4, 6)
    assert message(table.numbers, ["b"]) == "row 6, column 'b': 'ten' is not a number"
    assert read_table("blood pressure\n120\n130\n").names == ("blood pressure",)
    assert read_table("a, b;c\n1;2\n").names == ("a, b", "c")
    assert read_table("a;b,c\n1,2\n3,4\n").names == ("a;b", "c")
    assert numbers("0.46 0.19\n0.5 0.2\n", "column 2") == [[0.19], [0.2]]
    assert numbers("1,5;2,5\n3,5;4,5\n", "column 1") == [[1.5], [3.5]]
    assert numbers("who age\nann 31\nbob 52\n", "age") == [[31.0], [52.0]]


@given(st.floats(-1e15, 1e15), st.sampled_from(["r", ".17g", ".17e", "f"]))
@example(5e-324, "r")
def test_numbers_survive_the_way_through_a_file(value, form):
    text = repr(value) if form == "r" else format(value, form)
    comma, want = text.replace(".", ","), float(text)
    assert number(text) == number(text.replace("-", "−")) == number(comma, comma=True) == want
    assert read_table(f"x\n{text}\n").number_column("x").tolist() == [want]
    assert read_table(f"x;y\n{comma};1\n").number_column("x").tolist() == [want]


@given(st.text(max_size=30))
@example("1_0")
@example("infinity")
@example("١٢")
@example("1e999")
@example("+-1")
@example("1e")
@example(":0")
def test_whatever_is_no_plain_number_is_refused_in_words(cell):
    plain = re.fullmatch(r"[+−-]?(\d+\.?\d*|\.\d+)([eE][+−-]?\d+)?", cell, re.ASCII)
    if plain and abs(float(cell.replace("−", "-"))) <= 1e15:
        assert number(cell) == float(cell.replace("−", "-"))
        return
    with pytest.raises(ValueError, match="'|empty") as caught:
        number(cell)
    assert len(str(caught.value)) <= 300
    assert "could not convert" not in str(caught.value)


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("ten", "'ten' is not a number"),
        ("", "the cell is empty"),
        ("nan", "'nan' is no value; fill the cell or drop the row"),
        ("inf", "'inf' is infinite; only finite numbers are read"),
        ("0x1F", "'0x1F' is hexadecimal"),
        ("10%", "'10%' is a percentage; write it as a fraction, 0.1 for 10%"),
        ('"90,000"', "'90,000': does the comma mark thousands or decimals? Write 90000 or 90.000"),
        ('"1,000,000"', "'1,000,000' is not read as a number"),
        ("=1+1", "'=1+1' is a formula; save the values"),
        ("1e200", "'1e200' is too large; numbers up to 1e15 in size are read"),
        ("z" * 10_000, "'" + "z" * 39 + "…' is not a number"),
        ("a\u202eb\u200bc", "'a b c' is not a number"),
    ],
)
def test_a_bad_cell_is_named_with_row_and_column(cell, told):
    text = f"id,age\nx,1\ny,{cell}\nz,3\n"
    assert message(read_table(text).number_column, "age").startswith(f"row 3, column 'age': {told}")


def test_neither_decimal_signs_nor_kinds_of_classes_mix():
    told = message(read_table("x;y\n1,5;a\n1.000;b\n").number_column, "x")
    assert told.startswith("row 3, column 'x': '1.000' has a point where other cells have a deci")
    assert message(read_table("x;y\n1.000,5;a\n").number_column, "x").startswith("row 2, ")
    for text in ("c,x\nred,1\nblue,1\nred,1\n", "c,x\n1.0,1\n0,1\n1,1\n"):
        assert read_table(text).class_column("c").tolist() == [1, 0, 1]
    for cell in ("", "nan", "red"):
        told = message(read_table(f"c,x\n1,1\n{cell},1\n").class_column, "c")
        assert told.startswith("row 3, column 'c': ")


ZIP = b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xff\xfe[Content_Types].xml"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (ZIP, "an Excel file"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a PDF file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a PNG picture"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", "a JPEG picture"),
        (b"a,b\n1,\x00\n", "no text file"),
        (b"<!DOCTYPE html>\n<html>", "a web page"),
        (b"<?xml version='1.0'?>", "a web page or XML"),
        (b'{"a": 1}\n', "JSON without a list"),
        (b'{"a": [1, 2', "JSON that is damaged or breaks off at row 1, character 12"),
        (b"\x80\x04\x95\x0b\x00", "a pickle"),
        ("score,member\n1,0\n".encode("utf-16"), "text in UTF-16"),
        (b"\xfe\xff" + "a,b\n1,0\n".encode("utf-16-be"), "text in UTF-16"),
        (rb"{\rtf1\ansi 1,2}", "a text with formats"),
    ],
)
def test_other_files_are_known_by_how_they_begin(content, what):
    told = message(read_table, seen(content))
    assert told.startswith(f"This is {what}")
    assert told.endswith("; save it as CSV (comma separated, UTF-8) and choose that.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *(("", "The file is empty."), ("\ufeff", "The file is empty.")),
        (",,\n,,\n", "The file holds no cells that are not empty."),
        ("a,b\n", "The file holds a row of names and no records."),
        ("a,b\n1,2\n\n3\n", "row 4 has 1 cell, row 1 has 2"),
        ("1,2\n3,4,5\n", "row 2 has 3 cells, row 1 has 2; if the comma is a decimal point, write"),
        ('a,b\n1,2\n"3,4\n5,6\n', 'row 3: a quote (") is opened and never closed'),
        ('a,b\n"1"x,2\n', 'row 2: something stands after a closing quote (")'),
        ("7" * 3_600_000, "row 1: a cell is longer than 131,072 characters"),
        ("7," * 1_800_000, "The file has 1,800,001 columns; at most 1,000 are read."),
        ("q" * 50 + ",b\n" + ",".join(["q" * 50] * 900), "row 2 has 900 cells, row 1 has 2"),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_what_is_no_table_is_said(text, told):
    start = time.process_time()
    said = message(read_table, text)
    assert time.process_time() - start < 3
    assert said.startswith(told)
    assert describe_file(text, []) == {"problem": said}


def test_large_tables_are_read_in_a_second_or_two():
    want = np.column_stack([np.arange(200_000) * 0.37, np.arange(200_000) % 2])
    text = "score,member\n" + "".join(f"{a!r},{int(b)}\n" for a, b in want.tolist())
    start = time.process_time()
    table = read_table(text)
    assert table.numbers(table.names).tolist() == want.tolist()
    assert table.describe().startswith("200,000 records, 2 columns (score, member)")
    assert time.process_time() - start < 4


@given(st.text(alphabet='ab,;\t "\n\r1.5-=%\ufeff\u2028\x00\ufffd', max_size=60))
def test_any_text_is_read_or_refused_in_words(text):
    told = describe_file(text, [Role("x", "X", "is used", "to use", otherwise="place")])
    if set(told) != {"problem"}:
        assert set(told) >= {"read", "columns", "roles"}
        assert len(set(told["columns"])) == len(told["columns"]) > 0
        assert len(told["read"]) <= 130
    assert all(len(told.get(key, "")) <= 300 for key in ("problem", "question"))


def test_a_table_describes_itself_in_a_line():
    assert read_table("1.5\n2.5\n").describe() == "2 records, 1 column, no header"
    hundred = ",".join(f"a rather long name {i}" for i in range(100))
    line = read_table(hundred + "\n" + ("5," * 99 + "5\n") * 12_345).describe()
    assert line.startswith("12,345 records, 100 columns (a rather long name 0, ")
    assert line.endswith(" more), first row holds the names")
    assert len(line) <= 120
    hundred = "\n".join(",".join(str(i + k) for k in range(100)) for i in range(9))
    assert len(read_table(hundred).describe()) <= 130


def test_running_numbers_are_seen():
    large, small = [7, 3, 9, 100], [0, 1, 2, 3]
    yes = [("id", large), ("patient_id", large), ("Index", small), ("", small), ("age", [20, 21, 22, 23])]
    no = [("age", [20, 22, 21, 23]), ("id", [7, 3, 7, 100]), ("id", [7.5, 3, 9, 100]), ("x", [1, 2, 3, 5])]
    for head, values in (*yes, *no, ("paid", large)):
        table = read_table(f"{head},z\n" + "".join(f"{v},{v % 2}\n" for v in values))
        is_counter = (head, values) in yes
        assert table.counters() == ((head or "column 1",) if is_counter else ())
        assert ("looks like a running number" in table.describe()) is is_counter


VALUE = Role("value", "To release", "is released", "to release", otherwise="place")
AGAINST = Role("against", "Against", "is x", "is x", otherwise="place")
TARGET = Role("target", "Target", "is y", "is y", known=("target", "y"), otherwise="last")
FEATURES = Role("features", "Features", "", "are x", many=True, otherwise="rest", most=3)
SCORE = Role("score", "Score", "is the score", "is the score", known=("score",))
MEMBER = Role("member", "Member", "says who is in", "says who is in", known=("member",))
GAME, FIT = [SCORE, MEMBER], [TARGET, FEATURES]


def csv_of(names):
    names = names.split()
    return "\n".join(",".join(row) for row in (names, *(digit * len(names) for digit in "538")))


@pytest.mark.parametrize(
    ("names", "roles", "chosen", "found"),
    [
        ("SCORE z Member", GAME, {}, {"score": "SCORE", "member": "Member"}),
        ("a score", GAME, {"member": ["a"]}, {"score": "score", "member": "a"}),
        ("score b", GAME, {"score": "b", "member": "score"}, {"score": "b", "member": "score"}),
        ("a", [VALUE], {}, {"value": "a"}),
        ("a b", [AGAINST, VALUE], {}, {"against": "a", "value": "b"}),
        ("a b", [AGAINST, VALUE], {"value": ["a"]}, {"against": "b", "value": "a"}),
        ("a b c", [VALUE], {"value": ["c"]}, {"value": "c"}),
        ("a b c", FIT, {}, {"target": "c", "features": "a b"}),
        ("y target c", FIT, {}, {"target": "target", "features": "y c"}),
        ("a b c", FIT, {"target": "a"}, {"target": "a", "features": "b c"}),
        ("a b", [FEATURES], {"features": []}, {"features": "a b"}),
    ],
)
def test_columns_are_chosen_by_name_or_are_the_obvious_ones(names, roles, chosen, found):
    want = {role: tuple(columns.split()) for role, columns in found.items()}
    for asked in (chosen, as_columns(chosen)):
        assert resolve(read_table(csv_of(names)), roles, asked) == want


@pytest.mark.parametrize(
    ("names", "roles", "chosen", "told"),
    [
        ("id age pay", [VALUE], {}, "The file has 3 columns (id, age, pay). Choose which one to release."),
        ("score mem", GAME, {}, "the column 'member' is missing; the first row names score, mem. Choose"),
        ("score Score member", GAME, {}, "2 columns are called 'score'. Choose"),
        ("a", [AGAINST, VALUE], {}, "1 column; 2 are needed (against, to release)."),
        ("a b", [VALUE], {"value": ["z"]}, "There is no column 'z'; the columns are a, b."),
        ("a b", [VALUE], {"worth": ["a"]}, "nothing is called 'worth'; the roles are value."),
        ("a b", [VALUE], {"value": ["a", "b"]}, "2 columns are chosen as to release; at most"),
        ("a b", FIT, {"target": ["a"], "features": ["a", "b"]}, "'a' is chosen twice, as features and as ta"),
        ("a b c d e f", FIT, {}, "5 columns for features; at most 3 can be used."),
        ("a b", [FEATURES], {"features": [3]}, "columns = "),
        (f"{'n' * 500} {'n' * 500}", [VALUE], {"value": ["m" * 500]}, "There is no column 'mmm"),
    ],
)
def test_where_there_is_a_choice_the_reader_is_asked(names, roles, chosen, told):
    with pytest.raises(ValueError, match=re.escape(told)) as caught:
        resolve(read_table(csv_of(names)), roles, chosen)
    assert len(str(caught.value)) <= 300
    assert describe_file(csv_of(names), roles, chosen)["question"] == str(caught.value)


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
    def said(text, role=VALUE):
        return read_columns(text, [role], {role.name: "x"}).say()

    assert "commas are read as decimal points" in said("x;y\n1,5;a\n2;b\n")
    assert "commas are" not in said("x;y\n1.5;a,b\n2;b\n")
    assert "2 empty rows are skipped" in said("\nx\n1\n\n5\n\n\n")
    assert "1 empty row is skipped" in said("x,y\n1,2\n,\n5,3\n", FEATURES)
    assert "empty" not in said("x\n1\n5\n\n \n")
    lost = read_columns(seen("größe\n1\n5\n".encode("latin-1")), [VALUE]).say()
    assert "some letters are lost, since the file is not in UTF-8" in lost


def test_a_page_learns_what_was_settled_and_what_was_not():
    told = describe_file("score,b\n1,0\n2,1\n", GAME)
    assert told.pop("question").endswith("names score, b. Choose which one says who is in.")
    assert told == {
        "read": "2 records, 2 columns (score, b), first row holds the names",
        "columns": ["score", "b"],
        "roles": {"score": ["score"], "member": []},
    }
    told = describe_file("a,b\n1,0\n2,1\n", [VALUE, AGAINST._replace(optional=True)], {"value": ["b"]})
    assert told["roles"] == {"value": ["b"], "against": []}
    assert "question" not in told
