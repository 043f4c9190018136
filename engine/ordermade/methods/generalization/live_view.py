"""`request run --as-view`: the released node of a request as a view that follows its table."""

from __future__ import annotations

from dataclasses import dataclass

from ordermade.errors import InputError
from ordermade.methods.generalization.measurement import grounded
from ordermade.methods.generalization.method import GENERALIZATION
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.publish import plan_of
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.methods.shared.existing_release import ReturnedResult
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.releases_without_entry import entry_of_view
from ordermade.methods.shared.result import Result
from ordermade.records.cards import HasSummary
from ordermade.release.live_view import create_view, live_view_statement, require_viewable, require_writable
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest
from ordermade.state import audit
from ordermade.state.ledger import ledger_of


@dataclass(frozen=True, slots=True, repr=False)
class LiveView(HasSummary):
    """A view that follows the table at the released levels."""

    name: str
    """Its name."""
    statement: str
    """The statement that makes it."""
    created: bool
    """Whether it was made in the source."""
    rows: int | None
    """The rows that each reading of it counts again, as they were when it was made."""

    @property
    def script(self) -> str:
        """The statement with what the view costs, as a script of SQL."""
        cost = "every row" if self.rows is None else f"all {self.rows:,} rows"
        return f"-- Each reading of the view counts {cost} again, whatever is read of it.\n{self.statement};"


def require_live(read: ReadRequest[GeneralizationRequest], context: RunContext, *, create: bool = False) -> None:
    """Raises InputError, before anything is counted, where the request has a part that no view keeps to."""
    with GENERALIZATION.opened(read, context, context.progress.statement) as open_request:
        _require_live(open_request)
        if create:
            require_writable(open_request.opened.source)


def live_view(
    read: ReadRequest[GeneralizationRequest], context: RunContext, result: Result, name: str, *, create: bool
) -> LiveView:
    """The view of the node of a request's release; made in the source where `create`.

    Raises InputError for a request that no view keeps to, ReleaseFault where it cannot be made.
    """
    if not isinstance(result, GeneralizationResult | ReturnedResult):
        raise TypeError("the result of a request for generalisation has levels")
    levels = result.levels
    with GENERALIZATION.opened(read, context, context.progress.statement) as open_request:
        _require_live(open_request)
        node = tuple(levels[each] for each in open_request.columns)
        plan = plan_of(open_request, grounded(open_request), (), node, open_request.read.request.k)
        statement = live_view_statement(plan, name)
        source = open_request.opened.source
        entry = entry_of_view(open_request, context.state) if create else None
    if entry is not None:
        create_view(source, statement, context.limits)  # where it fails the entry stays intended, and counts
        ledger_of(context.state).settle(entry.id, "released")
        with context.state.writing() as connection:
            audit.add_audit_entry(connection, "view created", f"{source.name}.{name}")
    return LiveView(name, statement, create, result.rows)


def _require_live(open_request: OpenGeneralization) -> None:
    request, resolved = open_request.resolved.request, open_request.resolved
    require_viewable(open_request.opened.backend, open_request.opened.source)
    refused = (
        (resolved.entity, "counts persons, and a view counts rows", "Use the release."),
        (resolved.sensitive or resolved.risk, "has models beyond k, which a view does not check", "Use the release."),
        (request.is_local, "recodes locally, and a view has one node", "Write `recoding: full-domain`."),
        (
            resolved.limit and request.suppressed == "star",
            "keeps suppressed rows as *, and a view leaves them out",
            "Write `suppressed: drop`.",
        ),
        (request.release.shape == "table", "releases a statistical table, and a view has rows", "Write `shape: rows`."),
    )
    for holds, why, instead in refused:
        if holds:
            raise InputError(f"no live view can be made: the request {why}", where="--as-view", next_step=instead)
