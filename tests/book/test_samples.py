"""The pages that a run by day tries by hand show every kind of thing that the book has."""

import pytest
import samples
import yaml
from shared import ROOT

from explorable.sphinx.map import all_pages

PAGES = all_pages(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("way", samples.KINDS)
def test_every_kind_is_on_a_page_that_is_tried_by_day(built_book, way):
    left = samples.missing(way, built_book, PAGES)
    assert not left, f"nothing by day shows {sorted(left)}: add a page to SAMPLE[{way!r}] in tests/samples.py"
