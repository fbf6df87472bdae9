"""The servers that the tests open pages of."""

import os
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from shared import ROOT, free_port


def write_notebook(path: Path, *cells: str, words: str = "") -> None:
    """Write a notebook of this Python: first words, if there are any, then cells of code."""
    first = [new_markdown_cell(words)] if words else []
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = new_notebook(cells=[*first, *map(new_code_cell, cells)], metadata={"kernelspec": kernel})
    nbformat.write(made, path)


class Served:
    """A server of ours on a free port: ``python -m MODULE ARGUMENTS --port PORT``."""

    def __init__(self, module: str, arguments: list[str], log: Path, base: str = "", **more: str) -> None:
        self.port, self.log = free_port(), log
        self.url = f"http://localhost:{self.port}{base}"
        here = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        environment = {k: v for k, v in os.environ.items() if k != "MIPBOOK_STATIC"}
        command = [sys.executable, "-m", module, *arguments, "--port", str(self.port)]
        env = environment | {"PYTHONPATH": here} | more
        with log.open("w") as out:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env=env)

    def __enter__(self):
        """Wait until it answers."""
        for _ in range(900):
            with suppress(OSError):
                urllib.request.urlopen(f"{self.url}/", timeout=5).close()
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        self.__exit__()
        raise AssertionError(f"the server did not start:\n{self.log.read_text()}")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def app_server(folder: Path, log: Path, base: str = "") -> Served:
    """Show the apps of a folder by Voila."""
    return Served("mipbook", ["apps", str(folder), "--no-browser", "--base-url", f"{base}/"], log, base)


def figure_server(folder: Path, log: Path, *options: str, base: str = "", **more: str) -> Served:
    """Serve the apps of a folder; ``more`` is for the environment."""
    return Served("mipbook", ["serve", str(folder), "--base-url", f"{base}/", *options], log, base, **more)


def notebook_server(folder: Path, log: Path) -> Served:
    """Serve JupyterLab on a folder, for this test alone: no token, no browser."""
    settings = ["--no-browser", "--allow-root", "--IdentityProvider.token="]
    return Served("jupyterlab", [*settings, f"--ServerApp.root_dir={folder}"], log)
