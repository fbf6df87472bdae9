"""The apps without a kernel a visitor: figures over HTTP from a few processes; nothing is kept.

Inside a JupyterLab, as on Binder or a JupyterHub, jupyter-server-proxy starts the server by what
`tile` says.  The Jupyter server in front lets users in and checks the host's name.
"""

import sys
from typing import Any

from explorable import settings


def tile() -> dict[str, Any]:
    """Return how the server is started, and under which path it stands.

    Examples
    --------
    >>> tile()["absolute_url"]
    True
    """
    name = settings.name()
    return {
        "command": [
            *(sys.executable, "-m", name, "serve", "--host", "*"),
            *("--port", "{port}", "--base-url", f"{{base_url}}{name}/"),
        ],
        "absolute_url": True,
        "new_browser_tab": True,
        "timeout": 60,
        "launcher_entry": {"title": f"{settings.book().title} apps", "path_info": f"{name}/"},
    }
