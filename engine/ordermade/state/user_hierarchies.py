"""The hierarchies of users: each under a name of its user's own, for one column of one dataset."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ordermade.errors import InputError, Refused, UnknownName, quoted
from ordermade.hierarchies.owner import HierarchyOwner
from ordermade.phrases import phrase
from ordermade.records.cards import HasSummary
from ordermade.records.printed import NOT_PRINTED
from ordermade.state import hierarchies
from ordermade.state.hierarchies import HIERARCHIES, OF_USERS, SavedHierarchy
from ordermade.state.statements import rows, utc_now

if TYPE_CHECKING:
    from ordermade.hierarchies.stored import StoredHierarchy
    from ordermade.state.connection import StateConnection

MOST = 50
"""The most hierarchies of a user: in use, or uploaded in the last `PERIOD`."""
MOST_BYTES = 4_000_000
"""The most bytes of their texts."""
PERIOD = timedelta(days=30)

SEPARATOR = "/"
"""What stands between the name of a user and that of the user's own hierarchy."""


@dataclass(frozen=True, slots=True, repr=False)
class UserHierarchy(HasSummary):
    """A hierarchy of a user."""

    id: int
    """Its number."""
    name: str
    """Its name: that of its user, a slash, and its own."""
    kind: str
    """`explicit`, `interval`, `date` or `prefix`."""
    user: str
    """The user who uploaded it."""
    dataset: str
    """The dataset that it is for."""
    column: str
    """The column that it is for."""
    size: int
    """The bytes of its text."""
    uploaded_at: datetime
    """The time it was uploaded."""
    removed_at: datetime | None
    """The time it was taken out of use."""
    text: str = field(metadata=NOT_PRINTED)
    """Its text as it was uploaded."""


def every(connection: StateConnection, user: str) -> tuple[UserHierarchy, ...]:
    """The hierarchies of a user, in use or not, by name."""
    return tuple(UserHierarchy(*row) for row in rows(connection, "state/user_hierarchies", user_name=user))


def in_use(connection: StateConnection, user: str) -> tuple[UserHierarchy, ...]:
    """The hierarchies of a user that are in use, by name."""
    return tuple(each for each in every(connection, user) if each.removed_at is None)


def save(
    connection: StateConnection,
    name: str,
    owner: HierarchyOwner,
    stored: StoredHierarchy,
    content_hash: str,
    refinements: Iterable[tuple[int, int]],
    text: str,
) -> SavedHierarchy:
    """Adds a hierarchy of a user, in the place of the user's own of that name.

    Raises InputError for the name of one that is not the user's, Refused beyond the quota.
    """
    known = every(connection, owner.user)
    mine = next((each for each in known if each.name == name and each.removed_at is None), None)
    if mine is None and HIERARCHIES.find(connection, name=name, removed_at=None) is not None:
        raise InputError(phrase("the name %(name)s is taken", name=quoted(name)), next_step=phrase("Choose another."))
    if mine is not None and HierarchyOwner(mine.user, mine.dataset, mine.column) != owner:
        raise InputError(
            phrase(
                "%(name)s is for the column %(column)s of %(dataset)s alone",
                name=quoted(name),
                column=quoted(mine.column),
                dataset=quoted(mine.dataset),
            ),
            next_step=phrase("Choose another name, or remove it first."),
        )
    size = len(text.encode())
    since = utc_now() - PERIOD
    counted = [each for each in known if each.removed_at is None or _bare(each.uploaded_at) > since]
    if len(counted) >= MOST or sum(each.size for each in counted) + size > MOST_BYTES:
        raise Refused(
            phrase(
                "a user has at most %(most)s hierarchies, and %(bytes)s bytes of them, those of the last %(days)s days "
                "that are out of use included",
                most=MOST,
                bytes=format(MOST_BYTES, ","),
                days=PERIOD.days,
            ),
            next_step=phrase("Remove some, or wait."),
        )
    saved = hierarchies.save(connection, name, stored, content_hash, refinements, of_user=True)
    if saved.outcome != "unchanged":
        OF_USERS.insert(
            connection,
            hierarchy_id=saved.id,
            user_name=owner.user,
            dataset_name=owner.dataset,
            column_name=owner.column,
            text=text,
            size=size,
            uploaded_at=utc_now(),
        )
    return saved


def remove(connection: StateConnection, name: str, user: str) -> UserHierarchy:
    """Takes a hierarchy of a user out of use. Raises UnknownName where the user has none of that name."""
    found = next((each for each in in_use(connection, user) if each.name == name), None)
    if found is None:
        raise UnknownName("hierarchy", name, [each.name for each in in_use(connection, user)])
    HIERARCHIES.update(connection, {"id": found.id}, removed_at=utc_now())
    return found


def _bare(time: datetime) -> datetime:
    return time.replace(tzinfo=None)
