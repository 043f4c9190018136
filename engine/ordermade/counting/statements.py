"""A statement of a request: listed by `explain`, and carried out by `run`, so that both have one list of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.sources.backend import NO_HINT, Backend, PushdownHint
from ordermade.sources.executor import Executor, Parameters, Purpose


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a request: its purpose, whether it runs in the source, the table it becomes (None: a query).

    `part` is the alias of the subquery that the source answers, `share` the workspace's, as in `Backend.keep`. With
    `view` the workspace keeps the query and not its answer: data that is read once, or in small part, needs no table.
    """

    title: str
    in_source: bool
    table: str | None
    tree: exp.Query
    part: str = ""
    share: PushdownHint = NO_HINT
    view: bool = False

    @property
    def in_workspace(self) -> exp.Expr:
        """The statement as the workspace runs it: one that keeps a table or a view, or the query itself."""
        if self.table is None:
            return self.tree
        return _viewed(self.table, self.tree) if self.view else sql.stored(self.table, self.tree)

    def keep(self, workspace: Executor, purpose: Purpose, parameters: Parameters | None = None) -> None:
        """Keep its answer in the workspace. Raises the executor's fault; ValueError for a query, which has no table."""
        if self.table is None:
            raise ValueError(f"the query {self.title!r} has no table")
        if self.view:
            workspace.rows(purpose, self.in_workspace, parameters)
        else:
            workspace.store(purpose, self.table, self.tree, parameters)


def carry_out(
    backend: Backend, purpose: Purpose, statements: Iterable[Statement], parameters: Parameters | None = None
) -> None:
    """Run statements that keep their answers, in order; `parameters` are bound in each. Raises SourceFault."""
    for each in statements:
        if each.in_source and each.table is not None:
            backend.keep(purpose, each.table, each.tree, parameters, part=each.part, share=each.share)
        else:
            each.keep(backend.workspace, purpose, parameters)


def _viewed(name: str, query: exp.Query) -> exp.Expr:
    """The statement that keeps a query as the temporary view `name`."""
    tree = sql.template("history/view")
    tree.set("this", sql.table(name))
    tree.set("expression", query)
    return tree
