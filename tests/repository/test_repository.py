"""Nothing of one machine is tracked; what is imported is asked for, and pins are complete and agree."""

import ast
import json
import re
import sys
import tomllib
from importlib import metadata
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from shared import ROOT, pins, tracked

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


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OLDEST = ("3.11", "3.11.2")  # what is promised, and Debian 12's own Python
OURS = sys.stdlib_module_names | {"explorable", "mipbook", "studies"}
EXTRAS = PROJECT["optional-dependencies"]
# Only these rooms may ask for an extra as soon as they are loaded.
ENGINE = ("figures", "book", "apps", "lite", "pdf", "serve")
NEED_EXTRAS = {
    "mipbook/figures": ("figures",),
    "mipbook/commands/pictures.py": ("figures",),
    "explorable/panels/first": ENGINE,
    "explorable/panels": ("figures",),
    **{f"explorable/{room}": ENGINE for room in ("checks", "node", "outputs", "serve", "sphinx")},
    "studies": tuple(EXTRAS),
}


def test_every_requirement_is_pinned_agrees_and_lies_in_the_package_ranges():
    direct, all_pins = pins("requirements.txt"), pins("constraints.txt")
    for pin in chain(direct.values(), all_pins.values()):
        assert re.fullmatch(r"==[^*,]+", str(pin.specifier)), f"{pin} is not one version"
        assert pin.marker is None, f"{pin} would go unchecked on other machines"
    assert len(direct) > 15
    assert direct.items() <= all_pins.items()
    for wanted in map(Requirement, chain(PROJECT["dependencies"], *EXTRAS.values())):
        if wanted.name != PROJECT["name"]:  # else an extra that builds on another
            (pin,) = direct[canonicalize_name(wanted.name)].specifier
            assert wanted.specifier.contains(pin.version), wanted


def test_what_is_installed_from_names_every_file_by_its_digest():
    known = {name: pin.specifier for name, pin in pins("constraints.txt").items()}
    for name in ("requirements.lock", "binder/requirements.txt", "deploy/requirements.txt", "deploy/uv.txt"):
        text = (ROOT / name).read_text(encoding="utf-8").replace(" \\\n", " ")
        for pin, *digests in map(str.split, text.splitlines()[1:]):
            assert digests, f"{pin} has no digest"
            assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", x) for x in digests), pin
        found = {each: pin.specifier for each, pin in pins(name).items()}
        assert all(found[each] == known[each] for each in found.keys() & known.keys()), name
        assert name != "requirements.lock" or found == known, "make it again: python tools/lock.py"


def test_every_pin_is_installed_and_installs_on_the_oldest_python():
    assert PROJECT["requires-python"] == f">={OLDEST[0]}"
    all_pins = pins("constraints.txt")
    there = {canonicalize_name(found.name): found for found in metadata.distributions()}
    assert len(all_pins) > 150
    # Elsewhere a marker leaves some out, as pexpect on Windows.
    assert (sys.platform, sys.version_info[:2]) != ("linux", (3, 11)) or all_pins.keys() <= there.keys()
    for name in all_pins.keys() & there.keys():
        assert all_pins[name].specifier.contains(there[name].version), name
        asked = SpecifierSet(there[name].metadata.get("Requires-Python", ""))
        assert all(map(asked.contains, OLDEST)), name


def imported(path):
    """What a file imports from elsewhere, and whether it does so as soon as it is loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
        for top in {module.partition(".")[0] for module in modules} - OURS:
            yield top, node in tree.body


def test_every_import_is_asked_for():
    extra = {name: {canonicalize_name(Requirement(x).name) for x in texts} for name, texts in EXTRAS.items()}
    always = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    distributions = metadata.packages_distributions()
    for path in chain(*((ROOT / top).rglob("*.py") for top in ("explorable", "mipbook", "studies"))):
        place = path.relative_to(ROOT).as_posix()
        # What runs in an environment of its own has its pins beside it.
        own = path.with_name(path.stem.removeprefix("ask_") + ".txt")
        elsewhere = set(pins(str(own)) if own.is_file() else ())
        for module, at_once in imported(path):
            asked = {canonicalize_name(name) for name in distributions.get(module, [module])}
            asked |= {canonicalize_name(module)} if elsewhere else set()
            needs = next((told for start, told in NEED_EXTRAS.items() if place.startswith(start)), ())
            ranges = always.union(elsewhere, *(extra[name] for name in (needs if at_once else extra)))
            assert asked & ranges, f"{path}: ask for {module} in pyproject.toml, where this room may"
