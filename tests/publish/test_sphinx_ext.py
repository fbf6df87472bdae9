"""A tiny book: the page of results, vendored scripts, changes that must show."""

import ast
import os
import re
from pathlib import Path
from threading import current_thread, main_thread
from types import SimpleNamespace
from typing import Any

import pytest
from shared import ROOT, ran
from sphinxcontrib import katex

from explorable.checks import results
from explorable.panels.static import PLOTLY
from explorable.sphinx import formulas
from explorable.sphinx.build import START
from explorable.sphinx.extension import with_contents
from explorable.sphinx.folds import judge_ahead

CONFIG = (ROOT / "_config.yml").read_text(encoding="utf-8")
RESULTS = """# Results

```{book-map}
```

```{results-ledger}
```

{prf:ref}`mip-prop-11`, {prf:ref}`the $x$ <mip-prop-11>`, {prf:ref}`own`, [down](#mip-prop-11),
[over](book/mip/page.md#mip-prop-11).
"""
PAGE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# Page

:::{chapter-head}
:goal: Count $x$ and *more*.
:minutes: 5
:::

```{code-cell} ipython3
import numpy as np
```

:::{prf:proposition} One $x$
:label: mip-prop-11
Text with $x^2$.
:::

:::{prf:lemma} A lemma of the book
:label: own
Text.
:::

```{code-cell} ipython3
from mipbook import mip
from explorable.checks import result

with result("mip-prop-11", status="STATUS") as check:
    check.equal(VALUE, 1.0, tol=1e-12, what="one")
```

```{code-cell} ipython3
half = 0.5
```

```{code-cell} ipython3
with result("mip-prop-11") as check:
    check.equal(mip.eta_from_dp(0.0, half), 0.25, tol=1e-12, what="two")
```

Between.

```{code-cell} ipython3
with result("mip-prop-11") as check:
    check.equal(half, 0.5, what="three")
```

```{code-cell} ipython3
print("shown", half)
```

```{code-cell} ipython3
:tags: [show-code]
open_code = half
```
"""


FOLD = re.compile(r'<details class="[^"]*\bmb-fold\b.*?</details>', flags=re.S)


def build(root: Path) -> Any:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MIPBOOK")}
    return ran("-c", START, "build", root, "-W", "-n", "--keep-going", env=environment)


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("book")
    config = CONFIG.replace("bibtex_bibfiles: [book/references.bib]\n", "")
    (root / "_config.yml").write_text(config, encoding="utf-8")
    toc = "format: jb-book\nroot: results\nparts:\n"
    toc += "  - {caption: One, chapters: [{file: book/mip/page}]}\n"
    toc += "  - {caption: Two, chapters: [{file: book/room}]}\n"
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    (root / "book" / "mip").mkdir(parents=True)
    (root / "results.md").write_text(RESULTS, encoding="utf-8")
    page = PAGE.replace("STATUS", "holds").replace("VALUE", "1.0")
    (root / "book" / "mip" / "page.md").write_text(page, encoding="utf-8")
    (root / "book" / "room.rst").write_text("Room\n====\n\n.. room:: explorable.checks\n", encoding="utf-8")
    done = build(root)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return root


def html(book: Path, name: str) -> str:
    return (book / "_build" / "html" / f"{name}.html").read_text(encoding="utf-8")


def plain(found: str) -> str:
    """A piece of HTML as it is read."""
    return " ".join(re.sub(r"<[^>]+>", "", found).split())


def test_a_statement_has_its_papers_number_and_links_lead_to_it_by_that(book):
    page = html(book, "book/mip/page")
    found = re.findall(r'id="(mip-prop-11|own)">\s*<p class="admonition-title">(.*?)</p>', page)
    heads = {name: plain(head) for name, head in found}
    assert heads["mip-prop-11"].startswith("Proposition 11. One ")
    assert heads["mip-prop-11"].endswith(" MIP paper")
    assert heads["own"] == "Lemma. A lemma of the book"
    links = re.findall(r'href="book/mip/page.html#(mip-prop-11|own)">(.*?)</a>', html(book, "results"))
    told = [(name, plain(words)) for name, words in links if "ledger" not in words]
    assert ("mip-prop-11", "Proposition 11 of the MIP paper") in told
    assert ("own", "Lemma (A lemma of the book)") in told
    assert [words for _, words in told][-2:] == ["down", "over"]
    assert any(words.startswith("the ") for _, words in told), told


def test_the_head_of_a_chapter_says_goal_and_minutes(book):
    head = html(book, "book/mip/page").split('<div class="mb-head')[1].split("</div>")[0]
    assert re.search(r"Goal</span> Count <span.*?</span> and <em>more</em>\.", head)
    assert "5 minutes" in head
    assert "Needs" not in head


def test_checks_and_code_are_folded_and_imports_leave_the_page(book):
    page = html(book, "book/mip/page")
    lines = [plain(told) for told in re.findall(r"<summary>(.*?)</summary>", page)]
    record = html(book, "results")
    assert f"1 of {len(results())} results are checked" in record
    assert record.count("<tr id=") == len(results())
    row = record.split('id="ledger-mip-prop-11"')[1].split("</tr>")[0]
    caught = re.search(r"\d+ of [1-9]\d* planted errors caught", row)
    assert caught
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


def test_the_map_holds_every_chapter_with_its_minutes_and_its_goal(book):
    page = html(book, "results")
    aside = page.split('class="mb-map-aside')[1].split("</article>")[0]
    assert re.search(r"Page 5 min", plain(aside.split("<details")[0]))
    assert re.search(r"Page\. Count .* and more", plain(aside.split("<details")[1]))
    assert aside.count('href="book/mip/page.html"') == 2, "once on the map, once with its goal"


def test_the_parts_of_a_page_are_folded_under_its_title():
    parts = '<ul><li><a href="#one">One</a></li><li><a href="#two">Two</a></li></ul>'
    body = "<h1>Title</h1><p>Text</p><h1>Another</h1>"
    done = with_contents(body, f'<ul><li><a href="#">Title</a>{parts}</li></ul>')
    assert done.startswith('<h1>Title</h1>\n<details class="mb-contents"><summary>On this page')
    assert parts in done
    assert done.count("<details") == 1
    assert with_contents(body, '<ul><li><a href="#">Title</a></li></ul>') == body
    assert with_contents(body, "") == body


def test_scripts_are_vendored_with_licences(book):
    vendor = book / "_build" / "html" / "_static" / "vendor"
    assert (vendor / PLOTLY.name).stat().st_size > 1_000_000
    assert (vendor / "fonts" / "katex" / "LICENSE").is_file()
    faces = (vendor / "fonts" / "katex" / "katex.css").read_text("utf-8").partition(".katex")[0]
    named = set(re.findall(r"url\(([^)]+)\)", faces))
    assert named == {path.name for path in (vendor / "fonts" / "katex").glob("*.woff2")}
    assert katex.katex_version == formulas.VERSION  # of the styles
    assert (vendor.parent / "scripts" / "fontawesome.js").stat().st_size < 100
    # No Python lies beside the pages, and each learns it before its panels.
    assert (vendor.parent / "mipbook-here.js").read_text("utf-8") == "globalThis.mipbookHere = null;\n"
    page = html(book, "book/mip/page")
    assert 0 < page.index("mipbook-here.js") < page.index("explorable.js")


def test_a_function_and_the_page_that_calls_it_lead_to_each_other(book):
    link = '<a class="mb-code" href="../room.html#explorable.checks.result">'
    assert link in html(book, "book/mip/page")
    room = html(book, "book/room")
    place = room[room.index('id="explorable.checks.result"') :].split("<dl")[0:3]
    assert 'In the book: <a class="reference internal" href="mip/page.html">Page</a>' in "".join(place)


@pytest.mark.nightly
def test_incremental_build_follows_a_change(book):
    changed = PAGE.replace("STATUS", "holds with a correction").replace("VALUE", "1.0")
    (book / "book" / "mip" / "page.md").write_text(changed, encoding="utf-8")
    done = build(book)
    assert done.returncode == 0, done.stderr[-3000:]
    row = html(book, "results").split('id="ledger-mip-prop-11"')[1].split("</tr>")[0]
    assert "holds with a correction" in row
    assert ">holds with a correction</span></p>" in html(book, "book/mip/page")
    (book / "book" / "mip" / "page.md").write_text("# Page\n\nNo check any more.\n", encoding="utf-8")
    (book / "results.md").write_text(RESULTS.split("{prf:ref}")[0], encoding="utf-8")
    assert build(book).returncode == 0
    assert f"0 of {len(results())} results are checked" in html(book, "results")


@pytest.mark.nightly
def test_failing_check_fails_the_build(book):
    wrong = PAGE.replace("STATUS", "holds").replace("VALUE", "1.1")
    (book / "book" / "mip" / "page.md").write_text(wrong, encoding="utf-8")
    done = build(book)
    assert done.returncode != 0
    assert "must be equal 1.0" in done.stdout + done.stderr


def test_a_broken_reference_in_a_docstring_fails_the_build(book):
    room = "Room\n====\n\n.. py:module:: explorable.checks\n\nSee `no_such_function`.\n"
    (book / "book" / "room.rst").write_text(room, encoding="utf-8")
    (book / "results.md").write_text("# No map\n", encoding="utf-8")
    wrong = ":::{chapter-head}\n:goal: Count.\n:minutes: few\n:needs: mip/none\n:::\n"
    wrong += "\n:::{prf:theorem} MIP paper, Theorem 4\n:label: mip-thm-4\nText.\n:::\n"
    wrong += "\n{prf:ref}`mip-thm-99`\n"
    (book / "book" / "mip" / "page.md").write_text(f"# Page\n\n{wrong}", encoding="utf-8")
    done = build(book)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "reference target not found: no_such_function" in said
    assert "prf:ref: no statement has the label 'mip-thm-99'" in said
    assert "mip-thm-4: the title repeats 'MIP paper', which the box says by itself" in said
    assert "chapter-head: minutes = 'few': must be a whole number" in said


def test_changed_vendored_script_is_refused(tmp_path, monkeypatch):
    from explorable.outputs import files

    monkeypatch.setitem(files._KNOWN, PLOTLY.name, "0" * 64)
    with pytest.raises(RuntimeError, match=r"plotly.*js is not the file .* requirements.txt"):
        files.copy_scripts(tmp_path)


def test_checks_are_judged_ahead_while_one_thread_alone_parses_code(tmp_path, monkeypatch):
    """Python 3.11 breaks where two threads parse at once, and Sphinx parses what it reads."""
    (tmp_path / "book" / "mip").mkdir(parents=True)
    page = PAGE.replace("STATUS", "holds").replace("VALUE", "1.0")
    (tmp_path / "book" / "mip" / "page.md").write_text(page, encoding="utf-8")
    threads, true = set(), ast.parse

    def parse(*given: Any, **named: Any) -> Any:
        threads.add(current_thread())
        return true(*given, **named)

    monkeypatch.setattr(ast, "parse", parse)
    config = SimpleNamespace(explorable_pages=None)
    app: Any = SimpleNamespace(confdir=str(tmp_path), config=config)
    judge_ahead(app, None, [])
    assert app.explorable_tallies.result(120)["mip-prop-11"].planted > 1
    assert threads == {main_thread()}
