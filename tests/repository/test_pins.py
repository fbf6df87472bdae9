"""The pins: complete, in agreement, and no newer than the oldest Python that is promised."""

import re
import sys
import tomllib
from importlib import metadata
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from shared import ROOT, pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEBIAN = "3.11.2"  # Debian 12's own Python, the oldest one that is tried


def oldest(requires: str) -> str:
    """The lowest version that a ``requires-python`` lets in."""
    (version,) = re.findall(r">=\s*([\d.]+)", requires)
    return version


def asked(pin: Requirement) -> str:
    """What the pinned distribution itself says of Python; it must be installed to be asked."""
    try:
        found = metadata.distribution(pin.name)
    except metadata.PackageNotFoundError:
        # There every pin is installed; elsewhere a marker may leave one out, as pexpect on Windows.
        if (sys.platform, sys.version_info[:2]) == ("linux", (3, 11)):
            raise
        return ""
    assert pin.specifier.contains(found.version), f"{pin} is pinned, {found.version} installed"
    return found.metadata.get("Requires-Python", "")


def test_every_requirement_is_pinned_and_agrees():
    direct, all_pins = pins("requirements.txt"), pins("constraints.txt")
    for pin in chain(direct.values(), all_pins.values()):
        assert re.fullmatch(r"==[^*,]+", str(pin.specifier)), f"{pin} is not one version"
        # What a marker leaves out on this machine would go unchecked below.
        assert pin.marker is None, f"{pin} is not for every machine"
    assert len(direct) > 15
    assert direct.items() <= all_pins.items()


def test_what_is_installed_from_names_every_file_by_its_digest():
    known = {name: pin.specifier for name, pin in pins("constraints.txt").items()}
    for name in ("requirements.lock", "binder/requirements.txt", "deploy/requirements.txt", "deploy/uv.txt"):
        text = (ROOT / name).read_text(encoding="utf-8").replace(" \\\n", " ")
        for pin, *digests in map(str.split, text.splitlines()[1:]):
            assert digests, f"{pin} has no digest"
            assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", x) for x in digests), pin
        found = {each: pin.specifier for each, pin in pins(name).items()}
        assert not {each for each in found.keys() & known.keys() if found[each] != known[each]}, name
        assert name != "requirements.lock" or found == known, "make it again: python tools/lock.py"


def test_pins_lie_in_the_package_ranges():
    ranges = [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]
    direct = pins("requirements.txt")
    for text in ranges:
        requirement = Requirement(text)
        if requirement.name == PROJECT["name"]:  # an extra that builds on another
            continue
        (pin,) = direct[canonicalize_name(requirement.name)].specifier
        assert requirement.specifier.contains(pin.version), text


@pytest.mark.parametrize("python", [oldest(PROJECT["requires-python"]), DEBIAN])
def test_every_pin_installs_on_the_oldest_python(python):
    wanted = [*pins("requirements.txt").values(), *pins("constraints.txt").values()]
    assert len(wanted) > 150
    assert not [pin for pin in wanted if not SpecifierSet(asked(pin)).contains(python)]
