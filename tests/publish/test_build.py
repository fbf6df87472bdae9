"""Pages of a build that failed, was stopped, or is too old do not pass for the book."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from explorable.sphinx import build


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a book whose builder writes its page, and says what stands in the file ``code``."""
    for name in ("_config.yml", "_toc.yml", "constraints.txt", "book/one.md", "mipbook/one.npz"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("0", encoding="utf-8")
        os.utime(path, (1e9, 1e9))

    def builder(command: list[str], cwd: Path, check: bool) -> subprocess.CompletedProcess[str]:
        (cwd / "_build" / "html").mkdir(parents=True)
        (cwd / "_build" / "html" / "index.html").touch()
        os.utime(cwd / "book" / "meanwhile.md", (time.time(), time.time()))
        time.sleep(0.05)  # more than a file system's clock is coarse
        return subprocess.CompletedProcess(command, int((cwd / "code").read_text()))

    (tmp_path / "code").write_text("0")
    (tmp_path / "book" / "meanwhile.md").touch()
    os.utime(tmp_path / "book" / "meanwhile.md", (1e9, 1e9))
    monkeypatch.setattr(subprocess, "run", builder)
    return tmp_path


def built(root: Path) -> bool:
    """Build, and say whether the book is current when nothing was edited meanwhile."""
    page = build.build(root)
    assert page.is_file()
    os.utime(root / "book" / "meanwhile.md", (1e9, 1e9))
    return build.is_current(root)


def test_a_whole_build_is_current(root):
    assert not build.is_current(root)
    assert built(root)


def test_a_failed_build_is_not_even_after_a_good_one(root):
    assert built(root)
    (root / "code").write_text("1")
    with pytest.raises(RuntimeError, match="was not built"):
        build.build(root)
    os.utime(root / "book" / "meanwhile.md", (1e9, 1e9))
    assert (root / "_build" / "html" / "index.html").is_file()
    assert not build.is_current(root)


def test_what_was_edited_during_the_build_is_newer(root):
    build.build(root)
    assert not build.is_current(root)


@pytest.mark.parametrize("name", ["book/one.md", "mipbook/one.npz", "_toc.yml", "constraints.txt"])
def test_every_source_counts(root, name):
    assert built(root)
    (root / name).write_text("1", encoding="utf-8")
    assert not build.is_current(root)


def test_what_runs_leave_does_not_count(root):
    assert built(root)
    for folder in ("mipbook/__pycache__", "book/.ipynb_checkpoints"):
        (root / folder).mkdir()
        (root / folder / "new").touch()
    assert build.is_current(root)
