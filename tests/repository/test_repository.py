"""Habits as tests: clean notebooks, short cells, nothing of one machine."""

import json
import re

import pytest
from shared import ROOT, tracked

from explorable import lazy


def test_a_lazy_face_names_nothing_after_a_module():
    """Whoever imports the module first would get it in the place of the function."""
    for face in (ROOT / "mipbook").rglob("__init__.py"):
        package = ".".join(face.parent.relative_to(ROOT).parts)
        offered = lazy.offered(face.read_text(encoding="utf-8"))
        names = {name for name, (module, _) in offered.items() if module != package}
        both = names & {x.stem for x in face.parent.iterdir() if x.is_dir() or x.suffix == ".py"}
        assert not both, f"{package}: give {both} or its module another name"


def test_nothing_built_or_of_one_machine_is_tracked():
    # Spelt in pieces, so that this file does not name one either.
    words = ["/" + "home/", "/" + "root/", "/" + "work/", "/" + "Users/", "C:\\" + "Users"]
    for path in tracked():
        name = path.relative_to(ROOT)
        assert name.parts[0] not in {"_build", ".venv"}
        assert path.suffix != ".html" or name.parts[:2] == ("explorable", "templates")
        theirs = name.parts[:3] == ("explorable", "panels", "plotly")  # a README tells why
        assert path.stat().st_size < 500_000 or theirs, f"{name} is a dump"
        if path.suffix in {".gif", ".png", ".woff2", ".npz"} or path.name == "plotly.min.js":
            continue
        text = path.read_text(encoding="utf-8")
        assert not [w for w in words if w in text], name
        for cell in json.loads(text)["cells"] if path.suffix == ".ipynb" else ():
            run = cell.get("outputs") or cell.get("execution_count") is not None
            assert not run, f"clear all outputs before you commit {name}"


def test_every_page_is_in_the_contents():
    listed = set(re.findall(r"(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8")))
    kinds = {".md", ".ipynb", ".rst"}
    files = [path for path in tracked() if ROOT / "book" in path.parents and path.suffix in kinds]
    pages = {path.relative_to(ROOT).with_suffix("").as_posix() for path in files}
    assert pages == listed, f"add to or take out of _toc.yml: {sorted(pages ^ listed)}"


def test_others_work_is_taken_by_its_commit():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        used = re.findall(r"uses: *(\S+)", path.read_text("utf-8"))
        assert all(re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", each) for each in used), path.name


@pytest.mark.parametrize(
    ("name", "least"), [("README.md", 2), pytest.param("docs/using.md", 9, marks=pytest.mark.nightly)]
)
def test_its_code_runs(name, least):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), flags=re.S)
    assert len(blocks) >= least
    for block in blocks:
        exec(compile(block, name, "exec"), {})


def test_links_lead_to_files_and_their_headings():
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        for name, place in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", path.read_text("utf-8")):
            target = (path.parent / name) if name else path
            assert target.exists(), f"{path}: {name}"
            headings = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), flags=re.M) if place else [""]
            known = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
            assert place in known, f"{path}: {name}#{place}"
