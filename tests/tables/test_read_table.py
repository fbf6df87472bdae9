"""The one reader of tables: what people's files look like, and what they are told."""

import re
import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import message, seen

from explorable.tables import LARGEST, Role, describe_file, number, read_table

ROWS = [[1.5, 2.0], [3.25, -4.0], [1e-5, 6.0]]


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
    assert table.names == ("a", "b")
    assert table.header
    assert table.numbers(["a", "b"]).tolist() == ROWS


@pytest.mark.parametrize(
    ("first", "names"),
    [
        *(("a,b", ("a", "b")), ("a,", ("a", "column 2")), (",b", ("column 1", "b")), ("Na,K", ("Na", "K"))),
        *(("größe,✓ ok", ("größe", "✓ ok")), ("x,x", ("x", "x (column 2)"))),
        ('"two\nlines",b', ("two lines", "b")),
    ],
)
def test_a_row_without_numbers_names_the_columns(first, names):
    table = read_table(first + "\n1,2\n3,4\n")
    assert (table.header, len(table)) == (True, 2)
    assert table.names == names
    assert table.numbers(table.names).tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("first", "column"),
    [
        *(("NaN,1.2", 1), ("NA,NA", 1), ("inf,nan", 1), ("1,abc", 2), ("abc,1", 1), (",1.2", 1)),
        *(('"1,000",b', 1), ("10%,b", 1), ("0x1F,b", 1), ("1_000,b", 1)),
    ],
)
def test_a_first_row_with_a_number_is_data_and_its_bad_cell_is_named(first, column):
    table = read_table(first + "\n3,4\n5,6\n")
    assert (table.header, len(table)) == (False, 3)
    assert table.names == ("column 1", "column 2")
    told = message(table.numbers, table.names)
    assert told.startswith(f"row 1, column {column}: ")
    assert told.endswith("(the first row holds data, not names)")


def test_a_name_of_two_words_is_no_separator():
    assert read_table("blood pressure\n120\n130\n").names == ("blood pressure",)
    assert read_table("0.46 0.19\n0.5 0.2\n").numbers(["column 2"]).tolist() == [[0.19], [0.2]]


def test_semicolons_go_before_the_commas_inside_their_cells():
    assert read_table("1,5;2,5\n3,5;4,5\n").numbers(["column 1"]).tolist() == [[1.5], [3.5]]
    assert read_table("a, b;c\n1;2\n").names == ("a, b", "c")
    assert read_table("a;b,c\n1,2\n3,4\n").names == ("a;b", "c")
    assert read_table("who age\nann 31\nbob 52\n").numbers(["age"]).tolist() == [[31.0], [52.0]]


def test_rows_are_counted_as_an_editor_does():
    text = 'a,b\n\n1,2\n"3\n",4\n5,ten\n'
    assert read_table(text).lines == (3, 4, 6)
    assert message(read_table(text).numbers, ["b"]) == "row 6, column 'b': 'ten' is not a number"


@given(st.floats(-LARGEST, LARGEST), st.sampled_from(["r", ".17g", ".17e", "f"]))
@example(5e-324, "r")
def test_numbers_survive_the_way_through_a_file(value, form):
    text = repr(value) if form == "r" else format(value, form)
    want = float(text)
    assert number(text) == want
    assert number(text.replace("-", "−")) == want
    assert number(text.replace(".", ","), comma=True) == want
    assert read_table(f"x\n{text}\n").number_column("x").tolist() == [want]
    german = read_table(f"x;y\n{text.replace('.', ',')};1\n")
    assert german.number_column("x").tolist() == [want]


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
    if plain and abs(float(cell.replace("−", "-"))) <= LARGEST:
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


def test_decimal_commas_and_points_do_not_mix():
    text = "x;y\n1,5;a\n1.000;b\n"
    told = message(read_table(text).number_column, "x")
    assert told.startswith("row 3, column 'x': '1.000' has a point where other cells have a deci")
    assert message(read_table("x;y\n1.000,5;a\n").number_column, "x").startswith("row 2, ")


def test_classes_may_be_words_but_no_mixture():
    assert read_table("c,x\nred,1\nblue,1\nred,1\n").class_column("c").tolist() == [1, 0, 1]
    assert read_table("c,x\n1.0,1\n0,1\n1,1\n").class_column("c").tolist() == [1, 0, 1]
    for cell in ("", "nan", "red"):
        text = f"c,x\n1,1\n{cell},1\n"
        assert message(read_table(text).class_column, "c").startswith("row 3, column 'c': ")


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


def test_tables_that_begin_alike_are_read():
    for first in ("PK,b", "%PD,b", "<5,b", "GIF,b", "{a},b", "(kg),b"):
        assert read_table(first + "\n1,2\n").names[1] == "b"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "The file is empty."),
        ("\ufeff", "The file is empty."),
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
    assert message(read_table, text).startswith(told)
    assert time.process_time() - start < 3
    assert describe_file(text, []) == {"problem": message(read_table, text)}


def test_large_tables_are_read_in_a_second_or_two():
    want = np.column_stack([np.arange(200_000) * 0.37, np.arange(200_000) % 2])
    text = "score,member\n" + "".join(f"{a!r},{int(b)}\n" for a, b in want.tolist())
    start = time.process_time()
    table = read_table(text)
    assert table.numbers(table.names).tolist() == want.tolist()
    assert table.describe().startswith("200,000 records, 2 columns (score, member)")
    assert time.process_time() - start < 4
    two_thousand = "\n".join(text.split("\n")[:2001])
    assert read_table(two_thousand).describe().startswith("2,000 records")


@given(st.text(alphabet='ab,;\t "\n\r1.5-=%\ufeff\u2028\x00\ufffd', max_size=60))
def test_any_text_is_read_or_refused_in_words(text):
    told = describe_file(text, [Role("x", "X", "is used", "to use", otherwise="place")])
    if set(told) != {"problem"}:
        assert set(told) >= {"read", "columns", "roles"}
        assert len(set(told["columns"])) == len(told["columns"]) > 0
        assert len(told["read"]) <= 130
    assert all(len(told.get(key, "")) <= 300 for key in ("problem", "question"))
