"""What a page loads, in few files: one style sheet, one script of the theme's, and the panels' own.

A phone asks for six files at a time, and the theme, Sphinx and its extensions bring thirty.  They are joined
when all pages are written.  The lists that later commands write stay files of their own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

STYLE, SCRIPT = "page.css", "page.js"
# The faces of the text, and of formulas on the first screen: lines break anew when a face comes late.
FACES = ("source-sans-3-latin-wght-normal", "source-serif-4-latin-wght-normal")
FORMULAS = ("katex/KaTeX_Main-Regular", "katex/KaTeX_Math-Italic")
_ADDRESS = r'(?:href|src)="(?P<up>(?:\.\./)*_static/)(?P<name>{})(?:\?[^"]*)?"'
_STYLE = re.compile(rf'<link\b(?=[^>]*rel="stylesheet")[^>]*{_ADDRESS.format("[^?]*?[.]css")}[^>]*>\n?')
_THEIRS = "(?:scripts/[^?]*?|doctools|sphinx_highlight|clipboard[.]min|copybutton|togglebutton|page)[.]js"
_SCRIPT = re.compile(rf"<script\b[^>]*{_ADDRESS.format(_THEIRS)}[^>]*></script>\n?")
_EARLY = re.compile(r'<link rel="preload" as="script"[^>]*>\n?')
# What the theme's own inline scripts set things in.
_OPTIONS = re.compile(rf"<script {_ADDRESS.format('documentation_options[.]js')}></script>")
_IMPORT = re.compile(r'@import "([^"]+)";')
_URL = re.compile(r"url\((?![\"']?(?:data:|#))([\"']?)([^)\"']+)\1\)")
_MAP = re.compile(r"/\*# sourceMappingURL=.*?\*/|^//# sourceMappingURL=.*$", re.MULTILINE)
# A rule for each of two thousand icons.
_ICON = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"[^"]*"\}')
_NAME = re.compile(r"fa-[\w-]+")
_HEADER = re.compile(r"/\* joined: (.*?) \*/")
# The theme asks of each part that may scroll, also in closed folds, whether it does: half a second on a
# phone, one layout a part. An observer is told when a part is laid out, and of all at once.
_SCROLLS = "e.scrollWidth>e.clientWidth||e.scrollHeight>e.clientHeight?0:-1"
_STOP, _OBSERVE = f"e.tabIndex={_SCROLLS}", "tabStops.observe(e)"
_STOPS = f"""const tabStops=new ResizeObserver((parts)=>parts.map(({{target:e}})=>[e,{_SCROLLS}])
  .forEach(([e,stop])=>{{e.tabIndex=stop}}));"""
# On few pages.
_APART = ("sphinx-design",)


def preload(static: str, body: str) -> str:
    """Return what lets a page ask for its faces at once; from a file a browser would refuse that."""
    asked = FACES + FORMULAS * ('class="katex"' in body.partition('class="mb-explorable"')[0])
    faces = [f"{static}/vendor/fonts/{face}.woff2" for face in asked]
    link = "{rel: 'preload', as: 'font', type: 'font/woff2', crossOrigin: '', href}"
    ask = f"document.head.append(Object.assign(document.createElement('link'), {link}))"
    return f"<script>if (location.protocol !== 'file:') for (const href of {faces}) {ask};</script>\n"


def _style(path: Path, static: Path) -> str:
    """Return a style sheet as it reads from the static folder."""

    def placed(match: re.Match[str]) -> str:
        target = (path.parent / match[2].split("?")[0].split("#")[0]).resolve()
        return f'url("{target.relative_to(static).as_posix()}")'

    text = _URL.sub(placed, path.read_text(encoding="utf-8"))
    return _IMPORT.sub(lambda m: _style((path.parent / m[1]).resolve(), static), text)


def _less(style: str, shown: set[str]) -> str:
    """Leave out the icons that no page shows."""
    return _ICON.sub(lambda rule: rule[0] if shown & set(_NAME.findall(rule[1])) else "", style)


def _script(path: Path, static: Path) -> str:
    text = path.read_text("utf-8")
    return f";{_STOPS if _STOP in text else ''}{text.replace(_STOP, _OBSERVE)}\n"


def _joined(names: Iterable[str], static: Path, target: Path, read: Callable[[Path, Path], str]) -> str:
    """Join some files; return a digest of what that makes."""
    told = list(names)
    if not told and target.is_file():
        # No page is new: what was joined then may be.
        header = _HEADER.match(target.read_text(encoding="utf-8"))
        told = header[1].split() if header else []
    body = "".join(_MAP.sub("", read(static / name, static)) for name in told)
    target.write_text(f"/* joined: {' '.join(told)} */\n{body}", encoding="utf-8")
    return hashlib.sha256(body.encode()).hexdigest()[:8]


def _one(text: str, pattern: re.Pattern[str], new: str) -> str:
    """Put one element in the place of the first that matches, and of all others."""
    parts = [m for m in pattern.finditer(text) if not m["name"].startswith(_APART)]
    for match in reversed(parts):
        put = new.format(match["up"]) if match is parts[0] else ""
        text = text[: match.start()] + put + text[match.end() :]
    return text


def join(out: Path) -> None:
    """Let the pages of a built book name two joined files.

    Parameters
    ----------
    out : pathlib.Path
        The folder of the HTML that has been built.
    """
    static = (out / "_static").resolve()
    found = sorted([*out.glob("*.html"), *out.glob("book/**/*.html")])
    # The search's own scripts run at once, and need the others before.
    pages = {path: path.read_text(encoding="utf-8") for path in found if path.name != "search.html"}
    shown = {name for text in pages.values() for name in _NAME.findall(text)}
    versions = []
    for pattern, name, read in (
        (_STYLE, STYLE, lambda path, static: _less(_style(path, static), shown)),
        (_SCRIPT, SCRIPT, _script),
    ):
        named = dict.fromkeys(m["name"] for text in pages.values() for m in pattern.finditer(text))
        parts = [part for part in named if part != name and not part.startswith(_APART)]
        versions.append(f"{name}?v={_joined(parts, static, static / name, read)}")
    style = f'<link rel="stylesheet" href="{{}}{versions[0]}">\n'
    script = f'<script defer src="{{}}{versions[1]}"></script>\n'
    options = (static / "documentation_options.js").read_text(encoding="utf-8")
    for path, text in pages.items():
        new = _one(_one(_EARLY.sub("", text), _STYLE, style), _SCRIPT, script)
        new = _OPTIONS.sub(f"<script>{options}</script>", new)
        if new != text:
            path.write_text(new, encoding="utf-8")
