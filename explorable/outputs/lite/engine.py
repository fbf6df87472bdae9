"""Python for a browser: the runtime, the packages and their list, in one folder of the site."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorable import validate
from explorable.outputs.lite import fetch
from explorable.outputs.lite.lock import distributed, lock
from explorable.outputs.lite.packages import DISTRIBUTION, PYODIDE, Wheel

__all__ = ["FOLDER", "Sources", "engine"]

FOLDER = Path("static", "pyodide")  # of the site; JupyterLite looks there by itself


@dataclass(frozen=True)
class Sources:
    """Where the compiled packages come from.

    Parameters
    ----------
    files : pathlib.Path, optional
        A folder with files fetched before; without one they are downloaded.
    bare : bool
        Whether to leave the compiled packages out.
    elsewhere : bool
        Whether the reader's browser takes them from Pyodide's host instead of from this site.
    """

    files: Path | None = None
    bare: bool = False
    elsewhere: bool = False

    def __post_init__(self) -> None:
        if self.files is not None and not self.files.is_dir():
            validate.refuse("pyodide_files", str(self.files), "a folder")
        if (self.files is not None) + self.bare + self.elsewhere > 1:
            told = "one of --pyodide-files, --bare and --cdn at most"
            validate.refuse("sources", self, told)


def _compiled(packages: dict[str, Any], sources: Sources, kept: Path) -> list[Path]:
    """Return the compiled wheels; tell in one sentence what is missing, and where it is."""
    found, missing = [], []
    for told in packages.values():
        try:
            found.append(fetch.take_compiled(told, sources.files, kept))
        except fetch.Missing as error:
            missing.append(str(error))
            if sources.files is None:
                break  # what did not come for one will not come for the next
    if not missing:
        return found
    total = len(packages)
    if sources.files is not None:
        raise fetch.Missing(
            f"{len(missing)} of the {total} compiled packages are not in {sources.files}: "
            f"{', '.join(missing)}; they lie at {DISTRIBUTION}"
        )
    raise fetch.Missing(
        f"{DISTRIBUTION} could not be reached, where {', '.join(packages)} for browsers come "
        "from; nothing was written. On a machine that reaches it, fetch them and name their "
        "folder with --pyodide-files, or leave them out with --bare"
    )


def engine(
    root: Path, site: Path, kept: Path, sources: Sources, more: Sequence[Wheel] = ()
) -> dict[str, Any]:
    """Write the runtime, the wheels and their list, and say what is there.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    site : pathlib.Path
        The folder of the site that is being made.
    kept : pathlib.Path
        Where downloads are kept from one build to the next.
    sources : Sources
        Where the compiled packages come from.
    more : sequence of Wheel
        Wheels besides.

    Returns
    -------
    dict
        ``python`` and ``pyodide``, their versions; ``packages``, the version of each;
        ``missing``, those that are left out; ``elsewhere``, where the browser asks for the
        compiled ones, or nothing; ``bytes``, what the folder holds.
    """
    from_npm = fetch.runtime(kept)
    told = fetch.shipped(from_npm)
    wanted = {} if sources.bare else distributed(told)
    compiled = [] if sources.elsewhere else _compiled(wanted, sources, kept)
    pure = fetch.pure_wheels(kept)
    target = site / FOLDER
    target.mkdir(parents=True)
    wheels = [*pure, *more, fetch.own_wheel(root, target)]
    listed = lock(told, wheels, wanted, DISTRIBUTION if sources.elsewhere else "")
    for path in (*from_npm.iterdir(), *(x.path for x in (*pure, *more)), *compiled):
        shutil.copy(path, target)
    (target / fetch.LIST).write_text(json.dumps(listed), encoding="utf-8")
    return {
        "python": told["info"]["python"],
        "pyodide": PYODIDE,
        "packages": {name: each["version"] for name, each in listed["packages"].items()},
        "missing": listed["missing"],
        "elsewhere": DISTRIBUTION if sources.elsewhere else "",
        "bytes": sum(path.stat().st_size for path in target.iterdir()),
    }
