"""The pins: complete, in agreement, and no newer than the oldest Python that is promised."""

import re
import sys
import tomllib
from collections.abc import Callable, Iterable
from importlib import metadata
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from shared import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEBIAN = "3.11.2"  # Debian 12's own Python, the oldest one that is tried
TRIED = ("3.11", "3.12", "3.13")


def pins(name: str) -> dict[str, Requirement]:
    """Every requirement of a file, by its name; a line that is no requirement is an error."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [Requirement(x) for x in lines if x and not x.startswith(("#", "-c ", "-e "))]
    return {requirement.name.lower().replace("_", "-"): requirement for requirement in found}


def oldest(requires: str) -> str:
    """The lowest version that a ``requires-python`` lets in."""
    (version,) = re.findall(r">=\s*([\d.]+)", requires)
    return version


def excused(name: str) -> bool:
    """Whether a pin need not be installed, as pexpect on Windows, overrides from 3.12 on.

    Those who ask for it must say so. On Linux with the oldest Python every pin is installed.
    """
    if (sys.platform, sys.version_info[:2]) == ("linux", (3, 11)):
        return False
    needs = [Requirement(x) for found in metadata.distributions() for x in found.requires or ()]
    markers = [x.marker for x in needs if canonicalize_name(x.name) == canonicalize_name(name)]
    here = [marker is None or marker.evaluate({"extra": ""}) for marker in markers]
    return bool(here) and not any(here)


def asked(pin: Requirement) -> str:
    """What the pinned distribution itself says of Python; it must be installed to be asked."""
    try:
        found = metadata.distribution(pin.name)
    except metadata.PackageNotFoundError:
        if not excused(pin.name):
            raise
        return ""
    assert pin.specifier.contains(found.version), f"{pin} is pinned, {found.version} installed"
    return found.metadata.get("Requires-Python", "")


def too_new(wanted: Iterable[Requirement], python: str, asks: Callable[[Requirement], str]) -> list[str]:
    """The pins that this Python could not install."""
    return [
        f"{pin} needs Python {asks(pin)}" for pin in wanted if not SpecifierSet(asks(pin)).contains(python)
    ]


def test_every_requirement_is_pinned_and_agrees():
    direct, all_pins = pins("requirements.txt"), pins("constraints.txt")
    for pin in chain(direct.values(), all_pins.values()):
        assert re.fullmatch(r"==[^*,]+", str(pin.specifier)), f"{pin} is not one version"
        # What a marker leaves out on this machine would go unchecked below.
        assert pin.marker is None, f"{pin} is not for every machine"
    assert len(direct) > 15
    assert direct.items() <= all_pins.items()


@pytest.mark.parametrize(
    "name", ["requirements.lock", "binder/requirements.txt", "deploy/requirements.txt", "deploy/uv.txt"]
)
def test_what_is_installed_from_names_every_file_by_its_digest(name):
    text = (ROOT / name).read_text(encoding="utf-8").replace(" \\\n", " ")
    found, known = {}, pins("constraints.txt")
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        pin, *digests = line.split()
        assert digests, f"{pin} has no digest"
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", x) for x in digests), pin
        requirement = Requirement(pin)
        found[canonicalize_name(requirement.name)] = requirement.specifier
    same = {canonicalize_name(k): v.specifier for k, v in known.items()}
    assert {k: v for k, v in found.items() if k in same}.items() <= same.items()
    if name == "requirements.lock":
        assert found == same, "make it again: python tools/lock.py"


def test_pins_lie_in_the_package_ranges():
    ranges = [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]
    direct = pins("requirements.txt")
    for text in ranges:
        requirement = Requirement(text)
        if requirement.name == PROJECT["name"]:  # an extra that builds on another
            continue
        (pin,) = direct[requirement.name].specifier
        assert requirement.specifier.contains(pin.version), text


@pytest.mark.parametrize("python", [oldest(PROJECT["requires-python"]), DEBIAN])
def test_every_pin_installs_on_the_oldest_python(python):
    wanted = [*pins("requirements.txt").values(), *pins("constraints.txt").values()]
    assert len(wanted) > 150
    assert not too_new(wanted, python, asked)


def test_a_pin_that_is_too_new_or_not_installed_is_found():
    planted = Requirement("soupsieve==4.1.1")
    for asks in (">=3.11.5", ">=3.12", "<3.11", ">=3.10", ""):
        found = too_new([planted], DEBIAN, lambda pin, asks=asks: asks)
        assert bool(found) == (asks not in (">=3.10", ""))
    with pytest.raises(metadata.PackageNotFoundError):
        too_new([Requirement("no-such-package==1.0")], DEBIAN, asked)
    with pytest.raises(AssertionError, match="is pinned"):
        too_new([Requirement("packaging==0.1")], DEBIAN, asked)


def test_only_what_nobody_asks_for_here_is_excused(monkeypatch):
    class Asks:
        requires = ("a; python_version < '3'", "b; python_version < '3'", "b", "c; extra == 'd'")

    monkeypatch.setattr(metadata, "distributions", lambda: [Asks])
    monkeypatch.setattr(sys, "platform", "win32")
    assert [name for name in "abcd" if excused(name)] == ["a", "c"]
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys, "version_info", (3, 11, 2))
    assert not excused("a")


def test_one_minimum_python_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    minimum = oldest(PROJECT["requires-python"])
    assert minimum == TRIED[0] == "3.11"
    assert project["tool"]["ruff"]["target-version"] == f"py{minimum.replace('.', '')}"
    assert (ROOT / "binder" / "runtime.txt").read_text().strip() == f"python-{minimum}"
    for name in ("README.md", "Makefile", "book/reference/how-it-is-built.md"):
        said = re.findall(r"Python (3[\d.]*\d) or newer", (ROOT / name).read_text("utf-8"))
        assert set(said) == {minimum}, name
    for name in ("tools/setup.py", ".ci/run"):
        said = re.findall(r"\(3, (\d+)\)", (ROOT / name).read_text("utf-8"))
        assert {f"3.{minor}" for minor in said} == {minimum}, name
    listed = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if ":: Python :: 3." in c]
    assert tuple(listed) == TRIED
