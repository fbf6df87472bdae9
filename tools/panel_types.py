"""Write what a figure tells its panel into the types of the panel's script: ``python tools/panel_types.py``.

With ``--check`` nothing is written, and a stale file is an error.
"""

import inspect
import re
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from explorable.panels import protocol

FILE = Path(__file__).resolve().parent.parent / "explorable/panels/js/types.d.ts"
TOLD = (protocol.Track, protocol.Grab, protocol.Scene, protocol.Told)
PLAIN = {str: "string", float: "number", bool: "boolean", Any: "any"}
START = "// From here to the next line of this kind: written by tools/panel_types.py.\n"
END = "// Up to here: written by tools/panel_types.py.\n"


def typescript(hint: Any) -> str:
    """Return a type of Python as one of TypeScript."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " | ".join(map(typescript, inner))
    if origin is Sequence:
        return "ArrayLike<any>" if inner == (Any,) else f"{typescript(inner[0])}[]"
    if origin is Mapping:
        return f"Record<{', '.join(map(typescript, inner))}>"
    if origin is tuple:
        return f"[{', '.join(map(typescript, inner))}]"
    return hint.__name__ if hint in TOLD else PLAIN[hint]


def said(of: type) -> dict[str, str]:
    """Return what the docstring says of each attribute."""
    text = inspect.getdoc(of).split("Attributes\n----------\n")[1].split("\n\n")[0]
    found = re.findall(r"^(\w[\w, ]*) : .*\n((?:    .*\n?)+)", text, re.MULTILINE)
    return {
        name: " ".join(words.split()).replace("``", "`")
        for names, words in found
        for name in names.split(", ")
    }


def written() -> str:
    """Return the interfaces."""
    lines = []
    for each in TOLD:
        lines += [f"/** {inspect.getdoc(each).splitlines()[0]} */", f"export interface {each.__name__} {{"]
        hints, words = get_type_hints(each), said(each)
        for name, hint in hints.items():
            optional = "" if name in each.__required_keys__ else "?"
            lines.append(f"  /** {words[name]} */")
            lines.append(f"  {name}{optional}: {typescript(hint)};")
        lines += ["}", ""]
    return "\n".join(lines)


def main() -> None:
    """Write the file, or leave with a line where it is stale."""
    text = FILE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    wanted = before + START + written() + END + rest.split(END)[1]
    if "--check" not in sys.argv:
        FILE.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit(f"{FILE.name} is stale: python tools/panel_types.py writes what a figure tells its panel")


if __name__ == "__main__":
    main()
