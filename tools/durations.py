"""How long each test took when it last ran here, and what runs in one process and in order.

``python tools/durations.py`` keeps the seconds of the longest groups for those who have just
cloned, whose first run would begin with what is short.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

FILE, KEPT = Path("_build", "durations.json"), Path("tests", "data", "seconds.json")
FIRST_PAGE = "book/index"
# Files whose tests take long: each page, app, chapter or figure may run in another process.
SPLIT = (
    *("test_apps.py", "test_asked_pages.py", "test_chapters.py"),
    *("test_survivors.py", "test_visit.py", "test_stored_pages.py"),
)
# What this asks of one page it asks of one load of it.
OF_ONE_LOAD = "test_book_pages.py"
# What this asks of one figure, as ``mip.noise_lab``, it asks of one drawing of it.
FIGURE = re.compile(r"\w+\.\w+")
OF_ONE_FIGURE = "test_every_figure.py"


def load(root: Path) -> dict[str, float]:
    """Return the seconds of each test by its id."""
    path = root / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def remember(root: Path, seconds: Mapping[str, float]) -> None:
    """Keep the seconds of the tests that ran, beside those of the others."""
    path = root / FILE
    if path.parent.is_dir():
        known = load(root) | {nodeid: round(spent, 2) for nodeid, spent in seconds.items()}
        part = path.with_suffix(".part")
        part.write_text(json.dumps(known, indent=0), encoding="utf-8")
        part.replace(path)


def group(nodeid: str) -> str:
    """What runs in one process and in order: a file, or what long files test of one page."""
    path, _, name = nodeid.partition("::")
    page = re.search(r"\[(.+)\]$", name)
    if path.endswith(OF_ONE_LOAD):
        return f"pages[{page[1] if page else FIRST_PAGE}]"
    if page and path.endswith(OF_ONE_FIGURE) and FIGURE.fullmatch(page[1]):
        return f"figures[{page[1]}]"
    return f"{path}[{page[1]}]" if page and path.endswith(SPLIT) else path


def elsewhere(root: Path) -> dict[str, float]:
    """Return the seconds that groups took where they were kept."""
    path = root / KEPT
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def keep(root: Path, least: float = 2.0) -> None:
    """Keep the seconds of the groups that take longest."""
    found: Counter[str] = Counter()
    for nodeid, seconds in load(root).items():
        found[group(nodeid)] += seconds
    kept = {name: round(seconds) for name, seconds in found.most_common() if seconds >= least}
    (root / KEPT).write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    keep(Path(__file__).resolve().parent.parent)
