"""The list of packages that a browser reads: which file each is, what it needs, its checksum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from explorable.outputs.lite.packages import COMPILED, EXTRAS, Wheel, entry

__all__ = ["OWN", "distributed", "lock"]

OWN = "mipbook"


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
        extras = EXTRAS if wheel.name == OWN else ()
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
