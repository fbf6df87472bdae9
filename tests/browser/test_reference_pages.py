"""The pages of the reference, as built: every name has its place, and every link in it a target."""

import re
from importlib import import_module
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from shared import ROOT

from explorable.sphinx import reference as rooms

API = sorted(path.stem for path in (ROOT / "book" / "reference" / "api").iterdir())


def ids(path: Path) -> list[str]:
    return re.findall(r'\bid="([^"]+)"', path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", API)
def test_links_lead_somewhere_and_each_id_stands_once(built_book, name):
    path = built_book / "book" / "reference" / "api" / f"{name}.html"
    text = path.read_text(encoding="utf-8")
    article = text[text.index("<article") : text.index("</article>")]
    found = re.findall(r'\bid="([^"]+)"', article)
    assert len(found) == len(set(found))
    assert article.count("<h1") == 1
    assert "system-message" not in article
    for link in set(re.findall(r'<a\b[^>]* href="([^"]+)"', article)):
        address, anchor = urldefrag(link)
        target = (path.parent / address).resolve() if address else path
        assert target.is_file(), link
        assert not anchor or anchor in ids(target), link


def test_every_public_name_has_its_place_and_is_found_from_a_chapter(built_book):
    pages = [built_book / "book" / "reference" / "api" / f"{name}.html" for name in API]
    placed = {name for page in pages for name in ids(page)}
    for room in rooms.rooms():
        public = {f"{room}.{x}" for x in import_module(room).__all__}
        assert public <= placed, f"{public - placed} stand on no page of the reference"
    chapter = (built_book / "book" / "mis" / "security.html").read_text(encoding="utf-8")
    linked = set(re.findall(r'class="mb-code" href="[^"#]*#([^"]+)"', chapter))
    assert len(linked) > 5
    assert linked <= placed
