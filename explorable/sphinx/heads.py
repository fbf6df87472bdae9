"""What a page loads, in few files: one style sheet, one script of the theme's, and the panels' own.

A phone asks for six files at a time, and the theme, Sphinx and its extensions bring thirty.  They are joined
when all pages are written.  The lists that later commands write stay files of their own.
"""

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
# A rule of a style sheet, at any depth; a class in its selector, or what a selector says of none.
_RULE = re.compile(r"(?P<kept>(?:\s*/\*(?:(?!\*/).)*\*/)*)(?P<who>[^{}@;]+)\{(?P<what>[^{}]*)\}", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)|\[[^\]]*\]")
# What may be, or must not; and a comma between two selectors, of those without a list in a list.
_MAYBE = re.compile(r":(?:not|is|where)\((?:[^()]|\([^()]*\))*\)")
_NESTED, _COMMA = re.compile(r"\([^)]*\("), re.compile(r",(?![^(]*\))")
# What a page, or a script, calls a class; a script may make one of its beginning.
_CLASSES = re.compile(r'class="([^"]*)"')
_WORD = re.compile(r"-?[A-Za-z_][\w-]*")
_HEADER = re.compile(r"/\* joined: (.*?) \*/")
# The theme asks of each part that may scroll, also in closed folds, whether it does: half a second on a
# phone, one layout a part. An observer is told when a part is laid out, and of all at once.
_SCROLLS = "e.scrollWidth>e.clientWidth||e.scrollHeight>e.clientHeight?0:-1"
_STOP, _OBSERVE = f"e.tabIndex={_SCROLLS}", "tabStops.observe(e)"
_STOPS = f"""const tabStops=new ResizeObserver((parts)=>parts.map(({{target:e}})=>[e,{_SCROLLS}])
  .forEach(([e,stop])=>{{e.tabIndex=stop}}));"""
# It forgets that a formula may scroll, too.
_FORMULA = ('["pre",".nboutput', '["pre",".katex-display",".nboutput')
# A `:has` that any element may fit is asked again of each that comes, while a page is read and drawn.
_DEAR = {":has(:focus-visible)": ":focus-within", ":has(> *:nth-child(2))": ":has(> .cell_output)"}
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
    for dear, cheap in _DEAR.items():
        text = text.replace(dear, cheap)
    return _IMPORT.sub(lambda m: _style((path.parent / m[1]).resolve(), static), text)


def _called(static: Path, pages: Iterable[str]) -> tuple[set[str], tuple[str, ...]]:
    """Return all classes that a page or a script may give, and the beginnings of those that scripts make."""
    words = {word for text in pages for told in _CLASSES.findall(text) for word in told.split()}
    folders = (static, static / "scripts")
    for path in (path for folder in folders for path in folder.glob("*.js") if path.name != SCRIPT):
        words |= set(_WORD.findall(path.read_text(encoding="utf-8")))
    return words, tuple(word for word in words if word.endswith("-") and len(word) > 1)


def _less(style: str, called: tuple[set[str], tuple[str, ...]]) -> str:
    """Leave out what is said of classes that no page has and no script gives: half of all.

    Examples
    --------
    >>> _less("/*! A, (B, C) @d */.a,.b{x:y}.b:not(.a){z:w}.a:not(.b){v:u}", ({"a"}, ()))
    '/*! A, (B, C) @d */.a{x:y}.a:not(.b){v:u}'
    """
    words, begun = called

    def needed(selector: str) -> bool:
        names = filter(None, _CLASS.findall(_MAYBE.sub("", selector)))
        return all(name in words or name.startswith(begun) for name in names)

    def rule(match: re.Match[str]) -> str:
        who, kept = _COMMENT.sub("", match["who"]), match["kept"] + "".join(_COMMENT.findall(match["who"]))
        found = [each for each in ([who] if _NESTED.search(who) else _COMMA.split(who)) if needed(each)]
        return f"{kept}{','.join(found)}{{{match['what']}}}" if found else kept

    return _RULE.sub(rule, style)


def _script(path: Path, static: Path) -> str:
    text = path.read_text("utf-8")
    told = text.replace(_STOP, _OBSERVE).replace(*_FORMULA)
    return f";{_STOPS if _STOP in text else ''}{told}\n"


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


def _one(text: str, pattern: re.Pattern[str], new: str, at: int = 0) -> str:
    """Put one element in the place of that which matches, the first or the last, and of all others."""
    parts = [m for m in pattern.finditer(text) if not m["name"].startswith(_APART)]
    for match in reversed(parts):
        put = new.format(match["up"]) if match is parts[at] else ""
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
    pages = {path: path.read_text(encoding="utf-8") for path in found}
    called = _called(static, pages.values())
    pages = {path: text for path, text in pages.items() if path.name != "search.html"}
    versions = []
    for pattern, name, read in (
        (_STYLE, STYLE, lambda path, static: _less(_style(path, static), called)),
        (_SCRIPT, SCRIPT, _script),
    ):
        named = dict.fromkeys(m["name"] for text in pages.values() for m in pattern.finditer(text))
        parts = [part for part in named if part != name and not part.startswith(_APART)]
        versions.append(f"{name}?v={_joined(parts, static, static / name, read)}")
    style = f'<link rel="stylesheet" href="{{}}{versions[0]}">\n'
    script = f'<script defer src="{{}}{versions[1]}"></script>\n'
    options = (static / "documentation_options.js").read_text(encoding="utf-8")
    for path, text in pages.items():
        # The theme's own comes after the panels', which then ask for plotly a quarter of a second earlier.
        new = _one(_one(_EARLY.sub("", text), _STYLE, style), _SCRIPT, script, -1)
        new = _OPTIONS.sub(f"<script>{options}</script>", new)
        if new != text:
            path.write_text(new, encoding="utf-8")
