"""The headers that stand on every answer of a server of the apps."""

from __future__ import annotations

__all__ = ["RETRY_SECONDS", "common", "policy"]

# How soon a page that found no place tries again.
RETRY_SECONDS = 15

# Voila and the book's theme write scripts into the page itself; a kernel's panel has its script as
# a blob (anywidget), a page of the book may compute by Python in WebAssembly.  None compiles text
# (eval).
_FILES = "script-src 'self'"
_INLINE = f"{_FILES} 'unsafe-inline'"
_SCRIPTS = {"files": _FILES, "inline": f"{_INLINE} 'wasm-unsafe-eval'", "blob": f"{_INLINE} blob:"}
_REST = (
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
)


def policy(scripts: str, frame_ancestors: str) -> str:
    """Return the Content-Security-Policy of a page.

    Parameters
    ----------
    scripts : {"files", "inline", "blob"}
        Where its scripts stand.
    frame_ancestors : str
        Who may show the page in a frame.

    Returns
    -------
    str
        The header's value.

    Examples
    --------
    >>> "unsafe" in policy("files", "'self'").split("script-src")[1]
    False
    """
    return "; ".join([*_REST, _SCRIPTS[scripts], f"frame-ancestors {frame_ancestors}"])


def common(scripts: str, frame_ancestors: str) -> dict[str, str]:
    """Return what stands on every answer, also on errors.

    Parameters
    ----------
    scripts : {"files", "inline", "blob"}
        Where the page's scripts stand.
    frame_ancestors : str
        Who may show the page in a frame.

    Examples
    --------
    >>> common("files", "'self'")["X-Frame-Options"]
    'SAMEORIGIN'
    """
    headers = {
        "Content-Security-Policy": policy(scripts, frame_ancestors),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
    if frame_ancestors == "'self'":
        # The old header cannot name another site.
        headers["X-Frame-Options"] = "SAMEORIGIN"
    return headers
