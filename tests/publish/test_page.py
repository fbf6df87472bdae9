"""Some pages alone: what is rendered, what is executed, and that nothing stale is shown."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import psutil
import pytest
from shared import ROOT, free_port
from websockets.sync.client import connect

from explorable.sphinx import run as records
from explorable.sphinx.run import Record, status_text
from mipbook.stored import store
from studies.run import save

pytestmark = pytest.mark.nightly

HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

"""
FIGURE = """import plotly.graph_objects as go

def line(slope):
    figure = go.Figure(go.Scatter(x=[0, 1], y=[0, slope]))
    return figure.update_layout(meta={"sentence": f"The slope is WORD {slope}.", "alt": "a line"})
"""
FILES = {
    "_toc.yml": """format: jb-book
root: book/index
chapters: [file: book/one, file: book/two, file: book/status]
""",
    "book/index.md": "# Start\n\nOne is [here](one.md).\n",
    "book/one.md": f"""{HEAD}# One

A first sentence.

```{{code-cell}} ipython3
from mipbook import planted
from explorable.panels import Explorable

Explorable(planted.line, slope=[1, 2])
```
""",
    "book/two.md": f"""{HEAD}# Two

```{{code-cell}} ipython3
from explorable.sphinx.map import all_pages
from mipbook.stored import store

arrays = store.load("overfitting_2a").arrays
total = sum(float(array.sum()) for array in arrays.values())
print("sum:", total)
```

The text says {{eval}}`total` too, and {{eval}}`"$a_1 = 2$"`.
""",
    "book/status.md": "# Status\n\n```{build-status}\n```\n",
    "mipbook/planted.py": FIGURE.replace("WORD", "first"),
}


def total() -> float:
    """What the second page prints of the run as it is stored."""
    arrays = store.load("overfitting_2a").arrays
    return sum(float(array.sum()) for array in arrays.values())


class Book:
    """A small book with a package of its own, in which errors of the real kind can be planted."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(ROOT / "mipbook", root / "mipbook", ignore=shutil.ignore_patterns("__py*"))
        config = (ROOT / "_config.yml").read_text(encoding="utf-8")
        bibliography = "bibtex_bibfiles: [book/references.bib]\n"
        (root / "_config.yml").write_text(config.replace(bibliography, ""), encoding="utf-8")
        for name, text in FILES.items():
            self.write(name, text)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("MIPBOOK")}
        environment = {**kept, "PYTHONPATH": os.pathsep.join([str(root), str(ROOT)]), "PYTHONUNBUFFERED": "1"}
        self.process: dict[str, Any] = {"cwd": root, "env": environment}

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def page(self, *names: str, fails: bool = False) -> list[str]:
        """Build pages and return those that were executed."""
        command = [sys.executable, "-m", "mipbook", "page", *names]
        done = subprocess.run(command, **self.process, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        assert bool(done.returncode) is fails, said[-3000:]
        self.said = said
        return sorted(re.findall(r"^\[ *\d+/\d+\] (\S+)", done.stdout, flags=re.M))

    def html(self, name: str) -> str:
        return (self.root / "_build" / "html" / "book" / f"{name}.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Book:
    """A book of which one page was built alone, and then all that was missing."""
    book = Book(tmp_path_factory.mktemp("book"))
    assert book.page("one") == ["book/one"]
    assert not (book.root / "_build" / "html" / "book" / "two.html").exists()
    assert "The slope is first 1." in book.html("one")
    assert (book.root / "_build" / "html" / "searchindex.js").is_file()
    assert book.page() == ["book/two"]
    assert f"sum: {total()}" in book.html("two")
    return book


def test_the_status_page_tells_of_all_pages_and_which_were_executed_now(book):
    shown = re.sub(r"<[^>]+>", " ", book.html("status"))
    assert "1 panels hold 2 states in" in shown
    assert "1 of 2 pages were executed in this build" in shown
    rows = {name: re.search(rf"{name}\s[\d,.\s]+others?\s+(\w+ \w+)", shown) for name in ("One", "Two")}
    assert {name: row and row[1] for name, row in rows.items()} == {"One": "an earlier", "Two": "this build"}


def test_a_sentence_is_rendered_without_running_anything(book):
    book.change("book/one.md", "A first sentence.", "A second sentence.")
    assert book.page("one", "two") == []
    assert "A second sentence." in book.html("one")
    assert "The slope is first 1." in book.html("one")


def test_a_changed_figure_runs_the_pages_that_load_it_and_no_other(book):
    other = book.html("two")
    book.change("mipbook/planted.py", "is first", "is now")
    assert book.page() == ["book/one"]
    assert "The page of results stands as the last whole build left it." in book.said
    assert "The slope is now 1." in book.html("one")
    assert book.html("two") == other


def test_a_changed_stored_run_is_shown(book):
    settings, arrays = store.load("overfitting_2a")
    name, values = next(iter(arrays.items()))
    folder = book.root / "mipbook" / "stored" / "arrays"
    save(folder, "overfitting_2a", settings, **{**arrays, name: values + 1})
    assert book.page("book/two.md") == ["book/two"]
    assert f"sum: {total()}" not in book.html("two")
    assert f"sum: {total() + values.size}"[:10] in book.html("two")


def test_the_text_tells_what_the_cells_found(book):
    (shown,) = re.findall(r"sum: (\S+)", book.html("two"))
    assert f"The text says {shown} too, and " in book.html("two")
    assert '<annotation encoding="application/x-tex">a_1 = 2</annotation>' in book.html("two")


@pytest.mark.parametrize(
    ("text", "fault"),
    [("{eval}`totla`", "name 'totla' is not defined"), ("{eval}`next(times)` {eval}`x`", "both 1 and 2")],
)
def test_a_value_that_is_missing_or_twofold_is_an_error(book, text, fault):
    old = (book.root / "book" / "two.md").read_text(encoding="utf-8")
    twice = "```{code-cell} ipython3\ntimes, x = iter((1, 2)), 0\n```\n"
    book.write("book/two.md", f"{old}\n{twice}\n{text}\n\n{twice.replace('(1, 2)', '(2,)')}\n{text}\n")
    book.page("two", fails=True)
    assert fault in book.said
    book.write("book/two.md", old)


def test_a_library_of_another_version_makes_pages_run_again(book):
    planted = book.root / "scikit_learn-0.0.1.dist-info"
    planted.mkdir()
    (planted / "METADATA").write_text("Metadata-Version: 2.1\nName: scikit-learn\nVersion: 0.0.1\n")
    assert book.page("two") == ["book/two"]
    shutil.rmtree(planted)


def test_a_failing_page_is_an_error_and_the_book_no_whole_one(book):
    stamp = book.root / "_build" / "html" / ".built"
    stamp.touch()
    book.change("book/two.md", "print(", "assert 0, (")
    book.page("two", fails=True)
    assert "AssertionError" in book.said
    assert not stamp.exists()


@pytest.mark.parametrize("name", ["three", "o"])
def test_a_name_that_is_no_page_is_refused_with_those_that_are(book, name):
    assert book.page(name, fails=True) == []
    assert f"page = '{name}': must be one page of the book: book/index, book/one" in book.said


def test_watch_reloads_the_open_page_and_serves_this_machine_only(book, tmp_path):
    port, log = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "mipbook", "page", "one", "--watch", "--port", str(port)]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, **book.process, stdout=stream, stderr=stream)
    address = f"localhost:{port}"
    try:
        used: list[str] = []
        while f"Open http://{address}/book/one.html" not in log.read_text(encoding="utf-8") or not used:
            assert process.poll() is None, log.read_text(encoding="utf-8")
            time.sleep(0.1)
            used = [c.laddr.ip for c in psutil.Process(process.pid).net_connections() if not c.raddr]
        assert set(used) <= {"127.0.0.1", "::1"}
        strange = urllib.request.Request(f"http://{address}/", headers={"Host": "example.org"})
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(strange)
        with connect(f"ws://{address}/websocket-reload") as page:
            book.change("book/one.md", "sentence.", "sentence, seen at once.")
            assert page.recv(timeout=60) == "refresh"
        with urllib.request.urlopen(f"http://{address}/book/one.html") as answer:
            shown = answer.read().decode()
        assert "sentence, seen at once." in shown
        assert "/websocket-reload" in shown
    finally:
        process.terminate()
        process.wait(20)


# --- What the build tells of itself is what was measured, and says which of it is older -----------

KNOWN = {
    "book/one": Record("a", {"small": (10, 2_000), "large": (90, 1_500_000)}, 12.3, 2, 2, {"found": "3"}),
    "book/two": Record("b", {}, 4.0, 2, 1, {}),
}


def test_a_build_to_be_repeated_holds_nothing_of_the_hour_or_the_machine():
    text = status_text(KNOWN, {"book/two"}, fixed=True)
    assert text == status_text(KNOWN, set(), fixed=True)
    slower = {name: Record(r.digest, r.panels, 99.9, 64, 9, r.values) for name, r in KNOWN.items()}
    assert text == status_text(slower, set(), fixed=True)
    assert "times and the machine are left out" in text


def test_records_are_kept_whole_and_those_of_another_form_are_made_anew(tmp_path):
    folder = tmp_path / "cache"
    assert records.load_records(folder) == {}
    records.save_records(folder, KNOWN)
    kept = records.load_records(folder)
    assert kept["book/one"].states == 100
    assert kept["book/one"].size == 1_502_000
    assert [p.name for p in folder.iterdir()] == ["pages.json"]
    for text in (json.dumps({"book/one": {"digest": "a"}}), "", "[1]", "{"):
        (folder / "pages.json").write_text(text)
        assert records.load_records(folder) == {}
