"""See the built book as a stranger will: ``python tools/rehearse.py``, with its address set.

A plain server of files offers ``_build/html`` below the path of its public address, and nothing
beside it. All addresses, links and launch buttons are followed, every page is opened in a
browser that reaches no other host, something is searched for, and a slider is moved.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, unquote, urldefrag, urljoin, urlsplit
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import browser as finder
import yaml
from playwright.sync_api import Browser, Page, TimeoutError, sync_playwright

from explorable.outputs import lite
from explorable.settings import variable
from explorable.sphinx import identity as address
from explorable.sphinx.map import all_pages

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
SETTLE = 60_000
WORD = "privacy"  # is found on many pages
LINKS = {"a": "href", "link": "href", "script": "src", "img": "src", "iframe": "src"}
SETTLED = ".mb-explorable[data-settled]:not([data-settled=no])"


class Read(HTMLParser):
    """What a page says of itself, and where its links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.told: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what an element tells."""
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        if tag == "meta":
            self.told[found.get("property", found.get("name", ""))] = found.get("content", "")
        elif tag == "link" and found.get("rel") == "canonical":
            self.told["canonical"] = found.get("href", "")
        elif LINKS.get(tag) in found:
            self.links.append(found[LINKS[tag]])


@dataclass
class Book:
    """A built book, the pages that it should have, and its public address."""

    html: Path
    pages: list[str]
    repository: str
    base: str
    root: Path = ROOT
    branch: str = "main"
    read: dict[str, Read] = field(default_factory=dict)

    @cached_property
    def below(self) -> str:
        """The path of the address, with a slash at both ends."""
        return urlsplit(self.base).path

    @cached_property
    def runs(self) -> bool:
        """Whether the site that runs in the reader's browser is there, and its button shown."""
        script = self.html / "_static" / lite.SCRIPT
        return script.is_file() and bool(script.read_text(encoding="utf-8"))

    def page(self, name: str) -> Read:
        """Return what a page says; it is read once."""
        if name not in self.read:
            self.read[name] = Read((self.html / name).read_text(encoding="utf-8"))
        return self.read[name]


@contextmanager
def hosting(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """Answer on this machine; yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def served(html: Path, below: str) -> Iterator[str]:
    """Serve a folder below a path, as a host of files does; yield its address."""

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            inside = path.startswith(below)
            return super().translate_path("/" + path[len(below) :] if inside else "/no/such/file")

        def log_message(self, *_: object) -> None:
            pass

        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(html))  # type: ignore[arg-type]

    with hosting(Handler) as host:
        yield f"{host}{below}"


def address_faults(book: Book) -> Iterator[str]:
    """Whether sitemap, robots and each page's head name the public address, and no other."""
    wanted = {f"{book.base}{page}.html" for page in book.pages}
    sitemap = book.html / "sitemap.xml"
    if not sitemap.is_file():
        yield "sitemap.xml is missing: was the book built with its address?"
        return
    found = {x.text for x in ElementTree.parse(sitemap).iter() if x.tag.endswith("}loc")}
    for other in sorted(map(str, wanted ^ found)):
        yield f"sitemap.xml: {other} is {'missing' if other in wanted else 'no page'}"
    robots = (book.html / "robots.txt").read_text(encoding="utf-8")
    if f"Sitemap: {book.base}sitemap.xml" not in robots:
        yield "robots.txt does not name the sitemap"
    for page in book.pages:
        told, own = book.page(f"{page}.html").told, f"{book.base}{page}.html"
        for name in ("canonical", "og:url"):
            if told.get(name) != own:
                yield f"{page}: {name} is {told.get(name)}"
        picture = told.get("og:image", "")
        if not picture.startswith(book.base) or not told.get("og:image:alt"):
            yield f"{page}: og:image is {picture}, {told.get('og:image:alt') or 'without words'}"
        elif not (book.html / picture.removeprefix(book.base)).is_file():
            yield f"{page}: there is no {picture}"


def launch_faults(book: Book) -> Iterator[str]:
    """Whether each launch button opens a file of this repository, and chapters have one."""
    place = "/".join(book.repository.split("/")[-2:])
    start = f"https://mybinder.org/v2/gh/{place}/{book.branch}"
    for page in book.pages:
        found = [x for x in book.page(f"{page}.html").links if "mybinder.org" in x]
        source = [book.root / f"{page}{end}" for end in (".md", ".ipynb")]
        runs = any(x.is_file() and "kernelspec" in x.read_text("utf-8") for x in source)
        if runs and not found:
            yield f"{page}: no launch button"
        for link in found:
            told = parse_qs(urlsplit(link).query).get("urlpath", [""])[0]
            name = unquote(told).removeprefix("lab/tree/")
            # Binder builds the book there, before anybody comes.
            built = book.html / name.removeprefix("_build/html/")
            there = built.is_file() or (book.root / name).is_file()
            if not link.startswith(f"{start}?") or not there:
                yield f"{page}: launches {link}"


def link_faults(book: Book, site: str) -> Iterator[str]:
    """Whether each link to the site itself answers, downloads too, and has its anchor."""
    answers: dict[str, int] = {}
    host = urljoin(site, "/")
    for page in book.pages:
        for link in book.page(f"{page}.html").links:
            # What names the public address stands there once it is published.
            target, anchor = urldefrag(urljoin(f"{site}{page}.html", link.replace(book.base, site)))
            hidden = not book.runs and target.startswith(f"{site}{lite.SITE}/")
            if hidden or not target.startswith(host):
                continue
            if target not in answers:
                answers[target] = status(target)
            if answers[target] != 200:
                yield f"{page}: {link} answers {answers[target]}"
            elif anchor and target.endswith(".html"):
                name = unquote(target.removeprefix(site))
                if unquote(anchor) not in book.page(name).ids:
                    yield f"{page}: {link} has no such place"


def status(target: str) -> int:
    try:
        with urlopen(Request(target, method="HEAD"), timeout=30) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


@contextmanager
def stranger(browser: Browser, site: str) -> Iterator[tuple[Page, list[str]]]:
    """Open a browser's window that reaches nothing but the site; yield what goes wrong in it."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    faults: list[str] = []
    own = (site, "data:", "blob:")

    def judge(route: object) -> None:
        url = route.request.url  # type: ignore[attr-defined]
        if url.startswith(own):
            route.continue_()  # type: ignore[attr-defined]
        else:
            faults.append(f"asks {url}")
            route.abort()  # type: ignore[attr-defined]

    context.route("**/*", judge)
    context.on("response", lambda x: faults.append(f"{x.url}: {x.status}") if x.status > 399 else None)
    context.on("weberror", lambda x: faults.append(f"error: {x.error}"))
    context.set_default_timeout(SETTLE)
    try:
        yield context.new_page(), faults
    finally:
        context.close()


@contextmanager
def shut_in(browser: Browser, site: str) -> Iterator[tuple[Page, set[str]]]:
    """Open a window where whatever goes to another host meets a shut door; yield what went there."""
    shut = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}
    context = browser.new_context(viewport={"width": 1200, "height": 1000}, proxy=shut)
    own = ("/".join(site.split("/")[:3]), "data:", "blob:")
    asked: set[str] = set()
    context.on("request", lambda r: r.url.startswith(own) or asked.add(r.url))
    try:
        yield context.new_page(), asked
    finally:
        context.close()


def walk(browser: Browser, site: str, pages: list[str]) -> Iterator[str]:
    """Whether every page opens, asks nothing of another host, and draws its first panel."""
    with stranger(browser, site) as (page, faults):
        for name in pages:
            page.goto(f"{site}{name}.html")
            panels = page.locator("section.mb-explorable")
            if panels.count():
                panels.first.scroll_into_view_if_needed()
                page.wait_for_selector(SETTLED)
            yield from (f"{name}: {fault}" for fault in faults)
            faults.clear()


def use(browser: Browser, site: str, front: str, word: str = WORD) -> Iterator[str]:
    """Whether who arrives at the top gets to the front page, moves a slider, and can search."""
    with stranger(browser, site) as (page, faults):
        page.goto(site)
        page.wait_for_url(f"{site}{front}.html")
        panel = page.locator(".mb-explorable", has=page.locator(".mb-range")).first
        panel.scroll_into_view_if_needed()
        page.wait_for_selector(SETTLED)
        before = panel.get_attribute("data-settled")
        panel.locator(".mb-range").first.press("ArrowRight")
        page.wait_for_timeout(1000)
        if panel.get_attribute("data-settled") in (before, "no"):
            yield "the slider does not move the panel"
        page.goto(f"{site}search.html?q={word}")
        try:
            page.locator("#search-results li a").first.click(timeout=SETTLE / 3)
            page.wait_for_load_state()
        except TimeoutError:
            yield f"the search finds no {word!r}"
        yield from faults


def runs(browser: Browser, site: str, name: str) -> Iterator[str]:
    """Whether a notebook opens in the site that runs in the reader's browser, from here alone."""
    with stranger(browser, site) as (page, faults):
        page.goto(f"{site}{lite.SITE}/notebooks/index.html?path={name}.ipynb")
        try:
            page.wait_for_selector(".jp-Notebook h1", timeout=3 * SETTLE)
        except TimeoutError as late:
            yield f"{name} does not open in {lite.SITE}: {late}"
        yield from faults


def prints(book: Book) -> str:
    """Say whether the printed book is there; that is another command's work."""
    there = (book.html / "pdf" / "mipbook.pdf").is_file()
    return "with its PDF" if there else "without a PDF: python -m mipbook pdf"


def main() -> None:
    """Rehearse; say what was seen, or leave with what is wrong."""
    url = address.repository()
    if url is None or not HTML.is_dir():
        sys.exit(f"Set {variable(address.REPOSITORY)} and build the book with it: make book")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    base = config["html"].get("baseurl") or address.book_of(url)
    if not base:
        sys.exit("The address of the pages is not known. Name it in _config.yml: html: {baseurl:}")
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    book = Book(HTML, all_pages(contents), url, base.rstrip("/") + "/")
    faults = [*address_faults(book), *launch_faults(book)]
    with served(HTML, book.below) as site, sync_playwright() as playwright:
        faults += link_faults(book, site)
        _, browser = finder.start(playwright)
        faults += [*walk(browser, site, book.pages), *use(browser, site, contents["root"])]
        if book.runs:
            faults += runs(browser, site, "mip/noise")
        browser.close()
    links = sum(len(read.links) for read in book.read.values())
    print(f"{len(book.pages)} pages and {links} links of {book.base}, {prints(book)}")
    if faults:
        sys.exit("\n".join(dict.fromkeys(faults)))
    print("A stranger finds nothing amiss.")


if __name__ == "__main__":
    main()
