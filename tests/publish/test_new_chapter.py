"""The skeleton of a chapter is whole, tidy, and red until it is filled in; each gap is named."""

import re
import shutil
from pathlib import Path

import pytest
from shared import ROOT, ran, refused

from explorable import settings
from explorable.outputs.new_chapter import Chapter, main, missing, write

IDEA = Chapter.named("mis/my-idea")


@pytest.fixture
def copy(tmp_path):
    """Give a copy of the files that all chapters share."""
    parts = settings.book().parts
    faces = [f"mipbook/{room}/__init__.py" for n in parts for room in (Chapter(n, "x").room, f"figures/{n}")]
    for name in ("_toc.yml", "_config.yml", "mipbook/results.csv", "pyproject.toml", *faces):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def finish(copy):
    """Fill in every TODO, in whatever way."""
    for path in (*IDEA.files, Path("mipbook/results.csv")):
        text = (copy / path).read_text(encoding="utf-8")
        (copy / path).write_text(text.replace("TODO", "Said:"), encoding="utf-8")


def test_each_gap_is_named_with_its_mend(copy):
    write(copy, IDEA, "My idea")
    finish(copy)
    for file, old, new, said in (
        ("_toc.yml", "- file: book/mis/my-idea\n", "\n", "add '- file: book/mis/my-idea' to _toc.yml"),
        ("page", ":label: limits-my-idea", ":label: other", "limits-my-idea is not stated: add"),
        ("page", 'with result("limits-my-idea"', 'with result("x"', "is not checked: add a cell"),
        ("page", "{exercise-start}", "{note}", "0 exercises: "),
        ("page", "{effort}`1, 5, compute`", "", "ex-my-idea-one does not say what it takes"),
        ("page", "-start} ex-my-idea-two", "-start} x", "exercise ex-my-idea-two has no solution"),
        ("page", "-start} ex-my-idea-two", "-start} x", "solution x belongs to no exercise"),
        ("page", ":label: ex-my-idea-two", ":label: ex-my-idea-one", "is there twice"),
        ("page", "ex-my-idea-one\n:class: dropdown", "ex-my-idea-one\n", "one lies open: add"),
        ("page", "assert mis.my_idea_value(0.0) == 0.0", "1", "two checks nothing: add a code"),
        ("page", "= Guess(", "= (", "no guess is taken: add"),
        ("page", "= Answer(", "= (", "no exercise is answered in the page: add"),
        ("page", "{set}`", "`", "no words move a panel: write"),
        ("page", ":::{chapter-head}", ":::{note}", "no head: add a block"),
        ("page", ":minutes: 15", ":minutes: some", "minutes = 'some': must be a whole number"),
        ("page", ":needs:", ":needs: mis/nothing", "needs = 'mis/nothing': must be a chapter"),
        ("page", ":goal: ", f":goal: {'long ' * 30}", "must be a sentence of at most 140"),
        ("page", "**Why.**", "word " * 2950, "words before the exercises, at most 3,000: move"),
        ("page", "**Why.**", "By Theorem 4.", "Theorem 4 is named without a link: write"),
        ("page", "**Why.**", "TODO", "book/mis/my-idea.md:59: TODO"),
    ):
        path = copy / (IDEA.page if file == "page" else file)
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        assert re.search(re.escape(said), "\n".join(missing(copy, IDEA)))
        path.write_text(text, encoding="utf-8")


def test_the_command_writes_once_and_then_names_what_is_missing(copy, monkeypatch, capsys):
    monkeypatch.chdir(copy)
    before = {path: path.read_text().splitlines() for path in copy.rglob("*") if path.is_file()}
    with pytest.raises(SystemExit, match="is not there: leave out --missing"):
        main(["mis/my-idea", "--missing"])
    main(["mis/my-idea"])
    assert capsys.readouterr().out.count("wrote ") == 7
    # Most of the package is not in the copy.
    ours = ["--config", 'lint.isort.known-first-party = ["explorable", "mipbook"]']
    for tidy in (["check", ".", *ours], ["format", "--check", "."]):
        done = ran("-m", "ruff", *tidy, "--no-cache")
        assert done.returncode == 0, done.stdout
    for path, old in before.items():
        assert [line for line in path.read_text().splitlines() if line in old] == old
    refused("mipbook/mis/my_idea.py is there already", write, copy, IDEA, "My idea")
    refused("^chapter = 'mis/My Idea': must be one of game, mip", Chapter.named, "mis/My Idea")
    with pytest.raises(SystemExit, match="1"):
        main(["--missing"])
    told = capsys.readouterr().out
    wanted = [f"{path.as_posix()}:" for path in IDEA.files]
    wanted += [f"limits-my-idea does not say its {key}" for key in ("kind", "number", "title")]
    assert not [each for each in ("mis/my-idea: missing\n", *wanted) if each not in told]
    finish(copy)
    with pytest.raises(SystemExit, match="0"):
        main(["--missing"])
    assert capsys.readouterr().out == "mis/my-idea: nothing is missing\n"
