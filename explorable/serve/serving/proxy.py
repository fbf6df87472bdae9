"""The apps inside a JupyterLab, as on Binder or a JupyterHub: what jupyter-server-proxy starts.

The Jupyter server in front lets users in and checks the host's name, which nobody knows before.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["server"]


def server() -> dict[str, Any]:
    """Return how the apps are started, and under which path they stand.

    Examples
    --------
    >>> server()["launcher_entry"]["title"]
    'mipbook apps'
    """
    apps = [sys.executable, "-m", "mipbook", "apps", "--no-browser", "--host", "*"]
    return {
        "command": [*apps, "--port", "{port}", "--base-url", "{base_url}mipbook/"],
        "absolute_url": True,
        "new_browser_tab": True,
        "timeout": 60,
        "launcher_entry": {"title": "mipbook apps", "path_info": "mipbook/"},
    }
