"""What a piece of code can reach of the package, and that nothing it runs is left out."""

import os
import platform
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from shared import ROOT

import mipbook
from explorable import sources
from explorable.checks.plant import read_chapter
from explorable.panels import Explorable, static
from explorable.settings import variable
from mipbook import figures

PACKAGE = Path(mipbook.__file__).parent
FILES = {
    "__init__.py": "",
    "base.py": "def ground(): return 1",
    "alone.py": "X = 1",
    "a/__init__.py": "from mipbook.a.x import f\nfrom mipbook.a.y import g\nfrom mipbook import base",
    "a/x.py": "from mipbook import base\ndef f(): return base.ground()",
    "a/y.py": "def g():\n    import mipbook.alone\n    return mipbook.alone.X",
    "b/__init__.py": "from mipbook import a\nfrom mipbook.a import *",
    "data.csv": "1",
    "arrays/run.npz": "1",
    "static/panel.js": "1",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of a few lines in the place of the real one."""
    for name, text in FILES.items():
        path = tmp_path / "mipbook" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(sources, "_folders", lambda name: {"mipbook": tmp_path / "mipbook"})
    forget()
    yield tmp_path / "mipbook"
    forget()


def forget():
    for cached in vars(sources).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()


def digests():
    """Return the exact digest, and the one that other machines agree upon."""
    forget()
    return [sources.digest("x = 1", portable) for portable in (False, True)]


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("import numpy", []),
        ("from mipbook import base", []),
        ("from mipbook import base\nbase.ground()", ["base.py"]),
        ("from mipbook.a import f", ["a/x.py", "base.py"]),
        ("from mipbook import a\na.f()", ["a/x.py", "base.py"]),
        ("from mipbook import a as b\nb.g()", ["a/y.py", "alone.py"]),
        ("from mipbook import a\na.base.ground()", ["base.py"]),
        ("from mipbook import a\na.x.f()", ["a/x.py", "base.py"]),
        ("import mipbook\nmipbook.a.f()", ["a/x.py", "base.py"]),
        ("import mipbook.alone", ["alone.py"]),
        ("import mipbook.alone as x", ["alone.py"]),
        ("from mipbook.alone import X", ["alone.py"]),
        ("from mipbook import a\nprint(a)", ["a/__init__.py", "a/x.py", "a/y.py"]),
        ("from mipbook.a import *", ["a/__init__.py", "a/x.py", "a/y.py"]),
        ("from mipbook import b\ngetattr(b, 'f')", ["b/__init__.py", "a/__init__.py", "a/x.py"]),
    ],
)
def test_a_name_leads_to_the_files_that_it_needs(package, code, files):
    found = {path.relative_to(package).as_posix() for path in sources.reached(code)}
    assert set(files) <= found if any("__init__" in name for name in files) else found == set(files)


@pytest.mark.parametrize("remembers", [False, True])
def test_a_digest_follows_what_is_reached_and_nothing_else(package, monkeypatch, remembers):
    if remembers:
        monkeypatch.setenv(variable(sources.MEMORY), str(package.parent / "uses"))
    followed = []
    for name in FILES:
        forget()
        before = sources.digest("from mipbook.a import f")
        path = package / name
        path.write_text(path.read_text() + "\n# changed\n")
        forget()
        if sources.digest("from mipbook.a import f") != before:
            followed.append(name)
    assert {"a/x.py", "base.py", "data.csv", "arrays/run.npz"} <= set(followed)
    assert not {"a/y.py", "alone.py", "static/panel.js"} & set(followed)


def test_what_is_remembered_of_a_module_is_found_anew_where_another_module_appears(package, monkeypatch):
    monkeypatch.setenv(variable(sources.MEMORY), str(package.parent / "uses"))
    (package / "c.py").write_text("from mipbook.a import z\nz.f()")
    forget()
    assert package / "a" / "z.py" not in sources.reached("import mipbook.c")
    (package / "a" / "z.py").write_text("def f(): return 1")
    forget()
    assert package / "a" / "z.py" in sources.reached("import mipbook.c")


def test_what_changed_after_it_was_loaded_is_known_and_no_panel_of_it_is_kept(package, monkeypatch, tmp_path):
    code = "from mipbook.a import f"
    for path in package.rglob("*.py"):
        os.utime(path, (0, 0))
    found = {}
    for name in ("alone.py", "base.py"):
        os.utime(package / name)
        found[name] = sources.changed_since(code)
    assert found == {"alone.py": False, "base.py": True}
    monkeypatch.undo()
    forget()
    monkeypatch.setenv(variable(static.MEMORY), str(tmp_path / "panels"))
    for changed, kept in ((True, 0), (False, 1)):
        monkeypatch.setattr(sources, "changed_since", lambda code, answer=changed: answer)
        Explorable(figures.mip.noisy_heart, n_jobs=1).html()
        assert len(list(tmp_path.rglob("panels/*"))) == kept


@pytest.mark.parametrize("name", ["numpy", "scikit-learn", "mlxtend"])
def test_another_version_of_a_library_changes_the_digest(package, tmp_path, monkeypatch, name):
    before = digests()
    planted = tmp_path / f"{name.replace('-', '_')}-0.0.1.dist-info"
    planted.mkdir()
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n"
    (planted / "METADATA").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert not set(digests()) & set(before)
    assert sources.versions()[name] == "0.0.1"


def test_another_python_changes_the_digest_a_correction_only_the_exact_one(package, monkeypatch):
    found = []
    for python in ("3.11.2", "3.11.99", "3.99.1"):
        monkeypatch.setattr(platform, "python_version", lambda python=python: python)
        found.append(digests())
    exact, agreed = zip(*found, strict=True)
    assert (len(set(exact)), len(set(agreed)), agreed[0]) == (3, 2, agreed[1])


def test_threads_that_make_the_same_at_once_both_have_it(tmp_path):
    both, path = Barrier(2), tmp_path / "made"

    def make():
        both.wait(10)
        return 7

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: sources.kept(path, make), range(2))) == [7, 7]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("page", ["mip/less-noise-than-dp.md", "mis/security.md"])
def test_all_that_a_chapter_runs_is_reached(page):
    """The imports tell it all: each function that runs stands in a file that is reached."""
    code = "\n".join(cell.source for cell in read_chapter(ROOT / "book" / page).cells)
    program, ran = compile(code, "<page>", "exec"), set()
    # What a module does once, when it is loaded, is no news the second time.
    exec(program, {"__name__": "__main__"})

    def watch(frame, event, argument):
        if event == "call" and frame.f_code.co_name != "<module>":
            ran.add(Path(frame.f_code.co_filename))

    sys.setprofile(watch)
    try:
        exec(program, {"__name__": "__main__"})
    finally:
        sys.setprofile(None)
    ours = {path for path in ran if PACKAGE in path.parents}
    assert len(ours) > 2
    assert ours <= set(sources.reached(code))
