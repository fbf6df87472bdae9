"""Compare every state of every figure with what it was, to the last digit.

    python tools/compare_figures.py keep before.json.gz [--most 200]  # on the commit to compare with
    python tools/compare_figures.py compare before.json.gz [--only pmp.] [--old OTHER_CHECKOUT]

A panel's layers each run through all their own stops, the other controls standing at stops that
are drawn by a fixed rule; the whole figure is drawn there, and its JSON digested.  ``compare``
draws the same states again; with the checkout that they were kept in it shows what differs.
"""

import argparse
import gzip
import hashlib
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "figures")]

import mipbook.figures  # noqa: E402

Values = dict[str, Any]


def normal(tree: Any) -> Any:
    """Return a tree of JSON in which what draws the same is the same."""
    if isinstance(tree, dict):
        if "bdata" in tree:
            from explorable.panels.pack import plain

            tree = plain(tree)
            return normal(tree) if not isinstance(tree, dict) else tree
        return {str(key): normal(value) for key, value in tree.items()}
    if isinstance(tree, np.ndarray):
        return normal(tree.tolist())
    if isinstance(tree, list | tuple):
        return [normal(each) for each in tree]
    if isinstance(tree, bool | np.bool_):
        return bool(tree)
    if isinstance(tree, int | float | np.number):
        return float(tree) if math.isfinite(tree) else None if math.isnan(tree) else str(tree)
    return None if tree is None else str(tree)


def figure_of(name: str) -> Any:
    """Return a figure function by its public name, ``pmp.square``."""
    return attrgetter(name)(mipbook.figures)


def drawn(name: str, values: Values) -> Any:
    """Return what a state is drawn from."""
    try:
        return normal(figure_of(name)(**values).to_dict())
    except ValueError as error:
        return {"error": str(error)}


def digest(tree: Any) -> str:
    """Return a short digest of a tree."""
    return hashlib.sha256(json.dumps(tree, sort_keys=True).encode()).hexdigest()[:12]


def states(panel: Any) -> Iterator[Values]:
    """Yield the states of a panel: each layer's own, the other controls anywhere."""
    from explorable.panels.protocol import recorded

    stops = {name: control.stops for name, control in panel.controls.items()}
    with recorded() as layers:
        panel.function(**panel.values)
    own = {tuple(name for name in stops if name in layer.values) for layer in layers} or {tuple(stops)}
    for names in sorted(own):
        for i, combined in enumerate(product(*(stops[name] for name in names))):
            rest = {n: s[(i * 7919 + len(n) * 31) % len(s)] for n, s in stops.items() if n not in names}
            yield {**rest, **dict(zip(names, combined, strict=True))}


def kept(name: str, found: list[Values]) -> list[tuple[Values, str]]:
    """Return states with the digests of what they draw."""
    return [(values, digest(drawn(name, values))) for values in found]


def everything(name: str, values: list[Values], part: int = 200) -> list[tuple[Values, str]]:
    """Digest many states side by side."""
    parts = [values[i : i + part] for i in range(0, len(values), part)]
    return [pair for found in Parallel(-1)(delayed(kept)(name, each) for each in parts) for pair in found]


def keep(path: Path, only: str, most: int) -> None:
    """Write the digests of the states of all panels, of at most so many each, evenly chosen."""
    from every_figure import functions
    from panels import panels

    names = {function: name for name, function in functions().items()}
    found: dict[str, list[tuple[Values, str]]] = {}
    for page, shown in panels().items():
        for panel in shown:
            name = names.get(panel.function)
            if name and only in name:
                print(page, name, flush=True)
                every = list({json.dumps(v, default=np.generic.item): v for v in states(panel)}.values())
                every = every[:: math.ceil(len(every) / most)]
                found.setdefault(name, []).extend(everything(name, every))
    path.write_bytes(gzip.compress(json.dumps(found, default=np.generic.item).encode()))


def compare(path: Path, only: str, old: Path | None) -> int:
    """Print what differs; return how many states do."""
    bad = 0
    for name, pairs in json.loads(gzip.decompress(path.read_bytes())).items():
        if only not in name:
            continue
        try:
            figure_of(name)
        except AttributeError:
            print(f"{name}: is gone")
            continue
        now = everything(name, [values for values, _ in pairs])
        wrong = [values for (values, before), (_, after) in zip(pairs, now, strict=True) if before != after]
        bad += len(wrong)
        print(f"{name}: {len(wrong)} of {len(pairs)} states differ", flush=True)
        for values in wrong[:2]:
            print(f"  {values}")
            if old:
                command = [sys.executable, str(old / "tools" / Path(__file__).name), "draw", name]
                environment = {**os.environ, "PYTHONPATH": str(old)}
                said = subprocess.run(
                    [*command, json.dumps(values)], cwd=old, env=environment, capture_output=True, check=True
                ).stdout
                for line in list(differences(json.loads(said), drawn(name, values)))[:6]:
                    print(f"    {line}")
    print(f"{bad} states differ")
    return bad


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield where two trees differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, f"{path}[{i}]")
    elif old != new:
        yield f"{path}: {str(old)[:300]} -> {str(new)[:300]}"


def main() -> int:
    """Keep, compare, or draw one state."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["keep", "compare", "draw"])
    parser.add_argument("path")
    parser.add_argument("values", nargs="?", default="{}")
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=1_000_000, help="states of a panel that are kept")
    parser.add_argument("--old", type=Path)
    options = parser.parse_args()
    if options.what == "draw":
        print(json.dumps(drawn(options.path, json.loads(options.values))))
        return 0
    if options.what == "keep":
        keep(Path(options.path), options.only, options.most)
        return 0
    return compare(Path(options.path), options.only, options.old)


if __name__ == "__main__":
    sys.exit(main() > 0)
