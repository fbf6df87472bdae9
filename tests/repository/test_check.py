"""`make check` chooses what a change concerns, the nearest first, and says what it leaves."""

import subprocess
from pathlib import Path

import check
import chosen
import concerned
import pytest

pytestmark = pytest.mark.nightly


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=one", "-c", "user.email=one@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_what_differs_from_the_last_commit_is_found(tmp_path):
    for name in ("same.py", "edited one.py", "gone.py", "staged.py"):
        (tmp_path / name).write_text("1")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    assert concerned.changed(tmp_path) == []
    (tmp_path / "edited one.py").write_text("2")
    (tmp_path / "staged.py").write_text("2")
    git(tmp_path, "add", "staged.py")
    (tmp_path / "gone.py").unlink()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "new.py").write_text("1")
    found = ["edited one.py", "folder/new.py", "gone.py", "staged.py"]
    assert concerned.changed(tmp_path) == found


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


def test_a_page_that_changed_is_nearer_than_one_that_loads_the_change():
    changes = ["mipbook/figures/mip/definition.py", "book/pmp/gaussian.md"]
    assert concerned.pages(changes) == {
        "book/pmp/gaussian": 0,
        "book/mip/definition": 1,
        "book/mip/definition-record": 1,
    }


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


def test_what_needs_a_failed_step_is_not_tried_and_the_check_fails(ran, monkeypatch):
    broken, after = check.Step("broken", ()), check.Step("after", ())
    assert check.in_turn([broken, after], [broken, after]) == [broken, after, broken]
    assert ran == ["broken", "after", "broken"]
    monkeypatch.setattr(concerned, "changed", list)
    monkeypatch.setattr(check, "style", lambda changes: [broken])
    with pytest.raises(SystemExit, match="not ready to be committed"):
        check.main()
