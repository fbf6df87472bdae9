"""Do what Binder will do, as far as that goes without Docker: ``python tools/binder_steps.py``.

repo2docker, Binder's own tool, says in which order it would build; the list of packages goes into
an environment of its own, ``binder/postBuild`` runs there, and every chapter and app is executed
as JupyterLab opens it, with its panels live. All of it lies in ``_build/binder``.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "_build" / "binder"
TOOL = "jupyter-repo2docker==2026.4.0"
LIST = "binder/requirements.txt"
LIVE = "application/vnd.jupyter.widget-view+json"
UV = [sys.executable, "-m", "uv", "--quiet"]


def layer_faults(dockerfile: str) -> Iterator[str]:
    """Say what of the plan would install all packages again at each commit, or not at all."""
    lines = [x for x in dockerfile.splitlines() if x.startswith(("COPY", "RUN"))]
    whole = [i for i, x in enumerate(lines) if re.search(r" src/ ", x)]
    fills = [i for i, x in enumerate(lines) if f'-r "{LIST}"' in x]
    after = [i for i, x in enumerate(lines) if x.endswith("./binder/postBuild")]
    if not (len(whole) == len(fills) == len(after) == 1):
        yield f"Not one step each: all files {whole}, packages {fills}, postBuild {after}"
    elif not fills < whole < after:
        yield "The packages come after the files: every commit would install them again"
    else:
        before = {f for x in lines[: whole[0]] for f in re.findall(r" src/(\S+)", x)}
        yield from (f"The packages' layer depends on {name}" for name in sorted(before - {LIST}))


def inside(folder: Path, name: str) -> str:
    """Return where a program of an environment is."""
    return str(folder / ("Scripts" if os.name == "nt" else "bin") / name)


def made(name: str, *wanted: str) -> Path:
    """Make an environment of the Python that Binder is asked for, and fill it."""
    asked = (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8").strip()
    folder = PLACE / name
    subprocess.run([*UV, "venv", "--clear", "--python", asked[7:], str(folder)], check=True)
    fill = [*UV, "pip", "install", "--index-strategy", "unsafe-best-match", "--python"]
    subprocess.run([*fill, inside(folder, "python"), *wanted], cwd=ROOT, check=True)
    return folder


def plan() -> str:
    """Return the Dockerfile that repo2docker would build from."""
    tool = inside(made("repo2docker", TOOL), "jupyter-repo2docker")
    done = subprocess.run(
        [tool, "--no-build", "--debug", str(ROOT)], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def run_chapters(paths: Sequence[Path]) -> Iterator[str]:
    """Execute notebooks as they stand, here; say which fail, or show fewer panels than they make.

    Parameters
    ----------
    paths : sequence of pathlib.Path
        Chapters as MyST, or notebooks.
    """
    import jupytext
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    for path in paths:
        # Of a page of words alone jupytext would guess that it is pandoc's.
        read = jupytext.read(path, fmt="md:myst" if path.suffix == ".md" else None)
        code = [cell for cell in read.cells if cell.cell_type == "code"]
        if not code:
            continue
        at = {"metadata": {"path": str(path.parent)}}
        try:
            NotebookClient(read, timeout=900, kernel_name="python3", resources=at).execute()
        except CellExecutionError as error:
            yield f"{path}: {error.ename}: {error.evalue}"
            continue
        shown = [output for cell in code for output in cell.outputs]
        live = sum(LIVE in output.get("data", {}) for output in shown)
        wanted = sum(len(re.findall(r"^Explorable\(", cell.source, re.M)) for cell in code)
        print(f"{path}: {live} live panels", flush=True)
        if live < wanted:
            yield f"{path}: {live} of {wanted} panels are live"


def chapters(root: Path) -> list[Path]:
    """Return the pages of the book that can be run, and the notebooks that a build made of them."""
    built = root / "_build" / "html" / "notebooks"
    places = (root / "book", "*.md"), (root / "book", "*.ipynb"), (built, "*.ipynb")
    return sorted(path for folder, ending in places for path in folder.rglob(ending))


def main(arguments: Sequence[str] | None = None) -> None:
    """Take Binder's steps; leave with what failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true", help="only the chapters, in this environment")
    faults = []
    if not parser.parse_args(arguments).run:
        faults += layer_faults(plan())
        folder = made("env", "-r", LIST, "pip")
        found = os.pathsep.join([inside(folder, ""), os.environ["PATH"]])
        environment = {**os.environ, "PATH": found, "VIRTUAL_ENV": str(folder)}
        environment.pop("PYTHONPATH", None)
        for step in (["binder/postBuild"], [inside(folder, "python"), __file__, "--run"]):
            if subprocess.run(step, cwd=ROOT, env=environment, check=False).returncode:
                faults.append(f"{' '.join(step)} failed")
    else:
        faults += run_chapters(chapters(ROOT))
    sys.exit("\n".join(faults) if faults else None)


if __name__ == "__main__":
    main()
