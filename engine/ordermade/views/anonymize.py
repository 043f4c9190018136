"""The output of `ordermade anonymize`: the proposed roles, the command that gives them, and the answer."""

from __future__ import annotations

import csv
import io
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ordermade.anonymization.options import unless_persons
from ordermade.methods.shared import released_columns
from ordermade.methods.shared import result as words
from ordermade.offers.offer import beneath, offer_table
from ordermade.privacy.least_k import in_words
from ordermade.records.cells import counted, percent
from ordermade.release.files import manifest_of
from ordermade.views.lost_detail import lost_in_words
from ordermade.views.readings import say_unnamed
from ordermade.views.records import reasons
from ordermade.views.screen import from_here, notify, print_facts, print_table, say

if TYPE_CHECKING:
    from ordermade.anonymization.anonymized import Anonymized, ComparedRelease
    from ordermade.anonymization.proposal import Proposal
    from ordermade.drafts.persons import RepeatedKey
    from ordermade.drafts.plausibility import ImplausibleValues

METHODS: Mapping[str, str] = MappingProxyType(
    {
        "full-domain": "full-domain generalisation",
        "local": "sealed local recoding",
        "mondrian": "Mondrian along the hierarchies",
        "microaggregation": "microaggregation",
    }
)


def print_proposal(proposal: Proposal) -> None:
    """The table of the roles, and how messy columns are read."""
    rows = list(_proposed_rows(proposal))
    print_table(("column", "role", "reason"), rows, title=f"{proposal.table.name}: {proposal.rows:,} rows")
    print_readings(proposal)


def print_readings(proposal: Proposal) -> None:
    """A line for each column that is read as something else than its text, or that looks as if it could be."""
    for reading in proposal.readings:
        say(f"{reading.column} is read as {reading.reason}.")
    for unread in proposal.unread:
        say(f"{unread.column}: {unread.reason}.")
    say_unnamed(proposal.table.unnamed)
    if proposal.persons is not None:
        say(f"{proposal.persons.reason}.")
        say(_counting(proposal, proposal.persons))
    least_k = proposal.table.terms.least_k
    for implausible in proposal.implausible:
        rows = _rows(implausible, least_k)
        notify(f"Warning: {implausible.column} has {implausible.what} in {rows}. {_as_missing(implausible.column)}")


def _as_missing(column: str) -> str:
    """The option that makes codes of missing values such."""
    return f"If they are codes of missing values, --missing {shlex.quote(column)}=CODE reads them so."


def _rows(implausible: ImplausibleValues, least_k: int) -> str:
    """The rows in words, for the terminal of the person who opened the table alone; of a dataset none below its k."""
    share = implausible.rows / implausible.of
    if implausible.rows < least_k:
        return f"{in_words(implausible.rows, least_k)} rows"
    return f"{percent(share)} of the rows" if share >= SMALL else counted(implausible.rows, "row")


SMALL = 0.01
"""The share of the rows below which the screen gives their number."""


def _counting(proposal: Proposal, persons: RepeatedKey) -> str:
    """What k counts where the rows of a person repeat, and the option that decides it."""
    option = f"--entity {shlex.quote(persons.column)}"
    if proposal.wanted.entity is not None:
        return f"k counts persons ({option})."
    return f"k counts rows, which protects a person less{unless_persons(proposal.wanted.method, option)}."


def _proposed_rows(proposal: Proposal) -> Iterator[tuple[str, str, str]]:
    """Every column with its role; of a wide table those that are kept or left out in part."""
    roles = proposal.plan.roles
    if len(roles) <= MAX_PROPOSED:
        yield from ((each.column, each.role, each.reason) for each in roles)
        return
    for role in ("quasi-identifier", "sensitive", "kept", "identifier"):
        of_role = [each for each in roles if each.role == role]
        shown = of_role if role in ("quasi-identifier", "sensitive") else of_role[:MAX_LISTED]
        yield from ((each.column, each.role, each.reason) for each in shown)
        if len(of_role) > len(shown):
            yield f"… {len(of_role) - len(shown):,} more", role, "the command below, or --json, lists them"


def proposed_command(proposal: Proposal, before: Sequence[str], named: str, options: Sequence[str]) -> str:
    """The command with the role of every column, quoted for a shell, an option a line.

    `before` the command and `options` of it are those that were given, other than the roles of columns.
    """
    plan, wanted = proposal.plan, proposal.wanted
    lists: list[tuple[str, str]] = []
    for role, option in (
        ("quasi-identifier", "--quasi-identifiers"),
        ("sensitive", "--sensitive"),
        ("kept", "--keep"),
        ("identifier", "--identifiers"),
    ):
        names = [each for each in plan.of(role) if each not in wanted.models]  # type: ignore[arg-type]
        if names:
            lists.append((option, _listed(names)))
    for column, models in wanted.models.items():
        lists += [("--sensitive", f"{_in_option(column)}: {_short(each)}") for each in models]
    head = ["ordermade", *before, "anonymize", *(["--"] if named.startswith("-") else []), named]
    if proposal.persons is not None and wanted.entity is not None:
        lists.append(("--entity", wanted.entity))
    parts = [shlex.join(head), f"--k {wanted.k}", *(f"{name} {shlex.quote(text)}" for name, text in lists)]
    if head[-2] == "--":  # after it nothing is an option
        parts = [shlex.join(head[:-2]), *parts[1:]]
    more = shlex.join(options)
    lines = [*parts, *([more] if more else []), *([shlex.join(head[-2:])] if head[-2] == "--" else [])]
    return " \\\n    ".join(lines)


def _listed(names: Iterable[str]) -> str:
    """Names as an option lists them."""
    return ",".join(map(_in_option, names))


def _in_option(name: str) -> str:
    """A name as an option has it: in double quotes where it would be read as something else."""
    if name == name.strip() and not set(name) & set(',":\r\n'):
        return name
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="").writerow([name])
    return text.getvalue()


def _short(model: Mapping[str, Any]) -> str:
    """A model in its short form."""
    return " ".join(f"{value:f}" if isinstance(value, Decimal) else str(value) for value in model.values())


def print_anonymized(answer: Anonymized, *, verbose: bool = False) -> None:
    """The answer, short; warnings and a refusal on stderr. `verbose`: every loss, and how it was found, too."""
    result = answer.result
    if result.released:
        outcome = "Would be released" if answer.is_dry else "Released"
        say(f"{outcome}: {answer.proposal.table.name}, k-anonymous with k = {result.k:,}")
        print_table(
            released_columns.COLUMN_HEADINGS, [*released_columns.column_rows(result.columns), *_left_out(answer)]
        )
        say("")
        print_facts(_facts(answer))
        if verbose:
            _print_all(answer)
        _print_compared(answer)
        if answer.is_dry:
            say("\nNothing was written. Without --dry-run the same is released.")
    if result.released and not answer.is_dry:
        folder = from_here(str(answer.outputs.folder))
        say(f"\nTo change it, edit {shlex.quote(f'{folder}/request.yaml')}, then run it again.")
        say(f"Next: sh {shlex.quote(f'{folder}/run.sh')}")
    for warning in (*result.warnings, *_lost(answer)):
        notify(f"Warning: {warning}")
    if not result.released:
        _print_refusal(answer)


def _lost(answer: Anonymized) -> Iterator[str]:
    """The columns that say little any more, and what would keep more."""
    lost = answer.lost
    if lost is None:
        return
    known = any(each.method == "local" for each in answer.compared)
    more = "" if known else "; --compare says how much"
    sentences = lost_in_words(lost, "--suppression-limit {}", at_most=False)
    yield f"{'. '.join([*sentences, f'--method local often keeps more{more}'])}."


def _left_out(answer: Anonymized) -> Iterator[tuple[Any, ...]]:
    """A row for each column that is not released; of many the first ones."""
    names = answer.proposal.plan.of("identifier")
    yield from ((each, None, "left out") for each in names[:MAX_LISTED])
    if len(names) > MAX_LISTED:
        yield f"… {len(names) - MAX_LISTED:,} more", None, "left out"


def _print_all(answer: Anonymized) -> None:
    """Every column and loss, the method's proof, and the release's hash."""
    result = answer.result
    print_table(released_columns.ALL_COLUMN_HEADINGS, released_columns.all_column_rows(result.columns))
    print_table(words.LOSS_HEADINGS, words.loss_rows(result.loss, result.forms.extremes()), title=words.LOSS_RANGE)
    if answer.method in ("local", "mondrian"):
        rows = [(column, _shares(levels)) for column, levels in _mixed(answer).items()]
        print_table(("column", "share of the rows at each level"), rows)
    search = getattr(result, "search", None)
    proved = (
        ""
        if search is None or answer.method != "full-domain"
        else (", the best level of all proved" if search.certified else ", the best found; not proved")
    )
    say("")
    print_facts(
        [
            ("method", METHODS[answer.method] + proved),
            ("classes", result.divisions),
            *((name, value) for name, value in words.privacy_facts(result) if name.endswith(" risk")),
            ("sha256", None if result.release is None else result.release.sha256),
        ]
    )


MAX_PROPOSED = 40
"""Columns of a table up to which each is listed with its proposed role."""
MAX_LISTED = 10
"""Kept columns and those left out that the screen lists, each; beyond it says how many there are."""


def _mixed(answer: Anonymized) -> dict[str, dict[str, int]]:
    """The released rows of each column by level, the finest first, where rows are at several."""
    result: Any = answer.result
    if answer.method == "mondrian":
        return {each.column: dict(each.rows) for each in result.mondrian.attributes}
    if result.local is None:
        return {column: {result.level_names[column]: 1} for column in result.levels}
    found: dict[str, Counter[int]] = {}
    for each in result.local.rounds:
        for column, level in each["levels"].items():
            found.setdefault(column, Counter())[level] += each["rows"]
    return {
        column: {answer.hierarchies[column].levels[level].name: rows for level, rows in sorted(counts.items())}
        for column, counts in found.items()
    }


def _shares(levels: Mapping[str, int]) -> str:
    total = sum(levels.values()) or 1
    return ", ".join(f"{name} {percent(rows / total)}" for name, rows in levels.items() if rows)


def _facts(answer: Anonymized) -> Iterator[tuple[str, Any]]:
    result, request = answer.result, answer.read.request
    limit = getattr(request, "suppression_limit", None)
    yield from (
        (name, from_here(value) if name == "release" else value)
        for name, value in words.facts(result, None if limit is None else float(limit), answer.proposal.wanted.entity)
        if not (answer.is_dry and name == "release")
    )
    if answer.is_dry:
        return
    yield "manifest", from_here(str(manifest_of(answer.outputs.release)))
    yield "to edit", from_here(str(answer.outputs.folder))


def _print_compared(answer: Anonymized) -> None:
    if not answer.compared:
        return
    print_table(("other method", "detail given up", "rows suppressed"), map(_compared_row, answer.compared))
    for each in answer.compared:
        if each.loss is None:
            say(f"{METHODS[each.method]}: {each.reason}.")


def _compared_row(compared: ComparedRelease) -> tuple[Any, ...]:
    if compared.loss is None:
        return METHODS[compared.method], "nothing passes", None
    rows = "few" if compared.suppressed_rows is None else f"{compared.suppressed_rows:,}"
    return METHODS[compared.method], percent(compared.loss), rows


def _print_refusal(answer: Anonymized) -> None:
    lines = [f"Refused: {answer.proposal.table.name}. Nothing was written."]
    notify("\n".join([*lines, *(f"  {each}" for each in reasons(answer.result.reason or ""))]))
    if answer.offers is None:
        notify("Ask for a smaller k, weaker models, or fewer columns.")
        return
    if not answer.offers.offers:
        notify("Nothing near to it passes: ask for a smaller k or weaker models, or give a column another role.")
        return
    say("Passes instead:")
    print_table(*offer_table(answer.offers))
    say("")
    for each in beneath(answer.offers, cost=False):
        say(each)
    say("Give the command --suppression-limit, --k or --method accordingly, or a column another role.")
