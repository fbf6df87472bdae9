"""What long runs found, stored with the package; ``studies/`` in the repository makes it."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.stored.limits import Ladder, Table1, ladder, table1
    from mipbook.stored.store import StoredRun, load, names
    from mipbook.stored.tools import tool_answers, tool_versions

__getattr__, __dir__, __all__ = lazy.attach(__name__)
