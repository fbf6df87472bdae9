"""What a change concerns of what is else left for the night: its pages, and the tests of its modules."""

import subprocess
from functools import cache

from shared import ROOT

# Of tests of each page, or each function, only those of the changed ones are tried by day.
ONE_EACH = ("tests/browser/", "tests/book/", "tests/stored/", "tests/repository/test_fuzz.py")
# What a folder of tests starts as a program, which no import tells.
STARTED = {
    "serving": "explorable/serve/",
    "publish": ("explorable/sphinx/", "explorable/outputs/", "explorable/__main__"),
}
# Pages that are tried in every way: each may take a minute.
MOST = 2


def git(*words: str) -> str:
    """Return what git says, nothing where it cannot."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def files() -> list[str]:
    """Return the files that differ from where this work began, those that differ most first."""
    base = git("merge-base", "origin/main", "HEAD") or git("merge-base", "main", "HEAD")
    # On the branch itself, or where it is not at hand, what the last commit brought or merged.
    if base in ("", git("rev-parse", "HEAD")):
        base = git("rev-parse", "HEAD^")
    lines = git("diff", "--numstat", "--no-renames", base).splitlines() if base else []
    rows = [line.split("\t") for line in lines if line[0] != "-"]
    return [file for _, file in sorted((-int(new) - int(old), file) for new, old, file in rows)]


@cache
def found() -> dict[str, list[str]]:
    """Return the pages that differ most, then those of changed figures; files of tests; public names."""
    if not (changes := files()):
        return {"pages": [], "tests": [], "functions": []}
    import concerned  # which loads the book

    pages = [f.rpartition(".")[0] for f in changes if f[:5] == "book/" and f.endswith((".md", ".ipynb"))]
    near = concerned.pages(file for file in changes if file.startswith("mipbook/figures/"))
    pages += [page for page, far in near.items() if far <= 1]
    named = [word for word in concerned.words(changes, None) if word.isidentifier()]
    return {"pages": list(dict.fromkeys(pages))[:MOST], "tests": near_tests(changes), "functions": named}


def near_tests(changes: list[str]) -> list[str]:
    """Return the files with tests for the night that are new, or at most one step from a change."""
    import concerned

    ours = [change for change in changes if not change.startswith(("tests/", "book/"))]
    left = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        name = test.relative_to(ROOT).as_posix()
        if name.startswith(ONE_EACH) or "mark.nightly" not in test.read_text(encoding="utf-8"):
            continue
        far = [concerned.distance(change, test) for change in ours]
        room = STARTED.get(test.parent.name, ())
        if name in changes or any(c.startswith(room) for c in ours) or any(d in (0, 1) for d in far):
            left.append(name)
    return left
