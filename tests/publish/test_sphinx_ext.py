"""A tiny book: the page of results, vendored scripts, changes that must show."""

import ast
import re
from threading import current_thread, main_thread
from types import SimpleNamespace

import pytest
from sphinxcontrib import katex
from tiny_book import HEAD, Book

from explorable.checks import results
from explorable.outputs import files
from explorable.panels.static import PLOTLY
from explorable.sphinx.build import START
from explorable.sphinx.extension import with_contents
from explorable.sphinx.folds import judge_ahead

RESULTS = """# Results

```{book-map}
```

```{results-ledger}
```

{prf:ref}`mip-prop-11`, {prf:ref}`the $x$ <mip-prop-11>`, {prf:ref}`own`, [down](#mip-prop-11),
[over](book/mip/page.md#mip-prop-11).
"""


def cell(*lines):
    return "\n".join(["```{code-cell} ipython3", *lines, "```"])


def check(*lines):
    return cell(*lines[:-2], f'with result("mip-prop-11"{lines[-2]}) as check:', f"    {lines[-1]}")


PAGE = HEAD + "\n\n".join(
    [
        "# Page",
        ":::{chapter-head}\n:goal: Count $x$ and *more*.\n:minutes: 5\n:::",
        cell("import numpy as np"),
        ":::{prf:proposition} One $x$\n:label: mip-prop-11\nText with $x^2$.\n:::",
        ":::{prf:lemma} A lemma of the book\n:label: own\nText.\n:::",
        check(
            "from mipbook import mip",
            "from explorable.checks import result",
            ', status="holds"',
            'check.equal(1.0, 1.0, tol=1e-12, what="one")',
        ),
        cell("half = 0.5"),
        check("", 'check.equal(mip.eta_from_dp(0.0, half), 0.25, tol=1e-12, what="two")'),
        "Between.",
        check("", 'check.equal(half, 0.5, what="three")'),
        cell('print("shown", half)'),
        cell(":tags: [show-code]", "open_code = half"),
    ]
)
FOLD = re.compile(r'<details class="[^"]*\bmb-fold\b.*?</details>', flags=re.S)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    files = {
        "_toc.yml": "format: jb-book\nroot: results\nparts:\n"
        "  - {caption: One, chapters: [{file: book/mip/page}]}\n"
        "  - {caption: Two, chapters: [{file: book/room}]}\n",
        "results.md": RESULTS,
        "book/mip/page.md": PAGE,
        "book/room.rst": "Room\n====\n\n.. room:: explorable.checks\n",
    }
    return build(Book(tmp_path_factory.mktemp("book"), files))


def build(book, fails=False):
    book.run("-c", START, "build", book.root, "-W", "-n", "--keep-going", fails=fails)
    return book


def row_of_record(book):
    return book.html("results").split('id="ledger-mip-prop-11"')[1].split("</tr>")[0]


def plain(found):
    """A piece of HTML as it is read."""
    return " ".join(re.sub(r"<[^>]+>", "", found).split())


def test_a_statement_has_its_papers_number_and_links_lead_to_it_by_that(book):
    page = book.html("book/mip/page")
    found = re.findall(r'id="(mip-prop-11|own)">\s*<p class="admonition-title">(.*?)</p>', page)
    heads = {name: plain(head) for name, head in found}
    assert re.fullmatch("Proposition 11. One .* MIP paper", heads["mip-prop-11"])
    assert heads["own"] == "Lemma. A lemma of the book"
    links = re.findall(r'href="book/mip/page.html#(mip-prop-11|own)">(.*?)</a>', book.html("results"))
    told = [(name, plain(words)) for name, words in links if "ledger" not in words]
    assert ("mip-prop-11", "Proposition 11 of the MIP paper") in told
    assert ("own", "Lemma (A lemma of the book)") in told
    assert [words for _, words in told][-2:] == ["down", "over"]
    assert any(words.startswith("the ") for _, words in told), told


def test_checks_and_code_are_folded_and_imports_leave_the_page(book):
    page, record, row = book.html("book/mip/page"), book.html("results"), row_of_record(book)
    assert f"1 of {len(results())} results are checked" in record
    assert record.count("<tr id=") == len(results())
    caught = re.search(r"\d+ of [1-9]\d* planted errors caught", row)
    lines = [plain(told) for told in re.findall(r"<summary>(.*?)</summary>", page)]
    assert lines == [f"Checked: 2 comparisons, {caught[0]}", "Checked: 1 comparison", "Code"]
    folds = FOLD.findall(page)
    assert [word in fold for word, fold in zip(("one", "three", "shown"), folds, strict=True)] == [True] * 3
    assert folds[0].count('class="mb-check-table"') == 2
    assert "half" in folds[0]
    assert 'id="check-mip-prop-11"' in folds[0]
    assert 'href="book/mip/page.html#check-mip-prop-11">3 comparisons' in row
    assert 'id="check-mip-prop-11-2"' in folds[1]
    assert "numpy" not in page
    left = plain(FOLD.sub("", page))
    assert "open_code = half" in left
    assert "with result(" not in left


def test_the_head_of_a_chapter_and_the_map_say_its_goal_and_minutes(book):
    head = book.html("book/mip/page").split('<div class="mb-head')[1].split("</div>")[0]
    assert re.search(r"Goal</span> Count <span.*?</span> and <em>more</em>\.", head)
    assert "5 minutes" in head
    assert "Needs" not in head
    aside = book.html("results").split('class="mb-map-aside')[1].split("</article>")[0]
    assert re.search(r"Page 5 min.*Page\. Count .* and more", plain(aside))
    assert aside.count('href="book/mip/page.html"') == 2, "once on the map, once with its goal"


def test_the_parts_of_a_page_are_folded_under_its_title():
    parts, body = '<ul><li><a href="#one">One</a></li></ul>', "<h1>Title</h1><p>Text</p><h1>Another</h1>"
    done = with_contents(body, f'<ul><li><a href="#">Title</a>{parts}</li></ul>')
    assert done.startswith('<h1>Title</h1>\n<details class="mb-contents"><summary>On this page')
    assert parts in done
    assert done.count("<details") == 1
    assert with_contents(body, '<ul><li><a href="#">Title</a></li></ul>') == with_contents(body, "") == body


def test_scripts_are_vendored_with_licences(book, tmp_path, monkeypatch):
    static = book.root / "_build" / "html" / "_static"
    letters = static / "vendor" / "fonts" / "katex"
    assert (static / "vendor" / PLOTLY.name).stat().st_size > 1_000_000
    assert (letters / "LICENSE").is_file()
    faces = (letters / "katex.css").read_text("utf-8").partition(".katex")[0]
    assert set(re.findall(r"url\(([^)]+)\)", faces)) == {path.name for path in letters.glob("*.woff2")}
    assert katex.katex_version == "0.16.22"  # of the styles
    assert (static / "scripts" / "fontawesome.js").stat().st_size < 100
    # No Python lies beside the pages, and each learns it before its panels.
    assert (static / "mipbook-here.js").read_text("utf-8") == "globalThis.mipbookHere = null;\n"
    page = book.html("book/mip/page")
    assert 0 < page.index("mipbook-here.js") < page.index("explorable.js")
    monkeypatch.setattr(files, "_KNOWN", "0" * 64)
    with pytest.raises(RuntimeError, match=r"plotly.*js is not the file .* requirements.txt"):
        files.copy_scripts(tmp_path)


def test_a_function_and_the_page_that_calls_it_lead_to_each_other(book):
    assert '<a class="mb-code" href="../room.html#explorable.checks.result">' in book.html("book/mip/page")
    place = book.html("book/room").partition('id="explorable.checks.result"')[2].split("<dl")[:3]
    assert 'In the book: <a class="reference internal" href="mip/page.html">Page</a>' in "".join(place)


@pytest.mark.nightly
def test_incremental_build_follows_a_change_and_a_failing_check_fails_it(book):
    book.change("book/mip/page.md", 'status="holds"', 'status="holds with a correction"')
    build(book)
    assert "holds with a correction" in row_of_record(book)
    assert ">holds with a correction</span></p>" in book.html("book/mip/page")
    book.write("book/mip/page.md", "# Page\n\nNo check any more.\n")
    book.write("results.md", RESULTS.split("{prf:ref}")[0])
    build(book)
    assert f"0 of {len(results())} results are checked" in book.html("results")
    book.write("book/mip/page.md", PAGE.replace("check.equal(1.0, 1.0,", "check.equal(1.1, 1.0,"))
    build(book, fails=True)
    assert "must be equal 1.0" in book.said


def test_a_broken_reference_in_a_docstring_fails_the_build(book):
    book.write("book/room.rst", "Room\n====\n\n.. py:module:: explorable.checks\n\nSee `no_such_function`.\n")
    book.write("results.md", "# No map\n")
    wrong = ":::{chapter-head}\n:goal: Count.\n:minutes: few\n:needs: mip/none\n:::\n"
    wrong += "\n:::{prf:theorem} MIP paper, Theorem 4\n:label: mip-thm-4\nText.\n:::\n"
    book.write("book/mip/page.md", f"# Page\n\n{wrong}\n{{prf:ref}}`mip-thm-99`\n")
    build(book, fails=True)
    for told in (
        "reference target not found: no_such_function",
        "prf:ref: no statement has the label 'mip-thm-99'",
        "mip-thm-4: the title repeats 'MIP paper', which the box says by itself",
        "chapter-head: minutes = 'few': must be a whole number",
    ):
        assert told in book.said


def test_checks_are_judged_ahead_while_one_thread_alone_parses_code(tmp_path, monkeypatch):
    """Python 3.11 breaks where two threads parse at once, and Sphinx parses what it reads."""
    (tmp_path / "book" / "mip").mkdir(parents=True)
    (tmp_path / "book" / "mip" / "page.md").write_text(PAGE, encoding="utf-8")
    threads, true = set(), ast.parse

    def parse(*given, **named):
        threads.add(current_thread())
        return true(*given, **named)

    monkeypatch.setattr(ast, "parse", parse)
    app = SimpleNamespace(confdir=str(tmp_path), config=SimpleNamespace(explorable_pages=None))
    judge_ahead(app, None, [])
    assert app.explorable_tallies.result(120)["mip-prop-11"].planted > 1
    assert threads == {main_thread()}
