"""A tiny book: the page of results, vendored scripts, changes that must show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from shared import ROOT

from mipbook.ledger import results
from mipbook.publish.build import START
from mipbook.publish.sphinx_ext import _with_contents

CONFIG = (ROOT / "_config.yml").read_text(encoding="utf-8")
RESULTS = "# Results\n\n```{book-map}\n```\n\n```{results-ledger}\n```\n"
PAGE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# Page

:::{prf:proposition} One
:label: mip-prop-11
Text with $x^2$.
:::

```{code-cell} ipython3
from mipbook.ledger import result

with result("mip-prop-11", status="STATUS") as check:
    check.equal(VALUE, 1.0, tol=1e-12, what="one")
```
"""


def build(root: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MIPBOOK")}
    return subprocess.run(
        [sys.executable, "-c", START, "build", str(root), "-W", "-n", "--keep-going"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("book")
    config = CONFIG.replace("bibtex_bibfiles: [book/references.bib]\n", "")
    (root / "_config.yml").write_text(config, encoding="utf-8")
    toc = "format: jb-book\nroot: results\nparts:\n  - {caption: One, chapters: [{file: page}]}\n"
    toc += "  - {caption: Two, chapters: [{file: room}]}\n"
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    (root / "results.md").write_text(RESULTS, encoding="utf-8")
    page = PAGE.replace("STATUS", "holds").replace("VALUE", "1.0")
    (root / "page.md").write_text(page, encoding="utf-8")
    (root / "room.rst").write_text("Room\n====\n\n.. room:: ledger\n", encoding="utf-8")
    done = build(root)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return root


def html(book: Path, name: str) -> str:
    return (book / "_build" / "html" / f"{name}.html").read_text(encoding="utf-8")


def test_page_of_results_shows_the_record(book):
    page = html(book, "results")
    assert f"1 of {len(results())} results are checked" in page
    assert page.count("<tr id=") == len(results())
    row = page[page.index('id="ledger-mip-prop-11"') :].split("</tr>")[0]
    target = re.search(r'href="page.html#([^"]+)"', row)
    assert target
    assert f'id="{target[1]}"' in html(book, "page")


def test_the_map_holds_every_page_of_every_part(book):
    places = re.findall(r"<li><p><strong>(.*?)</p></li>", html(book, "results"), flags=re.S)
    told = [re.sub(r"<[^>]+>", "", place) for place in places]
    assert told == ["One. Page", "Two. Room"]
    assert 'href="room.html"' in places[1]


def test_the_parts_of_a_page_are_folded_under_its_title():
    parts = '<ul><li><a href="#one">One</a></li><li><a href="#two">Two</a></li></ul>'
    body = "<h1>Title</h1><p>Text</p><h1>Another</h1>"
    done = _with_contents(body, f'<ul><li><a href="#">Title</a>{parts}</li></ul>')
    assert done.startswith('<h1>Title</h1>\n<details class="mb-contents"><summary>On this page')
    assert parts in done
    assert done.count("<details") == 1
    assert _with_contents(body, '<ul><li><a href="#">Title</a></li></ul>') == body
    assert _with_contents(body, "") == body


def test_scripts_are_vendored_with_licences(book):
    vendor = book / "_build" / "html" / "_static" / "vendor"
    assert (vendor / "plotly.min.js").stat().st_size > 1_000_000
    assert (vendor / "mathjax" / "LICENSE").is_file()
    assert list((vendor / "mathjax").rglob("*.woff"))
    assert "explorable.js" in html(book, "page")


def test_page_names_no_other_host_in_what_it_loads(book):
    for name in ("page", "results", "search", "genindex"):
        page = html(book, name)
        loads = re.findall(
            r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=[\"'](https?:[^\"']+)", page
        )
        assert not [url for url in loads if "canonical" not in url]
        assert "unpkg" not in page
        assert "jsdelivr" not in page


def test_a_function_and_the_page_that_calls_it_lead_to_each_other(book):
    link = '<a class="mb-code" href="room.html#mipbook.ledger.result">'
    assert link in html(book, "page")
    room = html(book, "room")
    place = room[room.index('id="mipbook.ledger.result"') :].split("<dl")[0:3]
    assert 'In the book: <a class="reference internal" href="page.html">Page</a>' in "".join(place)


def test_incremental_build_follows_a_change(book):
    changed = PAGE.replace("STATUS", "holds with a correction").replace("VALUE", "1.0")
    (book / "page.md").write_text(changed, encoding="utf-8")
    done = build(book)
    assert done.returncode == 0, done.stderr[-3000:]
    row = html(book, "results").split('id="ledger-mip-prop-11"')[1].split("</tr>")[0]
    assert "holds with a correction" in row
    (book / "page.md").write_text("# Page\n\nNo check any more.\n", encoding="utf-8")
    assert build(book).returncode == 0
    assert f"0 of {len(results())} results are checked" in html(book, "results")


def test_failing_check_fails_the_build(book):
    wrong = PAGE.replace("STATUS", "holds").replace("VALUE", "1.1")
    (book / "page.md").write_text(wrong, encoding="utf-8")
    done = build(book)
    assert done.returncode != 0
    assert "must be equal 1.0" in done.stdout + done.stderr


def test_a_broken_reference_in_a_docstring_fails_the_build(book):
    room = "Room\n====\n\n.. py:module:: mipbook.ledger\n\nSee `no_such_function`.\n"
    (book / "room.rst").write_text(room, encoding="utf-8")
    done = build(book)
    assert done.returncode != 0
    assert "reference target not found: no_such_function" in done.stdout + done.stderr


def test_changed_vendored_script_is_refused(tmp_path, monkeypatch):
    from mipbook.publish import vendor

    monkeypatch.setitem(vendor._KNOWN, "plotly.min.js", "0" * 64)
    with pytest.raises(RuntimeError, match=r"plotly.min.js is not the file .* requirements.txt"):
        vendor.copy_scripts(tmp_path)
