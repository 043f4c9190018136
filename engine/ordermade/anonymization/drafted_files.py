"""The request of a registered dataset, drafted: its text, the files of its hierarchies, the commands before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.anonymization.options import AnonymizeOptions
from ordermade.anonymization.outputs import file_name, shell_line
from ordermade.anonymization.plan import request_draft
from ordermade.anonymization.proposal import Proposal, proposed
from ordermade.anonymization.tables import RegisteredTable, free_name
from ordermade.drafts.hierarchies import file_names
from ordermade.drafts.request import drafted_request
from ordermade.requests.placeholders import CHANGE_ME

if TYPE_CHECKING:
    from ordermade.engine import Engine


@dataclass(frozen=True, slots=True)
class DraftedFiles:
    """A drafted request: its `text`, the other `files` by their names beside it, and the `commands` to give first.

    `proposal`: the roles and hierarchies that it goes by.
    """

    text: str
    files: Mapping[str, str | bytes]
    commands: tuple[str, ...]
    proposal: Proposal


def drafted_files(engine: Engine, dataset: str, k: int | None = None, *, beside: str | None = None) -> DraftedFiles:
    """The draft of a request for a registered dataset; k is its least k where none is given.

    `beside`: the name of the folder of the hierarchies' files, seen from the request. Without it there are no files,
    and a hierarchy that is not registered is a placeholder. A hierarchy that is registered under the name of its
    column is taken as it is. Raises InputError (UnknownName), Refused, SourceFault, StateFault.
    """
    found = engine.datasets.get(dataset)
    source = engine.sources.get(found.source_name)
    with engine.datasets.open(dataset) as opened:
        columns = opened.columns
    table = RegisteredTable(
        source=source.name,
        table=found.table_name or "",
        name=dataset,
        columns=columns,
        location=source.location,
        kind=source.kind,
        terms=found.terms,
        entity=found.entity_column,
        query=found.query_text,
    )
    proposal = proposed(engine, table, AnonymizeOptions(k=k or found.terms.least_k))
    known = {each.name for each in engine.hierarchies.list()}
    plan = proposal.plan
    of_files = file_names([each.column for each in plan.hierarchies])
    names: dict[str, str] = {}
    files: dict[str, str | bytes] = {}
    commands: list[str] = []
    if proposal.query is not None and beside is not None:
        dataset = free_name(f"{dataset} read", {each.name for each in engine.datasets.list()})
        files[f"{beside}/dataset.sql"] = proposal.query + "\n"
        commands.append(_add_dataset(proposal, dataset, f"{beside}/dataset.sql"))
    for each in plan.hierarchies:
        if each.column in known:
            names[each.column] = each.column
        elif beside is None:
            names[each.column] = CHANGE_ME
        else:
            name = names[each.column] = free_name(each.column, known)
            files[f"{beside}/{of_files[each.column]}"] = each.content
            commands.append(shell_line("hierarchy add", [name, f"{beside}/{of_files[each.column]}"]))
    draft = request_draft(
        plan,
        proposal.wanted,
        dataset=dataset,
        hierarchies=names,
        numbers=proposal.numbers,
        censored=proposal.censored,
        to=f"{file_name(dataset)}.anonymized.csv",
        method="full-domain",
        head=tuple(_head(proposal, with_files=beside is not None)),
    )
    return DraftedFiles(drafted_request(draft), files, tuple(commands), proposal)


def _add_dataset(proposal: Proposal, dataset: str, query: str) -> str:
    persons = [] if proposal.wanted.entity is None else ["--entity", proposal.wanted.entity]
    options = ["--source", proposal.table.source, "--query", query, *persons, "--least-k", str(proposal.least_k)]
    return shell_line("dataset add", [dataset], options)


def _head(proposal: Proposal, *, with_files: bool) -> list[str]:
    """The comments above a request: each column with its role, and why."""
    lines = ["A draft: look at the role of each column, and move it where it belongs.", ""]
    lines += [f"{_one_line(each.column)}: {each.role}, {each.reason}" for each in proposal.plan.roles]
    by_query = "" if with_files else ": `request draft --to` writes the query for it"
    lines += [f"{_one_line(each.column)} is read as {each.reason}{by_query}" for each in proposal.readings]
    return [*lines, ""]


def _one_line(name: str) -> str:
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in name)
