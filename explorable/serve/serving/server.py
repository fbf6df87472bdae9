"""Voila, with our pages, our guards and our limits."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any, cast

from jupyter_server.utils import url_path_join
from tornado.routing import Rule
from traitlets import Instance
from traitlets.config.loader import Config
from voila.app import Voila

from explorable import palette
from explorable.serve.serving.cancel import Cancel
from explorable.serve.serving.files import Book, Extension, Plotly, Static, Template, plotly_address
from explorable.serve.serving.guard import LONGEST_MESSAGE, Guard
from explorable.serve.serving.headers import NotFound
from explorable.serve.serving.kernels import Kernels
from explorable.serve.serving.options import Options
from explorable.serve.serving.pages import Anonymous, Away, Home, Robots, Status, Stranger, StrangerRefused
from explorable.serve.serving.visits import Door, Farewell, Visit
from explorable.serve.web.titles import title
from explorable.serve.web.words import TEMPLATES

__all__ = ["AppServer", "server_config"]

_KERNEL = r"(?P<kernel_id>\w+-\w+-\w+-\w+-\w+)"
_SECONDS_WITHOUT_REQUEST = 60


def _with_title(request: Any, notebook: Any, cwd: str) -> None:
    """Name the page, and so the browser's tab, after the app's question."""
    notebook.metadata["title"] = title(notebook.cells, "mipbook")


def server_config(options: Options | None = None) -> Config:
    """Return the settings of a public server: nothing but the apps, and nothing left behind.

    Parameters
    ----------
    options : Options, optional
        What the command line said.

    Returns
    -------
    traitlets.config.Config
        For `AppServer`.
    """
    options = options or Options()
    config = Config()
    config.Voila.port = options.port
    # Another port than the one that was asked for and printed would be found by nobody.
    config.Voila.port_retries = 0
    config.Voila.ip = options.ip
    config.Voila.base_url = options.base_url
    config.Voila.open_browser = not options.no_browser
    config.Voila.identity_provider_class = Anonymous
    # A visitor may not choose templates or themes by query string.
    config.VoilaConfiguration.allow_template_override = "NO"
    config.VoilaConfiguration.allow_theme_override = "NO"
    # Extensions for JupyterLab's own pages; in Voila they only fill the console with warnings.
    config.VoilaConfiguration.extension_denylist = [
        "@jupyterlite/pyodide-kernel-extension",
        "@voila-dashboards/jupyterlab-preview",
        "jupyterlab-jupytext",
        "jupyterlab-myst",
        "jupyterlab-plotly",
        "jupyterlab_pygments",
    ]
    config.VoilaConfiguration.resources = {
        "mipbook_plotly": plotly_address(),
        "mipbook_style": palette.style(),
    }
    config.VoilaConfiguration.prelaunch_hook = _with_title
    config.VoilaConfiguration.multi_kernel_manager_class = Kernels
    config.VoilaExecutor.timeout = 120
    config.Kernels.memory = options.kernel_memory
    config.Kernels.seconds = options.kernel_seconds
    config.Kernels.idle = options.idle
    config.Kernels.lost = options.lost
    config.Kernels.unclaimed = options.unclaimed
    config.Kernels.allow_tracebacks = False
    # Only a number above 0 starts the culler; how long a kernel lives is said by Kernels.verdict.
    config.Kernels.cull_idle_timeout = int(options.unclaimed)
    config.Kernels.cull_interval = max(1, min(10, int(options.unclaimed / 4)))
    # A kernel that died would be started again empty, of no use to its page; it is reported dead.
    config.KernelRestarter.restart_limit = 0
    config.KernelRestarter.time_to_dead = 2.0
    if os.name != "nt":
        # Kernels on TCP can lose the race for a free port, and then the visitor waits for ever.
        config.KernelManager.transport = "ipc"
    return config


class AppServer(Voila):
    """Voila with our page template, a front page, and the built book under ``/book/``."""

    name = "voila"
    options = Instance(Options, args=())

    def setup_template_dirs(self) -> None:
        """Put our page template before Voila's."""
        super().setup_template_dirs()
        self.template_paths: list[str] = [str(TEMPLATES), *self.template_paths]

    def init_settings(self) -> dict[str, Any]:
        """Add what our handlers read, and limits on what is received."""
        settings = cast(dict[str, Any], super().init_settings())
        options = self.options
        door = Door(self.kernel_manager, options.max_visitors, options.max_starting, options.max_wait)
        return settings | {
            "apps": self.root_dir,
            "door": door,
            "frame_ancestors": options.frame_ancestors,
            "default_handler_class": NotFound,
            "compress_response": True,
            "websocket_compression_options": {"compression_level": 1, "mem_level": 5},
            "websocket_max_message_size": LONGEST_MESSAGE,
        }

    def init_handlers(self) -> list[Any]:
        """Serve our pages, and of Voila's no more than an app's page needs."""
        built = Path(self.root_dir).parents[1] / "_build" / "html"
        files = {"path": str(built), "default_filename": "index.html"}
        home = self.base_url
        visit = {
            "template_paths": self.template_paths,
            "config": self.config,
            "voila_configuration": self.voila_configuration,
        }
        handlers: list[tuple[Any, ...]] = [
            (r"/", Home),
            (r"/robots\.txt", Robots),
            (r"/book", Away, {"url": f"{home}book/"}),
            (r"/book/(.*)", Book, files),
            # An app links its chapter as the book does, ../mip/chapter.md.
            (
                r"/voila/((?:[a-z]+/)?[a-z0-9-]+)\.md",
                Away,
                {"url": home + "book/book/{0}.html", "permanent": False},
            ),
            (r"/voila/tree.*", Away, {"url": home, "permanent": False}),
            (r"/mipbook/(.+)", Plotly),
            (r"/voila/render/(.*)", Visit, visit),
            (r"/voila/api/shutdown/(.*)", Farewell),
            (rf"/api/kernels/{_KERNEL}", Status),
            (rf"/api/kernels/{_KERNEL}/interrupt", Cancel),
            (rf"/api/kernels/{_KERNEL}/channels", Guard),
            (r"/voila/static/(.*)", Static, {"paths": self.static_paths}),
            (r"/voila/templates/(lab/static/.+)", Template),
            (r"/voila/labextensions/(.*)", Extension, {"path": self.labextensions_path}),
        ]
        rules: list[Any] = [
            (url_path_join(self.base_url, pattern), handler, *arguments)
            for pattern, handler, *arguments in handlers
        ]
        if home != "/":
            rules.append((home.removesuffix("/"), Away, {"url": home}))
        if self.options.hosts is not None:
            rules.insert(0, Rule(Stranger(self.options.hosts), StrangerRefused))
        return rules

    def listen(self) -> None:
        """Listen, with limits on what a connection may send and how long it may be silent."""
        self.app.listen = functools.partial(
            self.app.listen,
            xheaders=self.options.trust_proxy,
            max_body_size=100_000,
            max_buffer_size=2 * LONGEST_MESSAGE,
            max_header_size=32_000,
            idle_connection_timeout=_SECONDS_WITHOUT_REQUEST,
            body_timeout=_SECONDS_WITHOUT_REQUEST,
        )
        super().listen()
