"""Serve the Voila apps of ``book/apps``: ``python -m mipbook.apps``.

Voila does the work.  This module sets what a public teaching server needs, gives
the apps a front page, and serves the built book beside them, so that an app's link
to its chapter leads somewhere.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import tornado.web as web
from traitlets.config import Config
from voila.app import Voila
from voila.shutdown_kernel_handler import VoilaShutdownKernelHandler

from mipbook import validate

__all__ = ["AppServer", "app_titles", "main", "server_config"]

_TEMPLATES = Path(__file__).parent / "voila"


def app_titles(folder: Path) -> dict[str, str]:
    """Return each app's file name with its first heading, sorted by name.

    Parameters
    ----------
    folder : pathlib.Path
        Where the app notebooks lie.

    Returns
    -------
    dict
        File name to title; the file name stands in for a missing heading.
    """
    titles = {}
    for path in sorted(folder.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
        headings = [line[2:].strip() for line in lines if line.startswith("# ")]
        titles[path.name] = headings[0] if headings else path.stem
    return titles


def server_config() -> Config:
    """Return the settings of a public server: nothing but the apps, and nothing left behind."""
    config = Config()
    # A visitor may not choose templates or themes by query string, nor fetch files.
    config.VoilaConfiguration.allow_template_override = "NO"
    config.VoilaConfiguration.allow_theme_override = "NO"
    config.VoilaConfiguration.file_allowlist = []
    # Extensions for JupyterLab's own pages; in Voila they only fill the console with warnings.
    config.VoilaConfiguration.extension_denylist = [
        "@voila-dashboards/jupyterlab-preview",
        "jupyterlab-jupytext",
        "jupyterlab-plotly",
        "jupyterlab_pygments",
    ]
    config.VoilaExecutor.timeout = 120
    # Voila keeps the kernels of visitors who left; a minute's grace covers a lost connection.
    config.MappingKernelManager.cull_idle_timeout = 60
    config.MappingKernelManager.cull_interval = 10
    if os.name != "nt":
        # Kernels on TCP can lose the race for a free port, and then the visitor waits for ever.
        config.KernelManager.transport = "ipc"
    return config


class _Home(web.RequestHandler):
    """The front page: one link an app."""

    def initialize(self, folder: Path) -> None:
        self.folder = folder

    def get(self) -> None:
        links = "".join(
            f'<li><a href="voila/render/{html.escape(name)}">{html.escape(title)}</a></li>'
            for name, title in app_titles(self.folder).items()
        )
        self.write((_TEMPLATES / "home.html").read_text(encoding="utf-8").replace("$apps", links))


class _Book(web.StaticFileHandler):
    """The built book; a plain sentence where it has not been built."""

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        if status_code == 404 and not Path(self.root).is_dir():
            self.finish("The book has not been built here yet. Run: make book")
        else:
            super().write_error(status_code, **kwargs)


class _Shutdown(VoilaShutdownKernelHandler):
    """Stop a visitor's kernel when the page is left."""

    def check_xsrf_cookie(self) -> None:
        # The page's farewell cannot carry the cookie's token, so Voila would refuse it and
        # keep the kernel. Whoever names the kernel's random id is its own page.
        pass


class AppServer(Voila):
    """Voila with our page template, a front page, and the built book under ``/book/``."""

    name = "voila"

    def setup_template_dirs(self) -> None:
        """Put our page template before Voila's."""
        super().setup_template_dirs()
        self.template_paths: list[str] = [str(_TEMPLATES), *self.template_paths]

    def init_handlers(self) -> list[Any]:
        """Serve the front page, the book and our handlers before Voila's own."""
        folder = Path(self.root_dir)
        built = folder.parent.parent / "_build" / "html"
        ours = [
            (r"/", _Home, {"folder": folder}),
            (r"/voila/api/shutdown/(.*)", _Shutdown),
            (r"/book/(.*)", _Book, {"path": str(built), "default_filename": "index.html"}),
            # An app links its chapter as the book does, ../mip/chapter.md.
            (
                r"/voila/((?:[a-z]+/)?[a-z0-9-]+)\.md",
                web.RedirectHandler,
                {"url": "/book/book/{0}.html", "permanent": False},
            ),
        ]
        return [*ours, *cast(list[Any], super().init_handlers())]


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the apps until interrupted.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line: ``[folder] [--port PORT] [--ip ADDRESS] [--no-browser]``.

    Raises
    ------
    ValueError
        If the folder holds no app, or the port is taken.
    """
    parser = argparse.ArgumentParser(prog="python -m mipbook.apps", description=__doc__)
    parser.add_argument("folder", nargs="?", default="book/apps", help="where the apps lie")
    parser.add_argument("--port", type=int, default=8866, help="the port to listen on")
    parser.add_argument("--ip", default="localhost", help="the address to listen on")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    options = parser.parse_args(arguments)
    folder = Path(options.folder).resolve()
    if not app_titles(folder):
        validate.refuse("folder", options.folder, "a folder with at least one .ipynb app")
    config = server_config()
    config.Voila.port = validate.integer("port", options.port, 1, 65535)
    # Another port than the one that was asked for and printed would be found by nobody.
    config.Voila.port_retries = 0
    with socket.socket() as probe:
        if probe.connect_ex((options.ip, options.port)) == 0:
            validate.refuse("port", options.port, "free; another program listens there")
    config.Voila.ip = options.ip
    config.Voila.open_browser = not options.no_browser
    server = AppServer(config=config)
    server.initialize([str(folder)])
    print(f"mipbook apps: http://{options.ip}:{options.port}/  (Ctrl+C stops them)", flush=True)
    server.start()


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"mipbook.apps: {error}")
