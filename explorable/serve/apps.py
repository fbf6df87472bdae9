"""The apps of a folder as notebooks behind Voila, on this computer: ``python -m mipbook apps``.

Each visit has a kernel, so that notebooks of any kind can be shown.  Nothing here limits what a
stranger may ask for: the server for others is ``python -m mipbook serve``.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jupyter_server.services.kernels.handlers import KernelActionHandler
from tornado.web import StaticFileHandler
from traitlets.config.loader import Config
from voila.app import Voila

from explorable import palette, settings, threads, validate
from explorable.panels.static import PLOTLY, SANS, SERIF, asset
from explorable.serve.options import Options, app_titles, checked_folder, command_line
from explorable.serve.worker import title

TEMPLATES = Path(__file__).parents[1] / "templates" / "voila"
FACES = Path(__file__).parents[1] / "fonts"


def _prepared(request: Any, notebook: Any, cwd: str) -> None:
    """Name the page after the app's question, and let its links to chapters lead into the book."""
    notebook.metadata["title"] = title(notebook.cells, "app")
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\(\.\./(\w+/[\w-]+)\.md", r"](../../book/book/\1.html", cell.source)


class Apps(Voila):
    """Voila with our page around an app, and the built book beside it."""

    name = "voila"

    def setup_template_dirs(self) -> None:
        """Put our templates before Voila's, which fetch fonts from other hosts."""
        super().setup_template_dirs()
        self.template_paths: list[str] = [str(TEMPLATES), *self.template_paths]

    def init_handlers(self) -> list[Any]:
        """Serve the book, faces and plotting script too, and let a page cancel what its kernel computes."""
        built = {"path": str(Path(self.root_dir).parents[1] / "_build" / "html")}
        files = [("book", built), ("plotly", {"path": PLOTLY.parent}), ("faces", {"path": FACES})]
        ours = [(f"{self.base_url}{name}/(.*)", StaticFileHandler, where) for name, where in files]
        cancel = rf"{self.base_url}api/kernels/(?P<kernel_id>[\w-]+)/(?P<action>interrupt)"
        return [*ours, (cancel, KernelActionHandler), *super().init_handlers()]


def config(options: Options, open_browser: bool) -> Config:
    """Return Voila's settings.

    Parameters
    ----------
    options : Options
        Where the apps lie, and where they are served.
    open_browser : bool
        Whether a browser is opened.
    """
    faces = asset("fonts.css").replace("vendor/fonts", f"{options.base_url}faces")
    style = f"{palette.style()}:root {{ --type-sans: {SANS}; --type-serif: {SERIF}; }}\n{faces}"
    chosen, more = Config(), {"titles": app_titles(Path(options.folder)), "style": style}
    # Another port than the one that was asked for and printed would be found by nobody.
    chosen.Voila.update(ip=options.ip, port=options.port, port_retries=0, base_url=options.base_url)
    chosen.Voila.open_browser = open_browser
    # A name that is not this computer's is refused, as a page elsewhere makes it that wants in; so
    # the page's farewell, which can carry no token, may end its kernel.
    chosen.Voila.tornado_settings = {"allow_remote_access": False, "disable_check_xsrf": True}
    chosen.VoilaConfiguration.update(allow_template_override="NO", allow_theme_override="NO")
    chosen.VoilaConfiguration.update(prelaunch_hook=_prepared, classic_tree=True)
    chosen.VoilaConfiguration.resources = {**more, "plotly": f"plotly/{PLOTLY.name}"}
    # Of the list of apps Voila takes what is put into its settings, of an app what is returned.
    chosen.VoilaConfiguration.page_config_hook = lambda told, **_: told.update(more) or told
    # Extensions for JupyterLab's own pages; in Voila they only fill the console with warnings.
    chosen.VoilaConfiguration.extension_denylist = [
        *("@jupyterlite/pyodide-kernel-extension", "@voila-dashboards/jupyterlab-preview"),
        *("jupyterlab-jupytext", "jupyterlab-myst", "jupyterlab-plotly", "jupyterlab_pygments"),
    ]
    # A kernel that died would be started again empty, of no use to its page; and one whose page is
    # lost without a farewell ends some time after.
    chosen.KernelRestarter.update(restart_limit=0, time_to_dead=2.0)
    chosen.MappingKernelManager.update(cull_idle_timeout=600, cull_interval=30)
    if os.name != "nt":
        # Kernels on TCP can lose the race for a free port, and then a visitor waits for ever.
        chosen.KernelManager.transport = "ipc"
    return chosen


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the apps until interrupted.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own; ``--help`` tells what it takes.

    Raises
    ------
    ValueError
        If others are to reach it, the folder holds no app, or the port is taken.
    """
    parser = command_line("apps", __doc__, ("folder", "port", "base_url"))
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--ip", "--host", default="localhost", help="localhost, or an address of it")
    asked = parser.parse_args(arguments)
    options = Options(folder=asked.folder, port=asked.port, ip=asked.ip, base_url=asked.base_url)
    if not options.is_local:
        allowed = f"localhost: apps are for this computer; {settings.book().command} serve is for others"
        validate.refuse("host", asked.ip, allowed)
    folder = checked_folder(asked.folder, asked.ip, asked.port)
    threads.single()
    server = Apps(config=config(options, not asked.no_browser))
    server.initialize([str(folder)])
    print(f"apps: http://{asked.ip}:{asked.port}{asked.base_url}  (Ctrl+C stops them)", flush=True)
    server.start()
