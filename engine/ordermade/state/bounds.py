"""What the service reads and writes of a state for the user of a token: the rows of one submission, of one user.

Every statement on a connection that is bound goes by this, and whatever is not named here is refused. Tables without
rows of users (datasets, hierarchies, table C) are read as they are: checking and predicting need them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from ordermade.errors import Refused

OF_USERS = (
    *("submissions", "submission_revisions", "reviews", "comments", "data_refusals", "accepted_terms"),
    *("live_forecasts", "users", "tokens", "passwords", "sessions", "audit", "user_hierarchies", "mails"),
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
class StoredBounds:
    """The user that the service acts for, and the submission that it writes; None: of a new one, or of none.

    `reads_all`: a reviewer, who reads the submissions of others. `own`: the submissions that were read as the user's.
    `hierarchies`: those that were written as the user's own.
    """

    name: str
    token_hash: str
    submission: int | None = None
    reads_all: bool = False
    own: set[int] = field(default_factory=set)
    hierarchies: set[int] = field(default_factory=set)

    def require_readable(self, table: str, columns: Collection[str], where: Mapping[str, object]) -> None:
        """Raises Refused for columns of a table with rows of users unless these conditions leave theirs alone."""
        if table not in _TABLES or (table == "submissions" and {"id", "submitted_by"} <= set(columns)):
            return  # `kept` looks at each submission
        column, binds = _BINDING.get(table, ("", None))
        if binds is None or column not in where or not binds(self, where[column]):
            raise Refused(f"the service reads nothing of others for {self.name}", where=table, next_step=_INSTEAD)

    def require_named(self, statement: str, text: str, values: Mapping[str, object]) -> None:
        """Raises Refused for a statement over rows of users that is none of theirs, or may be of somebody else's."""
        if _of_users(text) and not (statement in READS and READS[statement](self, values)):
            raise Refused(f"the service reads nothing of others for {self.name}", where=statement, next_step=_INSTEAD)

    def kept(self, of: str, columns: Sequence[str], found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The rows that a table or a statement gives the user: of submissions those of its own, for a reviewer all."""
        if of not in SUBMISSIONS or "submitted_by" not in columns:
            return found
        number, by = columns.index("id"), columns.index("submitted_by")
        if not self.reads_all:
            found = [each for each in found if each[by] == self.name]
        self.own |= {int(each[number]) for each in found}
        return found

    def require_written(
        self, table: str, columns: Sequence[str], written: Iterable[Sequence[Any]], released: Callable[[int], list[int]]
    ) -> None:
        """Raises Refused for rows that are not of the submission, before they are committed.

        `released`: gives the releases of a submission.
        """
        if table in MEASURED or table in _OF_EVERY_STEP:
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
        if table in _OF_HIERARCHIES:
            return self._is_of_hierarchy(table, row)
        if table in ("accepted_terms", "live_forecasts"):  # which come before a submission has its number
            return bool(row["user_name"] == self.name)
        if self.submission is None:
            return table == "audit" and bool(self.hierarchies) and self._is_own_name(row["subject"])
        if table == "audit":
            return bool(row["subject"] == str(self.submission))
        if table == "release_ends":
            return row["release_id"] in released(self.submission)
        key = _KEY.get(table)
        return key is not None and bool(row[key] == self.submission)

    def _is_of_hierarchy(self, table: str, row: Mapping[str, Any]) -> bool:
        """Whether a row is of a hierarchy of the user's own: its name begins with that of the user."""
        if table == "hierarchies" and self._is_own_name(row["name"]):
            self.hierarchies.add(row["id"])
            return True
        if table == "user_hierarchies" and row["user_name"] != self.name:
            return False
        return row.get("hierarchy_id") in self.hierarchies

    def _is_own_name(self, name: object) -> bool:
        return str(name).startswith(f"{self.name}/")

    def _is_own(self, submission: object) -> bool:
        return self.reads_all or str(submission) in map(str, self.own)

    def _is_user(self, name: object) -> bool:
        return self.reads_all or name == self.name


_KEY: Mapping[str, str] = MappingProxyType(
    {"submissions": "id", "submission_revisions": "submission_id", "reviews": "submission_id"}
    | {"comments": "submission_id", "data_refusals": "submission_id", "mails": "submission_id"}
)
"""The column of each table that says which submission a row is of."""

_OF_HIERARCHIES = frozenset({"hierarchies", "hierarchy_levels", "hierarchy_refinements", "user_hierarchies"})
"""The tables of the hierarchies that users upload."""

_OF_EVERY_STEP = frozenset({"audit_head", "seals"})
"""The tables that every transaction writes."""

SUBMISSIONS = frozenset({"submissions", "state/submissions_again", "state/submissions_due"})
"""What gives submissions: the table, and the statements."""

_BINDING: Mapping[str, tuple[str, Callable[[StoredBounds, object], bool]]] = MappingProxyType(
    {
        "submissions": ("submitted_by", StoredBounds._is_user),
        "submission_revisions": ("submission_id", StoredBounds._is_own),
        "reviews": ("submission_id", StoredBounds._is_own),
        "comments": ("submission_id", StoredBounds._is_own),
        "accepted_terms": ("user_name", StoredBounds._is_user),
        "data_refusals": ("user_name", StoredBounds._is_user),
        "user_hierarchies": ("user_name", StoredBounds._is_user),
        "live_forecasts": ("user_name", StoredBounds._is_user),
        "audit": ("subject", StoredBounds._is_own),
    }
)
"""The column of each table whose value binds it to the user, or to a submission that was read; others are refused."""

READS: Mapping[str, Callable[[StoredBounds, Mapping[str, Any]], bool]] = MappingProxyType(
    {
        "state/submissions_again": lambda *_: True,  # `kept` looks at each row
        "state/submissions_due": lambda *_: True,
        "state/submission_of_request": lambda *_: True,  # a number alone
        "state/submissions_before": lambda *_: True,  # another
        "state/request_number": lambda *_: True,
        "state/hierarchies": lambda at, values: at.reads_all or values["reader"] == at.name,
        "state/hierarchies_named": lambda at, values: at.reads_all or values["reader"] == at.name,
        "state/user_hierarchies": lambda at, values: at._is_user(values["user_name"]),
        "state/mail_recipient": lambda at, values: values["submission"] == at.submission,  # the number of its user
        "state/releases_reached": lambda *_: True,  # numbers of releases
        "state/publications_in_force": lambda *_: True,  # what everybody may have
        "state/token_by_hash": lambda at, values: values["token_hash"] == at.token_hash,
        "state/session_by_hash": lambda at, values: values["session_hash"] == at.token_hash,
    }
)
"""The statements over rows of users, each with whether its values bind it to the user or to the submission."""

_INSTEAD = "Ask the provider."
