"""A backup and the state that it replaces, as one: facts hold on, what protects is applied again, the rest is undone.

The backup is an earlier moment of the state, so that their tables are compared row by row; `restored_tables.py` says
what becomes of each. Where there is no such state to compare with, nobody may act on what may be out of date: every
token is revoked, every session ended, every request that is not settled is put in review, and no release stays in the
catalogue.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ordermade.errors import quoted
from ordermade.privacy.least_k import numbered
from ordermade.state import opt_outs, publications, sessions, submissions, users
from ordermade.state.audit import actor, add_audit_entry, head_of
from ordermade.state.changes import StateChanges
from ordermade.state.connection import file_address, transaction
from ordermade.state.datasets import DATASETS, FILTER_COLUMNS, open_to_filters
from ordermade.state.restored_tables import NAMED, OF_ANY_TABLE, TABLES, UNSETTLED
from ordermade.state.seals import seal_rows
from ordermade.state.stand_ins import over
from ordermade.state.statements import rows, run, utc_now
from ordermade.state.table import emptying, sealing

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.state.connection import StateConnection


@dataclass(slots=True)
class Account:
    """What was made since the backup, in words: what of it holds on in the restored state, and what is undone."""

    carried: list[str] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)

    def count(self, into: list[str], number: int, one: str, many: str) -> None:
        """Adds a number of things, unless there are none."""
        if number:
            into.append(numbered(number, one, many))

    def which(self, into: list[str], one: str, many: str, found: Iterable[object], end: str = "") -> None:
        """Adds things by name or number, unless there are none."""
        words = [quoted(each) if isinstance(each, str) else str(each) for each in dict.fromkeys(found)]
        if words:
            into.append(f"{one if len(words) == 1 else many} {', '.join(words)}{end}")


def merge(connection: StateConnection, replaced: Path, copy: Path, subject: str) -> Account | None:
    """Fills the new, empty state that is open from the state `replaced` and the backup `copy`, both of nobody else.

    None where they are unrelated. `subject`: the name of the backup in the audit.
    """
    for name, path in (("state/attach_state", replaced), ("state/attach_restored", copy)):
        run(connection, name, path=file_address(path, read_only=True))
    if not rows(connection, "state/since_head")[0][0]:
        return None
    with transaction(connection):
        for table in ("audit_head", "migrations", "seals"):  # which a new state has rows of
            connection.execute(emptying(table))
        for table, each in TABLES.items():
            if each.fill:
                _fill(connection, table, each.fill)
        account = _settled(connection, subject)
        seal_rows(connection)  # every row: both states were found to be as they were sealed
    return account


def _fill(connection: StateConnection, table: str, statement: str) -> None:
    if statement in OF_ANY_TABLE:
        connection.execute(over(statement, table))
    else:
        run(connection, statement, removed_at=utc_now())


def _since(connection: StateConnection, name: str, table: str) -> list[tuple[object, ...]]:
    return connection.execute(over(name, table)).fetchall()


def _settled(connection: StateConnection, subject: str) -> Account:
    """Applies again what protects in the filled tables, ends what was made since, and notes all of it in the audit."""
    changes, account = StateChanges(connection, actor()), Account()
    head = head_of(connection)
    for table, each in TABLES.items():
        if each.row:
            counted = "state/since_keys" if each.how == "undone" else "state/since_rows"
            ((number,),) = _since(connection, counted, table)
            account.count(
                account.undone if each.how == "undone" else account.carried, int(str(number)), each.row, each.rows
            )
    _opt_outs(connection, account)
    _people(changes, account)
    _requests(changes, account)
    _terms(connection, account)
    _rights(connection, account)
    _names(connection, account)
    _note(changes, subject, account, {"replaced_entries": head.number, "replaced_head": head.hash})
    return account


def _opt_outs(connection: StateConnection, account: Account) -> None:
    for name, added, taken_off in rows(connection, "state/since_opt_outs"):
        of = f"of dataset {quoted(name)}"
        account.count(account.carried, added, f"opt-out {of}", f"opt-outs {of}")
        account.count(account.undone, taken_off, f"opt-out {of} taken off", f"opt-outs {of} taken off")


def _people(changes: StateChanges, account: Account) -> None:
    """Removed users and revoked tokens stay so; those added since are removed and revoked; every session ends."""
    found = rows(changes.connection, "state/since_users")
    account.which(
        account.carried, "the removal of user", "the removals of users", [name for _, name, gone, _ in found if gone]
    )
    added = {number: name for number, name, is_removed, is_new in found if is_new and not is_removed}
    for number in added:
        users.remove(changes, number)
    account.which(
        account.undone, "user", "users", added.values(), ", who is removed" if len(added) == 1 else ", who are removed"
    )
    tokens = rows(changes.connection, "state/since_tokens")
    revoked = sum(is_revoked for _, is_revoked, _ in tokens)
    account.count(account.carried, revoked, "revocation of a token", "revocations of tokens")
    sessions.end_all(changes)
    made = [number for number, is_revoked, is_new in tokens if is_new and not is_revoked]
    for number in made:
        users.revoke(changes, number)
    account.which(
        account.undone, "token", "tokens", made, ", which is revoked" if len(made) == 1 else ", which are revoked"
    )


def _requests(changes: StateChanges, account: Account) -> None:
    """Submitted requests stand where they do; what was approved since is back in review, and votes for it are reset."""
    moved = rows(changes.connection, "state/since_submissions")
    account.count(account.carried, len(moved), "submitted or moved request", "submitted or moved requests")
    dossiers = [submissions.get(changes.connection, number) for number, _ in moved]
    stands = {number for number, is_new_there in moved if is_new_there}
    refused = [each.submission.id for each in dossiers if each.submission.status == "refused"]
    account.which(
        account.carried,
        "the refusal of request",
        "the refusals of requests",
        [each for each in refused if each in stands],
    )
    approved = [each for each in dossiers if each.submission.status == "approved"]
    for dossier in approved:
        _to_review(changes, dossier, "it was approved since the backup that was restored")
    account.which(
        account.undone,
        "the approval of request",
        "the approvals of requests",
        [each.submission.id for each in approved],
    )
    since = {
        (number, revision, reviewer, at)
        for number, revision, reviewer, at in rows(changes.connection, "state/since_reviews")
    }
    votes = [each for dossier in dossiers for each in dossier.reviews]
    cast = [each for each in votes if (each.submission_id, each.revision, each.reviewer, each.voted_at) in since]
    against = sum(each.vote == "refuse" for each in cast)
    account.count(account.carried, against, "vote against a request", "votes against requests")
    back = {each.submission.id for each in approved}
    open_ones = {each.submission.id for each in dossiers if each.submission.status in UNSETTLED} - back
    votes_for = [each for each in cast if each.vote == "approve" and each.counts and each.submission_id in open_ones]
    submissions.reset(changes, votes_for)
    account.count(account.undone, len(votes_for), "vote for a request", "votes for requests")


def _to_review(changes: StateChanges, dossier: submissions.SubmissionDetails, why: str) -> None:
    """Puts a submitted request in review, without any vote, and notes that it is."""
    submissions.reset(changes, dossier.reviews)
    submissions.move(changes, dossier.submission, status="in_review", claim=None)
    changes.audited("request restore", str(dossier.submission.id), why)


def _terms(connection: StateConnection, account: Account) -> None:
    """Each dataset of the backup has the greatest least k since, and the columns open to filters all along."""
    found: dict[int, tuple[str, int, list[str] | None, int, list[str] | None]] = {}
    for number, name, least_k, filters, columns, since_k, since_filters, since_columns in rows(
        connection, "state/since_terms"
    ):
        was = _open_columns(filters, columns)
        _, _, _, before_k, before = found.get(number, (name, least_k, was, least_k, was))
        found[number] = (
            name,
            least_k,
            was,
            max(before_k, since_k),
            _both(before, _open_columns(since_filters, since_columns)),
        )
    for number, (name, least_k, was, now_k, now) in found.items():
        if (least_k, was) == (now_k, now):
            continue
        word = "any" if now is None else "columns" if now else "none"
        DATASETS.update(connection, {"id": number}, least_k=now_k, filters=word)
        FILTER_COLUMNS.delete(connection, dataset_id=number)
        open_to_filters(connection, number, now or ())
        if now_k != least_k:
            account.carried.append(f"the least k of dataset {quoted(name)}, {now_k}")
        if now != was:
            account.carried.append(f"the columns closed to filters of dataset {quoted(name)}")


def _open_columns(filters: str, columns: list[str] | None) -> list[str] | None:
    """The columns that requests may filter by; None: any."""
    return None if filters == "any" else list(columns or ())


def _both(one: list[str] | None, other: list[str] | None) -> list[str] | None:
    if one is None or other is None:
        return other if one is None else one
    return [each for each in one if each in other]


def _rights(connection: StateConnection, account: Account) -> None:
    """What sources and datasets may less since the backup was applied when their tables were filled."""
    account.carried += [f"{what} {quoted(name)}" for what, name in rows(connection, "state/since_rights")]


def _names(connection: StateConnection, account: Account) -> None:
    """What was registered, removed or replaced since is not."""
    for table, noun in NAMED.items():
        for name, was_there, is_there in _since(connection, "state/since_names", table):
            what = f"{noun} {quoted(str(name))}"
            if was_there and is_there:
                account.undone.append(f"the {what} that took the place of the one of the backup")
            else:
                account.undone.append(f"the removal of {what}" if was_there else what)


@dataclass(frozen=True, slots=True)
class RestoredOptOuts:
    """The salt of a dataset, and the hashes of the persons who opted out of it."""

    salt: str
    persons: frozenset[str]


def lock(
    connection: StateConnection, subject: str, reason: str, account: Account, opted_out: Mapping[str, RestoredOptOuts]
) -> None:
    """Lets nobody act on the open restored state, which no state of before was compared with, and notes the `reason`.

    Every token is revoked, every request that is not settled is put in review, and the catalogue has no release more.
    `opted_out`: what could be read of the state of before.
    """
    with transaction(connection), sealing(connection):
        changes = StateChanges(connection, actor())
        _carry_opt_outs(connection, account, opted_out)
        for token in users.tokens(connection):
            if token.revoked_at is None:
                users.revoke(changes, token.id)
        sessions.end_all(changes)
        publications.end_all(changes)
        for each in submissions.listed(connection):
            if each.status in UNSETTLED:
                _to_review(changes, submissions.get(connection, each.id), reason)
        _note(changes, subject, account, {"locked": reason})


def opted_out(connection: StateConnection) -> dict[str, RestoredOptOuts]:
    """The opt-outs by dataset; none where they cannot be read."""
    found = {}
    try:
        for name, *_ in rows(connection, "state/opt_outs_listed"):
            pairs = rows(connection, "state/opt_outs", dataset_name=name)
            found[str(name)] = RestoredOptOuts(str(pairs[0][0]), frozenset(str(each) for _, each in pairs))
    except sqlite3.Error:  # older than opt-outs, or damaged
        return {}
    return found


def _carry_opt_outs(connection: StateConnection, account: Account, before: Mapping[str, RestoredOptOuts]) -> None:
    for name, each in before.items():
        of = f"of dataset {quoted(name)}"
        found = opt_outs.salt_of(connection, name)
        if found not in (None, each.salt):
            account.undone.append(f"the opt-outs {of}: add them again, as both states hash them otherwise")
            continue
        if found is None:
            opt_outs.SALTS.add(connection, opt_outs.OptOutSalt(name, each.salt))
        new = sorted(
            each.persons - {str(person) for _, person in rows(connection, "state/opt_outs", dataset_name=name)}
        )
        opt_outs.add_hashes(connection, name, new)
        account.count(account.carried, len(new), f"opt-out {of}", f"opt-outs {of}")


def _note(changes: StateChanges, subject: str, account: Account, noted: Mapping[str, object]) -> None:
    data = {**noted, "carried": account.carried, "undone": account.undone, "rows": changes.rows}
    add_audit_entry(changes.connection, "state restore", subject, data=data)
