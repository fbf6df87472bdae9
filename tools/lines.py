"""Count the lines of code by room: no blank lines, no comments, no docstrings.

python tools/lines.py
"""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("mipbook", "explorable", "studies")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def code(path: Path) -> int:
    """Return the lines of code of a file."""
    text = path.read_text(encoding="utf-8")
    told: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            told |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(bool(line) and not line.startswith("#") and number not in told for number, line in lines)


def main() -> None:
    """Print each room's lines and files, the largest first, and the sums."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            inner = path.relative_to(ROOT / package).parts
            room = f"{package}/{inner[0] if len(inner) > 1 else ''}"
            for name in (room, package):
                lines[name] += code(path)
                files[name] += 1
    for name, count in lines.most_common():
        print(f"{count:7,} lines {files[name]:4} files  {name}")


if __name__ == "__main__":
    main()
