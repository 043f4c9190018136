"""What the views of a SQLite file are made of, by their texts: nothing of a view is run."""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ordermade.errors import SourceFault, quoted
from ordermade.sources.sqlite_text import DIALECT
from ordermade.sources.unstable import beyond, sqlite_now_in, unstable, unstable_in


def require_stable_views(texts: Mapping[str, str], name: str) -> None:
    """Raises SourceFault for a view that gives other rows each time, by name; so do the views that it reads."""
    by_name = {each.casefold(): each for each in texts}
    done: set[str] = set()
    waiting = [name]
    while waiting:
        view = waiting.pop()
        if view in done:
            continue
        done.add(view)
        tree = _parsed(view, texts[view])
        found = sqlite_now_in(texts[view]) or unstable_in(tree, DIALECT)
        if found:
            raise unstable(view, found)
        for table in tree.find_all(exp.Table):
            if table.name.lower().startswith("pragma_"):
                raise beyond(view, f"{table.name.lower()}()")
            inner = by_name.get(table.name.casefold())
            waiting += [inner] if inner is not None else []


def _parsed(view: str, text: str) -> exp.Expr:
    try:
        tree: exp.Expr | None = sqlglot.parse_one(text, dialect=DIALECT)
    except SqlglotError:
        tree = None
    made_of = tree.args.get("expression") if isinstance(tree, exp.Create) else None
    if not isinstance(made_of, exp.Query):
        raise SourceFault(
            f"what the view {quoted(view)} is made of cannot be read", next_step="Make a table of what it shows."
        )
    return made_of
