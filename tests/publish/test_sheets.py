"""Chapters and sheets to take away: every exercise, no solution for students, all that cells need; graded."""

import builtins
import doctest
import re
from functools import cache

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient
from shared import ROOT, refused

from explorable.outputs import sheets
from explorable.outputs.exercises import Effort, polls_of, read_exercises
from explorable.outputs.sheets import bound, questions, right_copy, sheet, student_copy, used
from explorable.progress import STATIC_FACE
from explorable.settings import variable
from explorable.sphinx import notebooks
from explorable.sphinx.notebooks import notebook, plain
from explorable.sphinx.words import chapter_heads

READ = cache(jupytext.reads)
TEXTS = {
    path.relative_to(ROOT).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "book").glob("*/*.md"))
}
TAKEN = [page for page in TEXTS if notebooks.taken_away(page)]
EXERCISES = read_exercises(ROOT)
PAGES = list(dict.fromkeys(one.page for one in EXERCISES))
FENCE = re.compile(r"^[> ]*(?:`{3,}|:{3,})\{.*|\{[\w:-]+\}`", flags=re.M)


@pytest.fixture(autouse=True)
def read_once(monkeypatch):
    """Every copy of a chapter is made of the same cells, which take long to read."""
    monkeypatch.setattr(jupytext, "reads", READ)


def code(made):
    return [cell.source for cell in made.cells if cell.cell_type == "code"]


def words(made):
    return "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")


def solutions(page):
    return re.findall(r"\{solution-start\}(.*?)\{solution-end\}", TEXTS[page], flags=re.S)


@pytest.mark.parametrize("page", TAKEN)
def test_a_chapter_is_a_valid_notebook_that_reads_well_anywhere_without_solutions_for_students(page):
    text = TEXTS[page]
    full, student = notebook(text, page), notebook(text, page, student=True)
    nbformat.validate(full)
    assert not FENCE.findall(words(full)), "a block or role that plain Markdown does not know"
    assert len(code(full)) == text.count("```{code-cell}")
    assert not any(cell.get("outputs") for cell in full.cells)
    assert words(full).count("### Exercise") == text.count("{exercise-start}")
    assert words(full).count("**Solution.**") == text.count("{solution-start}")
    # No cell for students needs one that was left out.
    kept = set(code(student))
    left_out = set().union(*(bound(cell) for cell in code(full) if cell not in kept))
    here = set().union(*(bound(cell) for cell in kept))
    assert not [cell for cell in kept if used(cell) & (left_out - here)]
    if not page.endswith("-record"):
        nbformat.validate(student)
        told = words(student)
        assert told.count("### Exercise") == text.count("{exercise-start}") >= 2
        assert "**Solution.**" not in told
        assert code(student).count("# Your work:\n") == told.count("### Exercise")
        assert "Answer(" not in "".join(code(student))
        lines = [line for solution in solutions(page) for line in solution.splitlines() if len(line) > 40]
        assert not [line for line in lines if line in told]


def test_a_launch_button_opens_the_notebook_and_that_of_an_app_stays():
    for page, source, opened in (
        ("book/mip/noise", "book/mip/noise.md", "_build/html/notebooks/mip/noise.ipynb"),
        ("book/apps/attack", "book/apps/attack.ipynb", "book/apps/attack.ipynb"),
    ):
        menu = {"label": "launch-buttons", "buttons": [{"url": f"https://x.org/lab/tree/{source}"}]}
        notebooks.offer(None, page, "", {"header_buttons": [menu]}, None)
        assert [button["url"] for button in menu["buttons"]] == [f"https://x.org/lab/tree/{opened}"]


def test_blocks_become_quotations_and_roles_words():
    text = """(mark)=
:::{prf:theorem} DP gives MIP
:label: mip-thm-4
It does, by {prf:ref}`mip-thm-5`.
:::
::::{veiled}
:::{admonition} Guess
:class: tip
See {doc}`the noise <noise>` and [there](../pmp/x.md#part), not [that](https://a.org/b.md).
:::
::::"""
    assert plain(text, "book/mip/noise") == (
        "> **Theorem 4 (DP gives MIP).**\n>\n> It does, by Theorem 5.\n"
        "> **Guess**\n>\n"
        "> See [the noise](noise.ipynb) and [there](../pmp/x.ipynb), not [that](https://a.org/b.md)."
    )


def test_a_taken_notebook_runs_to_its_end(tmp_path, monkeypatch):
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    page = "book/pmp/choose-epsilon"
    found = notebook(TEXTS[page], page, student=True)
    NotebookClient(found, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [out for cell in found.cells for out in cell.get("outputs", ())]
    panels = sum("application/vnd.jupyter.widget-view+json" in out.get("data", ()) for out in outputs)
    assert panels >= TEXTS[page].count("Explorable(")


# --- Sheets: the exercises of chapters, with what they need, and with or without solutions -----------


@pytest.mark.parametrize("page", PAGES)
def test_a_sheet_has_every_exercise_and_all_that_its_cells_need(page):
    own = [one for one in EXERCISES if one.page == page]
    assert len(own) == TEXTS[page].count("{exercise-start}")
    checks = set(re.findall(r"^ *(assert .*)$", "\n".join(solutions(page)), flags=re.M))
    for solved in (False, True):
        made = sheet(TEXTS[page], page, solutions=solved)
        nbformat.validate(made)
        told = words(made)
        assert told.count("### Exercise: ") == len(own)
        assert told.count("**Solution.**") == (len(own) if solved else 0)
        assert all(told.count(f"*{one.effort}*") for one in own)
        assert set().union(*map(used, code(made))) <= set(dir(builtins)).union(*map(bound, code(made)))
        assert "Explorable(" not in "".join(code(made))
        assert code(made).count("# Your work:\n") == (0 if solved else len(own))
        assert solved or "Answer(" not in "".join(code(made))
        assert {line for line in checks if line in "\n".join(code(made))} == (checks if solved else set())
    # A box that an exercise names stands before them.
    asked = TEXTS[page].partition("## Exercises")[2]
    for solution in solutions(page):
        asked = asked.replace(solution, "")
    told = sheets.chapters(ROOT, [page])[page].partition("## Exercises")[2].partition("{exercise-start}")[0]
    for label in re.findall(r"\{prf:ref\}`(?:[^`<]*<)?([\w-]+)>?`", asked):
        assert f":label: {label}\n" in told


def test_commands_write_both_or_what_a_grader_reads_and_name_the_unknown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    given = ["mip/noise", "--out", str(tmp_path)]
    sheets.main(given)
    made = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.ipynb"))
    assert made == ["mip/noise-exercises.ipynb", "mip/noise-solutions.ipynb"]
    assert len(capsys.readouterr().out.split()) == 2
    refused(r"pages = 'mip/nothing'", sheets.make, ROOT, ["mip/nothing"], tmp_path)
    refused("must be a chapter with a part '## Exercises'", sheet, "# A page\n", "book/teach/index")
    sheets.graded(given)
    folder = tmp_path / "mip/noise"
    assert sorted(p.name for p in folder.iterdir()) == ["noise.ipynb", "right.ipynb", "tests"]
    for path in (folder / "tests").iterdir():
        names = {}
        exec(path.read_text(encoding="utf-8"), names)
        assert names["OK_FORMAT"] is True
        assert names["test"]["name"] == path.stem


# --- What the book says of its parts: each exercise, each guess, the core of the front page ---------


def test_what_is_no_effort_is_refused_with_what_is_allowed():
    for text in ("", "4, 10, break", "1, 0, break", "1, 100, break", "1, 10, guess", "1, 10, break, hard"):
        refused("^effort = .*must be a level of 1 to 3, minutes", Effort.of, text)


def test_the_list_of_polls_names_every_guess_that_a_page_takes_but_the_drawn_ones():
    for page, text in TEXTS.items():
        found = dict(polls_of(text))
        assert len(found) == len(re.findall(r"(?<!Drawn)\bGuess\((?!\))", text)), page
        assert "Your guess" not in found.values(), page
        assert all(name == "guess" or f'name="{name}"' in text for name in found)


def test_the_core_is_known_needs_nothing_optional_and_takes_as_long_as_is_said():
    home = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    core, heads = re.search(r":core: (.*)", home)[1].split(", "), chapter_heads(ROOT)
    assert all(set(heads[name].needs) <= set(core) for name in core)
    assert "to the seventh in less than two hours" in home
    assert len(core) == 7
    assert 90 <= sum(heads[name].minutes for name in core) < 120


# --- Graded notebooks: a right copy gets all points, a wrong one loses its own --------------------


def passes(test, names):
    """Whether a test of otter's format passes, as its grader runs it: by doctest."""
    said = []
    for case in (case for suite in test["suites"] for case in suite["cases"]):
        parsed = doctest.DocTestParser().get_doctest(case["code"], dict(names), test["name"], None, None)
        assert parsed.examples, "a test without an example passes whatever the student says"
        doctest.DocTestRunner().run(parsed, out=said.append)
    return not said


@pytest.mark.parametrize("page", PAGES)
def test_every_answer_of_a_page_is_graded_and_students_are_told_no_truth(page):
    asked = questions(TEXTS[page], page)
    assert len(asked) == TEXTS[page].partition("\n## Exercises")[2].count("= Answer(")
    assert len({q.name for q in asked}) == len(asked)
    student = "\n".join(code(student_copy(TEXTS[page], page)))
    right = "\n".join(cell.source for cell in right_copy(TEXTS[page], page).cells)
    assert "Answer(" not in student
    for question in asked:
        assert student.count(f"{question.value} = ...  # {question.label}\n") == 1
        assert question.points in (1, 2, 3)
        assert f"{question.value} := " in right
        assert f"{question.name}.accepts" not in student


# Chapters that are quick to run.
@pytest.mark.parametrize("name", ["game/membership-game", "mip/dp-and-mip", "together/implications"])
def test_a_right_copy_gets_all_points_and_a_wrong_one_loses_its_own(name, monkeypatch):
    monkeypatch.setenv(variable(STATIC_FACE), "static")
    page, names = f"book/{name}", {}
    for cell in code(right_copy(TEXTS[page], page)):
        exec(compile(cell, "cell", "exec"), names)
    tests = {q.value: q.test for q in questions(TEXTS[page], page)}
    assert [name for name, test in tests.items() if not passes(test, names)] == []
    for wrong in tests:
        said = names[wrong]
        number, word = isinstance(said, int | float), isinstance(said, str)
        other = 3 * said + 7 if number else "no choice" if word else ...
        lost = [name for name, test in tests.items() if not passes(test, {**names, wrong: other})]
        assert lost == [wrong]
