"""`make check` chooses what a change concerns, the nearest first."""

import check
import chosen
import concerned
import pytest

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize(
    ("change", "near", "out"),
    [
        ("mipbook/mip/conversion.py", "tests/mip/test_mip_conversion.py", "tests/explore/"),
        ("mipbook/figures/mip/definition.py", "tests/figures/mip/", "tests/pmp/"),
        ("explorable/validate.py", "tests/base/test_checked.py", "tests/js/"),
        (
            "mipbook/stored/arrays/table1.npz",
            "tests/figures/mis/test_figures_mis_mnist.py",
            "tests/tradeoff/",
        ),
        ("mipbook/stored/gone.py", "tests/repository/test_fuzz.py", "tests/tradeoff/"),
        ("tests/shared.py", "tests/repository/test_check.py", "tests/js/"),
        ("tests/data/mip_reference.json", "tests/repository/test_repository.py", "tests/pmp/"),
        ("requirements.txt", "tests/repository/test_pins.py", "tests/mip/"),
        ("book/mip/noise.md", "tests/book/test_chapters.py", "tests/mip/"),
        ("tools/setup.py", "tests/repository/test_setup.py", "tests/mip/"),
    ],
)
def test_tests_that_reach_a_change_are_found_and_no_others(change, near, out):
    found = concerned.tests([change])
    nearest = [name for name, far in found.items() if far <= 1]
    assert any(name.startswith(near) for name in nearest), found
    assert not any(name.startswith(out) for name in found), found
    assert list(found.values()) == sorted(found.values())


@pytest.fixture
def ran(monkeypatch) -> list[str]:
    """The names of the steps in the place of running them; a step named ``broken`` fails."""
    names: list[str] = []

    def run(step: check.Step) -> bool:
        names.append(step.name)
        step.failed = step.name == "broken"
        return not step.failed

    monkeypatch.setattr(check.Step, "run", run)
    monkeypatch.setenv(chosen.CHOICE, "")
    return names


def test_without_a_change_only_style_and_types_are_asked(ran, monkeypatch, capsys):
    monkeypatch.setattr(concerned, "changed", list)
    check.main()
    assert ran == ["style", "format", "prose", "sources", "parameters", "import rules", "types"]
    assert capsys.readouterr().out.startswith("0 files differ from the last commit\n")
