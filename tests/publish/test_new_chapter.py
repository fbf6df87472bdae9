"""The skeleton of a chapter: whole, tidy, and red until it is filled in."""

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from shared import ROOT, ran, refused

from explorable import settings
from explorable.outputs.new_chapter import Chapter, main, missing, write

SHARED = ("_toc.yml", "_config.yml", "mipbook/results.csv")
NOTIONS = tuple(settings.book().parts)
NAMES = [f"{notion}/my-idea" for notion in NOTIONS]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Give a copy of the files that all chapters share."""
    rooms = [*(Chapter(n, "x").room for n in NOTIONS), *(f"figures/{n}" for n in NOTIONS)]
    faces = [f"mipbook/{room}/__init__.py" for room in rooms]
    for name in (*SHARED, *faces):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def finish(copy: Path, chapter: Chapter) -> None:
    """Fill in every TODO, in whatever way."""
    for path in (*chapter.files, Path("mipbook/results.csv")):
        text = (copy / path).read_text(encoding="utf-8")
        (copy / path).write_text(text.replace("TODO", "Said:"), encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_there_and_tidy(copy, name):
    chapter = Chapter.named(name)
    before = {p: p.read_text() for p in copy.rglob("*") if p.is_file()}
    written = write(copy, chapter, "My idea")
    assert len(written) == 7
    assert all((copy / path).is_file() for path in written)
    shutil.copy(ROOT / "pyproject.toml", copy)
    # Most of the package is not in the copy.
    ours = ["--config", 'lint.isort.known-first-party = ["explorable", "mipbook"]']
    for tidy in (["check", ".", *ours], ["format", "--check", "."]):
        done = ran("-m", "ruff", *tidy, "--no-cache", cwd=copy)
        assert done.returncode == 0, done.stdout
    # What stood in the shared files still stands there; one line of each kind came to it.
    for path, text in before.items():
        lines = path.read_text().splitlines()
        assert [line for line in lines if line in text.splitlines()] == text.splitlines()
        assert len(lines) - len(text.splitlines()) in (0, 1, 2)
    for package, end in ((chapter.files[0].parent, "value"), (chapter.files[1].parent, "curve")):
        face = (copy / package / "__init__.py").read_text()
        assert f"from {'.'.join(package.parts)}.my_idea import my_idea_{end}\n" in face


def loaded(path: Path) -> ModuleType:
    """Import a file that stands in no package."""
    spec = importlib.util.spec_from_file_location(f"written_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_imported_and_draws_once_the_maths_is_there(copy, name, monkeypatch):
    chapter = Chapter.named(name)
    write(copy, chapter, "My idea")
    maths, figure, _, _, test = (copy / path for path in chapter.files)
    value = loaded(maths).my_idea_value
    refused("epsilon = -1", value, -1.0)
    with pytest.raises(NotImplementedError, match="TODO the formula"):
        value(1.0)
    room = importlib.import_module(f"mipbook.{chapter.room}")
    monkeypatch.setattr(room, "my_idea_value", lambda epsilon: epsilon / 4, raising=False)
    curve = loaded(figure).my_idea_curve
    assert [trace.name for trace in curve(1.0).data] == ["the value (exact)", "at your epsilon"]
    pictures = importlib.import_module(f"mipbook.figures.{chapter.notion}")
    monkeypatch.setattr(pictures, "my_idea_curve", curve, raising=False)
    loaded(test).test_the_curve_is_the_function()


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("_toc.yml", "- file: book/mis/my-idea\n", "\n", "add '- file: book/mis/my-idea' to _toc.yml"),
        ("page", ":label: limits-my-idea", ":label: other", "limits-my-idea is not stated: add"),
        ("page", 'with result("limits-my-idea"', 'with result("x"', "is not checked: add a cell"),
        ("page", "{exercise-start}", "{note}", "0 exercises: "),
        ("page", "{effort}`1, 5, compute`", "", "ex-my-idea-one does not say what it takes"),
        ("page", "`1, 5, compute`", "`1, 5, sums`", "an exercise: effort = '1, 5, sums'"),
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
    ],
)
def test_each_gap_is_named_with_its_mend(copy, file, old, new, said):
    chapter = Chapter.named("mis/my-idea")
    write(copy, chapter, "My idea")
    finish(copy, chapter)
    path = copy / (chapter.page if file == "page" else file)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert re.search(re.escape(said), "\n".join(missing(copy, chapter)))


def test_a_page_for_the_record_needs_a_way_back_and_no_exercises(copy):
    chapter = Chapter.named("mis/my-idea")
    write(copy, chapter, "My idea")
    finish(copy, chapter)
    record = Chapter.named("mis/my-idea-record")
    (copy / record.page).write_text("# For the record\n", encoding="utf-8")
    said = "\n".join(missing(copy, record))
    assert "exercises" not in said
    assert "head" not in said
    assert "add '- file: book/mis/my-idea-record' to _toc.yml" in said
    assert "no chapter leads here: write [on record](my-idea-record.md)" in said
    page = copy / chapter.page
    page.write_text(page.read_text() + "\n[On record](my-idea-record.md).\n", encoding="utf-8")
    contents = (copy / "_toc.yml").read_text(encoding="utf-8")
    own = "- file: book/mis/my-idea\n"
    contents = contents.replace(own, f"{own}        sections:\n          {own[:-1]}-record\n")
    (copy / "_toc.yml").write_text(contents, encoding="utf-8")
    assert missing(copy, record) == ["no link leads back: write [...](my-idea.md) in the first line"]
    (copy / record.page).write_text("# Record\n\nOf [it](my-idea.md).\n", encoding="utf-8")
    assert missing(copy, record) == []


def test_the_command_writes_once_and_then_names_what_is_missing(copy, monkeypatch, capsys):
    monkeypatch.chdir(copy)
    chapter = Chapter.named("mis/my-idea")
    with pytest.raises(SystemExit, match="is not there: leave out --missing"):
        main(["mis/my-idea", "--missing"])
    main(["mis/my-idea"])
    assert capsys.readouterr().out.count("wrote ") == 7
    refused("mipbook/mis/my_idea.py is there already", write, copy, chapter, "My idea")
    refused("^chapter = 'mis/My Idea': must be one of game, mip", Chapter.named, "mis/My Idea")
    with pytest.raises(SystemExit) as ended:
        main(["--missing"])
    told = capsys.readouterr().out
    assert ended.value.code == 1
    assert "mis/my-idea: missing\n  mipbook/mis/my_idea.py:1: " in told
    wanted = [f"{path.as_posix()}:" for path in chapter.files]
    wanted += [f"limits-my-idea does not say its {key}" for key in ("kind", "number", "title")]
    assert not [each for each in wanted if each not in told]
    finish(copy, chapter)
    with pytest.raises(SystemExit) as ended:
        main(["--missing"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == "mis/my-idea: nothing is missing\n"
