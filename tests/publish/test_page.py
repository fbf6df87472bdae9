"""Some pages alone: what is rendered, what is executed, and that nothing stale is shown; another book."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

import psutil
import pytest
from jupyter_cache.executors.utils import single_nb_execution
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook
from shared import ROOT, free_port, ran
from tiny_book import HEAD, Book
from websockets.sync.client import connect

from explorable import settings
from explorable.sphinx import run as records
from explorable.sphinx.build import warm_kernels
from explorable.sphinx.run import Record, status_text
from mipbook.stored import store
from studies.run import save

pytestmark = pytest.mark.nightly

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

total = sum(float(array.sum()) for array in store.load("overfitting_2a").arrays.values())
print("sum:", total)
```

The text says {{eval}}`total` too, and {{eval}}`"$a_1 = 2$"`.
""",
    "book/status.md": "# Status\n\n```{build-status}\n```\n",
    "mipbook/planted.py": """import plotly.graph_objects as go

def line(slope):
    figure = go.Figure(go.Scatter(x=[0, 1], y=[0, slope]))
    return figure.update_layout(meta={"sentence": f"The slope is first {slope}.", "alt": "a line"})
""",
}


TOTAL = sum(float(array.sum()) for array in store.load("overfitting_2a").arrays.values())


def page(book, *names, fails=False):
    """Build pages and return those that were executed."""
    book.run("-m", "mipbook", "page", *names, fails=fails)
    return sorted(re.findall(r"^\[ *\d+/\d+\] (\S+)", book.said, flags=re.M))


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book, with a package of its own, of which one page was built alone, and then all that was missing."""
    root = tmp_path_factory.mktemp("book")
    shutil.copytree(ROOT / "mipbook", root / "mipbook", ignore=shutil.ignore_patterns("__py*"))
    book = Book(root, FILES)
    assert page(book, "one") == ["book/one"]
    assert not (root / "_build" / "html" / "book" / "two.html").exists()
    assert "The slope is first 1." in book.html("book/one")
    assert (root / "_build" / "html" / "searchindex.js").is_file()
    assert page(book) == ["book/two"]
    assert f"sum: {TOTAL}" in book.html("book/two")
    return book


def test_the_status_page_tells_of_all_pages_and_which_were_executed_now(book):
    shown = re.sub(r"<[^>]+>", " ", book.html("book/status"))
    assert "1 panels hold 2 states in" in shown
    assert "1 of 2 pages were executed in this build" in shown
    rows = {name: re.search(rf"{name}\s[\d,.\s]+others?\s+(\w+ \w+)", shown) for name in ("One", "Two")}
    assert {name: row and row[1] for name, row in rows.items()} == {"One": "an earlier", "Two": "this build"}


def test_a_sentence_is_rendered_without_running_anything(book):
    book.change("book/one.md", "A first sentence.", "A second sentence.")
    assert page(book, "one", "two") == []
    assert "A second sentence." in book.html("book/one")
    assert "The slope is first 1." in book.html("book/one")


def test_a_changed_figure_runs_the_pages_that_load_it_and_no_other(book):
    other = book.html("book/two")
    book.change("mipbook/planted.py", "is first", "is now")
    assert page(book) == ["book/one"]
    assert "The page of results stands as the last whole build left it." in book.said
    assert "The slope is now 1." in book.html("book/one")
    assert book.html("book/two") == other


def test_a_changed_stored_run_is_shown_and_the_text_tells_what_the_cells_found(book):
    settings, arrays = store.load("overfitting_2a")
    name, values = next(iter(arrays.items()))
    folder = book.root / "mipbook" / "stored" / "arrays"
    save(folder, "overfitting_2a", settings, **{**arrays, name: values + 1})
    assert page(book, "book/two.md") == ["book/two"]
    (shown,) = re.findall(r"sum: (\S+)", book.html("book/two"))
    assert float(shown) == pytest.approx(TOTAL + values.size)
    assert f"The text says {shown} too, and " in book.html("book/two")
    assert '<annotation encoding="application/x-tex">a_1 = 2</annotation>' in book.html("book/two")


def test_a_value_that_is_missing_or_twofold_is_an_error(book):
    old = (book.root / "book" / "two.md").read_text(encoding="utf-8")
    once, again = (f"```{{code-cell}} ipython3\nx = {x}\n```\n" for x in (1, 2))
    for text, fault in (("{eval}`totla`", "name 'totla' is not defined"), ("{eval}`x`", "both 1 and 2")):
        book.write("book/two.md", f"{old}\n{once}\n{text}\n\n{again}\n{text}\n")
        page(book, "two", fails=True)
        assert fault in book.said
    book.write("book/two.md", old)


def test_a_failing_page_and_a_name_that_is_none_are_errors_and_the_book_no_whole_one(book):
    for name in ("three", "o"):
        assert page(book, name, fails=True) == []
        assert f"page = '{name}': must be one page of the book: book/index, book/one" in book.said
    stamp = book.root / "_build" / "html" / ".built"
    stamp.touch()
    book.change("book/two.md", "print(", "assert 0, (")
    page(book, "two", fails=True)
    assert "AssertionError" in book.said
    assert not stamp.exists()


def test_watch_reloads_the_open_page_and_serves_this_machine_only(book, tmp_path):
    port, log = str(free_port()), tmp_path / "log"
    address = f"localhost:{port}"
    command = [sys.executable, "-m", "mipbook", "page", "one", "--watch", "--port", port]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, **book.process, stdout=stream, stderr=stream)
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
        with connect(f"ws://{address}/websocket-reload") as reloads:
            book.change("book/one.md", "sentence.", "sentence, seen at once.")
            assert reloads.recv(timeout=60) == "refresh"
        with urllib.request.urlopen(f"http://{address}/book/one.html") as answer:
            shown = answer.read().decode()
        assert "sentence, seen at once." in shown
        assert "/websocket-reload" in shown
    finally:
        process.terminate()
        process.wait(20)


KNOWN = {
    "book/one": Record("a", {"small": (10, 2_000), "large": (90, 1_500_000)}, 12.3, 2, 2, {"found": "3"}),
    "book/two": Record("b", {}, 4.0, 2, 1, {}),
}


def test_a_build_to_be_repeated_holds_nothing_of_the_hour_or_the_machine():
    slower = {name: Record(r.digest, r.panels, 99.9, 64, 9, r.values) for name, r in KNOWN.items()}
    text = status_text(KNOWN, {"book/two"}, fixed=True)
    assert text == status_text(slower, set(), fixed=True)
    assert "times and the machine are left out" in text


def test_records_are_kept_whole_and_those_of_another_form_are_made_anew(tmp_path):
    assert records.load_records(tmp_path) == {}
    records.save_records(tmp_path, KNOWN)
    kept = records.load_records(tmp_path)["book/one"]
    assert (kept.states, kept.size) == (100, 1_502_000)
    assert [p.name for p in tmp_path.iterdir()] == ["pages.json"]
    for text in (json.dumps({"book/one": {"digest": "a"}}), "", "[1]", "{"):
        (tmp_path / "pages.json").write_text(text)
        assert records.load_records(tmp_path) == {}


# --- Kernels that are forks: as good as those that start anew, and nothing is left of them -----------


def executed(manager, folder, *cells):
    """What the cells print in a kernel of their own, and the error that they end with."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel})
    given = {"kernel_manager_class": manager} if manager else {}
    done = single_nb_execution(notebook, str(folder), 100, False, **given)
    return ["".join(out.get("text", "") for out in c.outputs) for c in notebook.cells], done.err


LOOKS = (
    "import os, sys\nprint(os.getcwd(), os.environ['ASKED'])",
    "print('left' in globals(), 'matplotlib' in sys.modules)\nleft = 1",
    "import numpy as np\nnp.random.seed(3)\nprint(np.random.random(), os.getpid())",
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_forked_kernel_is_as_one_that_starts_anew_and_one_that_dies_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKED", "yes")
    cold, _ = executed(None, tmp_path, *LOOKS)
    with warm_kernels() as manager:
        first, error = executed(manager, tmp_path, *LOOKS)
        second, _ = executed(manager, tmp_path, *LOOKS)
        failed, why = executed(manager, tmp_path, "1 / 0", "print('not reached')")
        with pytest.raises(DeadKernelError):
            executed(manager, tmp_path, "import os\nos.kill(os.getpid(), 9)")
    assert (error, failed[1]) == (None, "")
    assert "ZeroDivisionError" in str(why)
    assert first[:2] == second[:2] == cold[:2], "a kernel knows nothing of the one before"
    drawn, pids = zip(*(printed[2].split() for printed in (cold, first, second)), strict=True)
    assert (len(set(drawn)), len(set(pids))) == (1, 3)
    assert not any(psutil.pid_exists(int(pid)) for pid in pids)


PAGE = (ROOT / "docs" / "another-book.md").read_text(encoding="utf-8")
BUILD = """import sys
from pathlib import Path
sys.modules["mipbook"] = None  # whoever asks for it is refused
from explorable.sphinx.build import build
build(Path.cwd())"""


def test_a_book_of_another_subject_holds_its_panel_and_no_word_of_ours(tmp_path):
    config, contents = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.M | re.S)
    (swing,) = re.findall(r"^````markdown\n(.*?)^````$", PAGE, flags=re.M | re.S)
    index = "# A pendulum\n\nSee [how it swings](swing.md).\n"
    files = {"_config.yml": config, "_toc.yml": contents, "swing.md": swing, "index.md": index}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    alone = {name: value for name, value in os.environ.items() if name != settings.NAME}
    done = ran("-c", BUILD, cwd=tmp_path, env=alone)
    assert done.returncode == 0, done.stdout + done.stderr
    html = tmp_path / "_build" / "html"
    page = (html / "swing.html").read_text(encoding="utf-8")
    shown = r'<section class="mb-explorable" id="swing" data-face="static".*?</section>'
    (panel,) = re.findall(shown, page, re.S)
    # Twenty states, packed: more than the words, less than the numbers as text.
    (at,) = re.findall(r'class="mb-blob" data-at="(\w+)"', panel)
    assert 10_000 < (html / "_static" / "panels" / f"{at}.js").stat().st_size < 100_000
    assert "A pendulum of 0.1 m swings once in 0.63 s." in panel
    assert panel in (html / "embed" / "swing.html").read_text(encoding="utf-8")
    for built in html.glob("*.html"):
        text = built.read_text(encoding="utf-8")
        assert not re.search(r'(?:src|href)="(?:https?:)?//[^"]*\.(?:js|css|woff2?)"', text), built.name
        assert not re.search(r"membership|privacy", text, re.I), built.name
