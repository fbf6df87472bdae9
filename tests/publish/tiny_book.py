"""A small book in a folder of its own, in which errors of the real kind can be planted."""

import os
from pathlib import Path
from typing import Any

from shared import ROOT, ran

HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

"""


class Book:
    """The book's own settings, and the files that are given."""

    def __init__(self, root: Path, files: dict[str, str]) -> None:
        self.root, self.said = root, ""
        config = (ROOT / "_config.yml").read_text(encoding="utf-8")
        self.write("_config.yml", config.replace("bibtex_bibfiles: [book/references.bib]\n", ""))
        for name, text in files.items():
            self.write(name, text)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("MIPBOOK")}
        environment = {**kept, "PYTHONPATH": os.pathsep.join([str(root), str(ROOT)]), "PYTHONUNBUFFERED": "1"}
        self.process: dict[str, Any] = {"cwd": root, "env": environment}

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def run(self, *words: object, fails: bool = False) -> None:
        """Run Python, and keep what it says."""
        done = ran(*words, **self.process)
        self.said = done.stdout + done.stderr
        assert bool(done.returncode) is fails, self.said[-3000:]

    def html(self, name: str) -> str:
        return (self.root / "_build" / "html" / f"{name}.html").read_text(encoding="utf-8")
