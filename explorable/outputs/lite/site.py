"""Build the site: JupyterLite, with the notebooks and Python beside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from explorable.outputs.lite import contents
from explorable.outputs.lite.engine import FOLDER, Sources, engine
from explorable.outputs.lite.offer import TOLD
from explorable.outputs.lite.packages import Wheel

__all__ = ["KEPT", "make"]

KEPT = Path("_build", ".lite")
# Of all extensions of this environment these alone run in a reader's browser.
_EXTENSIONS = ("@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension", "anywidget")
_KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
_APPS = ("lab", "notebooks", "tree")
_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    # A panel that is out of sight stays.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "defer"},
}


def _configured(folder: Path) -> None:
    """Write what JupyterLite is to do, and not to do: ask anybody elsewhere for anything."""
    kernel = {"pyodideUrl": f"./{FOLDER.as_posix()}/pyodide.mjs", "disablePyPIFallback": True}
    config = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "mipbook in your browser",
            "exposeAppInBrowser": True,  # to tools/lite_notebooks.py
            "litePluginSettings": {_KERNEL: kernel},
        },
    }
    (folder / "jupyter-lite.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "overrides.json").write_text(json.dumps(_SETTINGS), encoding="utf-8")
    share = Path(sys.prefix, "share", "jupyter", "labextensions")
    build = {
        "LiteBuildConfig": {
            "apps": list(_APPS),
            "federated_extensions": [str(share / name) for name in _EXTENSIONS],
            "ignore_sys_prefix": ["federated_extensions"],
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
        }
    }
    (folder / "jupyter_lite_config.json").write_text(json.dumps(build), encoding="utf-8")


def _build(folder: Path, out: Path) -> None:
    # A folder of its own, so that nothing of an earlier build is taken for this one's.
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(folder)]
    command += ["--contents", str(folder / "files"), "--output-dir", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise RuntimeError(f"JupyterLite was not built: {(done.stderr or done.stdout)[-800:]}")


def make(
    root: Path,
    out: Path,
    sources: Sources,
    more: Sequence[Wheel] = (),
    books: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Build the site and put it in its place, whole or not at all.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    out : pathlib.Path
        The folder of the site; what is there is replaced.
    sources : Sources
        Where the compiled packages come from.
    more : sequence of Wheel
        Wheels besides.
    books : mapping, optional
        The notebooks by their names, in place of the book's own.

    Returns
    -------
    dict
        What the site holds; it stands in its ``built.json`` too.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=out.parent) as name:
        folder, site = Path(name, "source"), Path(name, "site")
        found = contents.all_notebooks(root) if books is None else books
        contents.write(found, folder / "files")
        _configured(folder)
        told: dict[str, Any] = engine(root, folder, root / KEPT, sources, more)
        _build(folder, site)
        told["notebooks"] = sorted(found)
        told["site_bytes"] = _size(site)
        (site / TOLD).write_text(json.dumps(told, indent=1), encoding="utf-8")
        _replace(site, out)
    return told


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _replace(made: Path, out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    os.replace(made, out)
