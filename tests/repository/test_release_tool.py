"""A release says one version everywhere, and its page on PyPI leads back to the repository."""

import shutil
import tomllib
import zipfile

import pytest
import release
from shared import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
URL = "https://github.com/some-one/book"


@pytest.fixture
def root(tmp_path):
    """A repository as far as a release reads it."""
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def replace(root, name, old, new):
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), encoding="utf-8")


def test_what_stands_can_be_released():
    assert release.check(ROOT, f"v{VERSION}") == VERSION
    assert release.notes(ROOT, VERSION).strip()


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("pyproject.toml", f'version = "{VERSION}"', 'version = "9.9.9"', "pyproject.toml says 9"),
        ("CITATION.cff", f"version: {VERSION}", "version: 9.9.9", "CITATION.cff says 9.9.9"),
        ("CHANGELOG.md", f"## {VERSION}", "## 9.9.9", f"no part '## {VERSION}'"),
    ],
)
def test_another_version_anywhere_stops_it(root, name, old, new, said):
    release.check(root, f"v{VERSION}")
    replace(root, name, old, new)
    with pytest.raises(release.Refused, match=said):
        release.check(root, f"v{VERSION}")


def test_a_bundle_holds_notes_book_and_pdf(root):
    with pytest.raises(release.Refused, match="build and print first"):
        release.bundle(root, f"v{VERSION}")
    html = root / "_build" / "html"
    (html / "pdf").mkdir(parents=True)
    (html / "index.html").write_text("home")
    (root / release.PDF).write_bytes(b"%PDF")
    release.bundle(root, f"v{VERSION}")
    release.bundle(root, f"v{VERSION}")
    found = root / release.FOLDER
    book = f"mipbook-book-{VERSION}.zip"
    assert {p.name for p in found.iterdir()} == {"notes.md", f"mipbook-{VERSION}.pdf", book}
    assert "index.html" in zipfile.ZipFile(found / book).namelist()


def test_the_command_says_one_line(monkeypatch, capsys):
    release.main(["check", f"v{VERSION}"])
    assert capsys.readouterr().out == f"{VERSION}\n"
    release.main(["notes", f"v{VERSION}"])
    assert capsys.readouterr().out == release.notes(ROOT, VERSION)
    with pytest.raises(SystemExit, match=r"^No release: the tag says 9\.9\.9, "):
        release.main(["check", "v9.9.9"])
