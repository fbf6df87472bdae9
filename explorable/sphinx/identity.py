"""The book's mark, its address, and what each page says of itself to those who share it.

The mark is the book's question in its own colours: one half of a disc is *in*, the other *out*.
``tools/picture.py`` makes the two pictures that must be pixels.  Where the book stands all comes from
one variable, such as ``MIPBOOK_REPOSITORY_URL``: without it a build names no address at all, for only the
owner knows the repository's.  With it come launch buttons, canonical addresses, a sitemap, and a
picture for a link to each page: its title and its goal, in the book's own faces, kept by content.
"""

import hashlib
import html
import io
import re
import shutil
from collections.abc import Iterable
from itertools import chain, groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from PIL import Image, ImageDraw, ImageFont

from explorable import settings, validate
from explorable.palette import BACKGROUND, DARK_TWIN, INK, TONES

REPOSITORY, BRANCH = "REPOSITORY_URL", "REPOSITORY_BRANCH"
_SHAPE = re.compile(r"https://[a-z0-9.-]+(:\d+)?/[\w.-]+/[\w.-]+", flags=re.I)
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
# Sphinx makes these of no page of ours, and a search engine has no use for them.
_UNLISTED = {"genindex", "py-modindex", "search"}


def repository() -> str | None:
    """Return the repository's address as the environment names it; None if it does not.

    Raises
    ------
    ValueError
        If it is no address such as ``https://github.com/owner/mipbook``.
    """
    url = settings.told(REPOSITORY).strip().removesuffix("/").removesuffix(".git")
    if url and not _SHAPE.fullmatch(url):
        example = f"https://github.com/owner/{settings.name()}"
        validate.refuse(settings.variable(REPOSITORY), url, f"an address such as {example}")
    return url or None


def book_of(url: str) -> str | None:
    """Return where the host of a repository publishes its pages; None if that is not known.

    Examples
    --------
    >>> book_of("https://github.com/Owner/mipbook")
    'https://owner.github.io/mipbook/'
    >>> book_of("https://github.com/owner/owner.github.io")
    'https://owner.github.io/'
    >>> book_of("https://git.example.org/owner/mipbook")
    """
    _, _, host, owner, name = url.split("/")
    hosts = {"github.com": "github.io", "gitlab.com": "gitlab.io"}
    if host.lower() not in hosts:
        return None
    site = f"{owner.lower()}.{hosts[host.lower()]}"
    return f"https://{site}/" if name.lower() == site else f"https://{site}/{name}/"


def sitemap(base: str, pages: Iterable[str]) -> str:
    """Return the list of a book's pages that search engines read.

    Parameters
    ----------
    base : str
        The book's address, with a slash at its end.
    pages : iterable of str
        The addresses of its pages below it.

    Examples
    --------
    >>> "<loc>https://example.org/a.html</loc>" in sitemap("https://example.org/", ["a.html"])
    True
    """
    root = ElementTree.Element("urlset", xmlns=_SITEMAP)
    for page in pages:
        ElementTree.SubElement(ElementTree.SubElement(root, "url"), "loc").text = base + page
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def name_address(app: Any, config: Any) -> None:
    """Tell the theme where the repository and the book stand, if anywhere, and pages ``{{ repository }}``."""
    url = repository()
    told = f"[this book's repository]({url})" if url else "this book's repository (ask its publisher)"
    config.myst_substitutions = {**getattr(config, "myst_substitutions", {}), "repository": told}
    if url is None:
        return
    launch = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
    shown = {"path_to_docs": "", "use_repository_button": True, "launch_buttons": launch}
    branch = settings.told(BRANCH) or "main"
    config.html_theme_options.update(shown, repository_url=url, repository_branch=branch)
    # Who has a domain of his own names it in _config.yml: html: {baseurl: ...}.
    if not config.html_baseurl:
        config.html_baseurl = book_of(url) or ""


def write_lists(app: Any, error: Exception | None) -> None:
    """Write what search engines read, where the book has an address."""
    if error is not None:
        return
    base, folder = app.config.html_baseurl, Path(app.outdir)
    listed, crawled = folder / "sitemap.xml", folder / "robots.txt"
    # What an earlier build said of an address may not be true of this one.
    listed.unlink(missing_ok=True)
    crawled.unlink(missing_ok=True)
    if base:
        base = base.rstrip("/") + "/"
        # All pages, whichever of them this build has written.
        pages = map(app.builder.get_target_uri, sorted(app.env.found_docs - _UNLISTED))
        listed.write_text(sitemap(base, pages), encoding="utf-8")
        crawled.write_text(f"User-agent: *\nAllow: /\n\nSitemap: {base}sitemap.xml\n", encoding="utf-8")


SIZE = (1200, 630)  # what those who show links expect
FOLDER = "cards"
_FONTS = Path(__file__).parents[1] / "fonts"
_FILES = Path(__file__).parents[1] / "brand"
_STRIPE, _LEFT, _RIGHT = 20, 92, 72
_HEAD, _FOOT = 158, 552  # where the title begins, and what is told of it must end
_LEADING = 1.22
_BOLD, _PLAIN = 700, 400


class _Face:
    """A face of the book, of which each file holds one script."""

    def __init__(self, name: str, size: int, weight: int) -> None:
        self.size = size
        files = {script: _FONTS / f"{name}-{script}-wght-normal.woff2" for script in ("latin", "greek")}
        self.scripts = {script: ImageFont.truetype(file, size) for script, file in files.items()}
        for font in self.scripts.values():
            font.set_variation_by_axes([weight])

    def runs(self, text: str) -> list[tuple[str, ImageFont.FreeTypeFont]]:
        """Return a text in parts, each with the font that has its letters."""
        scripts = groupby(text, lambda letter: "greek" if "Ͱ" <= letter <= "Ͽ" else "latin")
        return [("".join(letters), self.scripts[script]) for script, letters in scripts]

    def width(self, text: str) -> float:
        return sum(font.getlength(part) for part, font in self.runs(text))


def wrapped(text: str, face: Any, width: float, most: int) -> list[str] | None:
    """Break a text into lines; None if it takes more than there is room for.

    Parameters
    ----------
    text : str
        The text, in one line.
    face : object
        What tells the ``width`` of a text.
    width : float
        The room for a line.
    most : int
        The room for lines.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> wrapped("one two three", SimpleNamespace(width=len), 7, 2)
    ['one two', 'three']
    >>> wrapped("one two three", SimpleNamespace(width=len), 7, 1)
    """
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and face.width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines if len(lines) <= most and all(face.width(x) <= width for x in lines) else None


def _fitted(
    text: str, name: str, weight: int, sizes: tuple[int, ...], height: float
) -> tuple[_Face, list[str]]:
    """Return the largest face in which a text fits, and its lines; else as much as fits."""
    room, words = SIZE[0] - _LEFT - _RIGHT, text.split()
    for size in sizes:
        face, most = _Face(name, size, weight), int(height / size / _LEADING)
        if lines := wrapped(text, face, room, most):
            return face, lines
    while words and not (lines := wrapped(" ".join([*words, "…"]), face, room, most)):
        words.pop()
    return face, lines or []


def _put(
    canvas: ImageDraw.ImageDraw, face: _Face, lines: list[str], top: float, colour: str, left: float = _LEFT
) -> float:
    """Write lines below each other, and return where the next thing may stand."""
    for line in lines:
        at, baseline = left, top + face.size
        for part, font in face.runs(line):
            canvas.text((at, baseline), part, font=font, fill=colour, anchor="ls")
            at += font.getlength(part)
        top += _LEADING * face.size
    return top


def draw(title: str, about: str, colour: str, address: str) -> bytes:
    """Return the picture of a page, as PNG.

    Parameters
    ----------
    title, about : str
        Its title and what it is about, plain text.
    colour : str
        Of its part of the book.
    address : str
        Where the book stands, without the protocol.

    Examples
    --------
    >>> draw("Which ε?", "A target in, an ε out.", INK, "example.org")[1:4]
    b'PNG'
    """
    image = Image.new("RGB", SIZE, BACKGROUND[0])
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((0, 0, _STRIPE, SIZE[1]), fill=colour)
    with Image.open(_FILES / "icon.png") as icon:
        image.paste(icon.convert("RGB").resize((88, 88)), (_LEFT - 10, 40))
    _put(canvas, _Face("source-sans-3", 44, _BOLD), [settings.book().title], 54, INK, _LEFT + 92)
    head, lines = _fitted(title, "source-sans-3", _BOLD, (80, 66), 245)
    below = _put(canvas, head, lines, _HEAD, INK) + 22
    told, lines = _fitted(about, "source-serif-4", _PLAIN, (38, 34, 30), _FOOT - below)
    _put(canvas, told, lines, below, TONES["soft"][0])
    _put(canvas, _Face("source-sans-3", 30, _PLAIN), [address], 562, TONES["soft"][0])
    saved = io.BytesIO()
    image.quantize(64).save(saved, "PNG", optimize=True)
    return saved.getvalue()


def idea(page: str) -> str:
    """Return the colour of a page's part of the book, such as that of ``book/mip/noise``.

    Examples
    --------
    >>> idea("book/index") == INK
    True
    """
    part = page.split("/")[1] if page.count("/") > 1 else ""
    own = settings.book()
    return own.ideas[own.parts[part][1]] if part in own.parts else INK


def picture(static: Path, kept: Path, *told: str) -> str:
    """Put a page's picture among the book's files, and return its name there.

    Parameters
    ----------
    static : pathlib.Path
        The book's folder ``_static``.
    kept : pathlib.Path
        Where pictures stay from build to build.
    *told : str
        What `draw` takes.
    """
    # A picture that changed gets another name: those who show links keep the old one for long.
    own = Path(__file__).read_text(encoding="utf-8")  # another way to draw is another picture
    digest = hashlib.sha256("\0".join((*told, own)).encode()).hexdigest()[:16]
    name = f"{digest}.png"
    if not (kept / name).is_file():
        kept.mkdir(parents=True, exist_ok=True)
        (kept / name).write_bytes(draw(*told))
    (static / FOLDER).mkdir(exist_ok=True)
    shutil.copy(kept / name, static / FOLDER / name)
    return f"{FOLDER}/{name}"


# The faces of the text, and of formulas on the first screen: lines break anew when a face comes late.
FACES = ("source-sans-3-latin-wght-normal", "source-serif-4-latin-wght-normal")
FORMULAS = ("katex/KaTeX_Main-Regular", "katex/KaTeX_Math-Italic")
LONGEST = 160
# The picture of the whole book, for its front page and for a book without an address.
_PICTURE = "share.png"
_TAGS = re.compile(r"<[^>]+>")


def mark(inside: str, outside: str, style: str = "") -> str:
    """Return the mark as SVG.

    Parameters
    ----------
    inside, outside : str
        The colours of its halves.
    style : str
        CSS for it; the halves have the classes ``i`` and ``o``.

    Examples
    --------
    >>> mark("black", "white").count("white")
    1
    """
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32">'
        f'{style}<path class="i" d="M14.5 2.5a13.5 13.5 0 0 0 0 27z" fill="{inside}"/>'
        f'<path class="o" d="M18.5 4.2a12 12 0 0 1 0 23.6" fill="none" stroke="{outside}" '
        'stroke-width="3.4" stroke-dasharray="6.2 3.2"/></svg>'
    )


def marks() -> dict[str, str]:
    """Return the mark for light and for dark pages, and for a browser's tab, by the names of files."""
    light = settings.book().mark
    dark = DARK_TWIN[light[0]], DARK_TWIN[light[1]]
    # A tab follows the system, whatever the page is set to.
    follows = f"{{ .i {{ fill: {dark[0]} }} .o {{ stroke: {dark[1]} }} }}"
    tab = mark(*light, f"<style>@media (prefers-color-scheme: dark) {follows}</style>")
    return {"favicon.svg": tab, "mark-light.svg": mark(*light), "mark-dark.svg": mark(*dark)}


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def description(doctree: nodes.document | None) -> str:
    """Return what a page is about: a chapter's goal, or else its first words without a formula.

    Parameters
    ----------
    doctree : docutils.nodes.document or None
        The page; None for one that Sphinx makes up.
    """
    found = list(doctree.findall(nodes.paragraph)) if doctree is not None else []
    goals = (p.astext().removeprefix("Goal") for p in found if "mb-head-goal" in p["classes"])
    plain = (p for p in found if isinstance(p.parent, nodes.section) and not p.next_node(nodes.math))
    told = next(chain(goals, (p.astext() for p in plain)), None)
    return _short(told) if told is not None else settings.book().about


def tags(
    title: str, about: str, static: str, public: str, address: str, picture: tuple[str, str] | None
) -> str:
    """Return the lines for the head of a page.

    Parameters
    ----------
    title : str
        The page's title, plain text.
    about : str
        What it is about, plain text.
    static : str
        The way from the page to the folder ``_static``.
    public : str
        The same folder for those who share the page; an address, where the book has one.
    address : str
        The page's own address, where the book has one.
    picture : tuple of str or None
        The picture for a link to it: its name in ``_static``, and what it shows, in words; None for
        that of the book.

    Examples
    --------
    >>> "share.png" in tags("Title", "About", "_static", "https://example.org/_static", "", None)
    True
    """
    title, about = html.escape(title), html.escape(about)
    file, shown = picture or (_PICTURE, settings.book().picture)
    named = {"og:type": "article", "og:site_name": settings.book().title}
    named |= {"og:title": title, "og:description": about, "og:image": f"{public}/{file}"}
    named |= {"og:image:width": str(SIZE[0]), "og:image:height": str(SIZE[1])}
    named |= {"og:image:alt": html.escape(shown)}
    named |= {"og:url": html.escape(address)} if address else {}
    lines = [
        f'<link rel="icon" type="image/svg+xml" href="{static}/favicon.svg">',
        f'<link rel="icon" type="image/png" sizes="180x180" href="{static}/icon.png">',
        f'<link rel="apple-touch-icon" href="{static}/icon.png">',
        f'<meta name="description" content="{about}">',
        '<meta name="twitter:card" content="summary_large_image">',
        *(f'<meta property="{name}" content="{text}">' for name, text in named.items()),
    ]
    return "\n".join(lines) + "\n"


def preload(static: str, body: str) -> str:
    """Return what lets a page ask for its faces at once; from a file a browser would refuse that."""
    asked = FACES + FORMULAS * ('class="katex"' in body.partition('class="mb-explorable"')[0])
    faces = [f"{static}/vendor/fonts/{face}.woff2" for face in asked]
    link = "{rel: 'preload', as: 'font', type: 'font/woff2', crossOrigin: '', href}"
    ask = f"document.head.append(Object.assign(document.createElement('link'), {link}))"
    return f"<script>if (location.protocol !== 'file:') for (const href of {faces}) {ask};</script>\n"


def write_files(app: Any) -> None:
    """Put the mark and the pictures of the book among its files."""
    static = Path(app.outdir) / "_static"
    shutil.copytree(_FILES, static, dirs_exist_ok=True)
    for name, text in marks().items():
        (static / name).write_text(text, encoding="utf-8")


def dress(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Put what a page says of itself into its head, and the mark above the list of pages."""
    static, base = context["pathto"]("_static", resource=True), app.config.html_baseurl.rstrip("/")
    title = html.unescape(_TAGS.sub("", context.get("title", settings.book().title)))
    about, shown = description(doctree), None
    if base and doctree is not None and page != app.config.root_doc:
        folders = Path(app.outdir, "_static"), Path(app.outdir).parent / ".cards"
        name = picture(*folders, title, about, idea(page), base.partition("://")[2])
        shown = name, f"The page's title, {title}, and what it is about: {about}"
    public = f"{base}/_static" if base else static
    lines = tags(title, about, static, public, context.get("pageurl") or "", shown)
    context["metatags"] = preload(static, context.get("body", "")) + context.get("metatags", "") + lines
    images = {theme: f"{static}/mark-{theme}.svg" for theme in ("light", "dark")}
    context["theme_logo"] = {"text": settings.book().title, "image_relative": images}
