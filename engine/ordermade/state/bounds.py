"""What the service reads and writes of a state for the user of a token: the rows of one submission, of one user.

Every statement on a connection that is bound goes by this, and whatever is not named here is refused. Tables without
rows of users (datasets, hierarchies, table C) are read as they are: checking and predicting need them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from ordermade.errors import Refused

OF_USERS = (
    *("submissions", "submission_revisions", "reviews", "data_refusals", "accepted_terms"),
    *("users", "tokens", "audit"),
)
"""The tables that have rows of users."""

MEASURED = frozenset(
    {
        *("forecasts", "observations", "measured_levels", "observation_models"),
        *("dataset_versions", "dataset_version_columns", "dataset_identities", "dataset_parts", "part_columns"),
    }
)
"""The tables without rows of users that a check or a prediction for one writes."""

_NAMES = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)")
_COMMENTS = re.compile(r"--[^\n]*")


@cache
def _of_users(text: str) -> bool:
    return not _TABLES.isdisjoint(_NAMES.findall(_COMMENTS.sub("", text)))


_TABLES = frozenset(OF_USERS)


@dataclass(slots=True)
class Bounds:
    """The user that the service acts for, and the submission that it writes; None: of a new one, or of none.

    `reads_all`: a reviewer, who reads the submissions of others. `own`: the submissions that were read as the user's.
    """

    name: str
    token_hash: str
    submission: int | None = None
    reads_all: bool = False
    own: set[int] = field(default_factory=set)

    def require_readable(self, statement: str, text: str, values: Mapping[str, Any]) -> None:
        """Raises Refused for a statement over rows of users that is none of theirs, or may be of somebody else's."""
        if not _of_users(text):
            return
        binds = READS.get(statement)
        if binds is None or not binds(self, values):
            raise Refused(f"the service reads nothing of others for {self.name}", where=statement, next_step=_INSTEAD)

    def kept(self, statement: str, found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The rows that a statement gives the user: of submissions those of its own, for a reviewer all."""
        if statement not in _WHOLE:
            return found
        if not self.reads_all:
            found = [each for each in found if each[_SUBMITTED_BY] == self.name]
        self.own |= {int(each[0]) for each in found}
        return found

    def require_written(
        self, table: str, columns: Sequence[str], written: Iterable[Sequence[Any]], released: Callable[[int], list[int]]
    ) -> None:
        """Raises Refused for rows that are not of the submission, before they are committed.

        `released`: gives the releases of a submission.
        """
        if table in MEASURED:
            return
        for values in written:
            row = dict(zip(columns, values, strict=True))
            if table == "submissions" and self.submission is None and row["submitted_by"] == self.name:
                self.submission = row["id"]  # a new one, which the rest of the transaction is of
                self.own.add(row["id"])
            if not self._is_of_it(table, row, released):
                where = table if self.submission is None else f"{table} for submission {self.submission}"
                raise Refused(f"the service writes nothing of others for {self.name}", where=where, next_step=_INSTEAD)

    def _is_of_it(self, table: str, row: Mapping[str, Any], released: Callable[[int], list[int]]) -> bool:
        if table == "accepted_terms":  # which a new submission accepts before it has its number
            return bool(row["user_name"] == self.name)
        if self.submission is None:
            return False
        if table == "release_ends":
            return row["release_id"] in released(self.submission)
        key = _KEY.get(table)
        return key is not None and bool(row[key] == self.submission)

    def _binds_own(self, values: Mapping[str, Any], name: str) -> bool:
        return self.reads_all or int(values[name]) in self.own

    def _binds_user(self, values: Mapping[str, Any], name: str) -> bool:
        return self.reads_all or values[name] == self.name


_KEY: Mapping[str, str] = MappingProxyType(
    {"submissions": "id", "submission_revisions": "submission_id", "reviews": "submission_id"}
    | {"data_refusals": "submission_id"}
)
"""The column of each table that says which submission a row is of."""

_WHOLE = frozenset(
    f"state/{name}" for name in ("submissions", "submission_by_id", "submissions_again", "submissions_due")
)
"""The statements that give submissions; `submitted_by` is their fourth column."""
_SUBMITTED_BY = 3

READS: Mapping[str, Callable[[Bounds, Mapping[str, Any]], bool]] = MappingProxyType(
    {
        **dict.fromkeys(_WHOLE, lambda *_: True),  # `kept` looks at each row
        "state/submission_of_request": lambda *_: True,  # a number alone
        "state/request_number": lambda *_: True,
        "state/submissions_since": lambda at, values: at._binds_user(values, "submitted_by"),
        "state/accepted_terms": lambda at, values: at._binds_user(values, "user_name"),
        "state/data_refusals_since": lambda at, values: at._binds_user(values, "user_name"),
        "state/submission_revisions": lambda at, values: at._binds_own(values, "submission_id"),
        "state/reviews": lambda at, values: at._binds_own(values, "submission_id"),
        "state/audit_of_submission": lambda at, values: at._binds_own(values, "subject"),
        "state/token_by_hash": lambda at, values: values["token_hash"] == at.token_hash,
        "state/audit_insert": lambda at, values: values["subject"] == str(at.submission),
        "state/audit_head": lambda *_: True,  # what every entry follows
        "state/audit_head_update": lambda *_: True,
        **dict.fromkeys(
            (
                *("state/submission_insert", "state/submission_update", "state/submission_revision_insert"),
                *("state/review_insert", "state/review_reset", "state/accepted_terms_insert"),
                "state/data_refusal_insert",
            ),
            lambda *_: True,  # `require_written` looks at each row
        ),
    }
)
"""The statements over rows of users, each with whether its values bind it to the user or to the submission."""

_INSTEAD = "Ask the provider."
