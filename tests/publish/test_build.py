"""What a build leaves as it stands, and that no page of one that failed passes for the book."""

import pytest

from explorable.sphinx import build

PAGE = """---
kernelspec: {name: python3}
---
# One

Some words about $n$,
and {term}`pool`.

Setext
------

:::{note}
More words.
:::

(label)=
- an item
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Give a book whose builder notes what it builds, and fails if the file ``code`` says so."""
    for name in ("_config.yml", "_toc.yml", "constraints.txt", "book/one.md", "mipbook/one.npz", "built"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("0" if name != "book/one.md" else PAGE, encoding="utf-8")

    def note(what):
        with (tmp_path / "built").open("a") as file:
            file.write(what)

    def whole(root, tell):
        note("whole")
        (root / "_build" / "html").mkdir(parents=True)
        (root / "_build" / "html" / "index.html").touch()
        if (root / "meanwhile").exists():
            (root / "book" / "two.md").write_text("# Two\n")
        if (root / "code").exists():
            raise RuntimeError("the book was not built")

    monkeypatch.setattr(build, "_build_whole", whole)
    monkeypatch.setattr(build, "build_pages", lambda root, names: note(" ".join(names)) or [])
    return tmp_path


def built(root):
    """Build, and return what was built."""
    (root / "built").write_text("")
    assert build.build(root).is_file()
    return (root / "built").read_text()


def test_a_whole_build_is_current_and_made_once_and_a_failed_one_is_not_even_after_it(root):
    assert not build.is_current(root)
    assert built(root) == "whole"
    assert build.is_current(root)
    assert built(root) == ""
    (root / "code").touch()
    (root / "_toc.yml").write_text("1")
    with pytest.raises(RuntimeError, match="was not built"):
        build.build(root)
    assert (root / "_build" / "html" / "index.html").is_file()
    assert not build.is_current(root)


def test_every_source_counts_and_what_runs_leave_does_not(root, monkeypatch):
    assert built(root)
    for folder in ("mipbook/__pycache__", "book/.ipynb_checkpoints"):
        (root / folder).mkdir()
        (root / folder / "new").touch()
    assert build.is_current(root)
    monkeypatch.setenv("MIPBOOK_REPOSITORY_URL", "https://github.com/a/b")
    assert built(root) == "whole"
    for name in ("book/one.md", "book/new.md", "mipbook/one.npz", "_toc.yml", "constraints.txt"):
        (root / name).write_text("1", encoding="utf-8")
        assert not build.is_current(root), name
        assert built(root) == "whole"
    (root / "meanwhile").touch()
    (root / "_toc.yml").write_text("2", encoding="utf-8")
    assert built(root) == "whole"
    assert not build.is_current(root), "edited during the build"


def test_plain_words_alone_take_the_page_alone(root):
    assert built(root) == "whole"
    for old, new, alone in (
        ("Some words", "Other words, and more of them,", True),
        ("Some words about $n$,\nand", "Words about $n$ and", True),
        ("$n$", "$m$", False),
        ("{term}`pool`", "{term}`noise`", False),
        ("words about", "words [about](two.md)", False),
        ("# One", "# Two", False),
        ("Setext\n", "Other\n", False),
        ("More words", "Fewer words", False),
        ("an item", "another item", False),
        ("(label)=", "(other)=", False),
        ("python3", "python4", False),
        ("Some words", "Some words\n\n", False),
    ):
        assert old in PAGE
        for text in (PAGE.replace(old, new, 1), PAGE):
            (root / "book" / "one.md").write_text(text)
            assert built(root) == ("book/one.md" if alone else "whole"), new
            assert built(root) == ""


def test_what_is_wrong_is_told_from_the_log(tmp_path, monkeypatch):
    (tmp_path / "_build").mkdir()
    monkeypatch.setattr(build, "START", "print('reading sources... [ 50%] a'); print('WARNING: x'); 1 / 0")
    said: list[str] = []
    with pytest.raises(RuntimeError, match=r"(?s)WARNING: x.*ZeroDivisionError.*_build/build.log"):
        build._build_whole(tmp_path, said.append)
    assert said == ["Reading sources ..."]
