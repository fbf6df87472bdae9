"""Habits as tests: clean notebooks, short cells, nothing of one machine."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from shared import ROOT

from explorable import lazy


def tracked() -> list[Path]:
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    lines = subprocess.check_output(listing, cwd=ROOT, text=True).splitlines()
    return [ROOT / line for line in lines if (ROOT / line).is_file()]


NOTEBOOKS = [p for p in tracked() if p.suffix == ".ipynb"]
PAGES = [p for p in tracked() if ROOT / "book" in p.parents and p.suffix in {".md", ".ipynb", ".rst"}]


def test_notebooks_carry_no_outputs():
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            run = cell.get("outputs") or cell.get("execution_count") is not None
            assert not run, f"clear all outputs before you commit {path.name}"


def test_a_lazy_face_names_nothing_after_a_module():
    """Whoever imports the module first would get it in the place of the function."""
    for face in (ROOT / "mipbook").rglob("__init__.py"):
        package = ".".join(face.parent.relative_to(ROOT).parts)
        offered = lazy.offered(face.read_text(encoding="utf-8"))
        names = {name for name, (module, _) in offered.items() if module != package}
        modules = {x.stem for x in face.parent.iterdir() if x.is_dir() or x.suffix == ".py"}
        both = names & modules
        assert not both, f"{face.relative_to(ROOT)}: give {both} or its module another name"


def test_nothing_built_is_tracked():
    for path in tracked():
        name = path.relative_to(ROOT)
        assert name.parts[0] not in {"_build", ".venv"}
        assert path.suffix != ".html" or name.parts[:2] == ("explorable", "templates")
        theirs = name.parts[:3] == ("explorable", "panels", "plotly")  # a README tells why
        assert path.stat().st_size < 500_000 or theirs, f"{name} is a dump"


def test_nothing_names_a_machine():
    # Spelt in pieces, so that this file does not name one either.
    words = ["/" + "home/", "/" + "root/", "/" + "work/", "/" + "Users/", "C:\\" + "Users"]
    for path in tracked():
        if path.suffix in {".gif", ".png", ".woff2", ".npz"} or path.name == "plotly.min.js":
            continue
        text = path.read_text(encoding="utf-8")
        assert not [w for w in words if w in text], path.relative_to(ROOT)


def test_every_page_is_in_the_contents():
    text = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"(?:file|root): (\S+)", text))
    pages = {str(p.relative_to(ROOT).with_suffix("")) for p in PAGES}
    forgotten, gone = sorted(pages - listed), sorted(listed - pages)
    assert not forgotten, f"add to _toc.yml: {', '.join(f'- file: {x}' for x in forgotten)}"
    assert not gone, f"{gone} are not there: take them out of _toc.yml"
    assert yaml.safe_load(text)["format"] == "jb-book"


# --- The Python of the README and of `docs/using.md` runs as printed; the README is short ---------

README = ROOT / "README.md"
USING = ROOT / "docs" / "using.md"


@pytest.mark.parametrize(("path", "least"), [(README, 2), pytest.param(USING, 9, marks=pytest.mark.nightly)])
def test_its_code_runs(path, least):
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.S)
    assert len(blocks) >= least
    for block in blocks:
        exec(compile(block, str(path), "exec"), {})


def test_links_lead_to_files_and_their_headings():
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        for name, place in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", path.read_text("utf-8")):
            target = (path.parent / name) if name else path
            assert target.exists(), f"{path}: {name}"
            headings = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), flags=re.M) if place else [""]
            known = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
            assert place in known, f"{path}: {name}#{place}"
