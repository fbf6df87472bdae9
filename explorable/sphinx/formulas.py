"""Formulas are set while the book is built, so that a reader's machine has nothing to set.

KaTeX writes each as HTML, with MathML inside for who listens.  It is done when a page was read.
"""

import functools
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util import logging
from sphinxcontrib import katex

from explorable import node as program

_logger = logging.getLogger(__name__)
# The styles and faces are those of this version.
VERSION = "0.16.22"
_PROGRAM = Path(__file__).with_name("formulas.cjs")


@functools.cache
def formula(latex: str, display: bool = False) -> str:
    r"""Return a formula as HTML.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> "<mi>ε</mi>" in formula(r"\varepsilon")
    True
    """
    if not display:  # a narrow screen has no room for some, and KaTeX breaks no line at a comma
        latex = latex.replace(r",\,", r",\allowbreak\,")
    katex_file = Path(katex.__file__).with_name("katex.min.js")
    try:
        return str(program.ask([latex, display], str(_PROGRAM), str(katex_file))["html"])
    except ValueError as error:
        raise ValueError(f"{latex}: {error}") from None


def set_formulas(app: Any, document: nodes.document) -> None:
    """Set the formulas of a page that was read."""
    for node in document.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)):
        try:
            node["html"] = formula(node.astext().strip(), isinstance(node, nodes.math_block))
        except ValueError as error:
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
